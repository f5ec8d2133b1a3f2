"""Words and metadata as short codes, for stores whose database looks them up."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evennia_ai.core import words
from evennia_ai.semantic.facts import Fact

if TYPE_CHECKING:
    pass

# Words of a query that are looked up; nobody asks for more at once.
QUERY_TERMS = 40
# How much a word counts that stands in the line before, beside 1 for the line itself.
BEFORE_WEIGHT = 0.5
# Words of a line that are indexed, and letters of a word: Postgres takes a megabyte of them.
INDEXED_WORDS = 4000
WORD_LENGTH = 40


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text in order, without accents."""
    found = words.words(text)[:INDEXED_WORDS]
    language = words.language_of(found)
    return [_plain(words.stem(words.bare(word), language))[:WORD_LENGTH] for word in found]


def line_stems(fact: Fact) -> tuple[list[str], list[str]]:
    """Return the stems by which a fact is found: its own with its speaker's, and of the line before."""
    own = stems(f"{fact.speaker} {fact.text}")
    return own, stems(fact.before)[: INDEXED_WORDS - len(own)]


def frequencies(fact: Fact) -> dict[str, float]:
    """Return how often each stem stands in a fact; in the line before it counts less."""
    own, before = map(Counter, line_stems(fact))
    return {stem: own[stem] + BEFORE_WEIGHT * before[stem] for stem in own | before}


def size(fact: Fact) -> int:
    """Return how many words a fact has, with those of the line before."""
    return sum(map(len, line_stems(fact)))


def query_stems(terms: Iterable[str]) -> list[str]:
    """Return the stems to look up for the words of a query, each once."""
    return list(dict.fromkeys(stems(" ".join(terms))))[:QUERY_TERMS]


def rarity(rows: int, having: int) -> float:
    """Return how much a word tells that stands in `having` of `rows` memories."""
    return math.log1p((rows - having + 0.5) / (having + 0.5))


def facets(metadata: dict[str, Any]) -> list[str]:
    """Return what a filter on metadata can ask for, as short codes: each value of each key."""
    return sorted(
        {_code(key, value) for key, values in metadata.items() for value in _members(values)}
    )


def filter_codes(filters: dict[str, Any] | None) -> list[list[str]]:
    """Return for each key of a filter the codes of which a memory must have one."""
    return [
        [_code(key, value) for value in _members(wanted)] for key, wanted in (filters or {}).items()
    ]


def _plain(stem: str) -> str:
    parted = unicodedata.normalize("NFKD", stem)
    return "".join(letter for letter in parted if not unicodedata.combining(letter)) or stem


def _members(value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, (str, int, float))]


def _code(key: str, value: Any) -> str:
    # 1, 1.0 and True are equal, for Python as for SQLite.
    plain = float(value) if isinstance(value, (int, float)) else value
    return hashlib.blake2b(json.dumps([key, plain]).encode(), digest_size=8).hexdigest()
