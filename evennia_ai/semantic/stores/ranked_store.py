"""The half of a store that ranks: what may be told comes from the database, and the order of it is worked out here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from evennia_ai.core.records import Audience
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Search
from evennia_ai.semantic.ranking import fusion, ranked, terms
from evennia_ai.semantic.ranking.beside import Beside, BesideVectors
from evennia_ai.semantic.stores import minds
from evennia_ai.semantic.stores.fact_store import BATCH, FactStore
from evennia_ai.semantic.stores.growable_arrays import products
from evennia_ai.semantic.stores.minds import Mind, Minds, Row

if TYPE_CHECKING:
    import numpy

# To be counted up where other stems put words elsewhere.
WORDS = 1


class RankedStore(FactStore):
    """A store whose memories are ranked as arrays (`minds`); a database gives what is only declared here."""

    _minds: Minds
    # The rows of an assistant with numbers above one, ascending.
    _fetch: Callable[[str, int], list[Row]]
    # Where the rows are that may be told, ascending, and how alike each is to a vector.
    _told: Callable[[Mind, Any, Search], tuple[numpy.ndarray, numpy.ndarray]]
    # The numbers of an assistant's rows that have each of some tokens, and memories by their numbers.
    _having: Callable[[str, Iterable[str]], dict[str, numpy.ndarray]]
    _items: Callable[[list[int]], dict[int, Memory]]
    _ids: Callable[[], list[str]]
    # What is noted of the embedder that filled the store.
    _filled_by: Callable[[], str | None]
    _note_filled_by: Callable[[str], None]

    def __init__(self, embedder: Any) -> None:
        self.embedder = embedder
        self._beside = BesideVectors(embedder)

    def search(self, asked: Search) -> list[Memory]:
        """Return what all hearers may know and fits the query, best first."""
        return super().search(asked if asked.vector is not None else self.naming(asked))

    def naming(self, asked: Search) -> Search:
        """Return a search that knows whose words are asked for: a name says that, and not what about."""
        mind = self._minds.get(asked.assistant_key)
        # Who spoke in secret has no part in it.
        told = set(mind.traits["speaker"][mind.open_to(asked.hearers)].tolist())
        speakers = {one for one, code in list(mind.speakers.items()) if code in told}
        named = fusion.named_in(asked.query, speakers - {""})
        names = (*asked.names, *sorted(named - set(asked.names)))
        about = retrieval.terms(fusion.prepare(asked.query, names=names))
        # "What do you know about Ann?" is about nothing else.
        return asked._replace(names=names) if not all(map(retrieval.is_weak, about)) else asked

    def alike(self, asked: Search) -> list[Memory]:
        """Return what all hearers may know and is like a text, the most alike first.

        Words are not asked.
        """
        asked = asked._replace(query=storable(asked.query))
        mind = self._minds.get(asked.assistant_key)
        places, likeness = self._told(mind, self.vector_of(asked), asked)
        best = ranked.nearest(mind.traits["n"][places], likeness, asked.limit)
        return list(self._found(best, None, asked.hearers))

    def reembed(self) -> int:
        """Make all vectors and words anew with the present embedder; return how many."""
        with self._transaction():
            ids = self._ids()
            for start in range(0, len(ids), BATCH):
                facts = [fact for id in ids[start : start + BATCH] if (fact := self.fact(id))]
                for fact, vector in zip(facts, self.embed(facts), strict=True):
                    self._move(fact, vector)
            self._note_filled_by(json.dumps(self._filling()))
        self._minds.drop()
        return len(ids)

    def keep_to_embedder(self) -> int:
        """See to it that all vectors are of the embedder of the settings; return how many were made anew."""
        with self._transaction():
            filled_by = self._filled_by()
            if filled_by is None:
                self._note_filled_by(json.dumps(self._filling()))
            elif json.loads(filled_by) != self._filling():
                return self.reembed()
        return 0

    def _filling(self) -> dict[str, Any]:
        embedder = self.embedder
        return {"name": embedder.name, "dimensions": embedder.dimensions, "words": WORDS}

    def _best(self, asked: Search) -> list[Memory]:
        import numpy as np

        beside = self._beside(asked.also, asked.assistant_key)
        vector = self.vector_of(asked)
        mind = self._minds.get(asked.assistant_key)
        places, likeness = self._told(mind, vector, asked)
        traits, fresh = _taken(mind.traits, places), []
        if beside.rows:
            more = mind.traits_of(beside.rows)
            # What is kept and at hand is one, and so is what is at hand twice.
            said = {one: place for place, one in reversed(list(enumerate(more["said"].tolist())))}
            fresh = sorted(said[one] for one in said.keys() - set(traits["said"].tolist()))
            traits = np.concatenate([traits, more[fresh]])
        if not len(traits):
            return []
        vectors = [np.frombuffer(beside.rows[place].vector, dtype=np.float32) for place in fresh]
        cosine = np.append(likeness, products(np.array(vectors), vector) if vectors else [])
        tokens = [beside.tokens[place] for place in fresh]
        keyword = self._keyword(asked, mind, traits, tokens)
        order = np.argsort(traits["moment"], kind="stable")
        told = ranked.Told(
            _taken(traits, order), list(mind.speakers), cosine[order], keyword[order], mind.language
        )
        best = ranked.best_of(
            asked,
            told,
            prior=self.embedder.scale.get("cosine_prior"),
            known=getattr(self.embedder, "languages", None),
        )
        return list(self._found(best, beside, asked.hearers))

    def _keyword(
        self, asked: Search, mind: Mind, traits: numpy.ndarray, beside: Sequence[frozenset[str]]
    ) -> numpy.ndarray:
        """Return how well rows fit by their words; the last ones are not stored, and have these tokens."""
        import numpy as np

        looked_up = terms.of_query(asked.query, asked.names, language=mind.language)
        tokens = [
            f"{prefix}{one}" for term in looked_up for one in term for prefix in ("", terms.BEFORE)
        ]
        numbers, found = traits["n"][: len(traits) - len(beside)], {}
        for token, having in self._having(asked.assistant_key, tokens).items():
            places = np.minimum(np.searchsorted(numbers, having), max(0, len(numbers) - 1))
            found[token] = places[numbers[places] == having] if len(numbers) else places[:0]
        for token in tokens if beside else ():
            more = [len(numbers) + place for place, own in enumerate(beside) if token in own]
            found[token] = np.append(found.get(token, []), more).astype(np.int64)
        having_them = [terms.often(term, found, len(traits)) for term in looked_up]
        return terms.bm25(having_them, traits["length"])

    def _found(
        self, hits: list[ranked.Hit], beside: Beside | None, hearers: frozenset[str]
    ) -> Iterator[Memory]:
        found = self._items([hit.n for hit in hits if hit.n >= 0])
        for hit in hits:
            item = beside.item(hit.n) if beside and hit.n < 0 else found.get(hit.n)
            # A row may be gone; and the database is asked once more who may know.
            if item and (hit.n < 0 or minds.is_open(_ears(item.audience), hearers)):
                yield structs.replace(item, score=hit.score, cosine=hit.cosine)


def _taken(rows: numpy.ndarray, places: numpy.ndarray) -> numpy.ndarray:
    """Return the rows of these places; all of them as they are, which is usual and saves a copy."""
    import numpy as np

    is_all = len(places) == len(rows) and bool((places == np.arange(len(rows))).all())
    return rows if is_all else rows[places]


def _ears(audience: Audience) -> frozenset[str] | None:
    return None if audience == "public" else frozenset(audience)
