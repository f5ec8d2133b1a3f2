"""Words in common, as SQLite's full-text index finds them."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from evennia_ai.semantic import store_sql

if TYPE_CHECKING:
    import numpy

# Words of a query that are looked up; nobody asks for more at once.
QUERY_TERMS = 40
# How much a word counts that stands in the line before, beside 1 for the line itself.
BEFORE_WEIGHT = 0.5


def keywords(
    connection: sqlite3.Connection,
    numbers: numpy.ndarray,
    terms: list[str],
    assistant_key: str,
) -> numpy.ndarray:
    """Return how well each row fits by its words (BM25), 0 for none.

    Args:
        connection: of the store.
        numbers: of the rows, in any order.
        terms: the words.
        assistant_key: whose rows they are.

    """
    import numpy as np

    scores = np.zeros(len(numbers))
    if not terms or not len(numbers):
        return scores
    found = connection.execute(
        f"SELECT rowid, -bm25(words, 1.0, {BEFORE_WEIGHT}, 0.0) FROM words WHERE words MATCH ?",
        [store_sql.match(terms, assistant_key)],
    ).fetchall()
    if not found:
        return scores
    # Most of them may not be told to everybody.
    order = np.argsort(numbers)
    rows, fitting = (np.array(column) for column in zip(*found, strict=True))
    places = np.minimum(np.searchsorted(numbers, rows, sorter=order), len(numbers) - 1)
    may_be_told = numbers[order[places]] == rows
    scores[order[places[may_be_told]]] = fitting[may_be_told]
    return scores
