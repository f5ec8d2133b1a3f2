"""The file of the semantic store: a connection for each thread, transactions, whose vectors it holds."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evennia_ai.semantic.stores import store_sql
from evennia_ai.semantic.stores.fact_store import check_embedder, described


class StoreFile:
    """An SQLite file that any thread may use, filled by one embedder."""

    def __init__(self, path: str | Path, embedder: Any) -> None:
        self.path, self.embedder = str(path), embedder
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._writing = threading.RLock()
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        store_sql.create(self._connection, self.path)

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
            local.connection = store_sql.connect(self.path)
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

    def _check_embedder(self) -> bool:
        """Return whether the vectors are of this embedder: False if it is to embed anew."""
        with self._transaction() as connection:
            row = connection.execute("SELECT value FROM about WHERE key = 'embedder'").fetchone()
            if row is None:
                self._note_embedder(connection)
                return True
            return check_embedder(self.path, json.loads(row[0]), self.embedder)

    def _note_embedder(self, connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO about(key, value) VALUES('embedder', ?)",
            [json.dumps(described(self.embedder))],
        )
