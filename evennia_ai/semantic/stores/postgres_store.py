"""The store of semantic memory in Postgres with pgvector, for games of more than one process.

It asks for what a hearer may know and nothing else, with the likeness of each row from pgvector, and
ranks that by the same fusion as the SQLite store. Likeness is exact: an index of neighbours would look at the nearest of all assistants first, and drop most.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact, Search
from evennia_ai.semantic.ranking import terms
from evennia_ai.semantic.stores import postgres_sql
from evennia_ai.semantic.stores.minds import Mind, Minds, Row
from evennia_ai.semantic.stores.ranked_store import RankedStore

if TYPE_CHECKING:
    import numpy
    import psycopg

_COLUMNS = "id, text, audience, metadata, created"


class PostgresStore(RankedStore):
    """What assistants remember, in a schema of the database that `dsn` names.

    What another embedder filled is embedded anew.

    Raises:
        ImproperlyConfigured: there is no pgvector, or another version filled the schema.
    """

    def __init__(self, dsn: str, embedder: Any, *, schema: str) -> None:
        super().__init__(embedder)
        self._dsn = dsn
        self._schema = postgres_sql.check_schema(schema)
        self._facts = f"{schema}.facts"
        # Likeness is for pgvector, so that no vectors have to be kept here.
        self._minds = Minds(self._fetch, dimensions=0)
        # One connection, which one thread uses at a time.
        self._using = threading.RLock()
        self._connected: psycopg.Connection[Any] | None = None
        with self._transaction() as connection:
            postgres_sql.create(connection, self._schema)
            # While nobody else may make tables: two processes would embed the same.
            self.made_anew = self.keep_to_embedder()

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._using:
            connection, self._connected = self._connected, None
            if connection is not None:
                connection.close()

    def created(self, ids: Iterable[str], *, assistant_key: str) -> dict[str, str]:
        """See `Store.created`."""
        with self._connection() as connection:
            rows = connection.execute(
                f"SELECT id, created FROM {self._facts} WHERE id = ANY(%s) AND assistant = %s",
                [[*map(storable, ids)], storable(assistant_key)],
            ).fetchall()
        return dict(rows)

    def get_all(self, *, assistant_key: str, limit: int = 100, offset: int = 0) -> list[Memory]:
        """Return what an assistant remembers, newest first."""
        with self._connection() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM {self._facts} WHERE assistant = %s"
                " ORDER BY moment DESC, n DESC LIMIT %s OFFSET %s",
                [storable(assistant_key), limit, offset],
            ).fetchall()
        return [postgres_sql.item(row) for row in rows]

    def fact(self, id: str, assistant_key: str | None = None) -> Fact | None:
        """Return one memory as it was taken in, of any assistant unless one is named."""
        with self._connection() as connection:
            row = connection.execute(
                f"SELECT text, assistant, audience, metadata, created, id FROM {self._facts}"
                " WHERE id = %s AND assistant = coalesce(%s, assistant)",
                [storable(id), None if assistant_key is None else storable(assistant_key)],
            ).fetchone()
        if row is None:
            return None
        text, assistant, audience, metadata, created, id = row
        return Fact(
            text,
            assistant,
            None if audience is None else json.dumps(audience),
            json.loads(metadata),
            created,
            id,
        )

    # How it does it.

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        """For reading: each statement stands for itself, unless it is in a transaction."""
        with self._using:
            if self._connected is None or self._connected.closed:
                # We are new, or the server was restarted.
                self._connected = postgres_sql.connect(self._dsn)
            yield self._connected

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        """All or nothing; one inside another belongs to it."""
        with self._connection() as connection:
            if connection.info.transaction_status.name == "IDLE":
                with connection.transaction():
                    yield connection
            else:
                yield connection

    def _told(self, mind: Mind, vector: Any, asked: Search) -> tuple[numpy.ndarray, numpy.ndarray]:
        import numpy as np

        where, values = postgres_sql.conditions(asked)
        with self._connection() as connection:
            [packed] = (
                connection.cursor(binary=True)
                .execute(
                    postgres_sql.SEARCH.format(facts=self._facts, where=where),
                    [postgres_sql.vector_text(vector), *values],
                )
                .fetchone()
            )
        told = np.frombuffer(packed or b"", postgres_sql.TOLD)
        told = told[np.argsort(told["n"])]
        # What came in or went since the mind was read is left out.
        told = told[np.isin(told["n"], mind.traits["n"])]
        return mind.places(told["n"]), told["likeness"].astype(np.float64)

    def _having(self, assistant_key: str, tokens: Iterable[str]) -> dict[str, numpy.ndarray]:
        import numpy as np

        asked = [*map(storable, tokens)]
        with self._connection() as connection:
            rows = connection.execute(
                f"SELECT token, array_agg(n) FROM {self._facts}, unnest(tokens) AS token"
                " WHERE assistant = %s AND tokens && %s::text[] AND token = ANY(%s::text[])"
                " GROUP BY token",
                [storable(assistant_key), asked, asked],
            ).fetchall()
        return {token: np.array(numbers, dtype=np.int64) for token, numbers in rows}

    def _fetch(self, assistant_key: str, after: int) -> list[Row]:
        from psycopg import rows as shapes

        with self._connection() as connection:
            rows = (
                connection.cursor(binary=True, row_factory=shapes.dict_row)
                .execute(
                    "SELECT n, moment, trust, importance, speaker, worth, text, before,"
                    " to_json(audience)::text AS audience"
                    f" FROM {self._facts} WHERE assistant = %s AND n > %s ORDER BY n",
                    [assistant_key, after],
                )
                .fetchall()
            )
        return [Row(**row) for row in rows]

    def _items(self, numbers: list[int]) -> dict[int, Memory]:
        with self._connection() as connection:
            rows = connection.execute(
                f"SELECT n, {_COLUMNS} FROM {self._facts} WHERE n = ANY(%s)", [numbers]
            ).fetchall()
        return {row[0]: postgres_sql.item(row[1:]) for row in rows}

    def _known(self, fact: Fact) -> str | None:
        self._wait_for(fact.assistant_key)
        return self._same_words(fact)

    def _wait_for(self, assistant_key: str) -> None:
        """Wait until nobody else writes memories of this assistant; until the transaction ends.

        So rows are committed in the order of their numbers, and who has read up to one number has
        missed none below it. And nobody keeps what we are about to find unknown.
        """
        key = zlib.crc32(f"{self._schema} {storable(assistant_key)}".encode()) - 2**31
        with self._transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", [postgres_sql.LOCKS, key])

    def _same_words(self, fact: Fact) -> str | None:
        with self._connection() as connection:
            row = connection.execute(
                f"SELECT id FROM {self._facts} WHERE assistant = %s AND hash = %s",
                [storable(fact.assistant_key), postgres_sql.hash_of(fact)],
            ).fetchone()
        return row[0] if row else None

    def _keep(self, fact: Fact, vector: Any) -> None:
        with self._transaction() as connection:
            # After an update the words may be those of another memory: it is kept, without the hash.
            hash = None if self._same_words(fact) else postgres_sql.hash_of(fact)
            row = postgres_sql.written(
                fact, vector, hash=hash, tokens=terms.of_line(fact.text, fact.before)
            )
            connection.execute(
                f"INSERT INTO {self._facts}({', '.join(row)})"
                f" VALUES({', '.join(['%s'] * len(row))})",
                list(row.values()),
            )

    def _move(self, fact: Fact, vector: Any) -> None:
        with self._transaction() as connection:
            self._wait_for(fact.assistant_key)
            connection.execute(f"DELETE FROM {self._facts} WHERE id = %s", [storable(fact.id)])
            self._keep(fact, vector)

    def _forget(self, fields: dict[str, str]) -> int:
        where = " AND ".join(f"{column} = %s" for column in fields)
        with self._transaction() as connection:
            removed = connection.execute(
                f"DELETE FROM {self._facts} WHERE {where}", [*map(storable, fields.values())]
            ).rowcount
        # One that is gone does no harm, and reading all others anew takes its time.
        if "id" not in fields:
            self._minds.drop()
        return removed

    def _ids(self) -> list[str]:
        with self._connection() as connection:
            rows = connection.execute(f"SELECT id FROM {self._facts} ORDER BY n").fetchall()
        return [id for [id] in rows]

    def _filled_by(self) -> str | None:
        with self._connection() as connection:
            row = connection.execute(
                f"SELECT value FROM {self._schema}.about WHERE key = 'embedder'"
            ).fetchone()
        return row[0] if row else None

    def _note_filled_by(self, described: str) -> None:
        with self._connection() as connection:
            connection.execute(
                f"INSERT INTO {self._schema}.about(key, value) VALUES('embedder', %s)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [described],
            )
