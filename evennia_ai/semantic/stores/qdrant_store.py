"""The store of semantic memory in Qdrant: candidates from there, ranked here by the usual fusion.

Qdrant filters, and gives the memories nearest to a query by their sense and by their words. Only
these are fused, so that neighbouring lines count as far as they are among them.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact
from evennia_ai.semantic.ranking import dedup, ranked
from evennia_ai.semantic.ranking.beside import BesideVectors
from evennia_ai.semantic.stores import fact_store, lexical, qdrant_points
from evennia_ai.semantic.stores.fact_store import BATCH, FactStore
from evennia_ai.semantic.stores.qdrant_points import SENSE, WORDS

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

# Memories that are looked at by sense, and by words.
CANDIDATES = 200
# Memories of one audience that are compared with a new one, nearest first.
ALIKE = 20
# The one point of the collection that says what is in the other.
NOTE = str(uuid.UUID(int=1))


class QdrantStore(FactStore):
    """What assistants remember, in the collections `name` and `name`_about.

    Raises:
        ImproperlyConfigured: they were filled by another embedder.
    """

    def __init__(
        self, client: QdrantClient, embedder: Any, *, name: str, check_embedder: bool = True
    ) -> None:
        self.embedder = embedder
        self._client = client
        self._name = name
        self._using = threading.RLock()
        self._beside = BesideVectors(embedder)
        with self._transaction():
            self._facts = self._opened(check_embedder=check_embedder)

    def close(self) -> None:
        """Close the connection."""
        with self._using:
            self._client.close()

    def search(
        self,
        query: str,
        *,
        assistant_key: str,
        hearers: Iterable[str],
        limit: int = 10,
        min_trust: float = 0.0,
        names: Iterable[str] = (),
        filters: dict[str, Any] | None = None,
        also: Sequence[dict[str, Any]] = (),
    ) -> list[dict[str, Any]]:
        """Return what everybody in `hearers` may know and fits the query, best first.

        `names` are of those who talk; they say whose words are meant, not what about.
        """
        import numpy as np

        query = storable(query).strip()
        if not query or limit < 1:
            return []
        allowed = qdrant_points.conditions(
            assistant_key=assistant_key, hearers=hearers, min_trust=min_trust, filters=filters
        )
        vector = self.embedder.embed_query(ranked.prepared_query(query, names))
        beside = self._beside(also, assistant_key)
        with self._transaction():
            terms = ranked.query_terms(query, names)
            points = self._candidates(vector, self._rarities(terms, allowed), allowed)
        points.sort(key=lambda point: (point.payload["moment"], point.id))
        view = qdrant_points.view_of(points, beside.rows)
        best = ranked.best_of(
            query,
            view=view,
            places=view.places(range(len(points))),
            cosine=view.likeness(vector, stored=np.array([point.score for point in points])),
            names=names,
            limit=limit,
            prior=self.embedder.scale.get("cosine_prior"),
        )
        return [
            {
                **(_item(points[hit.n].payload) if hit.n >= 0 else beside.item(hit.n)),
                "score": hit.score,
                "cosine": hit.cosine,
            }
            for hit in best
        ]

    def get(self, id: str, *, assistant_key: str) -> dict[str, Any] | None:
        """Return one memory of an assistant, or None."""
        payload = self._payload(id, assistant_key)
        return _item(payload) if payload else None

    def get_all(
        self, *, assistant_key: str, limit: int = 100, offset: int = 0
    ) -> list[dict[str, Any]]:
        """Return what an assistant remembers, newest first."""
        from qdrant_client import models

        if limit < 1:
            return []
        newest = models.OrderBy(key="moment", direction=models.Direction.DESC)
        with self._transaction():
            points, _ = self._client.scroll(
                self._facts,
                scroll_filter=qdrant_points.equal({"assistant": assistant_key}),
                order_by=newest,
                # In this order it knows no pages.
                limit=limit + offset,
            )
        return [_item(point.payload) for point in points[offset:]]

    def count(self) -> int:
        """Return how many memories there are, of all assistants."""
        with self._transaction():
            return self._client.count(self._facts).count

    def reembed(self) -> int:
        """Make all vectors anew with the present embedder; return how many.

        For a server that is down: whoever has the store open keeps the old embedder.
        """
        with self._transaction():
            former, fresh = self._facts, self._new_collection()
            count, offset = 0, None
            while True:
                points, offset = self._client.scroll(former, limit=BATCH, offset=offset)
                facts = [qdrant_points.fact_of(point.payload) for point in points]
                anew = zip(facts, self.embed(facts), strict=True)
                if facts:
                    self._client.upsert(fresh, [qdrant_points.point(*one) for one in anew])
                count += len(facts)
                if offset is None:
                    break
            self._facts = fresh
            self._note()
            self._client.delete_collection(former)
        return count

    def fact(self, id: str, assistant_key: str | None = None) -> Fact | None:
        """Return one memory as it was taken in, of any assistant unless one is named."""
        payload = self._payload(id, assistant_key)
        return qdrant_points.fact_of(payload) if payload else None

    # How it does it.

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """One thread at a time; Qdrant takes nothing back of what was done before an error."""
        with self._using:
            yield

    def _payload(self, id: str, assistant_key: str | None) -> dict[str, Any] | None:
        with self._transaction():
            points = self._client.retrieve(self._facts, [qdrant_points.point_id(id)])
        if points and assistant_key in (None, points[0].payload["assistant"]):
            return points[0].payload
        return None

    def _rarities(self, terms: list[str], allowed: Any) -> dict[str, float]:
        """Return how much each stem of words tells that somebody who may hear of it has said."""
        stems = lexical.query_stems(terms)
        rows = self._client.count(self._facts, count_filter=allowed).count
        counts = {
            stem: self._client.count(
                self._facts, count_filter=qdrant_points.also(allowed, {"stems": stem})
            ).count
            for stem in stems
        }
        return {stem: lexical.rarity(rows, count) for stem, count in counts.items() if count}

    def _candidates(self, vector: Any, rarities: dict[str, float], allowed: Any) -> list[Any]:
        """Return the points nearest by sense or by words, each with its likeness."""
        query = qdrant_points.listed(vector)
        found = self._nearest(query, SENSE, allowed, limit=CANDIDATES)
        ids = {point.id for point in found}
        if rarities:
            by_words = qdrant_points.sparse(rarities)
            others = self._nearest(by_words, WORDS, allowed, limit=CANDIDATES)
            missing = [point.id for point in others if point.id not in ids]
            if missing:
                among = qdrant_points.also(allowed, {}, ids=missing)
                found += self._nearest(query, SENSE, among, limit=len(missing))
        return found

    def _nearest(self, query: Any, using: str, allowed: Any, *, limit: int) -> list[Any]:
        from qdrant_client import models

        return self._client.query_points(
            self._facts,
            query=query,
            using=using,
            query_filter=allowed,
            # Of each memory that passes the filter, not of the neighbours of neighbours.
            search_params=models.SearchParams(exact=True),
            with_vectors=[WORDS],
            limit=limit,
        ).points

    def _known(self, fact: Fact, vector: Any) -> str | None:
        same = {"assistant": fact.assistant_key, "hearing": qdrant_points.hearing(fact)}
        words = qdrant_points.equal({**same, "hash": fact.fingerprint})
        points, _ = self._client.scroll(self._facts, scroll_filter=words, limit=1)
        if points:
            return points[0].payload["id"]
        threshold = self.embedder.scale.get("duplicate")
        if threshold is None:
            return None
        query = qdrant_points.listed(vector)
        alike = self._nearest(query, SENSE, qdrant_points.equal(same), limit=ALIKE)
        for point in alike:
            old = qdrant_points.fact_of(point.payload)
            if (
                point.score >= threshold
                and dedup.says_the_same(old.text, fact.text)
                and dedup.same_source(old.metadata, fact.metadata)
            ):
                return old.id
        return None

    def _keep(self, fact: Fact, vector: Any) -> None:
        self._write(fact, vector)

    def _move(self, fact: Fact, vector: Any) -> None:
        self._write(fact, vector)

    def _write(self, fact: Fact, vector: Any) -> None:
        self._client.upsert(self._facts, [qdrant_points.point(fact, vector)], wait=True)

    def _forget(self, scope: dict[str, str]) -> int:
        from qdrant_client import models

        wanted = qdrant_points.equal({key: storable(value) for key, value in scope.items()})
        with self._transaction():
            count = self._client.count(self._facts, count_filter=wanted).count
            if count:
                self._client.delete(self._facts, models.FilterSelector(filter=wanted), wait=True)
        return count

    @property
    def _about(self) -> str:
        return f"{self._name}_about"

    def _opened(self, *, check_embedder: bool) -> str:
        """Return the name of the collection of facts; both are made unless they are there."""
        from qdrant_client import models

        if not self._client.collection_exists(self._about):
            # The note is no vector, and this one is never searched.
            no_vector = models.VectorParams(size=1, distance=models.Distance.DOT)
            self._client.create_collection(self._about, vectors_config=no_vector)
        notes = self._client.retrieve(self._about, [NOTE])
        if not notes:
            self._facts = self._new_collection()
            self._note()
            return self._facts
        kept = notes[0].payload or {}
        self._facts: str = kept["facts"]
        where = f"the collection {self._name} of Qdrant"
        if check_embedder and not fact_store.check_embedder(where, kept["embedder"], self.embedder):
            self.reembed()
        return self._facts

    def _new_collection(self) -> str:
        name = f"{self._name}_{uuid.uuid4().hex[:8]}"
        qdrant_points.create(self._client, name, self.embedder.dimensions)
        return name

    def _note(self) -> None:
        from qdrant_client import models

        about = {"embedder": fact_store.described(self.embedder), "facts": self._facts}
        note = models.PointStruct(id=NOTE, vector=[1.0], payload=about)
        self._client.upsert(self._about, [note], wait=True)


def _item(payload: dict[str, Any]) -> dict[str, Any]:
    audience = payload["audience"]
    return {
        "id": payload["id"],
        "text": payload["text"],
        "audience": "public" if audience is None else json.loads(audience),
        "metadata": json.loads(payload["metadata"]),
        "created": payload["created"],
    }
