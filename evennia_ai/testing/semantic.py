"""Semantic memory for tests: a double that keeps everything in memory.

`semantic_contract` holds what it has in common with the real ones.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from typing import Any

from msgspec import structs
from twisted.internet.defer import Deferred, execute

from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.semantic.facts import Fact, Search, fact_of, new_fact, superseded
from evennia_ai.semantic.stores.fact_store import Added


class MemoryDouble:
    """The port without files, vectors or threads: words in common decide, and Deferreds have fired.

    `fail_with` is an error with which everything fails until it is None again.
    """

    enabled = True
    scale = {"relevant": 0.0, "alike": 0.0}

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.fail_with: Exception | None = None

    def add(self, text: str, **kwargs: Any) -> Deferred[str]:
        """See `SemanticMemory.add`."""
        return self.put(text, **kwargs).addCallback(lambda added: added.id)

    def put(self, text: str, **kwargs: Any) -> Deferred[Added]:
        """See `SemanticMemory.put`."""
        return self._done(self._put, text, **kwargs)

    def add_all(self, texts: Iterable[NewMemory], *, assistant_key: str) -> Deferred[list[Added]]:
        """See `SemanticMemory.add_all`."""
        return self._done(lambda: [self._keep(fact_of(one, assistant_key)) for one in texts])

    def search(self, query: str, **kwargs: Any) -> Deferred[list[Memory]]:
        """See `SemanticMemory.search`."""
        return self._done(self._search, query, **kwargs)

    def get(self, id: str, *, assistant_key: str) -> Deferred[Memory | None]:
        """See `SemanticMemory.get`."""
        fact = self._own(id, assistant_key)
        return self._done(lambda: _item(fact) if fact else None)

    def get_all(
        self, *, assistant_key: str, limit: int = 100, offset: int = 0
    ) -> Deferred[list[Memory]]:
        """See `SemanticMemory.get_all`."""
        own = [fact for fact in self.facts.values() if fact.assistant_key == assistant_key]
        newest = sorted(own, key=lambda fact: fact.created)[::-1]
        return self._done(lambda: [_item(fact) for fact in newest[offset:][:limit]])

    def update(
        self, id: str, text: str, *, assistant_key: str, metadata: dict[str, Any] | None = None
    ) -> Deferred[bool]:
        """See `SemanticMemory.update`."""
        fact = self._own(id, assistant_key)

        def work() -> bool:
            if fact is not None:
                self.facts[id] = superseded(fact, text, metadata)
            return fact is not None

        return self._done(work)

    def delete(self, id: str, *, assistant_key: str) -> Deferred[bool]:
        """See `SemanticMemory.delete`."""
        own = self._own(id, assistant_key)
        return self._done(lambda: own is not None and self.facts.pop(id) is not None)

    def delete_scope(
        self, *, assistant_key: str | None = None, source_id: str | None = None
    ) -> Deferred[int]:
        """See `SemanticMemory.delete_scope`."""

        def work() -> int:
            if not assistant_key and not source_id:
                raise ValueError("delete_scope needs an assistant_key or a source_id.")
            gone = [
                id
                for id, fact in self.facts.items()
                if assistant_key in (None, "", fact.assistant_key)
                and source_id in (None, "", fact.source_id)
            ]
            for id in gone:
                del self.facts[id]
            return len(gone)

        return self._done(work)

    def describe(self) -> str:
        """Return one sentence about what it is."""
        return "Long-term memory is a double."

    def warm_up(self) -> Deferred[None]:
        """There is nothing to load."""
        return self._done(lambda: None)

    def close(self) -> None:
        """There is nothing to close."""

    def _done(self, function: Any, /, *args: Any, **kwargs: Any) -> Deferred[Any]:
        def work() -> Any:
            if self.fail_with is not None:
                raise self.fail_with
            return function(*args, **kwargs)

        return execute(work)

    def _put(self, text: str, **kwargs: Any) -> Added:
        return self._keep(new_fact(text, **kwargs))

    def _keep(self, fact: Fact) -> Added:
        for known in self.facts.values():
            same_ears = (known.assistant_key, known.audience) == (fact.assistant_key, fact.audience)
            if same_ears and known.fingerprint == fact.fingerprint:
                return Added(known.id, "duplicate")
        fact = fact._replace(id=str(uuid.uuid4()))
        self.facts[fact.id] = fact
        return Added(fact.id, "added")

    def _own(self, id: str, assistant_key: str) -> Fact | None:
        fact = self.facts.get(id)
        return fact if fact is not None and fact.assistant_key == assistant_key else None

    def _search(self, query: str, **how: Any) -> list[Memory]:
        asked = Search.of(query, **how)
        known = [
            _item(fact)
            for fact in reversed(self.facts.values())
            if fact.assistant_key == asked.assistant_key
            and fact.trust >= asked.min_trust
            and all(_has(fact.metadata, *wanted) for wanted in (asked.filters or {}).items())
        ]
        tellable = [*audiences.select_tellable(known, asked.hearers)]
        said = set(map(_said, tellable))
        facts = [fact_of(one, asked.assistant_key) for one in asked.also]
        tellable += [item for fact in facts if _said(item := _item(fact)) not in said]
        texts = [f"{item.speaker} {item.text}" for item in tellable]
        found = retrieval.rank(asked.query, texts, limit=asked.limit, names=asked.names)
        return [
            structs.replace(tellable[index], score=score, cosine=score) for index, score in found
        ]


def _said(item: Memory) -> tuple[str, str]:
    return item.speaker.casefold(), " ".join(item.text.casefold().split())


def _has(metadata: dict[str, Any], key: str, wanted: Any) -> bool:
    given = metadata.get(key, ())
    choices = wanted if isinstance(wanted, list) else [wanted]
    members = given if isinstance(given, (list, tuple)) else [given]
    return any(member in choices for member in members)


def _item(fact: Fact) -> Memory:
    public = fact.audience is None
    return Memory(
        id=fact.id,
        text=fact.text,
        audience=audiences.PUBLIC if public else fact.audience_list,
        metadata=json.loads(json.dumps(fact.metadata)),
        created=fact.created,
    )
