"""Errands in progress: what a mind was given to carry, and how often it was asked."""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.core.records import Goal
from evennia_ai.core.states import ErrandsAsked
from evennia_ai.domain.choices import step_rules
from evennia_ai.memory import identity, kinds, repository
from evennia_ai.memory.state import kept_goals

# Things that it was given of which it knows from whom.
ENTRUSTED_LIMIT = 20
# So many times as much as for one player is taken on for all of them in a day.
PLAYERS_A_DAY = 5
# Errands that it has at a time: one that it runs, and things and reports that wait for whoever sent it.
LIMIT = 10


def entrust(script: TypedObject, thing: TypedObject, giver: str) -> None:
    """Note from whom the NPC was given a thing that it would carry for them."""
    with repository.edit(script, kinds.ENTRUSTED, default=dict) as kept:
        kept[identity.identity_of(thing)] = giver
        for surplus in list(kept)[:-ENTRUSTED_LIMIT]:
            del kept[surplus]


def giver_of(script: TypedObject, thing: TypedObject) -> str:
    """Return who gave the NPC a thing, "" if that is not known."""
    kept = repository.load(script, kinds.ENTRUSTED) or {}
    return kept.get(identity.identity_of(thing), "") if kept and identity.has_own(thing) else ""


def let_go(script: TypedObject, thing: str) -> None:
    """Note that the NPC has a thing no more."""
    if thing in (repository.load(script, kinds.ENTRUSTED) or {}):
        with repository.edit(script, kinds.ENTRUSTED, default=dict) as kept:
            kept.pop(thing, None)


def is_enough(script: TypedObject, account: int, day: int, *, a_day: int) -> bool:
    """Return whether so much was taken on for an account, or for all, that it is enough for a day."""
    kept = repository.load(script, kinds.ERRANDS_ASKED)
    if kept is None or kept.day != day:
        return False
    of_all = sum(kept.counts.values())
    return kept.counts.get(str(account), 0) >= a_day or of_all >= a_day * PLAYERS_A_DAY


def note_asked(script: TypedObject, account: int, day: int) -> None:
    """Note that one more was taken on."""
    kept = repository.load(script, kinds.ERRANDS_ASKED)
    counts = kept.counts if kept is not None and kept.day == day else {}
    more = {**counts, str(account): counts.get(str(account), 0) + 1}
    repository.save(script, kinds.ERRANDS_ASKED, ErrandsAsked(day, more))


def forget_account(script: TypedObject, account: int) -> None:
    """Forget that an account asked for errands."""
    kept = repository.load(script, kinds.ERRANDS_ASKED)
    if kept is not None and str(account) in kept.counts:
        left = {who: count for who, count in kept.counts.items() if who != str(account)}
        repository.save(script, kinds.ERRANDS_ASKED, ErrandsAsked(kept.day, left))


def current(script: TypedObject) -> Goal | None:
    """Return the errand that the NPC runs now, None if it runs none."""
    return next((goal for goal in kept_goals.planned(script) if step_rules.is_busy(goal)), None)


def is_awaited(script: TypedObject, thing: TypedObject) -> bool:
    """Return whether the NPC waits for a thing to be handed to it."""
    first = [goal.plan[0] for goal in kept_goals.planned(script)]
    return any(step.act == "get" and step.thing_id == thing.id for step in first)
