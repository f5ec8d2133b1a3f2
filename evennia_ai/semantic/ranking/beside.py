"""Texts that are ranked along with what a store has, and are not in it: lore, the journal of today."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.domain.memories.passages import TALK_GAP
from evennia_ai.semantic.facts import Fact, fact_of
from evennia_ai.semantic.ranking import ranked, terms
from evennia_ai.semantic.stores.minds import Row

if TYPE_CHECKING:
    import numpy

# Texts of which it is kept what was worked out: lore and journals are asked for at each turn.
KEPT = 4000
# What has no time is of no talk, and so are any two such things.
APART = 2 * TALK_GAP.total_seconds()


class Known(NamedTuple):
    """What was worked out of a text."""

    vector: bytes
    worth: float
    tokens: frozenset[str]


class Beside(NamedTuple):
    """The texts as they were given, and as rows."""

    given: Sequence[NewMemory]
    facts: list[Fact]
    rows: list[Row]
    tokens: list[frozenset[str]]

    def item(self, number: int) -> Memory:
        """Return a text by the number of its row, which is below zero, as results show it."""
        return structs.replace(
            self.facts[-1 - number].memory(), id="", audience=self.given[-1 - number].audience
        )


class BesideVectors:
    """Makes rows of texts, and embeds each text once."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[bytes, Known] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, also: Sequence[NewMemory], assistant_key: str) -> Beside:
        """Return what is given in the form of `SemanticMemory.search`."""
        facts = [fact_of(one, assistant_key) for one in also]
        known = self._worked_out(facts)
        rows = [
            _row(index, fact, one)
            for index, (fact, one) in enumerate(zip(facts, known, strict=True))
        ]
        return Beside(also, facts, rows, [one.tokens for one in known])

    def _worked_out(self, facts: list[Fact]) -> list[Known]:
        keys = [_key(fact) for fact in facts]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: fact for key, fact in zip(keys, facts, strict=True) if key not in known}
        if new:
            vectors: numpy.ndarray = self._embedder.embed([*map(ranked.prepared, new.values())])
            for (key, fact), vector in zip(new.items(), vectors, strict=True):
                packed = vector.astype("float32").tobytes()
                tokens = frozenset(terms.of_line(fact.text, fact.before))
                known[key] = Known(packed, ranked.worth(fact), tokens)
        with self._lock:
            for key, one in known.items():
                self._kept[key] = one
                self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return [known[key] for key in keys]


def _key(fact: Fact) -> bytes:
    # Not the words: whoever is forgotten leaves none behind.
    text = "\n".join([fact.text, fact.before, *fact.names])
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _row(index: int, fact: Fact, known: Known) -> Row:
    return Row(
        n=-1 - index,
        moment=fact.moment if fact.metadata.get("timestamp") else -APART * (index + 1),
        trust=fact.trust,
        importance=fact.importance,
        speaker=fact.speaker,
        worth=known.worth,
        text=fact.text,
        before=fact.before,
        vector=known.vector,
    )
