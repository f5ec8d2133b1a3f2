"""Stored lines of the talk where a turn is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import structs

from evennia_ai import conf
from evennia_ai.agent.hearing import presence
from evennia_ai.core import languages
from evennia_ai.core.records import Event
from evennia_ai.core.talk import Line
from evennia_ai.domain import audience
from evennia_ai.domain.memories import conversation as talk
from evennia_ai.domain.model_text import prompt_budget
from evennia_ai.memory import identity, kinds, repository, working_memory
from evennia_ai.memory.state import assistant

if TYPE_CHECKING:
    from evennia_ai.agent.turn import Turn

# Lines of conversation that one prompt gets at most.
LIMIT = 20


def lines(turn: Turn) -> list[Line]:
    """Return the lines of conversation that all who hear the answer may know, oldest first."""
    kept_back = waiting(turn)
    here = all_here(turn, people(turn.character, turn.event))
    told = [line for line in here if line.event_id not in kept_back]
    most = prompt_budget.grown(LIMIT, context_tokens=conf.get("CONTEXT_TOKENS"))
    return [
        structs.replace(line, name=called(turn.event, "" if line.mine else line.said_by, line.name))
        for line in talk.select_recent(told, hearers=turn.hearers, limit=most)
    ]


def called(event: Event, said_by: str, name: str) -> str:
    """Return the name under which words of somebody are told: who speaks may have taken that of another, or a new one."""
    if not (name and said_by and event.said_by) or event.channel:
        return name
    if said_by == event.said_by:
        return event.actor_name
    if name.casefold() != event.actor_name.casefold():
        return name
    return languages.text("reports", "another").replace("{name}", name)


def waiting(turn: Turn) -> set[str]:
    """Return the events that still want an answer: of this turn, and others, which have one of their own."""
    others = assistant.pending_events(turn.script) if turn.script else []
    return {event.id for event in (*turn.events, *others)}


def key(line: Line) -> str:
    """Return by what a line is known."""
    return line.event_id or f"{line.timestamp} {line.text}"


def own_words(turn: Turn, npc: Any, hearers: Iterable[str]) -> list[str]:
    """Return what the assistant said to those who are here, and all who hear may know, the newest first."""
    if npc is None:
        return []
    known = audience.select_tellable(with_people(npc, turn.event), hearers)
    return [line.text for line in reversed(known) if line.mine]


def with_people(npc: Any, event: Event) -> list[Line]:
    """Return all lines of those who are here: an innkeeper knows thousands, and talks with few."""
    here = sorted(people(npc, event))
    repository.warm(npc, [(kinds.CONVERSATIONS, who) for who in here])
    return talk.merged(working_memory.lines_with(npc, who) for who in here)


def people(npc: Any, event: Event) -> set[str]:
    """Return the identities of those who hear an assistant, and of whoever it speaks with."""
    here = {identity.perceived(npc, obj) for obj in presence.listeners(npc)}
    return {*here, event.said_by} - {""}


def all_here(turn: Turn, whose: Iterable[str]) -> list[Line]:
    """Return what these people and the assistant said where a turn is: in the room, or on channels."""
    npc = turn.character
    if turn.event.channel:
        return [line for line in working_memory.all_lines(npc) if line.kind == "channel"]
    return talk.merged(_talk_with(npc, who) for who in sorted(whose))


def _talk_with(npc: Any, who: str) -> list[Line]:
    """Return what was said here to somebody, and by them; its own lines are `about` whom they are for."""
    return [
        structs.replace(line, about=[who]) if line.mine else line
        for line in working_memory.lines_with(npc, who)
        if line.kind != "channel"
    ]
