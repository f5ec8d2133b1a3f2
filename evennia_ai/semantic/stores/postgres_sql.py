"""The tables of the semantic store in Postgres, how a fact becomes a row, and the conditions of its queries."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
from django.core.exceptions import ImproperlyConfigured

from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact, Search
from evennia_ai.semantic.ranking import ranked

if TYPE_CHECKING:
    import psycopg

SCHEMA_VERSION = 1
# Rows with their vectors stay in one piece up to a page (8 kB); Postgres would move vectors of more
# than 500 numbers elsewhere, and a search would have to fetch each.
# A row is never changed in place: it gets a new `n`, as in the SQLite store, because every process
# keeps in memory what it has read of them.
TABLES = """
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.about(key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE IF NOT EXISTS {schema}.facts(
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    assistant text NOT NULL,
    source_id text NOT NULL,
    audience text[],
    trust double precision NOT NULL,
    importance double precision NOT NULL,
    created text NOT NULL,
    moment double precision NOT NULL,
    speaker text NOT NULL,
    worth double precision NOT NULL,
    hash text,
    text text NOT NULL,
    before text NOT NULL,
    metadata text NOT NULL,
    facets text[] NOT NULL,
    vector vector NOT NULL
) WITH (toast_tuple_target = 8160);
CREATE INDEX IF NOT EXISTS facts_of_assistant ON {schema}.facts(assistant, moment, n);
CREATE INDEX IF NOT EXISTS facts_of_source ON {schema}.facts(source_id);
CREATE UNIQUE INDEX IF NOT EXISTS facts_once ON {schema}.facts(assistant, hash);
"""
# In a schema that was made before there were any, they are filled as the vectors are made anew.
WORDS = """
ALTER TABLE {schema}.facts ADD COLUMN IF NOT EXISTS tokens text[] NOT NULL DEFAULT '{{}}';
CREATE INDEX IF NOT EXISTS facts_by_words ON {schema}.facts USING gin(tokens);
"""
# Number and likeness of all that one may know, read once. Packed, because ten thousand rows one by one
# take longer than the search. Vectors have the length 1, so that the product is the cosine; pgvector negates it.
SEARCH = """
SELECT string_agg(int8send(n) || float8send(-(vector <#> %s::vector)), ''::bytea)
FROM {facts} WHERE {where}
"""
# How numpy reads what is packed there.
TOLD = [("n", ">i8"), ("likeness", ">f8")]
# What a connection waits for, unless the dsn says something else: seconds until a server answers,
# and milliseconds until one that has gone silent is given up.
PATIENCE = {"connect_timeout": 5, "tcp_user_timeout": 30_000}
# Of all advisory locks of a database, ours: its second number says for what.
LOCKS = 0x65764149
# While we make tables, which two processes must not do at once.
MAKING_TABLES = 0

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,59}")


def check_schema(name: str) -> str:
    """Return the name of a schema that needs no quotation marks.

    Raises:
        ImproperlyConfigured: it is no such name.
    """
    if not _NAME.fullmatch(name):
        raise ImproperlyConfigured(
            f"SEMANTIC names the schema {name!r}: use small letters, digits and underscores."
        )
    return name


def connect(dsn: str) -> psycopg.Connection[Any]:
    """Return a connection that commits each statement, unless a transaction is begun."""
    import psycopg
    from psycopg import conninfo

    given = conninfo.conninfo_to_dict(dsn)
    patience: dict[str, Any] = {key: PATIENCE[key] for key in PATIENCE.keys() - given.keys()}
    # A pool between us and the server does not know statements that were prepared.
    return psycopg.connect(dsn, autocommit=True, prepare_threshold=None, **patience)


def create(connection: psycopg.Connection[Any], schema: str) -> None:
    """Make the tables unless they are there.

    Raises:
        ImproperlyConfigured: there is no pgvector, or another version of this package made them.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCKS, MAKING_TABLES])
        _need_pgvector(connection)
        made = connection.execute("SELECT to_regclass(%s)", [f"{schema}.about"]).fetchone()
        version = None
        if made and made[0]:
            version = connection.execute(
                f"SELECT value FROM {schema}.about WHERE key = 'version'"
            ).fetchone()
        if version and version[0] != str(SCHEMA_VERSION):
            raise ImproperlyConfigured(
                f"the schema {schema} was made by another version of evennia_ai (schema "
                f"{version[0]}, this one reads {SCHEMA_VERSION}): use that version, or name "
                "another schema in SEMANTIC."
            )
        if not version:
            connection.execute(TABLES.format(schema=schema))
            connection.execute(
                f"INSERT INTO {schema}.about(key, value) VALUES('version', %s)",
                [str(SCHEMA_VERSION)],
            )
        connection.execute(WORDS.format(schema=schema))


def _need_pgvector(connection: psycopg.Connection[Any]) -> None:
    from psycopg import errors

    there = "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
    if connection.execute(there).fetchone():
        return
    try:
        connection.execute("CREATE EXTENSION vector")
    except errors.FeatureNotSupported:
        raise ImproperlyConfigured(
            "SEMANTIC names a Postgres server without pgvector: install it there (the package is "
            "called postgresql-<version>-pgvector or pgvector), then restart the game."
        ) from None
    except errors.InsufficientPrivilege:
        raise ImproperlyConfigured(
            f"the database {connection.info.dbname} has no pgvector yet, and its user may not add "
            "it: let a superuser of Postgres run CREATE EXTENSION vector; there."
        ) from None


def conditions(asked: Search) -> tuple[str, list[Any]]:
    """Return (SQL, parameters) of what may be told."""
    parts = [
        "assistant = %s",
        "trust >= %s",
        # Everybody who hears the answer must be in the audience.
        "(audience IS NULL OR audience @> %s::text[])",
    ]
    hearers = sorted(map(storable, asked.hearers))
    values: list[Any] = [storable(asked.assistant_key), float(asked.min_trust), hearers]
    for codes in filter_codes(asked.filters):
        parts.append("facets && %s::text[]")
        values.append(codes)
    return " AND ".join(parts), values


def written(fact: Fact, vector: Any, *, hash: str | None, tokens: list[str]) -> dict[str, Any]:
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
        "tokens": [*map(storable, tokens)],
        "vector": vector_text(vector),
    }


def vector_text(vector: Any) -> str:
    """Return a vector as pgvector reads it."""
    import numpy as np

    # Of hundreds of numbers each time: several times as fast as the standard library.
    return msgspec.json.encode(np.asarray(vector, dtype=np.float32).ravel().tolist()).decode()


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
