"""Plans held against the game: what a step names must be there, and be the NPC's to use."""

from __future__ import annotations

from collections.abc import Sequence

from evennia.typeclasses.models import TypedObject

from evennia_ai import scheduling
from evennia_ai.core.records import Audience, Goal, Step
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import plan_rules, step_rules
from evennia_ai.domain.choices.plan_rules import Plan, Planned
from evennia_ai.domain.model_text.quotation import quote
from evennia_ai.memory import errands, identity, kinds, repository, routine
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import active_assistants, kept_goals


def plans_of(npc: TypedObject) -> list[Plan]:
    """Return how its builder wrote that an NPC reaches which goals; what cannot be read is left out."""
    written = (repository.load(npc, kinds.PERSONA) or {}).get("plans")
    lines = map(str, written) if isinstance(written, list) else ()
    readable = (line for line in lines if not routine.why_not(plan_rules.read_line, line))
    return list(map(plan_rules.read_line, readable))


def set_goal(
    npc: TypedObject, script: TypedObject, words: str, *, audience: Audience = audiences.PUBLIC
) -> Goal:
    """Set a goal in the words of its builder: with the steps that stand there, or that `plans` has for it.

    Raises:
        ValueError: There are too many goals, or a step names what is not there.
    """
    plan = _plan_of(npc, words)
    if plan.steps and any(goal.title == plan.title for goal in kept_goals.planned(script)):
        raise ValueError("it is at that already.")
    steps = bound(npc, plan.steps) if plan.steps else []
    return kept_goals.add_goal(
        script,
        plan.title,
        audience=audience,
        plan=with_way_back(npc, steps) if steps else (),
        about=sorted({step.person for step in steps} - {""}),
    )


def with_way_back(npc: TypedObject, steps: Sequence[Step]) -> list[Step]:
    """Return steps after which an NPC without a routine is where it was before."""
    if routine.slots_of(npc) or npc.location is None:
        return list(steps)
    return [*steps, Step(act="go", place=npc.location.id)]


def bound(npc: TypedObject, steps: Sequence[Planned], *, is_own: bool = False) -> list[Step]:
    """Return steps with whom and where they name.

    What a mind plans of its `own` has but things and people that its builder lists for errands, and people whom it knows.

    Raises:
        ValueError: A step names what is not there, or what it may not use; the text says which.
    """
    found: list[Step] = []
    for number, step in enumerate(steps, 1):
        try:
            found += _bound(npc, step, is_own)
        except ValueError as error:
            raise ValueError(f"step {number}: {error}") from None
    return [step_rules.begun(found[0], now=scheduling.now()), *found[1:]]


def _plan_of(npc: TypedObject, words: str) -> Plan:
    if plan_rules.BETWEEN in words or not routine.why_not(plan_rules.read_line, words):
        return plan_rules.read_line(words)
    known = (one for one in plans_of(npc) if one.title.casefold() == words.casefold())
    return next(known, None) or _by_rules(words)


def _by_rules(words: str) -> Plan:
    """Return a goal whose words are one step; without any if they are none."""
    try:
        return Plan(words[: plan_rules.TITLE], (plan_rules.read_step(words.rstrip(".")),))
    except ValueError:
        return Plan(words[: plan_rules.TITLE], ())


def _bound(npc: TypedObject, step: Planned, is_own: bool) -> list[Step]:
    if step.act == "wait":
        return [Step(act="wait", seconds=step.seconds)]
    if step.act == "go":
        zone = routine.zone_of(npc)
        there = (one for one in plan_rules.places(step.place) if routine.room_ids(one, zone))
        if not (place := next(there, "")):
            raise ValueError(f"there is no place {quote(step.place)} to go to.")
        return [Step(act="go", called=place)]
    if step.thing and is_own and not errands.may_name(npc, step.thing):
        raise ValueError(f"{quote(step.thing)} is nothing that you may carry.")
    if step.act == "take":
        return [Step(act="take", called=step.thing)]
    return _with_somebody(npc, step, is_own)


def _with_somebody(npc: TypedObject, step: Planned, is_own: bool) -> list[Step]:
    listed = errands.receiver(npc, step.person)
    person, is_listed = listed or errands.somebody(step.person), listed is not None
    if person is None or person == npc or (is_own and not (is_listed or _knows(npc, person))):
        raise ValueError(f"there is nobody {quote(step.person)} whom you know.")
    whom = {"person": identity.perceived(npc, person), "person_id": person.id}
    if step.act == "give":
        if is_own and not is_listed:
            raise ValueError(f"you carry nothing to {quote(step.person)}.")
        return [Step(act="give", called=step.thing, **whom)]
    if step.act == "tell":
        return [Step(act="tell", words=step.words, **whom)]
    if active_assistants.script_of(person) is not None:
        # One mind that asks another would keep both of them talking where nobody hears it.
        raise ValueError("only players are asked; tell others.")
    return [Step(act="tell", words=step.words, **whom), Step(act="hear", **whom)]


def _knows(npc: TypedObject, person: TypedObject) -> bool:
    who = identity.perceived(npc, person)
    return bool(who) and entity_profiles.find_profile(npc, who) is not None
