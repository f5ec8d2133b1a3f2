"""Rows of the semantic store in Postgres: how a fact becomes one, and what is read back."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact
from evennia_ai.semantic.ranking import ranked


def written(fact: Fact, vector: Any, *, hash: str | None) -> dict[str, Any]:
    """Return the columns of a fact with their values, but for the number, which Postgres gives."""
    return {
        "id": storable(fact.id),
        "assistant": storable(fact.assistant_key),
        "source_id": storable(fact.source_id),
        "audience": audience(fact),
        "trust": fact.trust,
        "importance": fact.importance,
        "created": storable(fact.created),
        "moment": fact.moment,
        "speaker": storable(fact.speaker),
        "worth": ranked.worth(fact),
        "hash": hash,
        "text": fact.text,
        "before": storable(fact.before),
        "metadata": json.dumps(fact.metadata),
        "facets": codes(fact.metadata),
        "vector": vector_text(vector),
    }


def vector_text(vector: Any) -> str:
    """Return a vector as pgvector reads it."""
    import numpy as np

    return json.dumps(np.asarray(vector, dtype=np.float32).ravel().tolist())


def hash_of(fact: Fact) -> str:
    """Return what two facts share that say the same to the same ears."""
    heard = f"{fact.fingerprint} {fact.audience or ''}"
    return hashlib.sha256(heard.encode("utf-8", "replace")).hexdigest()


def audience(fact: Fact) -> list[str] | None:
    """Return the identities that may know a fact; None is the public."""
    return None if fact.audience is None else [*map(storable, fact.audience_list)]


def item(row: Any) -> Memory:
    """Return a memory of the columns `id, text, audience, metadata, created`."""
    id, text, known_to, metadata, created = row
    return Memory(
        id=id,
        text=text,
        audience="public" if known_to is None else known_to,
        metadata=json.loads(metadata),
        created=created,
    )


def codes(metadata: dict[str, Any]) -> list[str]:
    """Return what a filter on metadata can ask for, as short codes: each value of each key."""
    return sorted(
        {_code(key, value) for key, values in metadata.items() for value in _members(values)}
    )


def filter_codes(filters: dict[str, Any] | None) -> list[list[str]]:
    """Return for each key of a filter the codes of which a memory must have one."""
    return [
        [_code(key, value) for value in _members(wanted)] for key, wanted in (filters or {}).items()
    ]


def _members(value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, (str, int, float))]


def _code(key: str, value: Any) -> str:
    # 1, 1.0 and True are equal, for Python as for SQLite.
    plain = float(value) if isinstance(value, (int, float)) else value
    return hashlib.blake2b(json.dumps([key, plain]).encode(), digest_size=8).hexdigest()
