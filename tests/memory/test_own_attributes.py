"""Tests of Attributes of our own: what stock commands see of them, and how they are written."""

from unittest import mock

from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from evennia.prototypes.spawner import prototype_from_object
from evennia.typeclasses.attributes import Attribute
from evennia.web.api.serializers import ObjectDBSerializer

from evennia_ai.memory import repository
from evennia_ai.memory.kinds import BACKLOG, COUNTERS, PERSONA
from evennia_ai.memory.storage import own_attributes
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.memory.test_repository import LINES, SLIPS, StoredTestCase

SECRET = "marzipan"
KEPT = {"notes": f"It hid the {SECRET}."}


class ApartTests(StoredTestCase):
    """What a mind keeps is neither seen nor changed by what stock commands do."""

    def setUp(self):
        super().setUp()
        repository.save(self.char1, PERSONA, KEPT)
        repository.save(self.char1, SLIPS, {"name": SECRET}, "ann")

    def check_kept(self):
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, PERSONA), KEPT)
            self.assertEqual(repository.load(self.char1, SLIPS, "ann"), {"name": SECRET})
            self.anew()

    def test_the_attribute_handler_does_not_see_it(self):
        handler = self.char1.attributes
        for key, category in (("persona", "persona"), ("persona", None), ("ann", "slips")):
            self.assertFalse(handler.has(key, category=category))
            self.assertIsNone(handler.get(key, category=category))
        self.assertEqual(handler.get(category="slips", return_list=True), [])
        self.assertNotIn(SECRET, str([(one.key, one.value) for one in handler.all()]))
        self.assertIsNone(self.char1.db.persona)
        self.assertNotIn(SECRET, str(self.char1.db.all))

    def test_the_attribute_handler_does_not_change_it(self):
        handler = self.char1.attributes
        handler.remove("persona", category="persona")
        handler.batch_add(("persona", "mine", "persona"), ("ann", {"name": "mine"}, "slips"))
        self.check_kept()
        handler.clear(category="slips")
        handler.clear()
        self.char1.db.persona = "mine"
        del self.char1.db.persona
        self.check_kept()

    def test_a_games_own_under_the_same_key_and_category_is_left_alone(self):
        handler = self.char1.attributes
        handler.add("persona", "the game's", category="persona")
        handler.add("ann", "hers", category="slips")
        repository.save(self.char1, PERSONA, {**KEPT, "background": "A cook."})
        repository.clear(self.char1, SLIPS)
        repository.remove(self.char1, PERSONA)
        repository.delete_all(self.char1)
        for _ in range(2):
            self.assertEqual(handler.get("persona", category="persona"), "the game's")
            self.assertEqual(handler.get("ann", category="slips"), "hers")
            self.assertEqual(repository.load_all(self.char1, SLIPS), {})
            handler.reset_cache()

    def test_a_games_own_is_not_read_as_ours(self):
        self.char2.attributes.add("persona", "the game's", category="persona", strattr=True)
        self.char2.nicks.add("persona", "a nick", category="persona")
        for _ in range(2):
            self.assertIsNone(repository.load(self.char2, PERSONA))
            self.assertFalse(repository.has_any(self.char2, [PERSONA]))
            self.anew()

    def test_nothing_of_it_is_in_a_prototype(self):
        self.char1.db.gold = 5
        prototype = prototype_from_object(self.char1)
        self.assertIn("gold", str(prototype["attrs"]))
        self.assertNotIn(SECRET, str(prototype))

    def test_nothing_of_it_is_in_a_copy(self):
        self.char1.db.gold = 5
        copy = self.char1.copy("twin")
        self.assertEqual(copy.db.gold, 5)
        self.assertIsNone(repository.load(copy, PERSONA))
        self.assertEqual(list(copy.db_attributes.filter(db_attrtype="evennia_ai")), [])
        self.check_kept()

    def test_nothing_of_it_is_told_by_the_rest_api(self):
        self.char1.db.gold = 5
        shown = str(ObjectDBSerializer(self.char1).data)
        self.assertIn("gold", shown)
        self.assertNotIn(SECRET, shown)

    def test_what_was_deleted_leaves_no_row(self):
        npc = self.char1.create("Mara", typeclass=AssistantCharacter)[0]
        repository.save(npc, PERSONA, KEPT)
        before = Attribute.objects.filter(db_strvalue__contains=SECRET).count()
        npc.delete()
        left = Attribute.objects.filter(db_strvalue__contains=SECRET).count()
        self.assertEqual(left, before - 1)


class LockTests(StoredTestCase):
    def test_only_developers_may_read_or_change_it(self):
        for text in ("A cook.", "A smith."):
            repository.save(self.char1, PERSONA, {"background": text})
        [attribute] = own_attributes.rows(self.char1).filter(db_category="persona")
        for permission, expected in (("Player", False), ("Admin", False), ("Developer", True)):
            self.char2.account.permissions.clear()
            self.char2.permissions.clear()
            self.char2.account.permissions.add(permission)
            with self.subTest(permission=permission):
                self.assertIs(attribute.access(self.char2, "attrread"), expected)
                self.assertIs(attribute.access(self.char2, "attredit"), expected)


class StatementTests(StoredTestCase):
    """What reading and writing costs."""

    def statements(self, action):
        """Return the beginnings of the statements that an action takes."""
        with CaptureQueriesContext(connection) as queries:
            action()
        words = [query["sql"].split() for query in queries.captured_queries]
        # Many values of one statement are told as "3 times: UPDATE".
        firsts = [one[2] if one[1:2] == ["times:"] else one[0] for one in words]
        return [one for one in firsts if one not in ("SAVEPOINT", "RELEASE")]

    def write(self, *, people, turns):
        with repository.together(self.char1, self.script):
            repository.save(self.char1, PERSONA, {"turns": turns})
            repository.save(self.script, COUNTERS, {"turns": turns})
            for number in range(20):
                repository.save(self.char1, BACKLOG, turns, f"{people} {number}")
                repository.save(self.char1, SLIPS, {"turns": turns}, f"kept {number}")

    def test_many_changes_are_one_update_and_what_is_new_two_inserts(self):
        self.write(people="a", turns=1)
        repository.warm(self.char1, [(BACKLOG, f"b {number}") for number in range(20)])
        statements = self.statements(lambda: self.write(people="b", turns=2))
        self.assertEqual(statements, ["UPDATE", "INSERT", "INSERT"])
        self.anew()
        self.assertEqual(repository.load(self.char1, BACKLOG, "a 7"), 1)
        self.assertEqual(repository.load(self.char1, BACKLOG, "b 7"), 2)
        self.assertEqual(repository.load(self.char1, SLIPS, "kept 7"), {"turns": 2})
        self.assertEqual(repository.load(self.script, COUNTERS), {"turns": 2})

    def test_what_was_just_made_is_changed_by_one_update(self):
        self.write(people="a", turns=1)
        self.assertEqual(self.statements(lambda: self.write(people="a", turns=2)), ["UPDATE"])

    def test_what_is_as_it_was_is_not_written(self):
        self.write(people="a", turns=1)
        self.assertEqual(self.statements(lambda: self.write(people="a", turns=1)), [])

    def test_new_ones_of_a_body_and_a_mind_are_three_inserts(self):
        for obj, kinds in ((self.char1, (PERSONA, LINES)), (self.script, (COUNTERS,))):
            repository.warm(obj, [(kind, "") for kind in kinds])

        def write():
            with repository.together():
                repository.save(self.char1, PERSONA, KEPT)
                repository.save(self.char1, LINES, [KEPT])
                repository.save(self.script, COUNTERS, {"turns": 1})

        self.assertEqual(self.statements(write), ["INSERT", "INSERT", "INSERT"])

    def test_a_database_that_gives_no_ids_back_gets_them_one_by_one(self):
        features = type(connection.features)
        with mock.patch.object(features, "can_return_rows_from_bulk_insert", False):
            self.write(people="a", turns=1)
        for _ in range(2):
            self.assertEqual(len(repository.load_all(self.char1, BACKLOG)), 20)
            self.assertEqual(repository.load(self.script, COUNTERS), {"turns": 1})
            self.anew()

    def test_what_was_read_once_costs_nothing(self):
        places = [(PERSONA, ""), (LINES, ""), (SLIPS, "ann"), (SLIPS, "Bob"), (BACKLOG, "x")]
        repository.save(self.char1, PERSONA, KEPT)
        repository.save(self.char1, SLIPS, {"name": "Ann"}, "ann")
        self.anew()
        repository.load(self.char1, BACKLOG, "of somebody else")
        with self.assertNumQueries(1):
            repository.warm(self.char1, places)
        with self.assertNumQueries(0):
            repository.warm(self.char1, places)
            loaded = [repository.load(self.char1, kind, key) for kind, key in places]
        self.assertEqual(loaded, [KEPT, None, {"name": "Ann"}, None, None])

    def test_without_evennias_cache_nothing_is_read_ahead(self):
        with override_settings(TYPECLASS_AGGRESSIVE_CACHE=False), self.assertNumQueries(0):
            repository.warm(self.char1, [(PERSONA, ""), (LINES, "")])


class DeletedRowTests(StoredTestCase):
    """Somebody has deleted a row by SQL, or by Django's admin, while the game goes on."""

    def setUp(self):
        super().setUp()
        repository.save(self.char1, PERSONA, {"background": "A cook."})
        repository.save(self.char1, LINES, [])
        [self.row] = own_attributes.rows(self.char1).filter(db_category="persona").values("pk")

    def delete(self, *statements):
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement, [self.row["pk"]])

    def check_written_anew(self):
        with repository.together(self.char1):
            repository.save(self.char1, LINES, [KEPT])
            repository.save(self.char1, PERSONA, {"background": "A smith."})
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, PERSONA), {"background": "A smith."})
            self.assertEqual(repository.load(self.char1, LINES), [KEPT])
            self.anew()

    def test_it_is_written_anew(self):
        self.delete(
            "DELETE FROM objects_objectdb_db_attributes WHERE attribute_id = %s",
            "DELETE FROM typeclasses_attribute WHERE id = %s",
        )
        self.check_written_anew()

    def test_removing_it_is_no_error(self):
        self.delete(
            "DELETE FROM objects_objectdb_db_attributes WHERE attribute_id = %s",
            "DELETE FROM typeclasses_attribute WHERE id = %s",
        )
        repository.remove(self.char1, PERSONA)
        self.assertIsNone(repository.load(self.char1, PERSONA))
        self.check_written_anew()


class PastMemoryTests(StoredTestCase):
    """The database has written something by itself, and says so."""

    def test_memory_has_what_was_changed_made_and_taken_away(self):
        repository.save(self.char1, PERSONA, {"background": "A cook."})
        self.assertIsNone(repository.load(self.char1, BACKLOG, "ann"))
        self.assertEqual(repository.keys(self.char1, SLIPS), [])
        [row] = own_attributes.rows(self.char1)
        text = row.db_strvalue.replace("cook", "smith")
        own_attributes.rows(self.char1).update(db_strvalue=text)
        own_attributes.note_written(self.char1, ("persona", "persona"), text, pk=row.pk)
        with self.assertNumQueries(0):
            self.assertEqual(repository.load(self.char1, PERSONA), {"background": "A smith."})
        for kind, text in ((BACKLOG, "1\n3\n"), (SLIPS, '1\n{"name":"Ann"}\n')):
            made = Attribute(db_key="ann", db_category=kind.name, db_attrtype="evennia_ai")
            made.db_strvalue = text
            made.save()
            self.char1.db_attributes.add(made)
            made.flush_from_cache(force=True)
            own_attributes.note_written(self.char1, (kind.name, "ann"), text, pk=None)
        self.assertEqual(repository.load(self.char1, BACKLOG, "ann"), 3)
        self.assertEqual(repository.load(self.char1, SLIPS, "ann"), {"name": "Ann"})
        own_attributes.rows(self.char1).filter(db_category="persona").delete()
        own_attributes.note_written(self.char1, ("persona", "persona"), None, pk=row.pk)
        with self.assertNumQueries(0):
            self.assertIsNone(repository.load(self.char1, PERSONA))
