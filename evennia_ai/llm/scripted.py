"""A mind that answers what it was told to, in order: for tests, and for games that test theirs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed

from evennia_ai.llm.base import Completion, Request, ToolCall


class ScriptedMind:
    """A backend with prepared replies.

    A reply is text, a Completion, a ToolCall or a list of them, an exception to fail with, a
    Deferred of any of these, or a function of the request that returns any of these. `requests`
    keeps what was asked. With `repeat` the replies begin again after the last.
    """

    is_model = True

    def __init__(
        self, replies: Iterable[Any], *, name: str = "scripted", repeat: bool = False
    ) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._replies = list(replies)
        self._repeat = repeat
        self._next = 0

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer with the next reply; one request too many is an AssertionError."""
        self.requests.append(request)
        if self._next == len(self._replies) and self._repeat:
            self._next = 0
        if self._next == len(self._replies):
            raise AssertionError(
                f"{self.name}: request {len(self.requests)} ({request.job}) but only "
                f"{len(self._replies)} replies"
            )
        reply = self._replies[self._next]
        self._next += 1
        return self._answer(reply, request)

    def _answer(self, reply: Any, request: Request) -> Deferred[Completion]:
        if isinstance(reply, Deferred):
            return reply.addCallback(self._answer, request)
        if isinstance(reply, Exception):
            return fail(reply)
        if callable(reply):
            return self._answer(reply(request), request)
        if isinstance(reply, ToolCall):
            reply = [reply]
        if isinstance(reply, list):
            return succeed(Completion(tool_calls=tuple(reply), model=self.name))
        if isinstance(reply, str):
            return succeed(Completion(reply, model=self.name))
        if isinstance(reply, Completion):
            return succeed(reply)
        raise TypeError(f"a scripted reply cannot be {reply!r}")
