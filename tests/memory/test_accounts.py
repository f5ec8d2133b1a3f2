from evennia.utils.create import create_object

from evennia_ai.core import volatile
from evennia_ai.memory import identity
from evennia_ai.memory.people import accounts
from evennia_ai.testing import AITestCase
from evennia_ai.typeclasses.characters import AssistantCharacter


class AccountTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.alt = create_object(AssistantCharacter, key="Alt", location=self.room1)
        self.account.characters.add(self.alt)

    def test_all_characters_of_a_player_are_known(self):
        self.assertEqual(accounts.characters_of(self.char1), [self.char1, self.alt])
        self.assertEqual(accounts.characters_of(self.obj1), [self.obj1])

    def test_a_list_makes_nobody_a_character_of_those_who_never_played_them(self):
        identity.identity_of(self.char1)
        self.assertEqual(identity.account_of(self.char1), self.account)
        # What stands in an Attribute of one's own account, anybody may have written who builds.
        self.account2.attributes.add("_playable_characters", [self.char2, self.char1])
        self.assertEqual(accounts.characters_of(self.char2), [self.char2])

    def test_opting_out_holds_for_all_characters(self):
        self.assertTrue(accounts.opt_out(self.char1))
        self.assertTrue(accounts.is_opted_out(self.char1))
        self.assertTrue(accounts.is_opted_out(self.alt))
        self.assertFalse(accounts.is_opted_out(self.char2))
        self.assertTrue(accounts.is_passing(self.alt))
        self.assertFalse(accounts.is_passing(self.char2))

    def test_it_holds_for_a_character_that_is_made_later(self):
        accounts.opt_out(self.char1)
        later = create_object(AssistantCharacter, key="Later", location=self.room1)
        self.assertFalse(accounts.is_opted_out(later))
        later.account = self.account
        self.assertTrue(accounts.is_opted_out(later))
        later.account = None
        self.assertTrue(accounts.is_opted_out(later))
        self.assertEqual(accounts.object_id_of(identity.identity_of(later)), later.id)

    def test_it_does_not_go_along_with_a_character_that_becomes_somebody_elses(self):
        accounts.opt_out(self.char1)
        self.account.characters.remove(self.char1)
        self.account2.characters.add(self.char1)
        self.char1.account = self.account2
        self.assertFalse(accounts.is_opted_out(self.char1))
        self.assertIsNone(accounts.object_id_of(identity.identity_of(self.char1)))

    def test_who_only_tries_a_character_opts_its_player_out_of_nothing(self):
        """Staff do so; as long as they play it, nobody is to be remembered."""
        self.account2.characters.add(self.char2)
        self.assertFalse(accounts.is_opted_out(self.char2))
        identity.identity_of(self.char2)
        accounts.opt_out(self.char1)
        self.char2.account = self.account
        self.assertTrue(accounts.is_opted_out(self.char2))
        self.char2.account = self.account2
        self.assertFalse(accounts.is_opted_out(self.char2))

    def test_it_holds_over_a_restart_until_it_is_taken_back(self):
        accounts.opt_out(self.char1)
        self.assertFalse(accounts.opt_out(self.char1))
        volatile.forget_all()
        self.assertTrue(accounts.is_opted_out(self.char1))
        self.assertTrue(accounts.opt_in(self.char1))
        self.assertFalse(accounts.opt_in(self.char1))
        volatile.forget_all()
        self.assertFalse(accounts.is_opted_out(self.char1))
        self.assertIsNone(accounts.object_id_of(identity.identity_of(self.char1)))

    def test_whom_nobody_plays_cannot_opt_out(self):
        for change in (accounts.opt_out, accounts.opt_in):
            with self.assertRaises(ValueError):
                change(self.obj1)

    def test_a_guest_is_passing(self):
        self.account2.permissions.add("Guest")
        self.assertTrue(accounts.is_passing(self.char2))
