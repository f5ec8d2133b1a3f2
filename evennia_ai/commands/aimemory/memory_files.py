"""The switches of @aimemory for files: persona and lore, and whole minds."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any

from evennia.utils.evmenu import get_input
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python import log

from evennia_ai.agent import turns
from evennia_ai.agent.revising import mind_archive, mind_transfer
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.base import NOTHING_DONE, YES, AssistantCommand, all_minds, switch
from evennia_ai.memory import lookup
from evennia_ai.memory.seeds import mind_folders, seeding
from evennia_ai.memory.state import assistant
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts

DRY = "dry"
# Lines of a difference that stand above the question whether it is wanted.
SHOWN = 30


class MemoryFiles(AssistantCommand):
    """How `@aimemory` reads and writes files; each change asks first, and leaves a line for staff."""

    @switch("seed", lock="perm(Builder)")
    def seed(self) -> Generator[str, str, None]:
        """@aimemory/seed <file> [= dry]

        Write the persona and lore that a file of the game says; shows first what would change,
        and with `dry` does no more.
        """
        if not self.lhs or (self.rhs or "").lower() not in ("", DRY):
            self.say_usage()
            return
        found = self._planned()
        if found is None:
            return
        file, planned = found
        text = memory_format.differences(
            [(self.name_of(one.npc), one.plan.changes) for one in planned]
        )
        if not planned:
            self.msg(f"{file}: all is as it says already.")
        elif self.rhs:
            self.show(f"{file} would change:\n{text}")
        else:
            lines = text.split("\n")
            more = [f"… and {len(lines) - SHOWN} more lines."] if len(lines) > SHOWN else []
            self.msg("\n".join([*lines[:SHOWN], *more]))
            answer = yield f"Write this, from {file}? [y/N]"
            self._seed_if(answer, planned)

    @switch("export", lock="perm(Admin)")
    def export(self) -> Generator[str, str, None]:
        """@aimemory/export <npc> [= <file>]

        Write its whole mind into a file of the game (admins).
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        npc_id, file = npc.id, _json_name(self.rhs or f"{npc.key} {npc.id}")
        try:
            is_there = mind_folders.path_of(file, folder=mind_folders.MINDS).exists()
        except ValueError as error:
            self.msg(f"{escaped(str(error))} {NOTHING_DONE}")
            return
        answer = "yes"
        if is_there:
            where = mind_folders.shown(mind_folders.MINDS)
            answer = yield f"{where}/{file} is there already. Write over it? [y/N]"
        npc = lookup.object_by_id(npc_id)
        if npc is None or answer.strip().lower() not in YES:
            self.msg(NOTHING_DONE)
            return
        exported = mind_archive.export(npc, scripts.find(npc), file)
        exported.addCallback(self._exported, npc_id, file)
        self._tell_failure(exported)

    @switch("import", lock="perm(Admin)")
    def import_file(self) -> None:
        """@aimemory/import <npc> = <file>

        Put such a mind into an NPC that remembers nothing (admins).
        """
        if not self.lhs or not self.rhs:
            self.say_usage()
            return
        npc = self.find_assistant(self.lhs)
        if npc is not None:
            read = mind_archive.read(self.rhs)
            self._tell_failure(read.addCallback(self._read, npc.id))

    # A seed.

    def _planned(self) -> tuple[str, list[seeding.Planned]] | None:
        """Return the file and what it would change, else None after having said why not."""
        try:
            npcs = [mind.obj for mind in all_minds()]
            file, planned = seeding.read(self.lhs, npcs, with_unchanged=True)
        except ValueError as error:
            self.msg(f"{escaped(str(error))} {NOTHING_DONE}")
            return None
        # Of the others, too, who know from this file what they would share.
        foreign = next((one.npc for one in planned if not self.may_change(one.npc)), None)
        if foreign is not None:
            name = self.name_of(foreign)
            self.msg(f"{file}: you may not change the mind of {name}. {NOTHING_DONE}")
            return None
        return file, seeding.select_changed(file, planned)

    def _seed_if(self, answer: str, planned: list[seeding.Planned]) -> None:
        if answer.strip().lower() not in YES:
            self.msg(NOTHING_DONE)
            return
        found = self._planned()
        if found is None:
            return
        file, now = found
        if [(one.npc.id, one.plan) for one in now] != [(one.npc.id, one.plan) for one in planned]:
            self.msg(f"The file or the assistants have changed meanwhile. {NOTHING_DONE}")
            return
        seeding.apply(file, now)
        for one in now:
            self.log_change(f"seeded from {file}", one.npc)
        self.msg(f"Done: {', '.join(self.name_of(one.npc) for one in now)}.")

    # A mind.

    def _exported(self, mind: dict[str, Any], npc_id: int, file: str) -> None:
        npc = lookup.object_by_id(npc_id)
        self.log_change(f"exported to {file} the mind of", npc)
        where = mind_folders.shown(mind_folders.MINDS)
        self.msg(
            f"{where}/{file} holds the mind now: {memory_format.contents(mind)}. It tells every secret "
            "that was told; keep it where only staff can read it."
        )

    def _read(self, mind: dict[str, Any], npc_id: int) -> Any:
        npc = lookup.object_by_id(npc_id)
        if npc is None or not self.may_change(npc):
            self.msg(NOTHING_DONE)
            return None
        return self._ask_for_mind(npc, mind)

    @inlineCallbacks
    def _ask_for_mind(self, npc: Any, mind: dict[str, Any]):
        npc_id, name = npc.id, self.name_of(npc)
        if not (yield mind_transfer.is_blank(npc, scripts.find(npc))):
            self.msg(
                f"{name} remembers something. Let it forget that first: "
                f"{self.key}/forget {self.lhs} = all"
            )
            return
        question = (
            f"Put this into {name}: {memory_format.contents(mind)}? Its persona and lore are replaced. "
            "[y/N]"
        )
        self._ask(npc_id, question, lambda: self._give(npc_id, mind))

    @inlineCallbacks
    def _give(self, npc_id: int, mind: dict[str, Any]):
        npc = lookup.object_by_id(npc_id)
        script = scripts.find(npc)
        if turns.is_running(script.id):
            self.msg(f"{self.name_of(npc)} is about to answer somebody. Try again in a moment.")
            return
        was_on = assistant.is_enabled(script)
        # Whatever it noted meanwhile would be written over.
        script.disable()
        try:
            if not (yield mind_transfer.is_blank(npc, script)):
                raise ValueError("It has noted something meanwhile.")
            yield mind_transfer.give_mind(npc, script, mind)
        finally:
            npc = lookup.object_by_id(npc_id)
            if was_on and npc is not None and scripts.find(npc) is not None:
                scripts.find(npc).enable()
        self.log_change("imported a mind into", npc)
        self.msg(f"{self.name_of(npc)} has it now: {memory_format.contents(mind)}.")

    def _ask(self, npc_id: int, question: str, do: Callable[[], Any]) -> None:
        """Ask, and do it if the answer is yes and the NPC may still be changed."""

        def answered(caller: Any, prompt: str, answer: str, *args: Any) -> None:
            npc = lookup.object_by_id(npc_id)
            may = npc is not None and scripts.find(npc) is not None and self.may_change(npc)
            if not may or answer.strip().lower() not in YES:
                self.msg(NOTHING_DONE)
                return
            done = do()
            if isinstance(done, Deferred):
                self._tell_failure(done)

        get_input(self.caller, question, answered, session=self.session)

    def _tell_failure(self, done: Deferred[Any]) -> None:
        """Say in one sentence what is wrong with a file, or that memory cannot be reached."""

        def tell(failure: Any) -> None:
            failure.trap(ValueError, MemoryUnavailable)
            self.msg(f"{escaped(str(failure.value))} {NOTHING_DONE}")

        done.addErrback(tell).addErrback(log.err, "evennia_ai: a file could not be dealt with")


def _json_name(text: str) -> str:
    name = re.sub(r"[^\w./-]+", "-", text.strip()).strip("-").lower()
    return name if name.endswith(".json") else f"{name}.json"
