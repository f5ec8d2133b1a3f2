"""The public names: what games import may grow, and never shrink or move unnoticed."""

import subprocess
import sys
from unittest import TestCase

from evennia_ai import api

NAMES = [
    "ASSISTANT_FACT_EXTRACTION_PROMPT",
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
    "SemanticMemory",
    "StepLimitExceeded",
    "Tool",
    "ToolCall",
    "ToolCategory",
    "ToolError",
    "Turn",
    "TurnEnded",
    "add_conversation_message",
    "add_entity_observation",
    "add_entry",
    "add_pending_action",
    "attach",
    "check_reflection_trigger",
    "clear_stale_conversations",
    "create_entity_profile",
    "detach",
    "find",
    "follow_channel",
    "get_conversation_context",
    "get_entity_profile",
    "get_llm",
    "get_memory",
    "identity_of",
    "load_lore",
    "load_persona",
    "reset_reflection_state",
    "retrieve_relevant_memories",
    "save_lore",
    "save_persona",
    "score_episodic_memory",
    "score_importance_heuristic",
    "search_episodic_memory",
    "start_conversation",
    "unfollow_channel",
    "update_reflection_state",
    "update_relationship",
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
