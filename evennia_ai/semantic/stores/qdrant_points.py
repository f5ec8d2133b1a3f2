"""What a memory is in Qdrant: a point with two vectors and a payload, and the filters on these."""

from __future__ import annotations

import json
import uuid
import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact
from evennia_ai.semantic.ranking import ranked
from evennia_ai.semantic.stores import lexical
from evennia_ai.semantic.stores.scope import Row, Scope, View

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

# The vector of the embedder, and the one that counts words.
SENSE, WORDS = "sense", "words"
# What the filters ask for.
KEYWORDS = ("assistant", "source_id", "hearers", "hearing", "hash", "facets", "stems")
NUMBERS = ("moment", "trust")
# Numbers beyond it cannot be written as JSON, or mean nothing here.
FAR = 1e6
# Ids of points are made of our own, which may be any text.
_NAMESPACE = uuid.UUID("7b1a9a0e-5d27-4a39-9d0e-5a4d3f0b9f57")


def create(client: QdrantClient, name: str, dimensions: int) -> None:
    """Make a collection for memories, in which one assistant's are searched without the others'."""
    from qdrant_client import models

    client.create_collection(
        name,
        vectors_config={
            # They have the length 1 already, so that the product is the cosine.
            SENSE: models.VectorParams(size=dimensions, distance=models.Distance.DOT)
        },
        sparse_vectors_config={WORDS: models.SparseVectorParams()},
    )
    kinds = dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD)
    kinds |= dict.fromkeys(NUMBERS, models.PayloadSchemaType.FLOAT)
    kinds["public"] = models.PayloadSchemaType.BOOL
    with warnings.catch_warnings():
        # A Qdrant inside the process has no indexes, and says so.
        warnings.simplefilter("ignore", UserWarning)
        for key, kind in kinds.items():
            client.create_payload_index(name, key, kind, wait=True)


def point(fact: Fact, vector: Any) -> models.PointStruct:
    """Return a fact as Qdrant keeps it."""
    from qdrant_client import models

    frequencies = lexical.frequencies(fact)
    return models.PointStruct(
        id=point_id(fact.id),
        vector={SENSE: listed(vector), WORDS: sparse(frequencies)},
        payload={
            "id": fact.id,
            "assistant": storable(fact.assistant_key),
            "source_id": storable(fact.source_id),
            "audience": fact.audience,
            "public": fact.audience is None,
            "hearers": [*map(storable, fact.audience_list)],
            "hearing": hearing(fact),
            "trust": _near(fact.trust),
            "importance": _near(fact.importance),
            "created": storable(fact.created),
            "moment": fact.moment,
            "speaker": storable(fact.speaker),
            "worth": ranked.worth(fact),
            "hash": fact.fingerprint,
            "text": fact.text,
            "before": storable(fact.before),
            "metadata": json.dumps(fact.metadata),
            "facets": lexical.facets(fact.metadata),
            "stems": list(frequencies),
            "size": lexical.size(fact),
        },
    )


def fact_of(payload: Mapping[str, Any]) -> Fact:
    """Return the fact of which this is the payload."""
    return Fact(
        text=payload["text"],
        assistant_key=payload["assistant"],
        audience=payload["audience"],
        metadata=json.loads(payload["metadata"]),
        created=payload["created"],
        id=payload["id"],
    )


def point_id(id: str) -> str:
    """Return under which id Qdrant keeps a memory: a UUID, whatever ours is."""
    return str(uuid.uuid5(_NAMESPACE, storable(id)))


def hearing(fact: Fact) -> str:
    """Return one word for who may know a fact."""
    return "" if fact.audience is None else str(uuid.uuid5(_NAMESPACE, storable(fact.audience)))


def conditions(
    *,
    assistant_key: str,
    hearers: Iterable[str],
    min_trust: float,
    filters: dict[str, Any] | None,
) -> models.Filter:
    """Return the filter of who may see what."""
    from qdrant_client import models

    # Everybody who hears the answer must be in the audience.
    by_all = [_is("hearers", storable(hearer)) for hearer in sorted(set(hearers))]
    may_know = [_is("public", True), models.Filter(must=by_all)] if by_all else []
    return models.Filter(
        must=[
            _is("assistant", storable(assistant_key)),
            models.FieldCondition(key="trust", range=models.Range(gte=_near(min_trust))),
            *([models.Filter(should=may_know)] if may_know else []),
            *(
                models.FieldCondition(key="facets", match=models.MatchAny(any=codes))
                for codes in lexical.filter_codes(filters)
            ),
        ]
    )


def equal(wanted: Mapping[str, str]) -> models.Filter:
    """Return the filter for points of which all these keys have these values."""
    from qdrant_client import models

    return models.Filter(must=[_is(key, storable(value)) for key, value in wanted.items()])


def also(
    allowed: models.Filter, wanted: Mapping[str, str], *, ids: list[Any] | None = None
) -> models.Filter:
    """Return a filter for what passes another one, has these values, and is among these ids."""
    from qdrant_client import models

    among = [] if ids is None else [models.HasIdCondition(has_id=ids)]
    return models.Filter(must=[allowed, *(_is(*one) for one in wanted.items()), *among])


def listed(vector: Any) -> list[float]:
    """Return a vector as plain numbers."""
    import numpy as np

    return np.asarray(vector, dtype=np.float32).ravel().tolist()


def sparse(weights: Mapping[str, float]) -> models.SparseVector:
    """Return stems and what each counts as a vector of words."""
    from qdrant_client import models

    # Two stems of one code count as one, which is rare and only makes a candidate of a memory.
    by_code = {_code(stem): weight for stem, weight in weights.items()}
    return models.SparseVector(indices=[*by_code], values=[*by_code.values()])


def view_of(points: Sequence[Any], also: Sequence[Row] = ()) -> View:
    """Return what the ranking asks of points, which are numbered from 0, and of other rows."""
    scope = Scope(dimensions=0)
    # Likeness is for Qdrant.
    scope.extend(
        [
            Row(
                n=number,
                moment=point.payload["moment"],
                trust=point.payload["trust"],
                importance=point.payload["importance"],
                speaker=point.payload["speaker"],
                worth=point.payload["worth"],
                text=point.payload["text"],
                before=point.payload["before"],
                vector=b"",
            )
            for number, point in enumerate(points)
        ]
    )
    return scope.view(also)


def _is(key: str, value: str | bool) -> models.FieldCondition:
    from qdrant_client import models

    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


def _code(stem: str) -> int:
    return zlib.crc32(stem.encode())


def _near(number: float) -> float:
    return min(max(number, -FAR), FAR)
