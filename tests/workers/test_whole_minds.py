"""What became of a copy of a mind, as Postgres writes it: by one statement, whole or not at all."""

import importlib.util
import json
import unittest
from types import SimpleNamespace
from unittest import SkipTest, mock

from django.test import tag

from tests.semantic import postgres_server

MISSING = "needs the wheel pgserver and procrastinate"
BODY, MIND, OTHER = 1, 2, 3
# An object or a script, and an Attribute of it, which stays as it is without a word of a test.
OWNER = """INSERT INTO {table} (id, db_key, db_lock_storage, db_date_created{more}) VALUES (%s, 'Mara', '', now(){values})"""
MADE = """WITH made AS (INSERT INTO typeclasses_attribute
(db_key, db_category, db_attrtype, db_model, db_lock_storage, db_strvalue, db_date_created)
VALUES (%s, %s, 'evennia_ai', '', '', %s, now()) RETURNING id) INSERT INTO {links} ({owner}, attribute_id) SELECT %s, id FROM made"""
KEPT = """SELECT {owner}, db_category, db_key, db_strvalue, db_attrtype, db_model, db_lock_storage
FROM {links} JOIN typeclasses_attribute one ON one.id = attribute_id ORDER BY 1, 2, 3"""
OBJECTS = {"links": "objects_objectdb_db_attributes", "owner": "objectdb_id"}
SCRIPTS = {"links": "scripts_scriptdb_db_attributes", "owner": "scriptdb_id"}


def change(sort, category, key, text):
    return {"sort": sort, "category": category, "key": key, "text": text}


@tag("scenario")
class TakeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (postgres_server.is_there() and importlib.util.find_spec("procrastinate")):
            raise SkipTest(MISSING)
        from tests.workers.town import Town

        cls.town = Town()
        cls.addClassCleanup(cls.town.close)
        scripts = ", db_desc, db_interval, db_start_delay, db_repeats, db_persistent, db_is_active"
        for table, ids, more, values in (
            ("objects_objectdb", (BODY, OTHER), "", ""),
            ("scripts_scriptdb", (MIND,), scripts, ", '', 0, false, 0, true, false"),
        ):
            statement = OWNER.format(table=table, more=more, values=values)
            for id in ids:
                cls.town.query(statement, id)

    def setUp(self):
        self.town.query("TRUNCATE typeclasses_attribute CASCADE")
        for place, owner, category, key, text in (
            (OBJECTS, BODY, "journal", "0", "ferry"),
            (OBJECTS, BODY, "persona", "persona", "stern"),
            (OBJECTS, OTHER, "journal", "0", "mill"),
            (SCRIPTS, MIND, "memory_links", "a", "old"),
            (SCRIPTS, MIND, "sleep", "sleep", "deep"),
        ):
            self.town.query(MADE.format(**place), key, category, text, owner)
        from django.db.backends.postgresql.base import DatabaseWrapper
        from django.db.utils import ConnectionHandler

        values = {"ENGINE": "django.db.backends.postgresql", "USER": "postgres", "NAME": "postgres"}
        described = ConnectionHandler({"default": {**values, "HOST": self.town.values["host"]}})
        connection = DatabaseWrapper(described.settings["default"])
        self.addCleanup(connection.close)
        from evennia_ai.memory.storage import whole_minds

        self.whole_minds = whole_minds
        self.enterContext(mock.patch.object(whole_minds, "connection", connection))
        self.noted = {}
        noting = mock.patch.object(whole_minds.own_attributes, "note_written", self.note)
        self.enterContext(noting)
        self.seen = whole_minds.read(BODY, MIND)[2]

    def note(self, obj, place, text, *, pk):
        """Note what memory is told."""
        self.noted[obj.pk, *place] = (text, pk is not None)

    def take(self, *changes):
        from evennia.objects.models import ObjectDB
        from evennia.scripts.models import ScriptDB

        owners = (SimpleNamespace(pk=BODY, __dbclass__=ObjectDB), SimpleNamespace(pk=MIND))
        owners[1].__dbclass__ = ScriptDB
        return self.whole_minds.take(*owners, json.dumps(changes), seen=self.seen)

    def kept(self, place):
        return self.town.query(KEPT.format(**place))

    def test_all_is_read_and_the_fingerprint_is_that_of_the_database(self):
        of_body, of_mind, _ = self.whole_minds.read(BODY, MIND)
        self.assertEqual(of_body, {("journal", "0"): "ferry", ("persona", "persona"): "stern"})
        self.assertEqual(of_mind, {("memory_links", "a"): "old", ("sleep", "sleep"): "deep"})
        self.assertEqual(self.whole_minds.fingerprint(BODY, MIND), self.seen)

    def test_what_is_changed_new_and_gone_is_written_and_memory_told(self):
        taken = self.take(
            change("objectdb", "journal", "0", "bridge"),
            change("objectdb", "journal", "1", "100 % „new“"),
            change("scriptdb", "memory_links", "a", None),
            change("scriptdb", "memory_links", "b", "new"),
            change("scriptdb", "links_progress", "never there", None),
        )
        self.assertIs(taken, True)
        from evennia_ai.memory.storage.own_attributes import LOCKS

        made = ("evennia_ai", "objectdb", LOCKS)
        self.assertEqual(
            self.kept(OBJECTS),
            [
                (BODY, "journal", "0", "bridge", "evennia_ai", "", ""),
                (BODY, "journal", "1", "100 % „new“", *made),
                (BODY, "persona", "persona", "stern", "evennia_ai", "", ""),
                (OTHER, "journal", "0", "mill", "evennia_ai", "", ""),
            ],
        )
        self.assertEqual(
            [row[:6] for row in self.kept(SCRIPTS)],
            [
                (MIND, "memory_links", "b", "new", "evennia_ai", "scriptdb"),
                (MIND, "sleep", "sleep", "deep", "evennia_ai", ""),
            ],
        )
        # Nothing is left that is nobody's.
        self.assertEqual(self.town.query("SELECT count(*) FROM typeclasses_attribute"), [(6,)])
        self.assertEqual(
            self.noted,
            {
                (BODY, "journal", "0"): ("bridge", True),
                (BODY, "journal", "1"): ("100 % „new“", False),
                (MIND, "memory_links", "a"): (None, True),
                (MIND, "memory_links", "b"): ("new", False),
                (MIND, "links_progress", "never there"): (None, False),
            },
        )

    def test_nothing_of_it_is_written_once_one_row_was(self):
        """Also where the same was written: somebody may have looked at what it was made of."""
        before = "UPDATE typeclasses_attribute SET db_strvalue = db_strvalue WHERE db_key = 'sleep'"
        self.town.query(before)
        self.assertNotEqual(self.whole_minds.fingerprint(BODY, MIND), self.seen)
        kept = self.kept(OBJECTS)
        self.assertIs(self.take(change("objectdb", "journal", "0", "bridge")), False)
        self.assertIs(self.take(), False)
        self.assertEqual((self.kept(OBJECTS), self.noted), (kept, {}))

    def test_what_another_writes_of_its_own_is_no_matter_and_nothing_is_soon_taken(self):
        self.town.query(MADE.format(**OBJECTS), "1", "journal", "hill", OTHER)
        self.assertIs(self.take(), True)
