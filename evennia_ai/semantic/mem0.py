"""Semantic memory by mem0, on our own store, without its network and without its model.

mem0 keeps the order of the work; the store filters, ranks and refuses what is known already. Where
mem0 is not installed the same store is used without it, so that the game plays.
"""

from __future__ import annotations

import os
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings

from evennia_ai.semantic.mem0_engine import Mem0Engine
from evennia_ai.semantic.stored import StoredMemory
from evennia_ai.semantic.stores.store import Store

# The folder under the game's `server/` where mem0 keeps the one file that it insists on.
FOLDER = ".mem0"


class Mem0Memory(StoredMemory):
    """The port on mem0; the arguments are those of `StoredMemory`."""

    def describe(self) -> str:
        """Return one sentence about what it is, and what is missing."""
        sentence = super().describe()
        if find_spec("mem0") is None:
            return f"{sentence} mem0 is not installed, and it works without."
        return sentence

    def build_engine(self, store: Store) -> Any:
        """Return mem0 on the store, or the store alone."""
        if find_spec("mem0") is None:
            return store
        _hush()
        # mem0 switches on the deprecation warnings of the whole process, and Evennia's log on a newer
        # Python would then print two for each line.
        with warnings.catch_warnings():
            return Mem0Engine(store)


def _hush() -> None:
    """See to it that mem0 calls nobody and writes nothing outside the game; before its import."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(Path(settings.GAME_DIR) / "server" / FOLDER)
