"""Plays a scene with a model whose answers you write, and records it: `python -m tests.by_hand SCENE FOLDER`.

SCENE is a dialogue file, or a tape whose answers are taken as far as they still fit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django
import evennia

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.test_settings"
    django.setup()
    evennia._init()

from evennia_ai.management.commands.ai_test import throwaway_database
from evennia_ai.testing.dialogue import dialogue_report
from evennia_ai.testing.dialogues import TAPE_SUFFIX, Result
from tests.by_hand import play as by_hand_play
from tests.by_hand import tape as by_hand_tape


def main(scene: Path, folder: Path) -> list[str]:
    """Play a scene and leave its tape in the folder; return what did not go as it should.

    Raises:
        ValueError: the scene cannot be played; the text is a sentence.
    """
    with throwaway_database():
        report, tape = by_hand_play.record(scene, folder, tell=tell, on_result=tell_result)
    file = folder / f"{scene.stem}{TAPE_SUFFIX}"
    by_hand_tape.write(file, tape)
    tell(f"{dialogue_report.summary(report)}\nThe tape is {file}.")
    lost = by_hand_tape.lost_rounds(tape.lines)
    return lost if report.passed else [*lost, "The scene did not go as it should."]


def tell_result(result: Result) -> None:
    tell(dialogue_report.line_of(result, 0).replace(" 0 - ", " - ", 1))
    for kind, words in result.outcome.said:
        tell(f"    {kind}: {words}")


def tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    try:
        sys.exit("\n".join(main(Path(sys.argv[1]), Path(sys.argv[2]).absolute())))
    except ValueError as error:
        sys.exit(str(error))
