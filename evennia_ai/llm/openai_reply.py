"""From what a server of the OpenAI kind answers, in all its dialects, to a Completion."""

from __future__ import annotations

import json
import uuid
from typing import Any

from evennia_ai.domain.model_text import json_reply
from evennia_ai.exceptions import LLMBadReply, LLMUnavailable
from evennia_ai.llm import openai_errors, structured
from evennia_ai.llm.base import MAX_NAME, Completion, ToolCall

# Tool calls of one answer that are taken; a model that asks for more is going round in circles.
MAX_CALLS = 16
# Under what name a call is refused that was none, and what the mind is told then.
NO_TOOL = "tool_call"
MIXED = (
    "Your answer had a tool call among its words, or one that cannot be read; nothing of it was done "
    "or said. Answer with nothing but the call, or with nothing but words."
)
LEAKED = (
    "Your answer had a tool call written into its words; nothing of it was done or said. Use the tool "
    "itself, or answer with nothing but words."
)


def normalise(data: Any, *, model: str, json_tools: bool = False) -> Completion:
    """Return the Completion that a decoded answer holds.

    `json_tools`: the tools were described in the prompt, so that calls stand in the text.

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
    if not calls:
        calls, text = _text_calls(text) if json_tools else _leaked_call(text)
    if not calls and not text and message.get("refusal"):
        raise LLMBadReply.about("the model declines", str(message["refusal"]))
    usage = data.get("usage")
    return Completion(
        text=text,
        tool_calls=tuple(calls[:MAX_CALLS]),
        thinking="\n".join(part for part in (_reasoning(message), thinking) if part),
        model=data["model"] if isinstance(data.get("model"), str) else model,
        finish_reason=str(choice.get("finish_reason") or "stop"),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
    )


def _choice(data: Any) -> dict[str, Any]:
    """Return the first choice of an answer, if it is one."""
    if not isinstance(data, dict):
        raise LLMBadReply.about("the answer is not a JSON object", str(data))
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = data.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
    if error:
        text = openai_errors.text_of(error, fallback="")
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
        calls.append(
            ToolCall(
                identifier if _is_id(identifier) else _new_id(),
                function["name"],
                arguments,
                error,
            )
        )
    return calls


def _arguments(given: Any) -> tuple[dict[str, Any], str | None]:
    """Return the arguments of a call, and what is wrong where they cannot be read."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return {}, None
    if isinstance(given, str):
        try:
            given = json.loads(given, strict=False)
        except (ValueError, RecursionError):
            try:
                given = structured.read_json(given, dict)
            except LLMBadReply:
                return {}, f"The arguments are not JSON ({len(given)} characters)."
    if not isinstance(given, dict):
        return {}, f"The arguments must be a JSON object, not {type(given).__name__}."
    return given, None


def _text_calls(text: str) -> tuple[list[ToolCall], str]:
    """Return the tool calls that a text is, or the words.

    Of words with a call among them nothing is done or said: the mind is told, and answers again.
    """
    asked, words = json_reply.parse_tool_reply(text)
    if not asked and json_reply.holds_call(words):
        broken, words = json_reply.whole(words), ""
        # One that was cut off is not made whole by guessing.
        if broken.endswith(("]", "}")):
            asked = json_reply.calls_of([structured.repaired(broken)])
        if not asked:
            return [ToolCall(_new_id(), NO_TOOL, error=MIXED)], ""
    return [ToolCall(_new_id(), name, arguments) for name, arguments in asked], words


def _leaked_call(text: str) -> tuple[list[ToolCall], str]:
    """Return the words; a call among them is none where the server has a place for calls."""
    if json_reply.TOOL_TAG in text:
        return [ToolCall(_new_id(), NO_TOOL, error=LEAKED)], ""
    return [], text


def _count(usage: Any, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else None


def _is_id(given: Any) -> bool:
    return isinstance(given, str) and 0 < len(given) <= MAX_NAME


def _new_id() -> str:
    return f"call_{uuid.uuid4().hex[:12]}"
