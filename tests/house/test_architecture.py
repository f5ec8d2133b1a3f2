"""The code is built as docs/architecture.md says: arrows, names, errors, threads.

Each rule is first shown a sample that breaks it: a rule that cannot fail proves nothing.
"""

import re
import unittest

from tests.house import rules
from tests.house.rules import Module, read_modules

# Where all errors are caught once, logged with their traceback and counted.
BROAD_EXCEPTS = {"agent": 1, "semantic": 2, "sleep": 1, "tick": 1}


def sample(source, name="agent.loop"):
    """Return a module with this source, as if it stood in the package."""
    return Module(f"evennia_ai/{name.replace('.', '/')}.py", name, source)


def tearDownModule():  # noqa: N802
    """Let the trees of all modules go."""
    rules.parsed.cache_clear()


class RuleTestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.modules = read_modules("evennia_ai")

    def assert_rule_holds(self, rule):
        broken = [line for module in self.modules for line in rule(module)]
        self.assertFalse(broken, "\n" + "\n".join(broken))

    def assert_breaks(self, rule, source, name="agent.loop"):
        """One line of the sample, the second, breaks the rule."""
        module = sample(source, name)
        [broken] = rule(module)
        self.assertTrue(broken.startswith(f"{module.path}:2: "), broken)

    def assert_keeps(self, rule, source, name="agent.loop"):
        self.assertEqual(list(rule(sample(source, name))), [])


class ArrowTests(RuleTestCase):
    # Room, import.
    FORBIDDEN = (
        ("tools.base", "from evennia_ai.agent import loop"),
        ("agent.loop", "from evennia_ai import tick"),
        ("agent.loop", "import evennia_ai.typeclasses.scripts"),
        ("memory.journal", "from evennia_ai.llm.base import get_llm"),
        ("llm.base", "from evennia_ai.memory import journal"),
        ("core.records", "from evennia_ai import conf"),
        ("core.records", "from evennia_ai.domain import audience"),
        ("core.records", "from django.utils import timezone"),
        ("core.records", "import numpy"),
        ("domain.audience", "from evennia_ai import conf"),
        ("domain.audience", "from django.utils import timezone"),
        ("domain.audience", "import pydantic"),
        ("memory.journal", "from evennia_ai.lifecycle import waiting"),
        ("lifecycle.waiting", "from evennia_ai.tools import base"),
        ("prompts", "from evennia_ai import conf"),
        ("conf", "from evennia_ai import exceptions"),
        ("scheduling", "from evennia_ai import exceptions"),
        ("exceptions", "from evennia_ai import conf"),
        ("llm.base", "from evennia_ai.llm.openai import OpenAIBackend"),
        ("llm.base", "from evennia_ai.llm import offline"),
        ("api", "from evennia_ai.contrib.rpsystem import speak"),
        ("tick", "from .typeclasses import scripts"),
        ("tools.base", "from ..agent import loop"),
        ("", "from evennia_ai import conf"),
    )
    ALLOWED = (
        ("agent.loop", "from evennia_ai.tools import base"),
        ("agent.loop", "from evennia_ai.agent.turn import Turn"),
        ("tick", "from evennia_ai.agent import loop"),
        ("llm.base", "from evennia_ai import conf, exceptions, models, scheduling, prompts"),
        ("core.records", "import msgspec"),
        ("domain.choices.goal_rules", "from msgspec import structs"),
        ("domain.ranking", "import numpy"),
        ("domain.ranking", "from evennia_ai.core import records"),
        ("lifecycle.burial", "from evennia_ai.experience.base import get_experience"),
        ("tools.base", "from evennia_ai.lifecycle import waiting"),
        ("domain.ranking", "from evennia_ai.exceptions import ToolError"),
        ("tools.base", "from .registry import Tool"),
        ("llm.openai", "from evennia_ai.llm import openai_errors"),
        ("api", "from evennia_ai import __version__"),
        ("apps", "from evennia_ai import checks"),
        ("testing.minds", "from evennia_ai.typeclasses import scripts"),
    )

    def test_a_room_knows_only_what_stands_below_it(self):
        self.assert_rule_holds(rules.wrong_arrows)

    def test_each_room_has_its_place(self):
        self.assert_rule_holds(rules.unknown_rooms)
        self.assertEqual(len(list(rules.unknown_rooms(sample("", "helping.hand")))), 1)

    def test_forbidden_arrows_are_seen_also_inside_functions(self):
        for name, line in self.FORBIDDEN:
            with self.subTest(name=name, line=line):
                self.assert_breaks(rules.wrong_arrows, f"def function():\n    {line}", name)

    def test_allowed_arrows_are_not(self):
        for name, line in self.ALLOWED:
            with self.subTest(name=name, line=line):
                self.assert_keeps(rules.wrong_arrows, line, name)


class ImportTests(RuleTestCase):
    def test_heavy_packages_are_imported_where_they_are_used(self):
        self.assert_rule_holds(rules.early_imports)

    def test_an_early_import_is_seen(self):
        for line in ("import openai", "from pydantic import BaseModel", "import mem0.memory"):
            for above in ("", "try:\n    ", "class Backend:\n    "):
                source = f"{above or chr(10)}{line}"
                if above.startswith("try"):
                    source += "\nexcept ImportError:\n    pass"
                with self.subTest(source=source):
                    self.assert_breaks(rules.early_imports, source)

    def test_a_late_import_and_one_for_types_are_fine(self):
        self.assert_keeps(rules.early_imports, "def function():\n    import openai")
        self.assert_keeps(rules.early_imports, "if TYPE_CHECKING:\n    import openai")
        self.assert_keeps(rules.early_imports, "from evennia_ai.llm import openai")

    def test_names_of_evennia_come_from_the_module_that_defines_them(self):
        self.assert_rule_holds(rules.shallow_evennia_imports)
        self.assert_breaks(rules.shallow_evennia_imports, "\nfrom evennia import DefaultCharacter")
        self.assert_keeps(
            rules.shallow_evennia_imports, "import evennia\nfrom evennia.utils import logger"
        )

    def test_only_conf_reads_the_settings(self):
        self.assert_rule_holds(rules.settings_read)
        for line in ("settings.EVENNIA_AI", "getattr(settings, 'EVENNIA_AI', {})"):
            with self.subTest(line):
                self.assert_breaks(rules.settings_read, f"\n{line}")
                self.assert_keeps(rules.settings_read, f"\n{line}", "conf")


class NameTests(RuleTestCase):
    def test_rooms_say_what_they_hold(self):
        self.assert_rule_holds(rules.bad_names)

    def test_a_room_for_everything_is_seen(self):
        for name in ("utils", "agent.helpers", "memory.common.text"):
            with self.subTest(name):
                self.assertEqual(len(list(rules.bad_names(sample("", name)))), 1)

    def test_the_first_line_of_a_module_is_a_label(self):
        self.assert_rule_holds(rules.riddles)
        self.assertEqual(len(list(rules.riddles(sample('"""How words get out of a turn."""')))), 1)
        self.assertEqual(list(rules.riddles(sample('"""Delivery of an answer."""'))), [])


class PageTests(unittest.TestCase):
    """A newcomer who follows docs/architecture.md finds what it names."""

    def test_each_place_on_the_page_is_there(self):
        page = (rules.ROOT / "docs" / "architecture.md").read_text("utf-8")
        named = set(re.findall(r"`([\w/.]+/[\w/.]*)`", page))
        self.assertGreater(len(named), 100)
        self.assertEqual([one for one in sorted(named) if not self.is_there(one)], [])
        for wrong in ("agent/looop.py", "memory/nowhere/", "agent/looop.run_agent"):
            self.assertFalse(self.is_there(wrong), wrong)

    def test_each_name_is_in_the_file_that_it_is_said_to_be_in(self):
        page = (rules.ROOT / "docs" / "architecture.md").read_text("utf-8")
        named = re.findall(r"`(\w+)`(?: \([^)]*\))? in `([\w/]+\.py)`", page)
        paths = re.findall(r"`([\w/]+/\w+)\.(?!py`|md`|yaml`)(\w+)`", page)
        named += [(name, f"{path}.py") for path, name in paths]
        self.assertGreater(len(named), 60)
        self.assertEqual([one for one in named if not self.holds(*one)], [])
        self.assertFalse(self.holds("run_agents", "agent/loop.py"))

    def holds(self, name, file):
        """Return whether a word stands in a file, which is named by the end of its path."""
        found = [
            path
            for path in (rules.ROOT / "evennia_ai").rglob("*.py")
            if path.as_posix().endswith(f"/{file}")
        ]
        return any(re.search(rf"\b{name}\b", path.read_text("utf-8")) for path in found)

    def is_there(self, place):
        """Return whether a folder, a module (with or without its ending) or a function in one is there."""
        place = place.removeprefix("evennia_ai/")
        names = (place, f"{place}.py", f"{place.rpartition('.')[0]}.py")
        return any(
            (rules.ROOT / folder / name).exists() for folder in ("evennia_ai", "") for name in names
        )


class ErrorTests(RuleTestCase):
    def test_all_errors_are_caught_where_minds_and_their_memory_begin_work_only(self):
        found = {}
        for module in self.modules:
            for line in rules.broad_excepts(module):
                found.setdefault(module.room, []).append(line)
        for room, lines in found.items():
            self.assertLessEqual(len(lines), BROAD_EXCEPTS.get(room, 0), "\n" + "\n".join(lines))

    def test_each_form_of_it_is_seen(self):
        for line in (
            "except Exception:",
            "except (ValueError, Exception) as error:",
            "except BaseException:",
            "except:",
        ):
            with self.subTest(line):
                module = sample(f"try:\n    work()\n{line}\n    pass")
                [broken] = rules.broad_excepts(module)
                self.assertTrue(broken.startswith("evennia_ai/agent/loop.py:3: "), broken)
        self.assert_breaks(
            rules.broad_excepts, "\nwith contextlib.suppress(Exception):\n    work()"
        )

    def test_an_error_with_a_name_is_fine(self):
        self.assert_keeps(
            rules.broad_excepts, "try:\n    work()\nexcept (KeyError, ToolError):\n    pass"
        )


class ThreadTests(RuleTestCase):
    def test_threads_are_daemons(self):
        self.assert_rule_holds(rules.bad_threads)

    def test_threads_that_hold_up_a_stop_are_seen(self):
        for line in (
            "threading.Thread(target=work)",
            "Thread(target=work, daemon=False)",
            "threads.deferToThread(work)",
            "reactor.callInThread(work)",
            "await asyncio.to_thread(work)",
            "ThreadPoolExecutor(4)",
            "rows @ vector",
        ):
            with self.subTest(line):
                self.assert_breaks(rules.bad_threads, f"async def function():\n    {line}")

    def test_a_daemon_is_fine(self):
        self.assert_keeps(
            rules.bad_threads, "threading.Thread(target=work, name='mind', daemon=True)"
        )


class StateTests(RuleTestCase):
    def test_what_is_kept_in_memory_is_declared_in_one_place(self):
        self.assert_rule_holds(rules.loose_state)

    def test_a_loose_container_and_a_global_are_seen(self):
        kept = "_seen: dict[int, str] = {}\nCODES = {}\n\ndef look():\n    global _last\n    _last = 1\n"
        self.assertEqual(
            list(rules.loose_state(sample(kept))),
            [
                "evennia_ai/agent/loop.py:5: global _last",
                "evennia_ai/agent/loop.py:1: _seen begins empty",
            ],
        )
