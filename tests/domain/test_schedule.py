"""Hours of sleep: over midnight, over the nights on which the clocks change; and what is urgent."""

import itertools
from datetime import datetime, timedelta, timezone
from unittest import TestCase
from zoneinfo import ZoneInfo

from evennia_ai.core.records import new_event
from evennia_ai.domain.sleeping import schedule
from evennia_ai.domain.sleeping.schedule import Schedule

BERLIN = ZoneInfo("Europe/Berlin")
UTC = timezone.utc
NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


def hours(start, duration):
    """Return a schedule of these hours that is switched on."""
    return Schedule(enabled=True, sleep_start_hour=start, sleep_duration_hours=duration)


def sleeps(plan, first, last, *, zone, minutes=10):
    """Return the sleeps between two moments as (begin, end) in UTC, by looking every few minutes."""
    found, moment = [], first.astimezone(UTC)
    while moment <= last.astimezone(UTC):
        window = schedule.window_at(moment.astimezone(zone), plan)
        if window and window not in found:
            found.append(window)
        moment += timedelta(minutes=minutes)
    return [(f"{begin:%d %H:%M}", f"{end:%d %H:%M}") for begin, end in found]


class ReadTests(TestCase):
    def test_what_is_left_out_is_as_the_sources_have_it(self):
        """M54: the defaults of a schedule, to the key."""
        self.assertEqual(
            vars(schedule.read_schedule({})),
            {
                "enabled": False,
                "sleep_start_hour": 2,
                "sleep_duration_hours": 4,
                "tick_rate_sleep": 60,
                "min_awake_ticks": 10,
                "clock": "server",
            },
        )

    def test_what_is_given_holds_and_what_nobody_knows_is_let_be(self):
        plan = schedule.read_schedule({"enabled": True, "sleep_start_hour": 22, "mood": "sour"})
        self.assertEqual((plan.enabled, plan.sleep_start_hour), (True, 22))

    def test_what_makes_no_sense_is_said(self):
        for given, wrong in (
            ({"enabled": "on"}, "enabled is 'on'; it must be True or False."),
            ({"sleep_start_hour": 24}, "sleep_start_hour is 24; it must be 0 to 23."),
            ({"sleep_start_hour": -1}, "sleep_start_hour is -1; it must be 0 to 23."),
            ({"sleep_start_hour": 2.5}, "sleep_start_hour is 2.5; it must be 0 to 23."),
            ({"sleep_start_hour": True}, "sleep_start_hour is True; it must be 0 to 23."),
            ({"sleep_start_hour": "2"}, "sleep_start_hour is '2'; it must be 0 to 23."),
            (
                {"sleep_duration_hours": 0},
                "sleep_duration_hours is 0; it must be more than 0 and at most 23.",
            ),
            (
                {"sleep_duration_hours": 24},
                "sleep_duration_hours is 24; it must be more than 0 and at most 23.",
            ),
            (
                {"sleep_duration_hours": float("nan")},
                "sleep_duration_hours is nan; it must be more than 0 and at most 23.",
            ),
            ({"tick_rate_sleep": 0}, "tick_rate_sleep is 0; it must be 1 to 86400 seconds."),
            ({"tick_rate_sleep": None}, "tick_rate_sleep is None; it must be 1 to 86400 seconds."),
            ({"min_awake_ticks": -1}, "min_awake_ticks is -1; it must be 0 or more."),
            ({"clock": "sun"}, "clock is 'sun'; it must be server or game."),
        ):
            with self.subTest(given), self.assertRaises(ValueError) as caught:
                schedule.read_schedule(given)
            self.assertEqual(str(caught.exception), wrong)

    def test_what_is_no_dict_is_no_schedule(self):
        for given in ([], "at night", 2, None):
            with self.subTest(given), self.assertRaises(ValueError):
                schedule.read_schedule(given)


class WindowTests(TestCase):
    def test_the_hours_of_a_day(self):
        """M55: in the window from the first minute on, and no more at its end."""
        plan = hours(2, 4)
        for text, inside in (
            ("01:59:59", False),
            ("02:00:00", True),
            ("05:59:59", True),
            ("06:00:00", False),
            ("14:00:00", False),
        ):
            moment = datetime.fromisoformat(f"2030-01-15T{text}+00:00")
            self.assertEqual(schedule.window_at(moment, plan) is not None, inside, text)

    def test_hours_that_go_over_midnight(self):
        """M55: 22:00 to 02:00 is one sleep."""
        plan = hours(22, 4)
        one_sleep = (datetime(2030, 1, 15, 22, tzinfo=UTC), datetime(2030, 1, 16, 2, tzinfo=UTC))
        for text, expected in (
            ("2030-01-15T21:59", None),
            ("2030-01-15T22:00", one_sleep),
            ("2030-01-15T23:59", one_sleep),
            ("2030-01-16T00:00", one_sleep),
            ("2030-01-16T01:59", one_sleep),
            ("2030-01-16T02:00", None),
        ):
            moment = datetime.fromisoformat(f"{text}+00:00")
            self.assertEqual(schedule.window_at(moment, plan), expected, text)

    def test_half_hours_count(self):
        plan = hours(23, 0.5)
        for text, inside in (("23:29", True), ("23:30", False)):
            moment = datetime.fromisoformat(f"2030-01-15T{text}+00:00")
            self.assertEqual(schedule.window_at(moment, plan) is not None, inside)

    def test_the_hour_is_that_of_the_place(self):
        self.assertEqual(
            schedule.window_at(datetime(2030, 1, 15, 2, 30, tzinfo=BERLIN), hours(2, 4)),
            (datetime(2030, 1, 15, 1, tzinfo=UTC), datetime(2030, 1, 15, 5, tzinfo=UTC)),
        )

    def test_the_nights_on_which_the_clocks_change_have_one_sleep(self):
        """Forward on 31 March 2030 at 02:00, back on 27 October 2030 at 03:00, in Berlin."""
        for day, plan, expected in (
            # 02:00 is left out: the sleep begins at the jump, at 03:00, and is as long as ever.
            ((2030, 3, 31), hours(2, 4), ("31 01:00", "31 05:00")),
            ((2030, 3, 31), hours(2, 1), ("31 01:00", "31 02:00")),
            ((2030, 3, 31), hours(3, 1), ("31 01:00", "31 02:00")),
            ((2030, 3, 31), hours(1, 2), ("31 00:00", "31 02:00")),
            # 02:00 comes twice: the first counts, the second begins no other sleep.
            ((2030, 10, 27), hours(2, 1), ("27 00:00", "27 01:00")),
            ((2030, 10, 27), hours(2, 0.5), ("27 00:00", "27 00:30")),
            ((2030, 10, 27), hours(2, 4), ("27 00:00", "27 04:00")),
            ((2030, 10, 27), hours(3, 1), ("27 02:00", "27 03:00")),
        ):
            with self.subTest(day=day, plan=plan):
                first = datetime(*day, 0, tzinfo=BERLIN)
                last = datetime(*day, 12, tzinfo=BERLIN)
                self.assertEqual(sleeps(plan, first, last, zone=BERLIN), [expected])

    def test_every_night_of_a_year_has_one_sleep_of_its_length(self):
        for zone in (BERLIN, ZoneInfo("Australia/Lord_Howe")):
            for plan in (hours(2, 1), hours(22, 4), hours(0, 23)):
                with self.subTest(zone=zone.key, plan=plan):
                    found = set()
                    moment = datetime(2030, 1, 2, 12, tzinfo=zone).astimezone(UTC)
                    last = datetime(2030, 12, 30, 12, tzinfo=zone).astimezone(UTC)
                    while moment <= last:
                        window = schedule.window_at(moment.astimezone(zone), plan)
                        found |= {window} - {None}
                        moment += timedelta(minutes=30)
                    ordered = sorted(found)
                    self.assertIn(len(ordered), (362, 363))
                    lengths = {end - begin for begin, end in ordered}
                    self.assertEqual(lengths, {timedelta(hours=plan.sleep_duration_hours)})
                    for one, other in itertools.pairwise(ordered):
                        self.assertLessEqual(one[1], other[0])


class UrgentTests(TestCase):
    def urgent(self, kind="say", **fields):
        return schedule.is_urgent(new_event(kind, "hello", event_id="1", now=NOW, **fields))

    def test_what_wakes_a_light_sleeper(self):
        """M52: direct messages, what is urgent, priority 8 or more."""
        for kind, fields, expected in (
            ("say", {}, False),
            ("say", {"priority": 7}, False),
            ("say", {"priority": 8}, True),
            ("say", {"priority": 10}, True),
            ("say", {"priority": 1, "urgent": True}, True),
            ("whisper", {"priority": 1}, True),
            ("tell", {"priority": 1}, True),
            ("pose", {"priority": 5}, False),
            ("attacked", {"priority": 8}, True),
        ):
            with self.subTest(kind=kind, **fields):
                self.assertEqual(self.urgent(kind, **fields), expected)
