"""The file of experience: decisions, trajectories and feedback, found by likeness among what may be known.

One SQLite file for all assistants. Each write is one transaction, so that a kill leaves what was
written before; other processes may read and write meanwhile. It holds hundreds of rows a scope, not
hundreds of thousands: likeness is exact, by arrays that are kept in memory.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evennia_ai.domain import audience as audiences
from evennia_ai.experience import tables
from evennia_ai.experience.decision_records import Record, known_to, may_be_shown, superseding
from evennia_ai.experience.from_settings import warn
from evennia_ai.experience.row_cache import Asked, Row, RowCache, Rows, as_row

IN_MEMORY = ":memory:"
# A record and its likeness.
Found = tuple[Record, float]
# Texts that are embedded in one go.
BATCH = 64
# A share of the limit (one in so many) by which a collection may be over it.
TRIMMED_SHARE = 50


class ExperienceStore:
    """What is in the file `path`; any thread may use it.

    Args:
        path: the file. If it cannot be opened, memory takes its place, with a warning unless `silent`.
        embedder: what turns text into vectors. Rows that another one filled are embedded anew when
            they are looked at.
        limit: decisions, and trajectories, that are kept of a scope. Beyond it those go first that
            are no example, then the oldest.

    Raises:
        ImproperlyConfigured: a newer version of this package wrote the file.
    """

    def __init__(
        self, path: str | Path, embedder: Any, *, silent: bool = False, limit: int = 2000
    ) -> None:
        self.embedder, self.limit = embedder, limit
        self._lock = threading.RLock()
        # What was read of the file, and the version of it that was, which others' writes change.
        self.cache, self._version = RowCache(), -1
        try:
            self.path = str(path)
            self._connection = tables.opened(self.path)
        except (sqlite3.Error, OSError) as error:
            if not silent:
                warn(
                    f"experience cannot be kept in {path} ({error}); it is kept in memory, and is gone "
                    "when the server stops."
                )
            self.path = IN_MEMORY
            self._connection = tables.opened(self.path)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    # Decisions and trajectories.

    def add(self, collection: str, scope: str, record: Record) -> None:
        """Keep one record."""
        vector = self._embedded([record.found_by])[0]
        with self._transaction() as connection:
            self._write(connection, collection, scope, record, vector)
            self._trim(connection, collection, scope)
        if record.episode and self.feedback(scope, record.episode):
            # What was said of the others of the episode, fewer may know now.
            self.cache.drop((collection, scope))
        self.cache.note_added(collection, scope)

    def add_missing(self, collection: str, scope: str, records: list[Record]) -> None:
        """Keep many records at once, but those whose id is there."""
        vectors = self._embedded([record.found_by for record in records])
        with self._transaction() as connection:
            for record, vector in zip(records, vectors, strict=True):
                self._write(connection, collection, scope, record, vector, verb="INSERT OR IGNORE")
            self._trim(connection, collection, scope)
        self.cache.note_added(collection, scope)

    def change(
        self, collection: str, scope: str, id: str, changed: Callable[[Record], Record]
    ) -> bool:
        """Let a record be what `changed` makes of it; False if it is not there."""
        update = f"UPDATE {collection} SET data = ?, text = ?, reward = ?, embedder = ?, vector = ?"
        with self._transaction() as connection:
            row = connection.execute(
                f"SELECT n, personality, id, audience, data FROM {collection}"
                " WHERE scope = ? AND id = ?",
                [scope, id],
            ).fetchone()
            if row is None:
                return False
            record = changed(_record(collection, *row[2:]))
            [vector] = self._embedded([record.found_by])
            connection.execute(
                f"{update} WHERE n = ?",
                [record.json(), record.text, record.reward, *vector, row["n"]],
            )
        now = Row(row["n"], row["audience"], record.reward, row["personality"], vector[1])
        said = self.feedback(scope, record.episode) if record.episode else None
        if said is not None:
            now = now.rated(said, self.audience_of(scope, said))
        self.cache.replace(collection, scope, now)
        return True

    def weigh(
        self,
        collection: str,
        scope: str,
        query: str,
        by: Callable[..., Any] = Rows.best,
        *,
        hearers: Iterable[str] | None,
        background: str = "",
        **rules: Any,
    ) -> Any:
        """Return what `by`, a method of `Rows` that has these rules, makes of a query and what all hearers may know.

        `background` is what of the query would be there whatever happened.
        """
        import numpy as np

        listening = None if hearers is None else set(hearers)
        with self._lock:
            rows = self._rows(collection, scope)
            heard = [may_be_shown(audience, listening) for audience in rows.audiences]
            vectors = (
                self.embedder.embed_query(text) if rows and text else np.zeros(rows.dimensions)
                for text in (query, background)
            )
            return by(rows, Asked(*vectors, np.array(heard, dtype=bool)), **rules)

    def nearest(self, collection: str, scope: str, *query: Any, **asked: Any) -> list[Found]:
        """Return records with their likeness, those first that come first as `weigh` takes it."""
        best = self.weigh(collection, scope, *query, **asked)
        found = self._records(collection, [number for number, _ in best]) if best else {}
        return [(found[number], likeness) for number, likeness in best if number in found]

    def count(self, collection: str, scope: str) -> int:
        """Return how many records of a scope there are."""
        with self._lock:
            [[number]] = self._connection.execute(
                f"SELECT count(*) FROM {collection} WHERE scope = ?", [scope]
            )
        return number

    def rewards(self, scope: str) -> dict[str, list[float | None]]:
        """Return the rewards of the decisions of a scope, by action type."""
        given: dict[str, list[float | None]] = {}
        with self._lock:
            for action, reward in self._connection.execute(
                "SELECT action, reward FROM decisions WHERE scope = ? ORDER BY n", [scope]
            ):
                given.setdefault(action, []).append(reward)
        return given

    def actions(self, scope: str, audience: Any) -> list[str]:
        """Return what the last decisions did of which all these may know, the last first, each once."""
        with self._lock:
            given = tables.last_actions(self._connection, scope)
        found = [one["action"] for one in audiences.select_open_to(given, audience)]
        return list(dict.fromkeys(found))

    def audiences_of(self, scope: str, episode_id: str) -> list[Any]:
        """Return who may know the decisions of an episode, each audience once."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT DISTINCT audience FROM decisions WHERE scope = ? AND episode = ?",
                [scope, episode_id],
            ).fetchall()
        return [json.loads(audience) for [audience] in rows]

    # Feedback.

    def put_feedback(self, scope: str, given: dict[str, Any]) -> str:
        """Keep a verdict in the place of the one before it, which goes into its history."""
        id = f"fb_{given['episode_id']}"
        with self._transaction() as connection:
            data = superseding(given, self.feedback(scope, given["episode_id"]))
            connection.execute(
                "INSERT OR REPLACE INTO feedback(scope, id, data) VALUES(?, ?, ?)",
                [scope, id, json.dumps(data)],
            )
        # What is read anew has the rating.
        self.cache.drop(("decisions", scope))
        return id

    def feedback(self, scope: str, episode_id: str) -> dict[str, Any] | None:
        """Return the verdict on an episode."""
        with self._lock:
            row = self._connection.execute(
                "SELECT data FROM feedback WHERE scope = ? AND id = ?", [scope, f"fb_{episode_id}"]
            ).fetchone()
        return json.loads(row[0]) if row else None

    def audience_of(self, scope: str, said: dict[str, Any]) -> Any:
        """Return who may know what was said of an episode."""
        return known_to(said, self.audiences_of(scope, said["episode_id"]))

    def dump(self, scope: str) -> dict[str, list[dict[str, Any]]]:
        """Return all of a scope, oldest first, without vectors: by collection, and the feedback."""
        with self._lock:
            rows = {
                table: self._connection.execute(
                    f"SELECT id, audience, data FROM {table} WHERE scope = ? ORDER BY n", [scope]
                ).fetchall()
                for table in tables.NAMES[:2]
            }
            said = self._connection.execute(
                "SELECT data FROM feedback WHERE scope = ? ORDER BY id", [scope]
            ).fetchall()
        kept = {
            table: [
                {"id": id, "audience": json.loads(audience), "data": json.loads(data)}
                for id, audience, data in found
            ]
            for table, found in rows.items()
        }
        return {**kept, "feedback": [json.loads(data) for [data] in said]}

    def restore_feedback(self, scope: str, given: Iterable[dict[str, Any]]) -> None:
        """Keep verdicts as `dump` gave them, with their histories."""
        rows = [[scope, f"fb_{one['episode_id']}", json.dumps(one)] for one in given]
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO feedback(scope, id, data) VALUES(?, ?, ?)", rows
            )
        self.cache.drop(("decisions", scope))

    def scopes(self) -> list[str]:
        """Return the scopes of all that is kept, sorted."""
        asked = " UNION ".join(f"SELECT scope FROM {table}" for table in tables.NAMES)
        with self._lock:
            return sorted(scope for [scope] in self._connection.execute(asked))

    def clear(self, scope: str) -> int:
        """Forget all of a scope; return how many decisions that were."""
        with self._transaction() as connection:
            removed = [
                connection.execute(f"DELETE FROM {table} WHERE scope = ?", [scope]).rowcount
                for table in tables.NAMES
            ]
        with self._lock:
            self.cache.clear()
            tables.wipe(self._connection)
        return removed[0]

    def remove(self, scope: str, is_gone: Callable[[dict[str, Any]], bool]) -> int:
        """Forget the records of a scope that `is_gone` is true of, and what was said of them.

        It is asked about the data of each, with its `audience`. Returns how many records.
        """
        count, episodes = 0, set()
        with self._transaction() as connection:
            for table in tables.NAMES[:2]:
                rows = connection.execute(
                    f"SELECT n, audience, episode, data FROM {table} WHERE scope = ?", [scope]
                ).fetchall()
                for n, audience, episode, data in rows:
                    if is_gone({**json.loads(data), "audience": json.loads(audience)}):
                        connection.execute(f"DELETE FROM {table} WHERE n = ?", [n])
                        episodes.add(episode)
                        count += 1
            said = connection.execute(
                "SELECT id, data FROM feedback WHERE scope = ?", [scope]
            ).fetchall()
            for id, data in said:
                given = json.loads(data)
                if given["episode_id"] in episodes or is_gone(given):
                    connection.execute(
                        "DELETE FROM feedback WHERE scope = ? AND id = ?", [scope, id]
                    )
        with self._lock:
            self.cache.clear()
            tables.wipe(self._connection)
        return count

    # How it does it.

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self._lock:
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            done = False
            try:
                yield connection
                done = True
            finally:
                connection.execute("COMMIT" if done else "ROLLBACK")

    def _write(
        self,
        connection: sqlite3.Connection,
        collection: str,
        scope: str,
        record: Record,
        vector: tuple[str, bytes],
        verb: str = "INSERT",
    ) -> None:
        known = [record.reward, record.action, record.episode, record.personality]
        connection.execute(
            tables.INSERTION.format(verb=verb, table=collection),
            [scope, record.id, json.dumps(record.audience), *known]
            + [record.json(), record.text, *vector],
        )

    def _trim(self, connection: sqlite3.Connection, collection: str, scope: str) -> None:
        [count] = connection.execute(
            f"SELECT count(*) FROM {collection} WHERE scope = ?", [scope]
        ).fetchone()
        # Which go is worked out for some at once: all are held against one another for it.
        if count <= self.limit + self.limit // TRIMMED_SHARE:
            return
        surplus = tables.SURPLUS.format(table=collection)
        gone = connection.execute(surplus, [scope, self.limit]).fetchall()
        self.cache.drop((collection, scope))
        for n, episode in gone:
            connection.execute(f"DELETE FROM {collection} WHERE n = ?", [n])
            if collection == "decisions":
                connection.execute(tables.TRIM_FEEDBACK, {"scope": scope, "episode": episode})

    def _rows(self, collection: str, scope: str) -> Rows:
        """Return the rows of a collection, of which only those are read that are new."""
        [[version]] = self._connection.execute("PRAGMA data_version")
        if version != self._version:
            # Another process wrote into the file.
            self.cache.clear()
            self._version = version
        rows = self.cache.get((collection, scope))
        if rows is None:
            self._renew(collection, scope)
            rows = Rows(self.embedder.dimensions)
        if rows.is_behind:
            added = self._connection.execute(
                tables.NEW_ROWS.format(table=collection), [scope, self.embedder.name, rows.last]
            )
            rows.extend([as_row(one) for one in added])
            rows.is_behind = False
        self.cache.keep((collection, scope), rows)
        return rows

    def _records(self, collection: str, numbers: list[int]) -> dict[int, Record]:
        """Return the records of these rows, but of those that are gone by now."""
        with self._lock:
            rows = self._connection.execute(
                f"SELECT n, id, audience, data FROM {collection}"
                " WHERE n IN (SELECT value FROM json_each(?))",
                [json.dumps(numbers)],
            ).fetchall()
        return {n: _record(collection, id, audience, data) for n, id, audience, data in rows}

    def _renew(self, collection: str, scope: str) -> None:
        """Embed anew what another embedder filled."""
        foreign = self._connection.execute(
            f"SELECT n, id, audience, data FROM {collection} WHERE scope = ? AND embedder != ?",
            [scope, self.embedder.name],
        ).fetchall()
        for start in range(0, len(foreign), BATCH):
            batch = foreign[start : start + BATCH]
            vectors = self._embedded([_record(collection, *row[1:]).found_by for row in batch])
            with self._transaction() as connection:
                for row, vector in zip(batch, vectors, strict=True):
                    connection.execute(
                        f"UPDATE {collection} SET embedder = ?, vector = ?"
                        " WHERE n = ? AND data = ?",
                        [*vector, row["n"], row["data"]],
                    )

    def _embedded(self, texts: list[str]) -> list[tuple[str, bytes]]:
        """Return (name of the embedder, vector) of each text."""
        import numpy as np

        rows = self.embedder.embed(texts)
        return [(self.embedder.name, np.asarray(row, dtype=np.float32).tobytes()) for row in rows]


def _record(collection: str, id: str, audience: str, data: str) -> Record:
    made = Record.of_decision if collection == "decisions" else Record.of_trajectory
    return made(id, json.loads(data), json.loads(audience))
