"""The switch `goal` of `@assistant`: what an NPC wants to achieve, and how far it has come."""

from __future__ import annotations

from typing import Any

from twisted.python import log

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch, whole_number
from evennia_ai.domain.choices import goal_rules as rules
from evennia_ai.domain.choices.plan_rules import LENGTH
from evennia_ai.domain.model_text import reply
from evennia_ai.experience import pursuit
from evennia_ai.memory import plans
from evennia_ai.memory.state import kept_goals
from evennia_ai.typeclasses import scripts


class GoalSwitch(AssistantCommand):
    """How `@assistant` gives an NPC something to strive for."""

    @switch("goal", lock="perm(Builder)")
    def pursue(self) -> None:
        """@assistant/goal <npc>[/<number>] [= <goal, or how it goes>]"""
        name, slash, number = self.lhs.rpartition("/")
        npc = self.find_assistant(name.strip() if slash else self.lhs)
        if npc is None:
            return
        words = reply.printable(self.rhs or "", max_length=LENGTH)
        if self.rhs is None and not slash:
            self._show(npc)
        elif not words:
            self.say_usage()
        elif slash:
            self._go_on(npc, number.strip(), words)
        else:
            self._set(npc, words)

    def _show(self, npc: Any) -> None:
        lines = rules.described(kept_goals.goals(scripts.find(npc)))
        name = self.name_of(npc)
        self.msg(
            "\n".join([f"{name} wants to achieve:", *map(escaped, lines)])
            if lines
            else f"{name} has no goals."
        )

    def _set(self, npc: Any, words: str) -> None:
        try:
            goal = plans.set_goal(npc, scripts.find(npc), words)
        except ValueError as error:
            self.msg(f"{escaped(str(error)[:1].upper() + str(error)[1:])} Nothing was done.")
            return
        self.log_change(f"set goal {goal.id} of", npc)
        name, steps = self.name_of(npc), len(goal.plan)
        by_steps = f" It goes by itself: {steps} step{'s' * (steps > 1)}." if steps else ""
        self.msg(f"{name} has goal {goal.id} now: {escaped(goal.title)}{by_steps}")

    def _go_on(self, npc: Any, number: str, words: str) -> None:
        """Note how a goal goes; to end one lets experience keep how it went."""
        goal_id = whole_number(number)
        kept = kept_goals.goals(scripts.find(npc))
        goal = next((one for one in kept if one.id == goal_id), None)
        if goal is None or goal.status != rules.OPEN:
            state = f"is {goal.status} already" if goal else "is none of its goals"
            self.msg(f"{quoted(number)} {state}; {self.key}/goal {npc.key} lists them.")
            return
        if goal.plan:
            self.msg(f"That goes by itself; {self.key}/errands {npc.key} shows it, and drops it.")
            return
        percent = whole_number(words.removesuffix("%").strip())
        if percent is not None and percent > rules.FULL:
            self.msg("A goal is between 0 and 100 percent done.")
            return
        noted = pursuit.update_goal(scripts.find(npc), npc, goal_id, **_change(words, percent))
        noted.addErrback(log.err, f"evennia_ai: goal {goal_id} of #{npc.id} was not noted")
        self.log_change(f"noted how goal {goal_id} goes of", npc)
        self.msg(f"Goal {goal_id} of {self.name_of(npc)}: {escaped(words)}")


def _change(words: str, percent: int | None) -> dict[str, Any]:
    """Return what somebody typed as a change of a goal."""
    if percent is not None:
        return {"progress": float(percent)}
    if words.casefold() in (rules.DONE, rules.ABANDONED):
        return {"status": words.casefold()}
    return {"milestone": words}
