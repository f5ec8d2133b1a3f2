"""The package imports without a model client or a vector store, and before Evennia is set up."""

import os
import unittest

from tests.house.rules import HEAVY, ROOT, read_modules
from tests.processes import run_python

# What Django and Evennia import before Evennia's classes exist.
EARLY = (
    "evennia_ai",
    "evennia_ai.apps",
    "evennia_ai.checks",
    "evennia_ai.conf",
    "evennia_ai.hooks",
    "evennia_ai.testing",
)

# What a game does, step by step; each prints what is loaded by then.
STARTING = f"""
import sys
from importlib import import_module


def load(*names):
    for name in names:
        try:
            import_module(name)
        except ImportError as error:
            print("error:", name, error)


def tell(step, *unwanted):
    print(f"{{step}}:", *sorted(name for name in unwanted if name in sys.modules))


load(*{EARLY!r})
tell("early", "evennia.objects.objects", *{HEAVY!r})
import django

django.setup()
from evennia_ai import models
import evennia

assert evennia.DefaultObject is None
tell("apps", *{HEAVY!r})
evennia._init()
load(*sys.argv[1:])
tell("all", *{HEAVY!r})
load("numpy", "nowhere")
tell("asked for", *{HEAVY!r})
"""


def module_names():
    """Return the dotted names of all modules of the package but its migrations."""
    return [
        f"evennia_ai.{module.name}".rstrip(".")
        for module in read_modules("evennia_ai")
        if module.room != "migrations"
    ]


class ImportTests(unittest.TestCase):
    def test_nothing_is_loaded_before_it_is_needed(self):
        """Not even what is installed: so each module imports where it may be missing."""
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "server.conf.test_settings",
            "PYTHONPATH": str(ROOT),
        }
        process = run_python(STARTING, *module_names(), environment=environment)
        self.assertEqual(process.returncode, 0, process.stdout)
        # Evennia says something of its own.
        steps = ("early:", "apps:", "all:", "asked for:", "error:")
        self.assertEqual(
            [line for line in process.stdout.splitlines() if line.startswith(steps)],
            [
                "early:",
                "apps:",
                "all:",
                "error: nowhere No module named 'nowhere'",
                "asked for: numpy",
            ],
        )

    def test_all_modules_are_found(self):
        names = module_names()
        self.assertIn("evennia_ai", names)
        self.assertIn("evennia_ai.llm.wrappers.retry", names)
        self.assertNotIn("evennia_ai.migrations.0001_initial", names)
