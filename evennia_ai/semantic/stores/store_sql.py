"""The SQLite file of the semantic store: its tables, the conditions of its queries, a connection a thread, and transactions."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai.semantic.facts import Search

SCHEMA_VERSION = 1
# A row is never changed in place where its vector changes: it gets a new `n`, which is never used
# again. So whoever keeps vectors in memory by `n`, in any process, never keeps a stale one.
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts(
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    assistant TEXT NOT NULL,
    source_id TEXT NOT NULL,
    audience TEXT,
    trust REAL NOT NULL,
    importance REAL NOT NULL,
    created TEXT NOT NULL,
    moment REAL NOT NULL,
    speaker TEXT NOT NULL,
    worth REAL NOT NULL,
    hash TEXT,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL,
    vector BLOB NOT NULL,
    before TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS facts_in_order ON facts(assistant, n);
CREATE INDEX IF NOT EXISTS facts_to_tell ON facts(assistant, audience, trust);
CREATE INDEX IF NOT EXISTS facts_by_moment ON facts(assistant, moment);
CREATE INDEX IF NOT EXISTS facts_of_source ON facts(source_id);
CREATE INDEX IF NOT EXISTS facts_of_entry ON facts(
    assistant, CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.entry_id') END
);
CREATE UNIQUE INDEX IF NOT EXISTS facts_once
    ON facts(assistant, ifnull(audience, ''), hash);
CREATE TABLE IF NOT EXISTS about(key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT OR IGNORE INTO about(key, value) VALUES('deletions', 0);
"""
# The words of each row: as checksums, because FTS5 keeps those of deleted rows for a while.
WORDS = """
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(tokens, tokenize = 'ascii', detail = 'none')
"""
INDEX = "INSERT INTO words(rowid, tokens) VALUES(?, ?)"
HAVING = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
# So that whoever keeps rows in memory, in any process, learns that some are gone without asking for all.
COUNT_DELETIONS = """
CREATE TRIGGER IF NOT EXISTS facts_deleted AFTER DELETE ON facts BEGIN
    UPDATE about SET value = value + 1 WHERE key = 'deletions';
END
"""
DELETE_WORDS = """
CREATE TRIGGER IF NOT EXISTS words_deleted AFTER DELETE ON facts BEGIN
    DELETE FROM words WHERE rowid = old.n;
END
"""
DELETIONS = "SELECT CAST(value AS INTEGER) FROM about WHERE key = 'deletions'"
# Both in one question, so that they are of one moment.
LEFT = """SELECT
    (SELECT group_concat(n) FROM facts WHERE assistant = ?),
    ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'facts'), 0)
"""
# What is asked for each time that an entry of a journal is kept, and is one number.
INDEXED = "entry_id"
# Seconds that a writer waits for another process.
BUSY_SECONDS = 30

# Just as it stands in SCHEMA; a file may hold numbers that are no JSON.
_INDEXED = "CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.entry_id') END"


class StoreFile:
    """An SQLite file that any thread may use."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._writing = threading.RLock()
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        create(self._connection, self.path)

    def close(self) -> None:
        """Close the file; a thread that uses the store afterwards opens it again."""
        with self._writing:
            connections, self._connections = self._connections, []
            self._local = threading.local()
            for connection in connections:
                connection.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        local = self._local
        if not hasattr(local, "connection"):
            local.connection = connect(self.path)
            with self._writing:
                self._connections.append(local.connection)
        return local.connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; one inside another belongs to it."""
        connection = self._connection
        if connection.in_transaction:
            yield connection
            return
        with self._writing:
            connection.execute("BEGIN IMMEDIATE")
            done = False
            try:
                yield connection
                done = True
            finally:
                connection.execute("COMMIT" if done else "ROLLBACK")
                if not done:
                    self._rolled_back()

    def _rolled_back(self) -> None:
        """Something was taken back; nothing that was kept of it holds."""


def connect(path: str) -> sqlite3.Connection:
    """Return a connection that survives a kill and overwrites what is deleted."""
    # A connection is closed by whoever closes the store, which may be another thread.
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA secure_delete=ON")
    return connection


def create(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables unless they are there.

    Raises:
        ImproperlyConfigured: another version of this package made them.
    """
    [[version]] = connection.execute("PRAGMA user_version")
    if version not in (0, SCHEMA_VERSION):
        raise ImproperlyConfigured(
            f"{path} was written by another version of evennia_ai (schema {version}, this one reads "
            f"{SCHEMA_VERSION}): use that version, or name another path in SEMANTIC."
        )
    if not version:
        connection.execute("BEGIN IMMEDIATE")
        # Commits, or takes all of it back.
        with connection:
            # Another process may have made them since we looked.
            for statement in SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(COUNT_DELETIONS)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    for statement in (WORDS, DELETE_WORDS):
        connection.execute(statement)


def token_hash(assistant_key: str, token: str) -> str:
    """Return what stands in the index for a word of an assistant."""
    own = f"{assistant_key} {token}".encode("utf-8", "replace")
    return hashlib.blake2b(own, digest_size=8).hexdigest()


def wipe(connection: sqlite3.Connection) -> None:
    """Leave no trace of what was deleted in the write-ahead log."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def conditions(asked: Search) -> tuple[str, list[Any]]:
    """Return (SQL, parameters) of what may be told."""
    parts = [
        "assistant = ?",
        "trust >= ?",
        # Everybody who hears the answer must be in the audience. There are few different ones, and
        # each is read once.
        "(audience IS NULL OR audience IN (SELECT given.audience FROM"
        " (SELECT DISTINCT audience FROM facts WHERE assistant = ?) AS given"
        " WHERE NOT EXISTS (SELECT 1 FROM json_each(?) AS hearer WHERE"
        " hearer.value NOT IN (SELECT value FROM json_each(given.audience)))))",
    ]
    hearers = json.dumps(sorted(asked.hearers))
    values = [asked.assistant_key, float(asked.min_trust), asked.assistant_key, hearers]
    for key, wanted in (asked.filters or {}).items():
        if '"' in key:
            raise ValueError(f"the metadata key {key!r} holds a quotation mark.")
        choices = wanted if isinstance(wanted, list) else [wanted]
        if key == INDEXED:
            places = ", ".join("?" * len(choices))
            parts.append(f"{_INDEXED} IN ({places})")
            values += choices
            continue
        # A list in the metadata fits if one of its members does.
        parts.append(
            "EXISTS (SELECT 1 FROM json_each(facts.metadata, ?) AS given"
            " WHERE given.value IN (SELECT value FROM json_each(?)))"
        )
        values += [f'$."{key}"', json.dumps(choices)]
    return " AND ".join(parts), values
