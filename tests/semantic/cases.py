"""A folder, an inline worker and an embedder for tests of semantic memory."""

import re
import shutil
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.semantic import base, memory_thread
from evennia_ai.semantic.stores.store import Store

PLAIN = "tests.semantic.cases.PlainEmbedder"


class PlainEmbedder:
    """Counts words in 128 buckets."""

    name, dimensions = "plain", 128

    scale = {"relevant": 0.2, "alike": 0.2}

    def __init__(self, name="plain"):
        self.name = name

    def embed(self, texts):
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[zlib.crc32(word[:5].encode()) % self.dimensions] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0, lengths, 1)

    def embed_query(self, text):
        return self.embed([text])[0]


def count_kept(store, *keys):
    """Return how many memories a store has of assistants, by default of Mara."""
    return sum(len(store.get_all(assistant_key=key, limit=1_000)) for key in keys or ["mara"])


class SemanticTestCase(SynchronousTestCase):
    """Whatever runs, runs at once; `folder` is gone afterwards."""

    run = unittest.TestCase.run
    subTest = unittest.TestCase.subTest  # noqa: N815

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-memory-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        self.addCleanup(base.reset)

    @property
    def path(self):
        return self.folder / "memory.db3"

    def make_store(self, embedder=None):
        """Return the store in the folder."""
        store = Store(self.path, embedder or PlainEmbedder())
        self.addCleanup(store.close)
        return store

    def keep(self, store, text, *, key="mara", audience="public", **metadata):
        """Keep a text in a store; return its id."""
        return store.add(text, assistant_key=key, audience=audience, metadata=metadata).id
