"""Support for tests of minds, for us and for games that extend us.

Names are looked up late: the test runner lives in this package too, and Django imports it before
Evennia's classes exist.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "AITestCase": "evennia_ai.testing.cases",
}

__all__ = ["AITestCase"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
