"""The base of all tests that touch Evennia: its usual objects, a clock in hand, honest coroutines.

Neither `EvenniaTest` nor trial's `SynchronousTestCase` looks at what a test returns, so that a
coroutine test passes whatever it asserts. `AITestCase` does look.
"""

from __future__ import annotations

import functools
import gc
import types
import unittest
from typing import Any, Callable
from unittest import mock

import evennia
from django.test import override_settings
from evennia.objects.objects import DefaultObject
from evennia.scripts import taskhandler
from evennia.utils.test_resources import EvenniaTest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai import conf, scheduling
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import minds


class _Absent:
    """Hides a name of the parents, as if it had never been there."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> None:
        raise AttributeError(self.name)


class AITestCase(EvenniaTest, SynchronousTestCase):
    """A test with Evennia's objects (`char1`, `room1`, …), `clock`, and trial's assertions.

    A test may return a Deferred, which must have fired by then; any other value but None fails it.
    A failure that was logged and not fetched by `flushLoggedErrors` fails it, too.
    """

    # Where the clock stands before anything is made.
    clock_start = 0.0

    # unittest's own, where trial's lack subtests, expected failures or context managers.
    run = unittest.TestCase.run
    addCleanup = unittest.TestCase.addCleanup  # noqa: N815
    assertRaises = unittest.TestCase.assertRaises  # noqa: N815
    assertWarns = unittest.TestCase.assertWarns  # noqa: N815
    shortDescription = unittest.TestCase.shortDescription  # noqa: N815
    # With it, each module that imports this class would seem to hold one more test.
    runTest = _Absent()  # noqa: N815

    def __init__(self, methodName: str) -> None:  # noqa: N803
        super().__init__(methodName)
        # On the instance, so that test methods of mixins are looked at as well.
        setattr(self, methodName, _checked(self, getattr(self, methodName)))

    def setUp(self) -> None:
        self._installObserver()
        # Cleanups run last to first and after tearDown: what is logged there counts as well.
        self.addCleanup(self._raise_logged_errors)
        # Sessions that are there already are not ours.
        self.sessions_before = set(evennia.SESSION_HANDLER)
        self.clock = Clock()
        self.clock.advance(self.clock_start)
        scheduling.set_clock(self.clock)
        self.addCleanup(scheduling.set_clock, None)
        # What long-term memory and experience do beside the reactor is done there and then: no
        # reactor runs that a thread could hand its results to.
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        minds.forget_all()
        self.addCleanup(minds.forget_all)
        # No reactor calls what Evennia delays, and each delay is compared with all that wait.
        self.addCleanup(taskhandler.TASK_HANDLER.clear, save=False)
        # Who is made or comes into the game while a test is set up looks around for nobody.
        self._not_looking = mock.patch.object(DefaultObject, "at_look", return_value="")
        self._not_looking.start()
        self.addCleanup(self._not_looking.stop)
        super().setUp()
        self.create_cast()

    def create_cast(self) -> None:
        """Make what each test of a class has beside Evennia's objects, and name it on `self`.

        Only objects, scripts, accounts and sessions may be named.
        """

    def tearDown(self) -> None:
        # An account is deleted with its sessions, of which Evennia knows only the first.
        ours = set(evennia.SESSION_HANDLER) - self.sessions_before
        for session_id in ours - {self.session.sessid}:
            del evennia.SESSION_HANDLER[session_id]
        super().tearDown()

    def settings_ai(self, **changes: Any) -> override_settings:
        """Return a context manager under which these keys of EVENNIA_AI have other values."""
        return override_settings(EVENNIA_AI={**conf.given(), **changes})

    def outcome(self, deferred: Deferred[Any]) -> Any:
        """Return what a Deferred fires with, once the slices of work that it waits for are done."""
        scheduling.drain()
        return self.successResultOf(deferred)

    def _raise_logged_errors(self) -> None:
        # A Deferred says that nobody took its failure only when it is collected.
        gc.collect(1)
        failures = self.flushLoggedErrors()
        self._removeObserver()
        if failures:
            failures[0].raiseException()


def _checked(case: AITestCase, method: Callable[[], Any]) -> Callable[[], None]:
    """Return the test method with a look at what it returns."""

    @functools.wraps(method)
    def checked(_: AITestCase) -> None:
        case._not_looking.stop()
        returned = method()
        if isinstance(returned, Deferred):
            _check_fired(case, returned)
        elif returned is not None:
            if hasattr(returned, "close"):
                # A coroutine that never ran would warn about it later, in another test.
                returned.close()
            case.fail(
                f"The test returned {returned!r}. Only a Deferred or None may be returned; "
                "a coroutine or a generator that is returned never ran."
            )

    # A method, as unittest's loader wants it to be where one test is named.
    return types.MethodType(checked, case)


def _check_fired(case: AITestCase, deferred: Deferred[Any]) -> None:
    results: list[Any] = []
    deferred.addBoth(results.append)
    if not results:
        case.fail(
            "The test returned a Deferred that has not fired. Advance self.clock, fire what it "
            "waits for, or ask for its result with self.successResultOf."
        )
    if isinstance(results[0], Failure):
        results[0].raiseException()
