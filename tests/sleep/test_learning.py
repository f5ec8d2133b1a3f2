"""Facts that a model finds at night in what was told: kept by mem0, with their sources, for the same ears."""

import json
import tempfile
from unittest import mock

from twisted.internet.defer import fail, succeed

from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm.base import Completion
from evennia_ai.memory import journal
from evennia_ai.semantic import base, journal_sync, memory_thread
from evennia_ai.sleep import consolidation
from evennia_ai.testing import minds
from tests.sleep.cases import SleepTestCase

SECRET = "I buried the emerald idol under the willow."
TEA = "I prefer tea over ale, Mara."


class Finder:
    """A model that finds what it was given to find, and keeps what it was asked."""

    name, is_model = "finder", True

    def __init__(self, *facts):
        self.facts, self.asked, self.fails = facts, [], False

    def complete(self, request):
        if self.fails:
            return fail(LLMUnavailable("away"))
        self.asked.append("\n".join(one["content"] for one in request.messages))
        return succeed(Completion(json.dumps({"facts": self.facts}), model=self.name))


class LearningTestCase(SleepTestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        options = {"path": f"{folder.name}/memory.db3"}
        backend = {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory", "OPTIONS": options}
        self.enterContext(self.settings_ai(SEMANTIC={"default": backend}))
        self.addCleanup(base.reset)
        self.finder = Finder("Ann prefers tea over ale.", "Ann owns a castle in Spain.")
        minds.base.install("default", self.finder)

    def told(self, content, *, who="ann", name="Ann", audience="public"):
        entry_id = self.note(
            content, source_entity=name, source_id=who, source_type="direct", audience=audience
        )
        journal.rescore(self.npc, {entry_id: 6})
        return entry_id

    def sleep(self):
        return self.outcome(consolidation.run_sleep_consolidation(self.script, self.npc))

    def kept(self):
        items = base.get_memory().get_all(assistant_key=self.script.assistant_key)
        return self.successResultOf(items)


class LearningTests(LearningTestCase):
    def test_a_fact_stands_beside_the_line_that_carries_it_with_its_source(self):
        entry_id = self.told(TEA)
        self.sleep()
        texts = {one.text: one for one in self.kept()}
        # Nobody told of a castle.
        self.assertEqual(set(texts), {TEA, "Ann prefers tea over ale."})
        fact = texts["Ann prefers tea over ale."]
        self.assertEqual((fact.source_id, fact.entry_id, fact.speaker), ("ann", entry_id, ""))
        self.assertEqual([one.by for one in fact.origins if one.by], ["ann"])

    def test_the_model_reads_our_instructions_and_not_those_of_mem0(self):
        self.told(TEA)
        self.sleep()
        [asked] = self.finder.asked
        self.assertIn("NEVER extract what the character is or did", asked)
        self.assertNotIn("Memory Extractor", asked)
        self.assertLess(len(asked), 3000)

    def test_no_byte_of_a_whisper_is_in_what_is_asked_about_another(self):
        self.told(SECRET, audience=["ann", self.script.assistant_key])
        self.sleep()
        self.told("Where is an idol, or a willow?", who="bob", name="Bob", audience=["bob"])
        self.told("The emerald mine is closed, they say.", who="bob", name="Bob")
        self.sleep()
        self.assertEqual(len(self.finder.asked), 3)
        self.assertIn("emerald idol", self.finder.asked[0])
        for asked in self.finder.asked[1:]:
            self.assertNotIn("buried", asked)
            self.assertNotIn("emerald idol", asked)

    def test_killed_before_the_mark_no_fact_stands_twice(self):
        self.told(TEA)
        for _ in range(5):
            with mock.patch.object(
                consolidation.making_room, "keep", return_value=succeed((0, ""))
            ):
                self.sleep()
            # Another time the model says it in other words.
            self.finder.facts = ("Ann said that she prefers tea over ale.",)
        self.sleep()
        self.assertEqual(
            sorted(one.text for one in self.kept()), ["Ann prefers tea over ale.", TEA]
        )
        self.assertEqual(len(self.finder.asked), 1)

    def test_without_an_answer_the_line_itself_is_kept(self):
        self.told(TEA)
        self.finder.fails = True
        self.assertEqual(self.sleep(), {"completed": True, "consolidated": 1, "waiting": 0})
        self.assertEqual([one.text for one in self.kept()], [TEA])

    def test_what_is_kept_of_a_line_is_no_copy_of_the_entry(self):
        self.told(TEA)
        self.sleep()
        [entry] = journal.entries(self.npc)
        copies = self.successResultOf(
            journal_sync.find_copies(
                base.get_memory(), [entry], assistant_key=self.script.assistant_key
            )
        )
        self.assertEqual([one.text for one in copies[entry.id]], [TEA])
