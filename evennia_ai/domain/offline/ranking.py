"""Ranking of the mind without a model: the line that answers a question, and how sure that is.

A logistic regression over words and meaning, alone and with the line before. Its weights were fitted on 592 lines of
players to 21 NPCs (tests/data/talks, and three sets that strangers wrote), each with the facts that answer it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence

from evennia_ai.core import answer_kinds, languages, words
from evennia_ai.domain.memories import retrieval

# From this score on a line answers a question. With meaning, each NPC left out in turn: of 433 questions with an answer
# 49 % reach it with the right line and 7 % with a wrong one; of 159 without an answer, 23 %.
SURE = 0.33
# From this score on a line answers what is not put as a question: "you got anything for sale".
PLAIN = 0.4
# Weights of likeness, of shared words and of the fitting kind of answer, as `best` lists them; the last is the bias.
WITH_MEANING = (1.4, 4.5, 1.93, 3.43, 1.66, 2.55, 1.06, 1.39, -2.87)
BY_WORDS = (0.0, 0.0, 0.0, 0.0, 2.1, 3.52, 2.5, 1.38, -3.58)
# Words of a question that goes on about the line before, at most.
SHORT = 9
# Weight of a word that says little by itself, beside 1 for the others.
LIGHT = 0.3
# Lines that are ranked, and characters of a question.
MOST_LINES, MOST_LETTERS = 500, 300
# Kinds of answers that a line must hold where they are asked for: no price, no answer to "how much?".
_HELD = frozenset(("price", "when", "count", "age", "duration", "distance", "often"))
# The likeness of two lines that have nothing to do with each other.
UNLIKE = 0.15
# "It", "she", "there".
_FOLLOWS = languages.Words("ranking.follows")
# Words of a question that are about asking itself: "know", "tell", "about".
_IDLE = languages.Words("ranking.idle")


def best(
    question: str,
    lines: Sequence[str],
    *,
    before: str = "",
    names: Iterable[str] = (),
    language: str = "",
    likeness: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[str, float]:
    """Return the line that answers a question best ("" if none does at all), and its score from 0 to 1.

    Args:
        question: As it was asked.
        lines: Everything that may be told to those who listen; of equal ones the first wins.
        before: The line that the speaker said before.
        names: Of the listener, which only call them.
        language: Its code.
        likeness: How like each line is in meaning to the question, and to `in_talk`; missing where that is unknown.

    """
    asked, lines = question[:MOST_LETTERS], lines[:MOST_LINES]
    if not lines:
        return "", 0.0
    language = language or words.language_of(words.words(asked))
    called = {stem for name in names for stem in retrieval.terms(name, language=language)}
    known = [set(retrieval.terms(line, language=language)) for line in lines]
    wanted = _wanted(asked, language) - called
    is_followed = bool(before) and _follows(asked, wanted)
    talked = _wanted(in_talk(asked, before), language) - called if is_followed else wanted
    if not (talked or likeness):
        return "", 0.0
    alike = [(likeness or {}).get(line, (0.0, 0.0)) for line in lines]
    kind = answer_kinds.wanted(asked)
    signals = [
        *_with_gap([one for one, _ in alike], least=UNLIKE),
        *_with_gap([one if is_followed else 0.0 for _, one in alike], least=UNLIKE),
        *_with_gap(_shares(wanted, known)),
        _shares(talked, known) if is_followed else [0.0] * len(lines),
        [float(answer_kinds.is_likely(kind, line)) if kind else 0.5 for line in lines],
        [1.0] * len(lines),
    ]
    weights = WITH_MEANING if likeness else BY_WORDS
    scores = [
        (
            1.0 / (1.0 + math.exp(-sum(map(operator.mul, weights, features))))
            if kind not in _HELD or answer_kinds.is_of_type(kind, line)
            else 0.0
        )
        for line, *features in zip(lines, *signals, strict=True)
    ]
    place = max(range(len(lines)), key=lambda one: (scores[one], -one))
    return lines[place], scores[place]


def in_talk(question: str, before: str) -> str:
    """A question as it is understood after the line before: "my suit is torn. who could mend that"."""
    return f"{before[:MOST_LETTERS]}. {question}"


def _follows(question: str, wanted: set[str]) -> bool:
    """True if a question is short, and says "it", "she" and the like or names no thing."""
    said = words.words(question)
    return len(said) <= SHORT and (
        all(map(_is_light, wanted)) or any(one in _FOLLOWS for one in said)
    )


def _wanted(question: str, language: str) -> set[str]:
    telling = words.telling(words.words(question), language)
    return {words.stem(word, language) for word in telling if word not in _IDLE}


def _shares(wanted: set[str], known: Sequence[set[str]]) -> list[float]:
    """The share of the weight of a question's words that each line has, the rarer a word the more it counts."""
    shared = [wanted & line for line in known]
    weights = {stem: _weight(stem, shared) for stem in wanted}
    # A verb or an adjective alone ("sleep", "old") names no thing.
    whole = sum(weights.values()) / (LIGHT if all(map(_is_light, wanted)) else 1.0) or 1.0
    return [sum(weights[stem] for stem in found) / whole for found in shared]


def _with_gap(values: list[float], *, least: float = 0.0) -> tuple[list[float], list[float]]:
    """Values, and how far each is before the best of the others, or before the `least` there is."""
    first, second = [*sorted(values, reverse=True), least][:2]
    return values, [one - (second if one == first else first) for one in values]


def _weight(stem: str, shared: Sequence[set[str]]) -> float:
    frequency = sum(stem in some for some in shared)
    rarity = 1.0 + math.log((len(shared) + 1) / (frequency + 1))
    return rarity * (LIGHT if _is_light(stem) else 1.0)


def _is_light(stem: str) -> bool:
    return retrieval.is_weak(stem) or retrieval.is_verb(stem)
