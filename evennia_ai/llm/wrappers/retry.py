"""Ask again when that may help: full jitter, Retry-After, and never past the deadline."""

from __future__ import annotations

import random as chances
from dataclasses import replace
from typing import Any, Callable, Generator

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import deferLater

from evennia_ai import scheduling
from evennia_ai.domain.model_text import spending
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm.base import Backend, Completion, Request, Wrapper

# Attempts at one call, the first included; the deadline of the turn cuts them short.
ATTEMPTS = 2


class Retry(Wrapper):
    """Repeats calls that failed for a passing reason.

    Cancelling the Deferred cancels the attempt that runs, or the wait for the next.
    """

    def __init__(
        self, inner: Backend, *, random: Callable[[], float] = chances.random, **given: Any
    ) -> None:
        super().__init__(inner, **given)
        self._random = random

    @inlineCallbacks
    def complete(self, request: Request) -> Generator[Deferred[Any], Any, Completion]:
        """Answer `request` by one of at most ATTEMPTS attempts, waits included in time."""
        clock = self._clock or scheduling.clock()
        end = clock.seconds() + request.deadline
        attempt = 1
        while True:
            left = replace(request, deadline=end - clock.seconds())
            try:
                return (yield self.inner.complete(left))
            except LLMUnavailable as error:
                wait = self._wait_after(error, attempt)
                if wait is None or clock.seconds() + wait >= end:
                    raise
            yield deferLater(clock, wait)
            attempt += 1

    def _wait_after(self, error: LLMUnavailable, attempt: int) -> float | None:
        """Return the seconds until the next attempt, or None if there should be none."""
        if not error.transient or attempt >= ATTEMPTS:
            return None
        return spending.backoff(attempt, chance=self._random(), retry_after=error.retry_after)
