"""Forgetting somebody, or one entry, for good: what is from them, and all that rests on it.

What a mind keeps names its sources, and forgetting walks those and nothing else: no word is compared. What was made of
several things goes as a whole, and sleep makes it anew of what is left. It waits until the assistant has finished what
it thinks about, because it would write down again what its prompt holds. The log says how much was forgotten, and
nothing of what it was.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.server.models import ServerConfig
from evennia.utils import logger
from msgspec import structs
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import deferLater

from evennia_ai import rate_limits, scheduling
from evennia_ai.agent import trace, turns
from evennia_ai.agent.prompting import thread
from evennia_ai.core.decisions import Decision
from evennia_ai.core.records import Change, Derived, Entry, Profile
from evennia_ai.core.states import Sleep, SleepWish
from evennia_ai.core.talk import Conversation
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
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
    repository,
    routine,
)
from evennia_ai.memory.kinds import Kind
from evennia_ai.memory.people import accounts, entity_profiles, reports
from evennia_ai.memory.state import assistant, reflection_state, sleep_state
from evennia_ai.rate_limits import Limit
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.tools import registry
from evennia_ai.workers import job_control

# Seconds between two looks whether a turn is over, and after which it is not waited for any more.
PATIENCE = 0.5
WAIT_SECONDS = 120.0
# What says that something is not forgotten yet, and can be later.
NOT_YET = (StillBusy, MemoryUnavailable)
# Characters of an entry that staff write.
LENGTH = 1000
# Under which key of Evennia's ServerConfig requests wait: {id: what is to be forgotten, and by whom}.
KEY = "evennia_ai_to_forget"
# Seconds until what could not be done is tried again.
RETRY_SECONDS = 60.0
# Each request is dealt with once at a time, and they are tried again together.
DOING, TRYING_AGAIN = "forgetting", "forgetting again"
# The journal counts its pages, and is asked for its entries; lines that nobody can read are looked through as they stand.
_OF_THE_JOURNAL = (kinds.JOURNAL, kinds.JOURNAL_HEAD)
_UNREAD = (kinds.SET_ASIDE, kinds.SET_ASIDE_OF_MIND)
# Keys under which identities stand only because somebody was in earshot.
_EARSHOT = ("audience", "topic_audience", "plan_audience")

Plain = dict[str, Any]


class Target(NamedTuple):
    """What is to be forgotten: people, by identity and account, or entries.

    Entries that become others stay, with the fields `instead`; what they were goes all the same.
    """

    identities: frozenset[str] = frozenset()
    account_id: int = 0
    entries: tuple[Entry, ...] = ()
    instead: Mapping[str, Any] = MappingProxyType({})

    @property
    def gone(self) -> Gone:
        """What goes with it, by its sources."""
        moments = {name for one in self.entries for name in (one.moment, f"entry {one.id}")}
        tellers = frozenset(one.said_by for one in self.entries if not one.is_made)
        return Gone(self.identities, self.account_id, frozenset(moments), tellers)


NOTHING = Target()


def person(npc: Any, obj: Any) -> Target:
    """Return whoever plays an object, as `npc` may know all their characters."""
    identities = {identity.perceived(npc, one) for one in accounts.characters_of(obj)}
    known = player(obj)
    return known._replace(identities=known.identities | identities - {""})


def player(obj: Any) -> Target:
    """Return whoever plays an object, as they are known to those who are gone."""
    # Of a guest: what all guests said, since they are on one account.
    payer = accounts.payer_of(identity.account_of(obj))
    return Target(frozenset(accounts.identities_of(obj)) - {""}, payer)


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
        yield scheduling.yield_to_reactor()
        npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
        if npc is not None:
            # What is here goes last: so it can be begun anew wherever it was broken off.
            whose = store_handlers.whose(npc, script)
            for _, handler in store_handlers.all_handlers():
                counts.update((yield handler.forget(whose, target.gone)))
        npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
        if npc is not None:
            counts["people"] = len({*entity_profiles.known_identities(npc)} & target.identities)
            counts["entries"] = forget_here(npc, script, target)
    finally:
        turns.release(script_id)
    _forget_in_memory(npc_id, target.gone)
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
            lambda one: (
                isinstance(one, Decision)
                and (one.said_by in target.identities or target.gone.takes(one.origins))
            )
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
        empty(script)
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


def empty(script: Any) -> None:
    """Forget all that a mind has noted of what it was told."""
    if script is None:
        return
    for kind in kinds.on(kinds.MIND):
        if kind.role == "memory":
            repository.clear(script, kind)
    sleep_state.drop_request(script)


# Here: on the body and the mind


def forget_here(npc: Any, script: Any, target: Target) -> int:
    """Forget what is kept on the body and the mind, all of it or nothing; return how many entries."""
    with repository.together(npc, *filter(None, [script])):
        for who in sorted(target.identities):
            entity_profiles.forget_entity(npc, who)
        assistant.forget_account(npc, target.account_id)
        if script is not None:
            errands.forget_asked(script, routine.now()[0])
        return forget_resting_on(npc, script, target.gone, target)


def forget_resting_on(npc: Any, script: Any, gone: Gone, target: Target = NOTHING) -> int:
    """Forget what is from somebody or rests on it, here; return how many entries."""
    with repository.together(npc, *filter(None, [script])):
        repository.note_rewrite(npc.id)
        for obj in filter(None, [npc, script]):
            for kind in kinds.on(kinds.MIND if isinstance(obj, ScriptDB) else kinds.BODY):
                if kind.role != "builder" and kind not in _OF_THE_JOURNAL:
                    _forget_in(obj, kind, gone)
        return _forget_entries(npc, script, gone, target)


def _forget_entries(npc: Any, script: Any, gone: Gone, target: Target) -> int:
    """Forget entries of the journal; what those were made of that go is thought of anew."""
    entries, meant = journal.entries(npc), {one.id: one for one in target.entries}
    taken = [one for one in entries if one.id in meant or gone.takes_record(one)]
    stay = {one.id for one in taken if target.instead and one.id in meant}
    removed = {one.id for one in taken} - stay
    journal.remove_entries(npc, removed)
    for entry in (one for one in entries if one.id not in removed):
        told = [one for one in entry.shared if one["with"] not in gone.identities]
        changes: Plain = {"shared": told} if told != entry.shared else {}
        # What somebody else wrote meanwhile stands.
        if entry.id in stay and entry.content == meant[entry.id].content:
            changes |= _other(entry, target.instead)
        if changes:
            journal.edit_entry(npc, entry.id, **changes)
    left = {number for one in taken for number in one.derived_from} - removed
    for entry in journal.get_entries(npc, sorted(left)).values():
        if script is not None:
            reflection_state.note_entry(script, entry)
    return len(removed)


def _other(entry: Entry, instead: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an entry that becomes another: for no more ears than it is for by now."""
    known = audiences.intersection([entry.audience, instead.get("audience", entry.audience)])
    # Nothing rests on it any more, and long-term memory has nothing of it.
    return {**instead, "audience": known, "cited": False, "consolidated": False}


def _forget_in(obj: Any, kind: Kind[Any], gone: Gone) -> None:
    if kind.keyed:
        kept = repository.load_all(obj, kind)
    else:
        only = repository.load(obj, kind)
        kept = {} if only is None else {"": only}
    changed: dict[repository.Place, Any] = {}
    emptied: list[repository.Place] = []
    for key, value in kept.items():
        is_theirs = not gone.identities.isdisjoint((key, key.rpartition("/")[2]))
        left = None if is_theirs else _left_in(kind, value, gone)
        if left is None:
            emptied.append((kind, key))
        elif isinstance(left, Profile) and left != value:
            entity_profiles.rewrite(obj, left)
        elif left != value:
            changed[kind, key] = left
    if changed or emptied:
        repository.save_all(obj, changed, removed=emptied)


def _left_in(kind: Kind[Any], value: Any, gone: Gone) -> Any:
    """Return what is left of a value; None if nothing is."""
    if kind in _UNREAD:
        marks = {*gone.identities, *gone.moments}
        return [line for line in value if not any(mark in line for mark in marks)] or None
    left = _left(value, gone)
    return kind.empty() if left is None else left


def _left(value: Any, gone: Gone) -> Any:
    """Return what is left of a value; None if all of it goes."""
    if isinstance(value, str):
        return None if value in gone.identities else value
    if isinstance(value, (list, tuple)):
        found = (one if one is None else _left(one, gone) for one in value)
        return type(value)(
            one
            for one, before in zip(found, value, strict=True)
            if before is None or one is not None
        )
    if isinstance(value, dict):
        return _left_of_plain(value, gone)
    if not isinstance(value, msgspec.Struct):
        return value
    if isinstance(value, Change):
        is_gone = gone.takes(value.sources)
        return structs.replace(value, reason=None, sources=[]) if is_gone else value
    if isinstance(value, (Sleep, SleepWish)):
        # Why it wants to sleep may be in anybody's words.
        value = structs.replace(value, reason="")
    if gone.takes_record(value) or _names_them(value, gone):
        return None
    if isinstance(value, Conversation) and gone.takes(value.topic_sources):
        value = structs.replace(value, topic="", topic_audience=[], topic_sources=[])
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    inner = {
        name: _left(kept, gone)
        for name, kept in fields.items()
        if isinstance(kept, (list, tuple, dict, msgspec.Struct)) and name not in _EARSHOT
    }
    left = structs.replace(value, **inner) if inner else value
    return _made_anew(value, left) if isinstance(left, Profile) else left


def _left_of_plain(value: Plain, gone: Gone) -> Plain | None:
    if any(isinstance(kept, str) and kept in gone.identities for kept in value.values()):
        if not all(isinstance(kept, str) for kept in value.values()):
            return None
        # Of what it was given to carry it knows no more from whom.
        value = {key: "" if kept in gone.identities else kept for key, kept in value.items()}
    left = {
        key: kept if key in _EARSHOT or kept is None else _left(kept, gone)
        for key, kept in value.items()
        if key not in gone.identities
    }
    return {key: kept for key, kept in left.items() if kept is not None or value[key] is None}


def _names_them(value: msgspec.Struct, gone: Gone) -> bool:
    """Return whether a record is from somebody, for them or, if the mind made it, about them."""
    fields = [getattr(value, name) for name in value.__struct_fields__]
    is_theirs = any(isinstance(one, str) and one in gone.identities for one in fields)
    return is_theirs or (isinstance(value, Derived) and not gone.identities.isdisjoint(value.about))


def _made_anew(before: Profile, left: Profile) -> Profile:
    """Return what is left of a profile: of facts that went, sleep looks at the other observations again."""
    kept = {fact.id for fact in left.attributes}
    lost = {one.id: one for one in before.attributes if one.id not in kept}
    again = {number for one in lost.values() for number in one.derived_from}
    observations = [
        structs.replace(one, consolidated=one.consolidated and one.id not in again)
        for one in left.observations
    ]
    facts = [
        # What gave way to a fact that went holds again.
        structs.replace(one, superseded_by=None if one.superseded_by in lost else one.superseded_by)
        for one in left.attributes
    ]
    return structs.replace(left, observations=observations, attributes=facts)


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


def _forget_in_memory(npc_id: int, gone: Gone | None = None) -> None:
    """Drop what is kept until the next restart only: results of tools, and what staff may ask about."""
    registry.results.clear()
    trace.forget(npc_id)
    if gone is not None:
        trace.forget_uttered(npc_id, gone.takes)
    thread.forget(npc_id)


# An entry in other words, or for fewer ears, at the wish of staff


def reworded(entry: Entry, words: str) -> dict[str, Any]:
    """Return the fields of an entry that says something else.

    Raises:
        ValueError: It would say nothing, the same, or too much.
    """
    text = reply.printable(words, max_length=LENGTH)
    if len(words.strip()) > LENGTH:
        raise ValueError(f"An entry has up to {LENGTH} characters.")
    if not retrieval.terms(text):
        raise ValueError("An entry says something.")
    if text == entry.content:
        raise ValueError(f"Entry {entry.id} says that already.")
    return {"content": text}


def narrowed(entry: Entry, npc: Any, who: Iterable[str]) -> dict[str, Any]:
    """Return the fields of an entry that those alone may know, of all that may now.

    Raises:
        ValueError: One of them may not know it now, or all who may are among them.
    """
    wanted, own = set(who), identity.identity_of(npc)
    if entry.audience != audiences.PUBLIC:
        may = {*entry.audience, own}
        if not wanted <= may:
            raise ValueError(
                f"Who may know entry {entry.id} can become fewer, and nobody who may not know it now."
            )
        if may == {*wanted, own} and (wanted or not entry.audience):
            raise ValueError(f"Entry {entry.id} is for nobody else already.")
    # What one other may know is a confidence between the two.
    return {"audience": sorted({*wanted, own}) if wanted else []}


@inlineCallbacks
def change(npc: Any, script: Any, entry_id: int, instead: dict[str, Any]):
    """Let an entry be another, with the fields of `reworded` or `narrowed`; None if there is none.

    What it was goes as if it were forgotten: its copies, the line in which it was said, and what was made of it. Sleep
    makes of it anew what it makes of any other. Fires with how much was forgotten, and raises, as `forget`.

    Raises:
        ValueError: Somebody else wrote it anew meanwhile; what they wrote stands.
    """
    entry = journal.get_entry(npc, entry_id)
    if entry is None:
        return None
    counts = yield forget(npc, script, Target(entries=(entry,), instead=instead))
    now = journal.get_entry(npc, entry_id)
    if now is not None and now.content != instead.get("content", entry.content):
        raise ValueError(f"Somebody else has changed entry {entry_id} meanwhile; that stands.")
    return counts


# Requests of players, kept until they are done: over failures, restarts and a kill


@inlineCallbacks
def ask(obj: Any, npc: Any = None):
    """Let an NPC, or all, forget whoever plays an object; return "" when that is done.

    Else the request stays on the list, and the reason is returned. While an NPC forgets it answers
    nobody: so whoever asks for the same again waits a while.
    """
    known, npcs = _same(obj, npc), [npc.id] if npc is not None else bodies()
    whom = {str(one): _plain(person(lookup.object_by_id(one), obj)) for one in npcs}
    request = {"by": obj.id, "npcs": whom, "everywhere": None, "mark": uuid.uuid4().hex}
    if npc is None:
        request["everywhere"] = _plain(player(obj))
    number = known or uuid.uuid4().hex
    _write({**waiting(), number: request})
    asked = Limit(("forget", obj.id, npc.id if npc is not None else 0), seconds=RETRY_SECONDS)
    if scheduling.is_under_way(DOING, number) or not rate_limits.take(asked):
        _again()
        return "waits: it was asked for a moment ago."
    return (yield _do(number))


def waiting() -> Mapping[str, Plain]:
    """Return the requests that are not done yet, by their ids."""
    return ServerConfig.objects.conf(KEY, default=None) or {}


@inlineCallbacks
def resume():
    """Do what waits; what cannot be done yet is tried again later."""
    for number in list(waiting()):
        if not scheduling.is_under_way(DOING, number):
            reason = yield _do(number)
            logger.log_info(f"evennia_ai: a request to be forgotten {reason or 'was done'}.")


@inlineCallbacks
def _do(number: str):
    scheduling.begin(DOING, number)
    try:
        begun = waiting()[number]
        for npc_id, whom in begun["npcs"].items():
            npc = lookup.object_by_id(int(npc_id))
            if npc is not None:
                yield forget(npc, lookup.mind_of(npc), _target(whom))
            if waiting()[number].get("mark") == begun.get("mark"):
                _change(number, without=npc_id)
            if waiting()[number]["npcs"]:
                yield scheduling.yield_to_reactor()
        everywhere = waiting()[number]["everywhere"]
        if everywhere is not None:
            yield forget_in_stores(_target(everywhere))
        if waiting()[number]["npcs"]:
            _again()
            return "waits: it was asked for again meanwhile."
        _write({one: kept for one, kept in waiting().items() if one != number})
        return ""
    except NOT_YET as error:
        _again()
        return f"waits: {error}"
    finally:
        scheduling.end(DOING, number)


def _same(obj: Any, npc: Any) -> str:
    """Return the request by which somebody asked for the same already, "" if there is none."""
    for number, request in waiting().items():
        is_everywhere = request["everywhere"] is not None
        is_same = is_everywhere if npc is None else not is_everywhere
        if request["by"] == obj.id and is_same and (npc is None or str(npc.id) in request["npcs"]):
            return number
    return ""


def _change(number: str, *, without: str) -> None:
    request = waiting()[number]
    left = {npc_id: whom for npc_id, whom in request["npcs"].items() if npc_id != without}
    _write({**waiting(), number: {**request, "npcs": left}})


def _again() -> None:
    if scheduling.begin(TRYING_AGAIN):
        scheduling.clock().callLater(RETRY_SECONDS, _resume)


def _resume() -> Deferred[Any]:
    scheduling.end(TRYING_AGAIN)
    done: Deferred[Any] = resume()
    return done.addErrback(
        lambda failure: logger.log_err(f"evennia_ai: forgetting failed: {failure.type.__name__}")
    )


def _plain(target: Target) -> Plain:
    return {
        "identities": sorted(target.identities),
        "account_id": target.account_id,
    }


def _target(whom: Plain) -> Target:
    return Target(frozenset(whom["identities"]), whom["account_id"])


def _write(requests: Mapping[str, Plain]) -> None:
    ServerConfig.objects.conf(KEY, dict(requests) or None, delete=not requests)
