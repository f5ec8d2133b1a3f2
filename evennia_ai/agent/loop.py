"""The loop: the mind uses tools until it answers. Start reading here."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from twisted.internet.defer import inlineCallbacks, maybeDeferred

from evennia_ai import conf, prompts, scheduling
from evennia_ai.agent.prompting import thread
from evennia_ai.core.records import OCCASION
from evennia_ai.domain.model_text import spoken
from evennia_ai.exceptions import StepLimitExceeded, ToolError
from evennia_ai.llm.base import MAX_CALLS, ToolCall, new_call_id
from evennia_ai.llm.wrappers.breaker import OFFLINE
from evennia_ai.tools import registry
from evennia_ai.tools.base import ToolCategory, Unfinished

# The tool that ends a turn, beside whose words others may be said aloud.
SPOKEN_BESIDE = "share"
# How a result begins that says why something was not done.
ERROR = "Error: "
# The same call so often in one turn means that the model is stuck.
IDENTICAL_CALLS = 3
# The temperature at which a model is asked once more.
CALMER = 0.2


@inlineCallbacks
def run_agent(turn, messages, *, max_steps=None):
    """Let the mind use tools until it answers; return what is `Said`, None if a tool gave the answer."""
    seen: list[str] = []
    for _ in range(max_steps or conf.get("MAX_STEPS")):
        if turn.is_in_vain():
            return None
        completion, said = yield _ask(turn, messages)
        # A model reads on; rules answer what they were given, and what came since has a turn of its own.
        news = turn.take_new_events() if completion.is_model else []
        if not said.broken or completion.tool_calls:
            messages.append(completion.message())
        turn.by_rules = not completion.is_model
        if completion.tool_calls:
            is_done, is_said = yield _use_tools(turn, messages, completion, seen=seen)
            if turn.is_over or (is_done and not news):
                return said if is_said else None
        elif not news:
            return said
        if news:
            # Not the whole answer any more; what was found out or done meanwhile stands.
            unsaid = not (completion.tool_calls or said.broken)
            lines = thread.meanwhile(turn, news)
            added = prompts.more_events(lines=lines, is_unsaid=unsaid)
            messages.append({"role": "user", "content": added})
    raise StepLimitExceeded(f"no answer after {max_steps or conf.get('MAX_STEPS')} steps")


@inlineCallbacks
def _ask(turn, messages):
    """Ask the mind; return its Completion and what is `Said` in it.

    Of what cannot be used the messages show nothing: it is asked once more for words alone, and then rules answer.
    A weak model would say the same again, so rules answer at once.
    """
    for calmer in (None, None) if (is_weak := turn.is_coached()) else (None, CALMER, None):
        request = turn.request(messages, temperature=calmer)
        completion = yield turn.llm.complete(request)
        # The books of the call are kept; what comes of it is the work of another slice.
        yield scheduling.yield_to_reactor(first=True)
        scene, tools, is_model = turn.scene(), bool(request.tools), completion.is_model
        shown = "\n".join(one["content"] for one in messages if one["role"] != "assistant")
        said = spoken.read(completion.text, scene, shown=shown, tools=tools, is_model=is_model)
        written = (ToolCall(new_call_id(), *call) for call in said.calls[:MAX_CALLS])
        calls = completion.tool_calls or tuple(written)
        completion = dataclasses.replace(completion, text=said.text, tool_calls=calls)
        is_unasked = scene is None or turn.event.kind == OCCASION
        is_last = calmer or is_weak
        if calls or not said.broken or turn.is_in_vain() or (is_last and is_unasked):
            break
        turn.notes.append(f"an answer could not be used: {said.broken}")
        if is_last:
            answer_by_rules(turn, said.broken)
    return completion, said


def answer_by_rules(turn: Any, reason: str) -> None:
    """Let the mind without a model answer for the rest of a turn."""
    # Of a weak model that is nothing new to staff.
    note = turn.notes.append if turn.is_coached() else turn.warn
    note(f"rules answer for the model: {reason}")
    turn.llm = conf.load(OFFLINE)()


@inlineCallbacks
def _use_tools(turn, messages, completion, *, seen):
    """Do what the mind asks for; return (whether that was all, whether its words are said with it)."""
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
            return True, bool(words) and call.name == SPOKEN_BESIDE
    if words and _was_done(completion, results):
        return True, True
    if words:
        results[-1]["content"] += f"\n{prompts.not_spoken(text=words)}"
    return False, False


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
