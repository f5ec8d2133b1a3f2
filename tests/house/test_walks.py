"""The walks of `docs/architecture.md` are what really runs: each step, in its order, and no room beside."""

import inspect
import re
import shutil
import sys
import tempfile
from pathlib import Path

import evennia_ai
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.sleep import sleep_cycle, steps
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase

HOUSE = Path(evennia_ai.__file__).parent
PAGE = HOUSE.parent / "docs" / "architecture.md"
LONGEST = 15
# What all rooms call, for a moment each.
SHARED = {
    "core",
    "domain",
    "memory",
    "conf",
    "scheduling",
    "rate_limits",
    "markup",
    "prompts",
    "prompts_asleep",
    "prompts_life",
}


def walk(name):
    """Return the steps of a walk, as (module, function), and the rooms that its text names."""
    text = PAGE.read_text("utf-8").partition(f"### The walk of {name}\n")[2].partition("\n#")[0]
    items = re.findall(r"^\d+\. `([\w/]+)\.(\w+)`", text, re.M)
    return items, {place.split("/")[0] for place in re.findall(r"`([a-z_]+)[/.`]", text)}


class WalkTests(MindTestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.mkdtemp(prefix="evennia-ai-walk-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        backend = "evennia_ai.semantic.mem0.Mem0Memory"
        options = {"path": f"{folder}/memory.db3"}
        self.configure(SEMANTIC={"default": {"BACKEND": backend, "OPTIONS": options}})
        minds.script_llm("Good evening.", repeat=True)
        self.do(self.char1, "say Mara, good evening.", wait=3)
        self.ran = []

    def traced(self, do):
        """Note each function of ours that is called meanwhile, as (module, function)."""

        def note(frame, event, _):
            place = Path(frame.f_code.co_filename)
            # No module or class that is being made, as at a first import.
            is_call = event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED
            if is_call and HOUSE in place.parents and "testing" not in place.parts:
                module = place.relative_to(HOUSE).with_suffix("").as_posix()
                self.ran.append((module, frame.f_code.co_name))

        sys.setprofile(note)
        try:
            do()
        finally:
            sys.setprofile(None)

    def check(self, name):
        steps_, named = walk(name)
        self.assertTrue(0 < len(steps_) <= LONGEST, steps_)
        rest = iter(self.ran)
        for step in steps_:
            self.assertTrue(step in rest, f"{step} does not run, or not after the step before it")
        rooms = {module.split("/")[0] for module, _ in self.ran}
        self.assertEqual(rooms - SHARED - named, set())

    def sleep_and_wake(self):
        base.install("default", OfflineMind())
        sleep_cycle.transition_mode(self.script_of_mara, "sleep", "a test")
        for _ in range(4):
            self.outcome(steps.run_sleep_tick(self.script_of_mara, self.mara))
        sleep_cycle.transition_mode(self.script_of_mara, "awake", "a test")
        minds.script_llm("On the Heron.", repeat=True)

    def test_a_line_that_is_answered(self):
        self.traced(lambda: self.do(self.char1, "say Mara, where is the mill?", wait=3))
        self.check("a line")

    def test_a_memory_from_hearing_to_telling(self):
        def live():
            self.do(self.char1, "say Mara, my brother Jory sails on the Heron in May.", wait=3)
            self.sleep_and_wake()
            self.do(self.char2, "say Mara, which ship is Jory on?", wait=3)

        self.traced(live)
        self.check("a memory")
