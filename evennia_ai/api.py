"""Every public name of the package, on one page."""

from __future__ import annotations

from evennia_ai.agent.turn import Turn
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
from evennia_ai.storage.identity import identity_of
from evennia_ai.storage.persona import load_lore, load_persona, save_lore, save_persona
from evennia_ai.tools.base import Tool, ToolCategory
from evennia_ai.typeclasses.characters import AssistantCharacter, AssistantMixin
from evennia_ai.typeclasses.scripts import AssistantScript, attach, detach, find

__all__ = [
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
