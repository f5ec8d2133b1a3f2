"""Tests of what an assistant does about itself."""

from datetime import timedelta
from unittest import mock

from django.conf import settings
from django.test import override_settings
from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_channel, create_object
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core.records import Reminder, Source
from evennia_ai.core.states import SleepWish
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import identity
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.tools import self_tools
from tests.tools.doubles import ToolTestCase


class NoopTests(ToolTestCase):
    def test_silence_is_noted(self):
        self.assertEqual(self.use(self_tools.Noop), "You stay silent.")
        self.assertEqual((self.turn.spoken, self.turn.notes), ([], ["chose to stay silent"]))


def short_days():
    """Return what a clock shows whose days have ten hours of the game's time."""
    return 0, 0.0, 36_000.0


class SetReminderTests(ToolTestCase):
    def reminders(self):
        return assistant.reminders(self.script)

    def test_a_reminder_is_kept_with_who_may_know_of_it(self):
        self.turn.event = structs.replace(
            self.turn.event, said_by="uuid-of-ann", actor_id=7, audience=["uuid-of-ann", "me"]
        )
        self.assertEqual(
            self.use(self_tools.SetReminder, minutes="30", text=" Feed the |rcat|n. "),
            "You will be reminded in 30 minutes.",
        )
        kept = Reminder(
            sources=[Source("1", "uuid-of-ann", ["me", "uuid-of-ann"])],
            # The clock of a test begins with the epoch; that of the game goes twice as fast.
            due="1970-01-01T00:15:00.000Z",
            text="Feed the |rcat|n.",
            said_by="uuid-of-ann",
            actor_id=7,
            actor_name="",
            audience=["me", "uuid-of-ann"],
        )
        self.assertEqual(self.reminders(), [kept])

    def test_its_minutes_are_those_of_the_clock_that_the_npc_goes_by(self):
        with self.settings_ai(GAME_CLOCK="evennia_ai.life.clock.server_clock"):
            self.use(self_tools.SetReminder, minutes=30, text="Feed the cat.")
        # Of a day of ten hours, which the game's time goes through in five, 30 minutes are an eightieth.
        with self.settings_ai(GAME_CLOCK="tests.tools.test_self_tools.short_days"):
            self.use(self_tools.SetReminder, minutes=30, text="Feed the dog.")
        due = {one.text: one.due for one in self.reminders()}
        self.assertEqual(due["Feed the cat."], "1970-01-01T00:30:00.000Z")
        self.assertEqual(due["Feed the dog."], "1970-01-01T00:06:15.000Z")

    def test_times_and_texts_have_bounds(self):
        for arguments, expected in [
            ({"minutes": 0, "text": "x"}, "minutes must be between 1 and 10080."),
            ({"minutes": 10081, "text": "x"}, "minutes must be between 1 and 10080."),
            ({"minutes": 10**400, "text": "x"}, "minutes must be between 1 and 10080."),
            ({"minutes": 5, "text": "  "}, "text must say what to remember."),
        ]:
            with self.subTest(arguments):
                self.assertEqual(self.refused(self_tools.SetReminder, **arguments), expected)
        self.assertEqual(self.reminders(), [])

    def asked_by(self, character, text="eat", *, name=""):
        self.turn.event = structs.replace(
            self.turn.event,
            said_by=identity.identity_of(character),
            actor_id=character.id,
            actor_name=name or character.key,
        )
        self.use(self_tools.SetReminder, minutes=5, text=text)

    def test_one_who_asks_for_many_keeps_nobody_else_from_asking(self):
        for number in range(3):
            self.asked_by(self.char1, f"number {number}")
        with self.assertRaisesRegex(ToolError, '^You already have 3 reminders for "Char".$'):
            self.asked_by(self.char1)
        self.asked_by(self.char2)
        self.assertEqual(
            [item.text for item in self.reminders()], ["number 0", "number 1", "number 2", "eat"]
        )

    def test_another_character_or_face_of_a_player_is_the_same_player(self):
        other = create_object(DefaultCharacter, key="Alter", location=self.room1)
        self.account.characters.add(other)
        other.attributes.add("creator_id", self.account.id)
        for character, name in ((self.char1, "Char"), (other, "Alter"), (self.char1, "A mask")):
            self.asked_by(character, name=name)
        with self.assertRaisesRegex(ToolError, '^You already have 3 reminders for "Alter".$'):
            self.asked_by(other)

    def test_sixty_are_enough_and_its_own_count_for_nobody(self):
        self.turn.event = structs.replace(self.turn.event, said_by="")
        for number in range(60):
            self.use(self_tools.SetReminder, minutes=5, text=f"number {number}")
        self.assertEqual(
            self.refused(self_tools.SetReminder, minutes=5, text="one more"),
            "You already have 60 reminders.",
        )
        self.assertEqual(len(self.reminders()), 60)


class GoToSleepTests(ToolTestCase):
    def test_it_is_a_wish_that_the_clockwork_carries_out(self):
        said = self.use(self_tools.GoToSleep, minutes=90, reason=" So |rtired|n of $You() ")
        self.assertEqual(said, "You will fall asleep as soon as nobody talks with you.")
        self.assertEqual(
            sleep_state.kept(self.script).requested,
            SleepWish(
                depth="deep",
                hours=1.5,
                reason="So ||rtired||n of You()",
                at="1970-01-01T00:00:00.000Z",
            ),
        )
        self.assertFalse(sleep_state.is_asleep(self.script))

    def test_it_is_not_for_less_than_ten_minutes_nor_for_more_than_four_hours(self):
        for minutes in (9, 0, -60, 241, 10**9):
            refusal = self.refused(self_tools.GoToSleep, minutes=minutes)
            self.assertEqual(refusal, "minutes must be between 10 and 240.")
        self.assertIsNone(sleep_state.requested(self.script))

    def test_not_within_an_hour_of_waking(self):
        """M53: the cooldown timer, 60 minutes by default."""
        sleep_state.end(
            self.script,
            now=scheduling.now(),
            cooldown_until=scheduling.now() + timedelta(minutes=60),
        )
        self.clock.advance(90)
        self.assertEqual(
            self.refused(self_tools.GoToSleep, minutes=30),
            "You woke not long ago; you can sleep again in 59 minutes.",
        )
        self.clock.advance(3510)
        self.use(self_tools.GoToSleep, minutes=30)
        self.assertIsNotNone(sleep_state.requested(self.script))

    def test_nobody_can_talk_it_into_that(self):
        self.assertFalse(self_tools.GoToSleep.for_talk)


class EscalateTests(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.channel = create_channel(settings.CHANNEL_MUDINFO["key"])
        self.logged, self.sent = [], []
        for target, name, lines in [
            (self_tools.logger, "log_warn", self.logged),
            (type(self.channel), "msg", self.sent),
        ]:
            patch = mock.patch.object(target, name, side_effect=lines.append)
            patch.start()
            self.addCleanup(patch.stop)

    def call_staff(self, reason="Ann threatens the guests."):
        return self.use(self_tools.EscalateToStaff, reason=reason)

    def test_staff_see_who_where_and_why(self):
        self.assertEqual(self.call_staff(), "Staff have been told.")
        expected = (
            f"Bob(#{self.npc.id}) calls for staff, talking with Char(#{self.char1.id}), "
            f"in Room(#{self.room1.id}): Ann threatens the guests."
        )
        self.assertEqual(self.sent, [expected])
        self.assertEqual(self.logged, [f"[evennia_ai] {expected}"])

    def test_nothing_in_the_reason_is_carried_out(self):
        self.call_staff("|rhelp|n\n$You() {name} costs $5 " + "x" * 1900)
        [line] = self.sent
        self.assertIn(": ||rhelp||n You() {name} costs $5 xxx", line)
        self.assertNotIn("\n", line)
        self.assertLess(len(line), 500)

    def test_neither_a_doubled_mark_nor_a_link_in_the_reason_works(self):
        self.call_staff("$$pad(a) $$$You() |lcpy self.quell()|ltclick|le")
        [line] = self.sent
        self.assertIn(": pad(a) You() lcpy self.quell()ltclickle", line)

    def test_staff_are_called_once_in_five_minutes(self):
        self.call_staff()
        self.clock.advance(299)
        self.assertIn("a moment ago", self.call_staff())
        self.assertEqual(len(self.logged), 1)
        self.clock.advance(1)
        self.assertEqual(self.call_staff(), "Staff have been told.")
        self.assertEqual(len(self.logged), 2)

    def test_without_a_channel_there_is_still_the_log(self):
        with override_settings(CHANNEL_MUDINFO=None):
            self.call_staff()
        self.clock.advance(300)
        self.channel.delete()
        self.turn.speaker, self.npc.location = None, None
        self.call_staff("Alone.")
        self.assertEqual(self.sent, [])
        self.assertEqual(
            self.logged[1], f"[evennia_ai] Bob(#{self.npc.id}) calls for staff: Alone."
        )
