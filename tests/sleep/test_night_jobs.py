"""A slice of a night that is done on a copy of the mind, and taken back whole or not at all."""

from unittest import mock

from twisted.internet.defer import Deferred, fail, succeed

from evennia_ai import models
from evennia_ai.agent import turns
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import journal, kinds, lookup, repository
from evennia_ai.memory.state import sleep_state
from evennia_ai.memory.storage import detached, own_attributes, whole_minds
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import night_jobs, sleep_cycle, steps
from evennia_ai.testing import minds
from evennia_ai.workers import executors
from tests.sleep.cases import SleepTestCase
from tests.workers import inline

HERE = "tests.sleep.test_night_jobs"
SEEN = []


def look(script, character):
    """A step of a game's own, which looks at the game."""
    SEEN.append(character)
    return {}


class NightJobsTestCase(SleepTestCase):
    BACKEND = "inline"

    def setUp(self):
        super().setUp()
        self.enterContext(inline.offered())
        changed = self.settings_ai(JOBS={"BACKEND": self.BACKEND})
        changed.enable()
        self.addCleanup(changed.disable)

    def notes(self, count):
        for number in range(count):
            self.note(f"Traveller {number} spoke of the {number}th bridge.", source_entity="Ann")

    def fall_asleep(self):
        sleep_cycle.transition_mode(self.script, "sleep", "a test")

    def go_on(self):
        return self.outcome(night_jobs.run_night(self.script, self.npc))

    def kept(self):
        """Return all that is kept of body and mind but times, by place."""
        return {
            (obj.key, row.db_category, row.db_key): row.db_strvalue
            for obj in (self.npc, self.script)
            for row in own_attributes.rows(obj)
        }


class CopyTests(NightJobsTestCase):
    def setUp(self):
        super().setUp()
        self.note("The bridge is down.")
        self.body, self.mind, self.seen = detached.detach(
            self.npc.id, self.script.id, name="Mara", shown="Mara"
        )

    def test_a_copy_has_what_is_kept_and_is_found_in_its_place(self):
        with lookup.standing_in(self.body, self.mind):
            self.assertIs(lookup.object_by_id(self.npc.id), self.body)
            self.assertIs(lookup.script_by_id(self.script.id).obj, self.body)
            self.assertIs(lookup.mind_of(self.body), self.mind)
            [entry] = journal.entries(self.body)
        self.assertEqual(entry.content, "The bridge is down.")
        self.assertIs(lookup.object_by_id(self.npc.id), self.npc)

    def test_what_is_written_to_a_copy_is_told_and_stands_nowhere_else(self):
        before = self.kept()
        journal.edit_entry(self.body, 1, importance=9)
        journal.add_entry(self.body, "The ferry is dear.")
        repository.save(self.body, kinds.BACKLOG, 3, "id-of-ann")
        repository.remove(self.mind, kinds.SWITCHES)
        self.assertEqual(self.kept(), before)
        self.assertEqual(
            {change.category for change in self.body.kept.changes()},
            {"journal", "journal_head", "backlog"},
        )
        self.assertEqual(self.mind.kept.changes(), [detached.Change("switches", "switches", None)])

    def test_all_and_some_of_a_kind_are_read_from_a_copy(self):
        for who in ("ann", "bob"):
            repository.save(self.body, kinds.BACKLOG, 3, who)
        repository.remove(self.body, kinds.BACKLOG, "bob")
        with self.assertNumQueries(0):
            self.assertEqual(repository.load_all(self.body, kinds.BACKLOG), {"ann": 3})
            self.assertEqual(repository.load_all(self.body, kinds.BACKLOG, only=["bob"]), {})
            self.assertEqual(repository.keys(self.body, kinds.BACKLOG), ["ann"])
            self.assertIsNone(repository.load(self.body, kinds.PERSONA))

    def test_what_fails_in_the_middle_breaks_a_copy(self):
        with self.assertRaises(ZeroDivisionError), repository.together(self.body):
            repository.save(self.body, kinds.BACKLOG, 3, "ann")
            raise ZeroDivisionError
        self.assertTrue(self.body.kept.is_broken)

    def test_each_change_has_another_fingerprint(self):
        self.assertEqual(whole_minds.fingerprint(self.npc.id, self.script.id), self.seen)
        sleep_state.note(self.script, tokens=7)
        self.assertNotEqual(whole_minds.fingerprint(self.npc.id, self.script.id), self.seen)
        sleep_state.note(self.script, tokens=0)
        journal.edit_entry(self.npc, 1, importance=9)
        self.assertNotEqual(whole_minds.fingerprint(self.npc.id, self.script.id), self.seen)


class NightTests(NightJobsTestCase):
    def test_a_whole_night_is_kept_by_slices(self):
        base.install("default", OfflineMind())
        self.notes(25)
        self.fall_asleep()
        for _ in range(20):
            if sleep_state.done(self.script):
                break
            self.go_on()
            self.clock.advance(60)
        self.assertTrue(sleep_state.done(self.script))
        entries = [one for one in journal.entries(self.npc) if "synthesis" not in one.tags]
        self.assertEqual(len(entries), 25)
        self.assertTrue(all(one.consolidated and one.scored for one in entries))
        key = repository.load(self.npc, kinds.IDENTITY).uuid
        there = self.outcome(get_memory().get_all(assistant_key=key))
        copies = [one.entry_id for one in there if not one.metadata.get("evidence")]
        self.assertEqual(sorted(copies), sorted(entry.id for entry in entries))
        self.assertEqual({row.kind for row in models.Job.objects.all()}, {"night"})

    def test_what_is_noted_meanwhile_stays_and_the_slice_is_done_anew(self):
        thinking = Deferred()
        minds.script_llm(thinking, '{"worth": 8}', '{"worth": 4}')
        self.note("The bridge is down.")
        self.fall_asleep()
        night = night_jobs.run_night(self.script, self.npc)
        # By its own hand, and not by that of the copy that stands for it.
        journal.add_entry(self.npc, "Bob left.")
        thinking.callback(Completion('{"worth": 8}'))
        self.outcome(night)
        self.assertEqual(
            [one.importance_method for one in journal.entries(self.npc)], ["heuristic"] * 2
        )
        self.go_on()
        self.assertEqual(
            [(one.content, one.importance) for one in journal.entries(self.npc)],
            [("The bridge is down.", 8), ("Bob left.", 4)],
        )

    def test_while_it_is_made_to_forget_no_slice_begins_and_none_is_taken(self):
        minds.script_llm('{"worth": 8}')
        self.note("The bridge is down.")
        self.fall_asleep()
        turns.hold(self.script.id)
        self.assertEqual(self.go_on()["steps"], {})
        self.assertEqual(models.Job.objects.count(), 0)
        turns.release(self.script.id)
        self.go_on()
        self.assertEqual(journal.get_entry(self.npc, 1).importance, 8)

    def test_what_a_server_that_died_did_not_take_is_taken_by_the_next(self):
        """It is found by what the mind is, and not paid twice."""
        llm = minds.script_llm('{"worth": 8}')
        self.note("The bridge is down.")
        self.fall_asleep()
        with mock.patch.object(night_jobs, "_take", lambda *args: False):
            self.go_on()
        executors.stop()
        self.clock.advance(1)
        self.go_on()
        self.assertEqual(journal.get_entry(self.npc, 1).importance, 8)
        self.assertEqual(len(llm.requests), 1)

    def test_two_slices_in_a_row_of_which_nothing_came_leave_the_rest_of_that_night_to_the_server(
        self,
    ):
        self.note("The bridge is down.")
        self.fall_asleep()
        with mock.patch.object(night_jobs, "do", lambda work: fail(LLMUnavailable("gone"))):
            for _ in range(2):
                self.assertEqual(self.go_on()["steps"], {"night": {"error": "gone"}})
        minds.script_llm('{"worth": 8}')
        self.assertEqual(self.go_on()["steps"]["score_pending_entries"]["scored"], 1)
        here = self.enterContext(mock.patch.object(steps, "run_sleep_tick"))
        for _ in range(3):
            self.clock.advance(1000)
            self.go_on()
        self.assertEqual(here.call_count, 3)

    def test_a_slice_that_was_taken_lets_workers_go_on_after_one_that_was_not(self):
        here = self.enterContext(mock.patch.object(steps, "run_sleep_tick"))
        here.side_effect = lambda *_: succeed({"steps": {}})
        do, gone = night_jobs.do, lambda work: fail(LLMUnavailable("gone"))
        slices = iter((gone, do, gone, do, gone))
        self.enterContext(mock.patch.object(night_jobs, "do", lambda work: next(slices)(work)))
        self.fall_asleep()
        for _ in range(5):
            journal.add_entry(self.npc, "Bob sings.")
            self.go_on()
        self.assertEqual(models.Job.objects.count(), 5)

    def test_of_a_slice_that_talk_beside_the_sleeper_overtook_nothing_came(self):
        here = self.enterContext(mock.patch.object(steps, "run_sleep_tick"))
        overtaken = {"steps": {}, "seen": "what it was before", "changes": "[]"}
        self.enterContext(mock.patch.object(night_jobs, "do", lambda work: succeed(overtaken)))
        self.fall_asleep()
        # Two in a row leave a minute of the night to the server, and one more two minutes.
        for seconds, slices, ticks in (
            (0, 1, 0),
            (1, 2, 0),
            (59, 2, 1),
            (1, 3, 1),
            (119, 3, 2),
            (1, 4, 2),
            (239, 4, 3),
        ):
            self.clock.advance(seconds)
            journal.add_entry(self.npc, "Bob sings.")
            self.go_on()
            self.assertEqual((models.Job.objects.count(), here.call_count), (slices, ticks))
        sleep_cycle.transition_mode(self.script, "awake", "a test")
        self.clock.advance(1)
        self.fall_asleep()
        self.go_on()
        self.assertEqual((models.Job.objects.count(), here.call_count), (5, 3))

    def test_a_slice_that_ended_for_its_time_alone_goes_on_and_one_that_got_no_further_does_not(
        self,
    ):
        self.patch(night_jobs, "SLICE_SECONDS", 0.0)
        did = iter(({"scored": 1}, {"waiting": 1}))
        self.patch(steps, "run_sleep_tick", lambda *_: succeed({"steps": {"score": next(did)}}))
        self.fall_asleep()
        self.assertIs(self.go_on()["goes_on"], True)
        journal.add_entry(self.npc, "Bob sings.")
        self.assertIs(self.go_on()["goes_on"], False)

    def test_a_worker_that_keeps_for_good_elsewhere_does_no_night(self):
        """Its settings are others than those of the server, which would not find what it has kept."""
        self.note("The bridge is down.")
        self.fall_asleep()
        places = iter(("the schema game of a Postgres database", ""))
        self.patch(night_jobs, "_place_of_memory", lambda: next(places))
        self.assertEqual(
            self.go_on()["steps"],
            {"night": {"error": "SEMANTIC of a worker is another than that of the server"}},
        )
        self.assertFalse(journal.get_entry(self.npc, 1).scored)

    def test_steps_of_a_games_own_are_done_here(self):
        self.fall_asleep()
        with self.settings_ai(SLEEP_STEPS={"compacting": [f"{HERE}.look"], "dreaming": []}):
            self.go_on()
        self.assertEqual(SEEN, [self.npc])
        self.assertEqual(models.Job.objects.count(), 0)

    def test_a_night_that_is_dropped_ends_at_its_next_step(self):
        thinking = Deferred()
        minds.script_llm(thinking, *['{"worth": "?"}'] * 2)
        self.notes(3)
        self.fall_asleep()
        night = night_jobs.run_night(self.script, self.npc)
        models.Job.objects.update(finished="2020-01-01T00:00:00Z")
        self.clock.advance(1)
        self.assertIs(lookup.script_by_id(self.script.id), self.script)
        thinking.callback(Completion('{"worth": "?"}'))
        self.outcome(night)
        self.assertEqual(
            {one.importance_method for one in journal.entries(self.npc)}, {"heuristic"}
        )
