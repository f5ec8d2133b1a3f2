"""The switches of @aimemory with which builders change what assistants remember."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python import log

from evennia_ai.agent.revising import correcting, entry_changes, forget_people
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.assistants.naming import called, identity_named, names_known
from evennia_ai.commands.base import log_change, quoted, switch, whole_number
from evennia_ai.core.records import Entry
from evennia_ai.experience.base import group_of
from evennia_ai.memory import journal, lookup
from evennia_ai.typeclasses import scripts

EVERYTHING = "all"
EXPERIENCE = "experience"
NOBODY = "nobody"
NOTHING = "nothing"
# Who may let a whole group of NPCs forget.
FOR_A_GROUP = "perm(Admin)"
YES = ("y", "yes")


class MemoryChanges:
    """Methods of an `AssistantCommand`; each leaves a line for staff."""

    @switch("pin", lock="perm(Builder)")
    def pin(self) -> None:
        """@aimemory/pin <npc> = <number of an entry>"""
        self._pin(pinned=True)

    @switch("unpin", lock="perm(Builder)")
    def unpin(self) -> None:
        """@aimemory/unpin <npc> = <number of an entry>"""
        self._pin(pinned=False)

    @switch("forget", lock="perm(Builder)")
    def forget(self) -> Generator[str, str, None]:
        """@aimemory/forget <npc> = <number of an entry>/<who>/experience/all"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        found = self._what_to_forget(npc, self.rhs or "")
        if found is None:
            return
        what, words = found
        name, npc_id = self.name_of(npc), npc.id
        answer = yield f"Let {name} forget {words} for good? [y/N]"
        # It may have gone while the question stood.
        npc = lookup.object_by_id(npc_id)
        if npc is None or answer.strip().lower() not in YES:
            self.msg("Nothing was done.")
            return
        self._tell_when_done(forget(self.caller, npc, what), name, words)

    @switch("edit", lock="perm(Builder)")
    def edit(self) -> Generator[str, str, None]:
        """@aimemory/edit <npc> = <number of an entry> <words>"""
        npc = self.find_assistant(self.lhs)
        number, _, words = (self.rhs or "").partition(" ")
        entry = self._entry(npc, number) if npc is not None else None
        if entry is not None:
            yield from self._change(npc, entry, lambda: entry_changes.reworded(entry, words))

    @switch("narrow", lock="perm(Builder)")
    def narrow(self) -> Generator[str, str, None]:
        """@aimemory/narrow <npc> = <number of an entry> nobody/<who>, …"""
        npc = self.find_assistant(self.lhs)
        number, _, names = (self.rhs or "").partition(" ")
        entry = self._entry(npc, number) if npc is not None else None
        if entry is None:
            return
        if not names.strip():
            self.say_usage()
            return
        wanted = [] if names.strip().lower() == NOBODY else names.split(",")
        who = [identity_named(self, npc, name.strip()) for name in wanted]
        known = [one for one in who if one is not None]
        if len(known) == len(who):
            yield from self._change(npc, entry, lambda: entry_changes.narrowed(entry, npc, known))

    @switch("correct", lock="perm(Builder)")
    def correct(self) -> Generator[str, str, None]:
        """@aimemory/correct <npc> = <who> | <what is wrong> | <what is right>/nothing"""
        name, _, rest = (self.rhs or "").partition("|")
        wrong, _, right = map(str.strip, rest.partition("|"))
        if not (self.lhs and wrong and right):
            self.say_usage()
            return
        npc = self.find_assistant(self.lhs)
        who = identity_named(self, npc, name.strip()) if npc is not None else None
        if who is None:
            return
        chosen = correcting.like(npc, who, wrong)
        if chosen is None:
            self.msg(f"{self.name_of(npc)} knows nothing like {quoted(wrong)} of them.")
            return
        npc_id, right = npc.id, "" if right.lower() == NOTHING else right
        instead = f"know {quoted(right)} instead of" if right else "forget"
        answer = yield f"Let {self.name_of(npc)} {instead} {quoted(chosen['text'])}? [y/N]"
        npc = lookup.object_by_id(npc_id)
        if npc is None or answer.strip().lower() not in YES:
            self.msg("Nothing was done.")
            return
        self.msg(correct_known(self.caller, npc, who, chosen, right, name=self.name_of(npc)))

    def _change(
        self, npc: Any, entry: Entry, changed: Callable[[], dict[str, Any]]
    ) -> Generator[str, str, None]:
        try:
            instead = changed()
        except ValueError as error:
            self.msg(str(error))
            return
        name, npc_id = self.name_of(npc), npc.id
        what = memory_format.changed(instead, names_known(npc))
        answer = (
            yield f"Let entry {entry.id} of {name} {what}, and what rests on it be forgotten? [y/N]"
        )
        npc = lookup.object_by_id(npc_id)
        if npc is None or answer.strip().lower() not in YES:
            self.msg("Nothing was done.")
            return

        def tell(counts: dict[str, int] | None) -> None:
            self.msg(memory_format.has_changed(name, entry.id, counts))

        done = change(self.caller, npc, entry.id, instead)
        done.addCallbacks(tell, lambda failure: say_unforgotten(self, failure, name))
        done.addErrback(log.err, "evennia_ai: changing an entry failed")

    def _what_to_forget(self, npc: Any, wanted: str) -> tuple[Any, str] | None:
        """Return (what, how it is called), else None after having said why not."""
        if not wanted:
            self.say_usage()
            return None
        if wanted.lower() == EVERYTHING:
            return EVERYTHING, "everything that it remembers"
        if wanted.lower() == EXPERIENCE:
            return self._experience_of(npc)
        if whole_number(wanted) is not None:
            entry = self._entry(npc, wanted)
            return (entry.id, f"entry {entry.id} and what rests on it") if entry else None
        who = identity_named(self, npc, wanted)
        if who is None:
            return None
        person = somebody(npc, who, called(self.caller, wanted))
        return person, f"{escaped(wanted)}, and what they told"

    def _experience_of(self, npc: Any) -> tuple[str, str] | None:
        """Return (what, how it is called), else None after having said that others share it."""
        group = group_of(npc)
        if not group:
            return EXPERIENCE, "what it has learned by doing"
        if not self.may(FOR_A_GROUP):
            self.msg(
                f"{self.name_of(npc)} shares its experience with the group '{group}'; only admins "
                "let all of it forget."
            )
            return None
        return EXPERIENCE, f"what the group '{group}' has learned by doing"

    def _pin(self, *, pinned: bool) -> None:
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        entry = self._entry(npc, self.rhs or "")
        if entry is None:
            return
        self.msg(pin(self.caller, npc, self.name_of(npc), entry, pinned=pinned))

    def _entry(self, npc: Any, number: str) -> Entry | None:
        """Return an entry of the journal, else None after having said why not."""
        entry_id = whole_number(number)
        if entry_id is None:
            self.say_usage()
            return None
        entry = journal.get_entry(npc, entry_id)
        if entry is None:
            self.msg(f"{self.name_of(npc)} has no entry {number}.")
        return entry

    def _tell_when_done(self, done: Deferred[Any], name: str, words: str) -> None:
        def tell(counts: dict[str, int] | None) -> None:
            much = f": {memory_format.forgotten(counts)}" if counts else ""
            self.msg(f"{name} has forgotten {words}{much}.")

        done.addCallbacks(tell, lambda failure: say_unforgotten(self, failure, name))
        done.addErrback(log.err, "evennia_ai: forgetting failed")


def say_unforgotten(command: Any, failure: Any, name: str) -> None:
    """Tell that something was not forgotten: long-term memory is away, a turn goes on, or somebody else changed it."""
    if failure.check(ValueError):
        command.msg(str(failure.value))
        return
    failure.trap(*forget_people.NOT_YET)
    command.msg(f"{name} has not forgotten all of it: {failure.value} Do it once more.")


def pin(caller: Any, npc: Any, name: str, entry: Entry, *, pinned: bool) -> str:
    """Let an entry of an NPC's journal never go, or go as any other; return what to say of it.

    A change leaves a line for staff.
    """
    word = "pinned" if pinned else "not pinned"
    if entry.pinned == pinned:
        return f"Entry {entry.id} is {word}{' already' if pinned else ''}."
    journal.edit_entry(npc, entry.id, pinned=pinned)
    log_change(caller, f"{'pinned' if pinned else 'unpinned'} entry {entry.id} of", npc)
    stays = "It is never let go" if pinned else "It may be let go, as any other"
    return f"Entry {entry.id} of {name} is {word} now. {stays}."


def somebody(npc: Any, who: str, near: Iterable[Any]) -> forget_people.Target:
    """Return whom an NPC knows by an identity, to be forgotten: with all their characters, if one is among these objects."""
    people = (forget_people.person(npc, obj) for obj in near)
    known = forget_people.Target(frozenset([who]))
    return next((one for one in people if who in one.identities), known)


def forget(caller: Any, npc: Any, what: Any) -> Deferred[Any]:
    """Let an NPC forget an entry (its number), somebody (a Target), its experience or everything.

    It leaves a line for staff, and fires with how much that was.
    """
    log_change(caller, f"let {_logged(what)} be forgotten by", npc)
    mind = scripts.find(npc)
    if what == EVERYTHING:
        return forget_people.forget_everything(npc, mind)
    if what == EXPERIENCE:
        return forget_people.forget_experience(npc, mind)
    if isinstance(what, int):
        return forget_people.forget_entry(npc, mind, what)
    return forget_people.forget(npc, mind, what)


def change(caller: Any, npc: Any, entry_id: int, instead: dict[str, Any]) -> Deferred[Any]:
    """Let an entry have other words or fewer ears (the fields of `entry_changes`), and what it was be forgotten.

    It leaves a line for staff, and fires with how much was forgotten, None if the entry is gone.
    """
    how = "wrote anew" if "content" in instead else "narrowed who may know"
    log_change(caller, f"{how} entry {entry_id} of", npc)
    return entry_changes.change(npc, scripts.find(npc), entry_id, instead)


def correct_known(
    caller: Any, npc: Any, who: str, chosen: dict[str, Any], right: str, *, name: str
) -> str:
    """Let an NPC know something else of somebody, or ("") nothing of it; return what to say of it.

    A change leaves a line for staff.
    """
    try:
        correcting.correct_known(npc, who, chosen, right)
    except ValueError as error:
        return f"{error} Nothing was done."
    log_change(caller, "put right what is known of somebody by", npc)
    return f"{name} {'knows better now' if right else 'has forgotten it'}."


def _logged(what: Any) -> str:
    if what == EVERYTHING:
        return "everything"
    if what == EXPERIENCE:
        return "its experience"
    return f"entry {what}" if isinstance(what, int) else "somebody"
