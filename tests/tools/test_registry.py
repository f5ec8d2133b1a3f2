"""Tests of finding tools by the settings, and of results that may be used again."""

import sys
import types
import unittest

from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from twisted.internet.task import Clock

from evennia_ai import scheduling
from evennia_ai.domain import reasons
from evennia_ai.exceptions import ToolError
from evennia_ai.memory.state import sleep_state
from evennia_ai.testing import AITestCase, minds
from evennia_ai.tools import registry
from evennia_ai.tools.base import Tool
from evennia_ai.tools.registry import ResultCache
from evennia_ai.typeclasses import scripts


class Dice(Tool):
    """Roll dice."""

    name = "roll_dice"
    cacheable = True
    cache_ttl = 10.0

    def execute(self, turn, sides: int = 6):
        return "4"


def tool_class(class_name, **members):
    """Return a new tool class with a docstring and an execute that takes nothing."""
    execute = {"execute": lambda self, turn: "ok"}
    return type(class_name, (Tool,), {"__doc__": "Do something.", **execute, **members})


class RegistryTests(unittest.TestCase):
    def tool_module(self, name, *classes):
        """Make an importable module that defines these classes."""
        module = types.ModuleType(name)
        for cls in classes:
            cls.__module__ = name
            setattr(module, cls.__name__, cls)
        sys.modules[name] = module
        self.addCleanup(sys.modules.pop, name)
        return module

    def use_modules(self, *paths):
        changed = override_settings(EVENNIA_AI={"TOOL_MODULES": list(paths)})
        changed.enable()
        self.addCleanup(changed.disable)

    def test_the_tools_of_a_module_are_found_in_order(self):
        self.tool_module(
            "toolbox", tool_class("Sing", name="sing"), tool_class("Dance", name="dance")
        )
        self.use_modules("toolbox")
        self.assertEqual(list(registry.all_tools()), ["sing", "dance"])
        self.assertEqual(type(registry.get("sing")).__name__, "Sing")

    def test_what_is_only_imported_and_bases_without_execute_are_no_tools(self):
        base = type("Music", (Tool,), {})
        module = self.tool_module("toolbox", base, tool_class("Sing", name="sing"))
        module.Dice = Dice
        module.Tool = Tool
        self.use_modules("toolbox")
        self.assertEqual(list(registry.all_tools()), ["sing"])

    def test_two_tools_of_one_name_are_both_named(self):
        self.tool_module("toolbox", tool_class("Sing", name="sing"))
        self.tool_module("other_toolbox", tool_class("Chant", name="sing"))
        self.use_modules("toolbox", "other_toolbox")
        with self.assertRaisesRegex(
            ImproperlyConfigured, "'sing': toolbox.Sing and other_toolbox.Chant"
        ):
            registry.all_tools()

    def test_a_module_that_is_listed_twice_counts_once(self):
        self.tool_module("toolbox", tool_class("Sing", name="sing"))
        self.use_modules("toolbox", "toolbox")
        self.assertEqual(list(registry.all_tools()), ["sing"])

    def test_a_module_that_is_not_there_is_named(self):
        self.use_modules("world.no_such_tools")
        with self.assertRaisesRegex(ImproperlyConfigured, "TOOL_MODULES names 'world.no_such"):
            registry.all_tools()

    def test_a_tool_without_a_name_is_a_mistake_of_the_game(self):
        self.tool_module("toolbox", tool_class("Sing"))
        self.use_modules("toolbox")
        with self.assertRaisesRegex(ImproperlyConfigured, "toolbox.Sing needs a name"):
            registry.all_tools()

    def test_a_bad_signature_shows_when_the_tools_are_loaded(self):
        self.tool_module(
            "toolbox", tool_class("Sing", name="sing", execute=lambda self, turn, song: "")
        )
        self.use_modules("toolbox")
        with self.assertRaisesRegex(ImproperlyConfigured, "toolbox.Sing.execute: song"):
            registry.all_tools()

    def test_an_unknown_tool_is_answered_with_near_names(self):
        self.tool_module(
            "toolbox", tool_class("Sing", name="sing"), tool_class("Dance", name="dance")
        )
        self.use_modules("toolbox")
        with self.assertRaisesRegex(ToolError, r'^There is no tool "song"; there is sing\.$'):
            registry.get("song")
        with self.assertRaisesRegex(ToolError, r'^There is no tool "xyz"; there is dance, sing\.$'):
            registry.get("xyz")

    def test_only_what_is_allowed_is_offered(self):
        self.tool_module(
            "toolbox",
            tool_class("Sing", name="sing", allowed=lambda self, turn: turn.when == "at night"),
            tool_class("Dance", name="dance"),
        )
        self.use_modules("toolbox")
        for when, names in (("at noon", ["dance"]), ("at night", ["sing", "dance"])):
            turn = types.SimpleNamespace(script=None, when=when, reason=reasons.TALK)
            self.assertEqual([tool.name for tool in registry.offered(turn)], names)

    def test_changed_settings_count_at_once(self):
        self.tool_module("toolbox", tool_class("Sing", name="sing"))
        self.tool_module("other_toolbox", tool_class("Dance", name="dance"))
        self.use_modules("toolbox")
        self.assertEqual(list(registry.all_tools()), ["sing"])
        self.use_modules("other_toolbox")
        self.assertEqual(list(registry.all_tools()), ["dance"])


class OurToolsTests(unittest.TestCase):
    def test_our_own_tools_load_and_say_what_they_need(self):
        with override_settings(EVENNIA_AI={}):
            tools = registry.all_tools()
        self.assertEqual(
            list(tools),
            [
                *("say", "look", "move", "follow", "give", "execute_command"),
                *("add_journal_entry", "search_journal", "review_journal"),
                *("search_episodic_memory", "recall_entity_profile", "update_entity_observation"),
                *("update_relationship", "start_entity_conversation"),
                *("recall_conversation_context", "add_pending_action"),
                "finish_pending_action",
                *("recall_memories", "store_memory", "share"),
                *("add_goal", "plan_goal", "update_goal"),
                *("noop", "set_reminder", "go_to_sleep", "escalate_to_staff"),
                "take_errand",
            ],
        )
        self.assertLessEqual(len(tools), 28)
        categories = {"terminal": [], "dangerous": [], "safe_chain": []}
        for name, tool in tools.items():
            categories[tool.category].append(name)
        self.assertEqual(
            categories,
            {
                "terminal": ["say", "share", "noop"],
                "dangerous": ["move", "follow", "give", "execute_command", "take_errand"],
                "safe_chain": [
                    "look",
                    *("add_journal_entry", "search_journal", "review_journal"),
                    *("search_episodic_memory", "recall_entity_profile"),
                    *("update_entity_observation", "update_relationship"),
                    *("start_entity_conversation", "recall_conversation_context"),
                    *("add_pending_action", "finish_pending_action"),
                    *("recall_memories", "store_memory"),
                    *("add_goal", "plan_goal", "update_goal"),
                    *("set_reminder", "go_to_sleep", "escalate_to_staff"),
                ],
            },
        )


class AsleepTests(AITestCase):
    def offered(self, **changes):
        npc = minds.make_assistant("Mara", location=self.room1)
        script = scripts.find(npc)
        sleep_state.note(script, mode="sleep")
        with self.settings_ai(**changes):
            return [tool.name for tool in registry.offered(types.SimpleNamespace(script=script))]

    def test_asleep_a_mind_has_no_tools(self):
        """M20 M21: at night it has steps, and no turns."""
        self.assertEqual(self.offered(), [])
        self.assertEqual(self.offered(ALL_TOOLS=True), [])


class ResultCacheTests(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        scheduling.set_clock(self.clock)
        self.addCleanup(scheduling.set_clock, None)
        self.cache = ResultCache()
        self.tool = Dice()

    def put(self, result, *, arguments=None, assistant="bob", hearers=("ann", "cid")):
        self.cache.put(
            self.tool, arguments or {"sides": 6}, result, assistant=assistant, hearers=hearers
        )

    def get(self, *, arguments=None, assistant="bob", hearers=("ann", "cid")):
        return self.cache.get(
            self.tool, arguments or {"sides": 6}, assistant=assistant, hearers=hearers
        )

    def test_a_result_is_found_until_its_time_is_up(self):
        self.put("4")
        self.clock.advance(9.9)
        self.assertEqual(self.get(), "4")
        self.clock.advance(0.1)
        self.assertIsNone(self.get())

    def test_a_result_is_only_for_the_same_hearers(self):
        self.put("4")
        self.assertEqual(self.get(hearers=("cid", "ann")), "4")
        self.assertIsNone(self.get(hearers=("ann",)))
        self.assertIsNone(self.get(hearers=("ann", "cid", "dora")))

    def test_a_result_is_only_for_the_same_assistant_and_arguments(self):
        self.put("4", arguments={"sides": 6, "times": [1]})
        self.assertEqual(self.get(arguments={"times": [1], "sides": 6}), "4")
        self.assertIsNone(self.get(arguments={"sides": 8, "times": [1]}))
        self.assertIsNone(self.get(arguments={"sides": 6, "times": [1]}, assistant="eve"))

    def test_a_tool_that_is_not_cacheable_is_never_kept(self):
        self.tool = tool_class("Look", name="look", cache_ttl=10.0)()
        self.put("4")
        self.assertIsNone(self.get())

    def test_what_was_used_longest_ago_goes_first(self):
        self.cache = ResultCache(size=2)
        self.put("one", assistant="one")
        self.put("two", assistant="two")
        self.get(assistant="one")
        self.put("three", assistant="three")
        kept = [self.get(assistant=name) for name in ("one", "two", "three")]
        self.assertEqual(kept, ["one", None, "three"])

    def test_the_shared_cache_is_cleared_with_the_settings(self):
        self.cache = registry.results()
        self.put("4")
        self.assertEqual(self.get(), "4")
        with override_settings(EVENNIA_AI={}):
            self.cache = registry.results()
            self.assertIsNone(self.get())
