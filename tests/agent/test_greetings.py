"""Which of the chatty ones greets a player who comes in, and how often."""

from unittest import mock

from evennia_ai import scheduling
from evennia_ai.agent.hearing import perception
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, words


class GreetingTests(MindTestCase):
    """Mara and Odo are chatty; Char sees what they say."""

    def setUp(self):
        super().setUp()
        for npc in (self.mara, self.odo):
            npc_settings.choose(npc, talkative="chatty")
            perception.notice_presence(npc)
        self.char2.move_to(self.room2)
        self.wait(2)

    def create_cast(self):
        super().create_cast()
        self.odo = minds.make_assistant("Odo", location=self.room1)

    def comes_in(self, who):
        """Return what is said as somebody comes in, and let them go again."""
        self.ann.clear()
        who.move_to(self.room1)
        self.wait(2)
        said = words(self.ann)
        who.move_to(self.room2)
        self.wait(30)
        return said

    def test_one_of_several_greets(self):
        self.assertEqual(len(self.comes_in(self.char2)), 1)

    def test_who_walks_in_and_out_is_greeted_by_no_other(self):
        self.comes_in(self.char2)
        self.assertEqual(self.comes_in(self.char2), [])

    def test_who_walks_in_and_out_leaves_the_others_theirs(self):
        for _ in range(10):
            self.comes_in(self.char2)
        self.char1.move_to(self.room2)
        self.wait(30)
        self.ann.clear()
        self.char1.move_to(self.room1)
        self.wait(2)
        self.assertEqual(len(words(self.ann)), 1)

    def test_who_is_elsewhere_by_then_notices_nobody_any_more(self):
        """Of a crowd that came in the last ones are noticed in later slices."""
        self.char1.move_to(self.room2)
        self.wait(2)
        noticed = []

        def leave(*what):
            noticed.append(what)
            self.mara.location = self.room2

        self.patch(self.script_of_mara, "at_happening", leave)
        self.char1.location = self.char2.location = self.room1
        with mock.patch.object(scheduling, "SLICE_MS", 0):
            perception.notice_presence(self.mara)
            self.wait(2)
        self.assertEqual(len(noticed), 1)

    def test_who_sleeps_leaves_it_to_who_is_awake(self):
        sleep_cycle.transition_mode(self.script_of_mara, ASLEEP, "tired")
        [greeting] = self.comes_in(self.char2)
        self.assertRegex(greeting, "^Odo says")

    def test_whoever_else_sleeps_one_who_is_awake_greets(self):
        sleep_cycle.transition_mode(scripts.find(self.odo), ASLEEP, "tired")
        [greeting] = self.comes_in(self.char2)
        self.assertRegex(greeting, "^Mara says")

    def test_who_cannot_act_leaves_it_to_who_can(self):
        self.mara.db.hp = 0
        with self.settings_ai(CAN_ACT="tests.agent.test_greetings.lives"):
            [greeting] = self.comes_in(self.char2)
        self.assertRegex(greeting, "^Odo says")


def lives(npc):
    """Stand behind the door CAN_ACT."""
    return npc.db.hp != 0
