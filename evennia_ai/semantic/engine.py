"""Semantic memory by mem0, on our store, with our embedder and our port to models; without its network and its history.

mem0 keeps the order of the work; the store filters, ranks and refuses what is known already.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from msgspec import structs

from evennia_ai.domain.audience import PUBLIC
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.semantic.facts import Fact, Search, fact_of, new_fact
from evennia_ai.semantic.ranking import ranked
from evennia_ai.semantic.stores.fact_store import Added, Duplicate
from evennia_ai.semantic.stores.store import Store

# The folder under the game's `server/` where mem0 keeps the one file that it insists on.
FOLDER = ".mem0"
# Keys of ours in a payload; the game's metadata stays whole under one of them.
METADATA, AUDIENCE, LIKENESS = "metadata", "audience", "likeness"
PROVIDER = "evennia_ai"
DIMENSIONS = "embedding_dims"
# Stands for a hearer who may know nothing but what is public.
ANYBODY = "anybody"


TELEMETRY_ON = (
    "mem0 was imported with its telemetry on, which would report of minds: put "
    'os.environ["MEM0_TELEMETRY"] = "False" before the first import of mem0'
)


@contextmanager
def _quiet_import() -> Iterator[None]:
    """Let mem0 read while it is imported that it calls nobody and writes only into the game's folder."""
    folder = str(Path(settings.GAME_DIR) / "server" / FOLDER)
    before = dict(os.environ)
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=folder)
    try:
        yield
    finally:
        for name in ("MEM0_TELEMETRY", "MEM0_DIR"):
            del os.environ[name]
            if name in before:
                os.environ[name] = before[name]


class Mem0Engine:
    """Does the work of the port by `mem0.Memory`."""

    def __init__(self, store: Store) -> None:
        # mem0 switches on the deprecation warnings of the whole process, and Evennia's log on a newer
        # Python would then print two for each line.
        with warnings.catch_warnings():
            self.memory = build(store)
        # mem0 takes no batches of finished facts, deletes one by one and never by source, and knows none of these searches.
        self.add_all, self.delete_scope = store.add_all, store.delete_scope
        self.alike, self.created = store.alike, store.created

    def add(self, text: str, **kwargs: Any) -> Added:
        """See `Store.add`."""
        fact = new_fact(text, **kwargs)
        self.memory.embedding_model.names = fact.names
        try:
            result = self.memory.add(
                [{"role": "user", "content": fact.text}],
                user_id=fact.assistant_key,
                metadata={
                    METADATA: fact.metadata,
                    AUDIENCE: fact.audience,
                    "created_at": fact.created,
                },
                infer=False,
            )
        except Duplicate as duplicate:
            return Added(duplicate.id, "duplicate")
        return Added(result["results"][0]["id"], "added")

    def search(self, asked: Search) -> list[Memory]:
        """See `FactStore.search`."""
        if not asked.query.strip() or asked.limit < 1:
            return []
        asked = self.memory.vector_store.store.naming(asked)
        # mem0 does not know what else is asked. All of this runs on one thread.
        self.memory.vector_store.asked = asked
        self.memory.embedding_model.names = asked.names
        # Ranking and cutting are the store's.
        found = self.memory.search(
            asked.query, top_k=asked.limit, filters={"user_id": asked.assistant_key}, threshold=0.0
        )
        return [
            structs.replace(_item(one), score=one["score"], cosine=one["metadata"][LIKENESS])
            for one in found["results"]
        ]

    def extract(self, lines: list[NewMemory], facts: list[NewMemory], *, assistant_key: str) -> int:
        """Keep the facts that a model found in lines, all of them or none; return how many were new."""
        return len(self._infer(lines, facts, assistant_key)) if facts else 0

    def _infer(
        self, lines: list[NewMemory], facts: list[NewMemory], assistant_key: str
    ) -> list[Any]:
        """Let mem0 extract: its model answers with these facts, and keeps what it was asked."""
        audience = lines[0].audience
        if any(one.audience != audience for one in (*lines, *facts)):
            raise ValueError("lines of one extraction are for the same ears.")
        memory, hearers = self.memory, [ANYBODY] if audience == PUBLIC else audience
        names = [one.metadata.get("speaker") or "" for one in lines]
        memory.embedding_model.names = names
        memory.vector_store.asked = Search.of("", assistant_key=assistant_key, hearers=hearers)
        memory.vector_store.inferred = {one.text: fact_of(one, assistant_key) for one in facts}
        memory.llm.facts = [one.text for one in facts]
        try:
            added = memory.add(
                [
                    {"role": "user", "content": f"{name}: {one.text}" if name else one.text}
                    for name, one in zip(names, lines, strict=True)
                ],
                user_id=assistant_key,
                run_id=hashlib.blake2b(str(audience).encode(), digest_size=8).hexdigest(),
                metadata={},
                infer=True,
            )
        finally:
            memory.vector_store.inferred = {}
        return list(added["results"])

    def get(self, id: str, *, assistant_key: str) -> Memory | None:
        """See `Store.get`."""
        result = self.memory.get(id)
        return _item(result) if result and result.get("user_id") == assistant_key else None

    def get_all(self, *, assistant_key: str, limit: int = 100, offset: int = 0) -> list[Memory]:
        """See `Store.get_all`."""
        # mem0 knows no pages.
        found = self.memory.get_all(filters={"user_id": assistant_key}, top_k=limit + offset)
        return [_item(result) for result in found["results"][offset:]]

    def update(
        self,
        id: str,
        text: str,
        *,
        assistant_key: str,
        metadata: dict[str, Any] | None = None,
    ) -> bool:
        """See `Store.update`."""
        if self.get(id, assistant_key=assistant_key) is None:
            return False
        self.memory.update(id, text=text, metadata={METADATA: metadata or {}})
        return True

    def delete(self, id: str, *, assistant_key: str) -> bool:
        """See `Store.delete`."""
        if self.get(id, assistant_key=assistant_key) is None:
            return False
        self.memory.delete(id)
        return True


class Vectors:
    """The store as mem0 sees it."""

    store: Store
    # What `Mem0Engine.search` asks for.
    asked: Search

    def __init__(self, **config: Any) -> None:
        self.config = config
        # What an extraction found, by its words: mem0 drops all else that a model says of it.
        self.inferred: dict[str, Fact] = {}

    def insert(self, vectors: Any, payloads: Any = None, ids: Any = None) -> None:
        """Keep facts; raises Duplicate for one that is known, unless it was extracted."""
        rows = list(zip(payloads, vectors, ids, strict=True))
        if not self.inferred:
            for payload, vector, id in rows:
                self.store.insert(_fact(payload, id), vector)
            return
        with self.store._transaction():
            for payload, vector, id in rows:
                with suppress(Duplicate):
                    self.store.insert(self.inferred[payload["data"]]._replace(id=id), vector)

    def search(self, query: str, vectors: Any, top_k: int = 5, filters: Any = None) -> list[Any]:
        """Answer what the engine asks for, who hears it included."""
        asked = self.asked._replace(query=self.asked.query or query, vector=vectors)
        return [_hit(item, asked.assistant_key) for item in self.store.search(asked)]

    def keyword_search(self, query: str, top_k: int = 5, filters: Any = None) -> None:
        """Nothing: the fusion is done in `search`, where a hit by words alone counts as well."""

    def get(self, vector_id: str) -> Any:
        """Return one memory, of whichever assistant."""
        fact = self.store.fact(vector_id)
        return _hit(fact.memory(), fact.assistant_key) if fact else None

    def list(self, filters: Any = None, top_k: int | None = None) -> list[list[Any]]:
        """Return the memories of an assistant, newest first."""
        assistant_key = filters["user_id"]
        items = self.store.get_all(assistant_key=assistant_key, limit=top_k or 100)
        return [[_hit(item, assistant_key) for item in items]]

    def update(self, vector_id: str, vector: Any = None, payload: Any = None) -> None:
        """Let a text supersede another."""
        self.store.update(
            vector_id,
            payload["data"],
            assistant_key=payload["user_id"],
            metadata=payload.get(METADATA),
        )

    def delete(self, vector_id: str) -> None:
        """Forget one memory."""
        fact = self.store.fact(vector_id)
        if fact is not None:
            self.store.delete(vector_id, assistant_key=fact.assistant_key)


class Embedder:
    """The embedder of the store as mem0 sees it; `names` are left out."""

    store: Store

    def __init__(self, config: Any = None) -> None:
        self.config = config
        self.names: Iterable[str] = ()

    def embed(self, text: str, memory_action: Any = None) -> Any:
        """Return the vector of a text, or of a question."""
        prepared = ranked.prepared_query(text, self.names)
        if memory_action == "search":
            return self.store.embedder.embed_query(prepared)
        return self.store.embedder.embed([prepared])[0]

    def embed_batch(self, texts: list[str], memory_action: Any = None) -> list[Any]:
        """Return the vectors of texts."""
        return list(
            self.store.embedder.embed([ranked.prepared_query(one, self.names) for one in texts])
        )


class Answered:
    """The model as mem0 sees it: what the port to models answered (`sleep/learning`), which is asked before.

    So no thread waits for it, budget and ledger are those of every request, and it reads our instructions
    and not those of mem0.
    """

    def __init__(self, config: Any = None) -> None:
        self.config = config
        self.facts: list[str] = []

    def generate_response(self, messages: Any, **kwargs: Any) -> str:
        """Return the facts in mem0's form."""
        return json.dumps({"memory": [{"text": fact} for fact in self.facts]})


class NoHistory:
    """Keeps nothing: mem0's own history would hold the words of those who asked to be forgotten."""

    def add_history(self, *args: Any, **kwargs: Any) -> None:
        """The store keeps what was superseded, and forgets it with the memory."""

    def get_history(self, memory_id: str) -> list[Any]:
        """There is none."""
        return []

    batch_add_history = add_history

    def save_messages(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is kept."""

    def get_last_messages(self, *args: Any, **kwargs: Any) -> list[Any]:
        """There are none: they might be for other ears."""
        return []

    def close(self) -> None:
        """There is nothing to close."""


def build(store: Store) -> Any:
    """Return a `mem0.Memory` on the store."""
    telemetry = sys.modules.get("mem0.memory.telemetry")
    if telemetry is not None and telemetry.MEM0_TELEMETRY:
        raise ImproperlyConfigured(TELEMETRY_ON)
    with _quiet_import():
        from mem0 import Memory
        from mem0.configs.base import MemoryConfig
        from mem0.configs.llms.base import BaseLlmConfig
        from mem0.embeddings.configs import EmbedderConfig
        from mem0.llms.configs import LlmConfig
        from mem0.utils import factory, spacy_models
        from mem0.vector_stores.configs import VectorStoreConfig

    # Where spaCy happens to be installed, mem0 would download a language for it.
    spacy_models._load_failed_full = spacy_models._load_failed_lemma = True
    factory.EmbedderFactory.provider_to_class[PROVIDER] = f"{__name__}.Embedder"
    factory.VectorStoreFactory.provider_to_class[PROVIDER] = f"{__name__}.Vectors"
    factory.LlmFactory.provider_to_class[PROVIDER] = (f"{__name__}.Answered", BaseLlmConfig)
    collection = SimpleNamespace(collection_name="facts", model_dump=dict)
    memory = Memory(
        MemoryConfig.model_construct(
            vector_store=VectorStoreConfig.model_construct(provider=PROVIDER, config=collection),
            embedder=EmbedderConfig.model_construct(
                provider=PROVIDER, config={DIMENSIONS: store.embedder.dimensions}
            ),
            llm=LlmConfig.model_construct(provider=PROVIDER, config={}),
            history_db_path=":memory:",
            reranker=None,
            version="v1.1",
            custom_instructions=None,
        )
    )
    memory.vector_store.store = memory.embedding_model.store = store
    memory.db.close()
    memory.db = NoHistory()
    return memory


def _fact(payload: dict[str, Any], id: str) -> Fact:
    return Fact(
        text=payload["data"],
        assistant_key=payload["user_id"],
        audience=payload.get(AUDIENCE),
        metadata=payload.get(METADATA) or {},
        created=payload["created_at"],
        id=id,
    )


def _hit(item: Memory, assistant_key: str) -> Any:
    payload = {
        "data": item.text,
        "user_id": assistant_key,
        "created_at": item.created,
        AUDIENCE: item.audience,
        METADATA: item.metadata,
        LIKENESS: item.cosine,
    }
    return SimpleNamespace(id=item.id, score=item.score, payload=payload)


def _item(result: dict[str, Any]) -> Memory:
    kept = result["metadata"]
    return Memory(
        id=result["id"],
        text=result["memory"],
        audience=kept[AUDIENCE],
        metadata=kept[METADATA],
        created=result["created_at"],
    )
