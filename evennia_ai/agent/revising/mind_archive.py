"""Minds, character cards and the game's folder for them: written and read beside the reactor."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.agent.revising import mind_transfer
from evennia_ai.domain.files import character_cards, mind_file
from evennia_ai.domain.files.character_cards import Card
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


def read(file: str, *, name: str) -> Any:
    """Return a Deferred of what a file in the folders holds: a mind, or a `Card` for an NPC `name`.

    A file of that name in the folder of minds comes before one in that of seeds. It fails with
    ValueError, whose text is a sentence.
    """
    return memory_thread.get_worker().run(_read, file, name)


def _write(mind: Mind, file: str, *, name: str, now: Any) -> None:
    text = mind_file.write(mind, name=name, now=now)
    mind_folders.write(file, text.encode(), folder=mind_folders.MINDS)


def _read(file: str, name: str) -> Mind | Card:
    folder, found = _found(file)
    data = mind_folders.read(found, folder=folder, limit=mind_folders.MIND_BYTES)
    try:
        content = character_cards.read(data)
        if mind_file.is_mind(content):
            return mind_file.read(content)
        if len(data) > mind_folders.CARD_BYTES:
            raise ValueError(f"a character card has {mind_folders.CARD_BYTES} bytes at most.")
        if not character_cards.is_card(content):
            raise ValueError("it is neither a mind that was exported nor a character card.")
        return character_cards.of(content, name=name)
    except ValueError as error:
        raise ValueError(f"{found}: {error}") from None


def _found(file: str) -> tuple[str, str]:
    try:
        return mind_folders.MINDS, mind_folders.find(
            file, folder=mind_folders.MINDS, suffixes=SUFFIXES
        )
    except ValueError:
        found = mind_folders.find(file, folder=mind_folders.SEEDS, suffixes=SUFFIXES)
        return mind_folders.SEEDS, found
