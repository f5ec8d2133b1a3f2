"""JSON, tool calls and thinking in the text of a model that does not keep to one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

# Brackets at which reading is tried and fails, before the rest counts as prose: a reply of nothing
# but brackets must not cost seconds.
MAX_FAILED_STARTS = 200

_OPENING = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_STRAY_CLOSING = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_TOOL_TAG = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[a-z]*", re.IGNORECASE)
_CALL_START = re.compile(r"[\[{][\[{\s]*['\"]?(tool|name|tool_name|tool_calls)['\"]?\s*:")
_NAME_KEYS = ("tool", "name", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")


class ToolReply(NamedTuple):
    """What a reply asks for: tool calls as (name, arguments), and the words beside them."""

    calls: list[tuple[str, dict[str, Any]]]
    text: str


def split_thinking(text: str) -> tuple[str, str]:
    """Return the words that are meant for others, and the thinking that was marked as such."""
    said, thoughts, position = [], [], 0
    while opening := _OPENING.search(text, position):
        said.append(text[position : opening.start()])
        # Models do close one such tag by another.
        closing = _STRAY_CLOSING.search(text, opening.end())
        # Cut off while it was thinking: all the rest is thought.
        end, position = closing.span() if closing else (len(text), len(text))
        thoughts.append(text[opening.end() : end])
    said.append(text[position:])
    # Some templates open the tag themselves, so that only its end is in the reply.
    *before, rest = _STRAY_CLOSING.split("".join(said))
    thinking = "\n".join(thought.strip() for thought in [*before, *thoughts] if thought.strip())
    return rest.strip(), thinking


def find_json(text: str, want: type | tuple[type, ...] = (dict, list)) -> Any:
    """Return the longest JSON value of one of the types `want` within `text`.

    Raises:
        ValueError: there is none.
    """
    found = [item for item in scan_json(text) if isinstance(item[0], want)]
    if not found:
        raise ValueError("there is no JSON in the reply")
    return max(found, key=lambda item: item[2] - item[1])[0]


def scan_json(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the JSON objects and arrays in `text` that are in no other, with where they stand."""
    decoder, position, failed = json.JSONDecoder(strict=False), 0, 0
    for bracket in re.finditer(r"[\[{]", text):
        start = bracket.start()
        if start < position:
            continue
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            failed += 1
            if failed == MAX_FAILED_STARTS:
                return
            continue
        yield value, start, position


def parse_tool_reply(text: str) -> ToolReply:
    """Return the tool calls that stand in a reply as JSON, and the text without them.

    Taken are `{"tool": …, "arguments": {…}}` and the forms that models fall back to: `name` and
    `parameters`, the OpenAI form, lists of either, `<tool_call>` tags.
    """
    calls: list[tuple[str, dict[str, Any]]] = []
    tagged = _TOOL_TAG.findall(text)
    if tagged:
        text = _TOOL_TAG.sub("", text)
        for content in tagged:
            for value, _, _ in scan_json(content):
                calls += _calls_in(value)
        return ToolReply(calls, _tidied(text))
    rest, position = [], 0
    for value, start, end in scan_json(text):
        if asked := _calls_in(value):
            calls += asked
            rest.append(text[position:start])
            position = end
    if not calls:
        return ToolReply([], text.strip())
    return ToolReply(calls, _tidied("".join([*rest, text[position:]])))


def looks_like_call(text: str) -> bool:
    """Return whether a text without a readable tool call was probably meant to be one."""
    start = _FENCE.sub("", text[:200]).lstrip()
    return "<tool_call>" in text or _CALL_START.match(start) is not None


def _calls_in(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the tool calls that a value is; none if any part of it is something else."""
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    if not isinstance(value, list):
        value = [value]
    calls = [_call_in(item) for item in value]
    return [call for call in calls if call] if all(calls) else []


def _call_in(data: Any) -> tuple[str, dict[str, Any]] | None:
    if not isinstance(data, dict):
        return None
    if isinstance(data.get("function"), dict):
        data = data["function"]
    name_key = next((key for key in _NAME_KEYS if isinstance(data.get(key), str)), None)
    if name_key is None or not data[name_key]:
        return None
    arguments_key = next((key for key in _ARGUMENT_KEYS if key in data), None)
    if arguments_key:
        arguments = data[arguments_key]
    elif name_key == "tool":
        # Beside "tool" nothing but arguments can be meant; beside "name" it may be any data.
        arguments = {key: value for key, value in data.items() if key != "tool"}
    else:
        return None
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return None
    if arguments is None:
        arguments = {}
    return (data[name_key], arguments) if isinstance(arguments, dict) else None


def _tidied(text: str) -> str:
    return _FENCE.sub("", text).strip()
