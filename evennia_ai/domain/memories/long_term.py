"""Long-term memories: a text on its way to the store, and a memory as the store returns it."""

from __future__ import annotations

from typing import Any

import msgspec

from evennia_ai.core.records import Audience, Source, known_to, through


class NewMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A text to keep, or to rank along with what is kept.

    Metadata that has a meaning: `source_id` and `speaker` (whom it is from: identity and name),
    `source_trust` (0 to 1), `importance`, `timestamp`, `previous` (the line before, by whose words
    it is found as well), `names` (of those who talked). All else is kept as it is.
    """

    text: str
    audience: Audience
    metadata: dict[str, Any]


class Memory(NewMemory, frozen=True, kw_only=True, omit_defaults=True):
    """A memory, or what was ranked along with them: then its `id` is "".

    `score` and `cosine` say how well it fits a search, from 0 to 1.
    """

    id: str
    created: str
    score: float = 0.0
    cosine: float = 0.0

    @property
    def speaker(self) -> str:
        """The name of whom one has it from, or ""."""
        return str(self.metadata.get("speaker") or "")

    @property
    def source_id(self) -> str:
        """The identity of whom one has it from, or ""."""
        return str(self.metadata.get("source_id") or "")

    @property
    def source_type(self) -> str:
        """How it was learnt, by the words of the journal, or ""."""
        return str(self.metadata.get("source_type") or "")

    @property
    def timestamp(self) -> str:
        """When it was learnt, or ""."""
        return str(self.metadata.get("timestamp") or "")

    @property
    def trust(self) -> float | None:
        """How far it is believed, 0 to 1, where that is said."""
        trust: float | None = self.metadata.get("source_trust")
        return trust

    @property
    def question(self) -> str:
        """What it answers, or ""."""
        return str(self.metadata.get("previous") or "")

    @property
    def tags(self) -> list[str]:
        """The tags of the entry that it is from."""
        return self.metadata.get("tags") or []

    @property
    def entry_id(self) -> int:
        """The number of the entry of the journal that it is a copy of, or 0."""
        return self.metadata.get("entry_id") or 0

    @property
    def sources(self) -> list[Source]:
        """What it was made of; nothing, if somebody told it."""
        return msgspec.convert(self.metadata.get("sources") or [], list[Source])

    @property
    def origins(self) -> list[Source]:
        """What anything made of it rests on: on itself, and on those whom it is from and through."""
        is_made = bool(self.sources) and (not self.source_id or self.source_type == "inference")
        event_id = "" if is_made else str(self.metadata.get("event_id") or "")
        own = event_id or (f"entry {self.entry_id}" if self.entry_id else self.id)
        by = "" if is_made else self.source_id
        return known_to(self.audience, [*self.sources, *through(self.chain), Source(own, by)])

    @property
    def chain(self) -> list[dict[str, str]]:
        """Through whom it came, if it was passed on."""
        return self.metadata.get("chain") or []
