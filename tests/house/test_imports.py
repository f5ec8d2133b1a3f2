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

BLOCKER = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {HEAVY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""

SET_UP = """
import django

django.setup()
import evennia

evennia._init()
"""

IMPORT_ARGUMENTS = """
from importlib import import_module

for name in sys.argv[1:]:
    try:
        import_module(name)
    except ImportError as error:
        print(f"{name}: {error}")
loaded = sorted(name for name in %r if name in sys.modules)
print("loaded:", *loaded)
"""


def module_names():
    """Return the dotted names of all modules of the package but its migrations."""
    return [
        f"evennia_ai.{module.name}".rstrip(".")
        for module in read_modules("evennia_ai")
        if module.room != "migrations"
    ]


class ImportTests(unittest.TestCase):
    def output_of(self, code, names):
        """Import names in a new interpreter; return what it printed, without Evennia's own."""
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "server.conf.test_settings",
            "PYTHONPATH": str(ROOT),
        }
        process = run_python(code, *names, environment=environment)
        self.assertEqual(process.returncode, 0, process.stdout)
        return [
            line
            for line in process.stdout.splitlines()
            if line.startswith(("evennia_ai", "loaded:"))
        ]

    def test_every_module_imports_without_what_may_be_missing(self):
        code = BLOCKER + SET_UP + IMPORT_ARGUMENTS % (HEAVY,)
        self.assertEqual(self.output_of(code, module_names()), ["loaded:"])

    def test_the_blocker_blocks(self):
        process = run_python(BLOCKER + IMPORT_ARGUMENTS % (HEAVY,), "openai", "json")
        self.assertEqual(process.stdout, "openai: No module named 'openai'\nloaded:\n")

    def test_nothing_heavy_is_loaded_where_everything_is_installed(self):
        code = "import sys\n" + SET_UP + IMPORT_ARGUMENTS % (HEAVY,)
        self.assertEqual(self.output_of(code, module_names()), ["loaded:"])

    def test_what_django_imports_early_does_not_need_evennia(self):
        code = "import sys\n" + IMPORT_ARGUMENTS % (("evennia.objects.objects", *HEAVY),)
        self.assertEqual(self.output_of(code, EARLY), ["loaded:"])

    def test_models_import_while_django_loads_its_apps(self):
        code = (
            "import sys, django\ndjango.setup()\n"
            "from evennia_ai import models\n"
            "import evennia\nassert evennia.DefaultObject is None\n"
            "print('loaded:', models.__name__)"
        )
        self.assertEqual(self.output_of(code, [])[-1], "loaded: evennia_ai.models")

    def test_all_modules_are_found(self):
        names = module_names()
        self.assertIn("evennia_ai", names)
        self.assertIn("evennia_ai.llm.wrappers.retry", names)
        self.assertNotIn("evennia_ai.migrations.0001_initial", names)
