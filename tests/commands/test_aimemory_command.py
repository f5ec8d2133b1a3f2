"""Builders put assistants to sleep and wake them."""

from twisted.internet.defer import Deferred

from evennia_ai.memory.state import sleep_state
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class SleepCommandTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.find(self.npc)
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def status(self):
        lines = [line.split() for line in self.types("@assistant Mara").splitlines()]
        return next(" ".join(line[1:]) for line in lines if line[0] == "mode")

    def test_it_falls_asleep_lightly(self):
        self.assertEqual(self.types("@aimemory/sleep Mara"), f"{self.name} falls asleep (light).")
        self.assertEqual(
            (sleep_state.mode(self.mind), sleep_state.depth(self.mind)), ("sleep", "light")
        )
        self.assertEqual(
            self.status(), "sleep (light, compacting), for 0 s, 2 h left, staff said so"
        )

    def test_or_deeply(self):
        said = self.types("@aimemory/sleep Mara = Deep")
        self.assertEqual(said, f"{self.name} falls asleep (deep).")
        self.assertEqual(sleep_state.depth(self.mind), "deep")

    def test_there_is_no_other_sleep(self):
        said = self.types("@aimemory/sleep Mara = eternal")
        self.assertEqual(said, "Usage: @aimemory/sleep <npc> [= light/deep]")
        self.assertFalse(sleep_state.is_asleep(self.mind))

    def test_a_sleeper_does_not_fall_asleep(self):
        self.types("@aimemory/sleep Mara")
        sleep_state.set_phase(self.mind, "dreaming")
        self.clock.advance(60)
        self.assertEqual(
            self.types("@aimemory/sleep Mara = deep"),
            f"{self.name} sleeps already: sleep (light, dreaming), for 1 min, 1 h left, "
            "staff said so.",
        )

    def test_nothing_would_happen_in_the_sleep_of_one_that_is_off(self):
        self.mind.disable()
        said = self.types("@aimemory/sleep Mara")
        expected = f"The mind of {self.name} is off; nothing would happen in its sleep."
        self.assertEqual((said, sleep_state.is_asleep(self.mind)), (expected, False))

    def test_one_that_thinks_is_let_finish(self):
        minds.script_llm(Deferred())
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 1)
        said = self.types("@aimemory/sleep Mara")
        expected = f"{self.name} is about to answer somebody. Try again in a moment."
        self.assertEqual((said, sleep_state.is_asleep(self.mind)), (expected, False))

    def test_staff_wake_the_deep_sleeper_too_whatever_it_is_about(self):
        """M50 with C-25: a word from staff wakes any."""
        self.types("@aimemory/sleep Mara = deep")
        self.assertEqual(self.types("@aimemory/wake Mara"), f"{self.name} wakes.")
        self.assertEqual(sleep_state.mode(self.mind), "awake")
        self.assertEqual(self.types("@aimemory/wake Mara"), f"{self.name} is awake.")
        self.assertEqual(self.status(), "awake for 0 s, nothing since")

    def test_both_leave_a_line_for_staff(self):
        who = f"Char(#{self.char1.id})"
        [line] = [one for one in self.logged("@aimemory/sleep Mara") if "put" in one]
        self.assertIn(f"{who} put to light sleep {self.name}.", line)
        [line] = [one for one in self.logged("@aimemory/wake Mara") if "woke" in one]
        self.assertIn(f"{who} woke {self.name}.", line)

    def test_an_unknown_switch_does_nothing(self):
        said = self.types("@aimemory/snooze Mara")
        self.assertTrue(said.startswith("There is no switch /snooze: @aimemory has /"), said)
        self.assertIn(" /journal, ", said)
        self.assertTrue(said.endswith("Nothing was done."), said)

    def test_without_a_switch_it_says_which_there_are(self):
        said = self.types("@aimemory Mara")
        self.assertTrue(said.startswith("@aimemory needs a switch: /"), said)
        self.assertIn(" /journal, /narrow, /pin, /profile, ", said)

    def test_only_who_controls_it_may(self):
        builder = self.as_staff("Builder")
        for command in ("sleep", "wake"):
            said = self.types(f"@aimemory/{command} Mara", by=builder)
            self.assertIn("You may not change the mind of", said)
        self.assertFalse(sleep_state.is_asleep(self.mind))
