"""What a mind itself keeps: events that wait, reminders, whom and which channels it follows.

It is stored on the script under plain Attribute names (`script.db.pending_events`).
"""

from __future__ import annotations

from typing import Any, Iterable

from evennia_ai.domain.records import Event, parse_time
from evennia_ai.storage import attributes

PENDING = "pending_events"
REMINDERS = "reminders"
CHANNELS = "followed_channels"
GUESTS = "guests"

# Reminders that one assistant keeps.
REMINDER_LIMIT = 20


def pending_events(script: Any) -> list[Event]:
    """Return what still wants an answer, oldest first."""
    return attributes.load(script, PENDING, category=None, default=list)


def add_pending(script: Any, event: Event, *, limit: int) -> None:
    """Keep an event until it is answered; beyond `limit` the least important one is let go."""
    with attributes.edit(script, PENDING, category=None, default=list) as events:
        events.append(event)
        while len(events) > limit:
            events.remove(min(events, key=lambda kept: kept["priority"]))


def remove_pending(script: Any, event_ids: Iterable[str]) -> None:
    """Note that events have been dealt with."""
    done = set(event_ids)
    events = pending_events(script)
    left = [event for event in events if event["id"] not in done]
    if len(left) != len(events):
        attributes.save(script, PENDING, left, category=None)


def add_reminder(script: Any, reminder: dict[str, Any]) -> bool:
    """Keep {"due", "text", "actor", "actor_id", "actor_name", "audience"}; False if there are too many.

    `due` is a time as `records.format_time` writes it.
    """
    with attributes.edit(script, REMINDERS, category=None, default=list) as kept:
        if len(kept) >= REMINDER_LIMIT:
            return False
        kept.append(reminder)
    return True


def reminders(script: Any) -> list[dict[str, Any]]:
    """Return what the assistant will be reminded of, in the order of asking."""
    return attributes.load(script, REMINDERS, category=None, default=list)


def take_due_reminders(script: Any, *, now: Any) -> list[dict[str, Any]]:
    """Return the reminders whose time has come; they are not kept any longer."""
    kept = reminders(script)
    due = [reminder for reminder in kept if parse_time(reminder["due"]) <= parse_time(now)]
    if due:
        left = [reminder for reminder in kept if reminder not in due]
        attributes.save(script, REMINDERS, left, category=None)
    return due


def following(script: Any) -> int | None:
    """Return the id of the object that the assistant follows."""
    return attributes.load(script, "following", category=None)


def follow(script: Any, leader_id: int | None) -> None:
    """Follow somebody from now on, or nobody."""
    attributes.save(script, "following", leader_id, category=None)


def followed_channels(script: Any) -> dict[str, str]:
    """Return how it follows which channels: {key in lower case: "listen", "named" or "answer"}."""
    return attributes.load(script, CHANNELS, category=None, default=dict)


def save_followed_channels(script: Any, followed: dict[str, str]) -> None:
    """Follow these channels from now on; `storage.channels` must know, so it is what calls this."""
    if followed:
        attributes.save(script, CHANNELS, followed, category=None)
    else:
        attributes.remove(script, CHANNELS, category=None)


def count(script: Any, counter: str) -> int:
    """Add one to a counter of an assistant and return it; `turns`, `failures` and `excuses` exist."""
    with attributes.edit(script, "counters", category=None, default=dict) as counters:
        counters[counter] = counters.get(counter, 0) + 1
        return counters[counter]


def counters(script: Any) -> dict[str, int]:
    """Return all counters of an assistant."""
    return attributes.load(script, "counters", category=None, default=dict)


def guests(script: Any) -> dict[str, int]:
    """Return the guests who are remembered for their visit: identity → id of their character."""
    return attributes.load(script, GUESTS, category=None, default=dict)


def note_guest(script: Any, who: str, object_id: int) -> None:
    """Note that somebody is a guest, to be forgotten when they leave the game."""
    if guests(script).get(who) != object_id:
        with attributes.edit(script, GUESTS, category=None, default=dict) as noted:
            noted[who] = object_id


def forget_guest(script: Any, who: str) -> None:
    """Note that a guest has been forgotten."""
    with attributes.edit(script, GUESTS, category=None, default=dict) as noted:
        noted.pop(who, None)
