"""Tests of the one way in and out for what minds keep."""

from unittest import mock

from django.db import DatabaseError, connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses import attributes as evennias
from evennia.typeclasses.attributes import Attribute

from evennia_ai.memory import repository
from evennia_ai.memory.kinds import (
    BACKLOG,
    BODY,
    COUNTERS,
    JOURNAL,
    PERSONA,
    Kind,
    Plain,
)
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import AITestCase

# A kind of a game, with a key for each.
SLIPS = Kind("slips", BODY, dict[str, object], keyed=True)

NESTED = {"lines": [{"text": "Hello.", "who": ["ann", "me"]}], "count": 1, "on": True, "x": None}
# A list of plain data.
LINES = Kind("lines", BODY, list[Plain])
ALE = {"text": "The ale is brewed by old Tam."}
FLOOD = {"text": "The cellar was bricked up after the flood."}


def refuse(start):
    """Return a context in which the database refuses statements with this beginning."""

    def execute(run, sql, params, many, context):
        if sql.startswith(start):
            raise DatabaseError("disk full")
        return run(sql, params, many, context)

    return connection.execute_wrapper(execute)


class StoredTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        # What is asked once for each object is asked before statements are counted.
        for obj in (self.char1, self.char2, self.script):
            repository.load(obj, PERSONA)

    def stored(self, kind, key="", obj=None):
        """Return the texts that are in the database, past every cache."""
        obj = obj or self.char1
        found = obj.db_attributes.filter(db_attrtype="evennia_ai", db_category=kind.name)
        return list(found.filter(db_key=key or kind.name).values_list("db_strvalue", flat=True))

    def anew(self, *objs):
        """Let everything be read from the database again, as after a restart."""
        for obj in objs or (self.char1, self.char2, self.script):
            own_attributes.drop_cached(obj)
        Attribute.flush_instance_cache()


class LoadTests(StoredTestCase):
    def test_what_was_saved_is_loaded_now_and_after_a_restart(self):
        for value in (NESTED, {}, {"said": 'Ätsch! \u2028 "x"\n\ttwo lines', "half": 0.5}):
            with self.subTest(value=value):
                repository.save(self.char1, PERSONA, value)
                self.assertEqual(repository.load(self.char1, PERSONA), value)
                self.anew()
                self.assertEqual(repository.load(self.char1, PERSONA), value)

    def test_a_list_has_a_line_for_each_item(self):
        repository.save(self.char1, LINES, [ALE, FLOOD])
        self.assertEqual(
            self.stored(LINES),
            [
                '1\n{"text":"The ale is brewed by old Tam."}\n'
                '{"text":"The cellar was bricked up after the flood."}\n'
            ],
        )
        self.anew()
        self.assertEqual(repository.load(self.char1, LINES), [ALE, FLOOD])

    def test_nothing_kept_is_none_and_an_empty_list_or_zero_is_not(self):
        self.assertIsNone(repository.load(self.char1, LINES))
        self.assertIsNone(repository.load(self.char1, BACKLOG, "ann"))
        repository.save(self.char1, LINES, [])
        repository.save(self.char1, BACKLOG, 0, "ann")
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, LINES), [])
            self.assertEqual(repository.load(self.char1, BACKLOG, "ann"), 0)
            self.anew()

    def test_changing_what_was_loaded_changes_nothing(self):
        repository.save(self.char1, PERSONA, NESTED)
        loaded = repository.load(self.char1, PERSONA)
        loaded["lines"][0]["who"].append("spy")
        loaded["count"] = 2
        self.assertEqual(repository.load(self.char1, PERSONA)["count"], 1)
        self.assertEqual(repository.load(self.char1, PERSONA)["lines"][0]["who"], ["ann", "me"])

    def test_changing_what_was_saved_changes_nothing(self):
        for text in ("at first", "again"):
            lines = [{"text": text}]
            repository.save(self.char1, LINES, lines)
            lines[0]["text"] = "changed"
            lines.append("more")
            self.assertEqual(repository.load(self.char1, LINES), [{"text": text}])

    def test_keys_are_in_lower_case_and_stripped(self):
        """As Evennia's are: a name is no key, "Ann" and "ANN" would be one person."""
        repository.save(self.char1, BACKLOG, 1, "Ann")
        repository.save(self.char1, BACKLOG, 2, " ANN ")
        self.assertEqual(repository.keys(self.char1, BACKLOG), ["ann"])
        self.assertEqual(repository.load(self.char1, BACKLOG, "ann"), 2)
        self.assertEqual(repository.load_all(self.char1, BACKLOG, only=["ANN"]), {"ann": 2})

    def test_a_kind_with_keys_wants_one_and_one_without_has_none(self):
        for kind, key in ((BACKLOG, ""), (PERSONA, "ann")):
            with self.subTest(kind=kind.name), self.assertRaises(KeyError):
                repository.load(self.char1, kind, key)
            with self.subTest(kind=kind.name), self.assertRaises(KeyError):
                repository.save(self.char1, kind, 1, key)


class RemoveTests(StoredTestCase):
    def setUp(self):
        super().setUp()
        for number, key in enumerate("bca"):
            repository.save(self.char1, BACKLOG, number, key)
        repository.save(self.char1, SLIPS, {"name": "Ann"}, "a")
        repository.save(self.char2, BACKLOG, 9, "d")

    def test_what_was_removed_is_gone_and_can_come_back(self):
        repository.remove(self.char1, BACKLOG, "a")
        self.assertIsNone(repository.load(self.char1, BACKLOG, "a"))
        self.assertEqual(self.stored(BACKLOG, "a"), [])
        repository.remove(self.char1, BACKLOG, "a")
        repository.save(self.char1, BACKLOG, 7, "a")
        self.assertEqual(self.stored(BACKLOG, "a"), ["1\n7\n"])
        self.assertEqual(repository.load(self.char1, BACKLOG, "a"), 7)

    def test_clearing_a_kind_leaves_the_others_and_other_objects(self):
        repository.clear(self.char1, BACKLOG)
        repository.clear(self.char1, PERSONA)
        for _ in range(2):
            self.assertEqual(repository.keys(self.char1, BACKLOG), [])
            self.assertIsNone(repository.load(self.char1, BACKLOG, "b"))
            self.assertEqual(repository.load(self.char1, SLIPS, "a"), {"name": "Ann"})
            self.assertEqual(repository.load(self.char2, BACKLOG, "d"), 9)
            self.anew()

    def test_no_row_is_left_behind(self):
        before = Attribute.objects.count()
        repository.clear(self.char1, BACKLOG)
        self.assertEqual(Attribute.objects.count(), before - 3)
        through = ObjectDB.db_attributes.through.objects
        self.assertEqual(
            through.filter(objectdb=self.char1, attribute__db_category="backlog").count(), 0
        )

    def test_deleting_everything_of_an_object_leaves_other_objects_and_the_game_alone(self):
        self.char1.db.gold = 5
        repository.delete_all(self.char1)
        for _ in range(2):
            self.assertEqual(repository.keys(self.char1, BACKLOG), [])
            self.assertIsNone(repository.load(self.char1, SLIPS, "a"))
            self.assertEqual(self.char1.db.gold, 5)
            self.assertEqual(repository.load(self.char2, BACKLOG, "d"), 9)
            self.anew()

    def test_moving_everything_leaves_nothing_at_its_origin(self):
        repository.move_all(self.char1, self.room1)
        for _ in range(2):
            self.assertEqual(repository.keys(self.char1, BACKLOG), [])
            self.assertIsNone(repository.load(self.char1, SLIPS, "a"))
            self.assertEqual(repository.load_all(self.room1, BACKLOG), {"a": 2, "b": 0, "c": 1})
            self.assertEqual(repository.load(self.room1, SLIPS, "a"), {"name": "Ann"})
            self.anew(self.char1, self.room1)


class SearchTests(StoredTestCase):
    def setUp(self):
        super().setUp()
        for number in range(20):
            repository.save(self.char1, SLIPS, {"n": number}, f"k{number:02}")
        repository.save(self.char2, PERSONA, {"background": "A smith."})

    def test_all_of_a_kind_is_one_question_and_detached(self):
        with self.assertNumQueries(1):
            everything = repository.load_all(self.char1, SLIPS)
        self.assertEqual(len(everything), 20)
        everything["k07"]["n"] = 8
        self.assertEqual(repository.load(self.char1, SLIPS, "k07"), {"n": 7})
        with self.assertNumQueries(1):
            some = repository.load_all(self.char1, SLIPS, only=["k01", "k03", "none"])
        self.assertEqual(some, {"k01": {"n": 1}, "k03": {"n": 3}})
        self.assertEqual(repository.load_all(self.char1, SLIPS, only=[]), {})

    def test_whoever_has_something_of_a_kind_is_found(self):
        repository.save(self.script, COUNTERS, {"turns": 3})
        self.assertEqual(repository.owners(ObjectDB, SLIPS), [self.char1.id])
        self.assertEqual(repository.owners(ObjectDB, PERSONA), [self.char2.id])
        self.assertEqual(repository.owners(ObjectDB, LINES), [])
        self.assertEqual(repository.owners(ScriptDB, COUNTERS), [self.script.id])
        self.assertEqual(repository.owners(ObjectDB, COUNTERS), [])

    def test_what_all_have_of_a_kind_is_one_question(self):
        repository.save(self.char1, PERSONA, {"background": "A cook."})
        with self.assertNumQueries(1):
            found = repository.load_of_all(ObjectDB, PERSONA)
        expected = {self.char1.id: "A cook.", self.char2.id: "A smith."}
        self.assertEqual({who: one["background"] for who, one in found.items()}, expected)

    def test_an_empty_list_is_nothing_that_is_remembered(self):
        self.assertTrue(repository.has_any(self.char1, [LINES, SLIPS]))
        self.assertFalse(repository.has_any(self.char2, [LINES, SLIPS, JOURNAL]))
        repository.save(self.char2, LINES, [])
        self.assertFalse(repository.has_any(self.char2, [LINES]))
        repository.save(self.char2, LINES, [ALE])
        self.assertTrue(repository.has_any(self.char2, [LINES]))

    def test_what_together_has_not_written_yet_is_found_as_well(self):
        with repository.together(self.char2):
            repository.save(self.char2, LINES, [ALE])
            repository.save(self.char2, BACKLOG, 1, "ann")
            repository.remove(self.char2, PERSONA)
            self.assertTrue(repository.has_any(self.char2, [LINES]))
            self.assertEqual(repository.keys(self.char2, BACKLOG), ["ann"])
            self.assertEqual(repository.load_all(self.char2, BACKLOG), {"ann": 1})
            self.assertEqual(repository.owners(ObjectDB, LINES), [self.char2.id])
            self.assertEqual(repository.load_of_all(ObjectDB, PERSONA), {})

    def test_what_is_kept_already_is_not_written_again(self):
        repository.save(self.char2, LINES, [ALE])
        with CaptureQueriesContext(connection) as queries:
            repository.save(self.char2, LINES, [{**ALE}])
        asked = [one["sql"] for one in queries.captured_queries]
        self.assertEqual([one for one in asked if not one.startswith("SELECT")], [])
        repository.save(self.char2, LINES, [ALE, FLOOD])
        own_attributes.drop_cached(self.char2)
        self.assertEqual(repository.load(self.char2, LINES), [ALE, FLOOD])


class EditTests(StoredTestCase):
    def test_what_was_done_in_the_block_is_kept(self):
        for expected in (["a"], ["a", "a"]):
            with repository.edit(self.char1, LINES, default=list) as facts:
                facts.append({"text": "a"})
            self.assertEqual([one["text"] for one in repository.load(self.char1, LINES)], expected)
        with repository.edit(self.char1, SLIPS, "ann", default=lambda: {"name": "Ann"}) as known:
            known["trust"] = 0.5
        self.assertEqual(self.stored(SLIPS, "ann"), ['1\n{"name":"Ann","trust":0.5}\n'])

    def test_an_error_in_the_block_keeps_what_was(self):
        repository.save(self.char1, LINES, [ALE])
        for kind in (LINES, JOURNAL):
            with self.assertRaises(ZeroDivisionError):
                key = "1" if kind.keyed else ""
                with repository.edit(self.char1, kind, key, default=list) as facts:
                    facts.append(FLOOD)
                    raise ZeroDivisionError
        self.assertEqual(repository.load(self.char1, LINES), [ALE])
        self.assertEqual(repository.keys(self.char1, JOURNAL), [])

    def test_leaving_early_keeps_what_was_done(self):
        def leave():
            with repository.edit(self.char1, LINES, default=list) as facts:
                facts.append(ALE)
                return len(facts)

        self.assertEqual(leave(), 1)
        self.assertEqual(repository.load(self.char1, LINES), [ALE])


class TogetherTests(StoredTestCase):
    """What is written together is written, or nothing of it."""

    def setUp(self):
        super().setUp()
        repository.save(self.char1, PERSONA, {"background": "A cook."})
        repository.save(self.char1, BACKLOG, 1, "ann")

    def change(self):
        repository.save(self.char1, PERSONA, {"background": "A smith."})
        repository.save(self.char1, BACKLOG, 2, "bob")
        repository.save(self.char1, BACKLOG, 3, "ann")
        repository.remove(self.char1, BACKLOG, "ann")
        repository.save(self.char2, LINES, [ALE])

    def check_changed(self):
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, PERSONA), {"background": "A smith."})
            self.assertIsNone(repository.load(self.char1, BACKLOG, "ann"))
            self.assertEqual(repository.load_all(self.char1, BACKLOG), {"bob": 2})
            self.assertEqual(repository.load(self.char2, LINES), [ALE])
            self.anew()

    def check_unchanged(self):
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, PERSONA), {"background": "A cook."})
            self.assertEqual(repository.load(self.char1, BACKLOG, "ann"), 1)
            self.assertIsNone(repository.load(self.char1, BACKLOG, "bob"))
            self.assertEqual(repository.load_all(self.char1, BACKLOG), {"ann": 1})
            self.assertIsNone(repository.load(self.char2, LINES))
            self.anew()
        # What comes after is written where it belongs.
        self.change()
        self.check_changed()

    def test_all_of_it_is_written_and_read_already_inside(self):
        with repository.together(self.char1):
            self.change()
            self.assertEqual(repository.load(self.char1, BACKLOG, "bob"), 2)
            self.assertIsNone(repository.load(self.char1, BACKLOG, "ann"))
            self.assertEqual(repository.load(self.char2, LINES), [ALE])
        self.check_changed()

    def test_an_error_at_the_end_takes_all_of_it_back(self):
        with self.assertRaises(ZeroDivisionError), repository.together(self.char1, self.char2):
            self.change()
            raise ZeroDivisionError
        self.check_unchanged()

    def test_an_error_takes_back_what_was_written_meanwhile(self):
        with self.assertRaises(ZeroDivisionError), repository.together():
            self.change()
            # Asking the database writes what was collected so far.
            self.assertEqual(repository.keys(self.char1, BACKLOG), ["bob"])
            repository.save(self.char1, PERSONA, {"background": "A thief."})
            raise ZeroDivisionError
        self.check_unchanged()

    def test_an_error_inside_the_inner_one_takes_back_the_outer_one(self):
        with self.assertRaises(ZeroDivisionError), repository.together(self.char1):
            with repository.together(self.char1):
                self.change()
            with repository.together(self.char2):
                raise ZeroDivisionError
        self.check_unchanged()

    def test_what_the_database_refuses_in_the_middle_is_refused_whole(self):
        for statement in (
            "DELETE",
            "UPDATE",
            'INSERT INTO "typeclasses_attribute"',
            'INSERT INTO "objects_objectdb_db_attributes"',
        ):
            with self.subTest(statement=statement):
                refused = self.assertRaises(DatabaseError)
                with refuse(statement), refused, repository.together(self.char1):
                    self.change()
                self.assertEqual(self.stored(BACKLOG, "ann"), ["1\n1\n"])
                self.assertEqual(self.stored(LINES, obj=self.char2), [])
        self.check_unchanged()

    def test_many_values_at_once_are_all_or_nothing(self):
        values = {(PERSONA, ""): {"background": "A thief."}, (BACKLOG, ""): 3}
        with self.assertRaises(KeyError):
            repository.save_all(self.char1, values, removed=[(BACKLOG, "ann")])
        self.check_unchanged()

    def test_the_same_place_can_be_removed_and_saved_again(self):
        with repository.together(self.char1):
            for text in ("A smith.", "A thief."):
                repository.remove(self.char1, PERSONA)
                self.assertIsNone(repository.load(self.char1, PERSONA))
                repository.save(self.char1, PERSONA, {"background": text})
            repository.save(self.char1, BACKLOG, 2, "new")
            repository.remove(self.char1, BACKLOG, "new")
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, PERSONA), {"background": "A thief."})
            self.assertEqual(repository.load_all(self.char1, BACKLOG), {"ann": 1})
            self.anew()
        self.assertEqual(self.stored(PERSONA), ['1\n{"background":"A thief."}\n'])


class WithoutEvenniasCache(StoredTestCase):
    """The same for a game that has switched Evennia's cache off."""

    def setUp(self):
        super().setUp()
        for context in (
            override_settings(TYPECLASS_AGGRESSIVE_CACHE=False),
            mock.patch.object(evennias, "_TYPECLASS_AGGRESSIVE_CACHE", False),
        ):
            context.__enter__()
            self.addCleanup(context.__exit__, None, None, None)


class LoadWithoutCacheTests(WithoutEvenniasCache, LoadTests):
    pass


class RemoveWithoutCacheTests(WithoutEvenniasCache, RemoveTests):
    pass


class EditWithoutCacheTests(WithoutEvenniasCache, EditTests):
    pass


class SearchWithoutCacheTests(WithoutEvenniasCache, SearchTests):
    pass


class TogetherWithoutCacheTests(WithoutEvenniasCache, TogetherTests):
    pass
