"""Settings: what a game sets wins, `...` stands for our own list, changes are noticed."""

import unittest

from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from evennia_ai import conf
from evennia_ai.core import volatile


def with_settings(**values):
    """Return a context manager under which EVENNIA_AI holds these values only."""
    return override_settings(EVENNIA_AI=values)


class MergedTests(unittest.TestCase):
    def test_a_plain_value_replaces_ours(self):
        self.assertEqual(
            (conf.merged(5, 7), conf.merged("a", ""), conf.merged(None, 3)), (7, "", 3)
        )

    def test_three_dots_in_a_list_stand_for_ours(self):
        self.assertEqual(conf.merged(["a", "b"], [..., "c"]), ["a", "b", "c"])
        self.assertEqual(conf.merged(["a"], ["c"]), ["c"])
        self.assertEqual(conf.merged(["a"], []), [])

    def test_a_dict_replaces_key_by_key(self):
        self.assertEqual(conf.merged({"a": 1, "b": 2}, {"b": 3, "c": 4}), {"a": 1, "b": 3, "c": 4})
        self.assertEqual(conf.merged({"a": ["x"]}, {"a": [..., "y"]}), {"a": ["x", "y"]})

    def test_or_as_a_whole(self):
        self.assertEqual(conf.merged({"a": 1}, {"b": 2}, whole=True), {"b": 2})


class GetTests(unittest.TestCase):
    def test_what_a_game_does_not_set_has_its_default(self):
        with with_settings():
            self.assertEqual(conf.get("MAX_STEPS"), 5)

    def test_without_the_dict_there_are_defaults_only(self):
        with override_settings():
            del conf.settings.EVENNIA_AI
            # Deleting sends no signal.
            conf.get.clear()
            self.addCleanup(conf.get.clear)
            self.assertEqual((conf.given(), conf.get("MAX_STEPS")), ({}, 5))

    def test_what_a_game_sets_wins(self):
        with with_settings(MAX_STEPS=3):
            self.assertEqual(conf.get("MAX_STEPS"), 3)

    def test_a_name_that_does_not_exist_is_a_key_error(self):
        with self.assertRaises(KeyError):
            conf.get("MAX_STEPPS")

    def test_a_change_is_noticed_at_once_and_undone_after(self):
        before = conf.get("TURN_DEADLINE")
        with with_settings(TURN_DEADLINE=1.5):
            self.assertEqual(conf.get("TURN_DEADLINE"), 1.5)
        self.assertEqual(conf.get("TURN_DEADLINE"), before)


class MergeTests(unittest.TestCase):
    def test_a_list_replaces_ours(self):
        with with_settings(TOOL_MODULES=["world.ai_tools"]):
            self.assertEqual(conf.get("TOOL_MODULES"), ["world.ai_tools"])

    def test_three_dots_stand_for_our_list_wherever_they_are(self):
        ours = conf.DEFAULTS["TOOL_MODULES"]
        with with_settings(TOOL_MODULES=["hej", ..., "tjena"]):
            self.assertEqual(conf.get("TOOL_MODULES"), ["hej", *ours, "tjena"])

    def test_the_defaults_are_left_alone(self):
        with with_settings(TOOL_MODULES=[..., "ahoj"]):
            conf.get("TOOL_MODULES").append("spoilt")
        self.assertNotIn("spoilt", conf.DEFAULTS["TOOL_MODULES"])
        self.assertNotIn("ahoj", conf.DEFAULTS["TOOL_MODULES"])

    def test_three_dots_stand_for_our_list_also_in_a_dict_of_lists(self):
        ours = conf.DEFAULTS["SLEEP_STEPS"]
        with with_settings(SLEEP_STEPS={"dreaming": [..., "world.sleep.sing"]}):
            self.assertEqual(
                conf.get("SLEEP_STEPS"),
                {
                    "compacting": ours["compacting"],
                    "dreaming": [*ours["dreaming"], "world.sleep.sing"],
                },
            )

    def test_a_dict_is_merged_key_by_key(self):
        with with_settings(RATE={"player": 2}):
            self.assertEqual(conf.get("RATE"), {"server": 300, "assistant": 60, "player": 2})

    def test_the_models_of_a_game_replace_ours(self):
        models = {"reply": {"BACKEND": "world.minds.Parrot"}}
        with with_settings(LLM=models):
            self.assertEqual(conf.get("LLM"), models)

    def test_what_is_of_another_sort_leaves_ours(self):
        for default, value, holds in (
            (30.0, "30", 30.0),
            (30.0, 20, 20),
            (3, True, 3),
            (["a", "b"], "ab", ["a", "b"]),
            (["a"], None, ["a"]),
            ({"a": 1}, 5, {"a": 1}),
            ({"a": 1, "b": [2]}, {"a": "x", "b": 3}, {"a": 1, "b": [2]}),
            ({"a": 1}, {"a": None, "c": "y"}, {"a": None, "c": "y"}),
        ):
            with self.subTest(value=value):
                self.assertEqual(conf.merged(default, value), holds)
        self.assertEqual(conf.merged({"default": {}}, None, whole=True), {"default": {}})


class LoadTests(unittest.TestCase):
    def test_a_dotted_path_is_followed(self):
        self.assertIs(conf.load("evennia_ai.conf.load"), conf.load)

    def test_a_path_that_leads_nowhere_names_itself(self):
        for path in ("nowhere.at.all", "evennia_ai.conf.nothing", "plain"):
            with self.subTest(path), self.assertRaisesRegex(ImproperlyConfigured, path):
                conf.load(path)

    def test_a_hook_is_the_function_behind_the_path(self):
        with with_settings(CAN_ACT="evennia_ai.conf.given"):
            self.assertIs(conf.hook("CAN_ACT"), conf.given)


@volatile.once_from_settings
def _steps():
    return [conf.get("MAX_STEPS")]


class ChangeTests(unittest.TestCase):
    def setUp(self):
        self.before = _steps()

    def test_what_was_made_of_the_settings_is_made_anew_when_they_change(self):
        with with_settings(MAX_STEPS=2):
            self.assertEqual(_steps(), [2])
        self.assertEqual(_steps(), [5])

    def test_other_settings_leave_it(self):
        with override_settings(GAME_SLOGAN="quiet"):
            self.assertIs(_steps(), self.before)
