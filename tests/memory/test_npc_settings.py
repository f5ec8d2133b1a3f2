"""Tests of what a builder chooses for one NPC: its manners, and what it may."""

from evennia_ai.agent.revising import mind_transfer
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts


class MannersTests(AITestCase):
    def test_where_nobody_chose_it_answers_when_addressed(self):
        self.assertEqual(npc_settings.talkative(self.char1), "addressed")
        self.assertEqual(npc_settings.gossip(self.char1), "")

    def test_each_choice_is_kept_beside_the_others(self):
        npc_settings.choose(self.char1, talkative="chatty")
        npc_settings.choose(self.char1, gossip="friends")
        own_attributes.drop_cached(self.char1)
        self.assertEqual(npc_settings.talkative(self.char1), "chatty")
        self.assertEqual(npc_settings.gossip(self.char1), "friends")

    def test_every_level_can_be_chosen(self):
        for talkative in ("addressed", "chatty", "never"):
            npc_settings.choose(self.char1, talkative=talkative)
            self.assertEqual(npc_settings.talkative(self.char1), talkative)

    def test_a_choice_is_taken_back_by_nothing(self):
        npc_settings.choose(self.char1, talkative="never", gossip="friends")
        npc_settings.choose(self.char1, talkative="")
        self.assertEqual(npc_settings.talkative(self.char1), "addressed")
        self.assertEqual(npc_settings.gossip(self.char1), "friends")

    def test_a_wrong_value_is_an_error_that_names_the_allowed_ones(self):
        npc_settings.choose(self.char1, talkative="chatty")
        with self.assertRaises(ValueError) as caught:
            npc_settings.choose(self.char1, gossip="friends", talkative="loud")
        self.assertEqual(str(caught.exception), "talkative is one of addressed, chatty, never.")
        with self.assertRaises(ValueError) as caught:
            npc_settings.choose(self.char1, gossip="loud")
        self.assertEqual(str(caught.exception), "gossip is one of never, friends, freely.")
        self.assertEqual(npc_settings.talkative(self.char1), "chatty")
        self.assertEqual(npc_settings.gossip(self.char1), "")

    def test_a_choice_that_does_not_exist_is_an_error_too(self):
        with self.assertRaises(ValueError):
            npc_settings.choose(self.char1, mood="merry")

    def test_stock_commands_cannot_choose(self):
        for key, value in (("talkative", "never"), ("gossip", "friends")):
            self.char1.attributes.add(key, value)
            self.char1.attributes.add("settings", {key: value}, category="settings")
        self.assertEqual(npc_settings.talkative(self.char1), "addressed")
        self.assertEqual(npc_settings.gossip(self.char1), "")


class GrantsTests(AITestCase):
    def test_nothing_is_granted_where_nobody_did(self):
        self.assertEqual(npc_settings.allowed_commands(self.char1), [])
        self.assertEqual(npc_settings.experience_scope(self.char1), "")

    def test_a_grant_is_kept_beside_the_others_and_taken_back(self):
        npc_settings.grant(self.char1, allowed_commands=["look", "get"])
        npc_settings.grant(self.char1, experience_scope=" Guards ")
        own_attributes.drop_cached(self.char1)
        self.assertEqual(npc_settings.allowed_commands(self.char1), ["look", "get"])
        self.assertEqual(npc_settings.experience_scope(self.char1), "guards")
        npc_settings.grant(self.char1, allowed_commands=[])
        npc_settings.grant(self.char1, experience_scope=None)
        self.assertEqual(npc_settings.allowed_commands(self.char1), [])
        self.assertEqual(npc_settings.experience_scope(self.char1), "")

    def test_what_cannot_be_granted_is_an_error(self):
        with self.assertRaises(ValueError) as caught:
            npc_settings.grant(self.char1, talkative="never", gold=5)
        self.assertEqual(str(caught.exception), "there is no gold, talkative to grant.")

    def test_changing_what_was_returned_grants_nothing(self):
        npc_settings.grant(self.char1, allowed_commands=["look"])
        npc_settings.allowed_commands(self.char1).append("shutdown")
        self.assertEqual(npc_settings.allowed_commands(self.char1), ["look"])

    def test_stock_commands_cannot_grant(self):
        for key, value in (("allowed_commands", ["shutdown"]), ("experience_scope", "guards")):
            self.char1.attributes.add(key, value)
            self.char1.attributes.add("grants", {key: value}, category="grants")
        self.assertEqual(npc_settings.allowed_commands(self.char1), [])
        self.assertEqual(npc_settings.experience_scope(self.char1), "")

    def test_manners_are_in_the_file_of_a_mind_and_grants_are_not(self):
        mara = minds.make_assistant("Mara", location=self.room1)
        npc_settings.choose(mara, talkative="chatty")
        npc_settings.grant(mara, allowed_commands=["shutdown"], experience_scope="watchmen")
        mind = self.outcome(mind_transfer.take_mind(mara, scripts.find(mara)))
        self.assertEqual(mind["settings"], {"talkative": "chatty"})
        self.assertNotIn("shutdown", str(mind))
        self.assertNotIn("watchmen", str(mind))

    def test_a_file_cannot_grant(self):
        mara = minds.make_assistant("Mara", location=self.room1)
        mind = self.outcome(mind_transfer.take_mind(mara, scripts.find(mara)))
        mind["more"] = {"grants": {"allowed_commands": ["shutdown"]}}
        mind["settings"] = {"talkative": "chatty", "allowed_commands": ["shutdown"]}
        other = minds.make_assistant("Tam", location=self.room1)
        script = scripts.find(other)
        script.disable()
        self.outcome(mind_transfer.give_mind(other, script, mind))
        self.assertEqual(npc_settings.talkative(other), "chatty")
        self.assertEqual(npc_settings.allowed_commands(other), [])
        self.assertIsNone(repository.load(other, kinds.GRANTS))
