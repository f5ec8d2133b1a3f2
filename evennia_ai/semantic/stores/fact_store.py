"""The base of all stores of semantic memory, whichever database they keep it in.

A store gives the queries; in what order they are asked, and what counts as known, stands here once.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.core.records import Audience
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact, Search, fact_of, new_fact, superseded
from evennia_ai.semantic.ranking import ranked

if TYPE_CHECKING:
    import numpy

# Texts that are embedded in one go.
BATCH = 64


class Added(NamedTuple):
    """What became of a text: the id that it is kept under, and "added" or "duplicate"."""

    id: str
    event: str


class Duplicate(Exception):
    """The same source said the same to the same ears before; `id` is that memory."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id


class FactStore:
    """The half of a store that is the same for all; the other half is only declared here."""

    embedder: Any
    # One memory as it was taken in, of any assistant unless one is named.
    fact: Callable[..., Fact | None]
    # What fits a query, best first, and for some queries more of it than is asked for.
    _best: Callable[[Search], list[Memory]]
    # All or nothing; one inside another belongs to it.
    _transaction: Callable[[], AbstractContextManager[Any]]
    # The id of a memory of the same words, from the same mouth to the same ears.
    _known: Callable[[Fact], str | None]
    # Write a fact that is new, or one that is there once more under the same id.
    _keep: Callable[[Fact, Any], None]
    _move: Callable[[Fact, Any], None]
    # Delete what all of these columns are true of; return how many.
    _forget: Callable[[dict[str, str]], int]

    def search(self, asked: Search) -> list[Memory]:
        """Return what all hearers may know and fits the query, best first."""
        asked = asked._replace(query=storable(asked.query).strip())
        if not asked.query or asked.limit < 1:
            return []
        return ranked.by_kind(asked, self._best(asked))

    def get(self, id: str, *, assistant_key: str) -> Memory | None:
        """Return one memory of an assistant, or None."""
        fact = self.fact(id, assistant_key)
        return fact.memory() if fact else None

    def vector_of(self, asked: Search) -> numpy.ndarray:
        if asked.vector is not None:
            return asked.vector
        return self.embedder.embed_query(ranked.prepared_query(asked.query, asked.names))

    def add(
        self,
        text: str,
        *,
        assistant_key: str,
        audience: Audience,
        metadata: dict[str, Any] | None = None,
    ) -> Added:
        """Keep a text, unless the same source said the same before; return what became of it."""
        fact = new_fact(text, assistant_key=assistant_key, audience=audience, metadata=metadata)
        return self._added(fact, self.embed([fact])[0])

    def add_all(self, texts: Iterable[NewMemory], *, assistant_key: str) -> list[Added]:
        """Keep many texts; they are embedded in batches."""
        facts = [fact_of(one, assistant_key) for one in texts]
        added = []
        for start in range(0, len(facts), BATCH):
            batch = facts[start : start + BATCH]
            vectors = self.embed(batch)
            with self._transaction():
                added += [self._added(*one) for one in zip(batch, vectors, strict=True)]
        return added

    def update(
        self,
        id: str,
        text: str,
        *,
        assistant_key: str,
        metadata: dict[str, Any] | None = None,
    ) -> bool:
        """Let a text supersede another; the old one stays in metadata["history"]. False: not there.

        Who may know it does not change, and metadata that is not given stays.
        """
        old = self.fact(id, assistant_key)
        if old is None:
            return False
        # Outside of the transaction, which others wait for.
        [vector] = self.embed([superseded(old, text, metadata)])
        with self._transaction():
            old = self.fact(id, assistant_key)
            if old is not None:
                self._move(superseded(old, text, metadata), vector)
        return old is not None

    def delete(self, id: str, *, assistant_key: str) -> bool:
        """Forget one memory; False if it is not there."""
        return self._forget({"id": id, "assistant": assistant_key}) > 0

    def delete_scope(
        self, *, assistant_key: str | None = None, source_id: str | None = None
    ) -> int:
        """Forget all of an assistant, all from a source, or what one has from the other.

        Returns how many memories.
        """
        asked = {"assistant": assistant_key, "source_id": source_id}
        given = {column: value for column, value in asked.items() if value}
        if not given:
            raise ValueError("delete_scope needs an assistant_key or a source_id.")
        return self._forget(given)

    def embed(self, facts: list[Fact]) -> numpy.ndarray:
        return self.embedder.embed([ranked.prepared(fact) for fact in facts])

    def insert(self, fact: Fact, vector: Any) -> str:
        """Keep a fact with its vector; return its id.

        Raises:
            Duplicate: it is there already.
        """
        fact = fact._replace(id=fact.id or str(uuid.uuid4()))
        with self._transaction():
            known = self._known(fact)
            if not known:
                self._keep(fact, vector)
        # Not inside: nothing went wrong that would have to be undone.
        if known:
            raise Duplicate(known)
        return fact.id

    def _added(self, fact: Fact, vector: Any) -> Added:
        try:
            return Added(self.insert(fact, vector), "added")
        except Duplicate as duplicate:
            return Added(duplicate.id, "duplicate")
