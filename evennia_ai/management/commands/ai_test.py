"""Plays dialogues from a shell or in CI, in a database that is thrown away; see docs/testing.md."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import connections
from django.test.utils import setup_databases, teardown_databases
from evennia.utils.idmapper.models import flush_cache

from evennia_ai import conf
from evennia_ai.commands.base import all_minds
from evennia_ai.llm.wrappers import tape as tape_recorder
from evennia_ai.memory.seeds import mind_folders
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import dialogues
from evennia_ai.testing.dialogue import dialogue_apart, dialogue_cast, dialogue_report
from evennia_ai.testing.dialogue.dialogue_cast import Original
from evennia_ai.testing.dialogue.dialogue_plan import Dialogue

TAPE = "evennia_ai.llm.wrappers.tape.Tape"


class Command(BaseCommand):
    """Plays files of the folder of dialogues, and fails if one of their steps does."""

    help = (
        "Play dialogues that test NPCs, in a database of their own; without a FILE, all there are."
    )

    def add_arguments(self, parser: Any) -> None:
        """Take the files, and what is to think."""
        parser.add_argument("files", nargs="*", metavar="FILE", help="names in world/dialogues")
        parser.add_argument("--tape", metavar="FILE", help="answer from this tape")
        parser.add_argument(
            "--record", action="store_true", help="ask the model, and record it on the tape"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Play everything; the last line says how much of it passed."""
        names = options["files"] or _all_files()
        try:
            wanted = [_taped(dialogues.load(name), options["tape"]) for name in names]
            wanted = [_checked(one, is_recording=options["record"]) for one in wanted]
            with dialogue_apart.own_time() as clock:
                cast = [_original(dialogue, clock) for dialogue in wanted]
            with throwaway_database():
                passed = [
                    self._play(dialogue, original, is_recording=options["record"])
                    for dialogue, original in zip(wanted, cast, strict=True)
                ]
        except (ValueError, MemoryUnavailable) as error:
            raise CommandError(f"{error}") from None
        if not all(passed):
            raise CommandError(f"{passed.count(False)} of {len(passed)} dialogues failed.")
        self.stdout.write(f"{len(passed)} passed, 0 failed")

    def _play(self, dialogue: Dialogue, original: Original, *, is_recording: bool) -> bool:
        tape = dialogues.tape_of(dialogue)
        part = tape.with_name(f"{tape.name}.part")
        changes: dict[str, Any] = dict(dialogue.settings)
        if is_recording:
            part.unlink(missing_ok=True)
            dialogue = replace(dialogue, minds="model")
            tape_recorder.recorded_on = part
            changes["LLM_WRAPPERS"] = [TAPE, *conf.get("LLM_WRAPPERS")]
        with (
            tempfile.TemporaryDirectory(prefix="evennia-ai-dialogue-") as folder,
            dialogue_apart.own_memory(folder, **changes),
            dialogue_apart.own_time() as clock,
        ):
            report = dialogue_apart.drive(dialogues.play(dialogue, original), clock)
        self.stdout.write(dialogue_report.full(report))
        if is_recording:
            self._keep(part, tape, passed=report.passed)
        return report.passed

    def _keep(self, part: Path, tape: Path, *, passed: bool) -> None:
        """Let what was recorded take the place of the tape, if it shows what should be."""
        if passed and part.exists():
            part.replace(tape)
            self.stdout.write(f"# {tape.name} is recorded.")
        else:
            part.unlink(missing_ok=True)
            self.stdout.write(f"# {tape.name} is as it was: only what passes is recorded.")


@contextmanager
def throwaway_database() -> Iterator[None]:
    """Work in a database that is empty, and gone afterwards: that of the tests, as Django makes it."""
    for connection in connections.all():
        # Its tables as they are now; to migrate all of Evennia's takes ten times as long.
        connection.settings_dict["TEST"]["MIGRATE"] = False
    made = setup_databases(verbosity=0, interactive=False)
    try:
        _forget_cached()
        yield
    finally:
        teardown_databases(made, verbosity=0)
        _forget_cached()


def _forget_cached() -> None:
    flush_cache()
    ContentType.objects.clear_cache()


def _all_files() -> list[str]:
    root = mind_folders.path_of("any", folder=mind_folders.DIALOGUES).parent
    found = sorted(path.name for path in root.glob("*") if path.suffix in dialogues.SUFFIXES)
    if not found:
        raise CommandError(f"There is no dialogue in {mind_folders.shown(mind_folders.DIALOGUES)}.")
    return found


def _taped(dialogue: Dialogue, tape: str | None) -> Dialogue:
    return replace(dialogue, minds="tape", tape=tape) if tape else dialogue


def _checked(dialogue: Dialogue, *, is_recording: bool) -> Dialogue:
    """Return a dialogue that has what it asks for; ValueError says what it lacks."""
    if is_recording and dialogue.minds != "tape":
        raise ValueError(
            f"{dialogue.name} has no tape to be recorded: write minds: tape, or --tape."
        )
    dialogues.mind_for(replace(dialogue, minds="model") if is_recording else dialogue)
    return dialogue


def _original(dialogue: Dialogue, clock: Any) -> Original:
    try:
        # What the game knows of its NPCs is read before there is another database.
        npcs = [] if dialogue.source else [mind.obj for mind in all_minds()]
        return dialogue_apart.drive(dialogue_cast.find(dialogue, npcs), clock)
    except DatabaseError as error:
        raise ValueError(f"{dialogue.name}: the game's database cannot be read: {error}.") from None
    except ValueError as error:
        raise ValueError(f"{dialogue.name}: {error}") from None
