"""The store of semantic memory: one SQLite file with vectors and a full-text index beside them.

It filters before it ranks, so that an assistant with a hundredth of the rows still finds its own,
and nothing that a hearer may not know has a part in any score. Any thread may use it, and any
number of processes; a kill leaves what was committed.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.domain.records import Audience
from evennia_ai.semantic import dedup, ranked, store_search, store_sql
from evennia_ai.semantic.facts import Fact, clean, new_fact, superseded
from evennia_ai.semantic.store_file import StoreFile
from evennia_ai.semantic.vectors import VectorCache

if TYPE_CHECKING:
    import numpy

# Texts that are embedded in one go.
BATCH = 64
_COLUMNS = "id, text, audience, metadata, created"
_INSERT = """INSERT INTO facts(
    id, assistant, source_id, audience, trust, importance, created, moment, speaker, worth, hash, text,
    metadata, vector
) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class Added(NamedTuple):
    """What became of a text: the id that it is kept under, and "added" or "duplicate"."""

    id: str
    event: str


class Duplicate(Exception):
    """The same source said the same to the same ears before; `id` is that memory."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id


class Store(StoreFile):
    """What assistants remember, in the SQLite file `path`.

    Raises:
        ImproperlyConfigured: the file was filled by another embedder, or by a newer version.
    """

    def __init__(self, path: str | Path, embedder: Any, *, check_embedder: bool = True) -> None:
        super().__init__(path, embedder)
        self._vectors = VectorCache(self._fetch)
        if check_embedder:
            self._check_embedder()

    # What it is asked for.

    def add(
        self,
        text: str,
        *,
        assistant_key: str,
        audience: Audience,
        metadata: dict[str, Any] | None = None,
    ) -> Added:
        """Keep a text, unless the same source said the same before; return what became of it."""
        fact = new_fact(text, assistant_key=assistant_key, audience=audience, metadata=metadata)
        try:
            return Added(self.insert(fact, self.embed([fact])[0]), "added")
        except Duplicate as duplicate:
            return Added(duplicate.id, "duplicate")

    def add_all(self, items: Iterable[dict[str, Any]]) -> list[Added]:
        """Keep many texts, each given as the keywords of `add`; they are embedded in batches."""
        facts = [new_fact(**item) for item in items]
        added = []
        for start in range(0, len(facts), BATCH):
            batch = facts[start : start + BATCH]
            with self._transaction():
                for fact, vector in zip(batch, self.embed(batch), strict=True):
                    try:
                        added.append(Added(self.insert(fact, vector), "added"))
                    except Duplicate as duplicate:
                        added.append(Added(duplicate.id, "duplicate"))
        return added

    def search(
        self,
        query: str,
        *,
        assistant_key: str,
        hearers: Iterable[str],
        limit: int = 10,
        min_trust: float = 0.0,
        names: Iterable[str] = (),
        filters: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """Return what everybody in `hearers` may know and fits the query, best first.

        `names` are of those who talk; they say whose words are meant, not what about.
        """
        query = clean(query).strip()
        if not query or limit < 1:
            return []
        where, values = store_sql.conditions(
            assistant_key=assistant_key, hearers=hearers, min_trust=min_trust, filters=filters
        )
        rows = self._connection.execute(
            "SELECT n, moment, trust, importance, speaker, worth FROM facts"
            f" WHERE {where} ORDER BY moment, n",
            values,
        ).fetchall()
        if not rows:
            return []
        vector = self.embedder.embed_query(ranked.prepared_query(query, names))
        rows, cosine = store_search.cosines(rows, vector, *self._vectors.get(assistant_key))
        terms = ranked.query_terms(query, names)
        keyword = store_search.keywords(self._connection, rows, terms, assistant_key)
        if not rows:
            return []
        best = ranked.best(
            query,
            rows=rows,
            cosine=cosine,
            keyword=keyword,
            names=names,
            limit=limit,
            prior=self.embedder.scale.get("cosine_prior"),
        )
        return list(self._found(best))

    def get(self, id: str, *, assistant_key: str) -> dict[str, Any] | None:
        """Return one memory of an assistant, or None."""
        row = self._connection.execute(
            f"SELECT {_COLUMNS} FROM facts WHERE id = ? AND assistant = ?", [id, assistant_key]
        ).fetchone()
        return _item(row) if row else None

    def get_all(self, *, assistant_key: str, limit: int = 100) -> list[dict[str, Any]]:
        """Return what an assistant remembers, newest first."""
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM facts WHERE assistant = ? ORDER BY moment DESC, n DESC"
            " LIMIT ?",
            [assistant_key, limit],
        )
        return [_item(row) for row in rows]

    def update(
        self,
        id: str,
        text: str,
        *,
        assistant_key: str,
        metadata: dict[str, Any] | None = None,
    ) -> bool:
        """Let a text supersede another; the old one stays in metadata["history"]. False: not there.

        Who may know it does not change, and metadata that is not given stays.
        """
        old = self.fact(id, assistant_key)
        if old is None:
            return False
        # Outside of the transaction, which others wait for.
        [vector] = self.embed([superseded(old, text, metadata)])
        with self._transaction():
            old = self.fact(id, assistant_key)
            if old is not None:
                self._move(superseded(old, text, metadata), vector)
        return old is not None

    def delete(self, id: str, *, assistant_key: str) -> bool:
        """Forget one memory; False if it is not there."""
        return self._delete("id = ? AND assistant = ?", [id, assistant_key]) > 0

    def delete_scope(
        self, *, assistant_key: str | None = None, source_id: str | None = None
    ) -> int:
        """Forget all of an assistant, all from a source, or what one has from the other.

        Returns how many memories; nothing of their words is left in the file.
        """
        scope = {"assistant": assistant_key, "source_id": source_id}
        given = {column: value for column, value in scope.items() if value}
        if not given:
            raise ValueError("delete_scope needs an assistant_key or a source_id.")
        where = " AND ".join(f"{column} = ?" for column in given)
        return self._delete(where, list(given.values()))

    def count(self) -> int:
        """Return how many memories there are, of all assistants."""
        return self._connection.execute("SELECT count(*) FROM facts").fetchone()[0]

    def reembed(self) -> int:
        """Make all vectors anew with the present embedder; return how many.

        For a server that is down: whoever has the file open keeps the old embedder.
        """
        with self._transaction() as connection:
            ids = connection.execute("SELECT id, assistant FROM facts ORDER BY n").fetchall()
            for start in range(0, len(ids), BATCH):
                facts = [self.fact(*one) for one in ids[start : start + BATCH]]
                for fact, vector in zip(facts, self.embed(facts), strict=True):
                    self._move(fact, vector)
            self._note_embedder(connection)
        self._vectors.drop()
        return len(ids)

    # What the adapter of mem0 uses as well.

    def fact(self, id: str, assistant_key: str | None = None) -> Fact | None:
        """Return one memory as it was taken in, of any assistant unless one is named."""
        row = self._connection.execute(
            "SELECT text, assistant, audience, metadata, created, id FROM facts"
            " WHERE id = ? AND assistant = ifnull(?, assistant)",
            [id, assistant_key],
        ).fetchone()
        return Fact(*row[:3], json.loads(row[3]), *row[4:]) if row else None

    def embed(self, facts: list[Fact]) -> numpy.ndarray:
        """Return the vectors of facts."""
        return self.embedder.embed([ranked.prepared(fact) for fact in facts])

    def insert(self, fact: Fact, vector: Any) -> str:
        """Keep a fact with its vector; return its id.

        Raises:
            Duplicate: it is there already.
        """
        fact = fact._replace(id=fact.id or str(uuid.uuid4()))
        with self._transaction() as connection:
            known = self._same_words(connection, fact) or self._same_sense(connection, fact, vector)
            if not known:
                self._write(connection, fact, self._blob(vector))
        # Not inside: nothing went wrong that would have to be undone.
        if known:
            raise Duplicate(known)
        return fact.id

    # How it does it.

    def _rolled_back(self) -> None:
        # The numbers of rows that were taken back will be given again.
        self._vectors.drop()

    def _write(self, connection: sqlite3.Connection, fact: Fact, blob: bytes) -> None:
        # After an update the words may be those of another memory: it is kept, without the hash.
        taken = self._same_words(connection, fact)
        cursor = connection.execute(
            _INSERT,
            [
                fact.id,
                fact.assistant_key,
                fact.source_id,
                fact.audience,
                fact.trust,
                fact.importance,
                fact.created,
                fact.moment,
                fact.speaker,
                ranked.worth(fact),
                None if taken else fact.fingerprint,
                fact.text,
                json.dumps(fact.metadata),
                blob,
            ],
        )
        connection.execute(
            "INSERT INTO words(rowid, text, before, scope) VALUES(?, ?, ?, ?)",
            [
                cursor.lastrowid,
                f"{fact.speaker} {fact.text}",
                fact.before,
                store_sql.scope_word(fact.assistant_key),
            ],
        )

    def _move(self, fact: Fact, vector: Any) -> None:
        """Write a fact that is there once more, under a new row number and the same id."""
        with self._transaction() as connection:
            self._remove(connection, "id = ?", [fact.id])
            self._write(connection, fact, self._blob(vector))

    def _delete(self, where: str, values: list[Any]) -> int:
        with self._transaction() as connection:
            removed = self._remove(connection, where, values)
        if removed:
            store_sql.wipe(self._connection)
            self._vectors.drop()
        return removed

    def _remove(self, connection: sqlite3.Connection, where: str, values: list[Any]) -> int:
        connection.execute(
            f"DELETE FROM words WHERE rowid IN (SELECT n FROM facts WHERE {where})", values
        )
        return connection.execute(f"DELETE FROM facts WHERE {where}", values).rowcount

    def _same_words(self, connection: sqlite3.Connection, fact: Fact) -> str | None:
        row = connection.execute(
            "SELECT id FROM facts WHERE assistant = ? AND ifnull(audience, '') = ? AND hash = ?",
            [fact.assistant_key, fact.audience or "", fact.fingerprint],
        ).fetchone()
        return row[0] if row else None

    def _same_sense(self, connection: sqlite3.Connection, fact: Fact, vector: Any) -> str | None:
        import numpy as np

        threshold = self.embedder.scale.get("duplicate")
        if threshold is None:
            return None
        numbers, vectors = self._vectors.get(fact.assistant_key)
        likeness = vectors @ np.asarray(vector, dtype=np.float32).ravel()
        for index in np.flatnonzero(likeness >= threshold):
            row = connection.execute(
                "SELECT id, text, metadata FROM facts" " WHERE n = ? AND ifnull(audience, '') = ?",
                [int(numbers[index]), fact.audience or ""],
            ).fetchone()
            # The vectors may be of rows that are gone.
            if (
                row
                and dedup.says_the_same(row[1], fact.text)
                and dedup.same_source(json.loads(row[2]), fact.metadata)
            ):
                return row[0]
        return None

    def _fetch(self, assistant_key: str, after: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        import numpy as np

        rows = self._connection.execute(
            "SELECT n, vector FROM facts WHERE assistant = ? AND n > ? ORDER BY n",
            [assistant_key, after],
        ).fetchall()
        vectors = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32)
        numbers = np.array([row[0] for row in rows], dtype=np.int64)
        return numbers, vectors.reshape(len(rows), self.embedder.dimensions)

    def _found(self, hits: Iterable[ranked.Hit]) -> Iterator[dict[str, Any]]:
        for hit in hits:
            row = self._connection.execute(
                f"SELECT {_COLUMNS} FROM facts WHERE n = ?", [hit.n]
            ).fetchone()
            if row:
                yield {**_item(row), "score": hit.score, "cosine": hit.cosine}

    def _blob(self, vector: Any) -> bytes:
        import numpy as np

        array = np.asarray(vector, dtype=np.float32).ravel()
        if len(array) != self.embedder.dimensions:
            raise ValueError(f"a vector has {self.embedder.dimensions} numbers, not {len(array)}.")
        return array.tobytes()


def _item(row: Any) -> dict[str, Any]:
    id, text, audience, metadata, created = row
    return {
        "id": id,
        "text": text,
        "audience": "public" if audience is None else json.loads(audience),
        "metadata": json.loads(metadata),
        "created": created,
    }
