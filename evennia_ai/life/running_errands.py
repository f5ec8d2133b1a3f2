"""Errands and plans: at each tick an NPC goes on with what it is to bring somebody, or means to do. By rules alone.

What is done is seen in the world each time: the thing is in one place, and if that is with whoever is to
have it, it was brought. So neither a restart nor a crash loses or doubles anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import structs
from twisted.python import log

from evennia_ai import movement, scheduling
from evennia_ai.agent import ingest, speech
from evennia_ai.agent.hearing import presence
from evennia_ai.core import languages, volatile
from evennia_ai.core.records import Goal, Step
from evennia_ai.domain import audience, errand_rules
from evennia_ai.domain.choices import goal_rules, step_rules
from evennia_ai.domain.choices.step_rules import Move
from evennia_ai.domain.memories import gossip
from evennia_ai.experience import pursuit
from evennia_ai.life import first_words, occasions, step_look, walking
from evennia_ai.life.step_look import Seen
from evennia_ai.life.walking import Went
from evennia_ai.memory import errands, identity, lookup, repository, routine
from evennia_ai.memory.state import kept_goals, sleep_state
from evennia_ai.sleep import falling_asleep
from evennia_ai.tools import handing_over

# How a milestone begins that says that and why nothing came of it.
GAVE_UP = "gave up: "


# {number of a goal: rooms that it walked for it, as far as is known}
_walked = volatile.of_assistants(dict[int, int])


def live(script: Any, npc: Any) -> bool:
    """Let an NPC go on with what it is to do for others, by one step; return whether it is on its way."""
    goals = kept_goals.planned(script)
    if not goals or npc.location is None:
        return False
    if movement.is_led(script, npc) or not errands.is_time(npc):
        return False
    sent = [goal for goal in goals if step_rules.is_sent(goal)]
    # Each is looked at, also after one for which it walks.
    is_on_way = sum(_go_on(script, npc, goal) for goal in sent) > 0
    if is_on_way or any(map(step_rules.is_busy, sent)):
        return is_on_way
    return _go_on_with_own(script, npc, [goal for goal in goals if goal not in sent])


def _go_on_with_own(script: Any, npc: Any, plans: Sequence[Goal]) -> bool:
    """Go on with its own plans, one after the other; who waits for somebody may do something else."""
    for goal in plans:
        if npc.location is None:
            return False
        if _go_on(script, npc, goal):
            return True
        if goal.plan[0].act not in ("tell", "hear"):
            return False
    return False


def why_up(script: Any) -> str:
    """Return why an NPC that naps should be up for an errand or a plan, "" if it need not."""
    if not sleep_state.is_nap(script):
        return ""
    now = scheduling.now()
    for goal in kept_goals.planned(script):
        step = goal.plan[0]
        # Others wait: for a thing to be handed over, for somebody to come, or for time to pass.
        is_work = step.act in ("go", "take", "give") and not step_rules.is_return(step)
        is_due = is_work or (step.act == "wait" and step_rules.is_over(step, now=now))
        if is_due and step_rules.move(step, now=now, is_done=False) is not Move.WAIT:
            return "it has something to do"
    return ""


def outcome(goal: Goal) -> str:
    """Return how an errand stands: "waits", "on_way", "done", or why it came to nothing."""
    given_up = [one.removeprefix(GAVE_UP) for one in goal.milestones if one.startswith(GAVE_UP)]
    if given_up:
        return next((why for why, text in step_rules.REASONS.items() if text == given_up[-1]), "")
    first = goal.plan[0]
    if goal.status == goal_rules.OPEN and first.act in ("get", "give"):
        return "waits" if first.act == "get" else "on_way"
    return "done"


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
    seen = step_look.look(npc, step)
    move = step_rules.move(step, now=now, is_done=seen.is_done, hopeless=seen.hopeless)
    if move is Move.DONE:
        _done(script, npc, goal, seen)
    elif move is Move.GIVE_UP:
        late = _LATE.get(step.act, step_rules.NOT_FOUND)
        _give_up(script, npc, goal, seen.hopeless or late)
    elif move is Move.TRY and is_held(npc, goal):
        return _fail(script, npc, goal, step_rules.NOT_ALONE)
    elif move is Move.TRY and step.act in _TRY:
        return _TRY[step.act](script, npc, goal, seen)
    return False


def is_held(npc: Any, goal: Goal) -> bool:
    """Return whether the next step of a plan would be heard or seen just now by one who may not know of it."""
    step = goal.plan[0]
    if step_rules.is_sent(goal) or step.act not in ("take", "give", "tell"):
        return False
    person = lookup.object_by_id(step.person_id)
    if step.act != "take" and not (person and step_look.is_here(npc, person, step)):
        return False
    # What is told before others is whispered.
    others = () if step.act == "tell" else presence.hearers(npc)
    return not audience.may_know(goal.plan_audience, {step.person, *others} - {""})


def _go(script: Any, npc: Any, goal: Goal, seen: Seen) -> bool:
    return _walk(script, npc, goal, step_look.rooms(npc, goal.plan[0]))


def _take(script: Any, npc: Any, goal: Goal, seen: Seen) -> bool:
    """Pick up what lies there and is called so."""
    called = goal.plan[0].called
    for thing in npc.location.contents:
        if not (errands.is_thing(thing, called) and handing_over.may_carry(npc, thing)):
            continue
        name = f"{thing}(#{thing.id}), taken by an NPC,"
        if routine.ask_game(name, partial(handing_over.take_up, npc, thing), False):
            return False
    return _fail(script, npc, goal, step_rules.NOT_THERE)


def _give(script: Any, npc: Any, goal: Goal, seen: Seen) -> bool:
    """Hand over what it carries, or go where whoever is to have it should be."""
    step = goal.plan[0]
    if step_look.is_here(npc, seen.person, step):
        if not step.thing:
            # From now on it is this one: whoever has it then, it was given once.
            key = identity.identity_of(seen.thing)
            step = structs.replace(step, thing=key, thing_id=seen.thing.id)
            goal = structs.replace(goal, plan=[step, *goal.plan[1:]])
            kept_goals.keep_plan(script, goal.id, goal.plan)
        _hand_over(script, npc, goal, seen)
        return False
    if step_rules.is_return(step):
        # They will come for it: nobody is followed.
        return False
    rooms = errands.rooms_of(npc, seen.person)
    if not rooms or npc.location in rooms:
        return _fail(script, npc, goal, step_rules.NOT_FOUND)
    return _walk(script, npc, goal, rooms)


def _tell(script: Any, npc: Any, goal: Goal, seen: Seen) -> bool:
    """Report to whoever sent it, as soon as they are there."""
    if not step_rules.is_sent(goal):
        return _tell_own(script, npc, goal, seen)
    step = goal.plan[0]
    if step_look.is_here(npc, seen.person, step) and presence.can_hear(seen.person):
        _end(script, npc, goal, "")
        _say(npc, goal, seen.person, f"errand_{step.words or 'done'}")
    return False


def _tell_own(script: Any, npc: Any, goal: Goal, seen: Seen) -> bool:
    """Say what it means to say, where whoever it is for should be; a player is told as they come by."""
    step = goal.plan[0]
    if step_look.is_here(npc, seen.person, step) and presence.can_hear(seen.person):
        if presence.is_mind(seen.person) or occasions.may_begin(npc, seen.person, step.person):
            _done(script, npc, goal, seen)
            _speak(npc, goal, seen.person, step.words)
        return False
    rooms = errands.rooms_of(npc, seen.person)
    if not rooms:
        return False
    if npc.location in rooms:
        return _fail(script, npc, goal, step_rules.NOT_FOUND)
    return _walk(script, npc, goal, rooms)


def _walk(script: Any, npc: Any, goal: Goal, rooms: Sequence[Any]) -> bool:
    walked = _walked.setdefault(npc.id, {})
    if goal.id not in walked:
        walked[goal.id] = 0
        falling_asleep.end_talk(script)
    if walking.is_held(script, npc):
        return False
    went = walking.towards(npc, rooms)
    if went is Went.BLOCKED:
        return _fail(script, npc, goal, step_rules.NO_WAY)
    walked[goal.id] += went is Went.ON
    return went in (Went.ON, Went.SLOWLY)


# The others wait: until somebody hands it over, or answers, or time has passed.
_TRY = {"go": _go, "take": _take, "give": _give, "tell": _tell}
# Why a step is given up for which the time is over.
_LATE = {"get": step_rules.NOT_GIVEN, "hear": step_rules.NO_ANSWER}


def _hand_over(script: Any, npc: Any, goal: Goal, seen: Seen) -> None:
    step, person, thing = goal.plan[0], seen.person, seen.thing
    name = f"{thing}(#{thing.id}), given by an NPC,"
    # What the game's hooks do about it may fail; where the thing is then is seen below.
    routine.ask_game(name, lambda: _pass(npc, goal, thing, person), False)
    if npc.location is None or not npc.pk:
        return
    # A hook may have deleted what was given: it had it by then.
    if thing.pk and thing.location == npc:
        _fail(script, npc, goal, step_rules.REFUSED)
        return
    _done(script, npc, goal, seen)
    if step_rules.is_sent(goal):
        line = f"errand_{step.words}" if step_rules.is_return(step) else "errand_sends"
        _say(npc, goal, person, line)


def _pass(npc: Any, goal: Goal, thing: Any, person: Any) -> bool:
    if step_rules.is_return(goal.plan[0]):
        # They had it before.
        return handing_over.hand_over(npc, thing, person)
    is_listed = not step_rules.is_sent(goal) or errands.is_listed(npc, thing)
    return is_listed and handing_over.pass_on(npc, thing, person)


def _done(script: Any, npc: Any, goal: Goal, seen: Seen) -> None:
    """Go on with the next step."""
    step, left = goal.plan[0], goal.plan[1:]
    did = _did(npc, step, seen)
    milestone = f"{did}{_how(npc, goal, step)}" if did else ""
    if step.act == "give":
        errands.let_go(script, step.thing)
    if not left:
        _end(script, npc, goal, milestone)
        return
    left = [step_rules.begun(left[0], now=scheduling.now()), *left[1:]]
    with repository.together(npc, script):
        kept_goals.keep_plan(script, goal.id, left, milestone=milestone, is_done=True)
        if step.act == "give" and step_rules.is_sent(goal):
            # How far it went would tell who sent it where somebody lives.
            _note(npc, goal, did)
    if step.act == "get" and seen.person is not None and step_look.is_here(npc, seen.person, step):
        _say(npc, goal, seen.person, "errand_got")


def _did(npc: Any, step: Step, seen: Seen) -> str:
    """Return what was reached by a step, "" for the way back."""
    whom = speech.name_of(seen.person, npc) if seen.person is not None else ""
    if step.act == "go" and not step.called:
        return ""
    back = "back " if step_rules.is_return(step) else ""
    return {
        "go": f"went to {speech.name_of(npc.location, npc)}",
        "get": f"got it from {whom}",
        "take": f"took {step.called}",
        "give": f"gave {step.called or 'it'} {back}to {whom}",
        "tell": f"told {whom}",
        "hear": f"heard an answer from {whom}",
        "wait": "waited",
    }[step.act]


def _how(npc: Any, goal: Goal, step: Step) -> str:
    walked = _walked.get(npc.id, {}) if step.act in ("go", "give", "tell") else {}
    rooms = walked.pop(goal.id, 0)
    way = f" after {rooms} rooms" if rooms else ""
    return way + (f" at try {step.tries + 1}" if step.tries else "")


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
    milestone = f"{GAVE_UP}{step_rules.REASONS[why]}"
    if step_rules.is_sent(goal):
        thing = step_look.look(npc, step).thing
        has_thing = thing is not None and thing.location == npc
        left = step_rules.turned_back(goal.plan, why, has_thing=has_thing, now=scheduling.now())
    else:
        left = step_rules.way_back(goal.plan)
    if not left:
        _end(script, npc, goal, milestone)
        return
    with repository.together(npc, script):
        kept_goals.keep_plan(script, goal.id, left, milestone=milestone)
        if step.act == "give" and step_rules.is_sent(goal):
            _note(npc, goal, milestone)


def _end(script: Any, npc: Any, goal: Goal, milestone: str) -> None:
    """Bring a goal to its end: an errand was done if nothing but that was to be reported, a plan if none of it was given up."""
    last, reached = goal.plan[-1], [*goal.milestones, *filter(None, [milestone])]
    is_done = last.act == "tell" and not last.words and len(goal.plan) == 1
    if not step_rules.is_sent(goal):
        is_done = not any(one.startswith(GAVE_UP) for one in reached)
        _note(npc, goal, "did so" if is_done else reached[-1])
    status = goal_rules.DONE if is_done else goal_rules.ABANDONED
    errands.let_go(script, last.thing)
    noted = pursuit.update_goal(script, npc, goal.id, milestone=milestone, status=status)
    noted.addErrback(log.err, f"evennia_ai: how errand {goal.id} of #{npc.id} went was not kept")


def _note(npc: Any, goal: Goal, outcome: str) -> None:
    """Note in the journal how an errand went, for those who may know of it."""
    is_sent, npc_name = step_rules.is_sent(goal), speech.name_of(npc, npc)
    if is_sent or languages.written() == languages.DEFAULT:
        what = f"{goal.title[:1].lower()}{goal.title[1:]}"
        asked = "was asked" if is_sent else "set out"
        came = f"but {outcome.removeprefix(GAVE_UP)}" if GAVE_UP in outcome else f"and {outcome}"
        text = f"{npc_name} {asked} to {what}, {came}."
    else:
        key = "plan_failed" if GAVE_UP in outcome else "plan_done"
        text = languages.text("reports", key).replace("{npc}", npc_name)
        text = text.replace("{what}", goal.title)
    # What somebody sent, or what was planned in confidence, travels nowhere, whatever the NPC tells on.
    is_secret = is_sent or goal.audience != audience.PUBLIC
    tags = [errand_rules.TAG, *([gossip.SECRET_TAG] if is_secret else [])]
    ingest.add_entry(
        npc, text, tags=tags, audience=goal.audience, source_id=goal.said_by, sources=goal.origins
    )


def _say(npc: Any, goal: Goal, person: Any, key: str) -> None:
    """Say a line to somebody: aloud if all who hear it may know of the errand, else in a whisper."""
    first, last = goal.plan[0], goal.plan[-1]
    about = last.about_id or first.about_id
    names = {"name": person.id, "sender": last.person_id, "person": about}
    text = languages.text("reports", key)
    for mark, one in names.items():
        body = lookup.object_by_id(one)
        text = text.replace(f"{{{mark}}}", speech.name_of(body, npc) if body is not None else "…")
    _speak(npc, goal, person, text)


def _speak(npc: Any, goal: Goal, person: Any, words: str) -> None:
    # While it is asked whether it may say that, somebody may come in: a plan in confidence is whispered in any case.
    ears = presence.hearers(npc) if step_rules.is_sent(goal) else [audience.NOBODY]
    is_open = audience.may_know(goal.audience, ears)
    known = audience.intersection([goal.audience, presence.audience_here(npc)])
    if not is_open:
        known = sorted({identity.perceived(npc, person), identity.identity_of(npc)})
    first_words.show(
        npc, "say" if is_open else "whisper", words, to=person, known=known, sources=goal.origins
    )
