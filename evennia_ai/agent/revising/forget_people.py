"""Forgetting somebody, or one entry, for good: each copy in each store, and what was made of it.

It waits until the assistant has finished what it thinks about, because it would write down again
what its prompt holds. The log says how much was forgotten, and nothing of what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from evennia.objects.models import ObjectDB
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks
from twisted.internet.task import deferLater

from evennia_ai import scheduling
from evennia_ai.agent import speech, trace, turns
from evennia_ai.agent.revising import forgotten_here
from evennia_ai.core.decisions import Decision
from evennia_ai.core.records import Entry
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import forgetting_rules
from evennia_ai.domain.memories.forgetting_rules import Traces
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.exceptions import StillBusy
from evennia_ai.experience.base import experience_of, get_experience
from evennia_ai.lifecycle import store_handlers
from evennia_ai.lifecycle.store_handlers import Gone
from evennia_ai.llm import ledger
from evennia_ai.memory import (
    errands,
    identity,
    journal,
    kinds,
    lookup,
    persona,
    repository,
    routine,
    working_memory,
)
from evennia_ai.memory.people import accounts, entity_profiles, heard, reports
from evennia_ai.memory.state import assistant
from evennia_ai.semantic import memory_forgetting as long_term
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.tools import registry
from evennia_ai.workers import job_control

# Seconds between two looks whether a turn is over, and after which it is not waited for any more.
PATIENCE = 0.5
WAIT_SECONDS = 120.0
# What says that something is not forgotten yet, and can be later.
NOT_YET = (StillBusy, MemoryUnavailable)


class Target(NamedTuple):
    """What is to be forgotten: people, by identity, name and account, or entries by their id.

    Entries that become others stay, with the fields `instead`; what they were goes all the same.
    """

    identities: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    account_id: int = 0
    entries: tuple[Entry, ...] = ()
    instead: Mapping[str, Any] = MappingProxyType({})

    def owns(self, memory: Memory) -> bool:
        """Return whether one of the long-term memories is theirs, or a copy of such an entry."""
        traces = Traces(identities=self.identities)
        theirs = traces.is_theirs(memory.source_id, memory.chain)
        rests = long_term.rests_on(memory, [entry.id for entry in self.entries])
        return theirs or rests or long_term.is_copy(memory, self.entries)

    @property
    def events(self) -> frozenset[str]:
        """The moments from which the entries were noted: what was said then stands elsewhere, too."""
        return frozenset(map(forgetting_rules.event_of, self.entries))

    @property
    def tellers(self) -> frozenset[str]:
        """Who told the entries, "" among them if nobody did."""
        return frozenset(entry.said_by for entry in self.entries)


def person(npc: Any, obj: Any) -> Target:
    """Return whoever plays an object, as `npc` may know all their characters."""
    characters = accounts.characters_of(obj)
    identities = accounts.identities_of(obj)
    identities |= {identity.perceived(npc, one) for one in characters}
    # Of a guest: what all guests said, since they are on one account.
    payer = accounts.payer_of(identity.account_of(obj))
    names = [one.key for one in characters] + [speech.name_of(one, npc) for one in characters]
    return Target(frozenset(identities), tuple(names), payer)


def player(obj: Any) -> Target:
    """Return whoever plays an object, as they are known to those who are gone."""
    payer = accounts.payer_of(identity.account_of(obj))
    return Target(frozenset(accounts.identities_of(obj)), (), payer)


def bodies() -> list[int]:
    """Return the ids of all objects that remember something or were reported, minds or not."""
    kept = [kind for kind in kinds.on(kinds.BODY) if kind.role == "memory"] + [kinds.QUIET_FOR]
    owners = {one for kind in kept for one in repository.owners(ObjectDB, kind)}
    return sorted(owners | reports.npc_ids())


@inlineCallbacks
def forget(npc: Any, script: Any, target: Target):
    """Let `npc` forget a target; return how much: {"entries", "memories", "people", …}.

    `script` is its mind, or None for a body without one.

    Raises:
        MemoryUnavailable: Long-term memory could not be reached; to be done again.
        StillBusy: A turn would not end; to be done again.
    """
    npc_id, script_id = npc.id, script.id if script else 0
    counts: Counter[str] = Counter()
    turns.hold(script_id)
    try:
        yield _quiet(script_id)
        traces = yield _traces(npc_id, target)
        for _ in traces.preparing(_own_words(lookup.object_by_id(npc_id))):
            yield scheduling.yield_to_reactor()
        npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
        if npc is not None:
            counts.update((yield _forget_all(npc, script, target, traces)))
    finally:
        turns.release(script_id)
    _forget_in_memory(npc_id)
    told = ", ".join(f"{counts[key]} {key}" for key in sorted(counts) if counts[key])
    logger.log_sec(f"evennia_ai: #{npc_id} forgot {told or 'nothing'}.")
    return dict(counts)


@inlineCallbacks
def forget_in_stores(target: Target):
    """Forget what somebody said in what NPCs keep who are gone, in calls of models and in reports.

    What workers were asked goes as a whole: a night asks again.
    """
    ledger.forget_words_of(target.account_id)
    job_control.forget()
    reports.forget_of_gone(account_id=target.account_id, identities=target.identities)
    for who in sorted(target.identities) if get_memory().enabled else ():
        yield get_memory().delete_scope(source_id=who)
    for scope in (yield get_experience().scopes()):
        yield get_experience(scope).remove(
            lambda one: isinstance(one, Decision) and one.said_by in target.identities
        )
    accounts.forget_deleted(target.account_id, target.identities)


@inlineCallbacks
def forget_entry(npc: Any, script: Any, entry_id: int):
    """Forget one entry of the journal, its copies and what rests on it; None if there is none."""
    entry = journal.get_entry(npc, entry_id)
    if entry is None:
        return None
    return (yield forget(npc, script, Target(entries=(entry,))))


@inlineCallbacks
def forget_everything(npc: Any, script: Any):
    """Let `npc` forget all that it was told and has seen; who it is, its builder wrote."""
    npc_id, script_id = npc.id, script.id if script else 0
    whose = store_handlers.whose(npc, script)
    yield _quiet(script_id)
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    if npc is None:
        return
    with repository.together(npc, *filter(None, [script])):
        identity.forget_everything(npc)
        forgotten_here.empty(script)
    for _, handler in store_handlers.all_handlers():
        yield handler.clear(whose)
    _forget_in_memory(npc_id)
    logger.log_sec(f"evennia_ai: #{npc_id} forgot everything.")


@inlineCallbacks
def forget_experience(npc: Any, script: Any):
    """Forget what was tried, how it went and what people said of it; return how much.

    What a group shares is forgotten for all of it. None if `npc` is gone meanwhile.

    Raises:
        MemoryUnavailable: It could not be reached; to be done again.
    """
    npc_id, script_id = npc.id, script.id
    # A turn that is under way would keep what it has just done.
    yield _quiet(script_id)
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    if npc is None or script is None:
        return None
    count = yield experience_of(script, npc).clear()
    script = lookup.script_by_id(script_id)
    if script is not None:
        # Nothing can come of these any more.
        repository.remove(script, kinds.DECISIONS)
    _forget_in_memory(npc_id)
    logger.log_sec(f"evennia_ai: #{npc_id} forgot {count} decisions.")
    return {"decisions": count}


@inlineCallbacks
def _traces(npc_id: int, target: Target):
    """Return by what their words are told."""
    said: list[str] = []
    others: list[str] = []
    npc = lookup.object_by_id(npc_id)
    assistants = heard.minds(npc) - target.identities if npc is not None else frozenset()
    if npc is not None and get_memory().enabled:
        key = identity.identity_of(npc)
        said, others = yield long_term.texts_of(key, target.owns, assistants=assistants)
        npc = lookup.object_by_id(npc_id)
    if npc is None:
        return Traces(identities=target.identities)
    here, there, names = _heard(npc, target, assistants)
    said += here
    others += there
    others += [fact.text for fact in persona.load_lore(npc)]
    names = _own_names(npc, names, target)
    return Traces(
        identities=target.identities, names=names, said=said, others=others, assistants=assistants
    )


def _heard(
    npc: Any, target: Target, assistants: frozenset[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return what they said of what lies on a body, what others said, and what they are called there."""
    theirs = Traces(identities=target.identities)
    said = [entry.content for entry in target.entries]
    # What an entry goes on to say is nothing by which to tell what it said before.
    others: list[str] = [target.instead["content"]] if "content" in target.instead else []
    gone = {entry.id for entry in target.entries}
    names = list(target.names)
    for entry in journal.entries(npc):
        if theirs.is_theirs(entry.said_by, entry.chain):
            said.append(entry.content)
            # Of hearsay it is the name of whoever passed it on.
            names += [entry.source_entity] if theirs.is_from(entry.said_by) else []
        elif entry.id not in gone and forgetting_rules.is_testimony(entry, assistants):
            others.append(entry.content)
    for line in working_memory.all_lines(npc):
        if theirs.is_from(line.said_by) and not line.mine:
            said.append(line.text)
            names.append(line.name)
        elif line.event_id in target.events:
            said.append(line.text)
        elif not line.mine and line.kind != "summary" and line.said_by not in assistants:
            others.append(line.text)
    return said, others, names


def _own_words(npc: Any) -> list[str]:
    """Return what an assistant said and concluded itself; nothing, if it is gone."""
    if npc is None:
        return []
    concluded = [
        entry.content for entry in journal.entries(npc) if forgetting_rules.is_derived(entry)
    ]
    return concluded + [line.text for line in working_memory.all_lines(npc) if line.mine]


def _own_names(npc: Any, names: Iterable[str], target: Target) -> list[str]:
    """Return the names that stand for them alone: not for the assistant, nor for somebody else."""
    known = entity_profiles.known_names(npc)
    spelt = (entity_profiles.find_profile(npc, one) for one in sorted(target.identities))
    given = {*names, *(found.name for found in spelt if found)}
    mine = {npc.key.casefold(), speech.name_of(npc, npc).casefold()}
    return [
        name
        for name in sorted(given - {""})
        if name.casefold() not in mine
        and target.identities.issuperset(known.get(name.casefold(), ()))
    ]


@inlineCallbacks
def _forget_all(npc: Any, script: Any, target: Target, traces: Traces):
    """Forget it in each store, and what they said last: by that it is told what was made of it.

    So it can be begun anew wherever it was broken off.
    """
    npc_id, script_id = npc.id, script.id if script else 0
    entries = journal.entries(npc)
    gone, _ = forgetting_rules.plan_journal(
        entries, traces, gone=[one.id for one in target.entries]
    )
    whole = target._replace(
        entries=(*target.entries, *(entry for entry in entries if entry.id in gone))
    )
    counts: Counter[str] = Counter((yield _forget_elsewhere(npc, script, whole, traces)))
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    if npc is not None:
        counts["people"] += len(set(entity_profiles.known_identities(npc)) & target.identities)
        counts["entries"] += len(_forget_here(npc, script, target, traces))
        trace.forget_uttered(npc_id, traces.echoes)
    return counts


def _forget_here(npc: Any, script: Any, target: Target, traces: Traces) -> list[Entry]:
    """Forget what is kept on the body and the mind, all of it or nothing; return what entries."""
    with repository.together(npc, *filter(None, [script])):
        entries = journal.entries(npc)
        gone, changed = forgetting_rules.plan_journal(
            entries, traces, gone=[entry.id for entry in target.entries]
        )
        stay = [entry for entry in entries if target.instead and _is_meant(entry, target)]
        gone -= {entry.id for entry in stay}
        journal.remove_entries(npc, gone)
        still = {(entry.id, entry.content) for entry in target.entries}
        changed.update(
            (entry.id, _other(entry, target.instead))
            for entry in stay
            # What somebody else wrote meanwhile stands.
            if (entry.id, entry.content) in still
        )
        for entry_id, fields in changed.items():
            journal.edit_entry(npc, entry_id, **fields)
        for who in sorted(target.identities):
            entity_profiles.forget_entity(npc, who)
        assistant.forget_account(npc, target.account_id)
        if script is not None:
            errands.forget_asked(script, routine.now()[0])
        forgotten_here.in_profiles(npc, traces, events=target.events, tellers=target.tellers)
        forgotten_here.in_conversations(npc, traces, events=target.events)
        forgotten_here.on(npc, traces)
        forgotten_here.on(script, traces)
    return [entry for entry in entries if entry.id in gone]


def _is_meant(entry: Entry, target: Target) -> bool:
    return any(entry.id == one.id for one in target.entries)


def _other(entry: Entry, instead: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an entry that becomes another: for no more ears than it is for by now."""
    known = audiences.intersection([entry.audience, instead.get("audience", entry.audience)])
    # Nothing rests on it any more, and long-term memory has nothing of it.
    return {**instead, "audience": known, "cited": False, "consolidated": False}


@inlineCallbacks
def _forget_elsewhere(npc: Any, script: Any, target: Target, traces: Traces):
    """Forget what is kept in files and tables beside the game's objects."""
    counts: Counter[str] = Counter()
    whose, gone = store_handlers.whose(npc, script), Gone(traces, target.owns, target.account_id)
    for _, handler in store_handlers.all_handlers():
        counts.update((yield handler.forget(whose, gone)))
    return counts


@inlineCallbacks
def _quiet(script_id: int):
    """Wait until no turn of a mind is under way.

    Raises:
        StillBusy: It has been for too long.
    """
    until = scheduling.clock().seconds() + WAIT_SECONDS
    while script_id and turns.is_running(script_id):
        if scheduling.clock().seconds() >= until:
            raise StillBusy("it is busy.")
        yield deferLater(scheduling.clock(), PATIENCE, lambda: None)


def _forget_in_memory(npc_id: int) -> None:
    """Drop what is kept until the next restart only: results of tools, and what staff may ask about."""
    registry.results.clear()
    trace.forget(npc_id)
