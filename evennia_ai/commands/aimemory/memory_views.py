"""The switches of @aimemory with which builders look at what assistants remember."""

from __future__ import annotations

import re
import uuid
from typing import Any

from evennia.utils.evmore import EvMore
from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.agent.prompting import recall
from evennia_ai.agent.speech import escaped
from evennia_ai.agent.turn import Turn
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.assistants.naming import identity_named, names_known
from evennia_ai.commands.base import log_change, quoted, switch
from evennia_ai.core import records
from evennia_ai.domain.memories import journal_filter
from evennia_ai.memory import identity, journal, links, lookup
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts

# Entries, and memories with links, that are shown at once.
SHOWN = 200
SHOWN_LINKS = 30
# Words for how an NPC is disposed to somebody, whatever they did: `open` leaves it to that again.
DISPOSITIONS: dict[str, float | None] = {"hostile": -1.0, "open": None}

_AS = re.compile(r"/as\s+(?P<who>\S)", re.I)


class MemoryViews:
    """Methods of an `AssistantCommand`; nothing here changes anything but how an NPC is disposed."""

    @switch("journal", lock="perm(Builder)")
    def show_journal(self) -> None:
        """@aimemory/journal <npc> [= <filter>, …]"""
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
        EvMore(self.caller, text, session=self.session)

    @switch("profile", lock="perm(Builder)")
    def show_profile(self) -> None:
        """@aimemory/profile <npc> = <who> [hostile/open]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        name, _, word = (self.rhs or "").rpartition(" ")
        wanted = word.strip().lower()
        is_set = bool(name.strip()) and wanted in DISPOSITIONS
        who = identity_named(self, npc, name.strip() if is_set else self.rhs or "")
        if who is None:
            return
        if is_set and not dispose(self.caller, npc, who, wanted, name=name.strip()):
            self.msg(f"Of {escaped(name.strip())} nothing is kept. Nothing was done.")
            return
        known = entity_profiles.find_profile(npc, who)
        if known is None:
            self.msg(f"{self.name_of(npc)} knows nothing of {escaped(self.rhs)}.")
            return
        text = memory_format.profile(known, names=names_known(npc))
        EvMore(self.caller, text, session=self.session)

    @switch("search", lock="perm(Builder)")
    def search(self) -> Any:
        """@aimemory/search <npc> = <question> [/as <who>]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return None
        question = self.rhs or ""
        before = _AS.search(question)
        who = question[before.start("who") :] if before else ""
        question = question[: before.start()].rstrip() if before else question
        if not question:
            self.say_usage()
            return None
        who = identity_named(self, npc, who) if before else ""
        return None if who is None else self._show_found(npc, question, who)

    @switch("links", lock="perm(Builder)")
    def show_links(self) -> Any:
        """@aimemory/links <npc> [= <memory>]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return None
        kept = links.memory_links(scripts.find(npc))
        wanted = (self.rhs or "").lower()
        chosen = {
            one: linked.linked_to
            for one, linked in kept.items()
            if one.startswith(wanted) and (linked.linked_to or wanted)
        }
        if wanted and not chosen:
            self.msg(f"{self.name_of(npc)} has looked at no memory {quoted(wanted)} in its sleep.")
            return None
        return self._show_linked(identity.identity_of(npc), chosen)

    @inlineCallbacks
    def _show_found(self, npc: Any, question: str, who: str):
        npc_id, names = npc.id, names_known(npc)
        found = yield come_to_mind(npc, question, who)
        if lookup.object_by_id(npc_id) is not None:
            EvMore(self.caller, memory_format.found(found, names=names), session=self.session)

    @inlineCallbacks
    def _show_linked(self, key: str, chosen: dict[str, list[records.Link]]):
        most = sorted(chosen, key=lambda one: (-len(chosen[one]), one))
        rows = []
        try:
            for one in most[:SHOWN_LINKS]:
                linked = []
                for link in chosen[one]:
                    text = yield _text_of(link.id, key)
                    linked.append({"id": link.id, "score": link.score, "text": text})
                rows.append({"id": one, "text": (yield _text_of(one, key)), "linked": linked})
        except MemoryUnavailable as error:
            self.msg(f"Long-term memory cannot be asked: {error}")
            return
        text = memory_format.links(rows, more=len(most[SHOWN_LINKS:]))
        EvMore(self.caller, text, session=self.session)


def dispose(caller: Any, npc: Any, who: str, word: str, *, name: str) -> bool:
    """Let an NPC be disposed to somebody as one of DISPOSITIONS says; it leaves a line for staff.

    False, and nothing is done, for somebody of whom nothing is kept.
    """
    if _is_passing(npc, who):
        return False
    entity_profiles.set_disposition(npc, who, DISPOSITIONS[word])
    log_change(caller, f"chose {word} towards {quoted(name)} for", npc)
    return True


@inlineCallbacks
def come_to_mind(npc: Any, question: str, who: str):
    """Fire with what an NPC would find if one person asked it alone; for nobody ("") whoever may know it."""
    event = records.new_event(
        "say", question, event_id=uuid.uuid4().hex, now=scheduling.now(), said_by=who
    )
    turn = Turn(scripts.find(npc), [event])
    turn.hearers = frozenset([who] if who else ())
    found = yield recall.recall(turn, question)
    # What is only the nearest that there is was not found.
    return [one for one in found if one.fits]


@inlineCallbacks
def _text_of(memory_id: str, key: str):
    found = yield get_memory().get(memory_id, assistant_key=key)
    return found.text if found else "(gone)"


def _is_passing(npc: Any, who: str) -> bool:
    """Return whether somebody is not to be remembered: who opted out, or a guest who is there."""
    there = npc.location.contents if npc.location else ()
    is_guest = any(
        accounts.is_passing(one) and identity.perceived(npc, one) == who for one in there
    )
    return is_guest or accounts.object_id_of(who) is not None
