"""What holds of the hours of sleep, whatever a builder writes and wherever the server stands."""

import math
import unittest
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as some

from evennia_ai.domain.sleeping import schedule
from evennia_ai.domain.sleeping.schedule import Schedule

# North and south, with half hours, with quarters, without daylight saving, and with half an hour of it.
ZONES = some.sampled_from(
    [
        "UTC",
        "Europe/Stockholm",
        "America/New_York",
        "America/St_Johns",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Pacific/Apia",
        "Africa/Casablanca",
    ]
).map(ZoneInfo)
PLANS = some.builds(
    Schedule,
    enabled=some.just(True),
    sleep_start_hour=some.integers(0, 23),
    sleep_duration_hours=some.floats(0.25, 22, allow_nan=False),
)
# Years with a crossing of the date line (Apia, 2011) and with the clocks changing.
MOMENTS = some.datetimes(datetime(2011, 1, 2), datetime(2026, 12, 30))


class WindowTests(unittest.TestCase):
    @given(MOMENTS, ZONES, PLANS)
    def test_a_moment_of_sleep_lies_in_a_sleep_of_its_length(self, moment, zone, plan):
        window = schedule.window_at(moment.replace(tzinfo=timezone.utc).astimezone(zone), plan)
        if window is not None:
            begin, end = window
            self.assertLessEqual(begin, moment.replace(tzinfo=timezone.utc))
            self.assertLess(moment.replace(tzinfo=timezone.utc), end)
            self.assertEqual(end - begin, timedelta(hours=plan.sleep_duration_hours))

    @given(MOMENTS, ZONES, PLANS)
    def test_all_moments_of_a_sleep_agree_on_when_it_is(self, moment, zone, plan):
        window = schedule.window_at(moment.replace(tzinfo=timezone.utc).astimezone(zone), plan)
        if window is None:
            return
        begin, end = window
        for part in (0, 0.3, 0.7, 0.999):
            within = begin + (end - begin) * part
            self.assertEqual(schedule.window_at(within.astimezone(zone), plan), window)
        after = schedule.window_at(end.astimezone(zone), plan)
        self.assertNotEqual(after, window)

    @given(MOMENTS, ZONES, PLANS)
    def test_three_days_have_their_sleeps_one_after_another(self, moment, zone, plan):
        """Awake and asleep take turns; a day has one sleep, on the night of a change as well."""
        start = moment.replace(minute=0, second=0, microsecond=0, tzinfo=timezone.utc)
        looks = [start + timedelta(minutes=15 * step) for step in range(3 * 24 * 4)]
        found = [schedule.window_at(look.astimezone(zone), plan) for look in looks]
        sleeps = sorted({window for window in found if window})
        for (_, end), (begin, _) in zip(sleeps, sleeps[1:], strict=False):
            self.assertLessEqual(end, begin)
        self.assertGreaterEqual(len(sleeps), 2)
        # Begun in three days; a night may reach in at either end, and one day may be 25 hours long.
        self.assertLessEqual(len(sleeps), 4)
        hours = sum(1 for window in found if window) / 4
        if zone.key in ("UTC", "Asia/Kathmandu"):
            self.assertAlmostEqual(hours, 3 * plan.sleep_duration_hours, delta=0.8)

    @given(MOMENTS, ZONES, PLANS)
    def test_it_begins_when_the_clock_shows_the_hour(self, moment, zone, plan):
        window = schedule.window_at(moment.replace(tzinfo=timezone.utc).astimezone(zone), plan)
        if window is not None:
            shown = window[0].astimezone(zone)
            # Where the clocks go forward it is the first moment after the gap.
            self.assertIn((shown.hour - plan.sleep_start_hour) % 24, (0, 1))


ANYTHING = (
    some.none()
    | some.booleans()
    | some.integers(-(10**20), 10**20)
    | some.floats()
    | some.text(max_size=5)
    | some.lists(some.integers(), max_size=2)
    | some.dictionaries(some.text(max_size=2), some.integers(), max_size=2)
)
FIELDS = (
    "enabled",
    "sleep_start_hour",
    "sleep_duration_hours",
    "tick_rate_sleep",
    "min_awake_ticks",
    "clock",
    "nonsense",
)


class ReadTests(unittest.TestCase):
    @given(some.dictionaries(some.sampled_from(FIELDS), ANYTHING))
    @example({"sleep_duration_hours": 23.5})
    @example({"tick_rate_sleep": 0.5})
    @example({"sleep_start_hour": 2.5})
    @example({"min_awake_ticks": float("nan")})
    def test_a_schedule_makes_sense_or_is_refused_in_a_sentence(self, given_):
        try:
            plan = schedule.read_schedule(given_)
        except ValueError as error:
            self.assertRegex(str(error), r"\A\w+ is .+; it must be .+\.\Z")
            return
        self.assertIn(plan.sleep_start_hour, range(24))
        self.assertTrue(0 < plan.sleep_duration_hours <= 23)
        self.assertTrue(1 <= plan.tick_rate_sleep <= 86_400)
        self.assertTrue(plan.min_awake_ticks >= 0)
        # With any of them one can reckon.
        schedule.window_at(datetime(2024, 3, 31, 2, tzinfo=timezone.utc), plan)
        self.assertTrue(math.isfinite(plan.sleep_duration_hours))

    @given(ANYTHING.filter(lambda value: not isinstance(value, dict)))
    def test_what_is_no_dict_is_refused(self, value):
        with self.assertRaisesRegex(ValueError, "a schedule is a dict"):
            schedule.read_schedule(value)
