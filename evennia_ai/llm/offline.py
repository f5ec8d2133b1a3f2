"""The mind that needs no model: it greets, tells what surely answers a question, and does what it is plainly asked to.

It reads `Request.context`, the plain data from which the prompt was written, and never the prompt;
of the messages only the results of the tools that it used itself. It is deterministic.
"""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import Deferred, execute

from evennia_ai.core import languages
from evennia_ai.domain import sentiment
from evennia_ai.domain.offline import mind
from evennia_ai.domain.offline.mind import Action
from evennia_ai.domain.sleeping import offline_reflection, profile_rules, rating_rules, summary
from evennia_ai.exceptions import LLMRefused
from evennia_ai.llm.base import JOBS, Completion, Request, ToolCall

# The tool by which it notes that somebody pleased or hurt it, before it speaks.
REGARD = "update_relationship"


class OfflineMind:
    """A mind by rules. Each job is a method of its name; a job without one is refused."""

    name = "offline"
    is_model = False

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer at once; LLMRefused for a job that it cannot do."""
        return execute(self._complete, request)

    def reply(self, request: Request) -> Completion:
        """Say a line or use a tool; after a tool, say what came of it."""
        with languages.reading(str((request.context.get("npc") or {}).get("language") or "")):
            return self._reply(request)

    def _reply(self, request: Request) -> Completion:
        # What was done for a model that cannot answer now is told by this one.
        used = last_tool_use(request.messages) or request.context.get("wished") or {}
        offered = {tool["name"] for tool in request.tools}
        feeling = sentiment.favorability_change(request.context)
        if feeling and not used and REGARD in offered:
            action = _regard(request.context, *feeling)
        elif used and used["tool"] != REGARD:
            action = mind.comment(request.context, **used)
        else:
            action = mind.respond(request.context, tools=offered)
        if not action.tool:
            return self._completion(text=action.text)
        call = ToolCall(id=f"offline-{action.tool}", name=action.tool, arguments=action.arguments)
        return self._completion(tool_calls=(call,))

    def score(self, request: Request) -> Completion:
        """Rate how much the last of some entries of a journal matters, and say that it was by rules."""
        worth = list(rating_rules.rate(request.context["entries"]).values())[-1]
        return self._completion(text=json.dumps({"worth": worth, "by": rating_rules.OFFLINE}))

    def summarise(self, request: Request) -> Completion:
        """Say in short what was said, with whom it is from."""
        return self._completion(text=json.dumps({"summary": summary.summarise(**request.context)}))

    def extract(self, request: Request) -> Completion:
        """Name what others said about the world."""
        lines, npc = request.context.get("lines") or (), request.context.get("npc") or ""
        return self._completion(text=json.dumps({"facts": summary.facts(lines, npc=npc)}))

    def consolidate(self, request: Request) -> Completion:
        """Say what observations of a person come to."""
        return self._completion(
            text=json.dumps({"attributes": profile_rules.draw(request.context)}, ensure_ascii=False)
        )

    def questions(self, request: Request) -> Completion:
        """Ask what the last days raise."""
        return self._completion(text=json.dumps(offline_reflection.ask(request.context)))

    def insights(self, request: Request) -> Completion:
        """Conclude what the evidence adds up to."""
        return self._completion(text=json.dumps(offline_reflection.conclude(request.context)))

    def _complete(self, request: Request) -> Completion:
        job = getattr(self, request.job, None) if request.job in JOBS else None
        if job is None:
            raise LLMRefused(f"the offline mind cannot {request.job} yet.")
        answer: Completion = job(request)
        return answer

    def _completion(self, **fields: Any) -> Completion:
        return Completion(model=self.name, is_model=False, **fields)


def _regard(context: dict[str, Any], delta: float, reason: str) -> Action:
    who = (context.get("speaker") or {}).get("name") or ""
    return Action(tool=REGARD, arguments={"entity_id": who, "delta": delta, "reason": reason})


def last_tool_use(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return tool, arguments and result of the call that the last message answers; {} if none."""
    if not messages or messages[-1].get("role") != "tool":
        return {}
    answer = messages[-1]
    for message in reversed(messages):
        for call in message.get("tool_calls") or ():
            if call.get("id") == answer.get("tool_call_id"):
                return {
                    "tool": call["name"],
                    "arguments": call.get("arguments") or {},
                    "result": str(answer.get("content") or ""),
                }
    return {}
