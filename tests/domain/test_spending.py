"""Prices, caps, windows and waits."""

import math
import unittest

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.core.records import GUESTS
from evennia_ai.domain.model_text import spending


class CostTests(unittest.TestCase):
    def test_a_price_is_per_million_tokens_and_a_cost_in_millionths(self):
        self.assertEqual(spending.cost(1_000_000, 0, price=(0.15, 0.6)), 150_000)
        self.assertEqual(spending.cost(0, 1_000_000, price=(0.15, 0.6)), 600_000)
        self.assertEqual(spending.cost(1000, 200, price=(0.15, 0.6)), 270)

    def test_a_fraction_of_a_millionth_costs_a_whole_one(self):
        self.assertEqual(spending.cost(1, 0, price=(0.15, 0.6)), 1)
        self.assertEqual(spending.cost(11, 0, price=(0.1, 0.6)), 2)

    def test_what_floats_add_of_their_own_costs_nothing(self):
        # 3 * 0.1 * 10 is 3.0000000000000004.
        self.assertEqual(spending.cost(30, 0, price=(0.1, 0.0)), 3)

    def test_no_price_costs_nothing(self):
        self.assertEqual(spending.cost(12_345, 678, price=(0.0, 0.0)), 0)

    @given(some.lists(some.integers(0, 10_000), min_size=1), some.integers(0, 1_000_000))
    def test_calls_one_by_one_never_cost_less_than_together(self, counts, ten_thousandths):
        # No server has a finer price than a ten-thousandth of a millionth a token.
        price = (ten_thousandths / 10_000, 0.0)
        single = sum(spending.cost(count, 0, price=price) for count in counts)
        self.assertGreaterEqual(single, spending.cost(sum(counts), 0, price=price))

    def test_money_of_the_settings_becomes_millionths(self):
        self.assertEqual(spending.to_millionths(2.5), 2_500_000)
        self.assertEqual(spending.to_millionths(0.1 + 0.2), 300_000)


class PriceTests(unittest.TestCase):
    PRICES = {"small": (0.1, 0.2), "large": [5, 15]}

    def test_the_first_name_that_has_a_price_counts(self):
        names = ("small-2026-01-01", "large", "small")
        self.assertEqual(spending.price_for(self.PRICES, names), (5.0, 15.0))

    def test_an_unknown_model_is_free(self):
        self.assertEqual(spending.price_for(self.PRICES, ("", "other")), (0.0, 0.0))


class BelievedTests(unittest.TestCase):
    def test_a_count_is_believed_between_a_quarter_and_four_times_the_estimate(self):
        for told, believed in (
            (100, 100),
            (25, 25),
            (24, 25),
            (1, 25),
            (400, 400),
            (401, 400),
            (10**30, 400),
            (0, 90),
            (-1, 90),
            (None, 90),
        ):
            with self.subTest(told=told):
                counted = spending.believed(told, estimate=100, largest=10, unsaid=90)
                self.assertEqual(counted, believed)

    def test_a_short_text_may_have_had_more_that_is_not_seen(self):
        self.assertEqual(spending.believed(999, estimate=2, largest=300, unsaid=300), 999)
        self.assertEqual(spending.believed(9999, estimate=2, largest=300, unsaid=300), 1200)


class CapTests(unittest.TestCase):
    def test_the_ladder(self):
        cases = [
            (0, 100, "go"),
            (79, 21, "go"),
            (79, 22, "refuse"),
            (80, 20, "cheaper"),
            (80, 21, "refuse"),
            (99, 1, "cheaper"),
            (100, 1, "refuse"),
            (150, 1, "refuse"),
            (0, 101, "refuse"),
        ]
        for spent, asked, verdict in cases:
            with self.subTest(spent=spent, asked=asked):
                self.assertEqual(spending.check_cap(spent, asked, cap=100), verdict)

    def test_none_is_no_cap_and_0_allows_nothing(self):
        self.assertEqual(spending.check_cap(10**12, 10**12, cap=None), "go")
        self.assertEqual(spending.check_cap(0, 1, cap=0), "refuse")

    def test_the_worst_verdict_counts(self):
        self.assertEqual(spending.worst(["go", "refuse", "cheaper"]), "refuse")
        self.assertEqual(spending.worst(["cheaper", "go"]), "cheaper")
        self.assertEqual(spending.worst([]), "go")


class WindowTests(unittest.TestCase):
    def test_a_place_comes_free_when_the_oldest_call_that_counts_leaves(self):
        times = [10.0, 20.0, 30.0]
        self.assertEqual(spending.seconds_until_free(times, limit=4, now=40.0), 0.0)
        self.assertEqual(spending.seconds_until_free(times, limit=3, now=40.0), 30.0)
        # A limit that was lowered: two must leave before there is one place.
        self.assertEqual(spending.seconds_until_free(times, limit=2, now=40.0), 40.0)

    def test_no_limit_never_waits_and_a_limit_of_0_waits_for_ever(self):
        self.assertEqual(spending.seconds_until_free([1.0] * 1000, limit=None, now=2.0), 0.0)
        self.assertEqual(spending.seconds_until_free([], limit=0, now=2.0), math.inf)

    @given(
        some.lists(some.floats(0, 10), max_size=200),
        some.integers(1, 10),
    )
    def test_no_window_ever_holds_more_than_the_limit(self, gaps, limit):
        now, calls = 0.0, []
        for gap in gaps:
            now += gap
            recent = [one for one in calls if now - spending.WINDOW_SECONDS < one]
            if spending.seconds_until_free(recent, limit=limit, now=now) == 0:
                calls.append(now)
                recent.append(now)
            self.assertLessEqual(len(recent), limit)


class BackoffTests(unittest.TestCase):
    def test_the_longest_wait_doubles_up_to_8_seconds(self):
        waits = [spending.backoff(attempt, chance=1.0) for attempt in range(1, 8)]
        self.assertEqual(waits, [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0])

    def test_full_jitter_goes_down_to_nothing(self):
        self.assertEqual(spending.backoff(4, chance=0.0), 0.0)
        self.assertEqual(spending.backoff(4, chance=0.25), 1.0)

    def test_what_the_server_asks_for_is_waited_in_full(self):
        self.assertEqual(spending.backoff(1, chance=0.0, retry_after=3.0), 3.0)
        self.assertEqual(spending.backoff(1, chance=1.0, retry_after=3.0), 3.5)
        self.assertEqual(spending.backoff(1, chance=0.0, retry_after=-5.0), 0.0)


class ScopeTests(unittest.TestCase):
    def test_a_call_counts_for_the_server_and_for_whom_it_names(self):
        self.assertEqual(
            spending.scopes_of(assistant="bob", player=7),
            {"server": "server", "assistant": "assistant:bob", "player": "player:7"},
        )
        self.assertEqual(spending.scopes_of(), {"server": "server"})

    def test_all_guests_are_one_player(self):
        self.assertEqual(spending.scopes_of(player=GUESTS)["player"], "player:guests")

    def test_the_server_comes_first_so_that_rows_are_locked_in_one_order(self):
        self.assertEqual(
            list(spending.scopes_of(assistant="bob", player=7)), ["server", "assistant", "player"]
        )
