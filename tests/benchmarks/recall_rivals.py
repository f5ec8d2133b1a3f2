"""What recall is compared with: the source's hash, plain full text, and mem0's own search."""

import re
import sqlite3

import numpy as np


class Adler32:
    """Likeness of words that are counted by their adler32 checksum, as the source had it."""

    def __init__(self, path):
        from evennia_ai.semantic.embedders.adler32 import Adler32Embedder

        self._embedder = Adler32Embedder()
        self._ids, self._rows = [], []

    def start(self, number, conversation):
        self._ids, self._rows = [], []

    def add(self, line):
        self._ids.append(line["id"])
        self._rows.append(self._embedder.embed([line["text"]])[0])

    def search(self, text, limit):
        likeness = np.stack(self._rows) @ self._embedder.embed_query(text)
        return [self._ids[index] for index in np.argsort(-likeness, kind="stable")[:limit]]


class FullText:
    """SQLite's full-text index with all words of the question."""

    def __init__(self, path):
        self._database = sqlite3.connect(":memory:")

    def start(self, number, conversation):
        self._database.execute("DROP TABLE IF EXISTS lines")
        self._database.execute(
            "CREATE VIRTUAL TABLE lines USING fts5(text, id UNINDEXED, tokenize='porter unicode61')"
        )

    def add(self, line):
        self._database.execute("INSERT INTO lines VALUES(?, ?)", (line["text"], line["id"]))

    def search(self, text, limit):
        words = dict.fromkeys(re.findall(r"\w+", text.casefold()))
        found = self._database.execute(
            "SELECT id FROM lines WHERE lines MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words) or '""', limit),
        )
        return [id for (id,) in found]


class StockMem0:
    """mem0 on Qdrant's embedded store, with our embedder and nothing else of ours."""

    def __init__(self, path):
        from evennia_ai.semantic import base

        # Importing through our adapter sees to it that mem0 calls nobody.
        self._embedder = base.get_memory()._store.embedder
        self._memory, self._path = None, path

    def start(self, number, conversation):
        from mem0 import Memory

        dimensions = self._embedder.dimensions
        if self._memory:
            self._memory.vector_store.client.close()
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "lines",
                        "path": f"{self._path}-{number}",
                        "embedding_model_dims": dimensions,
                    },
                },
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": ":memory:",
            }
        )
        self._memory.embedding_model = Embedding(self._embedder)
        # Else it looks for an encoder on the network.
        self._memory.vector_store._bm25_encoder = False

    def add(self, line):
        self._memory.add(
            line["text"], user_id="assistant", infer=False, metadata={"line": line["id"]}
        )

    def search(self, text, limit):
        found = self._memory.search(
            text, filters={"user_id": "assistant"}, top_k=limit, threshold=0.0
        )
        return [hit["metadata"]["line"] for hit in found["results"]]


class Embedding:
    """An embedder of ours in the form that mem0 asks for."""

    def __init__(self, embedder):
        self._embedder = embedder

    def embed(self, text, memory_action=None):
        return self._embedder.embed([text])[0].tolist()

    def embed_batch(self, texts, memory_action=None):
        return self._embedder.embed(list(texts)).tolist()


RIVALS = {"adler32": Adler32, "bm25": FullText, "mem0": StockMem0}
