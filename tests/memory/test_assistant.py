"""Tests of what a mind itself keeps."""

from datetime import datetime, timedelta, timezone

from evennia.scripts.scripts import DefaultScript
from evennia.utils.create import create_script

from evennia_ai.core.records import Reminder, format_time, new_event
from evennia_ai.memory.state import assistant
from evennia_ai.memory.storage import pages
from evennia_ai.testing import AITestCase
from tests.domain.lines import OF_THE_GAME

NOON = datetime(2024, 3, 1, 12, 0, tzinfo=timezone.utc)


class AssistantTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        self.script = create_script(DefaultScript, key="mind", obj=self.char1)


class PendingTests(AssistantTestCase):
    def add(self, name, *, limit=3, **fields):
        event = new_event("say", name, event_id=name, now=NOON, **fields)
        assistant.add_pending(self.script, event, limit=limit)

    def names(self):
        return [event.id for event in assistant.pending_events(self.script)]

    def test_events_wait_in_the_order_in_which_they_came(self):
        self.assertEqual(self.names(), [])
        for name in "abc":
            self.add(name)
        self.assertEqual(self.names(), ["a", "b", "c"])
        self.assertEqual(assistant.pending_events(self.script)[0].text, "a")

    def test_beyond_the_limit_the_least_important_is_let_go(self):
        for name, priority, expected in (
            ("a", 5, ["a"]),
            ("b", 1, ["a", "b"]),
            ("c", 9, ["a", "b", "c"]),
            ("d", 5, ["a", "c", "d"]),
            # Among equals the oldest goes.
            ("e", 5, ["c", "d", "e"]),
            # The newest itself, if it matters least.
            ("f", 0, ["c", "d", "e"]),
        ):
            with self.subTest(name=name):
                self.add(name, priority=priority)
                self.assertEqual(self.names(), expected)

    def test_whoever_asks_most_makes_room_for_others(self):
        self.add("from ann", priority=1, said_by="ann")
        for number in range(5):
            self.add(f"{number} from bob", priority=9, said_by="bob")
        self.assertEqual(self.names(), ["from ann", "3 from bob", "4 from bob"])

    def test_a_limit_that_was_lowered_holds_at_the_next_event(self):
        for number in range(6):
            self.add(str(number), priority=number, limit=10)
        self.add("new", priority=9, limit=2)
        self.assertEqual(self.names(), ["5", "new"])
        self.add("none", limit=0)
        self.assertEqual(self.names(), [])

    def test_what_was_dealt_with_is_removed_and_the_rest_stays(self):
        for name in "abc":
            self.add(name)
        assistant.remove_pending(self.script, iter(["a", "c", "unknown"]))
        self.assertEqual(self.names(), ["b"])

    def test_removing_what_is_not_there_writes_nothing(self):
        self.add("a")
        with self.assertNumQueries(0):
            assistant.remove_pending(self.script, ["b"])
            assistant.remove_pending(self.script, [])
        self.assertEqual(self.names(), ["a"])

    def test_they_stand_where_a_builder_finds_them(self):
        self.add("a")
        self.assertEqual(assistant.pending_events(self.script)[0].id, "a")


class ReminderTests(AssistantTestCase):
    def remind(self, text, *, minutes, **fields):
        due = format_time(NOON + timedelta(minutes=minutes))
        given = {"said_by": "u1", "actor_id": 0 if fields else 1, "audience": "public", **fields}
        assistant.add_reminder(
            self.script, Reminder(sources=OF_THE_GAME, due=due, text=text, **given)
        )

    def taken(self, minutes):
        now = NOON + timedelta(minutes=minutes)
        return [one.text for one in assistant.take_due_reminders(self.script, now=now)]

    def kept(self):
        return [one.text for one in assistant.reminders(self.script)]

    def test_it_is_kept_under_the_names_that_it_always_had(self):
        self.remind("bread", minutes=0)
        self.assertEqual(
            pages.plain(assistant.reminders(self.script)),
            [
                {
                    "due": "2024-03-01T12:00:00.000Z",
                    "text": "bread",
                    "actor": "u1",
                    "actor_id": 1,
                    "audience": "public",
                    "sources": [["game", "", "public"]],
                }
            ],
        )

    def test_a_reminder_is_taken_once_when_its_time_has_come(self):
        self.remind("bread", minutes=10)
        self.assertEqual(self.taken(9), [])
        self.assertEqual(self.kept(), ["bread"])
        self.assertEqual(self.taken(10), ["bread"])
        self.assertEqual((self.taken(11), self.kept()), ([], []))

    def test_several_are_taken_in_the_order_of_asking_and_the_others_stay(self):
        for text, minutes in (("later", 60), ("second", 10), ("first", 5)):
            self.remind(text, minutes=minutes)
        self.assertEqual(self.taken(30), ["second", "first"])
        self.assertEqual(self.kept(), ["later"])

    def test_those_that_a_stopped_server_missed_are_made_up(self):
        self.remind("bread", minutes=-600)
        self.assertEqual(self.taken(0), ["bread"])

    def test_two_equal_ones_are_two(self):
        self.remind("bread", minutes=1)
        self.remind("bread", minutes=1)
        self.assertEqual(self.taken(1), ["bread", "bread"])

    def test_nothing_due_writes_nothing(self):
        self.remind("bread", minutes=10)
        with self.assertNumQueries(0):
            self.taken(0)

    def test_the_time_may_be_text_or_naive(self):
        self.remind("a", minutes=0)
        taken = assistant.take_due_reminders(self.script, now="2024-03-01T12:00:00Z")
        self.assertEqual(len(taken), 1)
        self.remind("a", minutes=0)
        taken = assistant.take_due_reminders(self.script, now=datetime(2024, 3, 1, 12))
        self.assertEqual(len(taken), 1)

    def test_there_are_at_most_sixty_and_three_of_one(self):
        for number in range(60):
            self.remind(str(number), minutes=number, said_by=f"u{number % 20}")
        with self.assertRaisesRegex(ValueError, "^You already have 60 reminders.$"):
            self.remind("one too many", minutes=1, said_by="u99")
        self.assertNotIn("one too many", self.kept())
        self.taken(0)
        with self.assertRaisesRegex(ValueError, '^You already have 3 reminders for "Ann".$'):
            self.remind("again", minutes=1, said_by="u1", actor_name="Ann")
        self.remind("again", minutes=1, said_by="u0")


class FollowTests(AssistantTestCase):
    def test_it_follows_one_or_nobody(self):
        self.assertIsNone(assistant.following(self.script))
        assistant.follow(self.script, 7)
        assistant.follow(self.script, 8)
        self.assertEqual(assistant.following(self.script), 8)
        assistant.follow(self.script, None)
        self.assertIsNone(assistant.following(self.script))


class CounterTests(AssistantTestCase):
    def test_each_counter_counts_for_itself(self):
        self.assertEqual(assistant.counters(self.script), {})
        self.assertEqual(assistant.count(self.script, "turns"), 1)
        self.assertEqual(assistant.count(self.script, "turns"), 2)
        self.assertEqual(assistant.count(self.script, "failures"), 1)
        self.assertEqual(assistant.counters(self.script), {"turns": 2, "failures": 1})

    def test_each_mind_counts_for_itself(self):
        other = create_script(DefaultScript, key="mind", obj=self.char2)
        assistant.count(self.script, "turns")
        self.assertEqual(assistant.counters(other), {})
