"""JSON that a model nearly got right."""

from __future__ import annotations

from typing import Any

from evennia_ai.domain import json_reply
from evennia_ai.exceptions import LLMBadReply

# Characters from the first bracket on; the repair of 20,000 was seen to take half a second.
REPAIR_LIMIT = 20_000


def read_json(text: str, want: type | tuple[type, ...] = (dict, list)) -> Any:
    """Return the JSON value of one of the types `want` in `text`, repaired where it is broken.

    Raises:
        LLMBadReply: nothing of the kind can be made out. An empty value that only the repair found
            counts as nothing.
    """
    try:
        return json_reply.find_json(text, want)
    except ValueError:
        value = _repaired(text)
    if not value or not isinstance(value, want):
        raise LLMBadReply(f"there is no JSON in the reply {text[:80]!r}")
    return value


def _repaired(text: str) -> Any:
    # Before the first bracket it would take prose for a value.
    start = min((index for index in map(text.find, "[{") if index >= 0), default=None)
    if start is None:
        return None
    try:
        from json_repair import repair_json
    except ImportError as error:
        raise LLMBadReply(f"broken JSON cannot be repaired: {error}") from None
    try:
        return repair_json(
            text[start : start + REPAIR_LIMIT], return_objects=True, skip_json_loads=True
        )
    except (ValueError, RecursionError):
        return None
