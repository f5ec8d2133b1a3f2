"""Memories of NPCs, as data: what is known of somebody, and what comes to mind at a question."""

from __future__ import annotations

import uuid
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.agent.prompting import recall
from evennia_ai.agent.turn import Turn
from evennia_ai.commands.shown import words
from evennia_ai.commands.shown.npcs import names_known
from evennia_ai.core import records
from evennia_ai.core.records import Change, Profile, Relationship
from evennia_ai.domain.memories import relationship
from evennia_ai.typeclasses import scripts


def profile_of(npc: Any, known: Profile) -> dict[str, Any]:
    """What an NPC knows of somebody: {"known", "hostile", "facts", "noticed", "course"}.

    Facts and things that it noticed come each with who may know them, in words.
    """
    names = names_known(npc)
    return {
        "known": known,
        "hostile": is_hostile(known),
        "facts": [(one, words.known_to(one.audience, names)) for one in known.attributes],
        "noticed": [(one, words.known_to(one.audience, names)) for one in known.observations],
        "course": course_of(known.relationship),
    }


def is_hostile(known: Profile) -> bool:
    """True if dislike shows, whatever somebody did."""
    return known.disposition is not None and known.disposition <= relationship.HOSTILE_FROM


def course_of(regard: Relationship) -> list[tuple[float, Change]]:
    """Favorability after each event that is kept, the newest first."""
    favorability, told = regard.favorability, []
    for event in reversed(regard.history):
        told.append((favorability, event))
        favorability = min(1.0, max(0.0, favorability - event.delta))
    return told


@inlineCallbacks
def come_to_mind(npc: Any, question: str, who: str):
    """Fire with what an NPC would find if one person asked it alone; for nobody ("") whoever may know it."""
    event = records.new_event(
        "say", question, event_id=uuid.uuid4().hex, now=scheduling.now(), said_by=who
    )
    turn = Turn(scripts.find(npc), [event])
    turn.hearers = frozenset([who] if who else ())
    found = yield recall.recall(turn, question)
    # A memory that is only the nearest that there is was not found.
    return [one for one in found if one.fits]
