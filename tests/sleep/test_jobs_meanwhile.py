"""What happens while a mind thinks: its answer finds another world than the one that it was asked in."""

import json

from evennia.typeclasses.attributes import Attribute
from evennia.utils.idmapper.models import flush_cache
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.core.records import Link, format_time
from evennia_ai.llm.base import Completion
from evennia_ai.memory import identity, journal, links, lookup, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import active_assistants, npc_settings
from evennia_ai.memory.state import reflection_state as states
from evennia_ai.memory.state import sleep_state
from evennia_ai.semantic import base as semantic
from evennia_ai.sleep import (
    compaction,
    dreaming,
    people_noticed,
    reflection,
    scoring,
    sleep_cycle,
    waking,
)
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.domain import lines
from tests.memory_double import MemoryDouble
from tests.sleep.cases import SleepTestCase
from tests.sleep.test_steps import RAN, RETURNS, StepsTestCase

QUESTIONS = json.dumps({"questions": ["What happens at the mill?"]})
# Job: how it is started, the answers before the one that is waited for, and that one.
JOBS = {
    "score": (
        scoring.score_pending_entries,
        [],
        json.dumps({"worth": 9}),
        json.dumps({"worth": 9}),
    ),
    "consolidate": (
        lambda script, npc: people_noticed.consolidate_entity_observations(
            script, npc, "uuid-anna"
        ),
        [],
        json.dumps({"attributes": [{"type": "preference", "value": "Likes tea", "evidence": [1]}]}),
    ),
    "questions": (
        reflection.run_reflection,
        [],
        QUESTIONS,
        json.dumps({"insights": [{"insight": "Bread depends on one mill.", "evidence": [1, 2]}]}),
    ),
    "insights": (
        reflection.run_reflection,
        [QUESTIONS],
        json.dumps({"insights": [{"insight": "Bread depends on one mill.", "evidence": [1, 2]}]}),
    ),
    "summarise": (
        lambda script, npc: compaction.compact_conversation_history(script, npc, True),
        [],
        json.dumps({"summary": "Anna said that the miller1 sold a sack1."}),
    ),
    "extract": (
        compaction.run_pre_compaction_extraction,
        [],
        json.dumps({"facts": ["Anna said that the miller1 sold a sack1."]}),
    ),
}
# Which count of its result tells that the answer was of use.
DID = {
    "score": "scored",
    "consolidate": "attributes",
    "questions": "entries_reflected",
    "insights": "entries_reflected",
    "summarise": "summaries",
    "extract": "facts",
}


class JobTestCase(SleepTestCase):
    """Each job with a mind of its own, that has something to do for it."""

    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        changed = self.settings_ai(CONTEXT_TOKENS=100)
        changed.enable()
        self.addCleanup(changed.disable)
        semantic.install("default", MemoryDouble())

    def make(self, job):
        """Return a sleeper with two entries, an observation and eight lines with Anna."""
        npc = minds.make_assistant(f"Mara of {job}", location=self.room1)
        script = scripts.find(npc)
        npc_settings.choose_for_mind(script, compact_preserve_window=2)
        for text in ("The mill burned down.", "Flour is dear since the mill is gone."):
            entry = journal.add_entry(npc, text, source_entity="Anna")
            states.note_entry(script, entry)
        entity_profiles.add_entity_observation(npc, "uuid-anna", "Likes tea.", audience="public")
        for number in range(8):
            # What the journal has may be summed up; else there is something to extract.
            event_id = f"event {number}"
            line = lines.line(
                said_by=identity.identity_of(npc) if job == "summarise" else "uuid-anna",
                name="Anna",
                text=f"The miller{number} sold a sack{number}.",
                kind="say",
                mine=job == "summarise",
                audience="public",
                timestamp=format_time(scheduling.now()),
                event_id=event_id,
            )
            working_memory.add_line(npc, "uuid-anna", line)
        sleep_cycle.transition_mode(script, "sleep", "a test")
        return npc, script

    def during(self, job, happen):
        """Do a job and let something happen while the mind thinks; return (npc id, script id, did)."""
        npc, script = self.make(job)
        start, before, answer, *after = JOBS[job]
        thinking = Deferred()
        mind = minds.script_llm(*before, thinking, *after)
        running = start(script, npc)
        minds.pass_time(self.clock, 0.5)
        ids = npc.id, script.id
        self.assertNoResult(running)
        self.assertEqual(len(mind.requests), 1 + len(before))
        happen(npc, script)
        answered = Completion(answer) if isinstance(answer, str) else answer
        thinking.callback(answered)
        minds.pass_time(self.clock, 0.5)
        return *ids, self.outcome(running)

    def for_each_job(self, happen, check):
        for job in JOBS:
            with self.subTest(job):
                check(job, *self.during(job, happen))


class GoneTests(JobTestCase):
    def check_that_nothing_was_done(self, job, npc_id, script_id, did):
        self.assertFalse(did[DID[job]], did)

    def test_of_a_body_that_is_gone_nothing_is_left(self):
        """Nothing is written for it: an Attribute of nobody would stay in the database for good."""
        before = set(Attribute.objects.values_list("id", flat=True))

        def check(job, npc_id, script_id, did):
            self.check_that_nothing_was_done(job, npc_id, script_id, did)
            self.assertIsNone(lookup.object_by_id(npc_id))
            added = Attribute.objects.exclude(id__in=before)
            self.assertEqual(added.filter(objectdb__id=npc_id).count(), 0)

        self.for_each_job(lambda npc, script: npc.delete(), check)

    def test_a_body_whose_mind_is_taken_away_keeps_what_it_knew(self):
        def check(job, npc_id, script_id, did):
            npc = lookup.object_by_id(npc_id)
            self.assertIsNone(lookup.script_by_id(script_id))
            self.assertEqual([entry.id for entry in journal.entries(npc)], [1, 2])
            if job != "consolidate":
                # What is known of people stands with the body alone.
                self.check_that_nothing_was_done(job, npc_id, script_id, did)
            kept = working_memory.get_conversation_context(npc, "uuid-anna")
            self.assertEqual(len(kept.messages), 8)

        self.for_each_job(lambda npc, script: scripts.detach(npc), check)

    def test_what_was_forgotten_meanwhile_stays_forgotten(self):
        def forget(npc, script):
            journal.remove_entries(npc, [1, 2])
            entity_profiles.forget_entity(npc, "uuid-anna")
            working_memory.remove_conversation(npc, "uuid-anna")

        def check(job, npc_id, script_id, did):
            npc = lookup.object_by_id(npc_id)
            self.assertFalse({1, 2} & {entry.id for entry in journal.entries(npc)})
            self.assertIsNone(entity_profiles.find_profile(npc, "uuid-anna"))
            self.assertIsNone(working_memory.get_conversation_context(npc, "uuid-anna"))
            if job not in ("questions", "insights"):
                self.check_that_nothing_was_done(job, npc_id, script_id, did)

        self.for_each_job(forget, check)


class StillThereTests(JobTestCase):
    def check_that_it_was_done(self, job, npc_id, script_id, did):
        self.assertTrue(did[DID[job]], did)

    def test_an_answer_counts_also_for_one_that_was_woken_switched_off_or_halted(self):
        """It was paid for, and what it says is true."""
        self.for_each_job(
            lambda npc, script: waking.perform_wake_transition(script, "a test"),
            self.check_that_it_was_done,
        )
        self.addCleanup(active_assistants.halt, halted=False)

        def stop(npc, script):
            script.disable()
            active_assistants.halt()

        for job in JOBS:
            with self.subTest(stopped=job):
                self.check_that_it_was_done(job, *self.during(job, stop))
            active_assistants.halt(halted=False)

    def test_objects_that_were_read_before_are_not_written(self):
        """The cache of Evennia was flushed: there are other instances of the same rows now."""

        def flush(npc, script):
            flush_cache()
            fresh = lookup.object_by_id(npc.id)
            journal.add_entry(fresh, "Somebody sang.", importance=2)
            entity_profiles.add_entity_observation(
                fresh, "uuid-anna", "Likes ale.", audience="public"
            )

        def check(job, npc_id, script_id, did):
            self.check_that_it_was_done(job, npc_id, script_id, did)
            flush_cache()
            npc = lookup.object_by_id(npc_id)
            self.assertIn("Somebody sang.", [one.content for one in journal.entries(npc)])
            known = entity_profiles.find_profile(npc, "uuid-anna")
            self.assertEqual(len(known.observations), 2)

        self.for_each_job(flush, check)

    def test_an_insight_is_for_those_who_may_know_what_it_is_from_by_then(self):
        """Its heading are the questions, which may give away what they were asked of."""
        anna = identity.identity_of(self.char1)

        def hide(npc, script):
            journal.edit_entry(npc, 1, audience=[anna])

        for job in ("questions", "insights"):
            with self.subTest(job):
                npc_id, _, did = self.during(job, hide)
                [entry_id] = did["stored_entries"]
                entry = journal.get_entry(lookup.object_by_id(npc_id), entry_id)
                self.assertEqual(entry.audience, [anna])

    def test_what_is_rated_or_pinned_by_hand_meanwhile_is_as_the_hand_wrote_it(self):
        def rate(npc, script):
            journal.edit_entry(npc, 1, importance=3, pinned=True)

        for job in JOBS:
            with self.subTest(job):
                npc_id, _, _ = self.during(job, rate)
                entry = journal.get_entry(lookup.object_by_id(npc_id), 1)
                self.assertEqual((entry.importance, entry.pinned), (3, True))
                self.assertEqual(entry.importance_method, "manual")


class SlowMemory(MemoryDouble):
    """A memory whose next answers wait until they are let go."""

    scale = {"relevant": 0.3, "alike": 0.3}

    def __init__(self):
        super().__init__()
        self.waiting = []
        self.is_slow = False

    def _done(self, function, /, *args, **kwargs):
        done = super()._done(function, *args, **kwargs)
        if not self.is_slow:
            return done
        gate = Deferred()
        self.waiting.append(gate)
        return gate.addCallback(lambda _: done)

    def let_go(self, clock):
        """Give all answers, also those to what is asked for because of them."""
        for _ in range(60):
            while self.waiting:
                self.waiting.pop(0).callback(None)
            clock.advance(0.1)


class DreamTests(SleepTestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        self.memory = SlowMemory()
        semantic.install("default", self.memory)
        self.key = identity.identity_of(self.npc)
        self.ids = [
            self.successResultOf(
                self.memory.add(text, assistant_key=self.key, audience="public", metadata={})
            )
            for text in ("The river floods the mill.", "The river flooded.", "Bo sings.")
        ]
        self.memory.is_slow = True

    def linked(self):
        return {
            one: [link.id for link in kept.linked_to]
            for one, kept in links.memory_links(self.script).items()
        }

    def test_a_mind_that_is_gone_meanwhile_is_no_error(self):
        script_id = self.script.id
        dreaming_now = dreaming.run_dreaming_tick(self.script, self.npc)
        self.assertNoResult(dreaming_now)
        self.npc.delete()
        self.memory.let_go(self.clock)
        done = self.successResultOf(dreaming_now)
        self.assertEqual((done["processed"], done["links"]), (0, 0))
        self.assertIsNone(lookup.script_by_id(script_id))

    def test_a_memory_that_is_gone_meanwhile_is_cut_off_by_the_next_round(self):
        dreaming_now = dreaming.run_dreaming_tick(self.script, self.npc)
        self.memory.let_go(self.clock)
        self.assertEqual(self.successResultOf(dreaming_now)["processed"], 3)
        self.assertEqual(self.linked()[self.ids[0]], [self.ids[1]])
        del self.memory.facts[self.ids[1]]
        cutting = dreaming.prune_orphaned_memory_links(self.script)
        self.memory.let_go(self.clock)
        self.assertEqual(self.successResultOf(cutting), {"removed": 2})
        self.assertEqual(self.linked(), {self.ids[0]: [], self.ids[2]: []})

    def test_links_that_are_made_while_it_looks_for_what_is_gone_are_kept(self):
        links.save_links(self.script, {self.ids[0]: [], "gone": [Link(id="gone", score=0.9)]})
        cutting = dreaming.prune_orphaned_memory_links(self.script)
        self.assertNoResult(cutting)
        strong = Link(id=self.ids[2], score=0.9)
        links.save_links(self.script, {self.ids[0]: [strong], self.ids[1]: [strong]})
        self.memory.let_go(self.clock)
        self.successResultOf(cutting)
        self.assertEqual(self.linked(), {self.ids[0]: [self.ids[2]], self.ids[1]: [self.ids[2]]})

    def test_a_mind_that_is_gone_while_it_looks_for_what_is_gone_is_no_error(self):
        links.save_links(self.script, {"gone": [Link(id="gone", score=0.9)]})
        cutting = dreaming.prune_orphaned_memory_links(self.script)
        self.npc.delete()
        self.memory.let_go(self.clock)
        self.assertEqual(self.successResultOf(cutting), {"removed": 0})


class TickTests(StepsTestCase):
    """The first step is under way; what becomes of the others?"""

    def during_the_first(self, happen):
        sleep_state.set_phase(self.script, sleep_state.DREAMING)
        RAN.clear()
        working = Deferred()
        RETURNS["first"] = working
        tick = self.start()
        happen()
        working.callback({"scored": 1})
        minds.pass_time(self.clock, 1)
        return self.outcome(tick)

    def test_one_that_is_switched_off_does_no_more(self):
        done = self.during_the_first(self.script.disable)
        self.assertEqual((self.names(), list(done["steps"])), (["first"], ["first"]))
        self.assertFalse(sleep_state.done(self.script))

    def test_when_every_mind_is_halted_it_does_no_more(self):
        """Staff who pull the brake mean the models, too, that later steps would ask."""
        self.addCleanup(active_assistants.halt, halted=False)
        done = self.during_the_first(active_assistants.halt)
        self.assertEqual((self.names(), list(done["steps"])), (["first"], ["first"]))

    def test_one_that_wakes_does_no_more_and_its_next_night_begins_anew(self):
        done = self.during_the_first(lambda: waking.perform_wake_transition(self.script, "a test"))
        self.assertEqual((self.names(), list(done["steps"])), (["first"], ["first"]))
        self.assertFalse(sleep_state.is_asleep(self.script))
        sleep_cycle.transition_mode(self.script, "sleep", "a test")
        self.assertEqual(sleep_state.phase(self.script), sleep_state.COMPACTING)
        self.assertFalse(sleep_state.done(self.script))

    def test_one_that_woke_and_fell_asleep_again_goes_on_with_the_new_night(self):
        def nap():
            waking.perform_wake_transition(self.script, "a test")
            sleep_cycle.transition_mode(self.script, "sleep", "a test")

        done = self.during_the_first(nap)
        self.assertEqual(list(done["steps"]), ["first"])
        self.assertEqual(sleep_state.phase(self.script), sleep_state.COMPACTING)

    def test_undisturbed_all_steps_run(self):
        self.assertEqual(self.during_the_first(lambda: None)["phase"], sleep_state.DREAMING)
        self.assertEqual(self.names(), ["first", "second", "third"])
