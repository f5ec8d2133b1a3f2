"""How often something may be done: within all of its limits, counted once, and forgotten when it is over."""

from evennia_ai import rate_limits
from evennia_ai.rate_limits import Limit
from evennia_ai.testing.cases import AITestCase

WAVE = Limit(("wave", 1), times=2, seconds=60)
BOW = Limit(("bow", 1), seconds=600)


class RateLimitTests(AITestCase):
    def test_so_many_times_and_no_more_until_the_seconds_are_over(self):
        self.assertEqual([rate_limits.take(WAVE) for _ in range(3)], [True, True, False])
        self.clock.advance(59)
        self.assertFalse(rate_limits.take(WAVE))
        self.clock.advance(1)
        self.assertTrue(rate_limits.take(WAVE))

    def test_what_one_limit_refuses_counts_for_no_other(self):
        self.assertTrue(rate_limits.take(WAVE, BOW))
        self.assertFalse(rate_limits.take(WAVE, BOW))
        self.assertTrue(rate_limits.take(WAVE))

    def test_to_ask_counts_nothing_and_what_was_done_counts_unasked(self):
        self.assertTrue(rate_limits.allows(BOW))
        rate_limits.count(BOW)
        self.assertFalse(rate_limits.allows(BOW))

    def test_a_flood_is_told_at_once_and_an_hour_later_with_how_much_there_was_also_if_nothing_follows(
        self,
    ):
        told = []
        for _ in range(80):
            rate_limits.tell(("lost", 1), told.append)
        self.assertEqual(told, [1])
        rate_limits.tell(("lost", 2), told.append, 7)
        self.clock.advance(3600)
        self.assertEqual(told, [1, 7, 79])
        rate_limits.tell(("lost", 1), told.append, 3)
        self.assertEqual(told, [1, 7, 79])
        self.clock.advance(3600)
        self.assertEqual(told, [1, 7, 79, 3])

    def test_zero_times_is_never(self):
        self.assertFalse(rate_limits.take(Limit(("shout",), times=0)))

    def test_each_is_forgotten_when_it_is_over_and_no_sooner(self):
        rate_limits.take(WAVE, BOW)
        self.clock.advance(599)
        rate_limits.count(Limit(("nod",), seconds=1))
        self.assertEqual(set(rate_limits._state.done), {BOW.key, ("nod",)})
        self.assertFalse(rate_limits.allows(BOW))
