"""Handlers of the stores outside of Attributes: long-term memory, experience, model calls, reports, jobs.

Each has a handler, which exports what it holds, imports it, and forgets a person.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import msgspec
from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.internet.task import deferLater

from evennia_ai import scheduling
from evennia_ai.core.records import Made, Source
from evennia_ai.domain.files.mind_shape import Mind
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.exceptions import StillBusy
from evennia_ai.experience.base import get_experience, group_of
from evennia_ai.llm import ledger
from evennia_ai.memory import identity, kinds, links, lookup, repository
from evennia_ai.memory.people import reports
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.workers import job_control

# Memories that are kept at once.
PAGE = 500
# Seconds between two looks whether a worker has let go, and after which it is not waited for any more.
PATIENCE, WAIT_SECONDS = 0.5, 120.0

NO_EXPERIENCE: dict[str, list[Any]] = {"decisions": [], "trajectories": [], "feedback": []}


class Whose(NamedTuple):
    """Whose it is: ids of body and mind, the identity, and the group that shares its experience."""

    npc_id: int
    script_id: int
    identity: str
    group: str = ""


class Gone(NamedTuple):
    """What goes: what is from these people, or rests on these moments, which are from `tellers`; the calls of an account.

    With `made_only` it is what a mind made of them, except what says what is `right`.
    """

    identities: frozenset[str] = frozenset()
    account_id: int = 0
    moments: frozenset[str] = frozenset()
    tellers: frozenset[str] = frozenset()
    made_only: bool = False
    right: str = ""

    def takes(self, sources: Iterable[Source]) -> bool:
        """Return whether one of these sources goes; of moments that are not listed any more, any of theirs."""
        return any(
            one.by in self.identities
            or (one.id in self.moments if one.id else one.by in self.tellers)
            for one in sources
        )

    def takes_record(self, record: Any) -> bool:
        """Return whether a record goes with its sources."""
        sources = getattr(record, "sources" if self.made_only else "origins", ())
        return self.takes(sources) and not (self.right and self.right in str(record))


@inlineCallbacks
def all_memories(assistant_key: str):
    """Return all long-term memories of an assistant, the newest first."""
    memory = get_memory()
    found: list[Memory] = []
    while True:
        page = yield memory.get_all(assistant_key=assistant_key, limit=PAGE, offset=len(found))
        found += page
        if len(page) < PAGE:
            return found
        yield scheduling.yield_to_reactor()


def _cleaned(item: Memory, gone: Gone) -> dict[str, Any]:
    """Return the metadata without the question and the former texts that go."""
    about = dict(item.metadata)
    if gone.takes(_sources(about, journal_sync.ASKED)):
        about = {**about, "previous": "", journal_sync.ASKED: []}
    if isinstance(about.get("history"), list):
        past = about["history"]
        about["history"] = [one for one in past if not gone.takes(_sources(one, "sources"))]
    return about


def _sources(plain: dict[str, Any], key: str) -> list[Source]:
    return msgspec.convert(plain.get(key) or [], list[Source])


class StoreHandler(Protocol):
    """What the handler of a kind can do; each fires when it is done."""

    def dump(self, whose: Whose) -> Deferred[Any]:
        """Return all of it as plain data, as it stands in a file."""

    def restore(self, whose: Whose, mind: Mind) -> Deferred[dict[str, str]]:
        """Keep what a file has; return under which ids, by those that it had."""

    def is_blank(self, whose: Whose) -> Deferred[bool]:
        """Return whether there is nothing."""

    def forget(self, whose: Whose, gone: Gone) -> Deferred[dict[str, int]]:
        """Let go of what somebody is forgotten by; return how much, by what it is."""

    def clear(self, whose: Whose) -> Deferred[Any]:
        """Let go of all of it."""


class LongTerm:
    """The handler of long-term memory, and of the links between memories."""

    @inlineCallbacks
    def dump(self, whose: Whose):
        """Return all memories, the oldest first."""
        found = yield all_memories(whose.identity)
        return [msgspec.to_builtins(one) for one in reversed(found)]

    @inlineCallbacks
    def restore(self, whose: Whose, mind: Mind):
        """Keep memories; return under which ids, by the ids that they had."""
        ids: dict[str, str] = {}
        memories = mind["memories"]
        for start in range(0, len(memories), PAGE):
            page = memories[start : start + PAGE]
            items = [
                NewMemory(
                    text=one["text"],
                    audience=one["audience"],
                    # What has no time of its own was learnt when it was kept.
                    metadata={"timestamp": one["created"], **one["metadata"]},
                )
                for one in page
            ]
            added = yield get_memory().add_all(items, assistant_key=whose.identity)
            ids.update({one["id"]: kept.id for one, kept in zip(page, added, strict=True)})
            yield scheduling.yield_to_reactor()
        return ids

    def is_blank(self, whose: Whose) -> Deferred[bool]:
        """Return whether there is no memory."""
        found = get_memory().get_all(assistant_key=whose.identity, limit=1)
        return found.addCallback(lambda kept: not kept)

    @inlineCallbacks
    def forget(self, whose: Whose, gone: Gone):
        """Let go of memories, and of the links to them.

        A memory of somebody else's words that came with a line or a former text of theirs is kept without it, under
        another id.
        """
        memory, ids = get_memory(), set()
        # What is theirs goes last: so it can be begun anew wherever it was broken off.
        for item in sorted(
            (yield all_memories(whose.identity)), key=lambda one: one.source_id in gone.identities
        ):
            is_gone = gone.takes_record(item)
            cleaned = item.metadata if gone.made_only else _cleaned(item, gone)
            if is_gone or cleaned != item.metadata:
                ids.add(item.id)
                yield memory.delete(item.id, assistant_key=whose.identity)
            if not is_gone and item.id in ids:
                yield memory.add(
                    item.text,
                    assistant_key=whose.identity,
                    audience=item.audience,
                    metadata={"timestamp": item.created, **cleaned},
                )
            yield scheduling.yield_to_reactor()
        for who in sorted(gone.identities):
            yield memory.delete_scope(assistant_key=whose.identity, source_id=who)
        script = lookup.script_by_id(whose.script_id)
        if script is None:
            return {"memories": len(ids)}
        pages = repository.keys(script, kinds.LINKS)
        return {"memories": len(ids), "links": links.remove_links(script, pages, ids)}

    def clear(self, whose: Whose) -> Deferred[Any]:
        """Let go of all memories."""
        memory = get_memory()
        return memory.delete_scope(assistant_key=whose.identity) if memory.enabled else succeed(0)


class Experience:
    """The handler of what was tried and how it went; what a group shares is the group's."""

    def dump(self, whose: Whose) -> Deferred[Any]:
        """Return decisions, trajectories and feedback."""
        if whose.group:
            return succeed(NO_EXPERIENCE)
        return get_experience(whose.identity).dump()

    def restore(self, whose: Whose, mind: Mind) -> Deferred[dict[str, str]]:
        """Keep them."""
        if whose.group:
            return succeed({})
        return get_experience(whose.identity).restore(mind["experience"]).addCallback(lambda _: {})

    def is_blank(self, whose: Whose) -> Deferred[bool]:
        """Return whether nothing was decided yet."""
        if whose.group:
            return succeed(True)
        stats = get_experience(whose.identity).get_stats()
        return stats.addCallback(lambda found: not found["total_memories"])

    def forget(self, whose: Whose, gone: Gone) -> Deferred[dict[str, int]]:
        """Let go of decisions about somebody, and of what was made of their words.

        Where those are only put right, what was done about them stays without its words.
        """
        scope = f"group:{whose.group}" if whose.group else whose.identity
        if gone.made_only:
            unsaid = get_experience(scope).unsay(gone.takes_record)
            return unsaid.addCallback(lambda count: {"decisions": count})
        removed = get_experience(scope).remove(
            lambda one: (
                isinstance(one, Made)
                and (one.said_by in gone.identities or gone.takes(one.origins))
            )
        )
        return removed.addCallback(lambda count: {"decisions": count})

    def clear(self, whose: Whose) -> Deferred[Any]:
        """Let go of its own."""
        return succeed(0) if whose.group else get_experience(whose.identity).clear()


class InNoFile:
    """What a handler can do whose kind is not for the mind, but for staff."""

    def dump(self, whose: Whose) -> Deferred[Any]:
        """Return nothing: no file has it."""
        return succeed([])

    def restore(self, whose: Whose, mind: Mind) -> Deferred[dict[str, str]]:
        """There is nothing to keep."""
        return succeed({})

    def is_blank(self, whose: Whose) -> Deferred[bool]:
        """It says nothing of what is remembered."""
        return succeed(True)


class Ledger(InNoFile):
    """The handler of the words of model calls; what they cost stays."""

    def forget(self, whose: Whose, gone: Gone) -> Deferred[dict[str, int]]:
        """Empty all calls of an assistant: a prompt may have anybody's words."""
        return succeed({"calls": ledger.forget_words(whose.npc_id)})

    def clear(self, whose: Whose) -> Deferred[Any]:
        """Empty all calls of an assistant."""
        return succeed(ledger.forget_words(whose.npc_id))


class Reports(InNoFile):
    """The handler of what players reported; that they reported something stays."""

    def forget(self, whose: Whose, gone: Gone) -> Deferred[dict[str, int]]:
        """Let go of what somebody reported, and of their words in what others did."""
        people = gone.identities | gone.tellers
        count = reports.forget(whose.npc_id, account_id=gone.account_id, identities=people)
        return succeed({"reports": count})

    def clear(self, whose: Whose) -> Deferred[Any]:
        """Let go of what the mind had in its prompts; what players wrote is theirs."""
        return succeed(reports.clear(whose.npc_id))


class Jobs(InNoFile):
    """The handler of what is asked elsewhere; whoever asked asks again.

    It comes before long-term memory, to which a worker writes that is at a night.
    """

    def forget(self, whose: Whose, gone: Gone) -> Deferred[dict[str, int]]:
        """Let go of all of an assistant: a prompt may have anybody's words."""
        return self.clear(whose)

    @inlineCallbacks
    def clear(self, whose: Whose):
        """Let go of all of an assistant, and wait until a worker has that is at its night."""
        count = job_control.forget(whose.npc_id)
        until = scheduling.clock().seconds() + WAIT_SECONDS
        while job_control.call_back(whose.npc_id):
            if scheduling.clock().seconds() >= until:
                raise StillBusy("a worker is at its night.")
            yield deferLater(scheduling.clock(), PATIENCE, lambda: None)
        return {"jobs": count}


def whose(npc: Any, script: Any) -> Whose:
    """Return by what the kinds of an NPC are found; `script` may be None."""
    return Whose(npc.id, script.id if script else 0, identity.identity_of(npc), group_of(npc))


def all_handlers() -> list[tuple[kinds.StoreKind, StoreHandler]]:
    """Return the kinds that have a handler, with it, in the order in which they are dealt with."""
    return [(kind, kind.handler()) for kind in kinds.all_store_kinds()]
