"""Limits that grow with the room of a prompt."""

from __future__ import annotations

# Tokens of a prompt for which all other limits are made.
USUAL = 3000


def grown(limit: int, *, context_tokens: int) -> int:
    """Return a limit that is made for a usual prompt, larger for a prompt that has more room."""
    return max(limit, limit * context_tokens // USUAL)
