"""An NPC in a game with Evennia's turnbattle: it does nothing while it fights, and knows who attacked it."""

from evennia.contrib.game_systems.turnbattle import tb_basic, tb_equip, tb_items, tb_magic

from evennia_ai import api
from evennia_ai.contrib import turnbattle
from evennia_ai.memory import journal
from evennia_ai.testing import minds
from tests.agent.cases import words
from tests.contrib.fights import FightTestCase, of_page

PAGE = of_page("fighters", __name__)
Fighter = PAGE["Fighter"]


class TurnbattleTests(FightTestCase):
    contrib = "turnbattle"
    npc_type, character_type = Fighter, tb_basic.TBBasicCharacter

    def setUp(self):
        super().setUp()
        self.char1.cmdset.add(PAGE["FightingCmdSet"])
        self.at(13)

    def fight(self):
        """Let a fight begin where Bree is, in which it is Char's turn."""
        self.char1.location = self.bree.location
        self.patch(tb_basic.COMBAT_RULES, "roll_init", lambda fighter: fighter is self.char1)
        self.patch(tb_basic.COMBAT_RULES, "get_attack", lambda *_: 100)
        self.patch(tb_basic.COMBAT_RULES, "get_damage", lambda *_: self.damage)
        self.bree.location.scripts.add(tb_basic.TBBasicTurnHandler)
        return self.bree.location.db.combat_turnhandler

    damage = 20

    def test_a_fight_keeps_her_where_she_is_and_after_it_she_goes_on(self):
        self.assertEqual(self.walks(), ["Lane"])
        turns = self.fight()
        self.do(self.char1, "attack Bree", wait=0)
        self.assertEqual(self.bree.db.hp, 80)
        self.assertEqual(self.walks(3), ["Lane", "Lane", "Lane"])
        self.assertEqual((self.attacks(), self.mind.requests), (["Char"], []))
        turns.stop()
        turns.delete()
        self.char1.location = self.room2
        self.walks(2)
        self.wait(120)
        self.assertEqual(self.walks(3)[-1], "Market")
        self.assertEqual(self.attacks(), [])

    def test_attacked_she_cries_for_help_and_defeated_she_does_not(self):
        self.gives(self.bree, triggers=["attacked [every 60s]: say Help!"])
        heard = minds.listen(self.char1)
        self.fight()
        self.session.cmd_last_visible = self.clock.seconds() + 9000
        self.do(self.char1, "attack Bree", wait=1)
        self.assertEqual(words(heard), ['Bree says, "Help!"'])
        heard.clear()
        # A last blow may cost more than what is left.
        for left in (0, -5):
            self.bree.db.hp = left
            self.wait(120)
            api.perceive(self.bree, "attacked", by=self.char1)
            self.wait(1)
            self.assertEqual(words(heard), [])

    def test_she_knows_of_an_attack_that_misses_and_of_many_blows_as_one(self):
        self.fight()
        self.patch(tb_basic.COMBAT_RULES, "get_attack", lambda *_: 0)
        for _ in range(3):
            self.do(self.char1, "attack Bree", wait=0)
            self.bree.location.db.combat_turnhandler.start_turn(self.char1)
            self.bree.location.db.combat_turnhandler.db.turn = 0
        self.assertEqual(self.bree.db.hp, 100)
        self.assertEqual(self.attacks(), ["Char"])
        noted = [one.content for one in journal.entries(self.bree) if "attacks" in one.content]
        self.assertEqual(len(noted), 1)

    def test_defeated_she_does_nothing_until_she_is_healed(self):
        turns, self.damage = self.fight(), 200
        self.do(self.char1, "attack Bree", wait=0)
        self.assertEqual(self.bree.db.hp, 0)
        self.assertIsNone(turns.pk)
        self.assertEqual(self.walks(3), ["Inn", "Inn", "Inn"])
        self.do(self.char1, "say Bree, are you dead?", wait=5)
        self.assertEqual(self.mind.requests, [])
        self.char1.location = self.room2
        self.bree.db.hp = 10
        self.wait(700)
        self.assertEqual(self.walks(6)[-1], "Market")

    def test_commands_of_the_other_kinds_are_noticed_as_well(self):
        commands = turnbattle.noticed(tb_equip.BattleCmdSet())
        [attack] = [one for one in commands.commands if one.key == "attack"]
        self.bree.db.hp = self.char1.db.hp = 100
        attack.rules.resolve_attack(self.char1, self.bree, 1, 9)
        self.assertEqual(self.attacks(), ["Char"])

    def test_a_spell_that_attacks_is_noticed_and_one_that_heals_is_not(self):
        turnbattle.noticed(tb_magic.BattleCmdSet())
        self.char1.location = self.bree.location
        self.bree.db.hp, self.char1.db.mp, self.char1.db.max_mp = 40, 20, 20
        for spell, noticed in (("cure wounds", []), ("flame shot", ["Char"])):
            with self.subTest(spell):
                known = tb_magic.SPELLS[spell]
                known["spellfunc"](self.char1, spell, [self.bree], known["cost"])
                self.assertEqual(self.attacks(), noticed)

    def test_an_item_that_attacks_is_noticed_and_one_that_is_for_no_fight_is_not(self):
        turnbattle.noticed(tb_items.BattleCmdSet())
        self.char1.db.conditions = self.bree.db.conditions = {}
        use = tb_items.ITEMFUNCS["attack"]
        self.char1.location = self.bree.location
        self.assertFalse(use(self.obj1, self.char1, self.bree))
        self.assertEqual(self.attacks(), [])
        self.fight()
        self.patch(tb_items.COMBAT_RULES, "apply_damage", lambda *_: None)
        use(self.obj1, self.char1, self.bree)
        self.assertEqual(self.attacks(), ["Char"])

    def test_two_sets_of_commands_let_the_rules_tell_once(self):
        turnbattle.noticed(tb_equip.BattleCmdSet())
        once = tb_equip.COMBAT_RULES.resolve_attack
        turnbattle.noticed(tb_equip.BattleCmdSet())
        self.assertIs(tb_equip.COMBAT_RULES.resolve_attack, once)

    def test_who_is_no_fighter_acts_as_ever(self):
        self.gives(self.mara, *self.routine)
        self.assertIsNone(self.mara.db.hp)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])

    def test_who_has_hit_points_that_are_no_number_answers_as_ever(self):
        self.bree.db.hp = "abc"
        self.char1.location = self.bree.location
        self.do(self.char1, "say Bree, are you well?", wait=5)
        self.assertEqual(len(self.mind.requests), 1)
