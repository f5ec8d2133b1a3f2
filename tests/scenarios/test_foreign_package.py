"""docs/extending.md as a package of somebody else: its files, its lines, and a game that plays them."""

import ast
import json
import re
import sqlite3
import unittest
from contextlib import closing
from functools import partial

from django.test import tag

from evennia_ai import checks, conf
from tests.scenarios.built_game import BuiltGame, Installed, typed
from tests.scenarios.game import ROOT

PAGE = ROOT / "docs" / "extending.md"
PACKAGE = "mygame_minds"
# What names a class or a function of a game; the settings that are lists or hooks, and these.
BY_PATH = {*checks.HOOKS, *checks.PATH_LISTS, "LLM", "SEMANTIC", "EXPERIENCE", "SLEEP_STEPS"}
BY_PATH |= {*checks.PATH_DICTS, "KINDS"}
# PARSE_SPEECH is for all types of speech what SPEECH_TYPES is for one.
# TYPECLASS is one of the game's own, told of where NPCs are made.
TOLD_IN_WORDS = {"PARSE_SPEECH", "TYPECLASS"}
PUBLIC = ("evennia_ai.api", "evennia_ai.testing", "evennia_ai")
# For kinds of memory alone.
PUBLIC += ("evennia_ai.memory.kinds", "evennia_ai.memory.repository")

ANSWERS = [
    {"heard": "tomorrow", "use": "forecast", "with": {"days": 1}},
    {"heard": "next year", "use": "forecast", "with": {"days": 365}},
    {"heard": "two ales", "say": "Two ales, at once!"},
    {"heard": "ale", "say": "It is brewed by old Tam."},
]
# Seconds that a night may take on a busy machine.
NIGHT = 60
QUICK = {"TICK_RATE": 1, "SLEEP_SCHEDULE": {"tick_rate_sleep": 1}}
# A model of which nothing else is asked, so that wrappers stand around it.
SCRIPTED = {
    "BACKEND": "evennia_ai.llm.scripted.ScriptedMind",
    "OPTIONS": {"replies": ["I wrote."]},
}

TEST_SETTINGS = "server/conf/test_settings.py"
# Tables are made at once, which takes a fifth of the time.
NO_MIGRATIONS = 'DATABASES["default"]["TEST"] = {"MIGRATE": False}\n'

# Its first answer lets the words be said, its second does not.
MODERATING = {
    "BACKEND": "evennia_ai.llm.scripted.ScriptedMind",
    "OPTIONS": {"replies": ["Yes.", "NO"], "repeat": True},
}

# What the test looks at from within the game.
PROBE = """
from datetime import datetime, timedelta, timezone

from evennia.utils.search import search_object

from evennia_ai import api
from evennia_ai.agent import trace
from evennia_ai.memory import identity, working_memory
from evennia_ai.experience import turn_decisions


def found(name):
    [obj] = search_object(name, exact=True)
    return obj


def remove(name):
    return found(name).delete()


def put(name, **values):
    for key, value in values.items():
        found(name).attributes.add(key, value)


def place(name):
    return found(name).location.key


def prompt(name):
    return str(trace.turns(found(name).id)[0].record.messages)


def note(name, content, *, days, chain=()):
    then = datetime.now(timezone.utc) - timedelta(days=days)
    told = [{"identity": "somebody", "name": teller} for teller in chain]
    api.add_entry(found(name), content, chain=told, now=then, importance=9)


def journal(name):
    return [entry.content for entry in api.journal_entries(found(name))]


def rewards(name):
    kept = turn_decisions.recent(found(name).assistant)
    return [(one.settled, round(one.reward, 2)) for one in kept]


def debts(name, *, coins=0):
    from mygame_minds import debts

    npc, who = found(name), api.identity_of(found("Keeper"))
    if coins:
        debts.owe(npc, who, coins)
    return debts.owed(npc, who)


def lines_with(name, other, disguise):
    other = found(other)
    other.db.disguise = disguise
    lines = working_memory.lines_with(found(name), identity.perceived(found(name), other))
    return [line.text for line in lines if not line.mine]


def model_of(job):
    model = api.get_llm(job)
    while hasattr(model, "inner"):
        model = model.inner
    return model


def sent(words):
    api.get_llm("questions").complete(
        api.Request("questions", [{"role": "user", "content": words}])
    )
    return model_of("questions").requests[-1].messages[0]["content"]


def moderated():
    return [request.messages[1]["content"] for request in model_of("moderate").requests]
"""


def files(path=rf"{PACKAGE}/\w+\.py"):
    """Return the files of the package, or those of another path, as {path: code}."""
    return dict(re.findall(rf"```python\n# ({path})\n(.*?)```", PAGE.read_text(), re.S))


def lines():
    """Return what switches each on, as [(code, the dict that it sets)]."""
    blocks = re.findall(r"```python\n(EVENNIA_AI\[.*?)```", PAGE.read_text(), re.S)
    parsed = [(block, ast.parse(block).body[0]) for block in blocks]
    return [
        (block, {node.targets[0].slice.value: ast.literal_eval(node.value)})
        for block, node in parsed
    ]


class PageTests(unittest.TestCase):
    """What the page says of itself, without a game."""

    def test_every_setting_that_names_code_has_one_line(self):
        keys = [key for _, line in lines() for key in line]
        self.assertEqual(sorted(keys), sorted(BY_PATH - TOLD_IN_WORDS))
        self.assertEqual(BY_PATH - conf.DEFAULTS.keys(), set())
        for name in TOLD_IN_WORDS:
            self.assertIn(f"`{name}`", PAGE.read_text())

    def test_one_line_names_one_function_or_class_of_one_file(self):
        named = [re.findall(rf"{PACKAGE}\.(\w+)(?:\.(\w+))?", block) for block, _ in lines()]
        self.assertEqual({len(names) for names in named}, {1})
        modules = [names[0][0] for names in named]
        self.assertEqual(sorted([*modules, "tests"]), sorted(map(_module_of, files())))
        for [(module, name)] in named:
            public = [
                node.name
                for node in ast.parse(files()[f"{PACKAGE}/{module}.py"]).body
                if isinstance(node, (ast.ClassDef, ast.FunctionDef))
            ]
            # A kind is no class, but an instance.
            public += re.findall(r"^(\w+) = Kind\(", files()[f"{PACKAGE}/{module}.py"], re.M)
            # A module of tools is named as a whole.
            self.assertIn(name or "Forecast", public)

    def test_a_package_needs_no_other_names_than_the_public_ones(self):
        for path, code in files().items():
            nodes = list(ast.walk(ast.parse(code)))
            imported = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
            imported += [
                one.name for node in nodes if isinstance(node, ast.Import) for one in node.names
            ]
            ours = [name for name in imported if name.startswith("evennia_ai")]
            with self.subTest(path):
                self.assertEqual([name for name in ours if name not in PUBLIC], [])

    def test_each_file_is_complete(self):
        for path, code in files().items():
            with self.subTest(path):
                self.assertTrue(ast.get_docstring(ast.parse(code)))
                compile(code, path, "exec")


@tag("scenario")
class ForeignPackageTests(unittest.TestCase):
    """One game with the package installed beside ours; each test has NPCs of its own."""

    @classmethod
    def setUpClass(cls):
        cls.installed = Installed()
        cls.addClassCleanup(cls.installed.remove)
        for path, code in files().items():
            (cls.installed.packages / path).parent.mkdir(exist_ok=True)
            (cls.installed.packages / path).write_text(code, encoding="utf-8")
        (cls.installed.packages / PACKAGE / "__init__.py").touch()
        cls.game = BuiltGame(cls.installed, EVENNIA_AI=_settings())
        cls.addClassCleanup(cls.game.close)
        cls.game.prepare()
        world = cls.game.directory / "world"
        (world / "answers.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
        (world / "probe.py").write_text(PROBE, encoding="utf-8")
        path, code = TEST_SETTINGS, files(TEST_SETTINGS)[TEST_SETTINGS]
        (cls.game.directory / path).write_text(code + NO_MIGRATIONS, encoding="utf-8")
        cls.game.start(times=2)
        cls.keeper = cls.game.enter()
        cls.addClassCleanup(cls.keeper.connection.close)

    def setUp(self):
        self.keeper.stage.begin_step()
        self.addCleanup(self.check_quiet)

    def check_quiet(self):
        """Make sure that no error was logged."""
        self.assertEqual(self.game.tracebacks(), [], self.game.log()[-3000:])

    def probe(self, call):
        """Return what a function of PROBE returns in the game."""
        self.keeper.sends(f"py me.msg('= ' + repr(__import__('world.probe').probe.{call}))")
        return ast.literal_eval(self.keeper.sees(r"^= (.*)$")[1])

    def rows(self, name, query):
        """Return what an SQLite file of the game has."""
        with closing(sqlite3.connect(self.game.directory / "server" / f"{name}.db3")) as file:
            return file.execute(query).fetchall()

    def create(self, name):
        """Make an NPC with a mind in the room of the keeper, for one test."""
        self.keeper.sends(f"@assistant/create {name}")
        self.keeper.sees(f"You create {name}")
        self.addCleanup(self.probe, f"remove('{name}')")

    def hears(self, name, line, answer):
        """Type a line, and wait for what the NPC answers."""
        self.keeper.sends(line)
        self.keeper.sees(rf'^{name} says, "{answer}"$')

    def test_the_package_is_not_ours(self):
        self.keeper.sends(f'py __import__("{PACKAGE}").__file__')
        where = self.keeper.sees(rf"(/.*{PACKAGE}/__init__\.py)")[1]
        self.assertTrue(where.startswith(str(self.installed.packages)))
        self.assertFalse(where.startswith(str(ROOT)))

    def test_the_backend_answers_the_tool_is_used_and_the_section_stands_in_the_prompt(self):
        self.probe("put('Limbo', weather='a thin drizzle', forecast=['fog', 'sun'])")
        self.create("Ida")
        self.hears("Ida", "say Ida, how is the ale?", r"It is brewed by old Tam\.")
        self.hears("Ida", "say Ida, and the weather tomorrow?", r"In 1 day: fog\.")
        self.assertIn("The weather: a thin drizzle.", self.probe("prompt('Ida')"))
        self.hears("Ida", "say Ida, and next year?", r"I cannot tell\.")
        self.keeper.sends("@assistant/why Ida")
        self.keeper.sees(r"weather \d+")
        self.keeper.sees(r"forecast\(days=365\) → Error: days must be from 1 to 2, not 365\.")
        self.keeper.sees(r"answers")

    def test_the_step_forgets_rumours_at_night_and_nothing_else(self):
        self.create("Sela")
        self.probe("note('Sela', 'The miller is a wolf.', days=40, chain=['Bob'])")
        self.probe("note('Sela', 'The bridge fell into the river.', days=40)")
        self.probe("note('Sela', 'The king will come.', days=2, chain=['Bob'])")
        self.keeper.sends("@aimemory/sleep Sela = deep")
        self.keeper.sees("falls asleep")
        has_slept = partial(self.game.said, r"Sela\(#\d+\) wakes: the work of sleep is done")
        done = self.keeper.stage.pump(NIGHT, until=has_slept)
        self.assertTrue(done, self.game.log("server")[-2000:])
        kept = self.probe("journal('Sela')")
        self.assertNotIn("The miller is a wolf.", kept)
        self.assertIn("The bridge fell into the river.", kept)
        self.assertIn("The king will come.", kept)
        # What was copied to long-term memory in the same night, too.
        copied = self.rows("memory_harvest", "SELECT text FROM facts")
        self.assertNotIn(("The miller is a wolf.",), copied)
        self.assertIn(("The bridge fell into the river.",), copied)

    def test_the_reward_of_a_tip_is_in_the_decision_with_the_metric_and_the_embedder(self):
        self.create("Greta")
        for gift in ("coin", "rose"):
            self.keeper.sends(f"@create {gift};{gift}")
            self.keeper.sees("You create")
        self.hears("Greta", "say Greta, how is the ale?", r"It is brewed by old Tam\.")
        for gift in ("coin", "rose"):
            self.hears("Greta", f"give {gift} to Greta", r"Ask me something else\.")
        self.keeper.stage.pump(10, until=lambda: len(self.probe("rewards('Greta')")) == 3)
        # A gift is worth a half, a coin more; what came of the thanks for the rose is not known yet.
        rewards = [(True, 0.8), (True, 0.5), (False, 0.0)]
        self.assertEqual(self.probe("rewards('Greta')"), rewards)
        self.assertEqual([one["purse"] for one in self.metrics()], [0.0, 2.0, 2.0])

    def metrics(self):
        """Return the metrics of the last decisions, which all were found by the embedder."""
        rows = self.rows("evennia_ai_experience", "SELECT data, embedder FROM decisions")
        self.assertEqual({embedder for _, embedder in rows}, {"letters-1"})
        made = sorted((json.loads(data) for data, _ in rows), key=lambda one: one["timestamp"])
        return [one["metrics_snapshot"] for one in made[-3:]]

    def test_the_hook_hears_a_shout(self):
        self.create("Hanna")
        shout = '("Keeper shouts: HANNA, TWO ALES!", {"type": "shout"})'
        self.keeper.sends(f"py here.msg_contents({shout}, from_obj=me)")
        self.keeper.sees(r'^Hanna says, "Two ales, at once!"$')
        self.assertEqual(self.probe("lines_with('Hanna', 'Keeper', '')"), ["Hanna, two ales!"])

    def test_a_day_goes_by_the_clock_the_ferry_and_the_rain_of_the_game(self):
        self.create("Per")
        for name in ("Isle", "Skerry"):
            self.keeper.sends(f"dig {name}")
            self.keeper.sees(f"Created room {name}")
            self.addCleanup(self.probe, f"remove('{name}')")
            self.probe(f"put('{name}', ferry=True)")
        self.keeper.sends("@assistant/persona Per/routine = 11:00 isle")
        self.keeper.sees(r"^Line 1: a day of this game has no 11:00\.")
        self.keeper.sends("@assistant/persona Per/routine = 00:00 isle; 00:00 skerry [if raining]")
        self.keeper.sees("You write the routine of Per")
        at = partial(self.probe, "place('Per')")
        self.assertTrue(self.keeper.stage.pump(20, until=lambda: at() == "Isle"))
        self.probe("put('Isle', rain=True)")
        self.assertTrue(self.keeper.stage.pump(20, until=lambda: at() == "Skerry"))

    def test_the_mute_talk_with_their_hands(self):
        self.create("Rut")
        self.probe("put('Rut', is_mute=True)")
        self.keeper.sends("say Rut, how is the ale?")
        self.keeper.sees(r"^Rut signs: It is brewed by old Tam\.$")

    def test_a_model_stops_what_children_must_not_hear(self):
        self.create("Ida")
        self.hears("Ida", "say Ida, how is the ale?", r"It is brewed by old Tam\.")
        self.assertEqual(self.probe("moderated()"), [])
        self.probe("put('Keeper', is_child=True)")
        self.addCleanup(self.probe, "put('Keeper', is_child=False)")
        self.hears("Ida", "say Ida, two ales!", "Two ales, at once!")
        # Then the lines of its own are asked for, too.
        self.keeper.sends("say Ida, how is the ale?")
        self.keeper.sees(r"^Ida says, ")
        self.assertNotIn("Tam", self.keeper.seen[-1])
        quoted = ['"Two ales, at once!"', '"It is brewed by old Tam."']
        self.assertEqual(self.probe("moderated()")[:2], quoted)

    def test_who_is_disguised_is_somebody_else(self):
        self.create("Vera")
        self.hears("Vera", "say Vera, how is the ale?", r"It is brewed by old Tam\.")
        self.assertEqual(self.probe("lines_with('Vera', 'Keeper', 'a monk')"), [])
        self.hears("Vera", "say Vera, two ales!", "Two ales, at once!")
        told = [self.probe(f"lines_with('Vera', 'Keeper', {who!r})") for who in ("a monk", "")]
        self.assertEqual(told, [["Vera, two ales!"], ["Vera, how is the ale?"]])

    def test_who_fights_answers_when_the_fight_is_over(self):
        self.create("Wulf")
        self.probe("put('Wulf', in_combat=True)")
        self.keeper.sends("say Wulf, two ales!")
        self.assertFalse(self.keeper.stage.pump(2, until=lambda: self.saw("Wulf says")))
        self.probe("put('Wulf', in_combat=False)")
        self.keeper.sees(r'^Wulf says, "Two ales, at once!"$')

    def saw(self, words):
        """Return whether a line with these words came in this test."""
        return any(words in line for line in self.keeper.seen)

    def test_the_wrapper_keeps_addresses_from_a_model(self):
        self.assertEqual(
            self.probe("sent('Write to ann@example.org, please.')"), "Write to …, please."
        )

    def test_what_the_kind_keeps_is_out_of_reach_and_goes_when_everything_is_forgotten(self):
        self.create("Odd")
        self.assertEqual([self.probe(f"debts('Odd', coins={more})") for more in (3, 2)], [3, 5])
        self.keeper.sends("wipe Odd")
        self.keeper.sees("(?i)wiped")
        self.assertEqual(self.probe("debts('Odd')"), 5)
        self.keeper.sends("@aimemory/forget Odd = all")
        self.keeper.sees(r"\[y/N\]")
        self.keeper.sends("yes")
        self.keeper.sees("has forgotten")
        self.assertEqual(self.probe("debts('Odd')"), 0)

    def test_memory_lies_where_its_class_says(self):
        self.assertTrue((self.game.directory / "server" / "memory_harvest.db3").exists())
        self.assertFalse((self.game.directory / "server" / "evennia_ai_memory.db3").exists())

    def test_the_tests_of_the_page_pass_and_nothing_is_wrong_with_the_lines(self):
        printed = self.game.run(*_typed("evennia test"))
        self.assertIn("Found 1 test", printed)
        self.assertIn("System check identified no issues (0 silenced)", printed)
        self.assertRegex(printed, r"\nOK\n")


def _typed(command):
    """Return the words after `evennia` of a command that the page tells to type."""
    return typed(PAGE, command).split()[1:]


def _module_of(path):
    return path.removeprefix(f"{PACKAGE}/").removesuffix(".py")


def _settings():
    """Return all lines of the page as one dict, with what makes the game quick."""
    whole = {key: value for _, line in lines() for key, value in line.items()}
    whole["LLM"] = {**whole["LLM"], "questions": SCRIPTED, "moderate": MODERATING}
    return {**whole, **QUICK}
