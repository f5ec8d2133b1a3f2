"""Relevance: whether a fact answers what is asked, or only speaks of the same thing.

Who is told something that does not answer trusts an NPC less than who hears that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evennia_ai.core import answer_kinds, languages, synonyms, words
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import knowledge, matching, persons, referents, telling
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene

# Words of a hearsay that what is known of it has: the thing, and what became of it.
PAIR = 2
# Letters of a word that tells something.
SHARED = 4
_IDLE = languages.Words("relevance.idle", stemmed=True)

# Wants of which no pattern tells for certain whether a fact is of their kind.
_OF_ANY_KIND = frozenset(("place", "way", "occupation"))

_REASON = languages.Pattern("answers.reason", of_words=True)
_MANNER = languages.Pattern("questions.manner")
_AND_SO = languages.Pattern("relevance.and_so", of_words=True)
_AT = languages.Pattern("persons.at")
MOST = languages.Pattern("types.most", of_words=True)


def is_answer(scene: Scene, question: Question, fact: Fact) -> bool:
    """Return whether a fact may be told to a question that it has to do with."""
    if asks_for_most(question) and not MOST.search(fact.text):
        # Which is the best of all is not told by what they all are.
        return False
    if question.want == "person" and not question.whose and not _tells_who(scene, question, fact):
        return False
    if not _meets(question, fact) or question.is_whether and _is_elsewhere(scene, question, fact):
        return False
    if not question.want and _MANNER.match(question.text) and _only_calls(fact):
        # How somebody came by a bear is not told by what it is called.
        return False
    if not scene.has_said(telling.worded(scene, fact).rstrip(".")):
        return True
    return _is_asked_again(scene, question) or _tells_more(scene, question, fact)


def _meets(question: Question, fact: Fact) -> bool:
    """Return whether a fact has of a question what it asks about, and not only what stands beside that.

    Whether one may pat a dog is not told by who hates dogs, why a hen crossed the river not by who else crosses
    it, and where one can sleep in a village not by what lives near that village.
    """
    met = {*_met(question, fact)}
    asked = [one for one in question.terms if one not in question.lesser]
    if question.is_for_leave and not matching.tells_leave(fact.text):
        deeds = {one for one in asked if retrieval.is_verb(one) or matching.is_light(one)}
        return not deeds or bool(met & deeds and met - deeds)
    if question.is_why and not _REASON.search(fact.text):
        return met.issuperset(one for one in asked if not matching.is_light(one))
    told = [one for one in asked if not matching.is_light(one)]
    return fact.is_own or not told or bool(met.intersection(told)) or not met


def _is_elsewhere(scene: Scene, question: Question, fact: Fact) -> bool:
    """Return whether it is asked of a place that is known, and a fact names it not: what is safe in the graveyard."""
    behind = {one for one in question.lesser if not retrieval.is_weak(one, question.language)}
    told = (retrieval.terms(one.text, language=scene.language) for one in knowledge.lore(scene))
    known = behind.intersection(*[{stem for stems in told for stem in stems}])
    return bool(known) and known.isdisjoint(_met(question, fact))


def may_be_of(scene: Scene, question: Question, fact: Fact) -> bool:
    """Return whether a fact may speak of whom "he" or "she" of a question means, who was not spoken of before."""
    sex = referents.sex_meant(scene, question.text)
    # What it costs to bury her is no price of hers.
    if not sex or question.want == "price" or referents.mentions(scene, question.text):
        return True
    if not fact.by and knowledge.is_of_npc(scene, fact.text):
        return False
    spoken = referents.mentions(scene, fact.text, yours="")
    return fact in knowledge.told_lately(scene) or any(one.may_be(sex) for one in spoken)


def asks_for_most(question: Question) -> bool:
    """Return whether it is asked which is the best, the oldest and the like."""
    return not question.want and bool(MOST.search(question.text))


def tells_it(question: Question, fact: Fact) -> bool:
    """Return whether a fact tells what somebody has heard: that a hammer was stolen, and not whose gift it is."""
    telling = [one for one in question.terms if not matching.is_light(one)]
    met = [one for one in _met(question, fact) if not matching.is_light(one)]
    return len(met) >= max(1, min(PAIR, len(telling)))


def names_somebody(scene: Scene, fact: Fact) -> bool:
    """Return whether a fact says who somebody is; "a thief stole it" does not."""
    named = (one.names or one.whose for one in referents.mentions(scene, fact.text))
    elsewhere = _AT.only(scene.language).sub(" ", fact.text)
    others = (
        one for one in persons.capitalised(elsewhere) if not answer_kinds.is_of_type("when", one)
    )
    is_own = knowledge.is_of_npc(scene, fact.text)
    return bool(is_own or fact.by or any(named) or any(others))


def tells_name(scene: Scene, fact: Fact) -> bool:
    """Return whether a fact tells what something is called, as "My dog Grim is old" does."""
    elsewhere = _AT.only(scene.language).sub(" ", fact.text)
    return answer_kinds.is_of_type("name", fact.text) or bool(persons.capitalised(elsewhere))


def _tells_who(scene: Scene, question: Question, fact: Fact) -> bool:
    """Return whether a fact speaks of somebody, or has all that is asked: the temple buys candles."""
    said = retrieval.terms(fact.text, language=question.language)
    if len(question.terms) > 1 and set(question.terms).issubset(said):
        return True
    return names_somebody(scene, fact) or bool(referents.mentions(scene, fact.text))


def _is_asked_again(scene: Scene, question: Question) -> bool:
    """Return whether somebody asks in other words what they asked a moment ago."""
    before = (knowledge.ask(scene, said) for said in scene.said_by_speaker[-1:])
    return any(
        one.terms and (one.want, {*one.terms}) == (question.want, {*question.terms})
        for one in before
    )


def _only_calls(fact: Fact) -> bool:
    return any(answer_kinds.is_of_type(kind, fact.text) for kind in ("name", "age"))


def _tells_more(scene: Scene, question: Question, fact: Fact) -> bool:
    """Return whether a fact that was told answers what is asked now as well."""
    if question.is_why:
        return bool(_REASON.search(fact.text))
    if _MANNER.match(question.text):
        # How he died is told by "He fell down the stair and died", and not by "He died in the winter".
        return _tells_how(question, fact)
    if question.want == "name" and tells_name(scene, fact):
        return True
    if question.want == "person":
        return persons.is_of_somebody(question.text) or names_somebody(scene, fact)
    is_just_told = scene.has_just_said(telling.worded(scene, fact).rstrip("."))
    # Where a feather is found is not told by what is paid for it, once more; what she does may be.
    is_of_any = question.want in _OF_ANY_KIND and (
        question.want == "occupation" or not is_just_told
    )
    if is_of_any or answer_kinds.is_of_type(question.want, fact.text):
        return True
    said, known = (
        {words.stem(one, question.language) for one in words.words(text) if len(one) >= SHARED}
        for text in (question.text, f"{fact.by} {fact.text}")
    )
    met = _met(question, fact)
    return not (said & known).issubset(_IDLE) or not all(map(matching.is_light, met))


def _tells_how(question: Question, fact: Fact) -> bool:
    """Return whether a fact tells another deed beside the one of which it is asked how it came about."""
    met = [one for one in _met(question, fact) if not matching.is_light(one)]
    return bool(met) and bool(_AND_SO.search(fact.text))


def _met(question: Question, fact: Fact) -> list[str]:
    """Return what of a question a fact has, in these words or in others."""
    told = retrieval.terms(f"{fact.by} {fact.text}", language=question.language)
    asked = dict.fromkeys(retrieval.terms(question.text, language=question.language))
    return [one for one in asked if synonyms.answers(one, told, question.language, whether=True)]


def led_on(question: Question, written: Sequence[Fact]) -> list[tuple[Fact, float]]:
    """Return what is written of a thing, and what answers of something that it names; nothing if one does alone."""
    asked = question.said_of_it
    things = tuple(one for one in question.terms if one not in asked)
    about = replace(question, want="", terms=things, asked=frozenset(), lesser=frozenset())
    for thing, score in matching.best(about, written)[:1] if things else ():
        if _tells(asked, thing, question.language):
            return []
        named = set(
            retrieval.terms(" ".join(persons.capitalised(thing.text)), language=question.language)
        )
        for other in written:
            known = named.intersection(retrieval.terms(other.text, language=question.language))
            if other != thing and known and _tells(asked, other, question.language):
                return [(thing, score), (other, score)]
    return []


def _tells(asked: Iterable[str], fact: Fact, language: str) -> bool:
    words = retrieval.terms(fact.text, language=language)
    return any(synonyms.answers(term, words, language, whether=True) for term in asked)
