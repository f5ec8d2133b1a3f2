"""Whereabouts: what an NPC does now, and where others of its place should be; for prompts and rules alike.

It tells what all see who live there, the habit, and not where somebody really is.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from evennia_ai import prompts_life, scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import addressing
from evennia_ai.agent.turn import Turn
from evennia_ai.core.records import Goal, parse_time
from evennia_ai.domain import audience, classification, days
from evennia_ai.domain.choices import step_rules
from evennia_ai.domain.days import Slot
from evennia_ai.domain.memories import promises
from evennia_ai.domain.offline import routines
from evennia_ai.life import day, running_errands
from evennia_ai.memory import errands, lookup, routine
from evennia_ai.memory.state import active_assistants, kept_goals
from evennia_ai.tools import world

# Others of whom one question asks.
OTHERS = 3
# For how long a question after a thing by its name is one after the errand that carried it.
SOON = timedelta(days=1)


def of_day(turn: Turn) -> str | None:
    """What it is about by its day, and of whom it was asked where they should be."""
    npc = turn.character
    if npc is None or turn.event.channel:
        return None
    own = of(npc, seen_by=npc) or {}
    if errand := _errand(turn):
        own = {**own, "errand": errand}
    # Of all who live here, and of errands, only where that is asked.
    asked = " ".join(event.text for event in turn.events)
    turn.context["errand_last"] = sent = _last_errand(turn, asked)
    others = _named(npc, asked) if routines.asks_of_a_day(asked) else []
    turn.context["day"], turn.context["days"] = own, others
    if not (own or others or sent):
        return None
    return prompts_life.day(
        errand="" if sent else own.get("errand", ""),
        sent=(turn.event.name, sent["whom"], sent["how"]) if sent else (),
        doing="" if own.get("is_on_way") else own.get("doing", ""),
        place=own.get("place", "") if own.get("is_on_way") else "",
        then=(own.get("next_at", ""), own.get("next_place", "")),
        is_tomorrow=bool(own.get("is_tomorrow")),
        others=[(one["name"], one["place"], one["next_at"]) for one in others],
    )


def of(npc: Any, *, seen_by: Any, home: Any = None) -> dict[str, Any] | None:
    """Return what an NPC does by its routine, None if it has none; places as `seen_by` calls them.

    `next_at` is when it is back at `home` (None: its own), or, if it is there, when it goes.
    """
    now = routine.present(npc)
    if now is None:
        return None
    home = home or npc.home
    slots, at_home = routine.slots_of(npc), _leads_to(now.slot, home)
    after = days.following(slots, now.slot, lambda slot: routine.is_so(npc, slot))
    back = None if at_home else _back(npc, slots, now.slot, home)
    then = back or after
    return {
        # What it does in a room that is gone it does nowhere.
        "doing": "" if day.is_gone(now.slot) else now.slot.doing,
        "place": _name(now.slot, seen_by),
        "is_on_way": not (day.is_there(npc, now.slot) or day.is_gone(now.slot)),
        "is_at_home": at_home,
        "next_at": then.hour if then else "",
        # Who is late by some minutes goes today.
        "is_tomorrow": bool(then and then.at <= now.slot.at <= world.since_midnight()),
        "next_place": _name(then, seen_by) if then else "",
    }


def _errand(turn: Turn) -> str:
    """Return to whom it brings something now, "" if nobody there may know, or to nobody."""
    goal = errands.current(turn.script)
    if goal is None or not audience.may_know(goal.audience, turn.hearers):
        return ""
    give = next((step for step in goal.plan if step.act == "give"), None)
    person = lookup.object_by_id(give.person_id) if give is not None else None
    if person is None:
        return ""
    turn.include(goal)
    return speech.name_of(person, turn.character)


def _last_errand(turn: Turn, asked: str) -> dict[str, str]:
    """Return what became of what the speaker sent it with last, {} if they do not ask for that.

    Where others are who may not know of it, they alone are answered.
    """
    sent = [goal for goal in kept_goals.goals(turn.script) if goal.said_by == turn.event.said_by]
    sent = [goal for goal in sent if step_rules.is_sent(goal)]
    if not sent or not _is_about(sent[-1], asked):
        return {}
    if not audience.may_know(sent[-1].audience, turn.hearers):
        if turn.speaker is None or not audience.may_know(sent[-1].audience, [turn.event.said_by]):
            return {}
        turn.answer_privately()
    turn.include(sent[-1])
    return {"how": running_errands.outcome(sent[-1]), "whom": sent[-1].title.rpartition(" to ")[2]}


def _is_about(goal: Goal, asked: str) -> bool:
    """Return whether somebody asks what became of an errand: in such words, or soon for the thing by its name."""
    if routines.asks_of_errands(asked):
        return True
    if scheduling.now() - parse_time(goal.created) > SOON:
        return False
    thing = goal.title.rpartition(" to ")[0].partition(" ")[2]
    return "?" in asked and promises.names(asked, thing)


def _back(npc: Any, slots: tuple[Slot, ...], now: Slot, home: Any) -> Slot | None:
    at = slots.index(now)
    rest = (*slots[at + 1 :], *slots[:at])
    return next((one for one in rest if _leads_to(one, home) and routine.is_so(npc, one)), None)


def _leads_to(slot: Slot, room: Any) -> bool:
    return room is not None and room.id in (
        routine.room_ids(slot.place, slot.zone) if slot.place else ()
    )


def _name(slot: Slot, seen_by: Any) -> str:
    rooms = sorted(routine.room_ids(slot.place, slot.zone)) if slot.place else []
    room = lookup.object_by_id(rooms[0]) if rooms else None
    return speech.name_of(room, seen_by) if room is not None else ""


def _named(npc: Any, words: str) -> list[dict[str, Any]]:
    """Return where those should be who are named in some words, and whose day leads to where it lives."""
    here = {place.id for place in (npc.location, npc.home) if place is not None}
    found = []
    for script_id in active_assistants.all_ids():
        script = lookup.script_by_id(script_id)
        other = script.obj if script is not None else None
        if other is None or other == npc:
            continue
        # Most are not named, and what they are called takes a while to find out.
        if not _may_be_named(other, npc, words):
            continue
        if not classification.name_fit(words, addressing.names_of(other, npc)):
            continue
        if not _shares(other, here):
            continue
        told = of(other, seen_by=npc, home=npc.location)
        if told is not None:
            found.append({"name": speech.name_of(other, npc), **told})
    return found[:OTHERS]


def _may_be_named(other: Any, npc: Any, words: str) -> bool:
    """Return whether a part of any name of somebody occurs in words at all."""
    names = (other.key, speech.name_of(other, npc), *other.aliases.all())
    folded = classification.fold(words)
    return any(part in folded for name in names for part in classification.fold(name).split())


def _shares(other: Any, here: set[int]) -> bool:
    slots = routine.slots_of(other)
    return any(
        not here.isdisjoint(routine.room_ids(slot.place, slot.zone)) for slot in slots if slot.place
    )
