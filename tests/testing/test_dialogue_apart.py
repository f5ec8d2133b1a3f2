"""Outside of a game time goes on by itself only when it is driven, and memory is nobody's."""

import tempfile
from unittest import TestCase

from evennia.utils import gametime
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock, deferLater

from evennia_ai import conf, scheduling
from evennia_ai.llm import loop_thread
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import AITestCase
from evennia_ai.testing.dialogue import dialogue_apart
from evennia_ai.tools import world


class DriveTests(TestCase):
    def test_the_clock_goes_to_what_is_due_next(self):
        clock, seen = Clock(), []
        for seconds in (7200, 0.5):
            clock.callLater(seconds, lambda: seen.append(clock.seconds()))
        result = dialogue_apart.drive(deferLater(clock, 7200, lambda: "done"), clock)
        self.assertEqual((result, seen), ("done", [0.5, 7200.0]))

    def test_a_result_that_is_there_needs_no_time(self):
        clock = Clock()
        self.assertEqual(dialogue_apart.drive(succeed(5), clock), 5)
        self.assertEqual(clock.seconds(), 0)

    def test_an_error_is_raised(self):
        with self.assertRaisesRegex(ValueError, "oh"):
            dialogue_apart.drive(fail(ValueError("oh")), Clock())

    def test_what_can_never_happen_is_not_waited_for(self):
        with self.assertRaisesRegex(RuntimeError, "will not happen any more"):
            dialogue_apart.drive(Deferred(), Clock())


class ApartTests(AITestCase):
    def test_time_stands_still_and_threads_are_not_used(self):
        with dialogue_apart.own_time() as clock:
            self.assertIs(scheduling.clock(), clock)
            self.assertEqual(clock.seconds(), dialogue_apart.START)
            self.assertIsInstance(memory_thread.get_worker(), memory_thread.InlineWorker)
            self.assertIsInstance(loop_thread.get_runner(), loop_thread.InlineRunner)
        self.assertIsNot(scheduling.clock(), clock)
        self.assertNotIsInstance(loop_thread.get_runner(), loop_thread.InlineRunner)

    def test_the_time_of_the_world_goes_by_the_same_clock(self):
        before = gametime.gametime(absolute=True)
        with dialogue_apart.own_time() as clock:
            self.assertEqual(world.time_in_words(), "evening, 18:00")
            clock.advance(3600)
            passed = gametime.gametime(absolute=True) - dialogue_apart.START
            self.assertEqual(passed, 3600 * gametime.TIMEFACTOR)
        self.assertLess(abs(gametime.gametime(absolute=True) - before), 3600)

    def test_memory_is_a_file_of_its_own_with_the_embedder_of_the_game(self):
        options = {"path": "/nowhere", "embedder": "x.Y", "embedder_options": {"folder": "z"}}
        with (
            self.settings_ai(SEMANTIC={"default": {"BACKEND": "a.B", "OPTIONS": options}}),
            tempfile.TemporaryDirectory() as folder,
            dialogue_apart.own_memory(folder, TURN_DEADLINE=0.1),
        ):
            self.assertEqual(
                conf.get("SEMANTIC")["default"],
                {
                    "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
                    "OPTIONS": {
                        "embedder": "x.Y",
                        "embedder_options": {"folder": "z"},
                        "path": f"{folder}/memory.db3",
                    },
                },
            )
            self.assertEqual(conf.get("EXPERIENCE")["PATH"], ":memory:")
            self.assertEqual(conf.get("RATE"), {"server": None, "assistant": None, "player": None})
            self.assertEqual(conf.get("TURN_DEADLINE"), 0.1)
        self.assertNotEqual(conf.get("TURN_DEADLINE"), 0.1)

    def test_a_game_without_long_term_memory_has_none_here(self):
        with self.settings_ai(SEMANTIC={"default": None}), dialogue_apart.own_memory("/nowhere"):
            self.assertIsNone(conf.get("SEMANTIC")["default"])
