"""The loop: the mind uses tools until it answers. Start reading here."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from twisted.internet.defer import inlineCallbacks, maybeDeferred

from evennia_ai import conf, prompts, scheduling
from evennia_ai.agent.prompting import said_here
from evennia_ai.domain.model_text import own_account
from evennia_ai.exceptions import StepLimitExceeded, ToolError
from evennia_ai.tools import registry
from evennia_ai.tools.base import ToolCategory, Unfinished

# Tools that end a turn, beside whose words others may be said aloud.
SPOKEN_BESIDE = ("whisper", "emote", "share")
# How a result begins that says why something was not done.
ERROR = "Error: "
# The same call so often in one turn means that the model is stuck.
IDENTICAL_CALLS = 3


@inlineCallbacks
def run_agent(turn, messages, *, max_steps=None):
    """Let the mind use tools until it answers; return the answer, None if a tool gave it."""
    seen: list[str] = []
    for _ in range(max_steps or conf.get("MAX_STEPS")):
        if turn.is_in_vain():
            return None
        completion = yield turn.llm.complete(turn.request(messages))
        # The books of the call are kept; what comes of it is the work of another slice.
        yield scheduling.yield_to_reactor(first=True)
        # A model reads on; rules answer what they were given, and what came since has a turn of its own.
        news = turn.take_new_events() if completion.is_model else []
        words, account = own_account.split(completion.text)
        completion = dataclasses.replace(completion, text=words)
        messages.append(completion.message())
        turn.approach = completion.approach or account.approach
        turn.because, turn.by_rules = account.reason, not completion.is_model
        if completion.tool_calls:
            is_done, words = yield _use_tools(turn, messages, completion, seen=seen)
            if turn.is_over or (is_done and not news):
                return words
        elif not news:
            return completion.text
        if news:
            # Not the whole answer any more; what was found out or done meanwhile stands.
            unsaid = not completion.tool_calls
            lines = said_here.meanwhile(turn, news)
            added = prompts.more_events(lines=lines, is_unsaid=unsaid)
            messages.append({"role": "user", "content": added})
    raise StepLimitExceeded(f"no answer after {max_steps or conf.get('MAX_STEPS')} steps")


@inlineCallbacks
def _use_tools(turn, messages, completion, *, seen):
    """Do what the mind asks for; return (whether that was all, the words to say with it or None)."""
    words, results = completion.text.strip() or None, []
    for call in completion.tool_calls:
        seen.append(_fingerprint(call))
        if seen.count(seen[-1]) >= IDENTICAL_CALLS:
            # What a model calls its own inventions may be anybody's words.
            name = call.name if call.name in registry.all_tools() else "what is not there"
            raise StepLimitExceeded(f"asked for {name} with the same words three times")
        result = yield use_tool(turn, call)
        results.append({"role": "tool", "tool_call_id": call.id, "content": result})
        messages.append(results[-1])
        if turn.is_over:
            return True, words if call.name in SPOKEN_BESIDE else None
    if words and _was_done(completion, results):
        return True, words
    if words:
        results[-1]["content"] += f"\n{prompts.not_spoken(text=words)}"
    return False, None


def _was_done(completion, results):
    """Return whether all that the mind did while it spoke was to act or to note, and that this is all there is to it."""
    known = registry.all_tools()
    used = [known.get(call.name) for call in completion.tool_calls]
    acted = all(tool and (tool.category is ToolCategory.DANGEROUS or tool.keeps) for tool in used)
    told = [one["content"] for one in results]
    return acted and not any(one.startswith(ERROR) or isinstance(one, Unfinished) for one in told)


@inlineCallbacks
def use_tool(turn, call):
    """Run one tool call; return what the mind should see."""
    try:
        if call.error:
            raise ToolError(call.error)
        tool = turn.tool(call.name)
        arguments = tool.checked(call.arguments)
        check_danger(turn, tool)
        if tool.keeps and not turn.may_keep():
            raise ToolError(
                "You keep nothing of this: somebody here is remembered for this visit only."
            )
        asked = {"assistant": turn.key, "hearers": turn.hearers, "turn": turn}
        known = registry.results().get(tool, arguments, **asked)
        if known is not None:
            return known
        result = yield maybeDeferred(tool.execute, turn, **arguments)
        if tool.category is ToolCategory.DANGEROUS:
            # What was refused has changed nothing.
            turn.dangerous_used = True
        registry.results().put(tool, arguments, result, **asked)
        turn.used.append((tool.name, str(tool.category)))
        if tool.category is ToolCategory.TERMINAL:
            turn.finish()
        return result
    except ToolError as error:
        return f"{ERROR}{error}"


def check_danger(turn: Any, tool: Any) -> None:
    """Allow one change of the world a turn, and none where the body cannot act."""
    if tool.category is not ToolCategory.DANGEROUS:
        return
    if turn.dangerous_used:
        raise ToolError("You have already acted in this turn; say something instead.")
    reason = turn.why_silent()
    if reason:
        raise ToolError(f"You cannot act: {reason}.")


def _fingerprint(call: Any) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}"
