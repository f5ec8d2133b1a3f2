"""Tests of how insights grow old: a fifth of the journal is theirs, the rest is long-term memory's."""

from unittest import mock

from django.db import DatabaseError

from evennia_ai import scheduling
from evennia_ai.agent.revising import correcting, forgetting
from evennia_ai.memory import journal, journal_pages
from evennia_ai.semantic import base as semantic
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import evidence, pruning
from tests.memory_double import MemoryDouble
from tests.sleep.cases import SleepTestCase

TAGS = ["synthesis", "meta_learning", "reflection"]


class SlowDouble(MemoryDouble):
    """Keeps what it is given in a later slice."""

    def add_all(self, *args, **options):
        kept = super().add_all
        return scheduling.yield_to_reactor().addCallback(lambda _: kept(*args, **options))


class AgeingTests(SleepTestCase):
    """A journal of 24 has room for four insights."""

    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        self.memory = MemoryDouble()
        semantic.install("default", self.memory)
        journal.set_max_entries(self.npc, 24)

    def conclude(self, text, *evidence, **fields):
        """Note a conclusion, as a reflection does; return its id."""
        self.clock.advance(60)
        numbers = ", ".join(map(str, evidence))
        return self.note(
            f"[SYNTHESIS] Reflection on: What matters?\n\n- {text} (because of entries {numbers})",
            tags=TAGS,
            source_type="inference",
            source_trust=0.7,
            source_entity="self_reflection",
            importance=8,
            evidence=evidence,
            **fields,
        )

    def age(self):
        return self.outcome(pruning.let_insights_age(self.script, self.npc))

    def left(self):
        return [entry.id for entry in journal.entries(self.npc)]

    def found(self, query, **options):
        options = {"assistant_key": self.script.assistant_key, "hearers": [], **options}
        return self.successResultOf(self.memory.search(query, **options))

    def test_beyond_a_fifth_the_oldest_go_to_long_term_memory_with_what_they_rest_on(self):
        """J57 C-19."""
        told = self.note("The mill burned down.", source_entity="Ann", source_id="ann")
        insights = [self.conclude(f"Mill {number} is feared.", told) for number in range(6)]
        self.assertEqual(self.age(), {"aged": 2})
        self.assertEqual(self.left(), [told, *insights[2:]])
        self.assertEqual(self.age(), {"aged": 0})
        self.assertEqual(
            (journal_pages.load_head(self.npc).evicted, journal.lost(self.npc)), (2, 0)
        )
        [kept] = self.found("Mill 0 is feared.", limit=1)
        self.assertEqual(kept.text, "Mill 0 is feared.")
        self.assertEqual(kept.metadata["evidence"], [told])
        self.assertEqual(kept.metadata["speaker"], "")

    def test_what_grew_old_is_taken_back_as_soon_as_what_it_rests_on_is_put_right(self):
        told = self.note("The mill burned down.", source_entity="Ann", source_id="ann")
        other = self.note("The mill is old.", source_entity="Bo", source_id="bo")
        self.conclude("The mill of Ann is feared.", told)
        self.conclude("The mill of Bo is feared.", other)
        for number in range(10):
            self.conclude(f"Ann is feared in street {number}.", told)
        while self.age() != {"aged": 0}:
            pass
        right = {"old": "The mill burned down.", "new": "The inn burned down."}
        correcting.spread(self.npc, self.script, "ann", people=[], **right)
        scheduling.drain()
        kept = [one.text for one in self.found("feared mill street")]
        self.assertEqual(kept, ["The mill of Bo is feared."])

    def test_what_something_cites_goes_last_and_what_is_pinned_stays(self):
        insights = [self.conclude(f"Mill {number} is feared.") for number in range(7)]
        journal.edit_entry(self.npc, insights[0], pinned=True)
        cites = self.note("So the mills are shunned.", evidence=[insights[1]])
        self.age()
        self.assertEqual(self.left(), [*insights[:2], *insights[4:], cites])

    def test_a_summary_goes_as_well_under_the_name_of_whom_it_is_about(self):
        for number in range(5):
            self.clock.advance(60)
            self.note(
                f"[SYNTHESIS] Ann spoke of mill {number}.",
                tags=["synthesis", "context_compaction"],
                source_entity="Ann",
                source_id="ann",
                source_type="inference",
                audience=["ann"],
            )
        self.assertEqual(self.age(), {"aged": 1})
        self.assertEqual(self.found("mill 0", hearers=["bo"]), [])
        [kept] = self.found("mill 0", hearers=["ann"])
        self.assertEqual(kept.text, "Ann spoke of mill 0.")
        self.assertEqual(kept.metadata["source_id"], "ann")

    def test_what_cannot_be_kept_stays_and_what_was_kept_before_a_kill_is_kept_once(self):
        insights = [self.conclude(f"Mill {number} is feared.", number) for number in range(5)]
        self.memory.fail_with = MemoryUnavailable("it is closed")
        self.assertEqual(self.age(), {"aged": 0, "error": "it is closed"})
        self.assertEqual(self.left(), insights)
        self.memory.fail_with = None
        with mock.patch.object(journal, "let_go", side_effect=DatabaseError):
            self.failureResultOf(pruning.let_insights_age(self.script, self.npc), DatabaseError)
        self.assertEqual(self.age(), {"aged": 1})
        self.assertEqual(len(self.memory.facts), 1)

    def test_nothing_is_left_of_one_who_is_deleted_while_an_insight_is_being_kept(self):
        semantic.install("default", memory := SlowDouble())
        for number in range(7):
            self.conclude(f"Mill {number} is feared.", number)
        ageing = pruning.let_insights_age(self.script, self.npc)
        self.npc.delete()
        self.assertEqual(self.outcome(ageing), {"aged": 0})
        self.assertEqual(memory.facts, {})

    def test_without_long_term_memory_it_is_lost_and_status_says_so(self):
        insights = [self.conclude(f"Mill {number} is feared.") for number in range(5)]
        with self.settings_ai(SEMANTIC={"default": None}):
            semantic.close()
            self.assertEqual(self.age(), {"aged": 1})
        self.assertEqual(self.left(), insights[1:])
        self.assertEqual(journal.lost(self.npc), 1)

    def test_what_was_concluded_is_no_evidence_again(self):
        self.conclude("The mill is feared.", 1)
        for number in range(4):
            self.conclude(f"Rain {number}.", 1)
        self.age()
        found = evidence.retrieve_evidence_for_question(self.script, "Who fears the mill?")
        self.assertNotIn(
            "The mill is feared.", [one["content"] for one in self.successResultOf(found)]
        )

    def test_with_whom_it_rests_on_it_is_forgotten(self):
        told = self.note("The mill burned down.", source_entity="Ann", source_id="ann")
        for number in range(5):
            self.conclude(f"Fire {number} is feared.", told)
        self.age()
        self.assertEqual(len(self.memory.facts), 1)
        target = forgetting.Target(frozenset(["ann"]))
        self.outcome(forgetting.forget(self.npc, self.script, target))
        self.assertEqual((self.left(), self.memory.facts), ([], {}))
