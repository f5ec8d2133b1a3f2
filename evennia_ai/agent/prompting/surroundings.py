"""The surroundings of an assistant: who and what is in reach, as it sees them, and plain facts for minds that read no prompt."""

from __future__ import annotations

import itertools
from typing import Any

from evennia_ai import markup, scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.prompting import recall_sources
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.domain import audience
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import identity, persona
from evennia_ai.tools import handing_over

# Things that are carried, and people of whom it is known when they were there.
CARRIED, SEEN = 20, 30
# Entries of the journal among which it is seen who was there, the newest.
JOURNAL_LIMIT = 100
# People of whom one question asks, and what is looked at of each.
PEOPLE, OF_EACH = 3, 30
# Characters of how somebody looks.
LOOKS_LENGTH = 80
# Things that it carries of which one prompt says how they look.
LOOKED_AT = 5

KINDS = ("player", "npc", "object", "exit")


def note(turn: Turn) -> None:
    """Put into the context of a turn what is around the assistant."""
    npc = turn.character
    held = list(filter(handing_over.is_thing, npc.filter_visible(npc.contents, npc)))
    turn.context["carried"] = [speech.name_of(obj, npc) for obj in held[:CARRIED]]
    turn.context["now"] = records.format_time(scheduling.now())


def note_knowledge(turn: Turn, words: str) -> None:
    """Put into the context what everybody may know from its builder, and what is known of people.

    These are the speaker and those whom the words name; of it what all who hear may know.
    """
    npc = turn.character
    turn.context["lore"] = [
        fact.text for fact in persona.load_lore(npc) if fact.audience == audience.PUBLIC
    ]
    who = [turn.event.said_by, *recall_sources.mentioned(npc, words)]
    known = []
    for person in dict.fromkeys(one for one in who[: PEOPLE + 1] if one):
        found = [
            *recall_sources.of_person(npc, person),
            *itertools.islice(recall_sources.from_them(npc, person), OF_EACH),
        ]
        known += audience.select_tellable(found, turn.hearers)
    for one in known:
        turn.include(one)
    now = {event.id for event in turn.events}
    turn.context["people"] = [
        {key: getattr(one, key) for key in ("text", "by", "kind", "heard", "timestamp")}
        for one in known
        if not one.event_id or one.event_id not in now
    ]


def in_reach(npc: Any) -> list[Any]:
    """Return who and what is where it is, and it sees."""
    here = npc.location.contents if npc.location else []
    return [obj for obj in here if is_seen(npc, obj)]


def described(npc: Any, obj: Any) -> dict[str, str]:
    """Return what a prompt and plain data say of one thing or person."""
    known = {"name": speech.name_of(obj, npc), "identity": "", "kind": _kind(obj), "looks": ""}
    if known["kind"] in ("player", "npc"):
        known["identity"] = identity.perceived(npc, obj)
        known["looks"] = looks(obj)
    return known


def looks(obj: Any) -> str:
    """Return how somebody looks, in short."""
    return reply.printable(description(obj), max_length=LOOKS_LENGTH)


def description(obj: Any) -> str:
    """Return how something is described; as the game shows it, also what a builder set that is no text."""
    return markup.plain(str(obj.db.desc or ""))


def is_seen(npc: Any, obj: Any) -> bool:
    """Return whether it sees something, which is not itself."""
    return obj is not npc and bool(obj.access(npc, "view"))


def _kind(obj: Any) -> str:
    if obj.destination:
        return "exit"
    if presence.is_puppeted(obj):
        return "player"
    is_character = obj.is_typeclass("evennia.objects.objects.DefaultCharacter", exact=False)
    return "npc" if is_character or presence.can_hear(obj) else "object"
