"""Keeping the day: entries are copied to long-term memory once, and marked."""

import tempfile

from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.core import records
from evennia_ai.memory import journal, working_memory
from evennia_ai.memory.state import sleep_state
from evennia_ai.semantic import base, journal_sync, memory_thread
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import consolidation
from tests.domain import lines
from tests.sleep.cases import SleepTestCase


class ConsolidationTestCase(SleepTestCase):
    def setUp(self):
        super().setUp()
        self.memory = get_memory()

    def noted(self, content, **fields):
        """Write an entry that a mind has rated."""
        entry_id = self.note(content, **fields)
        journal.rescore(self.npc, {entry_id: 6})
        return entry_id

    def start(self, *amount):
        return consolidation.run_sleep_consolidation(self.script, self.npc, *amount)

    def run_tick(self, *amount):
        return self.outcome(self.start(*amount))

    def kept(self):
        """Return the texts of long-term memory, oldest first."""
        items = self.memory.get_all(assistant_key=self.script.assistant_key)
        return [item.text for item in self.successResultOf(items)[::-1]]

    def consolidated(self):
        return journal.journal(self.npc)["consolidated_entry_ids"]


class CopyTests(ConsolidationTestCase):
    def test_five_entries_are_copied_in_one_tick_and_marked(self):
        """M24 M35 M36 M38 J71 C-15: copied, then marked; the text stays."""
        for number in range(1, 8):
            self.noted(f"Event {number}.")
        first = self.run_tick()
        self.assertEqual(first, {"completed": False, "consolidated": 5, "waiting": 2})
        self.assertEqual(self.consolidated(), [1, 2, 3, 4, 5])
        second = self.run_tick()
        self.assertEqual(second, {"completed": True, "consolidated": 2, "waiting": 0})
        self.assertEqual(self.kept(), [f"Event {number}." for number in range(1, 8)])
        self.assertEqual(journal.size(self.npc), 7)
        third = self.run_tick()
        self.assertEqual(third, {"completed": True, "consolidated": 0, "waiting": 0})

    def test_the_memory_says_where_it_is_from_and_who_may_know_it(self):
        """M37 M39 C-44."""
        self.noted("The key is hidden.", source_entity="Ann", audience=["ann-id", "mara-id"])
        self.run_tick()
        found = self.memory.get_all(assistant_key=self.script.assistant_key)
        [item] = self.successResultOf(found)
        self.assertEqual(item.audience, ["ann-id", "mara-id"])
        known = item.metadata
        self.assertEqual((known["source"], known["entry_id"]), ("journal", 1))
        self.assertEqual((known["importance"], known["importance_method"]), (6, "llm"))
        self.assertEqual((known["source_entity"], known["source_trust"]), ("Ann", 0.8))

    def test_an_answer_is_kept_with_its_question(self):
        for event_id, mine, text in (
            ("", True, "Have you been to Samarkand, Ann?"),
            ("told", False, "Twice, with my uncle."),
        ):
            said = {"event_id": event_id, "timestamp": records.format_time(scheduling.now())}
            working_memory.add_line(self.npc, "ann-id", lines.line(text, mine=mine, **said))
        self.noted("Twice, with my uncle.", source_id="ann-id", event_id="told")
        self.noted("The bridge is down.", source_id="ann-id", event_id="else")
        self.run_tick()
        found = self.memory.get_all(assistant_key=self.script.assistant_key)
        self.assertEqual(
            {one.text: one.metadata.get("previous") for one in self.successResultOf(found)},
            {
                "Twice, with my uncle.": "Have you been to Samarkand, Ann?",
                "The bridge is down.": None,
            },
        )

    def test_an_answer_is_kept_with_the_question_of_another_who_told_something_in_the_same_talk(
        self,
    ):
        for who, event_id, text in (
            ("bob-id", "news", "The ferry is late."),
            ("bob-id", "asked", "Have you been to Samarkand?"),
            ("ann-id", "told", "Twice, with my uncle."),
        ):
            said = {"event_id": event_id, "timestamp": records.format_time(scheduling.now())}
            line = lines.line(text, mine=False, said_by=who, **said)
            working_memory.add_line(self.npc, who, line)
            self.clock.advance(1)
        self.noted("The ferry is late.", source_id="bob-id", event_id="news")
        self.noted("Twice, with my uncle.", source_id="ann-id", event_id="told")
        self.run_tick()
        found = self.memory.get_all(assistant_key=self.script.assistant_key)
        self.assertEqual(
            {one.text: one.metadata.get("previous") for one in self.successResultOf(found)},
            {
                "The ferry is late.": None,
                "Twice, with my uncle.": "Have you been to Samarkand?",
            },
        )

    def test_what_was_made_of_other_entries_is_not_copied(self):
        """M36: nor beside what is."""
        self.note("[SYNTHESIS] People talk about the bridge.", importance=8, tags=["synthesis"])
        result = self.run_tick()
        self.assertEqual(result, {"completed": True, "consolidated": 0, "waiting": 0})
        self.noted("Ann came.")
        self.assertEqual(self.run_tick()["consolidated"], 1)
        self.assertEqual(self.kept(), ["Ann came."])

    def test_only_what_was_rated_is_copied(self):
        """C-16: what waits to be rated is waited for."""
        self.note("Unrated.")
        self.noted("Rated by a model.")
        self.note("Rated by hand.", importance=3)
        result = self.run_tick()
        self.assertEqual(result, {"completed": False, "consolidated": 2, "waiting": 1})
        self.assertEqual(self.kept(), ["Rated by a model.", "Rated by hand."])

    def test_where_no_mind_answers_the_scores_of_the_rules_have_to_do(self):
        """C-16."""
        self.note("Unrated.")
        for _ in range(3):
            self.assertEqual(self.run_tick()["consolidated"], 0)
            sleep_state.note_answer(self.script, answered=False)
        # It still waits to be rated.
        result = self.run_tick()
        self.assertEqual(result, {"completed": False, "consolidated": 1, "waiting": 1})
        self.assertEqual(self.kept(), ["Unrated."])

    def test_the_copies_of_a_tick_are_marked_by_one_write(self):
        for content in ("The bridge fell.", "Ann came.", "Bob left."):
            self.noted(content)
        before = journal.version(self.npc)
        self.assertEqual(self.run_tick()["consolidated"], 3)
        self.assertEqual(journal.version(self.npc), before + 1)


class OnceTests(ConsolidationTestCase):
    """Killed at any point, the next tick loses no entry and copies none twice."""

    def test_a_crash_between_copying_and_marking_makes_no_second_copy(self):
        self.noted("The bridge fell.")
        mark = journal.mark_consolidated
        self.patch(journal, "mark_consolidated", lambda *args: 1 / 0)
        started = self.start()
        self.clock.advance(0)
        self.failureResultOf(started, ZeroDivisionError)
        self.assertEqual((self.kept(), self.consolidated()), (["The bridge fell."], []))
        self.patch(journal, "mark_consolidated", mark)
        self.assertEqual(self.run_tick()["consolidated"], 1)
        self.assertEqual((self.kept(), self.consolidated()), (["The bridge fell."], [1]))

    def test_nor_does_one_before_an_entry_was_changed_by_hand(self):
        self.noted("The bridge fell.")
        self.run_tick()
        journal.edit_entry(self.npc, 1, consolidated=False, content="The bridge was burnt.")
        self.run_tick()
        self.assertEqual(self.kept(), ["The bridge was burnt."])

    def test_what_was_copied_awake_is_found_and_rated_anew(self):
        """A copy that a killed night left carries the scores of the rules."""
        entry = journal.add_entry(self.npc, "The bridge fell.")
        key = self.script.assistant_key
        self.successResultOf(journal_sync.add_entry(self.memory, entry, assistant_key=key))
        journal.rescore(self.npc, {1: 9})
        self.assertEqual(self.run_tick()["consolidated"], 1)
        [item] = self.successResultOf(self.memory.get_all(assistant_key=key))
        self.assertEqual(item.metadata["importance"], 9)

    def test_the_same_words_of_the_same_person_are_one_memory(self):
        self.noted("The bridge fell.", source_entity="Ann")
        self.noted("The bridge fell.", source_entity="Ann")
        self.assertEqual(self.run_tick()["consolidated"], 2)
        self.assertEqual((self.kept(), self.consolidated()), (["The bridge fell."], [1, 2]))


class WhileItIsCopiedTests(ConsolidationTestCase):
    def setUp(self):
        super().setUp()
        self.noted("The bridge fell.")
        self.noted("It rains.")
        self.adding = []
        add = self.memory.add

        def later(*args, **kwargs):
            waiting = Deferred()
            self.adding.append(lambda: add(*args, **kwargs).chainDeferred(waiting))
            return waiting

        self.patch(self.memory, "add", later)

    def finish(self, running):
        while self.adding:
            self.adding.pop(0)()
            for _ in range(5):
                self.clock.advance(0)
        return self.outcome(running)

    def test_what_is_written_meanwhile_is_kept(self):
        running = self.start()
        self.note("Bob left.", importance=2)
        journal.edit_entry(self.npc, 1, pinned=True)
        result = self.finish(running)
        self.assertEqual(result, {"completed": False, "consolidated": 2, "waiting": 1})
        entries = journal.entries(self.npc)
        self.assertEqual([entry.consolidated for entry in entries], [True, True, False])
        self.assertTrue(entries[0].pinned)

    def test_an_entry_that_is_changed_meanwhile_is_not_marked(self):
        running = self.start()
        journal.edit_entry(self.npc, 1, content="The bridge was burnt.")
        self.assertEqual(self.finish(running)["consolidated"], 1)
        self.assertEqual(self.finish(self.start())["consolidated"], 1)
        self.assertEqual(sorted(self.kept()), ["It rains.", "The bridge was burnt."])

    def test_an_entry_that_is_gone_meanwhile_stays_gone(self):
        running = self.start()
        journal.remove_entries(self.npc, [1, 2])
        result = self.finish(running)
        self.assertEqual(result, {"completed": True, "consolidated": 0, "waiting": 0})
        self.assertEqual(journal.size(self.npc), 0)

    def test_an_npc_that_is_deleted_meanwhile_is_no_error(self):
        running = self.start()
        self.npc.delete()
        self.assertEqual(self.finish(running)["consolidated"], 0)


class WithoutMemoryTests(ConsolidationTestCase):
    def test_with_memory_switched_off_there_is_nothing_to_copy_to(self):
        self.noted("The bridge fell.")
        with self.settings_ai(SEMANTIC={"default": None}):
            self.assertEqual(self.run_tick(), {"completed": True, "consolidated": 0, "waiting": 0})
            self.note("Unrated.")
            self.assertFalse(self.run_tick()["completed"])
        self.assertEqual(self.consolidated(), [])

    def test_a_memory_that_cannot_be_reached_is_said_and_tried_again(self):
        self.noted("The bridge fell.")
        self.memory.fail_with = MemoryUnavailable("the file is locked.")
        self.assertEqual(
            self.run_tick(),
            {"completed": False, "consolidated": 0, "waiting": 1, "error": "the file is locked."},
        )
        self.memory.fail_with = None
        self.assertTrue(self.run_tick()["completed"])

    def test_a_memory_that_fails_half_way_keeps_what_was_done(self):
        for number in range(1, 4):
            self.noted(f"Event {number}.")
        add, added = self.memory.add, []

        def adding(text, **kwargs):
            added.append(text)
            if len(added) == 2:
                self.memory.fail_with = MemoryUnavailable("the disk is full.")
            return add(text, **kwargs)

        self.patch(self.memory, "add", adding)
        result = self.run_tick()
        self.assertEqual((result["consolidated"], result["waiting"]), (1, 2))
        self.assertEqual(self.consolidated(), [1])
        self.memory.fail_with = None
        self.assertTrue(self.run_tick()["completed"])
        self.assertEqual(self.kept(), ["Event 1.", "Event 2.", "Event 3."])


class RealStoreTests(ConsolidationTestCase):
    def test_copies_are_found_by_their_entry_in_the_real_store_too(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        options = {"path": f"{folder.name}/memory.db3"}
        backend = {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory", "OPTIONS": options}
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        with self.settings_ai(SEMANTIC={"default": backend}):
            self.memory = base.get_memory()
            for number in range(12):
                known = ["ann-id"] if number % 2 else "public"
                self.noted(f"Event {number}.", audience=known)
            for number in range(3):
                self.run_tick(10)
                for entry in journal.entries(self.npc):
                    # As after a crash: nothing was marked.
                    journal.edit_entry(self.npc, entry.id, consolidated=number == 2)
                    journal.rescore(self.npc, {entry.id: 7})
            self.assertEqual(len(self.kept()), 10)
            base.reset()
