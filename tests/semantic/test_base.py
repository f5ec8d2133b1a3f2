"""Tests of how a memory is named, built, switched off and closed."""

from contextlib import nullcontext
from unittest import mock

from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from evennia_ai import checks, conf
from evennia_ai.semantic import base, mem0
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from tests.memory_double import MemoryDouble
from tests.semantic.cases import PLAIN, SemanticTestCase

MEM0 = {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory"}
DOUBLE = {"BACKEND": "tests.memory_double.MemoryDouble"}


def semantic(**memories):
    """Return a context manager under which these memories are configured."""
    return override_settings(EVENNIA_AI={**conf.given(), "SEMANTIC": memories})


class AliasTests(SemanticTestCase):
    def test_the_default_is_mem0_on_our_store(self):
        self.assertEqual(
            conf.DEFAULTS["SEMANTIC"],
            {"default": {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory"}},
        )

    def test_the_file_is_in_the_servers_folder(self):
        with override_settings(GAME_DIR="/srv/game"):
            self.assertEqual(str(mem0.Mem0Memory().path), "/srv/game/server/evennia_ai_memory.db3")

    def test_a_memory_is_built_once_and_anew_when_the_settings_change(self):
        with semantic(default=DOUBLE):
            first = base.get_memory()
            self.assertIsInstance(first, MemoryDouble)
            self.assertIs(base.get_memory(), first)
        with semantic(default=DOUBLE):
            self.assertIsNot(base.get_memory(), first)

    def test_it_says_in_a_sentence_what_it_is(self):
        with semantic(default={**MEM0, "OPTIONS": {"path": "/srv/memory.db3"}}):
            self.assertEqual(base.describe(), "Long-term memory is kept in /srv/memory.db3.")

    def test_an_alias_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(ImproperlyConfigured, "has no 'dreams'"):
            base.get_memory("dreams")

    def test_options_reach_the_memory(self):
        options = {"path": str(self.path), "embedder": PLAIN}
        described = {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory", "OPTIONS": options}
        with semantic(default=described):
            self.successResultOf(base.warm_up())
            self.assertEqual(base.get_memory().scale, {"relevant": 0.2, "alike": 0.2})
            self.successResultOf(
                base.get_memory().add("Kept.", assistant_key="mara", audience="public")
            )
            base.close()
        self.assertTrue(self.path.exists())

    def test_a_broken_file_is_said_and_not_raised_through(self):
        self.path.write_bytes(b"this is no database, but it is long enough to be read" * 50)
        memory = mem0.Mem0Memory(path=str(self.path), embedder=PLAIN)
        failure = self.failureResultOf(
            memory.search("x", assistant_key="mara", hearers=[]), MemoryUnavailable
        )
        self.assertIn("memory.db3: file is not a database", failure.getErrorMessage())


class OffTests(SemanticTestCase):
    def test_it_keeps_and_finds_nothing(self):
        with semantic(default=None):
            memory = base.get_memory()
        self.assertFalse(memory.enabled)
        for deferred, expected in (
            (memory.search("x", assistant_key="m", hearers=[]), []),
            (memory.get("x", assistant_key="m"), None),
            (memory.get_all(assistant_key="m"), []),
            (memory.update("x", "y", assistant_key="m"), False),
            (memory.delete("x", assistant_key="m"), False),
            (memory.delete_scope(assistant_key="m"), 0),
            (memory.warm_up(), None),
        ):
            self.assertEqual(self.successResultOf(deferred), expected)
        for deferred in (
            memory.add("x", assistant_key="m", audience="public"),
            memory.put("x", assistant_key="m", audience="public"),
            memory.add_all([], assistant_key="mara"),
        ):
            failure = self.failureResultOf(deferred, MemoryUnavailable)
            self.assertIn("switched off in the settings", failure.getErrorMessage())


class CheckTests(SemanticTestCase):
    def problems(self, *, missing=(), **memories):
        def find_spec(name):
            return None if name in missing else mock.sentinel.spec

        changed = semantic(**memories) if memories else nullcontext()
        with changed, mock.patch("evennia_ai.checks.model_checks.find_spec", find_spec):
            return [
                (problem.id, problem.sentence, problem.line)
                for problem in checks.problems()
                if "emantic" in problem.sentence or "SEMANTIC" in problem.sentence
            ]

    def test_what_is_right_is_no_problem(self):
        self.assertEqual(self.problems(), [])
        # The default is used as well where nothing of it is installed.
        with mock.patch("evennia_ai.checks.model_checks.find_spec", return_value=None):
            self.assertEqual([p for p in checks.problems() if "emantic" in p.sentence], [])
        self.assertEqual(self.problems(default=None, lore=DOUBLE), [])

    def test_wrong_settings_are_said(self):
        for described, number in (
            ("mem0", "E013"),
            ({"BACKEND": "no.such.Memory"}, "E007"),
            ({"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory", "OPTIONS": {"x": 1}}, "E010"),
        ):
            with self.subTest(described):
                found = {problem[0] for problem in self.problems(default=described)}
                self.assertEqual(found, {f"evennia_ai.{number}"})
