"""The ladder: when a budget runs low, the alias `cheaper` answers, so that the rest of the day lasts.

Stands around the retries of a model: what `cheaper` fails at is no failure of the model that it
answers for.
"""

from __future__ import annotations

from dataclasses import replace

from twisted.internet.defer import Deferred

from evennia_ai import conf
from evennia_ai.domain.model_text import spending
from evennia_ai.llm import base, model_facts
from evennia_ai.llm.base import Backend, Completion, Request, Wrapper
from evennia_ai.llm.wrappers import budget


class Ladder(Wrapper):
    """Hands over to `cheaper` from 80 % of a cap on, and tells staff so."""

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request` by the model or, where little is left, by the cheaper one."""
        asked = budget.estimate(request, alias=self.alias, name=self.name)
        day = budget.today(self._clock)
        verdict = budget.look(budget.caps_for(request.caller), asked, day=day)
        chosen = self._cheaper() if verdict != spending.GO else None
        if chosen and request.tools and not model_facts.uses_tools(chosen):
            request = replace(request, tools=())
        return (chosen or self.inner).complete(request)

    def _cheaper(self) -> Backend | None:
        """Return the stack of the cheaper alias within its own ladder, if there is one."""
        if self.alias == budget.CHEAPER_ALIAS or budget.CHEAPER_ALIAS not in conf.get("LLM"):
            return None
        found = base.get_alias(budget.CHEAPER_ALIAS)
        # What stands outside a ladder (the rate) has counted this call already.
        inside = found
        while inside is not None and not isinstance(inside, Ladder):
            inside = getattr(inside, "inner", None)
        return inside or found
