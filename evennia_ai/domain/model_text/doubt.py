"""Checks of what a weak model says: invented names and numbers, and itself spoken of by name.

Small models do these things in one answer of three; the offline mind's answer is the better one then.
The checks know English only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from evennia_ai.core import languages, name_patterns
from evennia_ai.core.name_patterns import NAME
from evennia_ai.domain.memories import retrieval

_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n")
_I = re.compile(r"I(?:['’]\w+)?\Z")
_OWN_NAME = rf"(?<!I am )(?<!I['’]m )(?<!name is )(?<!call me )(?<!\w){NAME}(?!\w)"
# An assistant's phrases, and promises.
_HELPLESS = re.compile(
    r"\bI(?: am|['’]m) (?:so )?sorry\b|\bI promise you\b"
    r"|\bI(?: will|['’]ll) (?:check|let you know|look into|do that|be happy to)\b",
    re.I,
)
_UNKNOWING = re.compile(r"\b(?:(?:do|did|can)(?: not|n['’]t) (?:know|remember)|not sure|no idea)\b")


def why(words: str, *, name: str, known: str, recalled: Collection[str] = ()) -> str:
    """Reason to doubt an answer, "" if there is none.

    `known` is all that the model was shown, `recalled` what recall found for a question.
    """
    if _HELPLESS.search(words):
        return "it speaks as no character does"
    if name_patterns.is_in(_OWN_NAME, name, words):
        return "it speaks of itself by name"
    if recalled and (_UNKNOWING.search(words) or not _tells_of(words, recalled)):
        return "it does not know what the NPC remembers"
    return "it names what nobody told it" if _invented(words, known) else ""


def _tells_of(words: str, recalled: Iterable[str]) -> bool:
    """True if an answer shares a content word with what was recalled, or is no more than yes or no."""
    told, *known = (set(retrieval.terms(one, language="en")) for one in (words, *recalled))
    return len(told) < 2 or any(map(told.intersection, known))


def _invented(words: str, known: str) -> list[str]:
    """Names and numbers of an answer that nothing in `known` has."""
    counts = languages.load(languages.DEFAULT).counts
    numbers = {word.casefold(): str(number) for number, word in enumerate(counts) if number > 1}
    there = {numbers.get(token, token) for token in map(_bare, _TOKEN.findall(known))}
    told = (_names_and_numbers(sentence, numbers) for sentence in _SENTENCE.split(words))
    return [
        one for tokens in told for one in map(_bare, tokens) if numbers.get(one, one) not in there
    ]


def _names_and_numbers(sentence: str, numbers: Collection[str]) -> Iterable[str]:
    """The numbers of a sentence, and its words that begin with a capital without beginning it."""
    for place, token in enumerate(_TOKEN.findall(sentence)):
        is_name = place and token[0].isupper() and not _I.match(token)
        if is_name or token.isdigit() or token.casefold() in numbers:
            yield token


def _bare(token: str) -> str:
    return re.sub(r"['’]s?\Z", "", token.casefold())
