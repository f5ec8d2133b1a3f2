"""Warnings about the settings of experience."""

from __future__ import annotations


def warn(words: str) -> None:
    """Write one line into the log of the server."""
    # Imported late: a benchmark uses these classes without a game around them.
    from evennia.utils import logger

    logger.log_warn(f"evennia_ai: {words}")
