"""Semantic memory by mem0 (`engine`) on our own store, beside the reactor."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from twisted.internet.defer import Deferred

from evennia_ai import conf
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.engine import Mem0Engine
from evennia_ai.semantic.facts import Search
from evennia_ai.semantic.memory_thread import MemoryBroken, MemoryUnavailable, beside_the_reactor
from evennia_ai.semantic.stores.fact_store import Added
from evennia_ai.semantic.stores.store import Store

DEFAULT_EMBEDDER = "evennia_ai.semantic.embedders.sentences.SentenceEmbedder"
FILE_NAME = "evennia_ai_memory.db3"


class Mem0Memory:
    """The port on mem0.

    Args:
        path: the file; by default `server/evennia_ai_memory.db3` in the game's folder.
        embedder: the dotted path of a class.
        embedder_options: its arguments.

    """

    enabled = True

    def __init__(
        self,
        *,
        path: str | None = None,
        embedder: str = DEFAULT_EMBEDDER,
        embedder_options: dict[str, Any] | None = None,
    ) -> None:
        self.path = Path(path) if path else Path(settings.GAME_DIR) / "server" / FILE_NAME
        self._embedder_path = embedder
        self._embedder_options = embedder_options or {}
        self._store: Any = None
        self._engine: Any = None
        self._building = threading.Lock()
        self._told = ""

    @property
    def scale(self) -> dict[str, float]:
        """What likenesses mean for the embedder; it is known once the memory was used."""
        store = self._store
        return store.embedder.scale if store else {}

    @property
    def place(self) -> str:
        """Where the memories are, for sentences to an admin."""
        return str(self.path)

    def add(self, text: str, **how: Any) -> Deferred[str]:
        """See `SemanticMemory.add`."""
        return self.put(text, **how).addCallback(lambda result: result.id)

    put = beside_the_reactor(Store, "add")

    def add_all(self, texts: Iterable[NewMemory], *, assistant_key: str) -> Deferred[list[Added]]:
        """See `SemanticMemory.add_all`."""
        return self._run("add_all", list(texts), assistant_key=assistant_key)

    def search(self, query: str, **how: Any) -> Deferred[list[Memory]]:
        """See `SemanticMemory.search`."""
        return self._run("search", Search.of(query, **how))

    def alike(self, text: str, **how: Any) -> Deferred[list[Memory]]:
        """See `base.alike`."""
        return self._run("alike", Search.of(text, **how))

    extract = beside_the_reactor(Mem0Engine, "extract")
    created = beside_the_reactor(Store, "created")
    get = beside_the_reactor(Store, "get")
    get_all = beside_the_reactor(Store, "get_all")
    update = beside_the_reactor(Store, "update")
    delete = beside_the_reactor(Store, "delete")
    delete_scope = beside_the_reactor(Store, "delete_scope")

    def describe(self) -> str:
        """Return one sentence about what it is."""
        return f"Long-term memory is kept in {self.place}."

    def warm_up(self) -> Deferred[None]:
        """See `SemanticMemory.warm_up`."""
        return memory_thread.get_worker().run(self._warmed)

    def close(self) -> None:
        """See `SemanticMemory.close`; the next use opens the file again."""
        store, self._store, self._engine = self._store, None, None
        if store is not None:
            store.close()

    def open_store(self) -> Any:
        """Return the store; called on the worker."""
        return Store(self.path, self.embedder())

    def _run(self, name: str, *args: Any, **kwargs: Any) -> Deferred[Any]:
        return memory_thread.get_worker().run(self._call, name, args, kwargs)

    def _call(self, name: str, args: Any, kwargs: Any) -> Any:
        try:
            return getattr(self._built(), name)(*args, **kwargs)
        except EmbedderFailed as error:
            raise self._broken(error) from error
        except (sqlite3.Error, OSError) as error:
            raise MemoryUnavailable(f"semantic memory in {self.place}: {error}.") from error

    def _built(self) -> Any:
        with self._building:
            if self._engine is None:
                try:
                    self._store = self.open_store()
                    if self._store.made_anew:
                        _tell(
                            f"{self._store.made_anew} memories were embedded anew in {self.place}"
                        )
                    self._engine = Mem0Engine(self._store)
                # Libraries and embedders that a game chose run here: none of them may silence NPCs.
                except Exception as error:
                    self.close()
                    raise self._broken(error) from error
            return self._engine

    def _broken(self, error: Exception) -> MemoryBroken:
        """Tell staff once, with the traceback; returns what to raise instead."""
        from evennia.utils import logger

        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        sentence = f"semantic memory in {self.place}: {reason}."
        if sentence != self._told:
            self._told = sentence
            logger.log_trace(f"evennia_ai: NPCs talk without long-term memory: {sentence}")
        return MemoryBroken(sentence)

    def _warmed(self) -> None:
        self._call("search", (Search.of("warm up", assistant_key="-", hearers=()),), {})
        self._store.embedder.embed_query("warm up")

    def embedder(self) -> Any:
        """Return a new embedder of the settings."""
        return Guarded(conf.load(self._embedder_path)(**self._embedder_options))


def _tell(sentence: str) -> None:
    from evennia.utils import logger

    logger.log_info(f"evennia_ai: {sentence}.")


class EmbedderFailed(Exception):
    """An embedder raised something as it was asked for vectors."""


class Guarded:
    """An embedder of a game, whose failures are told from ours."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.scale, self.languages = embedder.scale, getattr(embedder, "languages", None)

    def embed(self, texts: Sequence[str]) -> Any:
        """Return a row for each text."""
        return self._asked(self._embedder.embed, texts)

    def embed_query(self, text: str) -> Any:
        """Return the row of a question."""
        return self._asked(self._embedder.embed_query, text)

    def _asked(self, embed: Callable[[Any], Any], given: Any) -> Any:
        try:
            return embed(given)
        # It may be anybody's, and must not silence NPCs.
        except Exception as error:
            raise EmbedderFailed(f"the embedder {self.name} failed: {error}") from error
