"""What answers whether a thing is so by what the thing leads to: of a road, the wolves in its wood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import matching, persons
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question


def found(question: Question, written: Sequence[Fact]) -> list[tuple[Fact, float]]:
    """Return what is written of a thing, and what answers of something that it names; nothing if one does alone."""
    asked = question.said_of_it
    things = tuple(one for one in question.terms if one not in asked)
    about = replace(question, want="", terms=things, asked=frozenset(), lesser=frozenset())
    for thing, score in matching.best(about, written)[:1] if things else ():
        if _answers(asked, thing, question.language):
            return []
        named = set(_terms(" ".join(persons.capitalised(thing.text)), question.language))
        for other in written:
            known = named.intersection(_terms(other.text, question.language))
            if other != thing and known and _answers(asked, other, question.language):
                return [(thing, score), (other, score)]
    return []


def _answers(asked: Iterable[str], fact: Fact, language: str) -> bool:
    words = _terms(fact.text, language)
    return any(matching.answers(term, words, language, whether=True) for term in asked)


def _terms(text: str, language: str) -> tuple[str, ...]:
    return tuple(retrieval.terms(text, language=language))
