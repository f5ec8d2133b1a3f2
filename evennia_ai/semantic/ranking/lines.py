"""The best of some lines for a question, without keeping any of them: lore, what somebody wears, what is for sale."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred

from evennia_ai.core import words
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.embedders import sentences
from evennia_ai.semantic.ranking import fusion, terms
from evennia_ai.semantic.stores.growable_arrays import products

if TYPE_CHECKING:
    import numpy

# Below this score a line is not sure to be what is asked for. Of 160 questions in eight languages
# (tests/data/inflections.yaml) all reach it with their line, and one in five where that is not there.
SURE = 0.45
# What the shared words are worth beside the likeness of meaning.
WORDS_SHARE = 0.5
# What likeness counts in a language that the embedder does not know.
UNKNOWN_LANGUAGE = 0.5
# Lines of which the vectors are kept, of 2 kB each.
KEPT = 2000


def best(
    query: str, texts: Sequence[str], names: Sequence[str] = ()
) -> Deferred[list[tuple[float, int]]]:
    """Rank texts by how well they fit a question; fires with (score, index), best first.

    A score is from 0 to 1; below `SURE` the text is only the nearest there is. `names` are of those who
    talk, which say nothing about what is asked. The embedder works on the thread of long-term memory.
    """
    return memory_thread.get_worker().run(ranked, query, list(texts), tuple(names))


def ranked(query: str, texts: Sequence[str], names: Sequence[str] = ()) -> list[tuple[float, int]]:
    """Return what `best` fires with; it blocks, and is for the thread of long-term memory."""
    import numpy as np

    if not query.strip() or not texts:
        return []
    asked = sentences.SentenceEmbedder().embed_query(fusion.prepare(query, names=names) or query)
    likeness = np.clip(products(_embedded(texts, names), asked), 0.0, 1.0)
    if fusion.weights(query, known=sentences.SentenceEmbedder.languages) is fusion.BY_WORDS:
        likeness *= UNKNOWN_LANGUAGE
    shared = np.array(_shared(query, texts, names))
    scores = 1.0 - (1.0 - likeness) * (1.0 - WORDS_SHARE * shared)
    order = np.lexsort((np.arange(len(texts)), -scores))
    return [(round(float(scores[place]), 4), int(place)) for place in order]


def _shared(query: str, texts: Sequence[str], names: Sequence[str]) -> list[float]:
    """Return for each text the share of the question's words that it has, the rarer a word the more it counts."""
    usual = words.usual_language(words.signs(word for text in texts for word in words.words(text)))
    asked = terms.of_query(query, names, language=usual)
    having = [set(terms.of_line(text, language=usual)) for text in texts]
    weights = [
        math.log1p(len(texts) / (0.5 + sum(not term.isdisjoint(one) for one in having)))
        for term in asked
    ]
    whole = sum(weights) or 1.0
    return [
        sum(weight for term, weight in zip(asked, weights, strict=True) if not term.isdisjoint(one))
        / whole
        for one in having
    ]


@lru_cache(maxsize=1)
def _vectors() -> OrderedDict[int, Any]:
    """Return the vectors that are kept, by the hashes of their texts."""
    return OrderedDict()


def _embedded(texts: Sequence[str], names: Sequence[str]) -> numpy.ndarray:
    import numpy as np

    prepared = [fusion.prepare(text, names=names) or text for text in texts]
    # Not by the words: whoever is forgotten leaves none behind.
    keys, kept = [hash(text) for text in prepared], _vectors()
    new = {key: text for key, text in zip(keys, prepared, strict=True) if key not in kept}
    if new:
        kept.update(zip(new, sentences.SentenceEmbedder().embed(list(new.values())), strict=True))
    found = np.array([kept[key] for key in keys])
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return found
