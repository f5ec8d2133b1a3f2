"""Errands: at each tick an NPC goes on with what it is to bring somebody. By rules alone.

What is done is seen in the world each time: the thing is in one place, and if that is with whoever is to
have it, it was brought. So neither a restart nor a crash loses or doubles anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.agent import ingest, speech
from evennia_ai.agent.hearing import presence
from evennia_ai.core import languages, volatile
from evennia_ai.core.records import Goal, Step
from evennia_ai.domain import audience
from evennia_ai.domain.choices import goal_rules, step_rules
from evennia_ai.domain.choices.step_rules import Move
from evennia_ai.domain.memories import gossip
from evennia_ai.experience import pursuit
from evennia_ai.life import first_words, going
from evennia_ai.life.going import Went
from evennia_ai.memory import errands, identity, lookup, repository, routine
from evennia_ai.memory.state import active_assistants, kept_errands, kept_goals, sleep_state
from evennia_ai.sleep import falling_asleep
from evennia_ai.tools import handing_over, walking

TAG = "errand"


class _Seen(NamedTuple):
    """What the world shows of a step: its thing and person, if it is done, and why it never will be."""

    thing: Any = None
    person: Any = None
    is_done: bool = False
    hopeless: str = ""


@dataclass
class _State:
    # (npc id, number of a goal) → rooms that it walked for it, as far as is known
    walked: dict[tuple[int, int], int] = field(default_factory=dict)


_state = volatile.keep(_State)


def live(script: Any, npc: Any) -> bool:
    """Let an NPC go on with what it is to do for others, by one step; return whether it is on its way."""
    goals = kept_goals.planned(script)
    if not goals or npc.location is None:
        return False
    if walking.is_led(script, npc) or not errands.is_time(npc):
        return False
    # Each is looked at, also after one for which it walks.
    return sum(_go_on(script, npc, goal) for goal in goals) > 0


def why_up(script: Any) -> str:
    """Return why an NPC that naps should be up for an errand, "" if it need not."""
    if not sleep_state.is_nap(script):
        return ""
    goal = kept_errands.current(script)
    if goal is None or goal.plan[0].act == "get":
        return ""
    move = step_rules.move(goal.plan[0], now=scheduling.now(), is_done=False)
    return "it has something to bring" if move is not Move.WAIT else ""


def drop(script: Any, npc: Any, goal_id: int) -> bool:
    """Let an NPC give up an errand: it gives back what it has; return whether there is such an errand."""
    goal = next((one for one in kept_goals.planned(script) if one.id == goal_id), None)
    if goal is None:
        return False
    if step_rules.is_busy(goal):
        _give_up(script, npc, goal, step_rules.DROPPED)
    else:
        _end(script, npc, goal, step_rules.REASONS[step_rules.DROPPED])
    return True


def _go_on(script: Any, npc: Any, goal: Goal) -> bool:
    step, now = goal.plan[0], scheduling.now()
    seen = _look(npc, step)
    move = step_rules.move(step, now=now, is_done=seen.is_done, hopeless=seen.hopeless)
    if move is Move.DONE:
        _done(script, npc, goal, seen)
    elif move is Move.GIVE_UP:
        late = step_rules.NOT_GIVEN if step.act == "get" else step_rules.NOT_FOUND
        _give_up(script, npc, goal, seen.hopeless or late)
    elif move is Move.TRY:
        return _TRY[step.act](script, npc, goal, seen)
    return False


def _look(npc: Any, step: Step) -> _Seen:
    """Return what the world shows of a step."""
    if step.act == "go":
        room = lookup.object_by_id(step.place)
        is_lost = step_rules.NO_WAY if room is None else ""
        return _Seen(is_done=npc.location == room, hopeless=is_lost)
    person = lookup.object_by_id(step.person_id)
    if step.act == "tell":
        return _Seen(person=person, hopeless="" if person else step_rules.NOBODY)
    thing = lookup.object_by_id(step.thing_id)
    if thing is None or not identity.has_own(thing) or identity.identity_of(thing) != step.thing:
        return _Seen(person=person, hopeless=step_rules.GONE)
    if step.act == "get":
        return _Seen(thing, person, is_done=thing.location == npc)
    if person is None:
        return _Seen(thing, hopeless=step_rules.NOBODY)
    is_lost = "" if thing.location == npc else step_rules.GONE
    return _Seen(thing, person, is_done=thing.location == person, hopeless=is_lost)


def _is_here(npc: Any, person: Any, step: Step) -> bool:
    """Return whether somebody is beside an NPC, awake, and taken for who is meant."""
    if person.location != npc.location or not presence.sees(npc, person):
        return False
    script = active_assistants.script_of(person)
    # Who only naps takes what is brought.
    if script is not None and sleep_state.is_asleep(script) and not sleep_state.is_nap(script):
        return False
    return identity.perceived(npc, person) == step.person


def _get(script: Any, npc: Any, goal: Goal, seen: _Seen) -> bool:
    """Wait until somebody hands it over."""
    return False


def _go(script: Any, npc: Any, goal: Goal, seen: _Seen) -> bool:
    return _walk(script, npc, goal, [lookup.object_by_id(goal.plan[0].place)])


def _give(script: Any, npc: Any, goal: Goal, seen: _Seen) -> bool:
    """Hand over what it carries, or go where whoever is to have it should be."""
    step = goal.plan[0]
    if _is_here(npc, seen.person, step):
        _hand_over(script, npc, goal, seen)
        return False
    if step_rules.is_return(step):
        # They will come for it: nobody is followed.
        return False
    rooms = errands.rooms_of(npc, seen.person)
    if not rooms or npc.location in rooms:
        return _fail(script, npc, goal, step_rules.NOT_FOUND)
    return _walk(script, npc, goal, rooms)


def _tell(script: Any, npc: Any, goal: Goal, seen: _Seen) -> bool:
    """Report to whoever sent it, as soon as they are there."""
    step = goal.plan[0]
    if _is_here(npc, seen.person, step) and presence.can_hear(seen.person):
        _end(script, npc, goal, "")
        _say(npc, goal, seen.person, f"errand_{step.words or 'done'}")
    return False


def _walk(script: Any, npc: Any, goal: Goal, rooms: Sequence[Any]) -> bool:
    key = npc.id, goal.id
    if key not in _state.walked:
        _state.walked[key] = 0
        falling_asleep.end_talk(script)
    if going.is_held(script, npc):
        return False
    went = going.towards(npc, rooms)
    if went is Went.BLOCKED:
        return _fail(script, npc, goal, step_rules.NO_WAY)
    _state.walked[key] += went is Went.ON
    return went in (Went.ON, Went.SLOWLY)


_TRY = {"get": _get, "go": _go, "give": _give, "tell": _tell}


def _hand_over(script: Any, npc: Any, goal: Goal, seen: _Seen) -> None:
    step, person, thing = goal.plan[0], seen.person, seen.thing
    name = f"{thing}(#{thing.id}), given by an NPC,"
    # What the game's hooks do about it may fail; where the thing is then is seen below.
    routine.ask_game(name, lambda: _pass(npc, step, thing, person), False)
    if npc.location is None or not npc.pk:
        return
    # A hook may have deleted what was given: it had it by then.
    if thing.pk and thing.location == npc:
        _fail(script, npc, goal, step_rules.REFUSED)
        return
    _done(script, npc, goal, seen)
    line = f"errand_{step.words}" if step_rules.is_return(step) else "errand_sends"
    _say(npc, goal, person, line)


def _pass(npc: Any, step: Step, thing: Any, person: Any) -> bool:
    if step_rules.is_return(step):
        # They had it before.
        return handing_over.hand_over(npc, thing, person)
    return errands.is_listed(npc, thing) and handing_over.pass_on(npc, thing, person)


def _done(script: Any, npc: Any, goal: Goal, seen: _Seen) -> None:
    """Go on with the next step."""
    step, left = goal.plan[0], goal.plan[1:]
    milestone = _milestone(npc, goal, step, seen)
    if step.act == "give":
        kept_errands.let_go(script, step.thing)
    if not left:
        _end(script, npc, goal, milestone)
        return
    with repository.together(npc, script):
        kept_goals.keep_plan(script, goal.id, left, milestone=milestone)
        if step.act == "give":
            _note(npc, goal, milestone)
    if step.act == "get" and seen.person is not None and _is_here(npc, seen.person, step):
        _say(npc, goal, seen.person, "errand_got")


def _milestone(npc: Any, goal: Goal, step: Step, seen: _Seen) -> str:
    if step.act not in ("get", "give") or seen.person is None:
        return ""
    whom = speech.name_of(seen.person, npc)
    if step.act == "get":
        return f"got it from {whom}"
    rooms = _state.walked.pop((npc.id, goal.id), 0)
    way = f" after {rooms} rooms" if rooms else ""
    tries = f" at try {step.tries + 1}" if step.tries else ""
    return f"gave it {'back ' if step_rules.is_return(step) else ''}to {whom}{way}{tries}"


def _fail(script: Any, npc: Any, goal: Goal, why: str) -> bool:
    """Try a step again later, or give it up."""
    step = goal.plan[0]
    tried = step_rules.failed(step, now=scheduling.now(), for_good=not step_rules.is_return(step))
    if tried.tries >= step_rules.TRIES:
        _give_up(script, npc, goal, why)
    else:
        kept_goals.keep_plan(script, goal.id, [tried, *goal.plan[1:]])
    return False


def _give_up(script: Any, npc: Any, goal: Goal, why: str) -> None:
    """Turn back: give back what it has, and let whoever sent it know."""
    step = goal.plan[0]
    has_thing = _look(npc, step).thing is not None and _has(npc, step)
    left = step_rules.turned_back(goal.plan, why, has_thing=has_thing, now=scheduling.now())
    milestone = f"gave up: {step_rules.REASONS[why]}"
    if not left:
        _end(script, npc, goal, milestone)
        return
    with repository.together(npc, script):
        kept_goals.keep_plan(script, goal.id, left, milestone=milestone)
        if step.act == "give":
            _note(npc, goal, milestone)


def _has(npc: Any, step: Step) -> bool:
    thing = lookup.object_by_id(step.thing_id)
    return thing is not None and thing.location == npc


def _end(script: Any, npc: Any, goal: Goal, milestone: str) -> None:
    """Bring an errand to its end: it was done if nothing but that was to be reported."""
    last = goal.plan[-1]
    is_done = last.act == "tell" and not last.words and len(goal.plan) == 1
    status = goal_rules.DONE if is_done else goal_rules.ABANDONED
    kept_errands.let_go(script, last.thing)
    noted = pursuit.update_goal(script, npc, goal.id, milestone=milestone, status=status)
    noted.addErrback(log.err, f"evennia_ai: how errand {goal.id} of #{npc.id} went was not kept")


def _note(npc: Any, goal: Goal, outcome: str) -> None:
    """Note in the journal how an errand went, for those who may know of it."""
    what = f"{goal.title[:1].lower()}{goal.title[1:]}"
    text = f"{speech.name_of(npc, npc)} was asked to {what}, and {outcome}."
    # It travels nowhere, whatever the NPC tells on.
    ingest.add_entry(npc, text, tags=[TAG, gossip.SECRET_TAG], audience=goal.audience)


def _say(npc: Any, goal: Goal, person: Any, key: str) -> None:
    """Say a line to somebody: aloud if all who hear it may know of the errand, else in a whisper."""
    first, last = goal.plan[0], goal.plan[-1]
    about = last.about_id or first.about_id
    names = {"name": person.id, "sender": last.person_id, "person": about}
    text = languages.text("reports", key)
    for mark, one in names.items():
        body = lookup.object_by_id(one)
        text = text.replace(f"{{{mark}}}", speech.name_of(body, npc) if body is not None else "…")
    known = audience.may_know(goal.audience, presence.hearers(npc))
    first_words.show(npc, "say" if known else "whisper", text, to=person)
