"""JSON, tool calls and thinking in the text of a model that does not keep to one of them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

# Brackets at which reading is tried and fails, before the rest counts as prose: a reply of nothing
# but brackets must not cost seconds.
MAX_FAILED_STARTS = 200
# How deep the arguments of a tool call may be nested, and characters of all of them.
MAX_DEPTH = 8
MAX_SIZE = 10_000

_OPENING = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_STRAY_CLOSING = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
# How models mark calls where their server does not take them out of the text.
_TAG = r"(?:</?\|?(?:tool_calls?|function_calls?|tools|python_tag)\|?>|\[TOOL_CALLS\])"
_BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)(?=\s*:)")
# What is for a program: such tags, JSON or what was meant to be, and calls as code and as agents write them.
_DATA = re.compile(
    rf"\A(?:.*(?:{_TAG}|<function=|{{\s*[\"']\w+[\"']\s*:)|[\[{{]\s*[\"'\[{{}}\]]|{{\s*\w+\s*:"
    r"|Action: *\w+ *\n|[a-z_]+\((\w+ *=.*)?\)\Z)",
    re.DOTALL,
)
_FENCE = re.compile(r"```\w*")
_BETWEEN = re.compile(r"[\s,;]*")
# Where JSON begins, read loosely: a broken value counts as one.
_JSON_START = re.compile(r"[\[{]\s*[\"'\[{]")
_QUOTES = tuple("\"'`“”„«»‘’‚‹›")
_PAIRS = ("“”", "«»", "‹›")
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


def calls_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the tool calls that a reply is made of, as (name, arguments).

    Calls are nothing but calls: one that stands among words may be quoted. Taken are `{"tool": …,
    "arguments": {…}}` and the forms that models fall back to: `name` and `parameters`, the OpenAI
    form, lists of either, tags around them, the same as Python writes it.
    """
    text = whole(text.strip())
    found = [_calls_in(one) for one in _values(text) or _values(re.sub(_TAG, "", text).strip())]
    return [call for calls in found for call in calls] if all(found) else []


def words_of(text: str, name: str) -> str:
    """Return the words of a reply that is one JSON object with words in it, {"say": "Yes."}; else the text.

    `name` is the speaker's: {"Mara": "Yes."}.
    """
    values = _values(whole(text.strip()))
    given = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}
    said = (given[key] for key in (*_SAID_KEYS, name) if isinstance(given.get(key), str))
    return next(said, text)


def is_data(text: str) -> bool:
    """Return whether a text is for a program: a tool call or other JSON, broken or not, or has it among its words."""
    return bool(_DATA.match(whole(text.strip())))


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
    calls = [_call_in(item) for item in (value if isinstance(value, list) else [value])]
    return [call for call in calls if call] if all(calls) else []


def _call_in(data: Any) -> tuple[str, dict[str, Any]] | None:
    if isinstance(data, dict) and isinstance(data.get("function"), dict):
        data = data["function"]
    if not isinstance(data, dict):
        return None
    name = next((data[key] for key in _NAME_KEYS if isinstance(data.get(key), str)), "")
    # Beside "tool" nothing but arguments can be meant; beside "name" it may be any data.
    beside = {key: value for key, value in data.items() if key != "tool"}
    default = beside if isinstance(data.get("tool"), str) else "none"
    given = next((data[key] for key in _ARGUMENT_KEYS if key in data), default)
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            given = json.loads(given or "{}")
    given = {} if given is None else given
    return (name, given) if name and isinstance(given, dict) else None


def _opens_quotation(text: str) -> bool:
    """Return whether what comes after a text is quoted."""
    if text.endswith(_QUOTES) and not text.endswith("```"):
        return True
    return text.count('"') % 2 == 1 or any(
        text.count(opening) > text.count(closing) for opening, closing in _PAIRS
    )


def _values(text: str) -> list[Any]:
    """Return the JSON values that a text is made of, or the one as Python writes it; none if there is anything else."""
    decoder, values, position = json.JSONDecoder(strict=False), [], 0
    with suppress(ValueError, RecursionError):
        while position < len(text):
            value, end = decoder.raw_decode(text, position)
            values.append(value)
            position = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
        return values
    for written in (text, _BARE_KEY.sub(r"\1'\2'", text)):
        if len(text) <= MAX_SIZE and text.startswith(("{", "[")):
            with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                return [json.loads(json.dumps(ast.literal_eval(written)))]
    return []
