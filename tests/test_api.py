"""The public names: what games import may grow, and never shrink or move unnoticed."""

import subprocess
import sys
from unittest import TestCase

from evennia_ai import api

NAMES = [
    "AssistantCharacter",
    "AssistantError",
    "AssistantMixin",
    "AssistantScript",
    "Backend",
    "BudgetExceeded",
    "Caller",
    "Completion",
    "Event",
    "LLMAuthError",
    "LLMBadReply",
    "LLMContextOverflow",
    "LLMRefused",
    "LLMUnavailable",
    "Request",
    "StepLimitExceeded",
    "Tool",
    "ToolCall",
    "ToolCategory",
    "ToolError",
    "Turn",
    "TurnEnded",
    "attach",
    "detach",
    "find",
    "get_llm",
    "identity_of",
    "load_lore",
    "load_persona",
    "save_lore",
    "save_persona",
]

HEAVY = ("openai", "httpx2", "httpx", "pydantic", "json_repair", "mem0", "numpy", "yaml")


class ApiTests(TestCase):
    def test_the_public_names_are_frozen(self):
        self.assertEqual(sorted(api.__all__), sorted(NAMES))

    def test_each_name_is_there_and_has_a_docstring(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertTrue(getattr(api, name).__doc__)

    def test_nothing_heavy_is_imported_with_it(self):
        program = (
            "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'server.conf.settings';"
            "django.setup(); before = set(sys.modules); import evennia_ai.api;"
            f"print(sorted(set({HEAVY!r}) & set(sys.modules) - before))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.stdout.strip().splitlines()[-1:], ["[]"], done.stderr[-500:])
