"""The surroundings of an assistant, and itself, as plain data for minds that read no prompt."""

from __future__ import annotations

import itertools
from typing import Any

from evennia_ai import scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.prompting import recall_people
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.domain import audience
from evennia_ai.domain.offline import persons
from evennia_ai.memory import identity, journal, persona, routine, working_memory

# Things that are carried, and people of whom it is known when they were there.
CARRIED, SEEN = 20, 30
# Entries of the journal among which it is seen who was there, the newest.
JOURNAL_LIMIT = 100
# People of whom one question asks, and what is looked at of each.
PEOPLE, OF_EACH = 3, 30


def note(turn: Turn) -> None:
    """Put into the context of a turn what is around the assistant."""
    npc = turn.character
    turn.context["exits"] = [
        _way(npc, obj) for obj in npc.location.exits if obj.access(npc, "view")
    ]
    held = npc.filter_visible(npc.contents, npc)
    turn.context["carried"] = [speech.name_of(obj, npc) for obj in held[:CARRIED]]
    # An innkeeper has talked with hundreds: they are looked through only if that is asked.
    words = [event.text for event in turn.events]
    turn.context["seen"] = _seen(npc) if any(map(persons.asks_who_was_here, words)) else []
    turn.context["date"] = str(routine.date())
    turn.context["now"] = records.format_time(scheduling.now())


def note_knowledge(turn: Turn, words: str) -> None:
    """Put into the context what everybody may know from its builder, and what is known of people.

    These are whoever speaks and those whom the words name, or the answer before them, if they ask of "her";
    of it what all who hear may know.
    """
    npc = turn.character
    turn.context["lore"] = [
        fact.text for fact in persona.load_lore(npc) if fact.audience == audience.PUBLIC
    ]
    if persons.is_of_somebody(words):
        own = [one.text for one in working_memory.lines_with(npc, turn.event.said_by) if one.mine]
        # "What do you think of him?" may be of who was here just before.
        seen = [str(one["name"]) for one in turn.context.get("seen") or ()]
        words = " ".join([words, *own[-1:], *seen[:2]])
    who = [turn.event.said_by, *recall_people.mentioned(npc, words)]
    known = []
    for person in dict.fromkeys(one for one in who[: PEOPLE + 1] if one):
        found = [
            *recall_people.of_person(npc, person),
            *itertools.islice(recall_people.from_them(npc, person), OF_EACH),
        ]
        known += audience.select_tellable(found, turn.hearers)
    for one in known:
        turn.include(one.audience)
    now = {event.id for event in turn.events}
    turn.context["people"] = [
        {key: getattr(one, key) for key in ("text", "by", "kind", "heard", "timestamp")}
        for one in known
        if not one.event_id or one.event_id not in now
    ]


def _way(npc: Any, obj: Any) -> dict[str, str]:
    """Return an exit with where it leads, if the assistant may go there."""
    leads_to = speech.name_of(obj.destination, npc) if obj.access(npc, "traverse") else ""
    return {"name": speech.name_of(obj, npc), "leads_to": leads_to}


def _seen(npc: Any) -> list[dict[str, str]]:
    """Return whom everybody could see here, and when last: {"name", "timestamp"}, newest first."""
    own = identity.identity_of(npc)
    entries = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    noted = [(one.said_by, one.source_entity, one.timestamp, one.audience) for one in entries]
    for kept in working_memory.conversations(npc).values():
        said = (line for line in reversed(kept.messages) if not line.mine)
        last = next((line for line in said if line.audience == audience.PUBLIC), None)
        if last is not None:
            noted.append((last.said_by, last.name, last.timestamp, last.audience))
    latest: dict[str, str] = {}
    for who, name, when, known in noted:
        if who and who != own and name and known == audience.PUBLIC:
            latest[name] = max(when, latest.get(name, ""))
    newest = sorted(latest.items(), key=lambda pair: pair[1], reverse=True)
    return [{"name": name, "timestamp": when} for name, when in newest[:SEEN]]
