"""From what a server of the OpenAI kind answers, in all its dialects, to a Completion."""

from __future__ import annotations

from typing import Any

from evennia_ai.domain.model_text import json_reply
from evennia_ai.exceptions import LLMBadReply, LLMUnavailable
from evennia_ai.llm import openai_errors, structured
from evennia_ai.llm.base import MAX_CALLS, MAX_NAME, Completion, ToolCall, new_call_id

# Tokens from which on the time to read them tells how fast a server is.
TELLING = 30


def normalise(data: Any, *, model: str) -> Completion:
    """Return the Completion that a decoded answer holds; a call in its text is text.

    Raises:
        LLMUnavailable: an error inside an answer of status 200.
        LLMBadReply: it is no answer.
    """
    choice = _choice(data)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise LLMBadReply("the answer has no message")
    text, thinking = json_reply.split_thinking(_content(message))
    calls = _native_calls(message)
    if not calls and not text and message.get("refusal"):
        raise LLMBadReply.about("the model declines", str(message["refusal"]))
    return Completion(
        text=text,
        tool_calls=tuple(calls[:MAX_CALLS]),
        thinking="\n".join(filter(None, (_reasoning(message), thinking))),
        model=model,
        **_usage(data),
    )


def _choice(data: Any) -> dict[str, Any]:
    """Return the first choice of an answer, if it is one."""
    if not isinstance(data, dict):
        raise LLMBadReply.about("the answer is not a JSON object", str(data))
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = data.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
    if error:
        text = str(error)
        raise openai_errors.find_overflow(text) or LLMUnavailable.about(
            f"an error came as an answer{openai_errors.kind_of(error)}", text
        )
    if not isinstance(choice, dict):
        raise LLMBadReply("the answer has no choices")
    return choice


def _content(message: dict[str, Any]) -> str:
    """Return the text of a message, whose content may be text, parts or nothing."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(text for text in texts if isinstance(text, str))


def _reasoning(message: dict[str, Any]) -> str:
    for key in ("reasoning_content", "reasoning"):
        if isinstance(message.get(key), str) and message[key]:
            return message[key].strip()
    return ""


def _native_calls(message: dict[str, Any]) -> list[ToolCall]:
    asked = message.get("tool_calls") or []
    if isinstance(asked, dict):
        asked = [asked]
    if not asked and isinstance(message.get("function_call"), dict):
        asked = [{"function": message["function_call"]}]
    calls = []
    for item in asked if isinstance(asked, list) else []:
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            continue
        arguments, error = _arguments(function.get("arguments"))
        identifier = item.get("id")
        if not isinstance(identifier, str) or not 0 < len(identifier) <= MAX_NAME:
            identifier = new_call_id()
        calls.append(ToolCall(identifier, function["name"], arguments, error))
    return calls


def _arguments(given: Any) -> tuple[dict[str, Any], str | None]:
    """Return the arguments of a call, and what is wrong where they cannot be read."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return {}, None
    if isinstance(given, str):
        try:
            given = structured.read_json(given, dict)
        except LLMBadReply:
            return {}, f"The arguments are not a JSON object ({len(given)} characters)."
    if not isinstance(given, dict):
        return {}, f"The arguments must be a JSON object, not {type(given).__name__}."
    return given, None


def _usage(data: dict[str, Any]) -> dict[str, Any]:
    """Return the tokens of an answer; those of llama.cpp stand in its timings, too."""
    usage, timings = data.get("usage"), data.get("timings")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    cached = _count(details, "cached_tokens") or _count(timings, "cache_n") or 0
    prompt, fresh = _count(usage, "prompt_tokens"), _count(timings, "prompt_n")
    if prompt is None and fresh is not None:
        prompt = cached + fresh
    return {
        "prompt_tokens": prompt,
        "completion_tokens": _count(usage, "completion_tokens"),
        "cached_tokens": min(cached, prompt or 0),
    }


def reading_speed(data: Any) -> float:
    """Return how many tokens of its prompt the server read in a second, 0 where it does not tell or read few."""
    timings = data.get("timings") if isinstance(data, dict) else None
    speed = timings.get("prompt_per_second") if isinstance(timings, dict) else None
    is_telling = (_count(timings, "prompt_n") or 0) >= TELLING
    return float(speed) if is_telling and isinstance(speed, (int, float)) and speed > 0 else 0.0


def _count(usage: Any, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else None
