"""Look at the steps of a goal: whether the world shows one as done, or that it never will be."""

from __future__ import annotations

from typing import Any, NamedTuple

from evennia_ai import scheduling
from evennia_ai.agent.hearing import presence
from evennia_ai.core.records import Step, parse_time
from evennia_ai.domain.choices import step_rules
from evennia_ai.memory import errands, identity, lookup, routine, working_memory
from evennia_ai.memory.state import active_assistants, kept_goals, sleep_state
from evennia_ai.tools import handing_over


class Seen(NamedTuple):
    """What the world shows of a step: its thing and person, if it is done, and why it never will be."""

    thing: Any = None
    person: Any = None
    is_done: bool = False
    hopeless: str = ""


def look(npc: Any, step: Step) -> Seen:
    """Return what the world shows of a step."""
    if step.act == "go":
        places = rooms(npc, step)
        is_lost = "" if places else step_rules.NO_WAY
        return Seen(is_done=npc.location in places, hopeless=is_lost)
    if step.act == "wait":
        return Seen(is_done=step_rules.is_over(step, now=scheduling.now()))
    if step.act == "take":
        thing = _carried(npc, step.called)
        return Seen(thing, is_done=thing is not None)
    person = lookup.object_by_id(step.person_id)
    if step.act in ("tell", "hear"):
        is_answer = step.act == "hear" and person is not None and _has_answered(npc, step)
        return Seen(person=person, is_done=is_answer, hopeless="" if person else step_rules.NOBODY)
    if not step.thing:
        thing = _carried(npc, step.called)
        is_lost = step_rules.NOBODY if person is None else step_rules.GONE if thing is None else ""
        return Seen(thing, person, hopeless=is_lost)
    thing = lookup.object_by_id(step.thing_id)
    if thing is None or not identity.has_own(thing) or identity.identity_of(thing) != step.thing:
        return Seen(person=person, hopeless=step_rules.GONE)
    if step.act == "get":
        return Seen(thing, person, is_done=thing.location == npc)
    if person is None:
        return Seen(thing, hopeless=step_rules.NOBODY)
    is_lost = "" if thing.location == npc else step_rules.GONE
    return Seen(thing, person, is_done=thing.location == person, hopeless=is_lost)


def rooms(npc: Any, step: Step) -> list[Any]:
    """Return where a step leads to."""
    ids = routine.room_ids(step.called, routine.zone_of(npc)) if step.called else {step.place}
    return [room for one in sorted(ids) if (room := lookup.object_by_id(one)) is not None]


def _carried(npc: Any, called: str) -> Any:
    """Return what an NPC has that is called so, and is no player's who sent it, None without anything."""
    script = lookup.mind_of(npc)
    sent = (step.thing for goal in kept_goals.planned(script) for step in goal.plan if goal.said_by)
    theirs = {thing for thing in sent if thing}
    for thing in npc.contents:
        if not (errands.is_thing(thing, called) and handing_over.may_carry(npc, thing)):
            continue
        is_sent = identity.has_own(thing) and identity.identity_of(thing) in theirs
        if not (is_sent or errands.giver_of(script, thing)):
            return thing
    return None


def _has_answered(npc: Any, step: Step) -> bool:
    """Return whether somebody said something to an NPC since it asked them."""
    kept = working_memory.get_conversation_context(npc, step.person)
    since = parse_time(step.since) if step.since else scheduling.now()
    said = (line for line in (kept.messages if kept else ()) if not line.mine)
    return any(parse_time(line.timestamp) > since for line in said)


def is_here(npc: Any, person: Any, step: Step) -> bool:
    """Return whether somebody is beside an NPC, awake, and taken for who is meant."""
    if person.location != npc.location or not presence.sees(npc, person):
        return False
    script = active_assistants.script_of(person)
    # Who only naps takes what is brought.
    if script is not None and sleep_state.is_asleep(script) and not sleep_state.is_nap(script):
        return False
    return identity.perceived(npc, person) == step.person
