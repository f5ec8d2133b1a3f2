"""Ranks texts by how well they answer a query: whole words, light stems, rare words first.

What a text is worth is the share of the query's weight that it covers, so the number means the
same with one text and with thousands. It is made to say "nothing fits" rather than to guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from evennia_ai.core import languages, words

# Below this share of the query a text is about something else.
MINIMUM_RELEVANCE = 0.3
# How much a word counts that many unlike texts have in common, beside 1 for the others.
WEAK_WEIGHT = 0.3
# Characters of a query that are looked at.
QUERY_LENGTH = 2000
# Words with a meaning of their own that a remark needs to tell something.
TELLING_WORDS = 2

_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<!\bMr\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)[\"'”’)]?\s+|\n+"
)

# A noun that the query is about follows one of these, and "the crown and sceptre" are two things.
OPENERS, JOINERS = languages.Words("retrieval.openers"), languages.Words("retrieval.joiners")
# Verbs that end a question ("where does the baker live?") and are not what it is about.
VERBS = languages.Words("retrieval.verbs")


def terms(text: str, *, language: str = "") -> list[str]:
    """Return the stems of the words that carry meaning, in order."""
    found = words.words(text)
    language = language or words.language_of(found)
    return [words.stem(word, language) for word in words.telling(found, language)]


def rank(
    query: str, texts: Sequence[str], *, limit: int = 5, names: Iterable[str] = ()
) -> list[tuple[int, float]]:
    """Return (index, score 0..1) of the texts that answer the query, best first.

    `names` are of those who talk: they stand in the query only to call somebody. Texts that score
    alike keep their order; a text that has little to do with the query is not among them.
    """
    query, documents = query[:QUERY_LENGTH], [words.words(text) for text in texts]
    language = _language(query, documents)
    called = {words.stem(word, language) for name in names for word in words.words(name)}
    wanted = [term for term in dict.fromkeys(terms(query, language=language)) if term not in called]
    if not wanted or not documents:
        return []
    found = _shared(documents, wanted, language)
    weights = _weights(wanted, found)
    whole = sum(weights.values())
    focus = _focus(query, language) - called
    scored = [
        (index, sum(weights[term] for term in shared) / whole)
        for index, shared in enumerate(found)
        if _is_about(shared, wanted, focus)
    ]
    best = [(index, min(1.0, score)) for index, score in scored if score >= MINIMUM_RELEVANCE]
    return sorted(best, key=lambda pair: (-pair[1], pair[0]))[:limit]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def is_common(name: str) -> bool:
    """Return whether all words of a name are such as everybody uses, whoever is meant."""
    found = words.words(name)
    idle = words.function_words("en") | words.function_words("sv")
    idle |= words.function_words(words.Game.language)
    return bool(found) and idle.issuperset(found)


def _language(query: str, documents: Sequence[Sequence[str]]) -> str:
    """Return the language of a query, or where that does not tell of the texts."""
    usual = words.language_of(set().union(*documents))
    return words.language_of(words.words(query), default=usual)


def _shared(
    documents: Sequence[Sequence[str]], wanted: Iterable[str], language: str
) -> list[set[str]]:
    """Return for each document which of the wanted terms it has."""
    wanted = frozenset(wanted)
    # Stemming each word once, and not where it stands, is what makes thousands of texts cheap.
    hits = {
        word: found
        for word in set().union(*documents)
        if (found := words.stem(words.bare(word), language)) in wanted
    }
    return [{hits[word] for word in document if word in hits} for document in documents]


def _weights(wanted: Sequence[str], found: Sequence[set[str]]) -> dict[str, float]:
    """Weigh each wanted term by how few of the texts have it; no weight is zero."""
    weights = {}
    for term in wanted:
        frequency = sum(term in shared for shared in found)
        rarity = 1.0 + math.log((len(found) + 1) / (frequency + 1))
        weights[term] = rarity * (WEAK_WEIGHT if is_weak(term) else 1.0)
    return weights


def _is_about(shared: set[str], wanted: Sequence[str], focus: set[str]) -> bool:
    """Return whether a text has one of the things asked for; "old" alone is none."""
    if focus:
        return bool(focus & shared)
    return len(shared) == len(wanted) or not all(is_weak(term) for term in shared)


def is_weak(term: str, language: str = "") -> bool:
    """Return whether a word or a stem only describes or counts; without a language, in any of ours."""
    codes = (language,) if languages.spoken(language) else languages.read_now()
    return _is_weak(term, codes)


@lru_cache(maxsize=8_000)
def _is_weak(term: str, codes: tuple[str, ...]) -> bool:
    listed = [languages.words("retrieval.weak", (code,)) for code in codes]
    return any(term in one or term in _stems(one, codes) for one in listed)


@lru_cache(maxsize=20)
def _stems(listed: frozenset[str], codes: tuple[str, ...]) -> frozenset[str]:
    return frozenset(words.stem(word.casefold(), code) for word in listed for code in codes)


def is_verb(term: str) -> bool:
    """Return whether a stem is that of a verb which many questions end with."""
    return term in _stems(VERBS.now, languages.read_now())


def things(query: str) -> set[str]:
    """Return the stems of the things that a question names: "the crown", "of Rivendell", "Bob"."""
    return _focus(query, words.language_of(words.words(query)))


def _focus(query: str, language: str) -> set[str]:
    """Return the terms that the query names as its things: "the crown", "of Rivendell", "Bob".

    A text that shares the verb but none of these tells of something else.
    """
    focus: set[str] = set()
    is_open, first, has_openers = False, True, bool(languages.spoken(language))
    for part in words.parts(query):
        word = part.casefold()
        if not words.carries_meaning(word, language):
            is_open = has_openers and (word in OPENERS or (is_open and word in JOINERS))
        elif is_open or (part[0].isupper() and not first):
            focus.add(words.stem(words.bare(word), language))
        first = False
    return {term for term in focus if not is_weak(term) and not is_verb(term)}
