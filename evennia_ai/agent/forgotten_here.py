"""What goes from the Attributes of a body and its mind when somebody is forgotten.

Profiles and conversations are looked through by what they are; whatever else the mind has noted on
itself (events that wait, promises, goals) is plain data, of which the items go that carry words of
theirs or stand under their identity.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from evennia.scripts.models import ScriptDB

from evennia_ai.domain import conversation as talk
from evennia_ai.domain.forgetting import Traces
from evennia_ai.storage import (
    assistant,
    attributes,
)
from evennia_ai.storage import decisions as recent_decisions
from evennia_ai.storage import (
    entity_profiles,
    goals,
    identity,
    links,
    night,
    reflection,
    working_memory,
)

# What a builder or the game itself wrote on a mind, or what holds nobody's words.
NOT_LOOKED_AT = (
    identity.KEY,
    night.SCHEDULE,
    "assistant_key",
    "compact_prompt",
    "compact_model",
    "enabled",
)
# What a mind has noted of what it was told; gone when it forgets everything.
NOTED = (
    assistant.PENDING,
    assistant.REMINDERS,
    "guests",
    goals.GOALS,
    goals.PROJECTS,
    recent_decisions.KEY,
    reflection.KEY,
    links.PROGRESS,
    night.REQUESTED,
)


def mind_of(npc: Any) -> Any:
    """Return the mind of a body, on or off, or None."""
    return ScriptDB.objects.filter(db_obj=npc, db_attributes__db_key="assistant_key").first()


def in_profiles(npc: Any, traces: Traces, *, events: Collection[str] = ()) -> None:
    """Forget in what is known of others what names them, or was concluded from their words.

    What was noticed at one of `events` goes, too.
    """
    for who, known in entity_profiles.profiles(npc).items():
        observations = [
            one
            for one in known["observations"]
            if one["event_id"] not in events
            and not _goes(one["content"], traces, is_own=one["source"] == "inference")
        ]
        facts = [
            fact
            for fact in known["attributes"]
            if not _goes(str(fact["value"]), traces, is_own=fact["told_by"] in ([], [""]))
        ]
        regard = {**known["relationship"]}
        regard["history"] = [
            {**one, "reason": None} if traces.echoes(one["reason"] or "") else one
            for one in regard["history"]
        ]
        left = {
            **known,
            "observations": observations,
            "attributes": facts,
            "relationship": regard,
        }
        if left != known:
            attributes.save(npc, who, left, category=entity_profiles.CATEGORY)


def in_conversations(npc: Any, traces: Traces, *, events: Collection[str] = ()) -> None:
    """Forget in the talk with others what names them, and the assistant's words that are theirs.

    What was said at one of `events` goes, too.
    """
    for who, kept in working_memory.conversations(npc).items():
        left = {
            **traces.scrubbed({key: kept[key] for key in kept if key != "messages"}),
            "messages": [
                one
                for message in kept["messages"]
                if message["event_id"] not in events
                and (one := _left_of(message, traces)) is not None
            ],
        }
        if left != kept:
            attributes.save(npc, who, left, category=working_memory.CATEGORY)


def on(obj: Any, traces: Traces) -> None:
    """Scrub whatever else is noted in the Attributes of a mind, or in ours on a body."""
    if obj is None:
        return
    is_mind = isinstance(obj, ScriptDB)
    for category in (attributes.CATEGORY, *([None] if is_mind else [])):
        for key, value in attributes.load_all(obj, category=category).items():
            if key not in NOT_LOOKED_AT and traces.holds(value):
                attributes.save(obj, key, traces.scrubbed(value), category=category)


def empty(script: Any) -> None:
    """Forget all that a mind has noted of what it was told."""
    if script is None:
        return
    for key in NOTED:
        attributes.remove(script, key, category=None)
    attributes.clear(script, category=links.CATEGORY)


def _left_of(message: dict[str, Any], traces: Traces) -> dict[str, Any] | None:
    """Return what is left of a line, or None if nothing is."""
    words = message["content"]
    if talk.is_summary(message):
        left = traces.without_echoes(words)
        return {**message, "content": left} if left else None
    return None if _goes(words, traces, is_own=message["role"] == "assistant") else message


def _goes(words: str, traces: Traces, *, is_own: bool) -> bool:
    return traces.echoes(words) if is_own else traces.names_them(words)
