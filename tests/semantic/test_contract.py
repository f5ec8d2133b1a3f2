"""The contract of semantic memory, on each implementation that there is."""

import os
import subprocess
import sys
import tempfile
from unittest import mock

from django.test import override_settings

from evennia_ai.semantic import mem0
from evennia_ai.semantic.engine import TELEMETRY_ON
from tests.memory_double import MemoryDouble
from tests.semantic.cases import PLAIN, SemanticTestCase
from tests.semantic.contract import SemanticMemoryContract


class DoubleTests(SemanticMemoryContract, SemanticTestCase):
    def make_memory(self):
        return MemoryDouble()

    def test_it_fails_on_demand(self):
        self.memory.fail_with = OSError("disk full")
        self.failureResultOf(self.memory.search("x", assistant_key="mara", hearers=[]), OSError)
        self.memory.fail_with = None
        self.assertEqual(self.texts("x"), [])


class Mem0Tests(SemanticMemoryContract, SemanticTestCase):
    def setUp(self):
        with self.settings_of_game():
            super().setUp()
            # Built here, where mem0 finds the folder of the game.
            self.successResultOf(self.memory.warm_up())

    def settings_of_game(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return override_settings(GAME_DIR=folder.name)

    def make_memory(self):
        return mem0.Mem0Memory(path=str(self.path), embedder=PLAIN)

    def test_mem0_does_the_work(self):
        engine = self.memory._engine
        with mock.patch.object(engine.memory, "add", wraps=engine.memory.add) as added:
            self.add("Rain is coming.")
        with mock.patch.object(engine.memory, "search", wraps=engine.memory.search) as searched:
            self.texts("rain")
        self.assertEqual((added.call_count, searched.call_count), (1, 1))
        self.assertIs(added.call_args.kwargs["infer"], False)

    def test_nothing_is_kept_of_what_is_forgotten(self):
        """C-22: mem0's own history would hold the words."""
        id = self.add("Ann fears spiders.")
        self.did(self.memory.update(id, "Ann fears snakes.", assistant_key="mara"))
        self.did(self.memory.delete_scope(assistant_key="mara"))
        self.assertEqual(self.memory._engine.memory.history(id), [])


QUIET = """
import os, socket, sys, warnings
os.environ["OPENROUTER_API_KEY"] = "a key that must not matter"
opened = []

def refuse(*arguments, **keywords):
    opened.append(arguments[:2])
    raise OSError("no network here")

socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = refuse
if "first" in sys.argv:
    import mem0
from django.conf import settings
from evennia import settings_default
settings.configure(settings_default, GAME_DIR=sys.argv[1], EVENNIA_AI={})
from evennia_ai.semantic import base, mem0, memory_thread
memory_thread.set_worker(memory_thread.InlineWorker())
memory = mem0.Mem0Memory(embedder="tests.semantic.cases.PlainEmbedder")
answers = []
filters, environment = warnings.filters[:], dict(os.environ)
memory.add("Ale is cheap.", assistant_key="m", audience="public").addBoth(answers.append)
memory.search("ale", assistant_key="m", hearers=[]).addBoth(answers.append)
memory.get_all(assistant_key="m").addBoth(answers.append)
print("mem0 in use:", type(memory._engine).__name__)
print("found:", answers[1][0].text if isinstance(answers[1], list) else answers[1].getErrorMessage())
memory.close()
print("opened:", opened)
print("switched on:", [one[0] for one in warnings.filters if one not in filters and one[2] is DeprecationWarning])
print("environment:", environment == dict(os.environ))
"""


class QuietTests(SemanticTestCase):
    def play(self, *arguments):
        """Keep and find a memory in a process of its own; return what it printed."""
        game, home = self.folder / "game", self.folder / "home"
        game.mkdir()
        home.mkdir()
        environment = {
            **os.environ,
            "HOME": str(home),
            "TMPDIR": str(home),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment.pop("MEM0_TELEMETRY", None)
        process = subprocess.run(
            [sys.executable, "-c", QUIET, str(game), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout.splitlines()

    def test_a_game_that_imports_mem0_with_its_telemetry_has_no_long_term_memory_and_sends_nothing(
        self,
    ):
        place = self.folder / "game" / "server" / "evennia_ai_memory.db3"
        self.assertEqual(
            self.play("first"),
            [
                "mem0 in use: NoneType",
                f"found: semantic memory in {place}: {TELEMETRY_ON}.",
                "opened: []",
                "switched on: []",
                "environment: True",
            ],
        )

    def test_no_socket_is_opened_and_nothing_is_written_outside_the_game(self):
        """M6: by import, add and search with default settings."""
        self.assertEqual(
            self.play(),
            [
                "mem0 in use: Mem0Engine",
                "found: Ale is cheap.",
                "opened: []",
                "switched on: []",
                "environment: True",
            ],
        )
        game, home = self.folder / "game", self.folder / "home"
        self.assertEqual(list(home.rglob("*")), [])
        written = {path.name for path in game.rglob("*") if path.is_file()}
        self.assertLessEqual({"evennia_ai_memory.db3", "config.json"}, written)
