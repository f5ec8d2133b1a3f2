"""An NPC with a short description lives its day in a game with Evennia's `contrib.rpg.rpsystem`."""

from evennia.contrib.rpg.rpsystem import ContribRPCharacter
from evennia.contrib.rpg.rpsystem.rpsystem import ContribRPRoom, RPSystemCmdSet
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object

from evennia_ai.memory import routine
from evennia_ai.testing import minds
from tests.contrib.test_rpsystem import HOOKS, RPAssistant
from tests.life.cases import DayTestCase

DAY = ("06:00 inn: kneads dough", "13:00 market: buys eels")


class RPWalkTests(DayTestCase):
    def setUp(self):
        super().setUp()
        self.configure(GAME_CLOCK="tests.life.cases.clock", **HOOKS)
        self.patch(routine, "JITTER", 0)
        self.inn.swap_typeclass(ContribRPRoom, run_start_hooks=None)
        self.char1.swap_typeclass(ContribRPCharacter, run_start_hooks="all")
        self.char1.cmdset.add(RPSystemCmdSet)
        self.char1.sdesc.add("a thin woman")
        self.session.cmd_last_visible = self.clock.seconds()
        self.bree = minds.make_assistant("Bree", location=self.inn, typeclass=RPAssistant)
        self.bree.sdesc.add("a stout baker")
        self.gives(self.bree, *DAY)
        self.ann = minds.listen(self.char1)

    def make_room(self, name):
        return create_object(ContribRPRoom, key=name)

    def read(self):
        lines = [strip_ansi(text).strip() for _, text in self.ann]
        self.ann.clear()
        return [line for line in lines if line]

    def test_who_watches_sees_the_short_description_go_come_and_work(self):
        self.ticks(1, npc=self.bree)
        self.read()
        self.at(13)
        self.assertEqual(self.ticks(1, npc=self.bree), ["Lane"])
        [line] = self.read()
        self.assertIn("stout baker is leaving Inn, heading for Lane", line)
        self.char1.location = self.market
        self.assertEqual(self.ticks(3, npc=self.bree)[-1], "Market")
        came, works = self.read()[:2]
        self.assertIn("stout baker arrives to Market from Square", came)
        self.assertEqual(works, "A stout baker buys eels.")

    def test_who_knows_her_by_a_name_sees_that_and_is_told_where_she_is_going(self):
        self.do(self.char1, "recog baker as Bree")
        self.char1.location = self.market
        self.at(13)
        self.read()
        self.ticks(4, npc=self.bree)
        self.assertIn("Bree buys eels.", self.read())
        self.do(self.char1, "say Baker, what are you doing?", wait=5)
        self.assertIn("eels", self.read()[-1])
