"""The switch `rumour` of `@aimemory`: who knows something, and through whom."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evennia.utils.evmore import EvMore
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.assistants.naming import names_known
from evennia_ai.commands.base import all_minds, switch
from evennia_ai.core import stem_forms
from evennia_ai.core.records import Audience
from evennia_ai.core.stem_forms import Likely
from evennia_ai.domain.memories import gossip, retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping import reflection_rules
from evennia_ai.memory import identity, journal, lookup, sharing
from evennia_ai.memory.people import knowers
from evennia_ai.semantic import base
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Memories of one NPC that are looked at beside its journal, words that databases are asked for, and memories of all
# NPCs that are read at once: where there are more, each NPC is asked, so that nobody's is drowned by those of others.
LOOKED_AT = 10
ASKED_FOR = 20
KEPT = 1000
SHOWN = 200
# NPCs whose journals a database looks through at once: the reactor waits for it.
NPCS_AT_ONCE = 10


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
        for noted in who_noted(ids, words):
            likely = noted
            yield scheduling.yield_to_reactor()
        likely = yield who_keeps(likely)
        found, problem = yield who_knows(ids, words, likely, name_of=self.name_of)
        found.sort(key=lambda one: one.since)
        text = memory_format.rumour(found[:SHOWN], more=len(found[SHOWN:]), looked_at=len(ids))
        EvMore(self.caller, "\n".join(filter(None, [text, problem])), session=self.session)


class Candidates(NamedTuple):
    """Who may know something, as the databases tell; None where it could be anybody.

    `wanted` are the stems of it, `spelled` what a text of it is like. `noted` are the ids of NPCs whose journal may
    have it, `kept` what long-term memories may have of it, by the keys of NPCs.
    """

    wanted: frozenset[str]
    spelled: Likely = ()
    noted: set[int] | None = None
    kept: dict[str, list[Memory]] | None = None
    problem: str = ""

    def tells(self, text: str) -> bool:
        """Return whether a text has each of the words."""
        return stem_forms.is_like(text, self.spelled) and self.wanted.issubset(
            retrieval.terms(text)
        )


def who_noted(ids: Sequence[int], words: str) -> Iterator[Candidates]:
    """Yield who of some NPCs may have noted what has each of these words, with each that more of them are looked through.

    The last is of all. It may be gone through in any thread; the reactor goes on between two of them.
    """
    wanted = frozenset(retrieval.terms(words))
    # A database refuses a question of a thousand words; some tell enough of whom to ask.
    spelled = stem_forms.likely(sorted(wanted)[:ASKED_FOR])
    if spelled is None:
        yield Candidates(wanted)
        return
    likely = Candidates(wanted, spelled, set())
    yield likely
    for start in range(0, len(ids), NPCS_AT_ONCE):
        found = knowers.who_noted(spelled, ids[start : start + NPCS_AT_ONCE])
        noted = None if found is None or likely.noted is None else likely.noted | found
        likely = likely._replace(noted=noted)
        yield likely


@inlineCallbacks
def who_keeps(likely: Candidates) -> Generator[Deferred[Any], Any, Candidates]:
    """Fire with who may keep it for good as well."""
    if not likely.spelled:
        return likely
    try:
        kept = yield base.who_keeps(get_memory(), likely.spelled, limit=KEPT)
    except MemoryUnavailable as error:
        return likely._replace(kept={}, problem=f"Long-term memory cannot be asked: {error}")
    is_all = kept is not None and sum(map(len, kept.values())) < KEPT
    return likely._replace(kept=kept if is_all else None)


@inlineCallbacks
def who_knows(
    ids: Iterable[int], words: str, likely: Candidates, *, name_of: Callable[[Any], str]
) -> Generator[Deferred[Any], Any, tuple[list[Known], str]]:
    """Fire with who of some NPCs knows what has each of these words, and with what is wrong, if so."""
    found: list[Known] = []
    problem = likely.problem
    for npc_id in ids:
        yield scheduling.yield_to_reactor()
        npc = lookup.object_by_id(npc_id)
        if npc is None:
            continue
        has_noted = likely.noted is None or npc_id in likely.noted
        noted = _noted(npc, name_of(npc), likely) if has_noted else []
        found += noted
        key = identity.identity_of(npc)
        try:
            kept = yield _searched(words, key) if likely.kept is None else likely.kept.get(key, [])
        except MemoryUnavailable as error:
            problem = f"Long-term memory cannot be asked: {error}"
            continue
        known = {one.text for one in noted}
        npc = lookup.object_by_id(npc_id)
        more = [one for one in kept if one.text not in known and likely.tells(one.text)]
        if more and npc is not None:
            found += _kept(npc, name_of(npc), more)
    return found, problem


def _searched(words: str, key: str) -> Deferred[list[Memory]]:
    return get_memory().search(
        words, assistant_key=key, hearers=frozenset(), limit=LOOKED_AT, names=[]
    )


def _noted(npc: Any, name: str, likely: Candidates) -> list[Known]:
    """Return what the journal of an NPC has of something."""
    known_to = _audiences(npc)
    found = []
    for entry in journal.newest_first(npc):
        if likely.tells(entry.content) and reflection_rules.may_be_told(entry):
            chain = sharing.hearsay(sharing.of_entry(entry)).chain
            through, known = _names(chain), known_to(entry.audience)
            found.append(
                Known(
                    name, npc.id, entry.timestamp, through, entry.source_trust, entry.content, known
                )
            )
    return found


def _kept(npc: Any, name: str, memories: Iterable[Memory]) -> list[Known]:
    """Return what long-term memory has of something."""
    known_to = _audiences(npc)
    found = []
    for one in memories:
        known = known_to(one.audience)
        teller = gossip.lengthened(one.chain, identity=one.source_id, name=one.speaker)
        trust = one.trust or 0.0
        found.append(Known(name, npc.id, one.timestamp, _names(teller), trust, one.text, known))
    return found


def _audiences(npc: Any) -> Callable[[Audience], str]:
    """Return what tells in words who may know something; names are read where one is needed."""
    names = functools.cache(lambda: names_known(npc))
    return lambda audience: memory_format.known_to(
        audience, {} if audience == "public" else names()
    )


def _names(chain: Iterable[gossip.Teller]) -> tuple[str, ...]:
    return tuple(one["name"] for one in chain)
