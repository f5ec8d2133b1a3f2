"""A model whose answers you write yourself: `python -m tests.by_hand --help`.

It serves a running game, or plays a scene and records it on a tape.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import django
import evennia

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.test_settings"
    django.setup()
    evennia._init()

from django.core.management.base import BaseCommand, CommandError

from evennia_ai.management.commands.ai_test import throwaway_database
from evennia_ai.testing.dialogue import dialogue_report
from evennia_ai.testing.dialogues import TAPE_SUFFIX, Result
from tests.by_hand import play as by_hand_play
from tests.by_hand import tape as by_hand_tape
from tests.by_hand.server import ByHandServer
from tests.by_hand.tape import ReplayServer
from tests.model_server import ModelServer

SETTINGS = """\
EVENNIA_AI["LLM"] = {{
    "default": {{
        "BACKEND": "evennia_ai.llm.openai.OpenAIBackend",
        "OPTIONS": {{"base_url": "{base_url}", "model": "by hand", "concurrency": {concurrency}}},
    }},
}}
EVENNIA_AI["TURN_DEADLINE"] = {seconds:.0f}.0
EVENNIA_AI["SLEEP_DEADLINE"] = {seconds:.0f}.0
EVENNIA_AI["SLEEP_TICK_TIMEOUT"] = {seconds:.0f}0"""


class Command(BaseCommand):
    """Serves answers that are written into a folder, or that stand on a tape."""

    help = (
        "Serve, on this machine only, a model whose answers are written by hand into a folder; with "
        "--play play a scene with it and record a tape, with --replay answer from a tape."
    )

    def add_arguments(self, parser: Any) -> None:
        """Take where to listen, and what to answer from."""
        parser.add_argument("--port", type=int, help="18080; with --play, a free one")
        parser.add_argument("--folder", type=Path, default=Path("by_hand"), metavar="FOLDER")
        parser.add_argument(
            "--timeout", type=float, default=600.0, help="seconds for one answer; 0 for no limit"
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--play", type=Path, metavar="SCENE", help="a dialogue file, or a tape")
        what.add_argument("--replay", type=Path, metavar="TAPE", help="answer from a tape")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the options ask for."""
        folder = options["folder"].absolute()
        try:
            if options["play"]:
                self._play(options["play"], folder, port=options["port"] or 0)
                return
            port = 18080 if options["port"] is None else options["port"]
            server: ModelServer
            if options["replay"]:
                server = ReplayServer(by_hand_tape.read(options["replay"]), port=port)
            else:
                timeout = options["timeout"]
                server = ByHandServer(folder, port=port, timeout=timeout, tell=self._tell)
                self._tell(f"Requests and answers are files in {folder}.")
            asyncio.run(self._serve(server, options["timeout"] or by_hand_play.DAY))
        except KeyboardInterrupt:
            return
        except ValueError as error:
            raise CommandError(f"{error}") from None
        except OSError as error:
            raise CommandError(f"It cannot serve: {error}.") from None

    async def _serve(self, server: ModelServer, seconds: float) -> None:
        async with await server.listen() as listening:
            shown = SETTINGS.format(base_url=server.base_url, concurrency=4, seconds=seconds)
            self._tell(f"The settings of the game:\n\n{shown}\n")
            self._tell(f"ready {server.base_url}")
            await listening.serve_forever()

    def _play(self, scene: Path, folder: Path, *, port: int) -> None:
        with throwaway_database():
            report, tape = by_hand_play.record(
                scene, folder, port=port, tell=self._tell, on_result=self._tell_result
            )
        file = folder / f"{scene.stem}{TAPE_SUFFIX}"
        by_hand_tape.write(file, tape)
        self._tell(f"{dialogue_report.summary(report)}\nThe tape is {file}.")
        lost = by_hand_tape.lost_rounds(tape.lines)
        if lost or not report.passed:
            raise CommandError("\n".join([*lost, "The scene did not go as it should."]))

    def _tell_result(self, result: Result) -> None:
        self._tell(dialogue_report.line_of(result, 0).replace(" 0 - ", " - ", 1))
        for kind, words in result.outcome.said:
            self._tell(f"    {kind}: {words}")

    def _tell(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


if __name__ == "__main__":
    Command().run_from_argv(["python", "-m tests.by_hand", *sys.argv[1:]])
