"""Forgetting somebody in one body and its mind.

The journal, profiles and conversations are looked through by what they are. Of every other kind, of
the game's own as well, the items go that carry words of theirs or stand under their identity.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from evennia.scripts.models import ScriptDB
from msgspec import structs

from evennia_ai.core.talk import Line
from evennia_ai.domain.memories import conversation as talk
from evennia_ai.domain.memories.forgetting_rules import Traces
from evennia_ai.memory import kinds, repository, working_memory
from evennia_ai.memory.kinds import Kind
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import sleep_state
from evennia_ai.memory.storage import pages

# Looked through by what they are.
BY_WHAT_THEY_ARE = (kinds.JOURNAL, kinds.JOURNAL_HEAD, kinds.PROFILES, kinds.CONVERSATIONS)
# Lines as they stood, of whatever kind.
UNREAD = (kinds.SET_ASIDE, kinds.SET_ASIDE_OF_MIND)


def in_profiles(
    npc: Any, traces: Traces, *, events: Collection[str] = (), tellers: Collection[str] = ()
) -> None:
    """Forget in what is known of others what was concluded of them, or from their words.

    What was noticed at one of `events` goes, too, and what of it is known from `tellers`.
    """
    unsaid = {"", *tellers}
    for who, known in sorted(entity_profiles.all_profiles(npc).items()):
        observations = [
            one
            for one in known.observations
            if one.event_id not in events
            and not (one.said_by in tellers and traces.carries(one.content))
            and not (one.source == "inference" and traces.echoes(one.content))
        ]
        facts = [
            fact
            for fact in known.attributes
            if not (unsaid.issuperset(fact.told_by) and traces.echoes(fact.value))
        ]
        history = [
            structs.replace(one, reason=None) if traces.echoes(one.reason or "") else one
            for one in known.relationship.history
        ]
        left = structs.replace(
            known,
            observations=observations,
            attributes=facts,
            relationship=structs.replace(known.relationship, history=history),
        )
        if left != known:
            repository.save(npc, kinds.PROFILES, left, who)


def in_conversations(npc: Any, traces: Traces, *, events: Collection[str] = ()) -> None:
    """Forget in the talk with others what the assistant said of them, heard others say, or has from them.

    What was said at one of `events` goes, too.
    """
    for who, kept in working_memory.conversations(npc).items():
        bare = pages.plain(structs.replace(kept, messages=[]))
        left = structs.replace(
            pages.shaped(kinds.CONVERSATIONS, traces.scrubbed(bare)),
            messages=[
                one
                for line in kept.messages
                if line.event_id not in events and (one := _left_of(line, traces)) is not None
            ],
        )
        if left != kept:
            repository.save(npc, kinds.CONVERSATIONS, left, who)


def on(obj: Any, traces: Traces) -> None:
    """Scrub all other kinds that lie on a body, or on a mind."""
    if obj is None:
        return
    for kind in kinds.on(kinds.MIND if isinstance(obj, ScriptDB) else kinds.BODY):
        if kind.role != "builder" and kind not in BY_WHAT_THEY_ARE:
            _scrub(obj, kind, traces)


def empty(script: Any) -> None:
    """Forget all that a mind has noted of what it was told."""
    if script is None:
        return
    for kind in kinds.on(kinds.MIND):
        if kind.role == "memory":
            repository.clear(script, kind)
    sleep_state.drop_request(script)


def _scrub(obj: Any, kind: Kind[Any], traces: Traces) -> None:
    if kind.derived:
        # Its words are those of other kinds, and go with them.
        traces = Traces(identities=traces.identities)
    if kind.keyed:
        kept = repository.load_all(obj, kind)
    else:
        only = repository.load(obj, kind)
        kept = {} if only is None else {"": only}
    changed: dict[repository.Place, Any] = {}
    gone: list[repository.Place] = []
    for key, value in kept.items():
        is_theirs = traces.is_from(key, key.rpartition("/")[2])
        left = None if is_theirs else _left_in(kind, value, traces)
        if left is None:
            gone.append((kind, key))
        elif left is not value:
            changed[kind, key] = left
    if changed or gone:
        repository.save_all(obj, changed, removed=gone)


def _left_in(kind: Kind[Any], value: Any, traces: Traces) -> Any:
    """Return what is left of a value: itself, if it holds nothing of theirs; None if it is none."""
    if kind in UNREAD:
        left = [line for line in value if not traces.stand_in(line)]
        return value if left == value else left or None
    plain = pages.plain(value)
    if not traces.holds(plain):
        return value
    try:
        return pages.shaped(kind, traces.scrubbed(plain))
    except ValueError:
        return None


def _left_of(line: Line, traces: Traces) -> Line | None:
    """Return what is left of a line, or None if nothing is."""
    if talk.is_summary(line):
        left = traces.without_echoes(line.text)
        return structs.replace(line, text=left) if left else None
    repeats = line.mine or line.said_by in traces.assistants
    return None if repeats and traces.echoes(line.text) else line
