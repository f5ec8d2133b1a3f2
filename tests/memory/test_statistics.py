"""SQLite finds what is of one object at that object, however many others there are."""

import unittest

from django.db import connection

from evennia_ai.memory import journal
from evennia_ai.memory.storage import own_attributes, statistics
from evennia_ai.testing import AITestCase, minds


@unittest.skipUnless(connection.vendor == "sqlite", "other databases count by themselves")
class StatisticsTests(AITestCase):
    def test_a_question_begins_at_the_object_and_not_at_all_of_ours(self):
        npcs = [minds.make_assistant(f"Npc{number}") for number in range(5)]
        for npc in npcs:
            journal.add_entry(npc, "It rains.")
        asked = own_attributes.rows(npcs[0]).filter(db_category="journal", db_key="p00000")
        statistics.refresh()
        first = asked.explain().splitlines()[0]
        self.assertIn("objectdb_id=?", first)
        self.assertEqual(asked.count(), 1)
