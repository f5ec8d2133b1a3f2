"""Measures the path of one line of talk, from hearing to answer: `python -m tests.house.path`, one JSON line.

It counts the files and the functions of the package that run between a word said in the room and the answer of a
model, of an NPC that was spoken with before.
"""

import inspect
import json
import sys
import tempfile
from pathlib import Path

import evennia_ai

HOUSE = Path(evennia_ai.__file__).parent


def measure():
    """The numbers of (files, functions) of a line of talk."""
    from tests.benchmarks import lived

    ran = set()

    def note(frame, event, _):
        place = Path(frame.f_code.co_filename)
        # No module or class that is being made, as at a first import.
        is_call = event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED
        is_ours = HOUSE in place.parents and "testing" not in place.parts
        # Comprehensions and lambdas are parts of a function.
        if is_call and is_ours and not frame.f_code.co_name.startswith("<"):
            ran.add((place.relative_to(HOUSE).as_posix(), frame.f_code.co_qualname))

    with tempfile.TemporaryDirectory() as folder:
        lived.start_evennia(Path(folder), sections=_sections())
        lived.quiet()
        from evennia_ai.semantic import memory_thread

        memory_thread.set_worker(memory_thread.InlineWorker())
        life = lived.Life(["Ann"], lived.Model())
        life.say("Ann", "Mara, good evening.")
        life.wait(60)
        sys.setprofile(note)
        life.say("Ann", "Mara, where is the mill?")
        sys.setprofile(None)
        if not life.people["Ann"].heard:
            raise SystemExit("She had no answer.")
    return len({file for file, _ in ran}), len(ran)


def _sections():
    from evennia_ai import defaults

    return defaults.DEFAULTS["CONTEXT_SECTIONS"]


if __name__ == "__main__":
    print(json.dumps(dict(zip(("talk_files", "talk_functions"), measure(), strict=True))))
