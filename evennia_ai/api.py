"""Every public name of the package, on one page."""

from __future__ import annotations

from evennia_ai.agent.turn import Turn
from evennia_ai.domain.episodic import score_episodic_memory, search_episodic_memory
from evennia_ai.domain.importance import score_importance_heuristic
from evennia_ai.domain.records import Event
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
)
from evennia_ai.llm.base import Backend, Caller, Completion, Request, ToolCall, get_llm
from evennia_ai.prompts import ASSISTANT_FACT_EXTRACTION_PROMPT
from evennia_ai.semantic.base import SemanticMemory, get_memory
from evennia_ai.semantic.retrieve import retrieve_relevant_memories
from evennia_ai.storage.entity_profiles import (
    add_entity_observation,
    create_entity_profile,
    get_entity_profile,
    update_relationship,
)
from evennia_ai.storage.identity import identity_of
from evennia_ai.storage.journal import add_entry
from evennia_ai.storage.persona import load_lore, load_persona, save_lore, save_persona
from evennia_ai.storage.reflection import (
    check_reflection_trigger,
    reset_reflection_state,
    update_reflection_state,
)
from evennia_ai.storage.working_memory import (
    add_conversation_message,
    add_pending_action,
    clear_stale_conversations,
    get_conversation_context,
    start_conversation,
)
from evennia_ai.tools.base import Tool, ToolCategory
from evennia_ai.typeclasses.characters import AssistantCharacter, AssistantMixin
from evennia_ai.typeclasses.scripts import (
    AssistantScript,
    attach,
    detach,
    find,
    follow_channel,
    unfollow_channel,
)

__all__ = [
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
