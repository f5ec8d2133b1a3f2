"""An NPC in a game of EvAdventure: it does nothing while it fights or is dead, and knows who attacked it."""

from evennia.contrib.tutorials.evadventure import combat_turnbased, combat_twitch, rules
from evennia.contrib.tutorials.evadventure.characters import EvAdventureCharacter
from evennia.contrib.tutorials.evadventure.rooms import EvAdventureRoom
from evennia.prototypes.spawner import spawn
from evennia.scripts.tickerhandler import TICKER_HANDLER

from evennia_ai.lifecycle import waiting
from evennia_ai.testing import minds
from tests.agent.cases import words
from tests.contrib.fights import FightTestCase, of_page

Adventurer = of_page("adventurers", __name__)["Adventurer"]


class AdventureTestCase(FightTestCase):
    contrib = "evadventure"
    room_type = EvAdventureRoom
    npc_type, character_type = Adventurer, EvAdventureCharacter
    # The highest throw: it hits.
    thrown = 20

    def setUp(self):
        super().setUp()
        self.inn.swap_typeclass(EvAdventureRoom, run_start_hooks=None)
        self.patch(rules, "randint", lambda low, high: min(self.thrown, high))
        self.bree.hit_dice, self.bree.hp, self.char1.hp = 10, 40, 4
        self.at(13)


class TwitchTests(AdventureTestCase):
    def setUp(self):
        super().setUp()
        self.char1.cmdset.add(combat_twitch.TwitchCombatCmdSet)

    def attack(self, blows=1):
        self.char1.location = self.bree.location
        self.do(self.char1, "attack Bree", wait=0)
        for _ in range(blows):
            self.char1.ndb.combathandler.execute_next_action()

    def test_a_fight_keeps_her_where_she_is_until_nobody_fights_with_her(self):
        self.assertEqual(self.walks(), ["Lane"])
        self.attack(2)
        self.assertLess(self.bree.hp, 40)
        self.assertEqual((self.attacks(), self.mind.requests), (["Char"], []))
        self.assertEqual(self.walks(3), ["Lane", "Lane", "Lane"])
        # Her own script of the fight stays; who fled is no enemy any more.
        self.char1.move_to(self.inn, quiet=True)
        self.wait(120)
        self.walks(4)
        self.wait(120)
        self.assertEqual(self.walks(6)[-1], "Market")

    def test_she_knows_of_a_blow_that_misses(self):
        self.thrown = 1
        self.attack()
        self.assertEqual((self.bree.hp, self.attacks()), (40, ["Char"]))

    def test_attacked_she_cries_for_help(self):
        self.gives(self.bree, triggers=["attacked: say Help!"])
        heard = minds.listen(self.char1)
        self.session.cmd_last_visible = self.clock.seconds() + 9000
        self.attack()
        self.wait(1)
        self.assertEqual(words(heard), ['Bree says, "Help!"'])

    def test_an_enemy_who_was_defeated_holds_her_no_longer(self):
        self.attack()
        self.assertEqual(self.walks(2), ["Inn", "Inn"])
        self.char1.hp = 0
        self.wait(700)
        self.assertEqual(self.walks(6)[-1], "Market")

    def test_hit_points_that_are_no_number_neither_hold_her_nor_end_her_fight(self):
        self.bree.hp = "abc"
        self.assertEqual(self.walks(), ["Lane"])
        self.bree.hp = 40
        self.attack()
        self.bree.hp = self.char1.hp = "abc"
        self.assertEqual(self.walks(2), ["Lane", "Lane"])

    def test_a_restart_in_a_fight_keeps_her_in_it(self):
        self.attack()
        for body in (self.char1, self.bree):
            body.nattributes.clear()
        self.assertEqual(self.walks(2), ["Inn", "Inn"])

    def test_dead_she_does_nothing_and_her_next_body_goes_on(self):
        waiting.give_key(self.bree, "bree")
        self.assertEqual(self.walks(), ["Lane"])
        self.bree.hp = 1
        self.attack()
        self.assertLessEqual(self.bree.hp, 0)
        self.char1.move_to(self.room2, quiet=True)
        self.wait(60)
        self.assertEqual(self.walks(3), ["Lane", "Lane", "Lane"])
        self.bree.delete()
        attrs = [("ai_mind", "bree"), ("hp", 4)]
        body = {"key": "Bree", "typeclass": f"{__name__}.Adventurer", "attrs": attrs}
        [self.bree] = spawn({**body, "location": self.inn, "home": self.inn})
        self.wait(700)
        self.assertEqual(self.walks(6)[-1], "Market")

    def tearDown(self):
        TICKER_HANDLER.clear()
        super().tearDown()


class TurnbasedTests(AdventureTestCase):
    def test_a_fight_of_the_room_keeps_those_who_are_in_it(self):
        self.char1.location = self.inn
        fight = combat_turnbased.EvAdventureTurnbasedCombatHandler.get_or_create_combathandler(
            self.inn
        )
        fight.add_combatant(self.char1)
        self.assertEqual(self.walks(), ["Lane"])
        self.bree.move_to(self.inn, quiet=True)
        self.at(6)
        self.walks()
        self.at(13)
        fight.add_combatant(self.bree)
        self.assertEqual(self.walks(2), ["Inn", "Inn"])
        self.thrown = 1
        fight.combatants[self.char1] = {"key": "attack", "target": self.bree}
        fight.execute_next_action(self.char1)
        self.assertEqual(self.attacks(), ["Char"])
        fight.delete()
        self.char1.location = self.room2
        self.wait(700)
        self.assertEqual(self.walks(6)[-1], "Market")
