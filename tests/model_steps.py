"""Steps of the scripted model server: words, calls of tools, and any other answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Step:
    """One answer.

    `text` becomes a chat completion; a `body` goes out as it is. `latency` is in seconds before the
    answer, `interval` between two of its bytes. With `drop` the connection is cut instead.
    """

    text: str = ""
    body: bytes | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    latency: float = 0.0
    interval: float = 0.0
    drop: bool = False

    def after(self, seconds: float) -> Step:
        """Return the same step with a latency."""
        return replace(self, latency=seconds)

    def chat_body(self) -> bytes:
        """Return the answer as a chat completion."""
        return self.body if self.body is not None else _dumped(completion({"content": self.text}))


def completion(message: dict[str, Any], *, usage: bool = True) -> dict[str, Any]:
    """Return a chat completion, as data, with this message."""
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    data: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
    }
    if usage:
        data["usage"] = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
    return data


def text(words: str) -> Step:
    """Answer with words."""
    return Step(text=words)


def tools(*calls: tuple[str, Any], content: str | None = None) -> Step:
    """Ask for tools, given as (name, arguments).

    Arguments that are text go out as they are, broken or not; so does any value in `raw`, where the
    protocol wants JSON in a string.
    """
    asked = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": _arguments(arguments)},
        }
        for number, (name, arguments) in enumerate(calls, 1)
    ]
    return message(content=content, tool_calls=asked)


@dataclass(frozen=True)
class raw:  # noqa: N801 - reads as a word in a script
    """Arguments that are sent as an object where the protocol wants a string."""

    value: Any


def message(*, usage: bool = True, **fields: Any) -> Step:
    """Answer with a message of these fields, such as `content` and `reasoning`."""
    return data(completion(fields, usage=usage))


def data(answer: Any) -> Step:
    """Answer with any JSON."""
    return Step(body=_dumped(answer))


def status(code: int, error: Any = "scripted", **headers: str) -> Step:
    """Answer with an error status; `retry_after="2"` becomes the header `retry-after: 2`."""
    named = tuple((key.replace("_", "-"), value) for key, value in headers.items())
    body = _dumped({"error": {"message": error} if isinstance(error, str) else error})
    return Step(body=body, status=code, headers=(*Step.headers, *named))


def _arguments(arguments: Any) -> Any:
    if isinstance(arguments, raw):
        return arguments.value
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode()
