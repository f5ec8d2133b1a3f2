"""Texts that are ranked along with what a store has, and are not in it: lore, the journal of today."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.semantic import fusion, ranked
from evennia_ai.semantic.facts import Fact, new_fact
from evennia_ai.semantic.scope import Row

if TYPE_CHECKING:
    import numpy

# Texts whose vectors are kept: lore and journals are asked for at each turn.
KEPT_VECTORS = 4000
# What has no time is of no talk, and so are any two such things.
APART = 2 * fusion.TALK_GAP.total_seconds()


class Beside(NamedTuple):
    """The texts as results show them, and as rows."""

    items: list[dict[str, Any]]
    rows: list[Row]

    def item(self, number: int) -> dict[str, Any]:
        """Return a text by the number of its row, which is below zero."""
        return self.items[-1 - number]


class BesideVectors:
    """Makes rows of texts, and embeds each text once."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, also: Sequence[dict[str, Any]], assistant_key: str) -> Beside:
        """Return what is given in the form of `SemanticMemory.search`."""
        facts = [new_fact(assistant_key=assistant_key, **one) for one in also]
        vectors = self._embedded([ranked.prepared(fact) for fact in facts])
        rows = [
            _row(index, fact, vector)
            for index, (fact, vector) in enumerate(zip(facts, vectors, strict=True))
        ]
        return Beside([_item(fact, one) for fact, one in zip(facts, also, strict=True)], rows)

    def _embedded(self, texts: list[str]) -> list[bytes]:
        with self._lock:
            known = {text: self._kept[_key(text)] for text in texts if _key(text) in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            vectors: numpy.ndarray = self._embedder.embed(new)
            known |= zip(
                new, (vector.astype("float32").tobytes() for vector in vectors), strict=False
            )
        with self._lock:
            for text, vector in known.items():
                self._kept[_key(text)] = vector
                self._kept.move_to_end(_key(text))
            while len(self._kept) > KEPT_VECTORS:
                self._kept.popitem(last=False)
        return [known[text] for text in texts]


def _key(text: str) -> bytes:
    # Not the words: whoever is forgotten leaves none behind.
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _row(index: int, fact: Fact, vector: bytes) -> Row:
    return Row(
        n=-1 - index,
        moment=fact.moment if fact.metadata.get("timestamp") else -APART * (index + 1),
        trust=fact.trust,
        importance=fact.importance,
        speaker=fact.speaker,
        worth=ranked.worth(fact),
        text=fact.text,
        before=fact.before,
        vector=vector,
    )


def _item(fact: Fact, given: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "",
        "text": fact.text,
        "audience": given["audience"],
        "metadata": fact.metadata,
        "created": fact.created,
    }
