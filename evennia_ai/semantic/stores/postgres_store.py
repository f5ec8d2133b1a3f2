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

from msgspec import structs

from evennia_ai.core import stem_forms
from evennia_ai.core.stem_forms import Likely
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact, Search
from evennia_ai.semantic.ranking import dedup, ranked
from evennia_ai.semantic.ranking.beside import Beside, BesideVectors
from evennia_ai.semantic.stores import fact_store, postgres_sql
from evennia_ai.semantic.stores.fact_store import BATCH, FactStore
from evennia_ai.semantic.stores.search_cache import OwnedCache, Row

if TYPE_CHECKING:
    import numpy
    import psycopg

_COLUMNS = "id, text, audience, metadata, created"


class PostgresStore(FactStore):
    """What assistants remember, in a schema of the database that `dsn` names.

    Raises:
        ImproperlyConfigured: there is no pgvector, or the schema was filled by another embedder or
            by another version.
    """

    def __init__(
        self, dsn: str, embedder: Any, *, schema: str, check_embedder: bool = True
    ) -> None:
        self.embedder = embedder
        self._dsn = dsn
        self._schema = postgres_sql.check_schema(schema)
        self._facts = f"{schema}.facts"
        self._owned = OwnedCache(self._fetch, dimensions=0)
        self._beside = BesideVectors(embedder)
        # One connection, which one thread uses at a time.
        self._using = threading.RLock()
        self._connected: psycopg.Connection[Any] | None = None
        with self._transaction() as connection:
            postgres_sql.create(connection, self._schema)
            if check_embedder:
                self._check_embedder(connection)

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._using:
            connection, self._connected = self._connected, None
            if connection is not None:
                connection.close()

    def alike(self, asked: Search) -> list[Memory]:
        """See `Store.alike`."""
        import numpy as np

        asked = asked._replace(query=storable(asked.query))
        vector = self.vector_of(asked)
        with self._connection() as connection:
            told = self._told(connection, vector, asked)
            likeness = np.clip(np.nan_to_num(told["likeness"]), 0.0, 1.0)
            order = np.lexsort((told["n"], -likeness))[: asked.limit]
            hits = [
                ranked.Hit(int(told["n"][i]), float(likeness[i]), float(likeness[i])) for i in order
            ]
            return self._found(connection, hits, Beside.none())

    def who_keeps(self, likely: Likely, *, limit: int) -> dict[str, list[Memory]]:
        """See `Store.who_keeps`."""
        where, values = stem_forms.condition("text", likely, like="ILIKE %s")
        asked = f"SELECT assistant, {_COLUMNS} FROM {self._facts} WHERE {where} ORDER BY n LIMIT %s"
        found: dict[str, list[Memory]] = {}
        with self._connection() as connection:
            for key, *row in connection.execute(asked, [*values, limit]):
                found.setdefault(key, []).append(postgres_sql.item(row))
        return found

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

    def reembed(self) -> int:
        """Make all vectors anew with the present embedder; return how many.

        For a server that is down: whoever has the store open keeps the old embedder.
        """
        with self._transaction() as connection:
            ids = connection.execute(f"SELECT id FROM {self._facts} ORDER BY n").fetchall()
            for start in range(0, len(ids), BATCH):
                facts = [fact for [id] in ids[start : start + BATCH] if (fact := self.fact(id))]
                for fact, vector in zip(facts, self.embed(facts), strict=True):
                    self._move(fact, vector)
            self._note_embedder(connection)
        self._owned.drop()
        return len(ids)

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

    def _best(self, asked: Search) -> list[Memory]:
        vector = self.vector_of(asked)
        beside = self._beside(asked.also, asked.assistant_key)
        with self._connection() as connection:
            told = self._told(connection, vector, asked)
            view = self._owned.get(storable(asked.assistant_key), beside.rows)
            best = ranked.best_of(
                asked,
                view=view,
                # Another process may have deleted some since they were listed.
                places=view.places(told["n"]),
                cosine=view.likeness(vector, stored=view.spread(told["n"], told["likeness"])),
                prior=self.embedder.scale.get("cosine_prior"),
            )
            return self._found(connection, best, beside)

    def _told(
        self, connection: psycopg.Connection[Any], vector: Any, asked: Search
    ) -> numpy.ndarray:
        """Return number and likeness of what may be told, by number."""
        import numpy as np

        where, values = postgres_sql.conditions(asked)
        [packed] = (
            connection.cursor(binary=True)
            .execute(
                postgres_sql.search(self._facts, where),
                [postgres_sql.vector_text(vector), *values],
            )
            .fetchone()
        )
        told = np.frombuffer(packed or b"", postgres_sql.TOLD)
        return told[np.argsort(told["n"])]

    def _fetch(self, assistant_key: str, after: int) -> list[Row]:
        from psycopg import rows as shapes

        with self._connection() as connection:
            rows = (
                connection.cursor(binary=True, row_factory=shapes.dict_row)
                .execute(
                    "SELECT n, moment, trust, importance, speaker, worth, text, before"
                    f" FROM {self._facts} WHERE assistant = %s AND n > %s ORDER BY n",
                    [assistant_key, after],
                )
                .fetchall()
            )
        # Likeness is for pgvector, so that no vectors have to be kept here.
        return [Row(**row, vector=b"") for row in rows]

    def _found(
        self, connection: psycopg.Connection[Any], hits: list[ranked.Hit], beside: Beside
    ) -> list[Memory]:
        rows = connection.execute(
            f"SELECT n, {_COLUMNS} FROM {self._facts} WHERE n = ANY(%s)", [[hit.n for hit in hits]]
        ).fetchall()
        items = {row[0]: postgres_sql.item(row[1:]) for row in rows}
        items |= {hit.n: beside.item(hit.n) for hit in hits if hit.n < 0}
        return [
            structs.replace(items[hit.n], score=hit.score, cosine=hit.cosine)
            for hit in hits
            if hit.n in items
        ]

    def _known(self, fact: Fact, vector: Any) -> str | None:
        self._wait_for(fact.assistant_key)
        return self._same_words(fact) or self._same_sense(fact, vector)

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

    def _same_sense(self, fact: Fact, vector: Any) -> str | None:
        threshold = self.embedder.scale.get("duplicate")
        if threshold is None:
            return None
        with self._connection() as connection:
            rows = connection.execute(
                f"SELECT id, text, metadata FROM {self._facts}"
                " WHERE assistant = %s AND audience IS NOT DISTINCT FROM %s::text[]"
                " AND -(vector <#> %s::vector) >= %s ORDER BY n",
                [
                    storable(fact.assistant_key),
                    postgres_sql.audience(fact),
                    postgres_sql.vector_text(vector),
                    threshold,
                ],
            ).fetchall()
        return next(
            (
                id
                for id, text, metadata in rows
                if dedup.says_the_same(text, fact.text)
                and dedup.same_source(json.loads(metadata), fact.metadata)
            ),
            None,
        )

    def _keep(self, fact: Fact, vector: Any) -> None:
        self._write(fact, vector, postgres_sql.hash_of(fact))

    def _move(self, fact: Fact, vector: Any) -> None:
        with self._transaction() as connection:
            self._wait_for(fact.assistant_key)
            connection.execute(f"DELETE FROM {self._facts} WHERE id = %s", [storable(fact.id)])
            # The words may be those of another memory: it is kept, without the hash.
            self._write(
                fact, vector, None if self._same_words(fact) else postgres_sql.hash_of(fact)
            )

    def _write(self, fact: Fact, vector: Any, hash: str | None) -> None:
        with self._transaction() as connection:
            row = postgres_sql.written(fact, vector, hash=hash)
            connection.execute(
                f"INSERT INTO {self._facts}({', '.join(row)})"
                f" VALUES({', '.join(['%s'] * len(row))})",
                list(row.values()),
            )

    def _forget(self, fields: dict[str, str]) -> int:
        where = " AND ".join(f"{column} = %s" for column in fields)
        with self._transaction() as connection:
            removed = connection.execute(
                f"DELETE FROM {self._facts} WHERE {where}", [*map(storable, fields.values())]
            ).rowcount
        # One that is gone does no harm, and reading all others anew takes its time.
        if "id" not in fields:
            self._owned.drop()
        return removed

    def _check_embedder(self, connection: psycopg.Connection[Any]) -> None:
        """Raise ImproperlyConfigured if the vectors are of another embedder."""
        row = connection.execute(
            f"SELECT value FROM {self._schema}.about WHERE key = 'embedder'"
        ).fetchone()
        if row is None:
            self._note_embedder(connection)
            return
        where = f"the schema {self._schema} in {connection.info.dbname}"
        fact_store.check_embedder(where, json.loads(row[0]), self.embedder)

    def _note_embedder(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(
            f"INSERT INTO {self._schema}.about(key, value) VALUES('embedder', %s)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [json.dumps(fact_store.described(self.embedder))],
        )
