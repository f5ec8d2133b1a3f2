"""Importance of an event, 1 to 10, by simple rules; a model may rate it again later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from evennia_ai.core import languages

BASE = 5
LOWEST, HIGHEST = 1, 10
SOURCE_MODIFIERS = {"direct": 2, "observation": 1, "inference": 0, "environmental": -1}
HIGH_WORTH, HIGH_CAP = 2, 4
# Longer than this, and somebody found a lot to tell.
LONG_TEXT = 200


def score_importance_heuristic(
    content: str,
    source_type: str,
    tags: Iterable[str] = (),
    *,
    keywords: Iterable[Mapping[str, Iterable[str]]] | None = None,
) -> int:
    """Return 1 (mundane) to 10, from where something comes from and the words it is told in.

    Each of `keywords` is one language: `high` and `low` words, and the `endings` they may have.
    Tags do not count.
    """
    score = BASE + SOURCE_MODIFIERS.get(source_type, 0)
    sets = [languages.load(languages.DEFAULT).keywords] if keywords is None else keywords
    known = [_frozen(language) for language in sets]
    score += min(HIGH_CAP, HIGH_WORTH * _count(content, known, "high"))
    score -= _count(content, known, "low")
    score += len(content) > LONG_TEXT
    score += "!" in content or "?" in content
    return clamp(score)


def clamp(score: int) -> int:
    """Return the nearest importance that there is."""
    return max(LOWEST, min(HIGHEST, score))


_Language = tuple[tuple[str, tuple[str, ...]], ...]


def _frozen(language: Mapping[str, Iterable[str]]) -> _Language:
    return tuple((key, tuple(language.get(key, ()))) for key in ("high", "low", "endings"))


def _count(content: str, known: Iterable[_Language], kind: str) -> int:
    """Return how many of the keywords the text has, each counted once."""
    text = content.casefold().replace("’", "'")
    found: set[str] = set()
    for language in known:
        sets = dict(language)
        if sets[kind]:
            found.update(_pattern(sets[kind], sets["endings"]).findall(text))
    return len(found)


@lru_cache(maxsize=64)
def _pattern(keywords: tuple[str, ...], endings: tuple[str, ...]) -> re.Pattern[str]:
    # Whole words: "toward" is no war, and a question is no quest. Longer words are tried first.
    words = "|".join(re.escape(word.casefold()) for word in sorted(keywords, key=len, reverse=True))
    ends = "|".join(re.escape(ending) for ending in sorted(endings, key=len, reverse=True))
    return re.compile(rf"(?<!\w)({words})(?:{ends})?(?!\w)")
