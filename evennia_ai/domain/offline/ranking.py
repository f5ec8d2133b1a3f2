"""The one ranking of the mind without a model: the line that answers a question, and whether that is sure.

By words: stems of those that carry meaning, rare ones above all. The number of lines does not change the measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from evennia_ai.core import answer_kinds, languages, words
from evennia_ai.domain.memories import retrieval

# The share of the question's weight that a line must cover to be its answer.
SURE = 0.5
# Without that: from which score of meaning and words on a line is an answer, how far before the next one, and
# the score that the next one has at least; what the words are worth beside meaning, and the least likeness.
NEAR, MARGIN, FLOOR, WORDS_SHARE, LIKE = 0.25, 0.08, 0.12, 0.5, 0.15
# Weight of a word that says little by itself, beside 1 for the others.
LIGHT = 0.3
# Lines that are ranked, and characters of a question.
MOST_LINES, MOST_LETTERS = 500, 300
# Kinds of answers that a line must hold where they are asked for: no price, no answer to "how much?".
_HELD = frozenset(("price", "when", "count", "age", "duration", "distance", "often"))
# Words of a question that are about asking itself: "know", "tell", "about".
_IDLE = languages.Words("ranking.idle")


def best(
    question: str,
    lines: Sequence[str],
    *,
    names: Iterable[str] = (),
    language: str = "",
    likeness: Mapping[str, float] | None = None,
) -> tuple[str, bool]:
    """Return the line that fits a question best ("" if none does), and whether it surely answers it.

    Args:
        question: As it was asked.
        lines: Everything that may be told to those who listen; of equal ones the first wins.
        names: Of the listener, which only call them.
        language: Its code.
        likeness: How like the question each line is in meaning, from recall; 0 for what is missing.

    """
    asked, lines = question[:MOST_LETTERS], lines[:MOST_LINES]
    language = language or words.language_of(words.words(asked))
    called = {stem for name in names for stem in retrieval.terms(name, language=language)}
    wanted = {
        words.stem(word, language)
        for word in words.telling(words.words(asked), language)
        if word not in _IDLE
    } - called
    if not wanted or not lines:
        return "", False
    kind = answer_kinds.wanted(asked)
    holds = [kind not in _HELD or answer_kinds.is_of_type(kind, line) for line in lines]
    shared = [wanted.intersection(retrieval.terms(line, language=language)) for line in lines]
    weights = {stem: _weight(stem, shared) for stem in wanted}
    whole = sum(weights.values())
    place = max(range(len(lines)), key=lambda one: (_sum(shared[one], weights), holds[one], -one))
    found = shared[place]
    near = _nearest(lines, [_sum(one, weights) / whole for one in shared], likeness or {})
    if not found:
        return (lines[near], holds[near]) if near >= 0 else ("", False)
    # A verb or an adjective alone ("sleep", "old") names no thing; an answer of the kind that is asked for will do.
    is_about = not all(map(_is_light, found)) or (found == wanted and kind in _HELD)
    covers = _sum(found, weights) >= SURE * whole or _answers(
        asked, lines[place], kind, found, called
    )
    if is_about and holds[place] and covers:
        return lines[place], True
    return (lines[near], holds[near]) if near >= 0 else (lines[place], False)


def _nearest(lines: Sequence[str], shares: Sequence[float], likeness: Mapping[str, float]) -> int:
    """The place of the line that is nearest in meaning and words by far, or -1."""
    scores = [
        1.0 - (1.0 - likeness.get(line, 0.0)) * (1.0 - WORDS_SHARE * share)
        for line, share in zip(lines, shares, strict=True)
    ]
    first, second = [*sorted(scores, reverse=True), 0.0][:2]
    is_near = first >= NEAR and first - max(second, FLOOR) >= MARGIN
    place = scores.index(first)
    return place if is_near and likeness.get(lines[place], 0.0) >= LIKE else -1


def _answers(asked: str, line: str, kind: str, found: set[str], called: set[str]) -> bool:
    """True if a line has each thing that a question names, and what is asked of it: a time, a place, a name."""
    things = retrieval.things(asked) - called
    return bool(kind and things) and things <= found and answer_kinds.is_likely(kind, line)


def _weight(stem: str, shared: Sequence[set[str]]) -> float:
    frequency = sum(stem in some for some in shared)
    rarity = 1.0 + math.log((len(shared) + 1) / (frequency + 1))
    return rarity * (LIGHT if _is_light(stem) else 1.0)


def _is_light(stem: str) -> bool:
    return retrieval.is_weak(stem) or retrieval.is_verb(stem)


def _sum(stems: Iterable[str], weights: dict[str, float]) -> float:
    return sum(weights[stem] for stem in stems)
