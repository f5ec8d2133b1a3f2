"""Each wrong setting is named in one sentence, with the line that mends it."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from django.core import checks as django_checks
from django.test import override_settings

from evennia_ai import checks, conf

OPENAI = "evennia_ai.llm.openai.OpenAIBackend"
OFFLINE = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}
HOOKS = ["evennia_ai.hooks"]


class ChecksTestCase(unittest.TestCase):
    def problems_of(self, *, hooks=HOOKS, given=None, **values):
        """Return the problems of a game that sets these values and nothing else."""
        with override_settings(
            EVENNIA_AI=values if given is None else given, AT_SERVER_STARTSTOP_MODULE=hooks
        ):
            return checks.problems()

    def problem_of(self, **values):
        """Return the one problem that there is, without the prefix of its id."""
        found = self.problems_of(**values)
        self.assertEqual(len(found), 1, found)
        return found[0]._replace(id=found[0].id.removeprefix("evennia_ai."))

    def assert_problem(self, problem, number, sentence, line):
        self.assertEqual((problem.id, problem.sentence, problem.line), (number, sentence, line))


class SoundSettingsTests(ChecksTestCase):
    def test_the_defaults_are_sound(self):
        self.assertEqual(self.problems_of(), [])

    def test_every_default_set_by_hand_is_sound(self):
        self.assertEqual(self.problems_of(given=dict(conf.DEFAULTS)), [])

    def test_values_of_a_careful_admin_are_sound(self):
        found = self.problems_of(
            LLM={"default": OFFLINE, "cheaper": OFFLINE, "score": OFFLINE},
            BUDGET={"player": {"tokens": None, "money": 0.5}, "server": {"tokens": 0}},
            RATE={"player": None},
            PRICES={"small-model": (0.15, 0.6), "free": [0, 0]},
            LEDGER_DAYS=0,
            TURN_DEADLINE=20,
            TOOL_MODULES=(..., "evennia_ai.tools.world"),
            CONTEXT_SECTIONS=[..., "evennia_ai.conf.given"],
            SLEEP_SCHEDULE={"enabled": True, "sleep_start_hour": 0, "sleep_duration_hours": 6.5},
            SLEEP_TOKENS=0,
        )
        self.assertEqual(found, [])


class LanguageTests(ChecksTestCase):
    def test_a_language_that_only_a_model_speaks_is_named_where_there_is_none(self):
        for code, model, expected in (
            ("fr", OFFLINE, ["evennia_ai.W113"]),
            ("sv-se", OFFLINE, []),
            (
                "fr",
                {"BACKEND": "evennia_ai.llm.scripted.ScriptedMind", "OPTIONS": {"replies": []}},
                [],
            ),
        ):
            with self.subTest(code=code), override_settings(LANGUAGE_CODE=code):
                found = self.problems_of(LLM={"default": model})
                self.assertEqual([one.id for one in found], expected)


class SlipTests(ChecksTestCase):
    """Slips that a page of settings invites."""

    def test_dicts_that_a_game_fills_are_sound(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "en.yaml"
            path.write_text("{}")
            found = self.problems_of(
                LANGUAGE_FILES={"en": str(path)},
                FACTS={"it is market day": "evennia_ai.conf.given"},
            )
        self.assertEqual(found, [])

    def test_a_step_that_is_written_almost_right_gets_a_suggestion(self):
        problem = self.problem_of(
            SLEEP_STEPS={"dreaming": ["evennia_ai.sleep.steps.run_reflectoin"]}
        )
        self.assertIn(
            "run_reflectoin\" attribute/class; did you mean 'evennia_ai.sleep.steps.run_reflection'?",
            problem.sentence,
        )

    def test_a_step_that_is_no_function_is_named(self):
        problem = self.problem_of(SLEEP_STEPS={"dreaming": ["evennia_ai.sleep.steps.LEFT_UNDONE"]})
        self.assertEqual(
            problem.sentence,
            "EVENNIA_AI[\"SLEEP_STEPS\"] names 'evennia_ai.sleep.steps.LEFT_UNDONE', which is no function.",
        )

    def test_each_of_these_is_named_in_a_sentence(self):
        for given, sentence in (
            ({"ALLOWED_COMMANDS": ["look", 2]}, '"ALLOWED_COMMANDS"] holds 2, which is not text.'),
            ({"TURN_DEADLINE": float("nan")}, "must be a number that one can count to, not nan."),
            ({"TURN_DEADLINE": float("inf")}, "must be a number that one can count to, not inf."),
            ({"MAX_STEPS": 10**400}, "must be a number that one can count to, not 10000"),
            ({"SLEEP_STEPS": {"dreaming": ["..."]}}, "names '...': "),
            ({"GAME_CLOCK": ".clock"}, "names '.clock': Empty module name."),
            ({"SPEAK": "nope.nope"}, "names 'nope.nope': No module named 'nope'."),
            (
                {"LLM": {"default": {"BACKEND": OPENAI, "OPTIONS": {"modle": "x"}}}},
                "unexpected keyword argument 'modle'.",
            ),
        ):
            with self.subTest(sentence):
                self.assertIn(sentence, self.problem_of(given=given).sentence)


def dateless():
    """Return a reading of a clock that has no calendar."""
    return 1, 2.0, 86_400.0


def undated():
    """Return the same of one that says that it has none."""
    return dateless()


undated.date = None


def of_somebody(npc):
    """Return what no clock does."""
    return npc


class ClockTests(ChecksTestCase):
    def test_one_without_a_date_is_named_until_it_says_that_it_has_none(self):
        self.assert_problem(
            self.problem_of(GAME_CLOCK="tests.test_checks.dateless"),
            "W036",
            "EVENNIA_AI[\"GAME_CLOCK\"] names 'tests.test_checks.dateless', which has no `date`: prompts tell "
            "none, and nothing that is promised for a Friday is due.",
            "dateless.date = None  # beside that function; or one that returns a date or words",
        )
        self.assertEqual(self.problems_of(GAME_CLOCK="tests.test_checks.undated"), [])
        ours = "evennia_ai.contrib.custom_gametime.game_clock"
        self.assertEqual(self.problems_of(GAME_CLOCK=ours), [])

    def test_one_that_wants_to_know_more_is_named(self):
        problem = self.problem_of(GAME_CLOCK="tests.test_checks.of_somebody")
        self.assertEqual(problem.id, "E035")
        self.assertIn("cannot be called without arguments", problem.sentence)


class ServerTests(ChecksTestCase):
    def test_missing_hooks_are_named_with_the_modules_that_are_there(self):
        problem = self.problem_of(hooks="server.conf.at_server_startstop")
        self.assertEqual(problem.id, "E003")
        self.assertEqual(
            problem.line,
            'AT_SERVER_STARTSTOP_MODULE = ["server.conf.at_server_startstop", "evennia_ai.hooks"]',
        )

    def test_hooks_may_be_one_of_several_modules_or_text(self):
        self.assertEqual(self.problems_of(hooks=("server.conf.startstop", *HOOKS)), [])
        self.assertEqual(self.problems_of(hooks="evennia_ai.hooks"), [])

    def test_no_hooks_at_all(self):
        self.assertEqual(
            self.problem_of(hooks=None).line, 'AT_SERVER_STARTSTOP_MODULE = ["evennia_ai.hooks"]'
        )

    def test_a_missing_app_is_named(self):
        with mock.patch.object(checks.apps, "is_installed", return_value=False):
            self.assert_problem(
                self.problem_of(),
                "E002",
                "INSTALLED_APPS lacks evennia_ai.",
                'INSTALLED_APPS = INSTALLED_APPS + ["evennia_ai"]',
            )

    def test_players_must_not_be_assistants(self):
        path = "evennia_ai.typeclasses.characters.AssistantCharacter"
        with override_settings(BASE_CHARACTER_TYPECLASS=path):
            problem = self.problem_of()
        self.assertEqual(problem.id, "E004")
        self.assertIn("BASE_CHARACTER_TYPECLASS is a typeclass of an assistant", problem.sentence)


class KeyTests(ChecksTestCase):
    def test_what_is_no_dict_is_named_and_nothing_else_is_looked_at(self):
        self.assert_problem(
            self.problem_of(given=["MAX_STEPS"]),
            "E001",
            "EVENNIA_AI must be a dict.",
            'EVENNIA_AI = {"TURN_DEADLINE": 30.0}',
        )

    def test_a_slip_of_the_pen_gets_a_suggestion(self):
        self.assert_problem(
            self.problem_of(TURN_DEADLIN=3.0),
            "W005",
            "EVENNIA_AI has no key 'TURN_DEADLIN'; did you mean 'TURN_DEADLINE'?",
            'EVENNIA_AI["TURN_DEADLINE"] = …',
        )

    def test_case_does_not_hide_the_suggestion(self):
        self.assertIn("did you mean 'MAX_STEPS'?", self.problem_of(max_steps=3).sentence)

    def test_a_former_setting_points_to_the_page(self):
        self.assert_problem(
            self.problem_of(TURN_DELAY=0.3),
            "W005",
            "EVENNIA_AI has no key 'TURN_DELAY'.",
            "del EVENNIA_AI['TURN_DELAY']  # see docs/settings.md",
        )

    def test_keys_inside_a_dict_are_looked_at(self):
        self.assert_problem(
            self.problem_of(RATE={"players": 3}),
            "W005",
            "EVENNIA_AI[\"RATE\"] has no key 'players'; did you mean 'player'?",
            'EVENNIA_AI["RATE"]["player"] = …',
        )

    def test_a_key_that_is_no_text_is_unknown(self):
        self.assertIn("has no key 7.", self.problem_of(given={7: 7}).sentence)


class ValueTests(ChecksTestCase):
    # Setting, value, the end of the sentence.
    WRONG = (
        ("MAX_STEPS", "5", "must be a whole number, not '5'."),
        ("MAX_STEPS", 2.5, "must be a whole number, not 2.5."),
        ("MAX_STEPS", True, "must be a whole number, not True."),
        ("MAX_STEPS", 0, "must be more than 0, not 0."),
        ("LEDGER_DAYS", -1, "must be 0 or more, not -1."),
        ("TURN_DEADLINE", None, "must be a number, not None."),
        ("ALLOW_MODEL_REQUESTS", 1, "must be True or False, not 1."),
        ("SPEAK", ["a"], "must be text in quotes, not ['a']."),
        ("NPC_MODELS", "big", "must be a list, not 'big'."),
        ("RATE", 30, "must be a dict, not 30."),
        ("ROOM_TALK", "private", "must be one of public, heard, not 'private'."),
        ("GOSSIP", "always", "must be one of never, friends, freely, not 'always'."),
        ("TELL_RANGE", "", "must be one of room, anywhere, not ''."),
        ("LLM", "gpt", "must be a dict, not 'gpt'."),
        ("PRICES", {"big": 3}, "must give 'big' two numbers, (prompt, completion), not 3."),
        ("PRICES", {"b": (1, -1)}, "must give 'b' two numbers, (prompt, completion), not (1, -1)."),
    )
    # Setting, key, value, the end of the sentence.
    WRONG_INSIDE = (
        ("RATE", "player", "3", "must be a whole number, not '3'."),
        ("RATE", "player", -3, "must be 0 or more, not -3."),
        ("EXPERIENCE", "DECISIONS", 0, "must be more than 0, not 0."),
        ("EXPERIENCE", "DECISIONS", None, "must be a whole number, not None."),
        ("BUDGET", "server", 100, "must be a dict, not 100."),
        ("BUDGET", "server", {"tokens": -1}, "is wrong: 'tokens' must be 0 or more, not -1."),
        ("BUDGET", "server", {"money": "5"}, "is wrong: 'money' must be a number, not '5'."),
        ("BUDGET", "server", {"cents": 5}, "has no key 'cents', only tokens and money."),
        ("COMMAND_KEYS", "tell", 5, "must be text in quotes, not 5."),
    )

    def test_wrong_values(self):
        for name, value, end in self.WRONG:
            with self.subTest(name=name, value=value):
                problem = self.problem_of(**{name: value})
                self.assertEqual(problem.id, "E006")
                self.assertEqual(problem.sentence, f'EVENNIA_AI["{name}"] {end}')

    def test_hours_of_sleep_that_make_no_sense(self):
        problem = self.problem_of(SLEEP_SCHEDULE={"sleep_start_hour": 25})
        self.assertEqual(
            (problem.id, problem.sentence),
            (
                "E006",
                'EVENNIA_AI["SLEEP_SCHEDULE"] makes no sense: '
                "sleep_start_hour is 25; it must be 0 to 23.",
            ),
        )

    def test_wrong_values_inside_a_dict(self):
        for name, key, value, end in self.WRONG_INSIDE:
            with self.subTest(name=name, key=key, value=value):
                problem = self.problem_of(**{name: {key: value}})
                self.assertEqual(problem.id, "E006")
                self.assertEqual(problem.sentence, f'EVENNIA_AI["{name}"]["{key}"] {end}')

    def test_that_no_npc_speaks_first_is_no_mistake(self):
        self.assertEqual(self.problems_of(OCCASIONS={"room": 0, "player": 0}), [])

    def test_the_line_to_paste_sets_the_default(self):
        self.assertEqual(self.problem_of(MAX_STEPS=0).line, 'EVENNIA_AI["MAX_STEPS"] = 5')
        self.assertEqual(
            self.problem_of(FAVORABILITY={"day": 0}).line,
            "EVENNIA_AI[\"FAVORABILITY\"] = {'call': 0.1, 'day': 0.2}",
        )


class PathTests(ChecksTestCase):
    def test_a_hook_that_leads_nowhere_is_named(self):
        problem = self.problem_of(SPEAK="world.ai_speech.speak")
        self.assert_problem(
            problem,
            "E007",
            "EVENNIA_AI[\"SPEAK\"] names 'world.ai_speech.speak': "
            "No module named 'world.ai_speech'.",
            "EVENNIA_AI[\"SPEAK\"] = 'evennia_ai.agent.speech.speak'",
        )

    def test_a_name_that_the_module_lacks_is_named(self):
        self.assertIn(
            'does not define a "nothing"',
            self.problem_of(CAN_ACT="evennia_ai.conf.nothing").sentence,
        )

    def test_a_hook_that_is_no_function_is_named(self):
        self.assert_problem(
            self.problem_of(MAY_SAY="evennia_ai.checks.TYPE_WORDS"),
            "E007",
            "EVENNIA_AI[\"MAY_SAY\"] names 'evennia_ai.checks.TYPE_WORDS', which is no function.",
            "EVENNIA_AI[\"MAY_SAY\"] = 'evennia_ai.permission.may_say'",
        )

    def test_a_file_of_words_that_cannot_be_read_is_named(self):
        problem = self.problem_of(FORBIDDEN_WORDS={"file": "world/nowhere.txt"})
        self.assertEqual(problem.id, "E017")
        self.assertRegex(
            problem.sentence,
            r"names 'world/nowhere.txt', which cannot be read: .+\. Until it can, no NPC says",
        )

    def test_words_are_text(self):
        problem = self.problem_of(FORBIDDEN_WORDS={"words": ["damn", 7]})
        self.assertEqual(
            problem.sentence, 'EVENNIA_AI["FORBIDDEN_WORDS"] holds 7, which is not text.'
        )
        self.assertEqual(self.problems_of(FORBIDDEN_WORDS={"words": [..., "damn"]}), [])

    def test_lists_of_paths_are_followed(self):
        for name in ("LLM_WRAPPERS", "CONTEXT_SECTIONS", "TOOL_MODULES"):
            with self.subTest(name):
                problem = self.problem_of(**{name: [..., "nowhere.at_all"]})
                self.assertEqual(problem.id, "E007")
                self.assertIn("names 'nowhere.at_all': No module named", problem.sentence)
                self.assertEqual(problem.line, f'EVENNIA_AI["{name}"] = [...]')

    def test_steps_of_sleep_are_followed_phase_by_phase(self):
        problem = self.problem_of(SLEEP_STEPS={"dreaming": [..., "nowhere.at_all"]})
        self.assertEqual(problem.id, "E007")
        self.assertIn("names 'nowhere.at_all': No module named", problem.sentence)
        self.assertEqual(problem.line, 'EVENNIA_AI["SLEEP_STEPS"] = {"dreaming": [...]}')
        self.assertEqual(self.problems_of(SLEEP_STEPS={"dreaming": ["evennia_ai.conf.given"]}), [])

    def test_a_tool_module_is_a_module_and_a_section_is_a_function(self):
        self.assertEqual(self.problems_of(TOOL_MODULES=["evennia_ai.conf"]), [])
        self.assertEqual(self.problem_of(TOOL_MODULES=["evennia_ai.conf.given"]).id, "E007")

    def test_what_is_no_text_is_named(self):
        self.assertIn("holds 5, which is not text", self.problem_of(TOOL_MODULES=[5]).sentence)


class ModelTests(ChecksTestCase):
    def problem_of_model(self, described, alias="default"):
        return self.problem_of(LLM={"default": OFFLINE, alias: described})

    def test_a_default_is_needed(self):
        self.assert_problem(
            self.problem_of(LLM={"reply": OFFLINE}),
            "E008",
            'EVENNIA_AI["LLM"] has no "default".',
            'EVENNIA_AI["LLM"]["default"] = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}',
        )

    def test_each_attempt_is_counted_and_the_cheaper_model_is_reached(self):
        first, second, *others = conf.DEFAULTS["LLM_WRAPPERS"][1:]
        self.assertEqual(self.problems_of(LLM_WRAPPERS=[first, second]), [])
        problem = self.problem_of(LLM_WRAPPERS=[second, first])
        self.assertEqual(problem.id, "W018")
        self.assertIn("has Budget around Retry", problem.sentence)
        models = {"default": OFFLINE, "cheaper": OFFLINE}
        problem = self.problem_of(LLM=models, LLM_WRAPPERS=[first, second])
        self.assertIn('lacks Ladder, so that the alias "cheaper" never answers', problem.sentence)
        wrappers = [..., "evennia_ai.llm.wrappers.tape.Tape"]
        self.assertEqual(self.problems_of(LLM=models, LLM_WRAPPERS=wrappers), [])

    def test_an_alias_must_be_a_job(self):
        self.assertIn(
            "EVENNIA_AI[\"LLM\"] has no key 'summarize'; did you mean 'summarise'?",
            self.problem_of_model(OFFLINE, "summarize").sentence,
        )

    def test_a_description_must_be_a_dict_with_a_backend(self):
        for described in ("gpt", {}, {"BACKEND": 5}, {**OFFLINE, "OPTIONS": ["model"]}):
            with self.subTest(described=described):
                problem = self.problem_of_model(described)
                self.assertEqual(problem.id, "E009")
                self.assertIn("must be a dict with BACKEND", problem.sentence)

    def test_options_beside_the_options_are_named(self):
        problem = self.problem_of_model({**OFFLINE, "model": "x"})
        self.assertEqual(problem.id, "E009")
        self.assertIn("has no key 'model'; what a backend takes is OPTIONS", problem.sentence)

    def test_a_backend_that_is_not_there_is_named(self):
        problem = self.problem_of_model({"BACKEND": "world.minds.Parrot"}, "reply")
        self.assertEqual(problem.id, "E007")
        self.assertIn('EVENNIA_AI["LLM"]["reply"] names \'world.minds.Parrot\'', problem.sentence)

    def test_options_that_the_backend_does_not_take_are_named(self):
        problem = self.problem_of_model(
            {"BACKEND": OPENAI, "OPTIONS": {"model": "x", "adress": "y"}}
        )
        self.assertEqual(problem.id, "E010")
        self.assertIn("unexpected keyword argument 'adress'", problem.sentence)
        problem = self.problem_of_model({"BACKEND": OPENAI})
        self.assertRegex(problem.sentence, "missing a required .*argument: 'model'")

    def test_a_key_is_looked_for_in_the_environment_and_never_shown(self):
        described = {"BACKEND": OPENAI, "OPTIONS": {"model": "x", "api_key_env": "TAVERN_KEY"}}
        self.assert_problem(
            self.problem_of_model(described),
            "W011",
            'EVENNIA_AI["LLM"]["default"] takes its key from TAVERN_KEY, which is not set in the '
            "environment.",
            "export TAVERN_KEY=…",
        )
        with mock.patch.dict(os.environ, {"TAVERN_KEY": "secret"}):
            self.assertEqual(self.problems_of(LLM={"default": described}), [])

    def test_missing_packages_of_the_client_are_named(self):
        described = {"BACKEND": OPENAI, "OPTIONS": {"model": "x"}}
        with mock.patch.object(checks.model_checks, "find_spec", lambda name: None):
            self.assert_problem(
                self.problem_of_model(described),
                "E012",
                'EVENNIA_AI["LLM"]["default"] needs openai and httpx2 and pydantic and '
                "json-repair, which are not installed.",
                "pip install openai httpx2 pydantic json-repair",
            )
        with mock.patch.object(
            checks.model_checks, "find_spec", lambda name: name != "openai" or None
        ):
            problem = self.problem_of_model(described)
        self.assertIn("needs openai, which is not installed.", problem.sentence)
        self.assertEqual(problem.line, "pip install openai")

    def test_the_offline_mind_needs_no_package(self):
        with mock.patch.object(checks.model_checks, "find_spec", lambda name: None):
            self.assertEqual(self.problems_of(), [])


class RegisteredTests(ChecksTestCase):
    def test_evennia_check_prints_the_sentence_and_the_line(self):
        with override_settings(EVENNIA_AI={"MAX_STEPS": 0}):
            [message] = django_checks.run_checks(tags=["evennia_ai"])
        self.assertEqual(
            (message.level, message.msg, message.hint, message.id),
            (
                django_checks.ERROR,
                'EVENNIA_AI["MAX_STEPS"] must be more than 0, not 0.',
                'EVENNIA_AI["MAX_STEPS"] = 5',
                "evennia_ai.E006",
            ),
        )

    def test_errors_stand_before_warnings(self):
        found = self.problems_of(MAX_STEPS=0, TURN_DEADLIN=1)
        self.assertEqual([problem.id[-4:] for problem in found], ["E006", "W005"])
