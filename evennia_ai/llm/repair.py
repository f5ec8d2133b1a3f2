"""JSON that a model nearly got right."""

from __future__ import annotations

from typing import Any

from evennia_ai.domain.model_text import json_reply
from evennia_ai.exceptions import LLMBadReply

# Characters that are looked at; the repair of 20,000 was seen to take half a second.
REPAIR_LIMIT = 20_000


def read_json(text: str, want: type | tuple[type, ...] = (dict, list)) -> Any:
    """Return the only JSON value in `text`, one of the types `want`, repaired where it is broken.

    Raises:
        LLMBadReply: Nothing of the kind can be made out. An empty value that only the repair found
            counts as nothing.
    """
    try:
        return json_reply.find_json(text, want)
    except ValueError as error:
        value, problem = repaired(json_reply.unfenced(text)), str(error)
    if not value or not isinstance(value, want):
        raise LLMBadReply(problem)
    return value


def repaired(text: str) -> Any:
    """Return the value that a text is nothing but broken JSON of, else None."""
    # Of words the repair would make a value.
    if not text.startswith(("[", "{")):
        return None
    try:
        from json_repair import repair_json
    except ImportError as error:
        raise LLMBadReply(f"broken JSON cannot be repaired: {error}") from None
    try:
        # Strict: more than one value, or words after it, are an error.
        return repair_json(
            text[:REPAIR_LIMIT], return_objects=True, skip_json_loads=True, strict=True
        )
    except (ValueError, RecursionError):
        return None
