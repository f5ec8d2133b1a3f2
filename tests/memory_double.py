"""Semantic memory for tests: a double that keeps everything in memory."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from msgspec import structs
from twisted.internet.defer import Deferred, execute

from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.semantic.facts import Fact, Search, fact_of
from evennia_ai.semantic.mem0 import Mem0Memory
from evennia_ai.semantic.stores.fact_store import FactStore


class MemoryDouble(Mem0Memory):
    """The port without files, vectors or threads: words in common decide, and Deferreds have fired.

    `fail_with` is an error with which everything fails until it is None again.
    """

    scale = {"relevant": 0.0, "alike": 0.0}
    # Each memory is asked for by itself.
    created = None
    # Nothing is extracted.
    extract = extraction_prompt = None

    def __init__(self) -> None:
        super().__init__()
        self._words = _WordStore()
        self.facts = self._words.facts
        self.fail_with: Exception | None = None

    def describe(self) -> str:
        """Return one sentence about what it is."""
        return "Long-term memory is a double."

    def warm_up(self) -> Deferred[None]:
        """There is nothing to load."""
        return self._done(lambda: None)

    def _run(self, name: str, *args: Any, **kwargs: Any) -> Deferred[Any]:
        return self._done(getattr(self._words, name), *args, **kwargs)

    def _done(self, function: Any, /, *args: Any, **kwargs: Any) -> Deferred[Any]:
        def work() -> Any:
            if self.fail_with is not None:
                raise self.fail_with
            return function(*args, **kwargs)

        return execute(work)


class _WordStore(FactStore):
    """Facts by their ids, found by their words."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}

    def get_all(self, *, assistant_key: str, limit: int = 100, offset: int = 0) -> list[Memory]:
        own = [fact for fact in self.facts.values() if fact.assistant_key == assistant_key]
        newest = sorted(own, key=lambda fact: fact.created)[::-1]
        return [_detached(fact).memory() for fact in newest[offset:][:limit]]

    def alike(self, asked: Search) -> list[Memory]:
        return self._best(asked)

    def embed(self, facts: list[Fact]) -> Any:
        return [None] * len(facts)

    def fact(self, id: str, assistant_key: str | None = None) -> Fact | None:
        fact = self.facts.get(id)
        is_there = fact is not None and assistant_key in (None, fact.assistant_key)
        return _detached(fact) if is_there else None

    def _best(self, asked: Search) -> list[Memory]:
        known = [
            _detached(fact).memory()
            for fact in reversed(self.facts.values())
            if fact.assistant_key == asked.assistant_key
            and fact.trust >= asked.min_trust
            and all(_has(fact.metadata, *wanted) for wanted in (asked.filters or {}).items())
        ]
        tellable = [*audiences.select_tellable(known, asked.hearers)]
        said = set(map(_said, tellable))
        facts = [fact_of(one, asked.assistant_key) for one in asked.also]
        tellable += [item for fact in facts if _said(item := fact.memory()) not in said]
        texts = [f"{item.speaker} {item.text}" for item in tellable]
        found = retrieval.rank(asked.query, texts, limit=asked.limit, names=asked.names)
        return [
            structs.replace(tellable[index], score=score, cosine=score) for index, score in found
        ]

    def _transaction(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def _known(self, fact: Fact) -> str | None:
        same = (fact.assistant_key, fact.audience, fact.fingerprint)
        kept = self.facts.values()
        return next(
            (one.id for one in kept if (one.assistant_key, one.audience, one.fingerprint) == same),
            None,
        )

    def _keep(self, fact: Fact, vector: Any) -> None:
        self.facts[fact.id] = fact

    _move = _keep

    def _forget(self, scope: dict[str, str]) -> int:
        gone = [
            one.id
            for one in self.facts.values()
            if scope.items()
            <= {"id": one.id, "assistant": one.assistant_key, "source_id": one.source_id}.items()
        ]
        for id in gone:
            del self.facts[id]
        return len(gone)


def _said(item: Memory) -> tuple[str, str]:
    return item.speaker.casefold(), " ".join(item.text.casefold().split())


def _has(metadata: dict[str, Any], key: str, wanted: Any) -> bool:
    given = metadata.get(key, ())
    choices = wanted if isinstance(wanted, list) else [wanted]
    members = given if isinstance(given, (list, tuple)) else [given]
    return any(member in choices for member in members)


def _detached(fact: Fact) -> Fact:
    return fact._replace(metadata=json.loads(json.dumps(fact.metadata)))
