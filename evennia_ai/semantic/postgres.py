"""Semantic memory in Postgres with pgvector: for games of more than one process or machine.

EVENNIA_AI["SEMANTIC"] = {"default": {
    "BACKEND": "evennia_ai.semantic.postgres.PostgresMemory",
    "OPTIONS": {"dsn": "host=127.0.0.1 dbname=game user=game"},
}}
"""

from __future__ import annotations

from typing import Any

from evennia_ai.semantic.mem0 import DEFAULT_EMBEDDER, Mem0Memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.semantic.stores.postgres_store import PostgresStore


class PostgresMemory(Mem0Memory):
    """The port on Postgres.

    Args:
        dsn: how to connect, as libpq has it ("host=… dbname=… user=…" or "postgresql://…"). What it
            leaves out comes from the environment and from ~/.pgpass, which is the place of passwords.
        schema: where the tables are; games that share a database give each their own.
        embedder: the dotted path of a class.
        embedder_options: its arguments.

    """

    # Whether other processes may use it as well.
    is_shared = True

    # Python's name of what it is built on, and how to get it.
    needs = {"psycopg": 'pip install "evennia-ai[postgres]"'}

    def __init__(
        self,
        *,
        dsn: str,
        schema: str = "evennia_ai",
        embedder: str = DEFAULT_EMBEDDER,
        embedder_options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(embedder=embedder, embedder_options=embedder_options)
        self._dsn = dsn
        self._schema = schema

    @property
    def place(self) -> str:
        """Where the memories are; without the dsn, which may hold a password."""
        return f"the schema {self._schema} of a Postgres database"

    def open_store(self) -> PostgresStore:
        """Return the store; called on the worker."""
        return PostgresStore(self._dsn, self.embedder(), schema=self._schema)

    def _call(self, name: str, args: Any, kwargs: Any) -> Any:
        import psycopg

        try:
            try:
                return super()._call(name, args, kwargs)
            except psycopg.OperationalError:
                # The server was restarted since; what was begun was taken back.
                return super()._call(name, args, kwargs)
        except psycopg.Error as error:
            raise MemoryUnavailable(f"semantic memory in {self.place}: {_line(error)}.") from error


def _line(error: Exception) -> str:
    """Return the message of an error as the tail of a sentence."""
    return " ".join(str(error).split()).rstrip(".")
