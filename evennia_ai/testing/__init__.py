"""Support for tests of minds, for us and for games that extend us."""

from __future__ import annotations

from typing import Any

__all__ = ["AITestCase"]


def __getattr__(name: str) -> Any:
    # `evennia ai_test` plays dialogues from this package, and needs no classes of tests.
    if name != "AITestCase":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evennia_ai.testing.cases import AITestCase

    return AITestCase
