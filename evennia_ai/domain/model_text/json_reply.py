"""JSON, tool calls and thinking in the text of a model that does not keep to one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

# Brackets at which reading is tried and fails, before the rest counts as prose: a reply of nothing
# but brackets must not cost seconds.
MAX_FAILED_STARTS = 200
# How deep the arguments of a tool call may be nested, and characters of all of them.
MAX_DEPTH = 8
MAX_SIZE = 10_000
# How models mark a call where their server does not take it out of the text.
TOOL_TAG = "<tool_call>"

_OPENING = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_STRAY_CLOSING = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_TOOL_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[a-z]*", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]*")
# Where JSON begins, read loosely: a broken value counts as one.
_JSON_START = re.compile(r"[\[{]\s*[\"'\[{]")
_QUOTES = tuple("\"'`“”„«»‘’‚‹›")
_PAIRS = ("“”", "«»", "‹›")
_CALL_START = re.compile(r"[\[{][\[{\s]*['\"]?(tool|name|tool_name|tool_calls)['\"]?\s*:")
_NAME_KEYS = ("tool", "name", "tool_name", "function")
# Under which models put what they say where they answer in JSON, unasked.
_SAID_KEYS = (
    "say",
    "text",
    "reply",
    "response",
    "answer",
    "message",
    "content",
    "speech",
    "dialogue",
)
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
    """Return the only JSON value in `text`, one of the types `want`; words may stand around it.

    Raises:
        ValueError: There is none, there is more than one, or it is quoted: it may be from somebody
            whose words the reply repeats.
    """
    found = [item for item in scan_json(text) if isinstance(item[0], want)]
    if not found:
        raise ValueError("there is no JSON in the reply")
    value, start, end = found[0]
    before, after = text[:start], text[end:]
    if len(found) > 1 or _JSON_START.search(before) or _JSON_START.search(after):
        raise ValueError("there is more than one JSON value in the reply")
    if _opens_quotation(before):
        raise ValueError("the JSON in the reply stands in quotation marks")
    return value


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


def unfenced(text: str) -> str:
    """Return what stands in the only code fence of a text; without one, the text."""
    before, *fenced = _FENCE.split(text)
    if len(fenced) == 2 or (len(fenced) == 1 and not before.strip()):
        return fenced[0].strip()
    return text.strip()


def whole(text: str) -> str:
    """Return a reply without the code fence that encloses all of it, if there is one."""
    before, *fenced = _FENCE.split(text)
    outside = "".join([before, *fenced[1:]])
    return fenced[0].strip() if fenced and not outside.strip() else text


def parse_tool_reply(text: str) -> ToolReply:
    """Return the tool calls that a reply is made of, or its words.

    Calls are nothing but calls: one that stands among words may be quoted. Taken are `{"tool": …,
    "arguments": {…}}` and the forms that models fall back to: `name` and `parameters`, the OpenAI
    form, lists of either, `<tool_call>` tags.
    """
    text = text.strip()
    calls = calls_of(_values(whole(text)) or _tagged(text))
    return ToolReply(calls, "" if calls else text)


def words_of(text: str) -> str:
    """Return the words of a reply that is one JSON object with words in it, {"say": "Yes."}; else the text."""
    values = _values(whole(text.strip()))
    given = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}
    said = [given[key] for key in _SAID_KEYS if isinstance(given.get(key), str)]
    return said[0] if said else text


def calls_of(values: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the tool calls that JSON values are; none if one of them is something else."""
    found = [_calls_in(value) for value in values]
    return [call for calls in found for call in calls] if all(found) else []


def holds_call(text: str) -> bool:
    """Return whether there is a tool call in a reply, or what was probably meant to be one."""
    if TOOL_TAG in text or _CALL_START.match(_FENCE.sub("", text[:200]).lstrip()):
        return True
    return any(_calls_in(value) for value, _, _ in scan_json(text))


def why_unfit(arguments: Any) -> str:
    """Return why the arguments of a tool call are not taken, "" if they are; of any shape."""
    waiting, size = [(arguments, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        inner = (*value, *value.values()) if isinstance(value, dict) else value
        inner = inner if isinstance(inner, (list, tuple)) else ()
        size += len(inner) + (len(value) if isinstance(value, str) else 1)
        if size > MAX_SIZE:
            return f"The arguments are longer than {MAX_SIZE:,} characters."
        if inner and depth == MAX_DEPTH:
            return f"The arguments are nested deeper than {MAX_DEPTH} levels."
        waiting += [(one, depth + 1) for one in inner]
    return ""


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


def _opens_quotation(text: str) -> bool:
    """Return whether what comes after a text is quoted."""
    if text.endswith(_QUOTES) and not text.endswith("```"):
        return True
    return text.count('"') % 2 == 1 or any(
        text.count(opening) > text.count(closing) for opening, closing in _PAIRS
    )


def _values(text: str) -> list[Any]:
    """Return the JSON values that a text is made of; none if there is anything else in it."""
    decoder, values, position = json.JSONDecoder(strict=False), [], 0
    while position < len(text):
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        values.append(value)
        position = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
    return values


def _tagged(text: str) -> list[Any]:
    """Return the JSON values in the `<tool_call>` tags that a text is made of."""
    if _TOOL_CALL.sub("", text).strip():
        return []
    found = [_values(content.strip()) for content in _TOOL_CALL.findall(text)]
    return [value for values in found for value in values] if all(found) else []
