"""One tick of a night: the steps in their order, each failing alone, until the work is done."""

from unittest import mock

from twisted.internet.defer import Deferred, succeed

from evennia_ai import conf, scheduling
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import journal
from evennia_ai.memory.state import reflection_state, sleep_state
from evennia_ai.sleep import sleep_cycle, steps
from evennia_ai.testing import minds
from tests.sleep.cases import SleepTestCase

HERE = "tests.sleep.test_steps"
# What the steps of these tests did, and what they are to return, by name.
RAN = []
RETURNS = {}


def _ran(name, script, character):
    RAN.append((name, script.key, character.key))
    result = RETURNS.get(name, {})
    if isinstance(result, Exception):
        raise result
    return result() if callable(result) else result


def first(script, character):
    return _ran("first", script, character)


def second(script, character):
    return _ran("second", script, character)


def third(script, character):
    return _ran("third", script, character)


class StepsTestCase(SleepTestCase):
    STEPS = {
        "compacting": [f"{HERE}.first"],
        "dreaming": [f"{HERE}.first", f"{HERE}.second", f"{HERE}.third"],
    }

    def setUp(self):
        super().setUp()
        RAN.clear()
        RETURNS.clear()
        changed = self.settings_ai(SLEEP_STEPS=self.STEPS)
        changed.enable()
        self.addCleanup(changed.disable)
        sleep_cycle.transition_mode(self.script, "sleep", "a test")

    def start(self):
        return steps.run_sleep_tick(self.script, self.npc)

    def run_tick(self, **returns):
        RETURNS.update(returns)
        return self.outcome(self.start())

    def names(self):
        return [name for name, _, _ in RAN]


class OrderTests(SleepTestCase):
    """The steps that we ship, as the sources list them."""

    MODULES = {
        "score_pending_entries": "scoring",
        "run_sleep_consolidation": "consolidation",
        "run_dreaming_tick": "dreaming",
        "prune_orphaned_memory_links": "dreaming",
        "run_entity_consolidation_batch": "people_noticed",
        "run_reflection": "reflection",
        "prune_low_importance_entries": "pruning",
        "let_insights_age": "pruning",
        "clear_stale_conversations": "compaction",
        "run_pre_compaction_extraction": "compaction",
        "compact_conversation_history": "compaction",
    }

    def setUp(self):
        super().setUp()
        self.calls = []
        for name, module in self.MODULES.items():
            record = self.recorder(name)
            self.patch(getattr(steps, module), name, record)
        sleep_cycle.transition_mode(self.script, "sleep", "a test")

    def recorder(self, name):
        def record(*args):
            self.calls.append((name, *args))
            return {"completed": True} if name == "run_sleep_consolidation" else {"changed": 1}

        return record

    def run_tick(self):
        self.calls.clear()
        return self.outcome(steps.run_sleep_tick(self.script, self.npc))

    def names(self):
        return [call[0] for call in self.calls]

    def test_the_day_is_rated_and_then_kept_and_then_it_dreams(self):
        """M17 M18 M23 M24 M25 J71."""
        result = self.run_tick()
        self.assertEqual(self.names(), ["score_pending_entries", "run_sleep_consolidation"])
        self.assertEqual(
            result,
            {
                "phase": "compacting",
                "steps": {
                    "score_pending_entries": {"changed": 1},
                    "run_sleep_consolidation": {"completed": True},
                },
            },
        )
        self.assertEqual(sleep_state.kept(self.script).phase, "dreaming")

    def test_the_operations_of_a_dreaming_tick_come_in_the_order_of_the_source(self):
        """M19 M22 M26 M27 M28 M29 M30 M31 M32 M33 M34 J72: ops 1 to 8."""
        self.run_tick()
        for entry_id in range(15):
            reflection_state.update_reflection_state(self.script, 10, entry_id)
        result = self.run_tick()
        self.assertEqual(
            self.names(),
            [
                "run_dreaming_tick",
                "prune_orphaned_memory_links",
                "run_entity_consolidation_batch",
                "run_reflection",
                "prune_low_importance_entries",
                "clear_stale_conversations",
                "run_pre_compaction_extraction",
                "compact_conversation_history",
                # Ours: what these have concluded and summed up must not fill the journal.
                "let_insights_age",
            ],
        )
        self.assertEqual(list(result["steps"]), self.names())

    def test_it_reflects_only_when_enough_has_happened(self):
        """M29 J72 R17: at 150, in the dreaming phase of run_sleep_tick."""
        self.run_tick()
        for entry_id in range(14):
            reflection_state.update_reflection_state(self.script, 10, entry_id)
        reflection_state.update_reflection_state(self.script, 9, 15)
        self.run_tick()
        self.assertNotIn("run_reflection", self.names())
        reflection_state.update_reflection_state(self.script, 1, 16)
        self.run_tick()
        self.assertIn(("run_reflection", self.script, self.npc), self.calls)


class TickTests(StepsTestCase):
    def dream(self):
        self.run_tick(first={"completed": True})
        RETURNS.clear()
        RAN.clear()

    def test_a_step_that_fails_says_so_and_keeps_no_other_from_running(self):
        self.dream()
        result = self.run_tick(
            first=ValueError("no such link"), second=lambda: succeed({"changed": 2})
        )
        self.assertEqual(
            result,
            {
                "phase": "dreaming",
                "steps": {
                    "first": {"error": "ValueError: no such link"},
                    "second": {"changed": 2},
                    "third": {},
                },
            },
        )
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

    def test_so_does_one_that_fails_later_and_one_that_does_not_exist(self):
        with self.settings_ai(SLEEP_STEPS={"compacting": ["world.no.such", f"{HERE}.first"]}):
            waiting = Deferred()
            RETURNS["first"] = lambda: waiting
            running = self.start()
            waiting.errback(LookupError("no such link"))
            result = self.outcome(running)["steps"]
        self.assertIn("world.no.such", result["such"]["error"])
        self.assertEqual(result["first"], {"error": "LookupError: no such link"})
        self.assertEqual(len(self.flushLoggedErrors()), 2)

    def test_two_steps_of_one_name_are_told_apart(self):
        paths = [f"{HERE}.first", f"{HERE}.first"]
        with self.settings_ai(SLEEP_STEPS={"compacting": paths}):
            self.assertEqual(list(self.run_tick()["steps"]), ["first", f"{HERE}.first"])

    def test_a_mind_that_is_awake_does_nothing(self):
        sleep_cycle.transition_mode(self.script, "awake", "a test")
        self.assertEqual(self.run_tick(), {"phase": None, "steps": {}})
        self.assertEqual(RAN, [])

    def test_one_that_is_called_leaves_the_rest_of_its_steps(self):
        self.dream()
        waiting = Deferred()
        RETURNS["first"] = lambda: waiting
        running = self.start()
        sleep_cycle.transition_mode(self.script, "awake", "a test")
        waiting.callback({"changed": 1})
        self.assertEqual(
            self.outcome(running), {"phase": "dreaming", "steps": {"first": {"changed": 1}}}
        )
        self.assertEqual(self.names(), ["first"])
        self.assertFalse(sleep_state.done(self.script))

    def test_one_that_is_deleted_meanwhile_does_no_more(self):
        self.dream()
        waiting = Deferred()
        RETURNS["first"] = lambda: waiting
        running = self.start()
        self.npc.delete()
        waiting.callback({})
        self.assertEqual(list(self.outcome(running)["steps"]), ["first"])

    def test_a_tick_that_is_given_up_does_no_more(self):
        self.dream()
        RETURNS["first"] = Deferred
        running = self.start()
        running.addErrback(lambda failure: None)
        running.cancel()
        self.clock.advance(0)
        self.assertEqual(self.names(), ["first"])

    def test_the_game_gets_its_turn_between_two_steps(self):
        self.dream()
        with mock.patch.object(scheduling, "call_soon", wraps=scheduling.call_soon) as soon:
            self.run_tick()
        self.assertEqual(soon.call_count, 3)


class PhaseTests(StepsTestCase):
    def test_it_dreams_when_everything_is_kept(self):
        """M25."""
        self.run_tick(first={"completed": False, "waiting": 3})
        self.assertEqual(sleep_state.kept(self.script).phase, "compacting")
        self.run_tick(first={"completed": True})
        self.assertEqual(sleep_state.kept(self.script).phase, "dreaming")
        self.assertFalse(sleep_state.is_degraded(self.script))

    def test_a_step_that_failed_is_tried_again_before_it_dreams(self):
        self.run_tick(first={"error": "no answer"})
        self.assertEqual(sleep_state.kept(self.script).phase, "compacting")
        self.run_tick(first={})
        self.assertEqual(sleep_state.kept(self.script).phase, "dreaming")

    def test_a_day_that_cannot_be_kept_is_given_up_after_some_ticks(self):
        """C-24: a dead model or memory does not keep anybody asleep for ever."""
        for _ in range(29):
            self.run_tick(first={"completed": False})
        self.assertEqual(sleep_state.kept(self.script).phase, "compacting")
        self.run_tick()
        self.assertEqual(sleep_state.kept(self.script).phase, "dreaming")
        self.assertTrue(sleep_state.is_degraded(self.script))

    def test_a_long_day_takes_as_many_ticks_as_it_takes(self):
        """C-24: the bound is for ticks in which nothing was kept."""
        for _ in range(40):
            self.run_tick(first={"completed": False, "consolidated": 10, "waiting": 90})
        for _ in range(29):
            self.run_tick(first={"completed": False, "consolidated": 0, "waiting": 90, "failed": 3})
        self.assertEqual(sleep_state.kept(self.script).phase, "compacting")
        self.run_tick(first={"completed": True, "consolidated": 9, "waiting": 0})
        self.assertEqual(sleep_state.kept(self.script).phase, "dreaming")
        self.assertFalse(sleep_state.is_degraded(self.script))

    def dream(self):
        self.run_tick(first={"completed": True})
        RETURNS.clear()

    def test_a_round_in_which_nothing_changed_ends_the_work(self):
        self.dream()
        self.run_tick(second={"linked": 0, "removed": [], "success": False, "error": None})
        self.assertTrue(sleep_state.done(self.script))
        RAN.clear()
        self.assertEqual(self.run_tick(), {"phase": "dreaming", "steps": {}})
        self.assertEqual(RAN, [])

    def test_a_round_in_which_something_changed_does_not(self):
        self.dream()
        for result in ({"linked": 1}, {"removed": [7]}, {"share": 0.5}, {"by": {"ann": 1}}):
            with self.subTest(result):
                self.run_tick(second=result)
                self.assertFalse(sleep_state.done(self.script))

    def test_what_failed_is_tried_three_times(self):
        self.dream()
        for round_of_night, is_done in ((1, False), (2, False), (3, True)):
            with self.subTest(round_of_night):
                self.run_tick(second={"linked": 0, "error": "no answer"})
                self.assertEqual(sleep_state.done(self.script), is_done)

    def test_what_works_again_meanwhile_counts_from_the_beginning(self):
        self.dream()
        for result in ({"error": "no"}, {"error": "no"}, {"linked": 1}, {"error": "no"}):
            RETURNS["second"] = result
            self.run_tick()
        self.assertFalse(sleep_state.done(self.script))


class NightTests(SleepTestCase):
    """Whole nights with the steps that we ship."""

    def sleep(self, ticks=80):
        """Fall asleep and do the work of the night; return how many ticks it took."""
        sleep_cycle.transition_mode(self.script, "sleep", "a test")
        for number in range(1, ticks + 1):
            self.results = self.outcome(steps.run_sleep_tick(self.script, self.npc))
            if sleep_state.done(self.script):
                return number
            self.clock.advance(60)
        return self.fail(f"after {ticks} ticks: {self.results}")

    def notes(self, count):
        for number in range(count):
            self.note(f"Traveller {number} spoke of the {number}th bridge.", source_entity="Ann")

    def test_the_offline_mind_keeps_its_day_and_is_not_degraded(self):
        """C-16 M38."""
        base.install("default", OfflineMind())
        self.notes(25)
        self.sleep()
        entries = [one for one in journal.entries(self.npc) if "synthesis" not in one.tags]
        self.assertEqual(len(entries), 25)
        self.assertTrue(all(one.consolidated and one.scored for one in entries))
        self.assertFalse(sleep_state.is_degraded(self.script))

    def test_a_mind_that_is_dead_for_the_whole_night_loses_nothing(self):
        """C-24."""
        self.notes(12)
        before = [one.content for one in journal.entries(self.npc)]
        minds.script_llm(LLMUnavailable("down"), repeat=True)
        self.sleep()
        entries = journal.entries(self.npc)
        self.assertEqual([one.content for one in entries], before)
        self.assertEqual({one.importance_method for one in entries}, {"heuristic"})
        self.assertTrue(all(one.consolidated for one in entries))
        self.assertTrue(sleep_state.is_degraded(self.script))

    def test_a_night_with_nothing_to_do_takes_two_ticks(self):
        self.assertEqual(self.sleep(), 2)

    def test_each_step_of_the_settings_exists(self):
        for paths in conf.get("SLEEP_STEPS").values():
            for path in paths:
                self.assertTrue(callable(conf.load(path)), path)
