"""The two signals that the store itself gives a search: likeness of vectors, and words in common."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from evennia_ai.semantic import store_sql

if TYPE_CHECKING:
    import numpy

# Words of a query that are looked up; nobody asks for more at once.
QUERY_TERMS = 40
# How much a word counts that stands in the line before, beside 1 for the line itself.
BEFORE_WEIGHT = 0.5


def cosines(
    rows: list[Any], query_vector: Any, numbers: numpy.ndarray, vectors: numpy.ndarray
) -> tuple[list[Any], numpy.ndarray]:
    """Return the rows whose vectors are there, and how alike each is to the query."""
    import numpy as np

    wanted = np.array([row[0] for row in rows], dtype=np.int64)
    places = np.searchsorted(numbers, wanted)
    # Another process may have deleted rows since they were listed.
    there = places < len(numbers)
    there[there] = numbers[places[there]] == wanted[there]
    likeness = vectors @ np.asarray(query_vector, dtype=np.float32).ravel()
    kept = [row for row, is_there in zip(rows, there, strict=True) if is_there]
    return kept, likeness[places[there]]


def keywords(
    connection: sqlite3.Connection, rows: list[Any], terms: list[str], assistant_key: str
) -> numpy.ndarray:
    """Return how well each row fits by its words (BM25), 0 for none."""
    import numpy as np

    scores = np.zeros(len(rows))
    terms = terms[:QUERY_TERMS]
    if not terms:
        return scores
    places = {row[0]: index for index, row in enumerate(rows)}
    found = connection.execute(
        f"SELECT rowid, -bm25(words, 1.0, {BEFORE_WEIGHT}, 0.0) FROM words" " WHERE words MATCH ?",
        [store_sql.match(terms, assistant_key)],
    )
    for n, score in found:
        if n in places:
            scores[places[n]] = score
    return scores
