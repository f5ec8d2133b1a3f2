"""The public names: what games import may grow, and never shrink or move unnoticed."""

import subprocess
import sys
from unittest import TestCase

from evennia_ai import api

NAMES = [
    "ASSISTANT_FACT_EXTRACTION_PROMPT",
    "Able",
    "AssistantCharacter",
    "AssistantError",
    "AssistantMixin",
    "AssistantScript",
    "Backend",
    "BudgetExceeded",
    "Caller",
    "Completion",
    "Event",
    "ExperienceMemory",
    "LLMAuthError",
    "LLMBadReply",
    "LLMContextOverflow",
    "LLMRefused",
    "LLMUnavailable",
    "LifeStackMemory",
    "Memory",
    "MemoryUnavailable",
    "NewMemory",
    "OutcomeFeedback",
    "Request",
    "SELF_REFERENCE_PATTERNS",
    "SemanticMemory",
    "Shown",
    "StepLimitExceeded",
    "StoredMemory",
    "Tool",
    "ToolCall",
    "ToolCategory",
    "ToolError",
    "Turn",
    "TurnEnded",
    "WordsRefused",
    "add_conversation_message",
    "add_entity_observation",
    "add_entry",
    "add_goal",
    "add_pending_action",
    "attach",
    "can_act",
    "check_reflection_trigger",
    "check_sleep_schedule",
    "check_wake_conditions",
    "clear_stale_conversations",
    "compact_conversation_history",
    "consolidate_entity_observations",
    "count_conversation_tokens",
    "create_entity_profile",
    "detach",
    "edit_entry",
    "escaped",
    "filter_self_referential_insights",
    "find",
    "find_way",
    "follow_channel",
    "generate_context_summary",
    "generate_insights",
    "generate_reflection_questions",
    "get_conversation_context",
    "get_entity_profile",
    "get_entry",
    "get_experience",
    "get_llm",
    "get_memory",
    "identify",
    "identity_of",
    "intersection",
    "journal_entries",
    "load_lore",
    "load_persona",
    "may_know",
    "may_say",
    "parse_speech",
    "perceive",
    "perform_wake_transition",
    "plain",
    "prune_low_importance_entries",
    "prune_orphaned_memory_links",
    "quote",
    "remove_entries",
    "reset_reflection_state",
    "retrieve_evidence_for_question",
    "retrieve_relevant_memories",
    "run_dreaming_tick",
    "run_entity_consolidation_batch",
    "run_pre_compaction_extraction",
    "run_reflection",
    "run_sleep_consolidation",
    "run_sleep_tick",
    "save_lore",
    "save_persona",
    "score_episodic_memory",
    "score_importance_heuristic",
    "score_importance_llm",
    "score_pending_entries",
    "search_episodic_memory",
    "select_tellable",
    "set_disposition",
    "speak",
    "start_conversation",
    "store_reflection_as_journal",
    "transition_mode",
    "unfollow_channel",
    "update_reflection_state",
    "update_goal",
    "update_relationship",
]

HEAVY = ("openai", "httpx2", "httpx", "pydantic", "json_repair", "mem0", "numpy", "yaml")


class ApiTests(TestCase):
    def test_the_public_names_are_frozen(self):
        self.assertEqual(sorted(api.__all__), sorted(NAMES))

    def test_each_name_is_there_and_has_a_docstring(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertTrue(getattr(api, name).__doc__ or isinstance(getattr(api, name), tuple))

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
