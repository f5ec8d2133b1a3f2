"""Rows of experience kept in memory as arrays, so that a search reads no vectors from the file.

Many decisions are of one situation, in the same words: its vector is kept once. What the file is not
asked for again is noted here by whoever writes it.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from evennia_ai.domain.choices import decision_rules, replay
from evennia_ai.experience.decision_records import known_to
from evennia_ai.experience.judging import DOUBT_OF_HOPE, LIKE, Outcomes, expected, likenesses, trust
from evennia_ai.semantic.stores.growable_arrays import BytesLRU, Column, products

# Bytes that are kept, for all scopes together; the one asked last always is.
CACHE_BYTES = 64_000_000
# Decisions for one action that come before those for the next best one.
SAME = 2
# Characters of a digest that stands for a vector, and bytes that one takes beside it, about.
DIGEST_SIZE, DIGEST_BYTES = 16, 150


class Asked(NamedTuple):
    """What is asked for: its vector, that of what would be there whatever happened, and which audiences hear of it.

    `heard` says of each of `Rows.audiences` whether its rows may be told.
    """

    vector: Any
    background: Any
    heard: Any


class Row(NamedTuple):
    """One row as the file gives it; audiences are JSON, `vector` the bytes of its numbers.

    `hope` is how well it was expected to go. `rating` is what somebody said of it, 0 to 10, if anybody did, and `rating_audience` who may know that.
    """

    n: int
    audience: str
    reward: float | None
    personality: str
    vector: bytes
    action: str = ""
    hope: float | None = None
    rating: float | None = None
    rating_audience: str = ""

    def rated(self, said: Mapping[str, Any], known: Any) -> Row:
        """Return it with what was said of its episode, and who may know that."""
        rating = said["overall_effectiveness"]
        return self._replace(rating=rating, rating_audience=json.dumps(known))


def as_row(read: sqlite3.Row) -> Row:
    """Return a row as the file gives it, with what was said of its episode."""
    row = Row(*tuple(read)[:-2])
    if not read["said"]:
        return row
    said, known = json.loads(read["said"]), map(json.loads, json.loads(read["known"]))
    return row.rated(said, known_to(said, [*known]))


class Rows:
    """The rows of one collection of one scope, by ascending number."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._numbers, self._rewards = Column("int64"), Column("float64")
        # The reward, or what a rating says instead of it.
        self._worths, self._actions = Column("float64"), Column("int32")
        # How well each was expected to go.
        self._hopes = Column("float32")
        # Who may know of a row, and what was said of it.
        self._ears, self._ears_of_ratings = Column("int32"), Column("int32")
        self._personalities = Column("int32")
        # Of each row: the place of its vector among the different ones.
        self._alike = Column("int32")
        self._vectors = Column("float32", width=dimensions)
        self._places: dict[bytes, int] = {}
        self._audiences: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._ways: dict[str, int] = {}
        self.audiences: list[Any] = []
        # Whether rows with higher numbers may be in the file.
        self.is_behind = True

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def last(self) -> int:
        """The highest number of a row, or 0."""
        return int(self._numbers.values[-1]) if len(self) else 0

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        columns = (
            self._hopes,
            self._numbers,
            self._rewards,
            self._worths,
            self._actions,
            self._ears,
        )
        others = (self._ears_of_ratings, self._personalities, self._alike, self._vectors)
        arrays = sum(column.nbytes for column in (*columns, *others))
        return arrays + DIGEST_BYTES * len(self._places)

    def extend(self, rows: list[Row]) -> None:
        """Take in rows with higher numbers than those that are there."""
        self._alike.extend([self._place(row.vector) for row in rows])
        self._rewards.extend([_number(row.reward) for row in rows])
        self._worths.extend([_worth(row) for row in rows])
        self._hopes.extend([_number(row.hope) for row in rows])
        self._actions.extend([self._ways.setdefault(row.action, len(self._ways)) for row in rows])
        self._ears.extend([self._heard_by(row.audience) for row in rows])
        self._ears_of_ratings.extend([self._rating_heard_by(row) for row in rows])
        self._personalities.extend(
            [self._names.setdefault(row.personality, len(self._names)) for row in rows]
        )
        self._numbers.extend([row.n for row in rows])

    def replace(self, row: Row) -> None:
        """Note what has become of a row; one that is not there is left out."""
        import numpy as np

        at = int(np.searchsorted(self._numbers.values, row.n))
        if at < len(self) and self._numbers.values[at] == row.n:
            self._alike.values[at] = self._place(row.vector)
            self._rewards.values[at] = _number(row.reward)
            self._worths.values[at] = _worth(row)
            self._ears.values[at] = self._heard_by(row.audience)
            self._ears_of_ratings.values[at] = self._rating_heard_by(row)

    def best(
        self, asked: Asked, *, n: int, floor: float | None = None, personality: str | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `n` numbers of rows with their likeness to what is asked, the best first.

        The reward is at least `floor`; one that is not known is not.
        """
        import numpy as np

        rewards, fits = self._rewards.values, asked.heard[self._ears.values]
        if floor is not None:
            fits &= rewards >= floor
        [places] = np.nonzero(fits)
        if n < 1 or not len(places):
            return []
        cosines = products(self._vectors.values, asked.vector)[self._alike.values[places]]
        strangers = np.zeros(len(places), dtype=bool)
        if personality is not None:
            strangers = self._personalities.values[places] != self._names.get(personality, -1)
        # Of what is equally alike, what went better, then what is newer. The last key counts most.
        worse = -np.nan_to_num(rewards[places])
        order = np.lexsort((-places, worse, -np.round(cosines, 6), strangers))[:n]
        numbers = self._numbers.values[places]
        return [(int(numbers[at]), float(cosines[at])) for at in order]

    def lessons(self, asked: Asked, *, n: int, personality: str | None) -> list[tuple[int, float]]:
        """Return at most `n` numbers of rows that went well, then at most `n` that went wrong, with their likeness.

        How well an action is expected to go, all rows say that were rewarded or rated, if they may be told and
        their situation is like the one asked for. Rows that went well are of actions that are expected to, those
        of the best action first; rows that went wrong of the others, those of the worst action first.
        """
        import numpy as np

        rows, known, likeness = self._known(asked, personality)
        if n < 1 or not len(rows):
            return []
        worths = expected(likeness, known)
        order = np.lexsort((-rows, -known.worths, -np.round(likeness, 6), known.is_other_sort))
        # What was before the world changed is an example of nothing.
        order = order[(likeness[order] >= LIKE) & (trust(known)[order] >= 0.5)]
        hopes = sorted((one for one in worths if worths[one] >= 0), key=lambda one: -worths[one])
        fears = sorted((one for one in worths if worths[one] < 0), key=worths.__getitem__)
        well = [at for at in order if known.worths[at] >= replay.REWARD_FLOOR]
        wrong = [at for at in order[::-1] if known.worths[at] <= decision_rules.SETBACK]
        best = [*_by_action(hopes, well, known)[:n], *_by_action(fears, wrong, known)[:n]]
        return [(int(self._numbers.values[rows[at]]), float(likeness[at])) for at in best]

    def hope(self, asked: Asked, *, action: str, personality: str | None) -> float:
        """Return how well an action is expected to go, -1 to 1, by what may be told; 0 if nothing is known of it."""
        rows, known, likeness = self._known(asked, personality)
        if not len(rows):
            return 0.0
        return expected(likeness, known, doubt=DOUBT_OF_HOPE).get(self._ways.get(action, -1), 0.0)

    def _known(self, asked: Asked, personality: str | None) -> tuple[Any, Outcomes, Any]:
        """Return the places of rows that may be told and were rewarded or rated, how they went, and their likeness."""
        import numpy as np

        # How each went, as far as they may know it who hear.
        is_told = asked.heard[self._ears_of_ratings.values]
        worth = np.where(is_told, self._worths.values, self._rewards.values)
        [rows] = np.nonzero(asked.heard[self._ears.values] & ~np.isnan(worth))
        sort = -1 if personality is None else self._names.get(personality, -1)
        known = Outcomes(
            self._actions.values[rows],
            worth[rows],
            self._alike.values[rows],
            (self._personalities.values[rows] != sort) & (personality is not None),
            self._hopes.values[rows],
        )
        if not len(rows):
            return rows, known, worth[:0]
        found = likenesses(self._vectors.values, asked.vector, asked.background, known)
        return rows, known, found[known.places]

    def _place(self, vector: bytes) -> int:
        import numpy as np

        digest = blake2b(vector, digest_size=DIGEST_SIZE).digest()
        if digest not in self._places:
            self._places[digest] = len(self._vectors)
            self._vectors.extend([np.frombuffer(vector, dtype=np.float32)])
        return self._places[digest]

    def _heard_by(self, audience: str) -> int:
        if audience not in self._audiences:
            self._audiences[audience] = len(self.audiences)
            self.audiences.append(json.loads(audience))
        return self._audiences[audience]

    def _rating_heard_by(self, row: Row) -> int:
        return self._heard_by(row.rating_audience or row.audience)


class RowCache(BytesLRU[tuple[str, str], Rows]):
    """The rows of the scopes that were asked lately, by (collection, scope)."""

    def __init__(self, *, limit: int = CACHE_BYTES) -> None:
        super().__init__(limit)

    def note_added(self, collection: str, scope: str) -> None:
        """Note that the file has rows which are not kept."""
        rows = self.get((collection, scope))
        if rows is not None:
            rows.is_behind = True

    def replace(self, collection: str, scope: str, row: Row) -> None:
        """Note what has become of a row, if it is kept."""
        rows = self.get((collection, scope))
        if rows is not None:
            rows.replace(row)
            self.keep((collection, scope), rows)


def _by_action(actions: list[int], rows: list[int], known: Outcomes) -> list[int]:
    """Return rows action by action: at first some of each, then the rest."""
    shown = [[at for at in rows if known.actions[at] == action] for action in actions]
    return [at for some in shown for at in some[:SAME]] + [
        at for some in shown for at in some[SAME:]
    ]


def _number(reward: float | None) -> float:
    return math.nan if reward is None else reward


def _worth(row: Row) -> float:
    """Return how a decision went, -1 to 1, by what people said of it if they did."""
    return _number(decision_rules.worth(row.reward, row.rating))
