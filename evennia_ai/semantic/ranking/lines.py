"""Likeness in meaning of lines to a question, without keeping any of them: lore, what is for sale."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred

from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.embedders import sentences
from evennia_ai.semantic.ranking import fusion
from evennia_ai.semantic.stores.growable_arrays import products

if TYPE_CHECKING:
    import numpy

# Lines of which the vectors are kept, of 2 kB each.
KEPT = 2000


def likeness(
    queries: Sequence[str], texts: Sequence[str], names: Sequence[str] = ()
) -> Deferred[list[list[float]]]:
    """Compare questions with texts; fires with one row a question, a cosine from 0 to 1 for each text.

    `names` are of those who talk, which say nothing about what is asked. The embedder works on the thread
    of long-term memory.
    """
    return memory_thread.get_worker().run(compared, list(queries), list(texts), tuple(names))


def compared(
    queries: Sequence[str], texts: Sequence[str], names: Sequence[str] = ()
) -> list[list[float]]:
    """Return what `likeness` fires with; it blocks, and is for the thread of long-term memory."""
    import numpy as np

    if not texts:
        return [[] for _ in queries]
    known, embedder = _embedded(texts, names), sentences.SentenceEmbedder()
    asked = [embedder.embed_query(fusion.prepare(one, names=names)) for one in queries]
    return [np.clip(products(known, one), 0.0, 1.0).round(4).tolist() for one in asked]


@lru_cache(maxsize=1)
def _vectors() -> OrderedDict[int, Any]:
    """Return the vectors that are kept, by the hashes of their texts."""
    return OrderedDict()


def _embedded(texts: Sequence[str], names: Sequence[str]) -> numpy.ndarray:
    import numpy as np

    prepared = [fusion.prepare(text, names=names) for text in texts]
    # Not by the words: whoever is forgotten leaves none behind.
    keys, kept = [hash(text) for text in prepared], _vectors()
    new = {key: text for key, text in zip(keys, prepared, strict=True) if key not in kept}
    if new:
        kept.update(zip(new, sentences.SentenceEmbedder().embed(list(new.values())), strict=True))
    found = np.array([kept[key] for key in keys])
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return found
