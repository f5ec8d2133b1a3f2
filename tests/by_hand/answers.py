"""Answers that were written by hand: what a file says, or in one sentence what is wrong with it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from tests.by_hand.requests import schema_of, tools_of

KEYS = ("content", "tool_calls")
CALL_KEYS = ("name", "arguments")


class BadAnswer(ValueError):
    """The file is no answer to the request; the text is a sentence."""


def read(text: str, body: Mapping[str, Any], *, is_json: bool) -> dict[str, Any]:
    """Return an answer as {"content", "tool_calls"}, which has each call as {"name", "arguments"}.

    Raises:
        BadAnswer: it is none, or none to this request.
    """
    text = text.strip()
    if not text:
        raise BadAnswer("it is empty.")
    schema = schema_of(body)
    if schema is not None:
        _check_form(_decoded(text), schema)
        return {"content": text, "tool_calls": []}
    if not is_json:
        return {"content": text, "tool_calls": []}
    return _message(_decoded(text), tools_of(body))


def message_of(answer: Mapping[str, Any], *, number: int) -> dict[str, Any]:
    """Return an answer as the message of the protocol; `number` is that of the request."""
    message: dict[str, Any] = {"content": answer["content"]}
    if answer["tool_calls"]:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{index}",
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": json.dumps(call["arguments"], ensure_ascii=False),
                },
            }
            for index, call in enumerate(answer["tool_calls"], 1)
        ]
    return message


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadAnswer(f"it is no JSON: {error}.") from None
    except RecursionError:
        raise BadAnswer("it is nested too deeply.") from None


def _message(data: Any, offered: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise BadAnswer(f"it must be an object with {' or '.join(KEYS)}.")
    _known(data, KEYS)
    content, calls = data.get("content") or "", data.get("tool_calls") or []
    if not isinstance(content, str):
        raise BadAnswer("content must be text.")
    if not isinstance(calls, list):
        raise BadAnswer("tool_calls must be a list.")
    if not content.strip() and not calls:
        raise BadAnswer("it says nothing and uses no tool.")
    return {"content": content, "tool_calls": [_call(call, offered) for call in calls]}


def _call(call: Any, offered: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise BadAnswer('a tool call must be {"name": "…", "arguments": {…}}.')
    _known(call, CALL_KEYS)
    name, arguments = call["name"], call.get("arguments") or {}
    if name not in offered:
        close = difflib.get_close_matches(name, list(offered), n=1)
        meant = f"did you mean {close[0]}?" if close else f"there are {', '.join(offered)}."
        none = "no tools are offered." if not offered else meant
        raise BadAnswer(f"there is no tool {name}; {none}")
    if not isinstance(arguments, dict):
        raise BadAnswer(f"the arguments of {name} must be an object.")
    return {"name": name, "arguments": arguments}


def _check_form(data: Any, schema: Mapping[str, Any]) -> None:
    if not isinstance(data, dict):
        raise BadAnswer("it must be an object.")
    fields = schema.get("properties") or {}
    if fields:
        _known(data, tuple(fields))
    missing = [key for key in schema.get("required") or () if key not in data]
    if missing:
        raise BadAnswer(f"it lacks {', '.join(missing)}.")


def _known(data: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    wrong = next((key for key in data if key not in keys), None)
    if wrong is not None:
        raise BadAnswer(f"there is no key {wrong!r}; there are {', '.join(keys)}.")
