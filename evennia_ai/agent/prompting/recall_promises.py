"""Recall of the assistant's own promises: open, overdue or settled."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

from evennia_ai.core.records import Audience
from evennia_ai.domain.memories import promises
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.memory import journal, lookup, working_memory
from evennia_ai.memory.people import promised
from evennia_ai.memory.state import assistant

# Entries of the journal among which settled promises are looked for, the newest.
JOURNAL_LIMIT = 300
IMPORTANCE = 8


def of_people(npc: Any, people: Iterable[str]) -> list[Remembered]:
    """Return what was promised to some people, by identity; what is settled, the journal has."""
    return [one for who in sorted({*people} - {""}) for one in _of(npc, who)]


def to(npc: Any, who: str, name: str) -> list[Remembered]:
    """Return all that is known of promises to somebody: reminders, and the rest newest first."""
    reminders = _reminders(npc, who)
    if not name:
        return [*reminders, *_of(npc, who)]
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    # A short name stands in many words.
    called = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    kept = (one for one in recent if promises.TAG in one.tags and called.search(one.content))
    over = [
        _item(one.content, "done", "", timestamp=one.timestamp, audience=one.audience)
        for one in kept
        # What they themselves did not do is no promise of its own.
        if not one.said_by
    ]
    made = sorted([*_of(npc, who), *over], key=lambda one: one.timestamp, reverse=True)
    return [*reminders, *made]


def by(npc: Any, who: str, name: str) -> list[Remembered]:
    """Return all that is known of promises that somebody made: what is open, then what is over, the newest first."""
    kept = [(one, promises.OWED) for one in reversed(promised.expected(npc, who))]
    kept += [(one, one.ended) for one in promised.settled(npc, who)]
    return [
        _item(one.action, kind, name, timestamp=one.created, audience=one.audience)
        for one, kind in kept
    ]


def _reminders(npc: Any, who: str) -> list[Remembered]:
    """Return of what somebody is to be reminded; when they asked for it is not kept."""
    script = lookup.mind_of(npc)
    kept = assistant.reminders(script) if script is not None and who else []
    return [
        _item(one.text, promises.REMINDER, one.actor_name, timestamp="", audience=one.audience)
        for one in kept
        if one.said_by == who
    ]


def _of(npc: Any, who: str) -> list[Remembered]:
    talk = working_memory.get_conversation_context(npc, who)
    if talk is None or not talk.pending_actions:
        return []
    names = [line.name for line in talk.messages if not line.mine and line.name]
    still = working_memory.still_pending(talk)
    return [
        _item(
            one.action,
            promises.OPEN if one in still else promises.LAPSED,
            names[-1] if names else "",
            timestamp=one.created,
            audience=one.audience,
        )
        for one in talk.pending_actions
    ]


def _item(text: str, kind: str, by: str, *, timestamp: str, audience: Audience) -> Remembered:
    """Return a memory; `by` is whom it was promised to."""
    return Remembered(
        text=text,
        by=by,
        kind=kind,
        trust=1.0,
        importance=IMPORTANCE,
        timestamp=timestamp,
        audience=audience,
    )
