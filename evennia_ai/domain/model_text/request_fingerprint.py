"""Fingerprints of requests, by which a tape finds their answers, and the difference where it does not.

Two runs of one scene ask the same things at other times, of objects with other ids. So times, and
how long ago something was, count as equal, and ids count by the order in which they turn up.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

# Characters of a line that a difference shows.
SHOWN = 120

_ID = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"  # a UUID, which an identity is
    r"|\b[0-9a-f]{32}\b"  # one without its dashes, as events have
    r"|#\d+\b",  # a dbref
    re.I,
)
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")
# With the part of the day that we write before it: "evening, 19:30".
_HOUR = re.compile(r"\b(?:(?:night|morning|noon|afternoon|evening), )?\d{1,2}:\d\d(?::\d\d)?\b")
_AGO = re.compile(r"\b(?:\d+|an?) (?:second|minute|hour|day|week|month|year)s? ago\b")

Plain = dict[str, Any]


def normal(
    job: str,
    messages: Iterable[Mapping[str, Any]],
    tools: Iterable[Mapping[str, Any]] = (),
    schema: Any = None,
) -> Plain:
    """Return what of a request counts: {"job", "messages", "tools": {name: hash}, "schema": hash}."""
    names: dict[str, str] = {}
    return {
        "job": job,
        "messages": [_message(message, names) for message in messages],
        "tools": {str(tool["name"]): _hash(tool) for tool in tools},
        "schema": _hash(schema) if schema else "",
    }


def key(request: Plain) -> str:
    """Return the key of what `normal` returned."""
    return _hash(request, length=32)


def difference(asked: Plain, recorded: Iterable[Plain]) -> str:
    """Say in one sentence what differs from the request on the tape that is most alike."""
    same_job = [one for one in recorded if one["job"] == asked["job"]]
    if not same_job:
        return f"it has no answer for the job {asked['job']}."
    nearest = max(same_job, key=lambda one: _alike(asked, one))
    for number, message in enumerate(asked["messages"]):
        if number >= len(nearest["messages"]):
            return f"message {number + 1} ({message['role']}) is new: {_shown(message)}."
        other = nearest["messages"][number]
        if other != message:
            before, now = _first_difference(_text(other), _text(message))
            where = f"message {number + 1} ({message['role']})"
            return f"{where} says {now!r}, and on the tape {before!r}."
    if len(nearest["messages"]) > len(asked["messages"]):
        return f"message {len(asked['messages']) + 1} of the tape is not there any more."
    return _other_tools(asked, nearest)


def _other_tools(asked: Plain, nearest: Plain) -> str:
    before, now = nearest["tools"], asked["tools"]
    changed = {
        "new": sorted(now.keys() - before.keys()),
        "gone": sorted(before.keys() - now.keys()),
        "changed": sorted(name for name in now.keys() & before.keys() if now[name] != before[name]),
    }
    told = [f"{', '.join(names)} ({what})" for what, names in changed.items() if names]
    if told:
        return f"the tools differ: {'; '.join(told)}."
    if list(before) != list(now):
        return "the tools come in another order."
    return "the schema of the answer differs."


def _message(message: Mapping[str, Any], names: dict[str, str]) -> Plain:
    """Return a message with times and ids that every run has in common."""
    plain: Plain = {"role": message["role"], "content": _common(message.get("content"), names)}
    if message.get("tool_calls"):
        plain["tool_calls"] = [
            {
                "id": _called(str(call.get("id")), names),
                "name": call.get("name"),
                "arguments": _common(json.dumps(call.get("arguments"), sort_keys=True), names),
            }
            for call in message["tool_calls"]
        ]
    if message.get("tool_call_id"):
        plain["tool_call_id"] = _called(str(message["tool_call_id"]), names)
    return plain


def _common(text: Any, names: dict[str, str]) -> str:
    text = _ID.sub(lambda found: _called(found[0].lower(), names), str(text or ""))
    for pattern, word in ((_MOMENT, "<time>"), (_AGO, "<ago>"), (_HOUR, "<time>")):
        text = pattern.sub(word, text)
    return text


def _called(name: str, names: dict[str, str]) -> str:
    return names.setdefault(name, f"<id {len(names) + 1}>")


def _alike(asked: Plain, other: Plain) -> tuple[int, int, int]:
    """Return how alike two requests are: messages in common, lines of the next, tools in common."""
    same = 0
    for one, two in zip(asked["messages"], other["messages"], strict=False):
        if one != two:
            lines = set(_text(one).splitlines()) & set(_text(two).splitlines())
            return same, len(lines), 0
        same += 1
    return same, 0, len(asked["tools"].items() & other["tools"].items())


def _first_difference(before: str, now: str) -> tuple[str, str]:
    """Return the first lines in which two texts differ, "" where one has ended."""
    old, new = before.splitlines(), now.splitlines()
    number = next(
        (at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two),
        min(len(old), len(new)),
    )
    lines = [text[number] if number < len(text) else "" for text in (old, new)]
    return lines[0][:SHOWN], lines[1][:SHOWN]


def _text(message: Plain) -> str:
    calls = [json.dumps(call, sort_keys=True) for call in message.get("tool_calls", ())]
    return "\n".join([message["content"], *calls])


def _shown(message: Plain) -> str:
    return repr(_text(message).strip()[:SHOWN])


def _hash(value: Any, *, length: int = 12) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]
