"""The switch `errands` of `@assistant`: what an NPC carries for players, how far it is, and to let it drop one."""

from __future__ import annotations

from typing import Any

from evennia_ai import scheduling
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch, whole_number
from evennia_ai.core.records import Goal, Step, age_seconds, format_time, parse_time
from evennia_ai.life import running_errands as running
from evennia_ai.memory import errands, lookup
from evennia_ai.memory.state import kept_goals
from evennia_ai.typeclasses import scripts

DROP = "drop"
NEXT = {
    "go": "goes back",
    "get": "waits for it to be handed over",
    "give": "brings it",
    "tell": "waits to tell how it went",
}
NEXT_OF_OWN = {
    "go": "goes to {called}",
    "take": "takes {called}",
    "give": "brings {called} to {person}",
    "tell": "is to tell {person} something",
    "hear": "waits for an answer of {person}",
    "wait": "waits",
}
BACK = "waits to give it back"


class ErrandsSwitch(AssistantCommand):
    """How `@assistant` shows what an NPC does for players."""

    @switch("errands", lock="perm(Builder)")
    def show_errands(self) -> None:
        """@assistant/errands <npc>[/<number> = drop]"""
        name, slash, number = self.lhs.rpartition("/")
        npc = self.find_assistant(name.strip() if slash else self.lhs)
        if npc is None:
            return
        if slash and (self.rhs or "").casefold() == DROP:
            self._drop(npc, number.strip())
        elif slash or self.rhs is not None:
            self.say_usage()
        else:
            self.msg("\n".join([self._carried(npc), *map(_line, _kept(npc))]))

    def _carried(self, npc: Any) -> str:
        listed = errands.errands_of(npc)
        if not listed.to:
            return f"{self.name_of(npc)} runs no errands; its persona has no `errands`."
        things, people = ", ".join(listed.things), ", ".join(listed.to)
        return f"{self.name_of(npc)} carries {escaped(things)} to {escaped(people)}."

    def _drop(self, npc: Any, number: str) -> None:
        goal_id = whole_number(number)
        if goal_id is None or not running.drop(scripts.find(npc), npc, goal_id):
            self.msg(
                f"{quoted(number)} is none of its errands; {self.key}/errands {npc.key} lists them."
            )
            return
        self.log_change(f"dropped errand {goal_id} of", npc)
        self.msg(
            f"{self.name_of(npc)} gives up errand {goal_id}, and gives back what it has of it."
        )


def _kept(npc: Any) -> list[Goal]:
    return kept_goals.planned(scripts.find(npc))


def _line(goal: Goal) -> str:
    step = goal.plan[0]
    sender = lookup.object_by_id(goal.plan[-1].person_id) if goal.said_by else None
    whom = f" for {sender.get_display_name(None)}" if sender is not None else ""
    way = "; ".join([*goal.milestones, _next(goal, step)])
    return f" {goal.id}. {escaped(goal.title)}{whom}: {escaped(way)}"


def _next(goal: Goal, step: Step) -> str:
    """Return what comes next, and when."""
    if goal.said_by or (step.act == "go" and not step.called):
        what = BACK if step.act == "give" and step.words else NEXT[step.act]
    else:
        person = lookup.object_by_id(step.person_id)
        name = person.get_display_name(None) if person is not None else "somebody"
        what = NEXT_OF_OWN[step.act].format(called=step.called, person=name)
    now = scheduling.now()
    if not step.retry_at or parse_time(step.retry_at) <= now:
        return what
    minutes = age_seconds(format_time(now), now=parse_time(step.retry_at)) / 60
    return f"{what}, again in {minutes:.0f} min"
