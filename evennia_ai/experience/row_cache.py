"""Rows of experience kept in memory as arrays, so that a search reads no vectors from the file.

Many decisions are of one situation, in the same words: its vector is kept once.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from evennia_ai.core.decisions import Feedback
from evennia_ai.domain.choices import decision_rules, replay
from evennia_ai.experience.decision_records import known_to, read
from evennia_ai.experience.judging import DOUBT_OF_HOPE, LIKE, Outcomes, expected, likenesses, trust
from evennia_ai.semantic.stores.growable_arrays import Column, products

# Decisions for one action that come before those for the next best one.
SAME = 2
# Characters of a digest that stands for a vector, and bytes that one takes beside it, about.
DIGEST_SIZE, DIGEST_BYTES = 16, 150
# What is kept of each row. `worth` is its reward, or what a rating says instead of it; `ears` are who may know of
# it, `rating_ears` who may know of what was said of it; `alike` is the place of its vector among the different ones.
KEPT = [("n", "int64"), ("reward", "float64"), ("worth", "float64"), ("hope", "float32")] + [
    (name, "int32") for name in ("action", "ears", "rating_ears", "personality", "alike")
]


class Asked(NamedTuple):
    """What is asked for: its vector, that of what would be there whatever happened, and which audiences hear of it.

    `heard` says of each of `Rows.audiences` whether its rows may be told.
    """

    vector: Any
    background: Any
    heard: Any


class Rows:
    """The rows of one collection of one scope, by ascending number."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._kept = Column(KEPT)
        self._vectors = Column("float32", width=dimensions)
        self._places: dict[bytes, int] = {}
        self._audiences: dict[str, int] = {}
        self._names: dict[str | None, int] = {}
        self._ways: dict[str, int] = {}
        self.audiences: list[Any] = []
        # Whether rows with higher numbers may be in the file.
        self.is_behind = True

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def last(self) -> int:
        """The highest number of a row, or 0."""
        return int(self._kept.values["n"][-1]) if len(self) else 0

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self._kept.nbytes + self._vectors.nbytes + DIGEST_BYTES * len(self._places)

    def extend(self, rows: Iterable[sqlite3.Row]) -> None:
        """Take in rows of the file with higher numbers than those that are there."""
        self._kept.extend([self._as_kept(row) for row in rows])

    def replace(self, row: sqlite3.Row) -> None:
        """Note what has become of a row of the file; one that is not there is left out."""
        kept = self._kept.values
        at = int(kept["n"].searchsorted(row["n"]))
        if at < len(self) and kept["n"][at] == row["n"]:
            kept[at] = self._as_kept(row)

    def best(
        self, asked: Asked, *, n: int, floor: float | None = None, personality: str | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `n` numbers of rows with their likeness to what is asked, the best first.

        The reward is at least `floor`; one that is not known is not.
        """
        import numpy as np

        kept = self._kept.values
        fits = asked.heard[kept["ears"]]
        if floor is not None:
            fits &= kept["reward"] >= floor
        [places] = np.nonzero(fits)
        if n < 1 or not len(places):
            return []
        kept = kept[places]
        cosines = products(self._vectors.values, asked.vector)[kept["alike"]]
        # Of what is equally alike, what went better, then what is newer. The last key counts most.
        worse = -np.nan_to_num(kept["reward"])
        is_other = self._is_other_sort(kept, personality)
        order = np.lexsort((-places, worse, -np.round(cosines, 6), is_other))[:n]
        return [(int(kept["n"][at]), float(cosines[at])) for at in order]

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
        return [(int(self._kept.values["n"][rows[at]]), float(likeness[at])) for at in best]

    def hope(self, asked: Asked, *, action: str, personality: str | None) -> float:
        """Return how well an action is expected to go, -1 to 1, by what may be told; 0 if nothing is known of it."""
        rows, known, likeness = self._known(asked, personality)
        if not len(rows):
            return 0.0
        return expected(likeness, known, doubt=DOUBT_OF_HOPE).get(self._ways.get(action, -1), 0.0)

    def _known(self, asked: Asked, personality: str | None) -> tuple[Any, Outcomes, Any]:
        """Return the places of rows that may be told and were rewarded or rated, how they went, and their likeness."""
        import numpy as np

        kept = self._kept.values
        # How each went, as far as they may know it who hear.
        is_told = asked.heard[kept["rating_ears"]]
        worth = np.where(is_told, kept["worth"], kept["reward"])
        [rows] = np.nonzero(asked.heard[kept["ears"]] & ~np.isnan(worth))
        kept = kept[rows]
        is_other = self._is_other_sort(kept, personality)
        known = Outcomes(kept["action"], worth[rows], kept["alike"], is_other, kept["hope"])
        if not len(rows):
            return rows, known, worth[:0]
        found = likenesses(self._vectors.values, asked.vector, asked.background, known)
        return rows, known, found[known.places]

    def _is_other_sort(self, kept: Any, personality: str | None) -> Any:
        """Return of each row whether another sort of person was dealt with, if any sort is asked for."""
        return (kept["personality"] != self._names.get(personality, -1)) & (personality is not None)

    def _as_kept(self, row: sqlite3.Row) -> tuple[float, ...]:
        rating, rating_audience = None, row["audience"]
        if row["said"] and (said := read(Feedback, row["said"])):
            known = known_to(said, map(json.loads, json.loads(row["known"])))
            rating, rating_audience = said.overall_effectiveness, json.dumps(known)
        return (
            row["n"],
            _number(row["reward"]),
            _number(decision_rules.worth(row["reward"], rating)),
            _number(row["hope"]),
            self._ways.setdefault(row["action"], len(self._ways)),
            self._heard_by(row["audience"]),
            self._heard_by(rating_audience),
            self._names.setdefault(row["personality"], len(self._names)),
            self._place(row["vector"]),
        )

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


def _by_action(actions: list[int], rows: list[int], known: Outcomes) -> list[int]:
    """Return rows action by action: at first some of each, then the rest."""
    shown = [[at for at in rows if known.actions[at] == action] for action in actions]
    return [at for some in shown for at in some[:SAME]] + [
        at for some in shown for at in some[SAME:]
    ]


def _number(reward: float | None) -> float:
    return math.nan if reward is None else reward
