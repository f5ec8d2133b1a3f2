"""Other words for the same thing: what a question calls a drink, an answer may call ale.

A line is a group: its words stand for each other, and each of them is also answered by the words after
"<", but not the other way round ("wine" is no "ale"). Where it is asked whether something is so, contraries
answer as well: "stingy" tells whether somebody is generous. They stand in the file of a language.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from evennia_ai.core import languages, words

# How well another word answers: one for the same thing, and one for something of its kind.
SAME, KIND = 0.9, 0.8

Groups = Mapping[str, Mapping[str, float]]


def related(word: str, language: str, *, whether: bool = False) -> Mapping[str, float]:
    """Return the stems that may answer for a stem, each with how well; contraries if it is asked `whether`."""
    if language not in languages.codes():
        return {}
    listed = languages.load(language)
    lines = (*listed.synonyms, *listed.contraries) if whether else listed.synonyms
    return _groups(language, lines).get(word, {})


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
