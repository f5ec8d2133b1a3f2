"""Tests of plain data in Attributes."""

from unittest import mock

from django.db import DatabaseError, connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from evennia.typeclasses.attributes import Attribute
from evennia.utils import dbserialize

from evennia_ai.storage import attributes
from evennia_ai.testing import AITestCase

NESTED = {"lines": [{"text": "Hello.", "who": ["ann", "me"]}], "count": 1, "on": True, "x": None}


def plain_types(value):
    """Return the types of a value and of all that is in it."""
    inside = value.values() if isinstance(value, dict) else value if type(value) is list else ()
    return {type(value)}.union(*map(plain_types, inside))


class StoredTestCase(AITestCase):
    def stored(self, key, category="evennia_ai"):
        """Return what is in the database, past every cache."""
        rows = Attribute.objects.filter(
            objectdb=self.char1, db_key=key, db_category=category
        ).values_list("db_value", flat=True)
        [value] = rows
        return value

    def writes(self, action):
        """Return the statements with which an action changes the database."""
        with CaptureQueriesContext(
            connection,
        ) as queries:
            action()
        statements = [query["sql"] for query in queries.captured_queries]
        return [one for one in statements if not one.startswith(("SELECT", "SAVEPOINT", "RELEASE"))]


class LoadTests(StoredTestCase):
    def test_what_was_saved_is_loaded(self):
        for value in (NESTED, [1, 2], "text", 0, 1.5, False, None, {}, []):
            with self.subTest(value=value):
                attributes.save(self.char1, "kept", value)
                self.assertEqual(attributes.load(self.char1, "kept"), value)
                self.assertEqual(self.stored("kept"), value)

    def test_nothing_stored_is_the_default_and_a_fresh_one_each_time(self):
        self.assertIsNone(attributes.load(self.char1, "none"))
        self.assertEqual(attributes.load(self.char1, "none", default=3), 3)
        first = attributes.load(self.char1, "none", default=list)
        first.append("x")
        self.assertEqual(attributes.load(self.char1, "none", default=list), [])
        self.assertFalse(self.char1.attributes.has("none", category="evennia_ai"))

    def test_a_stored_zero_is_not_missing(self):
        for value in (0, "", [], False, None):
            attributes.save(self.char1, "kept", value)
            self.assertEqual(attributes.load(self.char1, "kept", default="default"), value)

    def test_changing_what_was_loaded_changes_nothing(self):
        attributes.save(self.char1, "kept", NESTED)
        loaded = attributes.load(self.char1, "kept")
        self.assertEqual(
            self.writes(lambda: loaded["lines"][0]["who"].append("spy")),
            [],
        )
        loaded["count"] = 2
        self.assertEqual(attributes.load(self.char1, "kept"), NESTED)
        self.assertEqual(self.stored("kept"), NESTED)

    def test_changing_what_was_saved_changes_nothing(self):
        for again in (False, True):
            with self.subTest(again=again):
                value = {"lines": ["a"]}
                attributes.save(self.char1, "kept", value)
                value["lines"].append("b")
                self.assertEqual(attributes.load(self.char1, "kept"), {"lines": ["a"]})

    def test_values_are_plain_all_the_way_down(self):
        attributes.save(self.char1, "kept", NESTED)
        expected = {dict, list, str, int, bool, type(None)}
        self.assertEqual(plain_types(attributes.load(self.char1, "kept")), expected)
        everything = attributes.load_all(self.char1, category="evennia_ai")
        self.assertEqual(plain_types(everything["kept"]), expected)
        with attributes.edit(self.char1, "kept") as value:
            self.assertEqual(plain_types(value), expected)

    def test_what_was_set_by_hand_is_plain_as_well(self):
        self.char1.db.kept = {"lines": ["a"]}
        live = self.char1.db.kept
        self.assertIsInstance(live, dbserialize._SaverDict)
        loaded = attributes.load(self.char1, "kept", category=None)
        self.assertEqual(plain_types(loaded), {dict, list, str})
        attributes.save(self.char1, "copied", {"live": live.deserialize()})
        self.assertEqual(plain_types(attributes.load(self.char1, "copied")), {dict, list, str})

    def test_what_was_saved_can_be_read_in_the_usual_way(self):
        attributes.save(self.char1, "kept", {"a": 1}, category=None)
        self.assertEqual(self.char1.db.kept, {"a": 1})
        attributes.save(self.char1, "kept", {"a": 2}, category=None)
        self.assertEqual(self.char1.db.kept, {"a": 2})


class SaveAllTests(StoredTestCase):
    def setUp(self):
        super().setUp()
        attributes.save(self.char1, "first", 1)
        attributes.save(self.char1, "old", 1)

    def save_all(self):
        values = {("first", "evennia_ai"): 2, ("new", "many"): [1], ("plain", None): "x"}
        attributes.save_all(self.char1, values, removed=[("old", "evennia_ai")])

    def test_values_are_stored_and_deleted_together(self):
        self.save_all()
        self.assertEqual(self.stored("first"), 2)
        self.assertEqual(self.stored("new", category="many"), [1])
        self.assertEqual(self.stored("plain", category=None), "x")
        self.assertEqual(attributes.keys(self.char1, category="evennia_ai"), ["first"])

    def test_if_the_database_refuses_one_nothing_is_changed(self):
        def execute(run, sql, params, many, context):
            if sql.startswith("UPDATE"):
                raise DatabaseError("disk full")
            return run(sql, params, many, context)

        with connection.execute_wrapper(execute), self.assertRaises(DatabaseError):
            self.save_all()
        self.assertEqual(self.stored("first"), 1)
        self.assertEqual(self.stored("old"), 1)
        self.assertEqual(attributes.keys(self.char1, category="many"), [])

    def test_many_new_ones_take_as_many_statements_as_two(self):
        for count in (2, 20):
            values = {(f"k{count} {number}", "many"): [number] for number in range(count)}
            statements = self.writes(lambda values=values: attributes.save_all(self.char1, values))
            kinds = [statement.split(" ")[0] for statement in statements]
            self.assertEqual(kinds, ["INSERT", "INSERT"], statements)
        self.assertEqual(self.stored("k20 7", category="many"), [7])
        self.assertEqual(self.char1.attributes.get("K20 7", category="many"), [7])
        attribute = self.char1.attributes.get("k20 7", category="many", return_obj=True)
        self.assertIs(attribute, Attribute.objects.get(pk=attribute.pk))
        self.assertEqual(attribute.lock_storage, attributes.LOCKS)
        # What it made is changed like any other.
        self.char1.attributes.add("k20 7", "by hand", category="many")
        self.assertEqual(self.stored("k20 7", category="many"), "by hand")
        self.char1.attributes.reset_cache()
        self.assertEqual(attributes.load(self.char1, "k20 7", category="many"), "by hand")

    def test_a_database_that_gives_no_ids_back_gets_them_one_by_one(self):
        features = type(connection.features)
        with mock.patch.object(features, "can_return_rows_from_bulk_insert", False):
            attributes.save_all(self.char1, {("a", "many"): 1, ("b", "many"): {"c": [2]}})
        self.assertEqual(
            attributes.load_all(self.char1, category="many"), {"a": 1, "b": {"c": [2]}}
        )

    def test_many_are_deleted_together(self):
        for key in "abc":
            attributes.save(self.char1, key, key, category="many")
        attributes.save_all(self.char1, {}, removed=[(key, "many") for key in "abd"])
        self.assertEqual(attributes.load_all(self.char1, category="many"), {"c": "c"})
        self.assertIsNone(attributes.load(self.char1, "a", category="many"))
        self.assertFalse(self.char1.attributes.has("b", category="many"))
        attributes.save(self.char1, "a", "again", category="many")
        self.assertEqual(self.stored("a", category="many"), "again")

    def test_what_was_refused_is_not_taken_for_stored(self):
        with self.assertRaises(RuntimeError), attributes.together(self.char1):
            attributes.save_all(self.char1, {("a", "many"): 1, ("b", "many"): 2})
            attributes.save_all(self.char1, {}, removed=[("first", "evennia_ai"), ("a", "many")])
            raise RuntimeError
        self.assertEqual(attributes.load(self.char1, "first"), 1)
        self.assertIsNone(attributes.load(self.char1, "b", category="many"))

    def test_a_row_that_was_deleted_past_evennia_is_written_anew(self):
        attribute = self.char1.attributes.get("first", category="evennia_ai", return_obj=True)
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM objects_objectdb_db_attributes WHERE attribute_id = %s", [attribute.pk]
            )
            cursor.execute("DELETE FROM typeclasses_attribute WHERE id = %s", [attribute.pk])
        attributes.save(self.char1, "first", 2)
        self.assertEqual(Attribute.objects.get(pk=attribute.pk).db_value, 2)


class WarmTests(StoredTestCase):
    NAMES = [("first", "evennia_ai"), ("Second", "many"), ("plain", None), ("none", None)]

    def setUp(self):
        super().setUp()
        attributes.save(self.char1, "first", [1])
        attributes.save(self.char1, "second", [2], category="many")
        self.char1.db.plain = [3]
        # Of another category, and of another object.
        attributes.save(self.char1, "none", 4, category="many")
        self.char2.db.none = 5
        self.char1.attributes.reset_cache()

    def loaded(self):
        return [attributes.load(self.char1, key, category=kind) for key, kind in self.NAMES]

    def test_what_is_named_is_read_by_one_question(self):
        with self.assertNumQueries(1):
            attributes.warm(self.char1, self.NAMES)
            self.assertEqual(self.loaded(), [[1], [2], [3], None])
            attributes.warm(self.char1, self.NAMES)

    def test_what_is_in_memory_already_is_left_alone(self):
        self.assertEqual(self.loaded(), [[1], [2], [3], None])
        self.char1.db.plain.append(6)
        with self.assertNumQueries(0):
            attributes.warm(self.char1, [*self.NAMES, ("one more", None)][:4])
            self.assertEqual(self.loaded(), [[1], [2], [3, 6], None])

    def test_what_was_not_there_can_be_written_and_read(self):
        attributes.warm(self.char1, self.NAMES)
        self.char1.db.none = "now"
        self.assertEqual(attributes.load(self.char1, "none", category=None), "now")
        self.assertEqual(len(self.char1.attributes.all()), 5 + self.of_the_game)

    @property
    def of_the_game(self):
        """What Evennia itself has stored on a character."""
        ours = ("first", "second", "plain", "none")
        return self.char1.db_attributes.exclude(db_key__in=ours).count()

    def test_without_evennias_cache_nothing_is_asked(self):
        with override_settings(TYPECLASS_AGGRESSIVE_CACHE=False), self.assertNumQueries(0):
            attributes.warm(self.char1, self.NAMES)


class EditTests(StoredTestCase):
    def test_any_number_of_changes_are_saved_once(self):
        attributes.save(self.char1, "kept", [])

        def change():
            with attributes.edit(self.char1, "kept") as lines:
                lines.extend({"number": number} for number in range(50))
                lines[0]["number"] = 99

        [statement] = self.writes(change)
        self.assertTrue(statement.startswith("UPDATE"), statement)
        self.assertEqual([one["number"] for one in self.stored("kept")][:3], [99, 1, 2])

    def test_an_error_within_saves_nothing(self):
        attributes.save(self.char1, "kept", ["a"])

        def fail():
            with self.assertRaises(KeyError), attributes.edit(self.char1, "kept") as lines:
                lines.append("b")
                raise KeyError

        self.assertEqual(self.writes(fail), [])
        self.assertEqual(attributes.load(self.char1, "kept"), ["a"])
        self.assertEqual(self.stored("kept"), ["a"])

    def test_an_error_at_the_first_edit_leaves_nothing_behind(self):
        with self.assertRaises(KeyError), attributes.edit(self.char1, "kept") as kept:
            kept["a"] = 1
            raise KeyError
        self.assertFalse(self.char1.attributes.has("kept", category="evennia_ai"))

    def test_the_first_edit_starts_from_the_default(self):
        with attributes.edit(self.char1, "kept", default=lambda: ["first"]) as lines:
            lines.append("second")
        self.assertEqual(self.stored("kept"), ["first", "second"])

    def test_leaving_early_saves_what_was_done(self):
        def leave():
            with attributes.edit(self.char1, "kept", default=list) as lines:
                lines.append("a")
                return len(lines)

        self.assertEqual(leave(), 1)
        self.assertEqual(self.stored("kept"), ["a"])


class CategoryTests(StoredTestCase):
    def test_two_categories_do_not_meet_nor_does_a_games_own(self):
        attributes.save(self.char1, "kept", "ours")
        attributes.save(self.char1, "kept", "others", category="other")
        self.char1.db.kept = "the game's"
        self.assertEqual(attributes.load(self.char1, "kept"), "ours")
        self.assertEqual(attributes.load(self.char1, "kept", category="other"), "others")
        attributes.clear(self.char1, category="other")
        self.assertIsNone(attributes.load(self.char1, "kept", category="other"))
        self.assertEqual(attributes.load(self.char1, "kept"), "ours")
        attributes.remove(self.char1, "kept")
        self.assertIsNone(attributes.load(self.char1, "kept"))
        self.assertEqual(self.char1.db.kept, "the game's")

    def test_everything_of_a_category_is_loaded_in_one_query(self):
        for number in range(20):
            attributes.save(self.char1, f"k{number:02}", {"n": number}, category="many")
        attributes.save(self.char1, "other", 1)
        with self.assertNumQueries(1):
            everything = attributes.load_all(self.char1, category="many")
        self.assertEqual(len(everything), 20)
        self.assertEqual(everything["k07"], {"n": 7})
        everything["k07"]["n"] = 8
        self.assertEqual(attributes.load(self.char1, "k07", category="many"), {"n": 7})

    def test_some_keys_of_a_category_are_loaded_in_one_query(self):
        for key in "abc":
            attributes.save(self.char1, key, f"value of {key}", category="many")
        with self.assertNumQueries(1):
            some = attributes.load_all(self.char1, category="many", only=["a", "c", "d"])
        self.assertEqual(some, {"a": "value of a", "c": "value of c"})

    def test_keys_are_sorted_and_of_one_object(self):
        for key in "bca":
            attributes.save(self.char1, key, 1, category="many")
        attributes.save(self.char2, "d", 1, category="many")
        self.assertEqual(attributes.keys(self.char1, category="many"), ["a", "b", "c"])
        self.assertEqual(attributes.keys(self.char1, category="none"), [])

    def test_removing_what_is_not_there_is_no_error(self):
        attributes.remove(self.char1, "kept")
        attributes.clear(self.char1, category="many")

    def test_evennia_lower_cases_keys(self):
        """So a name is no key: "Ann" and "ANN" would be one person."""
        attributes.save(self.char1, "Ann", 1)
        attributes.save(self.char1, "ANN", 2)
        self.assertEqual(attributes.load(self.char1, "ann"), 2)
        self.assertEqual(attributes.keys(self.char1, category="evennia_ai"), ["ann"])


class TogetherTests(StoredTestCase):
    """What is written together is written, or nothing of it."""

    def write(self, *, fails):
        with attributes.together(self.char1, self.char2):
            attributes.save(self.char1, "kept", "new")
            attributes.save(self.char2, "other", "new")
            if fails:
                raise RuntimeError

    def read(self):
        return attributes.load(self.char1, "kept"), attributes.load(self.char2, "other")

    def test_all_of_it(self):
        self.write(fails=False)
        self.assertEqual(self.read(), ("new", "new"))

    def test_nothing_of_it_and_memory_knows(self):
        attributes.save(self.char1, "kept", "old")
        with self.assertRaises(RuntimeError):
            self.write(fails=True)
        self.assertEqual(self.read(), ("old", None))
        attributes.save(self.char2, "other", "later")
        self.assertEqual(self.read(), ("old", "later"))


class LockTests(StoredTestCase):
    def test_only_developers_may_read_or_change_it(self):
        attributes.save(self.char1, "kept", "secret")
        attribute = self.char1.attributes.get("kept", category="evennia_ai", return_obj=True)
        for permission, expected in (("Player", False), ("Admin", False), ("Developer", True)):
            self.char2.account.permissions.clear()
            self.char2.permissions.clear()
            self.char2.account.permissions.add(permission)
            with self.subTest(permission=permission):
                self.assertIs(attribute.access(self.char2, "attrread"), expected)
                self.assertIs(attribute.access(self.char2, "attredit"), expected)
                read = self.char1.attributes.get(
                    "kept", category="evennia_ai", accessing_obj=self.char2
                )
                self.assertEqual(read, "secret" if expected else None)

    def test_saving_again_keeps_the_locks(self):
        attributes.save(self.char1, "kept", 1)
        attributes.save(self.char1, "kept", 2)
        attribute = self.char1.attributes.get("kept", category="evennia_ai", return_obj=True)
        self.assertEqual(
            attribute.lock_storage, "attrread:perm(Developer);attredit:perm(Developer)"
        )
