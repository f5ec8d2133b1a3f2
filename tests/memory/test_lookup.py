"""Tests of finding objects and scripts as they are now."""

from django.test import override_settings
from evennia.objects.models import ObjectDB
from evennia.scripts.scripts import DefaultScript
from evennia.utils.create import create_script

from evennia_ai.memory import kinds, lookup, repository
from evennia_ai.memory.storage import detached
from evennia_ai.testing import AITestCase
from evennia_ai.typeclasses import scripts


class LookupTests(AITestCase):
    def test_what_is_there_is_found_with_its_typeclass(self):
        self.assertIs(lookup.object_by_id(self.char1.id), self.char1)
        script = create_script(DefaultScript, key="mind", obj=self.char1)
        self.assertIs(lookup.script_by_id(script.id), script)

    def test_what_is_not_there_is_none(self):
        for number in (None, 0, -1, 999_999, 10**30):
            with self.subTest(number=number):
                self.assertIsNone(lookup.object_by_id(number))
                self.assertIsNone(lookup.script_by_id(number))

    def test_what_was_deleted_is_none(self):
        script = create_script(DefaultScript, key="mind", obj=self.obj1)
        numbers = self.obj1.id, script.id
        self.obj1.delete()
        self.assertIsNone(lookup.object_by_id(numbers[0]))
        self.assertIsNone(lookup.script_by_id(numbers[1]))

    def test_after_a_flush_of_the_cache_it_is_the_new_instance(self):
        number = self.obj1.id
        self.obj1.flush_from_cache(force=True)
        found = lookup.object_by_id(number)
        self.assertIsNot(found, self.obj1)
        self.assertIs(found, lookup.object_by_id(number))
        self.assertIs(found, ObjectDB.objects.get(id=number))

    def test_what_is_cached_costs_no_query(self):
        lookup.object_by_id(self.char1.id)
        with self.assertNumQueries(0):
            lookup.object_by_id(self.char1.id)


class MindTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.attach(self.obj1)

    def test_the_mind_of_a_body_is_asked_for_once(self):
        self.assertIs(lookup.mind_of(self.obj1), self.mind)
        with self.assertNumQueries(0):
            self.assertIs(lookup.mind_of(self.obj1), self.mind)

    def test_a_mind_that_is_deleted_or_of_another_body_is_not_found(self):
        lookup.mind_of(self.obj1)
        self.mind.obj = self.obj2
        self.assertIsNone(lookup.mind_of(self.obj1))
        self.assertIs(lookup.mind_of(self.obj2), self.mind)
        scripts.detach(self.obj2)
        self.assertIsNone(lookup.mind_of(self.obj2))

    def test_after_a_flush_of_the_cache_it_is_the_new_instance(self):
        number = lookup.mind_of(self.obj1).id
        self.mind.flush_from_cache(force=True)
        found = lookup.mind_of(self.obj1)
        self.assertIsNot(found, self.mind)
        self.assertEqual(found.id, number)

    def test_a_copy_is_found_instead_of_what_it_is_a_copy_of(self):
        lookup.mind_of(self.obj1)
        body, mind, _ = detached.detach(self.obj1.id, self.mind.id, name="Box", shown="Box")
        self.assertIs(lookup.mind_of(body), mind)
        self.assertIs(lookup.mind_of(body), mind)

    def test_what_a_copy_does_not_have_is_not_read_where_the_original_has_it(self):
        body, _, _ = detached.detach(self.obj1.id, self.mind.id, name="Box", shown="Box")
        repository.save(self.obj1, kinds.PERSONA, {"description": "A box."})
        with override_settings(TYPECLASS_AGGRESSIVE_CACHE=False):
            self.assertIsNone(repository.load(body, kinds.PERSONA))
