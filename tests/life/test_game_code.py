"""Code of the game that fails, and lines that nobody can read, keep no NPC from its day."""

import math
from unittest import mock

from evennia.locks.lockhandler import get_all_lockfuncs
from evennia.objects.objects import DefaultExit, DefaultObject
from evennia.utils.create import create_object

from evennia_ai.memory import routine
from tests.life.cases import DayTestCase, Hands


def fails(*args, **kwargs):
    """A fact, a clock or a FIND_WAY of a game with a bug."""
    raise RuntimeError("a bug of the game")


def odd():
    """A clock without a calendar, and with numbers that are none."""
    return 1, odd.seconds, 86_400.0


class BrokenExit(DefaultExit):
    """An exit whose hook has a bug."""

    def at_traverse(self, traversing_object, target_location, **kwargs):
        raise RuntimeError("a bug of the game")


class BrokenGameTests(DayTestCase):
    def test_a_fact_that_fails_is_not_so_and_staff_are_told_once(self):
        self.configure(FACTS={"raining": "tests.life.test_game_code.fails"})
        self.gives(self.mara, "06:00 inn", "13:00 market [if raining]", "14:00 lane")
        self.at(13)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.at(14)
        self.assertEqual(self.ticks(), ["Lane"])
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)

    def test_a_lock_that_fails_lets_nobody_pass(self):
        self.enterContext(mock.patch.dict(get_all_lockfuncs(), tag=fails))
        self.gives(self.mara, "06:00 inn", "13:00 lane [if tag(ill)]")
        self.at(13)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)

    def test_while_the_clock_fails_she_has_no_routine(self):
        self.configure(GAME_CLOCK="tests.life.test_game_code.fails")
        self.assertIsNone(routine.present(self.mara))
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.assertEqual(routine.problem("13:00 market"), "")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)

    def test_a_clock_whose_day_has_no_length_counts_as_one_that_fails(self):
        Hands.length = 0.0
        self.assertIsNone(routine.present(self.mara))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

    def test_nor_does_one_whose_days_take_no_time_or_whose_hour_is_no_number(self):
        for seconds, takes in ((float("nan"), 2400.0), (0.0, "long"), (0.0, -1.0)):
            with self.subTest(takes=takes, seconds=seconds):
                self.configure(GAME_CLOCK="tests.life.test_game_code.odd")
                odd.seconds, odd.day_takes = seconds, takes
                self.assertEqual(routine.speed(), 2.0 if takes != 2400.0 else 36.0)
                self.assertFalse(math.isnan(routine.now()[1]))
                self.assertEqual(routine.date(), "")
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

    def test_an_exit_that_fails_is_one_that_lets_nobody_through(self):
        self.ways["Inn-Lane"].delete()
        self.join(self.inn, self.lane, BrokenExit)
        self.at(13)
        self.assertEqual(self.ticks(20), ["Inn"] * 20)
        self.assertEqual(self.state(), "blocked")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)

    def test_a_find_way_that_fails_finds_none(self):
        self.configure(FIND_WAY="tests.life.test_game_code.fails")
        self.at(13)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.assertEqual(self.state(), "blocked")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)


class ConditionTests(DayTestCase):
    def test_a_lock_of_her_day_is_asked_again_after_a_minute_only(self):
        asked = []
        self.enterContext(
            mock.patch.dict(
                get_all_lockfuncs(), tag=lambda *args, **kwargs: asked.append(args) or False
            )
        )
        self.gives(self.mara, "06:00 inn", "08:00 lane [if tag(ill)]")
        self.at(9)
        self.ticks(24)
        self.assertEqual(len(asked), 2)

    def test_what_is_done_on_a_condition_comes_before_what_is_done_else_in_either_order(self):
        lines = ["13:00 lane [if tag(ill)]", "13:00 square"]
        self.mara.tags.add("ill")
        for written in (lines, lines[::-1]):
            self.gives(self.mara, "06:00 inn", *written)
            self.at(13)
            self.assertEqual(routine.present(self.mara).slot.place, "lane")


class RoomOfANameTests(DayTestCase):
    def test_a_room_that_somebody_digs_with_the_name_of_another_draws_nobody(self):
        self.join(self.inn, self.make_room("Market"))
        self.at(13)
        self.assertEqual(self.ticks(), ["Lane"])

    def test_the_alias_of_an_old_room_is_not_drawn_away_by_the_name_of_a_new_one(self):
        self.market.aliases.add("bakery")
        self.make_room("bakery")
        self.assertEqual(routine.room_ids("bakery"), {self.market.id})

    def test_what_exits_lead_to_is_a_room_and_what_lies_somewhere_or_nowhere_is_none(self):
        for key, location in (("Market", None), ("Quay", self.inn), ("Quay", None)):
            create_object(DefaultObject, key=key, location=location, nohome=True)
        self.market.delete()
        self.assertEqual(routine.room_ids("market"), frozenset())
        quay = create_object(DefaultObject, key="Quay", nohome=True)
        self.join(self.inn, quay)
        self.join(self.lane, quay)
        self.gives(self.mara, "06:00 inn", "13:00 quay")
        self.at(13)
        self.assertEqual(self.ticks(), ["Quay"])
        self.assertIs(self.mara.location, quay)

    def test_what_was_found_is_searched_anew_after_ten_minutes_or_as_soon_as_it_is_so_no_more(self):
        self.market.tags.add("stall")
        self.assertEqual(routine.room_ids("stall"), {self.market.id})
        self.square.tags.add("stall")
        self.wait(61)
        self.assertEqual(routine.room_ids("stall"), {self.market.id})
        self.wait(61)
        with self.assertNumQueries(0):
            self.assertEqual(routine.room_ids("stall"), {self.market.id})
        self.wait(480)
        self.assertEqual(routine.room_ids("stall"), {self.market.id, self.square.id})
        for change in (
            lambda: self.market.tags.remove("stall"),
            lambda: self.square.tags.add("avoid"),
        ):
            before = routine.room_ids("stall")
            change()
            self.wait(61)
            self.assertLess(routine.room_ids("stall"), before)
        self.assertEqual(routine.room_ids("Lane"), {self.lane.id})
        self.lane.key = "Alley"
        self.wait(61)
        self.assertEqual(routine.room_ids("Lane"), frozenset())

    def test_of_rooms_of_one_name_that_in_her_zone_is_meant(self):
        self.join(self.inn, other := self.make_room("Market"))
        other.tags.add("harbour")
        self.gives(self.mara, *self.routine, zone="Harbour")
        self.at(13)
        self.assertEqual(self.ticks(), ["Market"])
        self.assertEqual(self.mara.location, other)

    def test_of_rooms_of_one_tag_those_in_her_zone_are_meant(self):
        self.join(self.inn, bait := self.make_room("Bait"))
        for room in (bait, self.square):
            room.tags.add("stall")
        self.square.tags.add("town")
        self.gives(self.mara, "06:00 inn", "13:00 stall", zone="town")
        self.lane.tags.add("town")
        self.at(13)
        self.assertEqual(self.ticks(2), ["Lane", "Square"])


class UnreadTests(DayTestCase):
    def test_a_line_that_nobody_can_read_takes_no_other_along(self):
        self.gives(self.mara, "06:00 inn", "at noon", "13:00 lane", "13:00 market")
        self.assertEqual([one.place for one in routine.slots_of(self.mara)], ["inn", "lane"])
        self.at(13)
        self.assertEqual(self.ticks(), ["Lane"])

    def test_nor_does_one_of_her_triggers(self):
        self.gives(self.mara, triggers=["when it rings", "bell_rung: say Stop!"])
        self.assertEqual([one.on for one in routine.triggers_of(self.mara)], ["bell_rung"])

    def test_staff_read_which_lines_these_are(self):
        self.char1.permissions.add("Developer")
        for lines in (("06:00 inn", "at noon"), ("at noon",)):
            self.gives(self.mara, *lines, triggers=["when it rings"])
            self.ann.clear()
            self.do(self.char1, "@assistant/routine Mara")
            read = "".join(text for _, text in self.ann)
            self.assertIn("Nobody can read: 'at noon' is written otherwise", read)
            self.assertIn("Nobody can read: 'when it rings' is written otherwise", read)
