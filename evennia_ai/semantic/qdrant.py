"""Semantic memory in a Qdrant server.

EVENNIA_AI["SEMANTIC"] = {"default": {
    "BACKEND": "evennia_ai.semantic.qdrant.QdrantMemory",
    "OPTIONS": {"url": "http://127.0.0.1:6333"},
}}
"""

from __future__ import annotations

import os
import re
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai.semantic.mem0 import Mem0Memory
from evennia_ai.semantic.stored import DEFAULT_EMBEDDER
from evennia_ai.semantic.stores.qdrant_store import QdrantStore
from evennia_ai.semantic.worker import MemoryUnavailable

# Seconds that one request may take.
TIMEOUT = 10
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class QdrantMemory(Mem0Memory):
    """The port on Qdrant, by mem0 where it is installed, as the SQLite store is.

    Args:
        url: where the server is; ":memory:" is a Qdrant inside the process, for tests.
        collection: how the names of its collections begin; games that share a server differ in it.
        api_key_env: the environment variable that holds its key.
        embedder: the dotted path of a class.
        embedder_options: its arguments.

    """

    # Python's name of what it is built on, and how to get it.
    needs = {"qdrant_client": 'pip install "evennia-ai[qdrant]"'}

    def __init__(
        self,
        *,
        url: str,
        collection: str = "evennia_ai",
        api_key_env: str = "",
        embedder: str = DEFAULT_EMBEDDER,
        embedder_options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(embedder=embedder, embedder_options=embedder_options)
        if not _NAME.fullmatch(collection):
            raise ImproperlyConfigured(
                f"SEMANTIC names the collection {collection!r}: use letters, digits, _ and -."
            )
        self._url = url
        self._collection = collection
        self._api_key_env = api_key_env

    @property
    def place(self) -> str:
        """Where the memories are."""
        return f"the collection {self._collection} of Qdrant"

    def open_store(self, *, check_embedder: bool = True) -> QdrantStore:
        """Return the store; called on the worker."""
        from qdrant_client import QdrantClient

        client = QdrantClient(
            location=self._url,
            api_key=os.environ.get(self._api_key_env) or None,
            timeout=TIMEOUT,
            # One more request, and a warning in the log where the server is not there.
            check_compatibility=False,
        )
        return QdrantStore(
            client, self.embedder(), name=self._collection, check_embedder=check_embedder
        )

    def _call(self, name: str, args: Any, kwargs: Any) -> Any:
        from qdrant_client.http.exceptions import ApiException

        try:
            return super()._call(name, args, kwargs)
        except ApiException as error:
            raise MemoryUnavailable(f"semantic memory in {self.place}: {_line(error)}.") from error


def _line(error: Exception) -> str:
    """Return the message of an error as the tail of a sentence."""
    return " ".join(str(error).split()).rstrip(".")
