"""The base of all stores of semantic memory, whichever database they keep it in.

A store gives the queries; in what order they are asked, and what counts as known, stands here once.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured

from evennia_ai.core.records import Audience
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact, Search, fact_of, new_fact, superseded
from evennia_ai.semantic.ranking import ranked

if TYPE_CHECKING:
    import numpy

# Texts that are embedded in one go.
BATCH = 64
REEMBED_LINE = "from evennia_ai.semantic import base; print(base.reembed())"


class Added(NamedTuple):
    """What became of a text: the id that it is kept under, and "added" or "duplicate"."""

    id: str
    event: str


class Duplicate(Exception):
    """The same source said the same to the same ears before; `id` is that memory."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id


class FactStore(ABC):
    """The half of a store that is the same for all; the abstract methods are the other half."""

    embedder: Any

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
        """Return the vector of a query."""
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
        """Return the vectors of facts."""
        return self.embedder.embed([ranked.prepared(fact) for fact in facts])

    def insert(self, fact: Fact, vector: Any) -> str:
        """Keep a fact with its vector; return its id.

        Raises:
            Duplicate: it is there already.
        """
        fact = fact._replace(id=fact.id or str(uuid.uuid4()))
        with self._transaction():
            known = self._known(fact, vector)
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

    # What a database gives.

    @abstractmethod
    def fact(self, id: str, assistant_key: str | None = None) -> Fact | None:
        """Return one memory as it was taken in, of any assistant unless one is named."""

    @abstractmethod
    def _best(self, asked: Search) -> list[Memory]:
        """Return what fits a query, best first, and for some queries more of it than is asked for."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]:
        """All or nothing; one inside another belongs to it."""

    @abstractmethod
    def _known(self, fact: Fact, vector: Any) -> str | None:
        """Return the id of a memory that says the same, from the same mouth to the same ears."""

    @abstractmethod
    def _keep(self, fact: Fact, vector: Any) -> None:
        """Write a fact that is new."""

    @abstractmethod
    def _move(self, fact: Fact, vector: Any) -> None:
        """Write a fact that is there once more, under the same id."""

    @abstractmethod
    def _forget(self, fields: dict[str, str]) -> int:
        """Delete what all of these columns are true of; return how many."""


def described(embedder: Any) -> dict[str, Any]:
    """Return what is noted of the embedder that fills a store."""
    return {"name": embedder.name, "dimensions": embedder.dimensions}


def check_embedder(where: str, filled_by: dict[str, Any], embedder: Any) -> None:
    """See to it that a store is read by the embedder that filled it.

    Raises:
        ImproperlyConfigured: it is another.
    """
    if filled_by != described(embedder):
        raise ImproperlyConfigured(
            f"{where} was filled by the embedder {_named(filled_by)}, and "
            f"SEMANTIC names {_named(described(embedder))}. Name the former again, "
            "or stop the server and let the new one read everything anew: "
            f"evennia shell -c '{REEMBED_LINE}'"
        )


def _named(kept: dict[str, Any]) -> str:
    return f"{kept['name']} ({kept['dimensions']} numbers)"
