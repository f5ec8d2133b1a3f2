"""Leave a model that keeps failing alone for a while; the offline mind answers meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generator
from weakref import WeakValueDictionary

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import conf, scheduling
from evennia_ai.exceptions import LLMContextOverflow, LLMUnavailable
from evennia_ai.llm import outages
from evennia_ai.llm.base import Backend, Completion, Request, Wrapper

# Failures in a row after which a model is left alone, and the seconds until it is tried again.
FAILURES = 5
SECONDS = 30
OFFLINE = "evennia_ai.llm.offline.OfflineMind"

# By alias. Weak: a stack that the settings replaced must not report any more.
_breakers: WeakValueDictionary[str, Breaker] = WeakValueDictionary()


class Breaker(Wrapper):
    """Opens after FAILURES failures in a row, for SECONDS.

    After that it is half-open: one call is let through as a trial, which closes it or opens it
    again. The calls that fail before it opens, and the trial, fail as they would without it.
    """

    def __init__(self, inner: Backend, *, offline: Backend | None = None, **given: Any) -> None:
        super().__init__(inner, **given)
        self._offline = offline
        self.failures, self.last_error = 0, ""
        self._opened_at: float | None = None
        self._on_trial = False
        _breakers[self.alias] = self

    @property
    def state(self) -> str:
        """Return "closed", "open" or "half-open"."""
        if self._opened_at is None:
            return "closed"
        rested = self._now() - self._opened_at >= SECONDS
        return "half-open" if rested else "open"

    @inlineCallbacks
    def complete(self, request: Request) -> Generator[Deferred[Any], Any, Completion]:
        """Answer `request` by the model, or by the offline mind while the model is left alone."""
        state = self.state
        is_trial = state == "half-open" and not self._on_trial
        if state != "closed" and not is_trial:
            return (yield self._substitute().complete(request))
        self._on_trial = self._on_trial or is_trial
        try:
            completion = yield self.inner.complete(request)
        except LLMContextOverflow:
            # The prompt is too long, but the model is there to say so.
            self._note_answer()
            raise
        except LLMUnavailable as error:
            self._note_failure(error, is_trial=is_trial)
            raise
        finally:
            # Also when the trial was cancelled: the next call is the trial then.
            if is_trial:
                self._on_trial = False
        self._note_answer()
        return completion

    def open(self, why: str = "LLMUnavailable") -> None:
        """Leave the model alone from now on."""
        self._opened_at = self._now()
        outages.note_begun(self.alias, why)

    def _note_answer(self) -> None:
        if self._opened_at is not None:
            logger.log_info(f"evennia_ai: the model '{self.alias}' answers again.")
            outages.note_ended(self.alias)
        self.failures, self._opened_at = 0, None

    def _note_failure(self, error: LLMUnavailable, *, is_trial: bool) -> None:
        self.failures += 1
        self.last_error = f"{type(error).__name__}: {error}"
        if is_trial and self._opened_at is not None:
            self._opened_at = self._now()
        elif self._opened_at is None and self.failures >= FAILURES:
            self.open(type(error).__name__)
            logger.log_warn(
                f"evennia_ai: the model '{self.alias}' failed {self.failures} times in a row "
                f"({self.last_error}); the offline mind answers until it is back."
            )

    def _substitute(self) -> Backend:
        if self._offline is None:
            self._offline = conf.load(OFFLINE)()
        return self._offline

    def _now(self) -> float:
        return (self._clock or scheduling.clock()).seconds()


def left_alone() -> list[str]:
    """Return the aliases of the models that are left alone just now."""
    return [alias for alias, breaker in sorted(_breakers.items()) if breaker.state == "open"]


def leave_alone(aliases: Iterable[str]) -> None:
    """Leave models alone that failed too often in another process."""
    for alias in aliases:
        breaker = _breakers.get(alias)
        if breaker is not None and breaker.state == "closed":
            breaker.open()


def states() -> dict[str, dict[str, Any]]:
    """Return the state, failures in a row and last error of each model in use, by alias."""
    return {
        alias: {
            "state": breaker.state,
            "failures": breaker.failures,
            "last_error": breaker.last_error,
        }
        for alias, breaker in sorted(_breakers.items())
    }
