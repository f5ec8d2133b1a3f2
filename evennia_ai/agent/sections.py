"""The sections of the prompt that we ship: each a function of the turn.

A section returns text, or a list of lines of which the budget may cut some, or None. What it knows
as data it also puts into `turn.context`, for minds that read no prompt.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.conf.locale import LANG_INFO

from evennia_ai import prompts
from evennia_ai.agent import presence, speech
from evennia_ai.agent.recall import recall
from evennia_ai.agent.turn import Turn
from evennia_ai.domain import conversation as talk
from evennia_ai.domain import records
from evennia_ai.storage import identity
from evennia_ai.storage import persona as personas
from evennia_ai.storage import working_memory
from evennia_ai.tools import world

# Lines of conversation that one prompt gets at most.
CONVERSATION_LIMIT = 20
# Characters of a room's description.
DESCRIPTION_LENGTH = 600


def instructions(turn: Turn) -> str:
    """What the model is here, and what has authority."""
    code, name = _language(personas.load_persona(turn.character)["language"])
    return prompts.instructions(name=turn.name, language="" if code == "en" else name)


def persona(turn: Turn) -> str:
    """Who the assistant is."""
    written = personas.load_persona(turn.character)
    code, _ = _language(written["language"])
    turn.context["npc"] = {
        **written,
        "name": turn.name,
        "persona": written["description"],
        "language": code,
    }
    return prompts.persona(name=turn.name, persona=written, manner="")


def place(turn: Turn) -> str | None:
    """Where it is, who and what is there, and whom it speaks with."""
    npc, speaker = turn.character, turn.speaker
    turn.context["present"] = present = [_described(npc, obj) for obj in _in_reach(npc)]
    turn.context["speaker"] = {
        "name": turn.event["actor_name"],
        "identity": turn.event["actor"],
        "state": "stranger",
    }
    room = npc.location
    if room is None:
        return None
    turn.context["place"] = speech.name_of(room, npc)
    turn.context["time"] = world.time_in_words()
    names = {kind: [one["name"] for one in present if one["kind"] == kind] for kind in _KINDS}
    text = prompts.place(
        name=speech.name_of(room, npc),
        desc=speech.plain(room.db.desc or "")[:DESCRIPTION_LENGTH],
        people=[*names["player"], *names["npc"]],
        things=names["object"],
        exits=names["exit"],
    )
    if speaker is None:
        return text
    known = any(line["mine"] for line in working_memory.lines_with(npc, turn.event["actor"]))
    return f"{text}\n{prompts.speaker(name=turn.event['actor_name'], known=known)}"


def memories(turn: Turn) -> list[str]:
    """What comes to mind, best first."""
    query = " ".join(event["text"] for event in turn.events)
    found = recall(turn, query)
    turn.context["memories"] = [
        {key: item[key] for key in ("text", "by", "kind", "score", "timestamp")} for item in found
    ]
    return [prompts.memory(text=item["text"], by=item["by"]) for item in found]


def conversation(turn: Turn) -> list[str]:
    """What was said here so far, by those who are present, oldest first."""
    npc = turn.character
    current = {event["id"] for event in turn.events}
    people = {identity.perceived(npc, obj) for obj in presence.listeners(npc)}
    people.add(turn.event["actor"])
    lines = [
        line
        for who in sorted(people - {""})
        for line in working_memory.lines_with(npc, who)
        if line["event_id"] not in current
    ]
    lines.sort(key=lambda line: line["timestamp"])
    told = talk.select_recent(lines, hearers=turn.hearers, limit=CONVERSATION_LIMIT)
    for line in told:
        turn.include(line["audience"])
    turn.context["conversation"] = [
        {key: line[key] for key in ("name", "text", "mine")}
        for line in told
        if line["kind"] in (*records.SPOKEN, "pose")
    ]
    return [
        prompts.conversation_line(name=line["name"], text=line["text"], kind=line["kind"])
        for line in told
    ]


def event(turn: Turn) -> str:
    """What the assistant answers to."""
    turn.context["event"], turn.context["events"] = turn.event, turn.events
    for one in turn.events:
        turn.include(one["audience"])
    return "\n".join(prompts.event(event=one) for one in turn.events)


def _language(wanted: str) -> tuple[str, str]:
    """Return code and English name of a language that a builder named, else of the game's."""
    asked = (wanted or settings.LANGUAGE_CODE).strip().lower()
    for code, info in LANG_INFO.items():
        if asked in (code, info.get("name", "").lower()):
            return code.split("-")[0], info.get("name", code)
    return asked.split("-")[0], asked


_KINDS = ("player", "npc", "object", "exit")


def _in_reach(npc: Any) -> list[Any]:
    here = npc.location.contents if npc.location else []
    return [obj for obj in here if obj is not npc and obj.access(npc, "view")]


def _described(npc: Any, obj: Any) -> dict[str, str]:
    known = {"name": speech.name_of(obj, npc), "identity": "", "kind": _kind(obj)}
    if known["kind"] in ("player", "npc"):
        known["identity"] = identity.perceived(npc, obj)
    return known


def _kind(obj: Any) -> str:
    if obj.destination:
        return "exit"
    if presence.is_puppeted(obj):
        return "player"
    is_character = obj.is_typeclass("evennia.objects.objects.DefaultCharacter", exact=False)
    return "npc" if is_character or presence.can_hear(obj) else "object"
