"""Sixty days in which one player talks without an end: what another whispered is still known to them."""

import shutil
import tempfile
from datetime import timedelta

from django.test import tag

from evennia_ai import scheduling
from evennia_ai.memory import identity, journal
from evennia_ai.semantic import base, memory_thread
from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
from evennia_ai.sleep import consolidation, pruning
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase

DAYS, LINES = 60, 30
SECRET = "I buried the harp of my mother below the third willow."


@tag("scenario")
class LongFloodTests(MindTestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.mkdtemp(prefix="evennia-ai-flood-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        self.addCleanup(base.reset)
        backend = "evennia_ai.semantic.mem0.Mem0Memory"
        embedder = f"{SentenceEmbedder.__module__}.{SentenceEmbedder.__name__}"
        options = {"path": f"{folder}/memory.db3", "embedder": embedder}
        self.configure(SEMANTIC={"default": {"BACKEND": backend, "OPTIONS": options}})
        self.mind = minds.script_llm(
            lambda asked: '{"facts": []}' if asked.job == "extract" else "Hm.", repeat=True
        )

    def flood(self, day):
        """Let Char2 tell of a day what matters much, and let Mara keep it in the night."""
        for number in range(LINES):
            journal.add_entry(
                self.mara,
                f"The harp of duke {number} of day {day} was stolen by a dragon.",
                source_type="direct",
                source_entity="Char2",
                source_id=self.second,
                importance=9,
                now=scheduling.now() + timedelta(days=day, minutes=number),
            )
        for _ in range(4):
            self.outcome(consolidation.run_sleep_consolidation(self.script_of_mara, self.mara, 10))
        self.outcome(pruning.let_insights_age(self.script_of_mara, self.mara))

    def asked(self, who):
        """Return what stands in the prompt when somebody whispers a question."""
        self.mind.requests.clear()
        self.do(who, "whisper Mara = Where did I bury the harp of my mother?")
        return f"{self.mind.requests[0].messages}"

    def test_a_whisper_outlives_them(self):
        self.do(self.char1, f"whisper Mara = {SECRET}")
        [whispered] = journal.entries(self.mara)
        journal.rescore(self.mara, {whispered.id: 4})
        for day in range(DAYS):
            self.flood(day)
        self.assertEqual(journal.lost(self.mara), 0)
        self.assertLessEqual(journal.size(self.mara), 120)
        self.assertIn("third willow", self.asked(self.char1))
        self.assertNotIn("third willow", self.asked(self.char2))
        self.assertEqual(identity.identity_of(self.char2), self.second)

    def test_what_was_told_today_is_found_by_meaning_today(self):
        """J56: before any sleep, and without a copy: the journal is ranked beside the store."""
        self.do(self.char1, "say Mara, wolves took three sheep from the pasture of my uncle.")
        self.flood(0)
        self.assertFalse(journal.get_entry(self.mara, 1).consolidated)
        self.mind.requests.clear()
        self.do(self.char1, "say Mara, which beasts killed the animals of the shepherd?")
        self.assertIn("three sheep", f"{self.mind.requests[0].messages}")
