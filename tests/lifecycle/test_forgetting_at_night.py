"""Who is forgotten while a worker is at the night of an NPC: that is waited for, and not for ever."""

from unittest import mock

from evennia_ai.lifecycle import store_handlers
from evennia_ai.lifecycle.store_handlers import Jobs, StillBusy, Whose
from evennia_ai.testing.cases import AITestCase


class NightTests(AITestCase):
    def clear(self, *, busy):
        """Begin to let go of the jobs of an NPC, two of them, whose night a worker leaves when `busy` says so."""
        queue = mock.Mock(forget=lambda npc_id: 2, call_back=lambda npc_id: busy())
        replaced = mock.patch.object(store_handlers, "job_control", queue)
        replaced.start()
        self.addCleanup(replaced.stop)
        return Jobs().clear(Whose(7, 8, "u", ""))

    def test_it_waits_until_the_worker_has_left_the_night(self):
        begun = self.clock.seconds()
        cleared = self.clear(busy=lambda: self.clock.seconds() < begun + 100)
        self.assertNoResult(cleared)
        self.clock.pump([0.5] * 200)
        self.assertEqual(self.successResultOf(cleared), {"jobs": 2})

    def test_after_two_minutes_it_says_that_it_was_not_done(self):
        cleared = self.clear(busy=lambda: True)
        self.clock.pump([0.5] * 239)
        self.assertNoResult(cleared)
        self.clock.pump([0.5])
        self.failureResultOf(cleared, StillBusy)
