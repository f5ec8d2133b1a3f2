"""Steps of a goal: when one is done, tried again or given up, and which comes next.

What the world shows is an argument, and so is the time. All state is in the goal.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import structs

from evennia_ai.core.records import Goal, Step, format_time, parse_time

# Until a step is tried again, the first time and at most, and how often it is tried.
FIRST_RETRY, LAST_RETRY = timedelta(minutes=1), timedelta(minutes=30)
TRIES = 8
# How long somebody may take to hand over what they want carried, is sought, is waited for with the report, and has
# to fetch what comes back.
HANDING_OVER, SEEKING = timedelta(minutes=5), timedelta(days=1)
REPORTING, KEEPING = timedelta(days=7), timedelta(days=30)
# How long an answer is waited for.
ANSWERING = timedelta(days=1)

# Why a step cannot be done, and how that is noted.
GONE, NOBODY, REFUSED, NO_WAY, NOT_FOUND, NOT_GIVEN, DROPPED, NO_ANSWER, NOT_THERE, NOT_ALONE = (
    "gone nobody refused no_way not_found not_given dropped no_answer not_there not_alone".split()
)
REASONS = {
    GONE: "it was gone",
    NOBODY: "they are no more",
    REFUSED: "it could not be handed over",
    NO_WAY: "no way leads there",
    NOT_FOUND: "they were not there",
    NOT_GIVEN: "it was never handed over",
    DROPPED: "was told to leave it",
    NO_ANSWER: "they did not answer",
    NOT_THERE: "it was not there to be taken",
    NOT_ALONE: "somebody was there who may not know of it",
}


class Move(enum.Enum):
    """What is done about a step now."""

    DONE = "done"
    GIVE_UP = "give up"
    WAIT = "wait"
    TRY = "try"


def move(step: Step, *, now: datetime, is_done: bool, hopeless: str = "") -> Move:
    """Return what is done about a step: `is_done` and `hopeless` (why it never will be) are what the world shows."""
    if is_done:
        return Move.DONE
    is_late = bool(step.until) and now >= parse_time(step.until)
    if hopeless or is_late or step.tries >= TRIES:
        return Move.GIVE_UP
    return Move.WAIT if step.retry_at and now < parse_time(step.retry_at) else Move.TRY


def failed(step: Step, *, now: datetime, for_good: bool = True) -> Step:
    """Return a step that was tried in vain: it waits each time twice as long.

    One that is not given up however often it fails is not `for_good`.
    """
    delay = min(FIRST_RETRY * 2 ** min(step.tries, TRIES), LAST_RETRY)
    tries = step.tries + 1 if for_good else min(step.tries + 1, TRIES - 1)
    return structs.replace(step, tries=tries, retry_at=format_time(now + delay))


def begun(step: Step, *, now: datetime) -> Step:
    if step.act == "hear":
        until = now + ANSWERING
    elif step.act == "wait":
        return structs.replace(step, since=format_time(now))
    elif step.act == "tell" and not step.until:
        until = now + REPORTING
    else:
        return step
    return structs.replace(step, since=format_time(now), until=format_time(until))


def is_over(step: Step, *, now: datetime) -> bool:
    """Return whether so long was waited as a step says."""
    return bool(step.since) and now >= parse_time(step.since) + timedelta(seconds=step.seconds)


def errand(
    *,
    thing: tuple[str, int],
    sender: tuple[str, int],
    receiver: tuple[str, int],
    back_to: int,
    is_here: bool,
    now: datetime,
) -> list[Step]:
    """Return the steps by which a thing is brought to somebody; it may not be `is_here` with the carrier yet.

    Things and people are (identity, id). It comes `back_to` a room, unless that is 0, and reports.
    """
    which = {"thing": thing[0], "thing_id": thing[1]}
    until = format_time(now + HANDING_OVER)
    get = Step(act="get", person=sender[0], person_id=sender[1], until=until, **which)
    sought = format_time(now + SEEKING)
    give = Step(act="give", person=receiver[0], person_id=receiver[1], until=sought, **which)
    back = [Step(act="go", place=back_to)] if back_to else []
    report = _told(sender, "", about_id=receiver[1], now=now)
    return [*([] if is_here else [get]), give, *back, report]


def turned_back(plan: Sequence[Step], why: str, *, has_thing: bool, now: datetime) -> list[Step]:
    """Return what is left to do once the first step was given up.

    What it still has it gives back to whom it reports to. Who does not come for it within KEEPING loses it.
    """
    first, report = plan[0], plan[-1]
    if first.act == "go":
        return list(plan[1:])
    if first.act != "give" or report.act != "tell":
        return []
    whom = report.person, report.person_id
    back = [step for step in plan if step.act == "go"]
    if not has_thing:
        return [*back, _told(whom, why, about_id=first.person_id, now=now)]
    give_back = Step(
        act="give",
        thing=first.thing,
        thing_id=first.thing_id,
        person=report.person,
        person_id=report.person_id,
        about_id=first.person_id,
        words=why,
        until=format_time(now + KEEPING),
    )
    return [*back, give_back]


def way_back(plan: Sequence[Step]) -> list[Step]:
    """Return what is left of a plan of its own that was given up: it goes back to where it was before."""
    last = plan[-1]
    return [last] if last.act == "go" and last.place and len(plan) > 1 else []


def is_return(step: Step) -> bool:
    """Return whether a step gives something back, with the reason."""
    return step.act == "give" and bool(step.words)


def is_busy(goal: Goal) -> bool:
    """Return whether somebody sent it, and it has steps that lead somewhere, or wait for a thing to be handed over."""
    return is_sent(goal) and goal.plan[0].act != "tell" and not is_return(goal.plan[0])


def is_sent(goal: Goal) -> bool:
    """Return whether a goal with steps is an errand for somebody, else it is a plan of its own."""
    return bool(goal.plan and goal.said_by)


def _told(whom: tuple[str, int], words: str, *, about_id: int, now: datetime) -> Step:
    """Return the step by which somebody hears how it went: "" is that it went well."""
    until = format_time(now + REPORTING)
    return Step(
        act="tell",
        person=whom[0],
        person_id=whom[1],
        about_id=about_id,
        words=words,
        until=until,
    )
