"""The store of semantic memory: one SQLite file of texts and vectors, which are ranked in memory.

It filters before it ranks, so that an assistant with a hundredth of the rows still finds its own,
and nothing that a hearer may not know has a part in any score. Any thread may use it, and any
number of processes; a kill leaves what was committed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from evennia_ai.core import stem_forms
from evennia_ai.core.records import Audience
from evennia_ai.core.stem_forms import Likely
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text.reply import storable
from evennia_ai.semantic.facts import Fact, Search
from evennia_ai.semantic.ranking import dedup, ranked
from evennia_ai.semantic.ranking.beside import Beside, BesideVectors
from evennia_ai.semantic.stores import search_cache, store_sql
from evennia_ai.semantic.stores.fact_store import BATCH, FactStore
from evennia_ai.semantic.stores.growable_arrays import products
from evennia_ai.semantic.stores.search_cache import Left, OwnedCache, Row
from evennia_ai.semantic.stores.store_sql import StoreFile

if TYPE_CHECKING:
    import numpy

# Memories among which one is looked for that is like a text.
NEAREST = 40
_COLUMNS = "id, text, audience, metadata, created"
_INSERT = """INSERT INTO facts(
    id, assistant, source_id, audience, trust, importance, created, moment, speaker, worth, hash, text,
    metadata, vector, before
) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class Store(StoreFile, FactStore):
    """What assistants remember, in the SQLite file `path`.

    Raises:
        ImproperlyConfigured: the file was filled by another embedder, or by another version.
    """

    def __init__(self, path: str | Path, embedder: Any, *, check_embedder: bool = True) -> None:
        super().__init__(path, embedder)
        self._owned = OwnedCache(
            self._fetch,
            dimensions=embedder.dimensions,
            deletions=self._deletions,
            left=self._left,
        )
        self._beside = BesideVectors(embedder)
        if check_embedder:
            self._check_embedder()

    # What it is asked for.

    def alike(self, asked: Search) -> list[Memory]:
        """Return what all hearers may know and is like a text, the most alike first.

        Words are not asked.
        """
        import numpy as np

        asked = asked._replace(query=storable(asked.query))
        view = self._owned.get(asked.assistant_key)
        likeness = products(view.vectors, self.vector_of(asked))
        likeness = np.clip(np.nan_to_num(likeness), 0.0, 1.0)
        told = np.flatnonzero(view.open_to(asked.hearers))
        likeness = likeness[told]
        # Only the nearest are put in order: there may be ten thousand.
        first = np.argpartition(-likeness, NEAREST)[:NEAREST] if len(told) > NEAREST else ...
        told, likeness = told[first], likeness[first]
        order = np.lexsort((told, -likeness))[: asked.limit]
        hits = [
            ranked.Hit(int(view.rows.numbers[told[i]]), float(likeness[i]), float(likeness[i]))
            for i in order
        ]
        return list(self._found(hits, Beside.none(), asked.hearers))

    def who_keeps(self, likely: Likely, *, limit: int) -> dict[str, list[Memory]]:
        """Return the first memories that are like all of that, by the keys of their assistants."""
        where, values = stem_forms.condition("text", likely)
        asked = f"SELECT assistant, {_COLUMNS} FROM facts WHERE {where} ORDER BY n LIMIT ?"
        found: dict[str, list[Memory]] = {}
        for key, *row in self._connection.execute(asked, [*values, limit]):
            found.setdefault(key, []).append(_item(row))
        return found

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
        self._owned.drop()
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

    # How it does it.

    def _best(self, asked: Search) -> list[Memory]:
        beside = self._beside(asked.also, asked.assistant_key)
        view = self._owned.get(asked.assistant_key, beside.rows)
        if asked.filters:
            places = view.places(self._fitting(asked))
        else:
            places = view.told(asked.hearers, min_trust=asked.min_trust)
        if not len(places):
            return []
        best = ranked.best_of(
            asked,
            view=view,
            places=places,
            cosine=view.likeness(self.vector_of(asked)),
            prior=self.embedder.scale.get("cosine_prior"),
        )
        return list(self._found(best, beside, asked.hearers))

    def _fitting(self, asked: Search) -> numpy.ndarray:
        """Return the numbers of the rows that may be told and that a filter lets through."""
        where, values = store_sql.conditions(asked)
        # As one text: a row for each would take longer than all the rest.
        [[text]] = self._connection.execute(
            f"SELECT group_concat(n) FROM facts WHERE {where}", values
        )
        return _numbers(text)

    def _deletions(self) -> int:
        return self._connection.execute(store_sql.DELETIONS).fetchone()[0]

    def _left(self, assistant_key: str) -> Left:
        [[text, up_to]] = self._connection.execute(store_sql.LEFT, [assistant_key])
        return Left(_numbers(text), up_to)

    def _known(self, fact: Fact, vector: Any) -> str | None:
        connection = self._connection
        return self._same_words(connection, fact) or self._same_sense(connection, fact, vector)

    def _keep(self, fact: Fact, vector: Any) -> None:
        self._write(self._connection, fact, self._blob(vector))

    def _rolled_back(self) -> None:
        # The numbers of rows that were taken back will be given again.
        self._owned.drop()

    def _write(self, connection: sqlite3.Connection, fact: Fact, blob: bytes) -> None:
        # After an update the words may be those of another memory: it is kept, without the hash.
        taken = self._same_words(connection, fact)
        connection.execute(
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
                fact.before,
            ],
        )

    def _move(self, fact: Fact, vector: Any) -> None:
        """Write a fact that is there once more, under a new row number and the same id."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM facts WHERE id = ?", [fact.id])
            self._write(connection, fact, self._blob(vector))

    def _forget(self, fields: dict[str, str]) -> int:
        where, values = " AND ".join(f"{column} = ?" for column in fields), list(fields.values())
        with self._transaction() as connection:
            removed = connection.execute(f"DELETE FROM facts WHERE {where}", values).rowcount
        if removed:
            store_sql.wipe(self._connection)
            # One that is gone does no harm, and reading all others anew takes its time.
            if "id" not in fields:
                self._owned.drop()
        return removed

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
        owned = self._owned.get(fact.assistant_key)
        likeness = products(owned.vectors, vector)
        for index in np.flatnonzero(likeness >= threshold):
            row = connection.execute(
                "SELECT id, text, metadata FROM facts" " WHERE n = ? AND ifnull(audience, '') = ?",
                [int(owned.rows.numbers[index]), fact.audience or ""],
            ).fetchone()
            # The vectors may be of rows that are gone.
            if (
                row
                and dedup.says_the_same(row[1], fact.text)
                and dedup.same_source(json.loads(row[2]), fact.metadata)
            ):
                return row[0]
        return None

    def _fetch(self, assistant_key: str, after: int) -> list[Row]:
        rows = self._connection.execute(
            "SELECT n, moment, trust, importance, speaker, worth, text, before, vector, audience"
            " FROM facts WHERE assistant = ? AND n > ? ORDER BY n",
            [assistant_key, after],
        )
        return [Row(*row) for row in rows]

    def _found(
        self, hits: list[ranked.Hit], beside: Beside, hearers: frozenset[str]
    ) -> Iterator[Memory]:
        rows = self._connection.execute(
            f"SELECT n, {_COLUMNS} FROM facts WHERE n IN (SELECT value FROM json_each(?))",
            [json.dumps([hit.n for hit in hits if hit.n >= 0])],
        )
        found = {row[0]: _item(row[1:]) for row in rows}
        for hit in hits:
            item = beside.item(hit.n) if hit.n < 0 else found.get(hit.n)
            # A row may be gone; and the file is asked once more who may know.
            if item and (hit.n < 0 or search_cache.is_open(_ears(item.audience), hearers)):
                yield structs.replace(item, score=hit.score, cosine=hit.cosine)

    def _blob(self, vector: Any) -> bytes:
        import numpy as np

        array = np.asarray(vector, dtype=np.float32).ravel()
        if len(array) != self.embedder.dimensions:
            raise ValueError(f"a vector has {self.embedder.dimensions} numbers, not {len(array)}.")
        return array.tobytes()


def _ears(audience: Audience) -> frozenset[str] | None:
    return None if audience == "public" else frozenset(audience)


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
