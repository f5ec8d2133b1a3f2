from unittest import TestCase

from evennia.utils.ansi import strip_ansi

from evennia_ai.commands import formatting

MARA = {
    "name": "Mara(#8)",
    "where": "Tavern",
    "on": True,
    "halted": False,
    "played_by": "",
    "mode": "awake",
    "mind": "model gpt-x",
    "thinking": False,
    "waiting": 0,
    "oldest": None,
    "tick": 5,
    "counters": {},
    "talks_with": [],
    "channels": [],
    "problems": [],
    "turns": 0,
}


def plain(text):
    """Return what is read on the screen, without runs of blanks."""
    return [" ".join(line.split()) for line in strip_ansi(text).splitlines()]


class ModeTests(TestCase):
    def shown(self, **changes):
        night = {
            "mode": "sleep",
            "depth": "light",
            "phase": "dreaming",
            "degraded": False,
            "since": 180.0,
            "left": 3540.0,
            "reason": "it has much to think about",
            "turns": 0,
        }
        return formatting.mode({**night, **changes})

    def test_how_it_sleeps_for_how_long_and_why(self):
        for changes, text in (
            ({}, "sleep (light, dreaming), for 3 min, 59 min left, it has much to think about"),
            (
                {"depth": "deep", "phase": "compacting", "reason": ""},
                "sleep (deep, compacting), for 3 min, 59 min left",
            ),
            (
                {"degraded": True, "left": None, "reason": ""},
                "sleep (light, dreaming, gave up on the day), for 3 min",
            ),
            ({"phase": None, "since": None, "left": None, "reason": ""}, "sleep (light)"),
        ):
            self.assertEqual(self.shown(**changes), text)

    def test_since_when_it_is_awake_and_what_it_did(self):
        for changes, text in (
            ({"since": None}, "awake"),
            ({"since": 7200.0}, "awake for 2 h, nothing since"),
            ({"since": 7200.0, "turns": 1}, "awake for 2 h, 1 turn since"),
        ):
            self.assertEqual(self.shown(mode="awake", **changes), text)


class StatusTests(TestCase):
    def shown(self, **changes):
        return plain(formatting.status({**MARA, **changes}))

    def test_each_thing_has_its_line(self):
        self.assertEqual(
            self.shown(),
            [
                "Mara(#8)",
                "where Tavern",
                "switch on",
                "mode awake",
                "mind model gpt-x",
                "now at rest",
                "waiting nothing",
                "ticks every 5 s",
                "so far nothing",
                "talks with nobody here",
                "channels none",
            ],
        )

    def test_what_changes_is_told(self):
        for changes, line in (
            ({"where": ""}, "where nowhere"),
            ({"on": False}, "switch off"),
            ({"on": False}, "ticks not while it is off"),
            ({"on": False, "halted": True}, "switch off, but every mind is halted"),
            ({"halted": True, "played_by": "Ann"}, "switch on, but every mind is halted"),
            ({"played_by": "Ann"}, "switch on, but silent while Ann plays it"),
            ({"on": False, "played_by": "Ann"}, "switch off"),
            ({"mode": "sleep"}, "mode sleep"),
            ({"thinking": True}, "now thinking"),
            ({"waiting": 1, "oldest": 61.0}, "waiting 1 event, the oldest for 1 min"),
            ({"waiting": 2, "oldest": 0.4}, "waiting 2 events, the oldest for 0 s"),
            ({"counters": {"turns": 1, "failures": 0}}, "so far 1 turn"),
            ({"counters": {"failures": 1, "turns": 12}}, "so far 12 turns, 1 failure"),
            (
                {"talks_with": [("Ann", 1, 3.0), ("Bob", 4, 7300.0)]},
                "talks with Ann (1 line, the last 3 s ago), Bob (4 lines, the last 2 h ago)",
            ),
            (
                {"channels": [("public", "answer", True), ("trade", "listen", True)]},
                "channels public (answers everything), trade (listens)",
            ),
            (
                {"channels": [("old", "named", False)]},
                "channels old (answers to its name; there is no channel of that name now)",
            ),
        ):
            with self.subTest(line):
                self.assertIn(line, self.shown(**changes))

    def test_problems_come_last(self):
        self.assertEqual(self.shown(problems=["One.", "Two."])[-2:], ["One.", "Two."])


class CountersTests(TestCase):
    def test_the_known_ones_come_first_and_none_is_left_out(self):
        counted = {"naps": 2, "failures": 3, "turns": 1, "excuses": 1, "walks": 0}
        self.assertEqual(formatting.counters(counted), "1 turn, 1 excuse, 3 failures, 2 naps")

    def test_nothing_counted_is_nothing(self):
        self.assertEqual(formatting.counters({}), "nothing")
        self.assertEqual(formatting.counters({"turns": 0}), "nothing")


class AgoTests(TestCase):
    def test_the_largest_unit_that_fits_is_told(self):
        for seconds, expected in {
            0: "0 s",
            0.9: "0 s",
            59.9: "59 s",
            60: "1 min",
            3599: "59 min",
            3600: "1 h",
            86399: "23 h",
            86400: "1 d",
            864000: "10 d",
        }.items():
            with self.subTest(seconds):
                self.assertEqual(formatting.ago(seconds), expected)


class OverviewTests(TestCase):
    ROW = {"name": "Mara(#8)", "where": "Tavern", "on": True, "mode": "awake"}

    def shown(self, *rows, **options):
        whole = [{**self.ROW, "waiting": 0, "turns": 3, **row} for row in rows]
        return plain(formatting.overview(whole, key="@ai", **options))

    def test_each_assistant_is_a_row(self):
        header, _, *rows = self.shown({}, {"name": "Bob(#9)", "where": "", "on": False})
        self.assertEqual(header, "Name Where On Mode Waiting Turns")
        self.assertEqual(rows, ["Mara(#8) Tavern on awake 0 3", "Bob(#9) nowhere off awake 0 3"])

    def test_none_is_told_with_the_command_that_makes_one(self):
        expected = "There is no assistant yet. Make one with: @ai/create <name> = <who it is>"
        self.assertEqual(self.shown(), [expected])

    def test_a_halt_comes_first_and_what_is_left_last(self):
        shown = self.shown({}, left=7, halted="@minds")
        self.assertEqual(shown[0], "Every mind is halted. @minds/resume lets them go on.")
        self.assertEqual(shown[-1], "… and 7 more: @ai/list <part of a name>")

    def test_a_halt_is_told_where_there_is_nobody(self):
        self.assertEqual(len(self.shown(halted="@minds")), 2)


class ModelOptionsTests(TestCase):
    def shown(self, set_in=(), **options):
        return formatting.model_options(options, set_in)

    def test_what_is_no_secret_is_shown(self):
        self.assertEqual(
            self.shown(model="gpt-x", concurrency=4, tools="json", reasoning_effort=None),
            "model='gpt-x', concurrency=4, tools='json', reasoning_effort=None",
        )

    def test_whatever_may_be_a_secret_is_only_said_to_be_there(self):
        for options, expected in (
            ({"api_key": "sk-1"}, "api_key=set"),
            ({"api_key": ""}, "api_key=not set"),
            ({"api_key": None}, "api_key=not set"),
            ({"api_key": 12345}, "api_key=set"),
            ({"token": 12345}, "token=set"),
            ({"password": "hunter2"}, "password=set"),
            ({"extra": {"headers": {"Authorization": "Bearer x"}}}, "extra=set"),
            ({"extra": {}}, "extra=not set"),
            ({"header": "Bearer sk-1"}, "header=set"),
            ({"model": {"Authorization": "Bearer x"}}, "model=set"),
        ):
            with self.subTest(options):
                self.assertEqual(self.shown(**options), expected)

    def test_a_number_of_tokens_is_no_secret(self):
        self.assertEqual(self.shown(max_tokens=300), "max_tokens=300")

    def test_a_key_from_the_environment_is_said_to_be_there(self):
        variable = {"api_key_env": "OPENAI_API_KEY"}
        expected = "api_key_env='OPENAI_API_KEY', key set"
        self.assertEqual(self.shown(["OPENAI_API_KEY"], **variable), expected)
        expected = "api_key_env='OPENAI_API_KEY', key not set"
        self.assertEqual(self.shown(["HOME"], **variable), expected)

    def test_a_server_without_a_key_is_said_to_have_none(self):
        self.assertEqual(
            self.shown(base_url="http://localhost:11434/v1"),
            "base_url=http://localhost:11434/v1, key not set",
        )

    def test_an_address_is_shown_without_what_gives_access(self):
        for url, expected in {
            "https://ann:hunter2@host:8000/v1": "https://host:8000/v1",
            "https://host/v1?key=hunter2#hunter2": "https://host/v1",
            "hunter2": "set",
            "http://[hunter2": "set, but no address",
        }.items():
            with self.subTest(url):
                shown = self.shown(base_url=url, api_key="")
                self.assertEqual(shown, f"base_url={expected}, api_key=not set")

    def test_none_are_nothing(self):
        self.assertEqual(self.shown(), "")


class ConfigTests(TestCase):
    MODELS = {"default": {"BACKEND": "llm.Mind"}, "score": {"OPTIONS": {"model": "m|rx"}}}

    def shown(self, changed, models=None):
        return plain(formatting.config(changed, models or self.MODELS, set_in=()))

    def test_settings_stand_in_order_as_one_would_write_them(self):
        lines = self.shown({"TICK_RATE": 9, "FALLBACK_LINES": ["|rHm.|n"]})
        expected = ["EVENNIA_AI", "FALLBACK_LINES = ['|rHm.|n']", "TICK_RATE = 9"]
        self.assertEqual(lines[:3], expected)

    def test_nothing_changed_is_told(self):
        self.assertEqual(self.shown({})[1], "Every setting has its default.")

    def test_each_alias_is_a_row(self):
        rows = ["Models", "default = llm.Mind", "score = ? (model='m|rx')"]
        self.assertEqual(self.shown({})[3:], rows)

    def test_what_has_another_shape_is_a_question_mark(self):
        models = {"a": "offline", "b": {"BACKEND": "x", "OPTIONS": ["y"]}}
        self.assertEqual(self.shown({}, models)[4:], ["a = ?", "b = x (?)"])


class DoctorTests(TestCase):
    def test_no_problem_is_told(self):
        self.assertEqual(formatting.doctor([]), "All is well.")

    def test_each_problem_has_its_line_to_paste(self):
        shown = formatting.doctor(
            [
                {"severe": True, "sentence": "X is {bad}.", "line": 'X = "|rgood|n"'},
                {"severe": False, "sentence": "Y is odd.", "line": ""},
            ]
        )
        self.assertEqual(
            plain(shown), ["wrong X is {bad}.", 'paste X = "|rgood|n"', "minor Y is odd."]
        )
