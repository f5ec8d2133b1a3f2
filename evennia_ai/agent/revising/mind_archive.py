"""The game's folder of exported minds: written and read beside the reactor."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.agent.revising import mind_transfer
from evennia_ai.domain.files import mind_file
from evennia_ai.domain.files.mind_shape import Mind
from evennia_ai.memory.seeds import mind_folders
from evennia_ai.semantic import memory_thread

SUFFIXES = (".json",)


@inlineCallbacks
def export(npc: Any, script: Any, file: str):
    """Write the whole mind of an NPC into the folder of minds; return it.

    Raises:
        MemoryUnavailable: long-term memory cannot be read.
        ValueError: the file cannot be written; the text is a sentence.
    """
    name, now = npc.key, scheduling.now()
    mind = yield mind_transfer.take_mind(npc, script)
    yield memory_thread.get_worker().run(_write, mind, file, name=name, now=now)
    return mind


def read(file: str) -> Any:
    """Return a Deferred of the mind in a file; it fails with ValueError, whose text is a sentence."""
    return memory_thread.get_worker().run(_read, file)


def _write(mind: Mind, file: str, *, name: str, now: Any) -> None:
    text = mind_file.write(mind, name=name, now=now)
    mind_folders.write(file, text.encode(), folder=mind_folders.MINDS)


def _read(file: str) -> Mind:
    found = mind_folders.find(file, folder=mind_folders.MINDS, suffixes=SUFFIXES)
    data = mind_folders.read(found, folder=mind_folders.MINDS, limit=mind_folders.MIND_BYTES)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{found}: it is no JSON ({error}).") from None
    try:
        return mind_file.read(content)
    except ValueError as error:
        raise ValueError(f"{found}: {error}") from None
