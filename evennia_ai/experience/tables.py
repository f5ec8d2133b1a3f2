"""The file of experience: its tables, and what was read of it.

One SQLite file for all assistants. Each write is one transaction, so that a kill leaves what was
written before; other processes may read and write meanwhile. It holds hundreds of rows a scope, not
hundreds of thousands: likeness is exact, by arrays that are kept in memory.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai.experience.decision_records import warn
from evennia_ai.experience.row_cache import Rows
from evennia_ai.semantic.stores.growable_arrays import BytesLRU

SCHEMA_VERSION = 1
IN_MEMORY = ":memory:"
# The collections of the sources; decisions first.
NAMES = ("decisions", "trajectories", "feedback")

_COLLECTION = """
CREATE TABLE IF NOT EXISTS {table}(
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    audience TEXT NOT NULL,
    reward REAL,
    action TEXT NOT NULL,
    episode TEXT NOT NULL,
    personality TEXT NOT NULL,
    data TEXT NOT NULL,
    text TEXT NOT NULL,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE(scope, id)
);
CREATE INDEX IF NOT EXISTS {table}_to_tell ON {table}(scope, audience, reward);
CREATE INDEX IF NOT EXISTS {table}_of_episode ON {table}(scope, episode);
CREATE INDEX IF NOT EXISTS {table}_of_embedder ON {table}(scope, embedder);
"""
SCHEMA = f"""
{_COLLECTION.format(table="decisions")}
{_COLLECTION.format(table="trajectories")}
CREATE TABLE IF NOT EXISTS feedback(
    scope TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY(scope, id)
);
"""
# What is over the limit goes, of whichever audience has most: first what is no example, then the
# oldest. So what many turns were about does not push out what few were. A decision whose reward is still
# awaited is as good as any.
SURPLUS = """
SELECT n, episode FROM (
    SELECT n, episode, ifnull(reward, 1.0) >= 0.05 AS is_example, row_number() OVER (
        PARTITION BY audience ORDER BY ifnull(reward, 1.0) >= 0.05 DESC, n DESC
    ) AS place FROM {table} WHERE scope = ?
) ORDER BY place, is_example DESC, n DESC LIMIT -1 OFFSET ?
"""
INSERTION = """
{verb} INTO {table}(
    scope, id, audience, reward, action, episode, personality, data, text, embedder, vector
) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_FEEDBACK = "INSERT OR REPLACE INTO feedback(scope, id, data) VALUES(?, ?, ?)"
RECORDS = "SELECT n, id, audience, data FROM {table} WHERE scope = ?"
FOUND = "SELECT n, id, audience, data FROM {table} WHERE n IN (SELECT value FROM json_each(?))"
# What a search knows of rows; of each episode what people said, and its audiences.
ROWS = """SELECT n, audience, reward, personality, vector, action, json_extract(data, '$.hope') AS hope, (
    SELECT data FROM feedback WHERE feedback.scope = {table}.scope AND feedback.id = 'fb_' || nullif(episode, '')
) AS said, (
    SELECT json_group_array(DISTINCT other.audience) FROM {table} AS other
    WHERE other.scope = {table}.scope AND other.episode = nullif({table}.episode, '')
) AS known FROM {table} WHERE scope = ? AND embedder = ?"""
# What was said of an episode goes with the last decision of it.
TRIM_FEEDBACK = """
DELETE FROM feedback WHERE scope = :scope AND id = 'fb_' || :episode AND NOT EXISTS(
    SELECT 1 FROM decisions WHERE scope = :scope AND episode = :episode
)
"""
# Bytes of rows that are kept in memory, for all scopes together; the one asked last always is.
CACHE_BYTES = 64_000_000
# Seconds that a writer waits for another process.
BUSY_SECONDS = 30


class ExperienceFile:
    """The file `path`, and what was read of it; any thread may use it.

    Args:
        path: the file. If it cannot be opened, memory takes its place, with a warning unless `silent`.
        embedder: what turns text into vectors. Rows that another one filled are embedded anew when
            they are looked at.
        limit: decisions, and trajectories, that are kept of a scope. Beyond it those go first that
            are no example, then the oldest.

    Raises:
        ImproperlyConfigured: another version of this package wrote the file.
    """

    def __init__(
        self, path: str | Path, embedder: Any, *, silent: bool = False, limit: int = 2000
    ) -> None:
        self.embedder, self.limit = embedder, limit
        self.lock = threading.RLock()
        # What was read of the file, and the version of it that was, which others' writes change.
        self.cache: BytesLRU[tuple[str, str], Rows] = BytesLRU(CACHE_BYTES)
        self._version = -1
        try:
            self.path = str(path)
            self.connection = _opened(self.path)
        except (sqlite3.Error, OSError) as error:
            if not silent:
                warn(
                    f"experience cannot be kept in {path} ({error}); it is kept in memory, and is gone "
                    "when the server stops."
                )
            self.path = IN_MEMORY
            self.connection = _opened(self.path)

    def close(self) -> None:
        with self.lock:
            self.connection.close()

    def ask(self, sql: str, *values: object) -> list[Any]:
        with self.lock:
            return self.connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self.lock:
            self.connection.execute("BEGIN IMMEDIATE")
            done = False
            try:
                yield self.connection
                done = True
            finally:
                self.connection.execute("COMMIT" if done else "ROLLBACK")

    def embedded(self, texts: list[str]) -> list[tuple[str, bytes]]:
        """Return (name of the embedder, vector) of each text."""
        import numpy as np

        rows = self.embedder.embed(texts)
        return [(self.embedder.name, np.asarray(row, dtype=np.float32).tobytes()) for row in rows]

    def cached(self, table: str, scope: str) -> Rows | None:
        """Return the rows that are kept in memory, if nobody else wrote into the file since."""
        [[version]] = self.ask("PRAGMA data_version")
        if version != self._version:
            self.cache.clear()
            self._version = version
        return self.cache.get((table, scope))

    def note_added(self, table: str, scope: str) -> None:
        """Note that the file has rows which are not kept in memory."""
        rows = self.cache.get((table, scope))
        if rows is not None:
            rows.is_behind = True

    def wipe(self) -> None:
        """Leave no trace of what was deleted, in memory or in the journal of the file."""
        with self.lock:
            self.cache.clear()
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _opened(path: str) -> sqlite3.Connection:
    """Return a connection to the file, whose tables are there.

    Raises:
        ImproperlyConfigured: another version of this package wrote it.
        sqlite3.Error, OSError: it cannot be opened, or is no database.
    """
    if path != IN_MEMORY:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _prepare(connection, path)
    except (sqlite3.Error, ImproperlyConfigured):
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA secure_delete=ON")
    [[version]] = connection.execute("PRAGMA user_version")
    if version not in (0, SCHEMA_VERSION):
        raise ImproperlyConfigured(
            f"{path} was written by another version of evennia_ai (schema {version}, this one reads "
            f"{SCHEMA_VERSION}): use that version, or name another PATH in EXPERIENCE."
        )
    if not version:
        connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
