"""Rows of one scope in the file of experience: writing, and search by likeness among what may be known."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from evennia_ai.core.decisions import Decision, Feedback
from evennia_ai.core.records import Audience
from evennia_ai.experience import tables
from evennia_ai.experience.decision_records import (
    KINDS,
    K,
    Kept,
    OutcomeFeedback,
    columns,
    document,
    found_by,
    may_be_shown,
    plain,
    read,
    shaped,
)
from evennia_ai.experience.row_cache import Asked, Rows
from evennia_ai.experience.tables import ExperienceFile

# Texts that are embedded in one go.
BATCH = 64
# A share of the limit (one in so many) by which a table may be over it.
TRIMMED_SHARE = 50

# How records are kept but those whose id is there.
MISSING = "INSERT OR IGNORE"

Weighed = TypeVar("Weighed")


class ExperienceStore:
    """The rows of one scope in a file that many share; what is kept is a record, and what goes out of the game JSON."""

    file: ExperienceFile
    scope: str

    def store_feedback(self, feedback: OutcomeFeedback) -> str:
        """Keep a verdict on an episode; what was said of it before goes into its history."""
        with self.file.transaction() as connection:
            said = feedback.after(self._feedback_on(feedback.episode_id))
            connection.execute(tables.PUT_FEEDBACK, self._as_row(said))
        # What is read anew has the rating.
        self.file.cache.drop(("decisions", self.scope))
        return f"fb_{said.episode_id}"

    def dump(self) -> dict[str, list[dict[str, object]]]:
        """Return all of it as plain data, the oldest first: {"decisions", "trajectories", "feedback"}."""
        with self.file.lock:
            kept = {
                table: [
                    {"id": id, "audience": json.loads(audience), "data": json.loads(data)}
                    for _, id, audience, data in self._ask(
                        f"{tables.RECORDS.format(table=table)} ORDER BY n"
                    )
                ]
                for table in tables.NAMES[:2]
            }
            said = self._ask("SELECT data FROM feedback WHERE scope = ? ORDER BY id")
        return {**kept, "feedback": [json.loads(data) for [data] in said]}

    def restore(self, dumped: Mapping[str, list[Mapping[str, Any]]]) -> int:
        """Keep what `dump` gave, under the ids that it had; return how many decisions.

        Raises:
            ValueError, TypeError, KeyError: something in it is no record; nothing is kept then.
        """
        records: list[Kept] = [
            shaped(
                kind, {"sources": [], **one["data"], "id": one["id"], "audience": one["audience"]}
            )
            for kind in KINDS
            for one in dumped[kind.collection]
        ]
        said = [self._as_row(shaped(Feedback, one)) for one in dumped["feedback"]]
        self._add(*records, verb=MISSING)
        with self.file.transaction() as connection:
            connection.executemany(tables.PUT_FEEDBACK, said)
        self.file.cache.drop(("decisions", self.scope))
        return len(dumped["decisions"])

    def remove(self, is_gone: Callable[[Kept | Feedback], bool]) -> int:
        """Forget the decisions and trajectories that `is_gone` is true of, and what was said of them; return how many.

        It is asked about what was said as well. What nobody can read goes, too: it may have anybody's words.
        """
        with self.file.transaction() as connection:
            gone = [
                (kind.collection, id, one)
                for kind in KINDS
                for id, one in self._all(kind).items()
                if one is None or is_gone(one)
            ]
            episodes = {one.episode_id for _, _, one in gone if isinstance(one, Decision)}
            said = [
                ("feedback", id, one)
                for id, one in self._feedback().items()
                if one is None or one.episode_id in episodes or is_gone(one)
            ]
            for table, id, _ in (*gone, *said):
                connection.execute(
                    f"DELETE FROM {table} WHERE scope = ? AND id = ?", [self.scope, id]
                )
        self.file.wipe()
        return len(gone)

    def unsay(self, is_meant: Callable[[Decision], bool]) -> int:
        """Let go of what was said in the decisions that `is_meant` is true of; return how many."""
        meant = [id for id, one in self._all(Decision).items() if one and is_meant(one)]
        for id in meant:
            self._change(id, words="", reasoning="")
        return len(meant)

    def clear(self) -> int:
        """Forget everything of this scope; return how many decisions that were."""
        with self.file.transaction() as connection:
            removed = [
                connection.execute(f"DELETE FROM {table} WHERE scope = ?", [self.scope]).rowcount
                for table in tables.NAMES
            ]
        self.file.wipe()
        return removed[0]

    def scopes(self) -> list[str]:
        """Return the scopes of which the file has something, also those of NPCs that are gone."""
        asked = " UNION ".join(f"SELECT scope FROM {table}" for table in tables.NAMES)
        return sorted(scope for [scope] in self.file.ask(asked))

    def close(self) -> None:
        """Close the file, for all scopes in it."""
        self.file.close()

    # How it is written.

    def _add(self, *records: Kept, verb: str = "INSERT") -> None:
        """Keep records, in one transaction."""
        vectors = self.file.embedded([found_by(record) for record in records])
        found = {record.collection for record in records}
        with self.file.transaction() as connection:
            for record, vector in zip(records, vectors, strict=True):
                about = [self.scope, record.id, json.dumps(record.audience), record.reward]
                connection.execute(
                    tables.INSERTION.format(verb=verb, table=record.collection),
                    [*about, *columns(record)]
                    + [json.dumps(plain(record)), document(record), *vector],
                )
            for table in found:
                self._trim(connection, table)
        for table in found:
            self.file.note_added(table, self.scope)
        episodes = {one.episode_id for one in records if isinstance(one, Decision)}
        if any(map(self._feedback_on, episodes)):
            # What was said of the others of the episode, fewer may know now.
            self.file.cache.drop(("decisions", self.scope))

    def _change(self, id: str, **fields: object) -> bool:
        """Change fields of a decision; False if it is not there."""
        with self.file.transaction() as connection:
            rows = self._ask(f"{tables.RECORDS.format(table='decisions')} AND id = ?", id)
            kept = _record(Decision, rows[0]) if rows else None
            if kept is None:
                return False
            n, decision = rows[0]["n"], structs.replace(kept, **fields)
            [vector] = self.file.embedded([found_by(decision)])
            connection.execute(
                "UPDATE decisions SET data = ?, text = ?, reward = ?, embedder = ?, vector = ?"
                " WHERE n = ?",
                [json.dumps(plain(decision)), document(decision), decision.reward, *vector, n],
            )
        cached = self.file.cache.get(("decisions", self.scope))
        if cached is not None:
            asked = f"{tables.ROWS.format(table='decisions')} AND n = ?"
            for one in self._ask(asked, self.file.embedder.name, n):
                cached.replace(one)
        return True

    def _trim(self, connection: sqlite3.Connection, table: str) -> None:
        limit = self.file.limit
        # Which go is worked out for some at once: all are held against one another for it.
        if self._count(table) <= limit + limit // TRIMMED_SHARE:
            return
        gone = self._ask(tables.SURPLUS.format(table=table), limit)
        self.file.cache.drop((table, self.scope))
        for n, episode in gone:
            connection.execute(f"DELETE FROM {table} WHERE n = ?", [n])
            if table == "decisions":
                connection.execute(tables.TRIM_FEEDBACK, {"scope": self.scope, "episode": episode})

    # How it is read.

    def _ask(self, sql: str, *values: object) -> list[Any]:
        """Return the rows of a query whose first value is the scope."""
        return self.file.ask(sql, self.scope, *values)

    def _count(self, table: str) -> int:
        [[number]] = self._ask(f"SELECT count(*) FROM {table} WHERE scope = ?")
        return int(number)

    def _all(self, kind: type[K]) -> dict[str, K | None]:
        """Return all records of a kind by their ids, the oldest first; None where nobody can read one."""
        rows = self._ask(f"{tables.RECORDS.format(table=kind.collection)} ORDER BY n")
        return {row["id"]: _record(kind, row) for row in rows}

    def _feedback(self) -> dict[str, Feedback | None]:
        rows = self._ask("SELECT id, data FROM feedback WHERE scope = ? ORDER BY id")
        return {id: read(Feedback, data) for id, data in rows}

    def _feedback_on(self, episode: str) -> Feedback | None:
        """Return the verdict on an episode."""
        rows = self._ask("SELECT data FROM feedback WHERE scope = ? AND id = ?", f"fb_{episode}")
        return read(Feedback, rows[0][0]) if rows else None

    def _as_row(self, said: Feedback) -> list[str]:
        return [self.scope, f"fb_{said.episode_id}", msgspec.json.encode(said).decode()]

    def _audiences_of(self, episode: str) -> list[Audience]:
        """Return who may know the decisions of an episode, each audience once."""
        asked = "SELECT DISTINCT audience FROM decisions WHERE scope = ? AND episode = ?"
        return [json.loads(known) for [known] in self._ask(asked, episode)]

    def _weigh(
        self,
        kind: type[K],
        query: str,
        by: Callable[..., Weighed],
        *,
        hearers: Iterable[str] | None,
        background: str = "",
        **rules: Any,
    ) -> Weighed:
        """Return what `by`, a method of `Rows` that has these rules, makes of a query and what all hearers may know.

        `background` is what of the query would be there whatever happened.
        """
        import numpy as np

        listening = None if hearers is None else set(hearers)
        embedder = self.file.embedder
        with self.file.lock:
            rows = self._rows(kind)
            heard = [may_be_shown(audience, listening) for audience in rows.audiences]
            vector, beside = (
                embedder.embed_query(text) if rows and text else np.zeros(rows.dimensions)
                for text in (query, background)
            )
            return by(rows, Asked(vector, beside, np.array(heard, dtype=bool)), **rules)

    def _nearest(
        self, kind: type[K], query: str, by: Any = Rows.best, **asked: Any
    ) -> list[tuple[K, float]]:
        """Return records with their likeness, those first that come first as `_weigh` takes it."""
        best: list[tuple[int, float]] = self._weigh(kind, query, by, **asked)
        if not best:
            return []
        numbers = json.dumps([number for number, _ in best])
        rows = self.file.ask(tables.FOUND.format(table=kind.collection), numbers)
        found = {row["n"]: _record(kind, row) for row in rows}
        # Some may be gone by now.
        return [(one, likeness) for number, likeness in best if (one := found.get(number))]

    def _rows(self, kind: type[K]) -> Rows:
        """Return the rows of a table, of which only those are read that are new."""
        table, embedder = kind.collection, self.file.embedder
        rows = self.file.cached(table, self.scope)
        if rows is None:
            self._renew(kind)
            rows = Rows(embedder.dimensions)
        if rows.is_behind:
            added = self._ask(
                f"{tables.ROWS.format(table=table)} AND n > ? ORDER BY n", embedder.name, rows.last
            )
            rows.extend(added)
            rows.is_behind = False
        self.file.cache.keep((table, self.scope), rows)
        return rows

    def _renew(self, kind: type[K]) -> None:
        """Embed anew what another embedder filled."""
        table = kind.collection
        asked = f"{tables.RECORDS.format(table=table)} AND embedder != ?"
        rows = self._ask(asked, self.file.embedder.name)
        foreign = [(row, one) for row in rows if (one := _record(kind, row))]
        for start in range(0, len(foreign), BATCH):
            batch = foreign[start : start + BATCH]
            vectors = self.file.embedded([found_by(one) for _, one in batch])
            with self.file.transaction() as connection:
                for (row, _), vector in zip(batch, vectors, strict=True):
                    connection.execute(
                        f"UPDATE {table} SET embedder = ?, vector = ? WHERE n = ? AND data = ?",
                        [*vector, row["n"], row["data"]],
                    )


def _record(kind: type[K], row: sqlite3.Row) -> K | None:
    return read(kind, row["data"], id=row["id"], audience=json.loads(row["audience"]))
