"""The switch `rumour` of `@aimemory`: who knows something, and through whom."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple

from evennia.utils.evmore import EvMore
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.assistants.naming import names_known
from evennia_ai.commands.base import all_minds, switch
from evennia_ai.core import spellings
from evennia_ai.domain.memories import gossip, retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping import reflection_rules
from evennia_ai.memory import identity, journal, lookup
from evennia_ai.memory.people import knowers
from evennia_ai.semantic import base
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.worker import MemoryUnavailable
from evennia_ai.tools import telling_on

# Memories of one NPC that are looked at beside its journal, and lines that are shown.
LOOKED_AT = 10
SHOWN = 200


class Known(NamedTuple):
    """That an NPC knows something: since when, through whom (the first teller first), how far it is believed."""

    npc: str
    npc_id: int
    since: str
    through: tuple[str, ...]
    trust: float
    text: str
    audience: str

    @property
    def told_by(self) -> tuple[str, ...]:
        """Through whom it came, who told it last first."""
        return self.through[::-1]

    @property
    def believed(self) -> int:
        """How far it is believed, in percent."""
        return round(self.trust * 100)


class RumourViews:
    """Methods of an `AssistantCommand`; nothing here changes anything."""

    @switch("rumour", lock="perm(Builder)")
    def show_rumour(self) -> None:
        """@aimemory/rumour <some words of it>"""
        if not retrieval.terms(self.args):
            self.say_usage()
            return
        mine = [mind.obj.id for mind in all_minds() if self.may_change(mind.obj)]
        shown: Deferred[Any] = self._show_who_knows(mine, self.args)
        shown.addErrback(log.err, "evennia_ai: a rumour could not be followed")

    @inlineCallbacks
    def _show_who_knows(self, ids: list[int], words: str) -> Generator[Deferred[Any], Any, None]:
        likely = yield who_may_know(words)
        found, problem = yield who_knows(ids, words, likely, name_of=self.name_of)
        found.sort(key=lambda one: one.since)
        text = memory_format.rumour(found[:SHOWN], more=len(found[SHOWN:]), looked_at=len(ids))
        EvMore(self.caller, "\n".join(filter(None, [text, problem])), session=self.session)


class Likely(NamedTuple):
    """Which NPCs may know something, as the databases tell; None where it could be any.

    `noted` are ids of NPCs whose journal may have it, `kept` keys of those whose long-term memory may.
    """

    noted: set[int] | None
    kept: set[str] | None
    problem: str = ""


@inlineCallbacks
def who_may_know(words: str) -> Generator[Deferred[Any], Any, Likely]:
    """Fire with which NPCs may know what has each of these words."""
    likely = spellings.likely(retrieval.terms(words))
    if likely is None:
        return Likely(None, None)
    noted = knowers.who_noted(likely)
    try:
        return Likely(noted, (yield base.who_keeps(get_memory(), likely)))
    except MemoryUnavailable as error:
        return Likely(noted, set(), f"Long-term memory cannot be asked: {error}")


@inlineCallbacks
def who_knows(
    ids: Iterable[int], words: str, likely: Likely, *, name_of: Callable[[Any], str]
) -> Generator[Deferred[Any], Any, tuple[list[Known], str]]:
    """Fire with who of some NPCs knows what has each of these words, and with what is wrong, if so."""
    wanted = frozenset(retrieval.terms(words))
    found: list[Known] = []
    problem = likely.problem
    for npc_id in ids:
        yield scheduling.yield_to_reactor()
        npc = lookup.object_by_id(npc_id)
        if npc is None:
            continue
        has_noted = likely.noted is None or npc_id in likely.noted
        noted = _noted(npc, name_of(npc), wanted) if has_noted else []
        found += noted
        key = identity.identity_of(npc)
        if likely.kept is not None and key not in likely.kept:
            continue
        try:
            kept = yield get_memory().search(
                words, assistant_key=key, hearers=frozenset(), limit=LOOKED_AT, names=[]
            )
        except MemoryUnavailable as error:
            problem = f"Long-term memory cannot be asked: {error}"
            continue
        known = {one.text for one in noted}
        more = _kept(kept, (name_of(npc), npc_id), names_known(npc), wanted)
        found += [one for one in more if one.text not in known]
    return found, problem


def _noted(npc: Any, name: str, wanted: frozenset[str]) -> list[Known]:
    """Return what the journal of an NPC has of something."""
    names = names_known(npc)
    found = []
    for entry in journal.newest_first(npc):
        if reflection_rules.may_be_told(entry) and _tells(entry.content, wanted):
            chain = telling_on.hearsay(telling_on.of_entry(entry)).chain
            through, known = _names(chain), memory_format.known_to(entry.audience, names)
            found.append(
                Known(
                    name, npc.id, entry.timestamp, through, entry.source_trust, entry.content, known
                )
            )
    return found


def _kept(
    memories: Iterable[Memory],
    npc: tuple[str, int],
    names: dict[str, str],
    wanted: frozenset[str],
) -> list[Known]:
    """Return what long-term memory has of something."""
    found = []
    for one in memories:
        if not _tells(one.text, wanted):
            continue
        known = memory_format.known_to(one.audience, names)
        teller = gossip.lengthened(one.chain, identity=one.source_id, name=one.speaker)
        trust = one.trust or 0.0
        found.append(Known(*npc, one.timestamp, _names(teller), trust, one.text, known))
    return found


def _names(chain: Iterable[gossip.Person]) -> tuple[str, ...]:
    return tuple(one["name"] for one in chain)


def _tells(text: str, wanted: frozenset[str]) -> bool:
    return wanted.issubset(retrieval.terms(text))
