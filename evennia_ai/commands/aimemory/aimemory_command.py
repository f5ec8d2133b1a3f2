"""The command with which builders see to what assistants remember, and to the sleep that it needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.agent.revising import correcting, forgetting
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import changes
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.aimemory.memory_files import MemoryFiles
from evennia_ai.commands.base import called, quoted, switch, whole_number
from evennia_ai.commands.shown import memories
from evennia_ai.commands.shown.npcs import names_known
from evennia_ai.core.records import Entry
from evennia_ai.domain.memories import journal_filter
from evennia_ai.experience.base import group_of
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import sleep_state

NOBODY, NOTHING, OFF = "nobody", "nothing", "off"
# The permission to let a whole group of NPCs forget.
FOR_A_GROUP = "perm(Admin)"
# Entries that are shown at once.
SHOWN = 200

_AS = re.compile(r"/as\s+(?P<who>\S)", re.I)


class CmdAIMemory(MemoryFiles):
    """
    See to what assistants remember.

    {switches}

    You may see to the NPCs that you control; admins may see to all.

    Examples:
      @aimemory/journal Mara = who=Ann, importance>=7
      @aimemory/search Mara = where does the crown lie? /as Ann
      @aimemory/forget Mara = 12
      @aimemory/edit Mara = 13 The ferry sails at noon.
      @aimemory/narrow Mara = 14 Ann, Bob
      @aimemory/correct Mara = Ann | has a brother | has a sister
    """

    first = ("journal", "profile", "search", "forget", "seed")
    instead = {"unpin": "@aimemory/pin <npc> = <number> off"}
    key = "@aimemory"
    default_key = "@aimemory"
    locks = "cmd:perm(Builder)"
    help_category = "Building"

    @switch("journal", lock="perm(Builder)")
    def show_journal(self) -> None:
        """@aimemory/journal <npc> [= <filter>, …]

        Its notes, newest first. A filter is some words, tag=…, who=…, importance>=… or days=…
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        try:
            wanted = journal_filter.parse_filter(self.rhs or "")
        except ValueError as error:
            self.msg(escaped(str(error)))
            return
        now = scheduling.now()
        fitting = [one for one in journal.newest_first(npc) if wanted.fits(one, now=now)]
        text = memory_format.journal(
            fitting[:SHOWN],
            names=names_known(npc),
            size=journal.size(npc),
            more=len(fitting[SHOWN:]),
        )
        self.show(text)

    @switch("profile", lock="perm(Builder)")
    def show_profile(self) -> None:
        """@aimemory/profile <npc> = <who> [hostile/open]

        What it knows of somebody, and how it regards them; `hostile` lets it dislike them,
        whatever they do, until you say `open`.
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        name, _, word = (self.rhs or "").rpartition(" ")
        word = word.strip().lower()
        is_set = bool(name.strip()) and word in changes.DISPOSITIONS
        name = name.strip() if is_set else self.rhs or ""
        who = self.find_identity(npc, name)
        if who is None:
            return
        problem = changes.dispose(self.caller, npc, who, word, name=name) if is_set else ""
        known = entity_profiles.find_profile(npc, who)
        if problem:
            self.msg(escaped(problem))
        elif known is None:
            self.msg(f"{self.name_of(npc)} knows nothing of {escaped(name)}.")
        else:
            self.show(memory_format.profile(memories.profile_of(npc, known)))

    @switch("search", lock="perm(Builder)")
    def search(self) -> Any:
        """@aimemory/search <npc> = <question> [/as <who>]

        What comes to its mind at a question, with scores: if that person asked it alone, or,
        without /as, whoever may know it.
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return None
        question = self.rhs or ""
        asked = _AS.search(question)
        name = question[asked.start("who") :] if asked else ""
        question = question[: asked.start()].rstrip() if asked else question
        if not question:
            self.say_usage()
            return None
        who = self.find_identity(npc, name) if asked else ""
        return None if who is None else self._show_found(npc, question, who)

    @inlineCallbacks
    def _show_found(self, npc: Any, question: str, who: str):
        npc_id, names = npc.id, names_known(npc)
        found = yield memories.come_to_mind(npc, question, who)
        if lookup.object_by_id(npc_id) is not None:
            self.show(memory_format.found(found, names=names))

    @switch("pin", lock="perm(Builder)")
    def pin(self) -> None:
        """@aimemory/pin <npc> = <number of an entry> [off]

        Never let this entry of its journal go; with `off`, let it go like any other when the
        journal is full.
        """
        npc = self.find_assistant(self.lhs)
        number, _, word = (self.rhs or "").partition(" ")
        entry = self._entry(npc, number, is_read=word.strip().lower() in ("", OFF)) if npc else None
        if entry is not None:
            name = self.name_of(npc)
            self.msg(changes.pin(self.caller, npc, name, entry, pinned=not word.strip()))

    @switch("edit", lock="perm(Builder)")
    def edit(self) -> Generator[str, str, None]:
        """@aimemory/edit <npc> = <number of an entry> <words>

        Let an entry say something else. What was made of the old words is forgotten: copies, the
        line in which they were said, conclusions.
        """
        npc = self.find_assistant(self.lhs)
        number, _, text = (self.rhs or "").partition(" ")
        entry = self._entry(npc, number) if npc is not None else None
        if entry is not None:
            yield from self._change(npc, entry, lambda: forgetting.reworded(entry, text))

    @switch("narrow", lock="perm(Builder)")
    def narrow(self) -> Generator[str, str, None]:
        """@aimemory/narrow <npc> = <number of an entry> nobody/<who>, …

        Let fewer people know an entry than may now, or nobody; what was made of it is forgotten
        as by `edit`.
        """
        npc = self.find_assistant(self.lhs)
        number, _, names = (self.rhs or "").partition(" ")
        entry = self._entry(npc, number) if npc is not None else None
        if entry is None:
            return
        if not names.strip():
            self.say_usage()
            return
        wanted = [] if names.strip().lower() == NOBODY else names.split(",")
        who = [self.find_identity(npc, name.strip()) for name in wanted]
        known = [one for one in who if one is not None]
        if len(known) == len(who):
            yield from self._change(npc, entry, lambda: forgetting.narrowed(entry, npc, known))

    def _change(
        self, npc: Any, entry: Entry, changed: Callable[[], dict[str, Any]]
    ) -> Generator[str, str, None]:
        try:
            instead = changed()
        except ValueError as error:
            self.msg(str(error))
            return
        name, what = self.name_of(npc), memory_format.changed(instead, names_known(npc))
        question = f"Let entry {entry.id} of {name} {what}, and what rests on it be forgotten?"
        npc = yield from self.confirm(npc, question)
        if npc is not None:
            self._tell(changes.change_entry(self.caller, npc, name, entry, lambda: instead))

    @switch("correct", lock="perm(Builder)")
    def correct(self) -> Generator[str, str, None]:
        """@aimemory/correct <npc> = <who> | <what is wrong> | <what is right>/nothing

        Let it know something else of somebody, or `nothing` of that; some words of what is wrong
        are enough. What was said of it stays in the journal.
        """
        name, _, rest = (self.rhs or "").partition("|")
        wrong, _, right = map(str.strip, rest.partition("|"))
        if not (self.lhs and wrong and right):
            self.say_usage()
            return
        npc = self.find_assistant(self.lhs)
        who = self.find_identity(npc, name.strip()) if npc is not None else None
        if who is None:
            return
        chosen = correcting.like(npc, who, wrong)
        if chosen is None:
            self.msg(f"{self.name_of(npc)} knows nothing like {quoted(wrong)} of them.")
            return
        right = "" if right.lower() == NOTHING else right
        instead = f"know {quoted(right)} instead of" if right else "forget"
        question = f"Let {self.name_of(npc)} {instead} {quoted(chosen['text'])}?"
        npc = yield from self.confirm(npc, question)
        if npc is not None:
            name = self.name_of(npc)
            self.msg(changes.correct_known(self.caller, npc, name, who, chosen, right))

    @switch("forget", lock="perm(Builder)")
    def forget(self) -> Generator[str, str, None]:
        """@aimemory/forget <npc> = <number of an entry>/<who>/experience/all

        Let it forget an entry and what rests on it; a person, all their characters, and all that
        they told it; its experience, which is what it tried, how that went and what people said
        of it; or everything.
        """
        npc = self.find_assistant(self.lhs)
        found = self._what_to_forget(npc, self.rhs or "") if npc is not None else None
        if found is None:
            return
        what, text = found
        name = self.name_of(npc)
        npc = yield from self.confirm(npc, f"Let {name} forget {text} for good?")
        if npc is not None:
            self._tell(changes.forget(self.caller, npc, name, what, text))

    def _what_to_forget(self, npc: Any, wanted: str) -> tuple[Any, str] | None:
        """Return (what, how it is called), else None after having said why not."""
        if not wanted:
            self.say_usage()
            return None
        if wanted.lower() == changes.EVERYTHING:
            return changes.EVERYTHING, "everything that it remembers"
        if wanted.lower() == changes.EXPERIENCE:
            return self._experience_of(npc)
        if whole_number(wanted) is not None:
            entry = self._entry(npc, wanted)
            return (entry.id, f"entry {entry.id} and what rests on it") if entry else None
        who = self.find_identity(npc, wanted)
        if who is None:
            return None
        person = changes.somebody(npc, who, called(self.caller, wanted))
        return person, f"{escaped(wanted)}, and what they told"

    def _experience_of(self, npc: Any) -> tuple[str, str] | None:
        """Return (what, how it is called), else None after having said that others share it."""
        group = group_of(npc)
        if not group:
            return changes.EXPERIENCE, "what it has learned by doing"
        if not self.may(FOR_A_GROUP):
            shared = f"shares its experience with the group '{group}'"
            self.msg(f"{self.name_of(npc)} {shared}; only admins let all of it forget.")
            return None
        return changes.EXPERIENCE, f"what the group '{group}' has learned by doing"

    @switch("sleep", lock="perm(Builder)")
    def put_to_sleep(self) -> None:
        """@aimemory/sleep <npc> [= light/deep]

        Let it fall asleep now and do what it does in its sleep: rate the day, keep what matters
        for good, reflect. It wakes when that is done; from `light` sleep (which you get unless
        you say otherwise) also when somebody wants something of it.
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        depth = (self.rhs or sleep_state.LIGHT).lower()
        if depth not in (sleep_state.LIGHT, sleep_state.DEEP):
            self.say_usage()
        else:
            self.msg(changes.put_to_sleep(self.caller, npc, self.name_of(npc), depth=depth))

    @switch("wake", lock="perm(Builder)")
    def wake(self) -> None:
        """@aimemory/wake <npc>

        Wake it, however fast asleep. Within the hours of its schedule it falls asleep again when
        nobody talks with it.
        """
        npc = self.find_assistant(self.lhs)
        if npc is not None:
            self.msg(changes.wake(self.caller, npc, self.name_of(npc)))

    def _entry(self, npc: Any, number: str, *, is_read: bool = True) -> Entry | None:
        """Return an entry of the journal, else None after having said why not."""
        entry_id = whole_number(number)
        if entry_id is None or not is_read:
            self.say_usage()
            return None
        entry = journal.get_entry(npc, entry_id)
        if entry is None:
            self.msg(f"{self.name_of(npc)} has no entry {number}.")
        return entry

    def _tell(self, done: Deferred[str]) -> None:
        done.addCallback(self.msg)
        done.addErrback(log.err, "evennia_ai: changing a memory failed")
