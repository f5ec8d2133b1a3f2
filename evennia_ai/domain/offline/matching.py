"""Finds what answers a question among single facts: by its words, other words for them, and by what is
asked for. A price is answered by a sum, and a place by a place, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import mul
from typing import Any

from evennia_ai.core import answer_kinds, languages, senses, synonyms, words
from evennia_ai.core.spelling import spelled_out
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline.questions import Question

# What a fact must cover of a question at least; less where it is of the kind that is asked for.
COVERED, COVERED_TYPED, COVERED_LEAVE, COVERED_TOLD = 0.5, 0.4, 0.7, 0.34
# What each further word of a fact adds that has to do with the question.
MORE = 0.01
# What a fact gains whose first words are these: it is about the thing, and others only name it.
SUBJECT = 0.004
# What a word weighs that only says where a thing is.
LESSER = 0.5
# What a word weighs that no fact has and none need have.
LOOSE = 0.3
# What a verb weighs that says little, beside something that says more.
LIGHT = 0.3
_LIGHT = languages.Words("matching.light", stemmed=True)
# How near in meaning a fact must be to a question that no fact answers by its words, as a whole and word by word, and
# how far ahead of the next; what it gains that is of the kind asked for; how many are looked at word by word. With less,
# what nobody knows is answered too often by what has nothing to do with it.
NEAR, NEAR_WORDS, AHEAD, NEAR_TYPED, NEAREST = 0.6, 0.35, 0.3, 0.1, 8
# To be ahead of so few says little: how near the fact must be then, and one of the NPC that is asked about itself.
FEW, NEAR_OF_FEW, NEAR_OF_OWN = 5, 1.1, 0.9
# Letters of a word that two sentences may share.
SHARED = 4
# Below this likeness two words have nothing to do with each other; what a word weighs that has no sense.
LIKE, UNKNOWN_WEIGHT = 0.2, 1.5
# What a sum gains where a price is asked ("free" is for somebody), or a number of the thing itself, within some words.
SUM, COUNTED = 0.1, 2
# What a fact gains that is of the kind asked for, that the builder wrote, that is of whom is asked about.
TYPED, LORE, OWN = 0.3, 0.15, 0.2

# Wants that only a fact of their kind answers.
_STRICT = frozenset(
    (
        "price",
        "age",
        "duration",
        "count",
        "when",
        "often",
        "origin",
        "occupation",
        "distance",
        "wish",
        "colour",
        "trouble",
        "looks",
    )
)
# What stands for a sum where none is told: how else one comes by a thing.
_DEALS = languages.Pattern("matching.deals", of_words=True)
# What says that something is allowed, or not.
_LEAVE = languages.Pattern("matching.leave", of_words=True)
# Wants that need no word in common: of somebody's facts, the one that tells an age tells theirs.
_TELLING = frozenset(("age", "origin", "occupation", "wish", "duration", "trouble"))
_COUNT = languages.Pattern("types.count")


@dataclass(frozen=True)
class Fact:
    """One thing that can be told: a sentence, from whom (""): the builder, and the memory it is of."""

    text: str
    by: str = ""
    memory: Mapping[str, Any] | None = None
    # Said of whoever the question is about, though it names them not.
    is_own: bool = False

    @property
    def kind(self) -> str:
        """Of what kind the memory is, "" of lore."""
        return str((self.memory or {}).get("kind") or "")

    @property
    def timestamp(self) -> str:
        """When it was told; lore has no time."""
        return str((self.memory or {}).get("timestamp") or "")


def best(question: Question, facts: Sequence[Fact]) -> list[tuple[Fact, float]]:
    """Return the facts that answer a question, best first."""
    terms = question.terms
    is_of_theirs = question.want == "when" and question.whose == "speaker"
    if not (terms or is_of_theirs or question.want in _TELLING):
        return []
    # What people say is read as it is meant, and told as they said it.
    texts = [spelled_out(fact.text) if fact.by else fact.text for fact in facts]
    spoken = words.language_of(words.words(question.text), default=question.language)
    read = (languages.edition(), languages.of_game())
    seen = [
        _told(f"{fact.by} {text}", question.language, spoken, *read)
        for fact, text in zip(facts, texts, strict=True)
    ]
    language, whether = question.language, question.is_whether
    worth = [
        [
            synonyms.answers(term, _beside(question, term, stems), language, whether=whether)
            or (is_ruled and synonyms.is_among(term, stems, language))
            for term in terms
        ]
        for stems, is_ruled in zip(seen, _ruled(question, texts), strict=True)
    ]
    weights = [
        _weight(at, worth, term, question.language)
        * (LESSER if term in question.lesser else 1.0)
        * (LOOSE if _is_missed(at, worth, term, question) else 1.0)
        * (LIGHT if term in _LIGHT and not _LIGHT.now.issuperset(terms) else 1.0)
        for at, term in enumerate(terms)
    ]
    scored = []
    for fact, text, quality, stems in zip(facts, texts, worth, seen, strict=True):
        score = _score(question, replace(fact, text=text), quality, weights)
        if score:
            # Of two that fit alike, the one that has more to do with it.
            fits = [
                any(synonyms.answers(term, (word,), language) for term in terms) for word in stems
            ]
            begins = 1.0 / (1 + fits.index(True)) if True in fits else 0.0
            scored.append((fact, score + MORE * sum(fits) + SUBJECT * begins))
    return sorted(scored, key=lambda pair: -pair[1])


def nearest(question: Question, facts: Sequence[Fact]) -> Fact | None:
    """Return the fact that is nearest to a question in meaning, None if none is near enough.

    Only English words have meanings (`core/senses`).
    """
    if question.language != senses.LANGUAGE:
        return None
    asked = tuple(one for one in _meaning(question.text) if _stem(one) in question.terms)
    told = [(fact, _meaning(fact.text)) for fact in facts if _may_tell(question, fact)]
    if question.asked:
        # Whether the mill is haunted is told by what has to do with that, and not with mills.
        so = [word for word in asked if _stem(word) in question.asked]
        rest = {word for word in asked if word not in so}
        told = [one for one in told if _covered(so, [*{*one[1]} - rest]) >= NEAR_WORDS]
    whole = ((senses.text_likeness(asked, said), fact, said) for fact, said in told)
    by_words = (
        (likeness, _covered(asked, said), fact)
        for likeness, fact, said in sorted(whole, key=_first)[-NEAREST:]
    )
    near = [
        (likeness + covered + NEAR_TYPED * answer_kinds.is_of_type(question.want, fact.text), fact)
        for likeness, covered, fact in by_words
        if covered >= NEAR_WORDS
    ]
    near.sort(key=_first)
    best, fact = near[-1] if near else (0.0, None)
    ahead = best - (near[-2][0] if len(near) > 1 else 0.0)
    of_few = NEAR_OF_OWN if question.whose == "npc" else NEAR_OF_FEW
    is_near = best >= (of_few if len(facts) < FEW else NEAR)
    return fact if is_near and ahead >= AHEAD else None


def likeness(question: Question, fact: Fact) -> float:
    """Return how like a fact is to a question, by its words, and in English by what they mean."""
    if question.language != senses.LANGUAGE:
        return float(shared(question, fact))
    return senses.text_likeness(_meaning(question.text), _meaning(fact.text))


def is_light(term: str) -> bool:
    """Return whether a stem is that of a verb which says little."""
    return term in _LIGHT


def shared(question: Question, fact: Fact) -> int:
    """Return how many words a fact shares with a question that names nothing: "Did they find him?"."""
    said, told = (
        {words.stem(one, question.language) for one in words.words(text) if len(one) >= SHARED}
        for text in (question.text, fact.text)
    )
    return len(said & told)


def is_deal(text: str) -> bool:
    """Return whether a text tells that something changes hands."""
    return bool(_DEALS.search(text))


def tells_leave(text: str) -> bool:
    """Return whether a text tells that something is allowed, or is not."""
    return bool(_LEAVE.search(text))


def is_part(one: str, other: str) -> bool:
    """Return whether one of two sentences holds the other, as a summary holds what was said."""
    shorter, longer = sorted((one, other), key=len)
    return shorter.rstrip(".!…") in longer


def _ruled(question: Question, texts: Sequence[str]) -> list[bool]:
    """Return which texts tell what is allowed, where that is asked: what animals may not do, a dog may not."""
    return [question.is_for_leave and tells_leave(text) for text in texts]


def _beside(question: Question, term: str, stems: Sequence[str]) -> Sequence[str]:
    """Return the words of a fact that may answer for a term: that a thing is a bear tells not that it is dangerous."""
    if term not in question.asked:
        return stems
    return [one for one in stems if one == term or one not in question.terms]


def _may_tell(question: Question, fact: Fact) -> bool:
    """Return whether a fact is of the kind asked for, and not the contrary unless it is asked whether it is so."""
    if question.want in _STRICT and not answer_kinds.is_of_type(question.want, fact.text):
        return False
    if question.is_for_leave and not tells_leave(fact.text):
        return False
    if question.is_whether:
        return True
    said, language = _words(fact.text, question.language), question.language
    return not any(
        set(synonyms.related(term, language, whether=True)).intersection(said)
        - set(synonyms.related(term, language))
        for term in question.terms
    )


def _meaning(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words.telling(words.words(text), senses.LANGUAGE)))


def _stem(word: str) -> str:
    return words.stem(word, senses.LANGUAGE)


def _covered(asked: Sequence[str], said: Sequence[str]) -> float:
    """Return the share of a question's words that words of a fact are like, each by its weight."""
    weights = [senses.weight(word) or UNKNOWN_WEIGHT for word in asked]
    likest = [max((_word_likeness(word, other) for other in said), default=0.0) for word in asked]
    return sum(map(mul, weights, likest)) / sum(weights) if weights else 0.0


def _word_likeness(one: str, other: str) -> float:
    if _stem(one) == _stem(other):
        return 1.0
    return max(0.0, senses.likeness(one, other) - LIKE) / (1.0 - LIKE)


def _first(pair: tuple[float, *tuple[object, ...]]) -> float:
    return pair[0]


def _score(
    question: Question, fact: Fact, quality: Sequence[float], weights: Sequence[float]
) -> float:
    is_typed = answer_kinds.is_of_type(question.want, fact.text)
    if question.want in _STRICT and not is_typed:
        return 0.0
    if question.asked and not any(
        good for term, good in zip(question.terms, quality, strict=True) if term in question.asked
    ):
        return 0.0
    whole = sum(weights)
    covered = sum(map(lambda one, weight: one * weight, quality, weights)) / whole if whole else 0.0
    needed = COVERED_TYPED if is_typed else COVERED
    is_open = not (question.want or question.is_whether)
    if question.whose == "speaker" and fact.is_own and fact.by and is_open:
        # Of their own brother they are told what they told of him.
        needed = COVERED_TOLD
    if question.is_for_leave:
        needed = COVERED_TYPED if tells_leave(fact.text) else COVERED_LEAVE
    is_of_theirs = question.want == "when" and question.whose == "speaker" and fact.by
    is_bare = all(map(retrieval.is_verb, question.terms))
    if fact.is_own and is_typed and (question.want in _TELLING or is_of_theirs and is_bare):
        # "When am I coming back?" is told by when they will be there.
        needed = 0.0
    if covered < needed or (not covered and not fact.is_own):
        return 0.0
    if question.whose == "npc" and not fact.is_own and not _tells_deed(question, quality):
        # "Where do you live?" is not about who else lives somewhere.
        return 0.0
    is_light = bool(question.terms) and _LIGHT.now.issuperset(question.terms)
    if is_light and not question.want and not fact.is_own:
        return 0.0
    named = things(question)
    # How long somebody has worked here is told by how long they have done what they do.
    tells = fact.is_own and is_typed and is_bare and question.want in _TELLING
    if (
        named
        and not tells
        and not any(
            good for term, good in zip(question.terms, quality, strict=True) if term in named
        )
    ):
        # What somebody wishes for is told by any wish of theirs.
        least = COVERED_TOLD if question.want == "wish" else 0.0
        return max(covered, least) if fact.is_own and is_typed else 0.0
    is_sum = question.want == "price" and bool(_COUNT.search(fact.text))
    is_sum = is_sum or question.want == "count" and _counts(question, fact.text)
    gains = TYPED * is_typed + SUM * is_sum + LORE * (not fact.by) + OWN * fact.is_own
    return covered + gains


def _counts(question: Question, text: str) -> bool:
    """Return whether a number stands before what is asked about: "thirty cells", and not "cell thirty"."""
    ends = (match.end() for match in _COUNT.finditer(text))
    named = (_words(" ".join(text[end:].split()[:COUNTED]), question.language) for end in ends)
    return any(not set(question.terms).isdisjoint(one) for one in named)


def begun_with(question: Question, facts: Sequence[Fact], names: Iterable[str]) -> list[Fact]:
    """Return the facts that begin with a thing that a question names, or with whose `names` and then it."""
    language, named = question.language, things(question)
    named = [one for one in named if not (retrieval.is_verb(one) or is_light(one))]
    own = {one for name in names for one in _words(name, language)}
    first = (
        (fact, [one for one in _words(fact.text, language) if one not in own][:1]) for fact in facts
    )
    return [
        fact
        for fact, word in first
        # "Marta opens at dawn" begins with no thing.
        if not any(map(retrieval.is_verb, word))
        and any(synonyms.answers(thing, word, language) >= synonyms.TOGETHER for thing in named)
    ]


def naming(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that have a thing of a question, word for word."""
    heavy = (one for one in things(question) if not (retrieval.is_verb(one) or is_light(one)))
    named = [one for one in heavy if not retrieval.is_weak(one, question.language)]
    return [one for one in facts if not {*_words(one.text, question.language)}.isdisjoint(named)]


def things(question: Question) -> list[str]:
    """Return what an answer must have one of: when the comet falls is not told by when the bridge fell."""
    said = [term for term in question.terms if term not in _LIGHT]
    if question.is_for_one:
        # Where a pilgrim can sleep is told by where anybody does.
        return said
    heavy = [term for term in said if not retrieval.is_weak(term, question.language)]
    return [term for term in heavy if not retrieval.is_verb(term)] or said


def _tells_deed(question: Question, quality: Sequence[float]) -> bool:
    """Return whether a fact that is about another may tell what the NPC is asked of itself."""
    verbs = [retrieval.is_verb(term) for term in question.terms]
    if all(verbs) or question.is_of_past:
        return False
    is_missed = any(verb and not good for verb, good in zip(verbs, quality, strict=True))
    return bool(question.want) or not is_missed


def _weight(at: int, worth: Sequence[Sequence[float]], term: str, language: str) -> float:
    """Weigh a term by how few of the facts have it; a word that says little weighs little."""
    found = sum(bool(quality[at]) for quality in worth)
    rarity = 1.0 + math.log((len(worth) + 1) / (found + 1)) / 4
    return rarity * (retrieval.WEAK_WEIGHT if retrieval.is_weak(term, language) else 1.0)


def _is_missed(at: int, worth: Sequence[Sequence[float]], term: str, question: Question) -> bool:
    """Return whether a term stands in no fact, and need not."""
    return term in question.loose and not any(quality[at] for quality in worth)


@lru_cache(maxsize=2_000)
def _told(text: str, language: str, asked_in: str, *read: object) -> tuple[str, ...]:
    """Return the words of a fact, and those of another language in which it is asked for them."""
    told_in = words.language_of(words.words(text), default=language)
    if told_in == asked_in:
        return _words(text, language)
    stems: list[str] = []
    for word in words.words(text):
        same = synonyms.translated(word, told_in=told_in, asked_in=asked_in)
        stems += [*_words(word, language), *(words.stem(one, asked_in) for one in same)]
    return tuple(dict.fromkeys(stems))


def _words(text: str, language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(retrieval.terms(text, language=language)))
