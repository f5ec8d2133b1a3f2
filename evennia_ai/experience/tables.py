"""The tables of experience, and how their file is opened."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

SCHEMA_VERSION = 2
# Decisions among which one of the same name is looked for, the last.
ACTIONS = 300
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
# The first version embedded what was done and how it went as well: what it filled is embedded anew.
RENEWED = "UPDATE decisions SET embedder = '';"
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
# What a search knows of the rows that are new to it; of each episode what people said, and its audiences.
NEW_ROWS = """SELECT n, audience, reward, personality, vector, action, json_extract(data, '$.hope') AS hope, (
    SELECT data FROM feedback WHERE feedback.scope = {table}.scope AND feedback.id = 'fb_' || nullif(episode, '')
) AS said, (
    SELECT json_group_array(DISTINCT other.audience) FROM {table} AS other
    WHERE other.scope = {table}.scope AND other.episode = nullif({table}.episode, '')
) AS known FROM {table} WHERE scope = ? AND embedder = ? AND n > ? ORDER BY n
"""
# What was said of an episode goes with the last decision of it.
TRIM_FEEDBACK = """
DELETE FROM feedback WHERE scope = :scope AND id = 'fb_' || :episode AND NOT EXISTS(
    SELECT 1 FROM decisions WHERE scope = :scope AND episode = :episode
)
"""
# Seconds that a writer waits for another process.
BUSY_SECONDS = 30


def opened(path: str) -> sqlite3.Connection:
    """Return a connection to the file, whose tables are there.

    Raises:
        ImproperlyConfigured: a newer version of this package wrote it.
        sqlite3.Error, OSError: it cannot be opened, or is no database.
    """
    if path != ":memory:":
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


def last_actions(connection: sqlite3.Connection, scope: str) -> list[dict[str, Any]]:
    """Return what the last decisions did, and who may know it, the last first."""
    rows = connection.execute(
        "SELECT action, audience FROM decisions WHERE scope = ? ORDER BY n DESC LIMIT ?",
        [scope, ACTIONS],
    )
    return [{"action": action, "audience": json.loads(known)} for action, known in rows]


def wipe(connection: sqlite3.Connection) -> None:
    """Leave no trace of what was deleted in the journal of the file."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA secure_delete=ON")
    [[version]] = connection.execute("PRAGMA user_version")
    if version > SCHEMA_VERSION:
        raise ImproperlyConfigured(
            f"{path} was written by a newer version of evennia_ai (schema {version}, this one knows "
            f"{SCHEMA_VERSION}): update evennia_ai, or name another PATH in EXPERIENCE."
        )
    if version < SCHEMA_VERSION:
        connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {RENEWED} COMMIT;")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
