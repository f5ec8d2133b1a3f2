"""Every public name of the package, on one page: what a game imports, it imports from here.

These names stay; what else the package consists of may move. `docs/extending.md` shows what each
kind of extension needs of them, and `evennia_ai.testing` is for the tests of a game.

Import it where Evennia is set up already: in what the settings name by a dotted path, in typeclasses
and commands, but not in the settings themselves.
"""

from __future__ import annotations

from evennia_ai.agent.ingest import add_entry
from evennia_ai.agent.speech import can_act, escaped, parse_speech, speak
from evennia_ai.agent.turn import Turn
from evennia_ai.core.records import Event
from evennia_ai.core.states import Able
from evennia_ai.domain.audience import intersection, may_know, select_tellable
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.domain.sleeping.importance import score_importance_heuristic
from evennia_ai.domain.sleeping.insights import SELF_REFERENCE_PATTERNS
from evennia_ai.exceptions import (
    AssistantError,
    BudgetExceeded,
    LLMAuthError,
    LLMBadReply,
    LLMContextOverflow,
    LLMRefused,
    LLMUnavailable,
    StepLimitExceeded,
    ToolError,
    TurnEnded,
    WordsRefused,
)
from evennia_ai.experience.base import get_experience
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.experience.pursuit import update_goal
from evennia_ai.llm.base import Backend, Caller, Completion, Request, ToolCall, get_llm
from evennia_ai.markup import plain
from evennia_ai.memory.episodic import score_episodic_memory, search_episodic_memory
from evennia_ai.memory.identity import identify, identity_of
from evennia_ai.memory.journal import edit_entry
from evennia_ai.memory.journal import entries as journal_entries
from evennia_ai.memory.journal import get_entry, remove_entries
from evennia_ai.memory.people.entity_profiles import set_disposition, update_relationship
from evennia_ai.memory.people.plain_profiles import (
    add_entity_observation,
    create_entity_profile,
    get_entity_profile,
)
from evennia_ai.memory.persona import load_lore, load_persona, save_lore, save_persona
from evennia_ai.memory.state.kept_goals import add_goal
from evennia_ai.memory.state.reflection_state import (
    check_reflection_trigger,
    reset_reflection_state,
    update_reflection_state,
)
from evennia_ai.memory.working_memory import (
    add_conversation_message,
    add_pending_action,
    get_conversation_context,
    start_conversation,
)
from evennia_ai.movement import find_way
from evennia_ai.permission import may_say
from evennia_ai.prompts import ASSISTANT_FACT_EXTRACTION_PROMPT, quote
from evennia_ai.semantic.base import SemanticMemory, get_memory
from evennia_ai.semantic.mem0 import Mem0Memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.semantic.ranking.retrieve import retrieve_relevant_memories
from evennia_ai.sleep.compaction import (
    clear_stale_conversations,
    compact_conversation_history,
    count_conversation_tokens,
    generate_context_summary,
    run_pre_compaction_extraction,
)
from evennia_ai.sleep.consolidation import run_sleep_consolidation
from evennia_ai.sleep.dreaming import prune_orphaned_memory_links, run_dreaming_tick
from evennia_ai.sleep.evidence import retrieve_evidence_for_question
from evennia_ai.sleep.people_noticed import (
    consolidate_entity_observations,
    run_entity_consolidation_batch,
)
from evennia_ai.sleep.pruning import prune_low_importance_entries
from evennia_ai.sleep.reflection import (
    filter_self_referential_insights,
    generate_insights,
    generate_reflection_questions,
    run_reflection,
    store_reflection_as_journal,
)
from evennia_ai.sleep.scoring import score_importance_llm, score_pending_entries
from evennia_ai.sleep.sleep_cycle import check_sleep_schedule, transition_mode
from evennia_ai.sleep.steps import run_sleep_tick
from evennia_ai.sleep.waking import check_wake_conditions, perform_wake_transition
from evennia_ai.tools.base import Shown, Tool, ToolCategory
from evennia_ai.typeclasses.characters import AssistantCharacter, AssistantMixin
from evennia_ai.typeclasses.scripts import (
    AssistantScript,
    attach,
    detach,
    find,
    follow_channel,
    perceive,
    unfollow_channel,
)

# The name that the source has for it.
LifeStackMemory = ExperienceMemory

__all__ = [
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
    "Mem0Memory",
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
