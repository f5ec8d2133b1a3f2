"""The store of semantic memory: one SQLite file of texts, their vectors and their words (FTS5).

It filters before it ranks, so that an assistant with a hundredth of the rows still finds its own,
and nothing that a hearer may not know has a part in any score. Any thread may use it, and any
number of processes; a kill leaves what was committed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.semantic.facts import Fact, Search
from evennia_ai.semantic.ranking import ranked, terms
from evennia_ai.semantic.stores import store_sql
from evennia_ai.semantic.stores.growable_arrays import products
from evennia_ai.semantic.stores.minds import Left, Mind, Minds, Row
from evennia_ai.semantic.stores.ranked_store import RankedStore
from evennia_ai.semantic.stores.store_sql import StoreFile

if TYPE_CHECKING:
    import numpy

_COLUMNS = "id, text, audience, metadata, created"
_INSERT = """INSERT INTO facts(
    id, assistant, source_id, audience, trust, importance, created, moment, speaker, worth, hash, text,
    metadata, vector, before
) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class Store(StoreFile, RankedStore):
    """What assistants remember, in the SQLite file `path`; what another embedder filled is embedded anew.

    Raises:
        ImproperlyConfigured: the file was written by another version.
    """

    def __init__(self, path: str | Path, embedder: Any) -> None:
        RankedStore.__init__(self, embedder)
        StoreFile.__init__(self, path)
        self._minds = Minds(
            self._fetch,
            dimensions=embedder.dimensions,
            deletions=lambda: self._connection.execute(store_sql.DELETIONS).fetchone()[0],
            left=self._left,
        )
        self.made_anew = self.keep_to_embedder()

    def created(self, ids: Iterable[str], *, assistant_key: str) -> dict[str, str]:
        """Return when those of these memories were noted that an assistant has, by their ids."""
        rows = self._connection.execute(
            "SELECT id, created FROM facts WHERE assistant = ?"
            " AND id IN (SELECT value FROM json_each(?))",
            [assistant_key, json.dumps(list(ids))],
        )
        return dict(rows.fetchall())

    def get_all(self, *, assistant_key: str, limit: int = 100, offset: int = 0) -> list[Memory]:
        """Return what an assistant remembers, newest first."""
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM facts WHERE assistant = ? ORDER BY moment DESC, n DESC"
            " LIMIT ? OFFSET ?",
            [assistant_key, limit, offset],
        )
        return [_item(row) for row in rows]

    def fact(self, id: str, assistant_key: str | None = None) -> Fact | None:
        """Return one memory as it was taken in, of any assistant unless one is named."""
        row = self._connection.execute(
            "SELECT text, assistant, audience, metadata, created, id FROM facts"
            " WHERE id = ? AND assistant = ifnull(?, assistant)",
            [id, assistant_key],
        ).fetchone()
        return Fact(*row[:3], json.loads(row[3]), *row[4:]) if row else None

    def _fetch(self, assistant_key: str, after: int) -> list[Row]:
        rows = self._connection.execute(
            "SELECT n, moment, trust, importance, speaker, worth, text, before, vector, audience"
            " FROM facts WHERE assistant = ? AND n > ? ORDER BY n",
            [assistant_key, after],
        )
        return [Row(*row) for row in rows]

    def _left(self, assistant_key: str) -> Left:
        [[text, up_to]] = self._connection.execute(store_sql.LEFT, [assistant_key])
        return Left(_numbers(text), up_to)

    def _told(self, mind: Mind, vector: Any, asked: Search) -> tuple[numpy.ndarray, numpy.ndarray]:
        if asked.filters:
            where, values = store_sql.conditions(asked)
            # As one text: a row for each would take longer than all the rest.
            [[text]] = self._connection.execute(
                f"SELECT group_concat(n) FROM facts WHERE {where}", values
            )
            places = mind.places(_numbers(text))
        else:
            places = mind.open_to(asked.hearers, min_trust=asked.min_trust)
        return places, products(mind.vectors, vector)[places]

    def _having(self, assistant_key: str, tokens: Iterable[str]) -> dict[str, numpy.ndarray]:
        found = {}
        for token in tokens:
            [[text]] = self._connection.execute(
                store_sql.HAVING, [store_sql.token_hash(assistant_key, token)]
            )
            if text:
                found[token] = _numbers(text)
        return found

    def _items(self, numbers: list[int]) -> dict[int, Memory]:
        rows = self._connection.execute(
            f"SELECT n, {_COLUMNS} FROM facts WHERE n IN (SELECT value FROM json_each(?))",
            [json.dumps(numbers)],
        )
        return {row[0]: _item(row[1:]) for row in rows}

    def _known(self, fact: Fact) -> str | None:
        row = self._connection.execute(
            "SELECT id FROM facts WHERE assistant = ? AND ifnull(audience, '') = ? AND hash = ?",
            [fact.assistant_key, fact.audience or "", fact.fingerprint],
        ).fetchone()
        return row[0] if row else None

    def _ids(self) -> list[str]:
        return [id for [id] in self._connection.execute("SELECT id FROM facts ORDER BY n")]

    def _filled_by(self) -> str | None:
        row = self._connection.execute("SELECT value FROM about WHERE key = 'embedder'").fetchone()
        return row[0] if row else None

    def _note_filled_by(self, described: str) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO about(key, value) VALUES('embedder', ?)", [described]
        )

    def _rolled_back(self) -> None:
        # The numbers of rows that were taken back will be given again.
        self._minds.drop()

    def _keep(self, fact: Fact, vector: Any) -> None:
        import numpy as np

        array = np.asarray(vector, dtype=np.float32).ravel()
        if len(array) != self.embedder.dimensions:
            raise ValueError(f"a vector has {self.embedder.dimensions} numbers, not {len(array)}.")
        # After an update the words may be those of another memory: it is kept, without the hash.
        taken = self._known(fact)
        connection = self._connection
        done = connection.execute(
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
                array.tobytes(),
                fact.before,
            ],
        )
        hashed = (
            store_sql.token_hash(fact.assistant_key, one)
            for one in terms.of_line(fact.text, fact.before)
        )
        connection.execute(store_sql.INDEX, [done.lastrowid, " ".join(hashed)])

    def _move(self, fact: Fact, vector: Any) -> None:
        """Write a fact that is there once more, under a new row number and the same id."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM facts WHERE id = ?", [fact.id])
            self._keep(fact, vector)

    def _forget(self, fields: dict[str, str]) -> int:
        where, values = " AND ".join(f"{column} = ?" for column in fields), list(fields.values())
        with self._transaction() as connection:
            removed = connection.execute(f"DELETE FROM facts WHERE {where}", values).rowcount
        if removed:
            store_sql.wipe(self._connection)
            # One that is gone does no harm, and reading all others anew takes its time.
            if "id" not in fields:
                self._minds.drop()
        return removed


def _numbers(text: str | None) -> numpy.ndarray:
    import numpy as np

    return np.fromstring(text or "", dtype=np.int64, sep=",")


def _item(row: Any) -> Memory:
    id, text, audience, metadata, created = row
    return Memory(
        id=id,
        text=text,
        audience="public" if audience is None else json.loads(audience),
        metadata=json.loads(metadata),
        created=created,
    )
