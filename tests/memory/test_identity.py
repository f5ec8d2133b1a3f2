"""Tests of who somebody is, whatever happens to their name, body and number."""

import uuid

from evennia.objects.models import ObjectDB

from evennia_ai.core.talk import Line
from evennia_ai.memory import identity, persona, working_memory
from evennia_ai.testing import AITestCase
from tests.domain import lines

LINE: Line = lines.line(
    name="Ann",
    text="The key is under the oak.",
    kind="whisper",
    audience=["ann", "me"],
    timestamp="2024-03-01T12:00:00.000Z",
)


def masked(npc, obj):
    """The IDENTIFY of a game with masks."""
    return f" Stranger-{obj.id} "


class IdentityTestCase(AITestCase):
    def copy(self, original, **changes):
        return ObjectDB.objects.copy_object(original, **changes)

    def reborn(self, obj, **kwargs):
        """Delete an object and create another that gets its number, as a rebuilt world does."""
        number = obj.id
        self.assertTrue(obj.delete())
        fresh = ObjectDB(
            id=number, db_key="fresh", db_typeclass_path="evennia.objects.objects.DefaultCharacter"
        )
        fresh.save()
        return ObjectDB.objects.get(id=number)


class IdentityOfTests(IdentityTestCase):
    def test_it_is_a_uuid_given_once(self):
        first = identity.identity_of(self.char1)
        self.assertEqual(str(uuid.UUID(first)), first)
        self.assertEqual(identity.identity_of(self.char1), first)
        self.assertNotEqual(identity.identity_of(self.char2), first)

    def test_it_survives_a_rename_a_move_and_a_cache_flush(self):
        first = identity.identity_of(self.char1)
        self.char1.key = "Somebody Else"
        self.char1.location = self.room2
        self.char1.flush_from_cache(force=True)
        self.assertEqual(identity.identity_of(ObjectDB.objects.get(id=self.char1.id)), first)

    def test_the_second_question_writes_nothing(self):
        identity.identity_of(self.char1)
        with self.assertNumQueries(0):
            identity.identity_of(self.char1)

    def test_a_copy_is_somebody_else_who_remembers_nothing(self):
        original = identity.identity_of(self.char1)
        working_memory.add_line(self.char1, self.char2, LINE)
        copy = self.copy(self.char1, new_key="Copy")
        self.assertNotEqual(identity.identity_of(copy), original)
        self.assertEqual(working_memory.all_lines(copy), [])
        # And stays who it is.
        self.assertEqual(identity.identity_of(copy), identity.identity_of(copy))
        self.assertEqual(identity.identity_of(self.char1), original)
        self.assertEqual(len(working_memory.all_lines(self.char1)), 1)

    def test_what_a_copy_learns_afterwards_is_kept(self):
        identity.identity_of(self.char1)
        copy = self.copy(self.char1)
        identity.identity_of(copy)
        working_memory.add_line(copy, self.char2, LINE)
        identity.identity_of(copy)
        self.assertEqual(len(working_memory.all_lines(copy)), 1)

    def test_a_copy_of_a_copy_is_a_third(self):
        copy = self.copy(self.char1)
        third = self.copy(copy)
        identities = {identity.identity_of(one) for one in (self.char1, copy, third)}
        self.assertEqual(len(identities), 3)

    def test_whoever_gets_the_number_of_a_deleted_object_does_not_inherit(self):
        gone = identity.identity_of(self.obj1)
        working_memory.add_line(self.char1, self.obj1, LINE)
        working_memory.add_line(self.obj1, self.char1, LINE)
        number = self.obj1.id
        fresh = self.reborn(self.obj1)
        self.assertEqual(fresh.id, number)
        self.assertNotEqual(identity.identity_of(fresh), gone)
        self.assertEqual(working_memory.all_lines(fresh), [])
        self.assertIsNone(working_memory.get_conversation_context(self.char1, fresh))
        # Whoever knew the deleted one still does.
        self.assertEqual(len(working_memory.lines_with(self.char1, gone)), 1)


class PerceivedTests(IdentityTestCase):
    def test_by_default_everybody_is_taken_for_who_they_are(self):
        self.assertEqual(
            identity.perceived(self.char1, self.char2), identity.identity_of(self.char2)
        )

    def test_the_hook_decides_but_not_about_oneself(self):
        with self.settings_ai(IDENTIFY="tests.memory.test_identity.masked"):
            taken_for = identity.perceived(self.char1, self.char2)
            self.assertEqual(taken_for, f"stranger-{self.char2.id}")
            self.assertEqual(
                identity.perceived(self.char1, self.char1), identity.identity_of(self.char1)
            )

    def test_an_identity_of_the_games_own_is_the_key_under_which_memories_are_found(self):
        """Evennia lower-cases keys: who is remembered must be who is perceived again."""
        with self.settings_ai(IDENTIFY="tests.memory.test_identity.masked"):
            taken_for = identity.perceived(self.char1, self.char2)
            working_memory.add_line(self.char1, taken_for, LINE)
            self.assertEqual(list(working_memory.conversations(self.char1)), [taken_for])


class ObjectOfTests(IdentityTestCase):
    def test_an_object_and_its_dbref_are_the_same(self):
        for entity in (self.char2, self.char2.dbref):
            self.assertEqual(identity.object_of(entity), self.char2)

    def test_a_dbref_of_nobody_is_an_error(self):
        for entity in ("#0", "#999999", "#99999999999999999999999"):
            with self.subTest(entity=entity), self.assertRaises(KeyError):
                identity.object_of(entity)

    def test_what_only_looks_like_a_dbref_is_an_identity(self):
        for entity in ("#", "#-1", "#12a", "#²", "stranger"):
            with self.subTest(entity=entity):
                self.assertIsNone(identity.object_of(entity))


class ForgetTests(IdentityTestCase):
    def test_forgetting_leaves_identity_and_persona(self):
        own = identity.identity_of(self.char1)
        persona.save_persona(self.char1, "A smith.")
        working_memory.add_line(self.char1, self.char2, LINE)
        identity.forget_everything(self.char1)
        self.assertEqual(working_memory.all_lines(self.char1), [])
        self.assertEqual(identity.identity_of(self.char1), own)
        self.assertEqual(persona.load_persona(self.char1)["description"], "A smith.")
