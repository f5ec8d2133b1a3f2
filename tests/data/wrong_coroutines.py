"""Two tests that must fail, and one that must not; run by tests/test_cases.py in a process."""

from twisted.internet.defer import Deferred, inlineCallbacks, succeed

from evennia_ai.testing import AITestCase


class WrongCoroutineTests(AITestCase):
    @inlineCallbacks
    def test_that_asserts_what_is_wrong(self):
        yield succeed(None)
        self.assertEqual(1, 2)

    @inlineCallbacks
    def test_that_never_ends(self):
        yield Deferred()

    @inlineCallbacks
    def test_that_is_right(self):
        yield succeed(None)
        self.assertEqual(1, 1)
