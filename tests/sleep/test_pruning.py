"""Forgetting in sleep: little things of long ago leave the journal, and nothing else does."""

from datetime import timedelta

from evennia_ai import scheduling
from evennia_ai.memory import journal
from evennia_ai.sleep import pruning
from tests.sleep.cases import SleepTestCase


class PruningTests(SleepTestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)

    def old(self, content="The cook swept the floor.", *, days=31, consolidated=True, **fields):
        now = scheduling.now() - timedelta(days=days)
        entry_id = self.note(content, **{"importance": 3, "now": now, **fields})
        journal.edit_entry(self.npc, entry_id, consolidated=consolidated)
        return entry_id

    def left(self):
        return [entry.id for entry in journal.entries(self.npc)]

    def test_what_hardly_mattered_and_is_old_goes_ten_at_once(self):
        """J73 M30: importance up to 3, older than 30 days, up to 10 a call."""
        for _ in range(12):
            self.old()
        self.old(importance=4)
        self.old(days=29)
        removed = pruning.prune_low_importance_entries(self.npc)
        self.assertEqual(removed, {"removed": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]})
        self.assertEqual(self.left(), [11, 12, 13, 14])
        self.assertEqual(pruning.prune_low_importance_entries(self.npc), {"removed": [11, 12]})
        self.assertEqual(pruning.prune_low_importance_entries(self.npc), {"removed": []})

    def test_what_is_pinned_or_made_of_others_stays(self):
        """J74 C-20."""
        journal.edit_entry(self.npc, self.old(), pinned=True)
        self.old(tags=["synthesis"])
        self.assertEqual(pruning.prune_low_importance_entries(self.npc), {"removed": []})

    def test_what_long_term_memory_does_not_have_yet_stays_unless_there_is_none(self):
        """J74 C-20."""
        self.old(consolidated=False)
        self.assertEqual(pruning.prune_low_importance_entries(self.npc), {"removed": []})
        with self.settings_ai(SEMANTIC={"default": None}):
            self.assertEqual(pruning.prune_low_importance_entries(self.npc), {"removed": [1]})
