"""`@assistant/routine`, and `@assistant/persona <npc>/routine`: the day of an NPC."""

from evennia_ai.core import volatile
from evennia_ai.memory import persona, routine
from evennia_ai.memory.state import sleep_state
from evennia_ai.sleep import sleep_cycle
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase
from tests.life.cases import Hands


class RoutineTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        changed = self.settings_ai(GAME_CLOCK="tests.life.cases.clock")
        self.patch(routine, "JITTER", 0)
        changed.enable()
        self.addCleanup(changed.disable)
        self.npc = self.mara()
        self.name = f"Mara(#{self.npc.id})"
        self.room2.key = "Market"
        Hands.day, Hands.seconds, Hands.length = 1, 9 * 3600.0, 86_400.0

    def write(self):
        return self.types(
            "@assistant/persona Mara/routine = 06:00 room: bakes; "
            "13:00 market: buys eels [unless tag(ill)]"
        )

    def test_it_is_written_like_the_rest_and_shown_with_where_it_is(self):
        self.assertEqual(self.write(), f"You write the routine of {self.name}.")
        self.assertEqual(
            self.types("@assistant/routine Mara").splitlines(),
            [
                f"The day of {self.name}:",
                " > 06:00 room: bakes",
                "   13:00 market: buys eels [unless tag(ill)]",
                "It is 09:00 there. It is where it should be.",
            ],
        )
        Hands.seconds = 14 * 3600.0
        self.assertIn("It is on its way.", self.types("@assistant/routine Mara"))
        self.npc.tags.add("ill")
        self.assertIn("[unless tag(ill)] (not now)", self.types("@assistant/routine Mara"))

    def test_go_takes_a_step_whatever_keeps_it(self):
        self.write()
        Hands.seconds = 14 * 3600.0
        said = self.types("@assistant/routine Mara = go")
        self.assertEqual(
            said.splitlines()[-1], f"{self.name} goes to Market. It is where it should be."
        )
        self.npc.location = self.room1
        self.exit.locks.add("traverse:false()")
        self.assertEqual(
            self.types("@assistant/routine Mara = go"),
            f"{self.name} stays. No way leads there that it may pass; it looks again from time to time.",
        )

    def test_go_wakes_a_sleeper(self):
        self.write()
        Hands.seconds = 14 * 3600.0
        script = scripts.find(self.npc)
        sleep_cycle.transition_mode(script, "sleep", "it was tired")
        self.assertIn("goes to Market", self.types("@assistant/routine Mara = go"))
        self.assertFalse(sleep_state.is_asleep(script))

    def test_go_moves_no_fighter_and_nobody_who_is_played_or_off_and_says_why(self):
        self.write()
        Hands.seconds = 14 * 3600.0
        script = scripts.find(self.npc)
        fights = self.settings_ai(CAN_ACT="tests.life.test_day.may_act")
        fights.enable()
        self.addCleanup(fights.disable)
        self.npc.db.fights = True
        self.assertEqual(self.goes(), f"{self.name} stays: it cannot act.")
        self.npc.db.fights = False
        script.disable()
        self.assertEqual(self.goes(), f"{self.name} stays: its mind was stopped.")
        script.enable()
        self.npc.locks.add("puppet:all()")
        self.account.puppet_object(self.session, self.npc)
        self.assertEqual(self.goes(), f"{self.name} stays: somebody is playing it.")
        self.assertIs(self.npc.location, self.room1)

    def goes(self):
        return self.types("@assistant/routine Mara = go")

    def test_without_its_room_it_is_not_said_to_be_where_it_should(self):
        self.write()
        Hands.seconds = 14 * 3600.0
        self.room2.delete()
        volatile.forget(routine._state)
        self.assertEqual(
            self.types("@assistant/routine Mara").splitlines()[-1],
            "It is 14:00 there. There is no such room any more: it stays, and does nothing of that.",
        )

    def test_who_has_none_is_told_how_to_write_one(self):
        self.assertIn("has no routine; @assistant/persona", self.types("@assistant/routine Mara"))
        self.write()
        self.assertIn("Usage:", self.types("@assistant/routine Mara = fly"))

    def test_a_line_that_is_wrong_is_named_and_nothing_is_written(self):
        for line, expected in (
            ("06:00 room; noon market", "Line 2: 'noon market' is written otherwise than"),
            ("06:00 castle", "Line 1: there is no room called or tagged 'castle'."),
            ("26:00 room", "Line 1: a day of this game has no 26:00."),
            ("06:00 room [if rainy]", "Line 1: 'rainy' is neither one of FACTS nor a lock string."),
            ("06:00 room [if rainy()]", "Line 1: 'rainy()' is neither one of FACTS nor a lock"),
            ("06:00 room [if perm(Builder]", "Line 1: 'perm(Builder' is neither"),
            ("06:00", "Line 1: at 06:00 it is nowhere and does nothing."),
            ("06:00 room; 06:00 market", "Two lines begin at 06:00. Nothing was done."),
        ):
            with self.subTest(line):
                said = self.types(f"@assistant/persona Mara/routine = {line}")
                self.assertTrue(said.startswith(expected), said)
                self.assertTrue(said.endswith("Nothing was done."), said)
                self.assertEqual(persona.load_persona(self.npc)["routine"], [])

    def test_a_place_that_she_would_never_enter_is_refused(self):
        persona.save_persona(self.npc, {"zone": "town"})
        self.assertEqual(
            self.types("@assistant/persona Mara/routine = 06:00 room"),
            "Line 1: there is no room called or tagged 'room' in the zone 'town'. Nothing was done.",
        )

    def test_what_a_file_of_a_mind_brought_and_nobody_can_read_moves_nobody(self):
        persona.save_persona(self.npc, {"routine": ["at noon"]})
        self.assertEqual(routine.slots_of(self.npc), ())

    def test_a_room_that_is_gone_is_named(self):
        self.write()
        self.room2.delete()
        volatile.forget(routine._state)
        shown = self.types("@assistant/routine Mara")
        self.assertIn("(there is no room called 'market')", shown)
