"""Which body gets the mind that waits, and what that body is then."""

from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultObject
from evennia.prototypes import menus, spawner
from evennia.utils.create import create_object

from evennia_ai.lifecycle import waiting
from evennia_ai.memory import identity, journal
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.lifecycle.cases import TYPECLASS, WORD, WaitingTestCase

STOCK = "evennia.objects.objects.DefaultCharacter"


class Named(AssistantCharacter):
    """A typeclass that says whose mind its body has."""

    mind_key = "Mara"


class ComingBackTests(WaitingTestCase):
    def test_by_the_key_of_a_typeclass(self):
        self.mara.delete()
        self.assert_knows_all(self.spawned(typeclass=f"{__name__}.Named", attrs=[]))

    def test_by_attaching_a_body_of_a_stock_typeclass(self):
        self.mara.delete()
        npc = create_object(DefaultObject, key="mirror", location=self.room1)
        self.assertEqual(scripts.attach(npc, mind_key="MARA "), self.script_of_mara)
        self.assert_knows_all(npc)

    def test_an_attribute_that_anybody_can_write_calls_nobody(self):
        self.mara.delete()
        npc = create_object(Named, key="mirror", location=self.room1)
        npc.attributes.add("ai_mind", "per")
        scripts.attach(npc)
        self.assert_knows_all(npc)
        self.assertFalse(npc.attributes.has("ai_mind"))
        npc.delete()
        rat = create_object(TYPECLASS, key="rat", location=self.room1)
        rat.attributes.add("ai_mind", "mara")
        scripts.attach(rat)
        self.assertEqual(journal.entries(rat), [])
        self.assert_knows_all(self.spawned())

    def test_code_that_updates_a_body_by_a_prototype_reads_no_attribute_of_a_builder(self):
        self.mara.delete()
        rat = create_object(TYPECLASS, key="rat", location=self.room1)
        rat.attributes.add("ai_mind", "mara")
        prototype = {"prototype_key": "rat", "key": "rat", "desc": "It is grey."}
        spawner.batch_update_objects_with_prototype(prototype, objects=[rat])
        self.assertEqual(rat.db.desc, "It is grey.")
        self.assertEqual(journal.entries(rat), [])
        self.assert_knows_all(self.spawned())

    def test_a_stock_body_that_dies_leaves_its_mind(self):
        for is_on in (True, False):
            with self.subTest(is_on=is_on):
                self.script_of_mara.obj.delete()
                npc = create_object(STOCK, key="Mara", location=self.room1)
                scripts.attach(npc, mind_key="mara")
                self.assert_knows_all(npc)
                if not is_on:
                    self.script_of_mara.disable()
        self.script_of_mara.obj.delete()
        self.assert_knows_all(self.spawned())

    def test_its_body_is_locked_as_the_old_one_was(self):
        self.mara.locks.add("control:id(1);edit:id(1);delete:id(1)")
        locks = self.mara.db_lock_storage
        self.mara.delete()
        self.assertEqual(self.place().db_lock_storage, locks)
        open_to_them = f"control:id({self.char2.id});edit:id({self.char2.id});call:all()"
        npc = self.spawned(locks=open_to_them)
        self.assertEqual(npc.db_lock_storage, locks)
        self.assertFalse(npc.access(self.char2, "control"))
        self.assertFalse(npc.access(self.char2, "edit"))

    def test_a_second_body_gets_a_mind_of_its_own_and_staff_a_warning(self):
        second = self.spawned()
        self.assertNotEqual(identity.identity_of(second), self.key)
        self.assertEqual(journal.entries(second), [])
        self.assertTrue(self.mind(second).enabled)
        self.assertEqual(waiting.key_of(second), "")
        self.assertEqual(
            self.log,
            [
                f"evennia_ai: Mara(#{second.id}) gets no mind_key: Mara(#{self.mara.id}) has the "
                "mind mara."
            ],
        )
        self.assert_knows_all(self.mara)

    def test_a_body_that_remembers_something_does_not_lose_it(self):
        other = create_object(TYPECLASS, key="Bob", location=self.room1)
        journal.add_entry(other, "It rains.")
        self.mara.delete()
        scripts.attach(other, mind_key="mara")
        self.assertIn("It rains.", str(journal.entries(other)))
        self.assertNotIn(WORD, str(journal.entries(other)))
        self.assertEqual(len(self.log), 1)
        self.assert_knows_all(self.spawned())

    def test_the_first_body_of_a_key_keeps_it(self):
        first = self.spawned(key="Per", attrs=[("ai_mind", "Old-Per")])
        self.assertEqual(waiting.key_of(first), "old-per")
        journal.add_entry(first, "It rains.")
        first.delete()
        next_one = self.spawned(key="Per", attrs=[("ai_mind", "old-per")])
        self.assertIn("It rains.", str(journal.entries(next_one)))

    def test_what_is_no_key_is_refused_with_a_warning(self):
        npc = self.spawned(key="Per", attrs=[("ai_mind", "old per!")])
        self.assertEqual(waiting.key_of(npc), "")
        self.assertTrue(self.mind(npc).enabled)
        self.assertIn("at most 64 letters", self.log[0])


class BuilderTests(WaitingTestCase):
    """Char2 is a builder, and no waiting mind of theirs: only who controls one calls it into a body."""

    REFUSED = "asks for is for those who control it."
    PROTOTYPE = {"prototype_key": "thief", "key": "thief", "typeclass": TYPECLASS}

    def setUp(self):
        super().setUp()
        self.account2.permissions.add("Builder")
        self.mara.locks.add("control:id(1);edit:id(1)")
        self.mara.delete()
        self.bob.clear()

    def assert_refused(self, key="thief"):
        self.assertIn(self.REFUSED, str(self.bob))
        self.assertTrue(waiting.is_waiting(self.place()))
        for npc in ObjectDB.objects.filter(db_key=key):
            self.assertNotIn(WORD, str(journal.entries(npc)))
        self.assert_knows_all(self.spawned())

    def test_they_do_not_get_it_by_spawning_a_prototype(self):
        self.char2.execute_cmd(f"spawn {self.PROTOTYPE | {'ai_mind': 'mara'}}")
        [thief] = ObjectDB.objects.filter(db_key="thief")
        self.assertTrue(self.mind(thief).enabled)
        self.assertEqual(waiting.key_of(thief), "")
        self.assert_refused()

    def test_nor_by_spawning_a_typeclass_that_has_its_key(self):
        self.char2.execute_cmd(f"spawn {self.PROTOTYPE | {'typeclass': f'{__name__}.Named'}}")
        self.assert_refused()

    def test_nor_by_adding_a_script_to_a_body_that_has_its_key(self):
        rat = create_object(f"{__name__}.Named", key="rat", location=self.room1)
        self.char2.execute_cmd("@scripts rat = evennia_ai.typeclasses.scripts.AssistantScript")
        self.assertTrue(self.mind(rat).enabled)
        self.assertTrue(waiting.is_waiting(self.place()))
        self.assertEqual((waiting.key_of(rat), journal.entries(rat)), ("", []))

    def test_nor_by_the_menu_of_prototypes(self):
        menus._spawn(self.char2, prototype=self.PROTOTYPE | {"ai_mind": "mara"})
        self.assert_refused()

    def test_nor_by_putting_a_prototype_over_a_body_of_theirs(self):
        """As `typeclass/prototype` does it, once its question is answered."""
        rat = create_object(STOCK, key="rat", location=self.room1)
        named = {**self.PROTOTYPE, "typeclass": f"{__name__}.Named", "desc": "It is grey."}
        rat.swap_typeclass(named["typeclass"], run_start_hooks="at_object_creation")
        rat = ObjectDB.objects.get(id=rat.id)
        spawner.batch_update_objects_with_prototype(named, objects=[rat], caller=self.char2)
        self.assertEqual(rat.db.desc, "It is grey.")
        self.assert_refused("rat")

    def test_who_controls_it_gets_it(self):
        self.place().locks.add(f"control:id({self.char2.id})")
        self.char2.execute_cmd(f"spawn {self.PROTOTYPE | {'ai_mind': 'mara'}}")
        [npc] = ObjectDB.objects.filter(db_key="thief")
        self.assert_knows_all(npc)


class KeyTests(WaitingTestCase):
    def test_one_key_is_one_mind(self):
        other = create_object(TYPECLASS, key="Bob", location=self.room1)
        with self.assertRaisesRegex(ValueError, r"^Mara\(#\d+\) has the mind mara\.$"):
            waiting.give_key(other, " Mara ")
        waiting.give_key(self.mara, "")
        waiting.give_key(other, "mara")
        self.assertEqual(waiting.body_of("mara"), other)

    def test_without_a_key_it_dies_with_its_body(self):
        waiting.give_key(self.mara, "")
        self.mara.delete()
        self.wait(2)
        self.assert_nobody_waits()
        self.assertIsNone(self.script_of_mara.pk)
        self.assertNotIn(WORD, self.memories())
