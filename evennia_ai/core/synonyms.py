"""Other words for the same thing, and words that are nearly the same: what one calls a drink, another may call ale.

A line is a group: its words stand for each other, and each of them is also answered by the words after
"<", but not the other way round ("wine" is no "ale"). Where it is asked whether something is so, contraries
answer as well: "stingy" tells whether somebody is generous. They stand in the file of a language.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from evennia_ai.core import languages, senses, words
from evennia_ai.core.languages import DEFAULT

# How well another word answers: one for the same thing, and one for something of its kind.
SAME, KIND = 0.9, 0.8

# How well words answer that are part of one word, or written with a slip.
PART, SLIP = 0.7, 0.7
# How well a word answers that is put together with it: a "Roggenbrot" is a "Brot".
TOGETHER = 0.9
# Who teaches is a teacher.
_DOERS, DOER = ("er", "or", "are"), 0.95
# Letters that two words have in common at their beginning, and that a word has to be misspelt.
STEM_LETTERS, SLIP_LETTERS = 4, 5
# Letters of what stands before a word that another ends with.
FIRST_LETTERS = 3
# How common a shorter word is before it: "upstairs".
COMMON = 2_000

Groups = Mapping[str, Mapping[str, float]]


def related(word: str, language: str, *, whether: bool = False) -> Mapping[str, float]:
    """Return the stems that may answer for a stem, each with how well; contraries if it is asked `whether`."""
    if language not in languages.codes():
        return {}
    listed = languages.load(language)
    lines = (*listed.synonyms, *listed.contraries) if whether else listed.synonyms
    return _groups(language, lines).get(word, {})


def helping(word: str, language: str) -> Mapping[str, float]:
    """Return the stems of what helps whoever has trouble with a thing, each with how well: a smith, with a shoe."""
    if language not in languages.codes():
        return {}
    return _helpers(language, languages.load(language).needs).get(word, {})


def translated(word: str, *, told_in: str, asked_in: str) -> Sequence[str]:
    """Return the words of one language for one of another, so far as a glossary has them."""
    if DEFAULT not in (told_in, asked_in) or told_in == asked_in:
        return ()
    other = asked_in if told_in == DEFAULT else told_in
    if other not in languages.codes():
        return ()
    known = _glossary(other, languages.load(other).glossary, told_in == DEFAULT)
    return known.get(words.stem(word, told_in), ())


@lru_cache(maxsize=16)
def _glossary(code: str, lines: tuple[str, ...], from_default: bool) -> Mapping[str, list[str]]:
    known: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        own, _, theirs = (part.split() for part in line.partition("="))
        told, asked, language = (theirs, own, DEFAULT) if from_default else (own, theirs, code)
        for word in told:
            known[words.stem(word, language)] += asked
    return dict(known)


@lru_cache(maxsize=16)
def _helpers(language: str, lines: tuple[str, ...]) -> Groups:
    helpers: dict[str, dict[str, float]] = defaultdict(dict)
    for line in lines:
        troubles, _, listed = (part.split() for part in line.casefold().partition("<"))
        for trouble in troubles:
            for at, one in enumerate(listed):
                helpers[words.stem(trouble, language)].setdefault(
                    words.stem(one, language), 1.0 / (1 + at)
                )
    return dict(helpers)


@lru_cache(maxsize=16)
def _groups(language: str, lines: tuple[str, ...]) -> Groups:
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for line in lines:
        same, _, kinds = line.casefold().partition("<")
        stems = [words.stem(word, language) for word in same.split()]
        narrower = [words.stem(word, language) for word in kinds.split()]
        for stem in stems:
            for other, worth in (
                *((one, KIND) for one in narrower),
                *((one, SAME) for one in stems),
            ):
                groups[stem][other] = max(worth, groups[stem].get(other, 0.0))
    return dict(groups)


def answers(term: str, said: Sequence[str], language: str, *, whether: bool = False) -> float:
    """Return how well one of some words answers for a term: 1 if it is the same, and `whether` it is so."""
    if term in said:
        return 1.0
    others = related(term, language, whether=whether)
    if not (languages.spoken(language) and languages.load(language).compounds):
        return max((max(others.get(word, 0.0), _alike(term, word)) for word in said), default=0.0)
    return max(
        (
            max(
                _of_kind(others, word),
                _compound(term, word),
                TOGETHER * _is_put_together(term, word),
            )
            for word in said
        ),
        default=0.0,
    )


def is_among(term: str, said: Sequence[str], language: str) -> float:
    """Return how well a term is told by one of some words that it is a kind of: a dog, where no animals may be."""
    worths = (related(word, language).get(term, 0.0) for word in said)
    return max((worth for worth in worths if worth == KIND), default=0.0)


def _of_kind(others: Mapping[str, float], word: str) -> float:
    """Return how well a word answers by one that it is put together of: a "Linseneintopf" is an "Eintopf"."""
    ends = (word[start:] for start in range(2, len(word) - STEM_LETTERS + 1))
    return max((others.get(end, 0.0) for end in ends), default=0.0) or others.get(word, 0.0)


def _is_put_together(term: str, word: str) -> bool:
    """Return whether a word is one of a kind that a term names, by its end."""
    return len(term) >= STEM_LETTERS and word != term and word.endswith(term)


def _compound(one: str, other: str) -> float:
    """Return how far two Swedish stems are one word; what one sails in an "oljebåt" is a "båt"."""
    shorter, longer = sorted((one, other), key=len)
    is_part = len(shorter) == STEM_LETTERS - 1 and len(longer) > 2 * len(shorter)
    # "Vete" is the first part of "vetemjöl".
    is_found = longer.endswith(shorter) or longer.startswith(f"{shorter}e")
    return PART if is_part and is_found else _alike(one, other)


def _alike(one: str, other: str) -> float:
    """Return how far two stems are one word, written otherwise or as a part of the other."""
    shorter, longer = sorted((one, other), key=len)
    if (
        len(shorter) >= STEM_LETTERS
        and longer[len(shorter) :] in _DOERS
        and longer.startswith(shorter)
    ):
        return DOER
    # A "blacksmith" is a "smith", and a "spring" is no "ring".
    first = longer.removesuffix(shorter)
    is_end = len(first) >= FIRST_LETTERS or 0 <= senses.rank(first) < COMMON
    is_end = is_end and longer.endswith(shorter)
    if len(shorter) >= STEM_LETTERS and (longer.startswith(shorter) or is_end):
        return PART
    is_slip = len(shorter) >= SLIP_LETTERS and one[0] == other[0] and _is_slip(shorter, longer)
    # "Bribe" is a word, and no "bride" with a slip.
    return SLIP if is_slip and min(senses.rank(one), senses.rank(other)) < 0 else 0.0


def _is_slip(shorter: str, longer: str) -> bool:
    """Return whether one letter too many, too few, another or two exchanged make the difference."""
    if len(longer) - len(shorter) > 1:
        return False
    at = next(
        (at for at, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]),
        len(shorter),
    )
    if len(longer) > len(shorter):
        return shorter[at:] == longer[at + 1 :]
    rest, other = shorter[at:], longer[at:]
    return rest[1:] == other[1:] or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
