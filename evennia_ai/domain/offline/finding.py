"""Finds which of what an NPC can tell answers a question: the builder's word comes first.

What players say is never a fact about the NPC's own trade, house or prices. What a question goes on about
is what was told last; whether a thing is so may be told by what it leads to: of a road, the wolves in its wood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evennia_ai.core import answer_kinds, languages
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import (
    family,
    knowledge,
    matching,
    persons,
    referents,
    relevance,
    self_knowledge,
    telling,
    utterances,
)
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene, is_same, once_of_scene

# Facts that one answer tells, and how much worse than the first the second may be.
TOLD = 2
SECOND_SHARE = 0.97
# How much better somebody's words must fit than the builder's to be told instead.
BETTER = 0.35
# How far somebody's words must fit a question about what the NPC may have heard.
HEARD = 0.8

# Wants of which players' words are no answer, unless they name a place or a person of their own.
_OF_THE_HOUSE = frozenset(("price", "age", "duration", "count", "when", "origin", "occupation"))
# Wants of which a fact holds one at most, of whatever it tells.
_OF_ANYTHING = frozenset(
    ("distance", "when", "often", "duration", "age", "price", "origin", "colour")
)
# Wants to which what was just told is an answer only if it is of their kind.
_OF_PLACE = frozenset(("place", "way"))
_PERCEIVED = languages.Pattern("knowledge.perceived", of_words=True)
_IT_GOES_ON = languages.Pattern("knowledge.points_back")
# "And who with?" goes on about what was just told.
_WITH_WHOM = languages.Pattern("questions.with_whom")
_IT_COSTS = languages.Pattern("questions.it_costs")
_IN_IT = languages.Pattern("questions.in_it")
_ANY_SIGN = languages.Pattern("knowledge.any_sign")


def find(scene: Scene, question: Question, facts: Sequence[Fact] | None = None) -> list[Fact]:
    """Return the facts that answer a question, at most two, best first; of all, or of these."""
    if facts is None and (who := asked_of(scene, question)):
        known = knowledge.of_person(scene, who)
        return [fact for fact in known if fact.by == known[0].by][:TOLD]
    found = _among_all(scene, question) if facts is None else matching.best(question, facts)
    if facts is None:
        found = [one for one in found if relevance.is_answer(scene, question, one[0])]
    if not found and question.want == "price" and matching.things(question):
        found = matching.best(replace(question, want=""), facts or knowledge.lore(scene))
        found = [one for one in found if matching.is_deal(one[0].text)]
    if found and facts is None:
        # What was concluded is for who asks for it, or where nothing else answers.
        found = [one for one in found if not knowledge.is_insight(one[0])] or found
    if not found:
        return []
    first, best = found[0]
    near = [fact for fact, score in found[1:] if score >= SECOND_SHARE * best]
    others = [
        one for one in near if one.by == first.by and not matching.is_part(one.text, first.text)
    ]
    # Who asks for one thing is told one thing.
    is_open = question.want == "person" or question.said_of_it or not question.is_narrow
    return [first, *others[: TOLD - 1]] if is_open else [first]


def _among_all(scene: Scene, question: Question) -> list[tuple[Fact, float]]:
    """Return what answers a question of all that is known, whoever and whatever it goes on about."""
    if whom := whom_of(scene, question):
        found = referents.told_of_any(scene, whom, question, _all(scene))
    elif named := referents.told_of_named(scene, question, _all(scene)):
        found = named
    elif question.is_of_it:
        # By itself "alive" may be said of anybody.
        found = next(_of_topics(scene, question), []) or _of_persons(scene, question)
    else:
        found = _of_topics_or_any(scene, question)
    if not whom:
        found = [one for one in found if relevance.may_be_of(scene, question, one[0])]
    found = (question.said_of_it and relevance.led_on(question, knowledge.lore(scene))) or found
    return found or _of_last(scene, question)


def _of_last(scene: Scene, question: Question) -> list[tuple[Fact, float]]:
    """Return what was told last, if it is asked on for a kind of thing that it holds: "How far away is that?"."""
    last = knowledge.last_told(scene)
    is_of_it = question.points_back and not (question.is_of_somebody or question.whose)
    if not last or not is_of_it or question.want not in _OF_ANYTHING:
        return []
    return [(last, 1.0)] if answer_kinds.is_of_type(question.want, last.text) else []


def _going_on(scene: Scene, question: Question) -> list[tuple[Fact, float]]:
    """Return what the builder wrote next of a thing, if that was told last and it is asked on: "How did it look?"."""
    last, written = knowledge.last_told(scene), knowledge.lore(scene)
    asks = _WITH_WHOM.match(question.text)
    if last and asks and not question.terms:
        at = next(filter(None, asks.groups()))
        return [(last, 1.0)] if re.search(rf"\b{at}\b", last.text, re.I) else []
    if not last or question.whose or not (question.points_back and not question.terms):
        return []
    pairs = zip(written, written[1:], strict=False)
    after = [two for one, two in pairs if one.text == last.text and _IT_GOES_ON.match(two.text)]
    fitting = (
        not question.want or answer_kinds.is_of_type(question.want, one.text) for one in after
    )
    return [(one, 1.0) for one, fits in zip(after, fitting, strict=True) if fits]


def _of_topics_or_any(scene: Scene, question: Question) -> list[tuple[Fact, float]]:
    if found := _going_on(scene, question):
        return found
    topics = _of_topics(scene, question)
    # "How did he do it?" is not told by what was told before.
    goes_on = question.is_of_somebody or question.names_nothing
    found = next(topics, []) if goes_on and (question.terms or question.want) else []
    found = found or _of_persons(scene, question)
    found = found or _of_the_same(scene, question, _scored(scene, question))
    return next(topics, []) if not found and question.points_back else found


def find_all(scene: Scene, question: Question) -> list[Fact]:
    """Return all that has to do with a question, best first, whoever it is from."""
    return [
        fact
        for fact, _ in matching.best(question, [*knowledge.lore(scene), *knowledge.told(scene)])
    ]


def partly(scene: Scene, question: Question) -> Fact | None:
    """Return what was written of whom or what a question is about, and did not answer it: "Does he like cake?"."""
    if question.is_why or _ANY_SIGN.match(question.text) or relevance.MOST.search(question.text):
        return None
    whom, written = whom_of(scene, question), knowledge.lore(scene)
    is_open = not (question.want or question.whose)
    if whom and is_open:
        return _nearest_of(scene, question, referents.facts_of(scene, whom[0], written), TOLD)
    if whom:
        about = [fact for fact in written if referents.begins_with(scene, whom[0], fact)]
    elif question.whose == "speaker" or question.is_of_it:
        about = []
    else:
        about = matching.begun_with(question, written, scene.own_names)
    own = (knowledge.of_npc(scene, fact) for fact in about)
    fresh = (fact for fact in own if not scene.has_said(telling.worded(scene, fact)))
    if (found := next(fresh, None)) or whom or not is_open:
        return found
    if persons.is_of_somebody(question.text) or answer_kinds.is_of_type("price", question.text):
        return None
    named = matching.naming(question, written)
    if named or not question.points_back:
        return _nearest_of(scene, question, named, 1)
    return _nearest_of(scene, question, knowledge.told_lately(scene)[:1], TOLD)


def _nearest_of(scene: Scene, question: Question, facts: Sequence[Fact], often: int) -> Fact | None:
    """Return the one of some facts that is nearest to a question, and was not told so often."""
    left = [one for one in facts if scene.times_said(telling.worded(scene, one)) < often]
    return max(left, key=lambda one: matching.likeness(question, one), default=None)


def asked_of(scene: Scene, question: Question) -> str:
    """Return the name of the person whom a question is about, and about nothing else."""
    if question.want not in ("", "person"):
        return ""
    # "That Dain fellow" is Dain.
    terms = {one for one in question.terms if not persons.is_anybody(one, question.language)}
    for name in knowledge.people(scene, knowledge.told(scene)):
        if terms == set(retrieval.terms(name, language=question.language)):
            return name
    return ""


@once_of_scene
def whom_of(scene: Scene, question: Question) -> list[referents.Person]:
    """Return whom "he" or "her" may stand for in a question, most likely first."""
    if question.want == "price" and _IT_COSTS.search(question.text):
        # "What would it cost to bury her?" asks for nothing of hers.
        return []
    return referents.found(scene, question.text, _all(scene))


def unknown_kin(scene: Scene, question: Question) -> referents.Person | None:
    """Return of whom of the family of either it is asked, if nothing is known of them."""
    return family.unknown_kin(scene, question.text, _all(scene))


def _all(scene: Scene) -> list[Fact]:
    return [*knowledge.lore(scene), *knowledge.told(scene)]


def _of_persons(scene: Scene, question: Question) -> list[tuple[Fact, float]]:
    return persons.found(scene, question, _all(scene), find=matching.best)


def _scored(scene: Scene, question: Question) -> list[tuple[Fact, float]]:
    """Return what answers a question: of somebody's words only what fits much better than lore."""
    written = knowledge.lore(scene)
    if question.whose == "npc":
        known = [knowledge.of_npc(scene, fact) for fact in written]
        written = [*known, *self_knowledge.of_itself(scene)]
    remembered = knowledge.told(scene)
    about = [
        name for name in knowledge.people(scene, remembered) if knowledge.names(question.text, name)
    ]
    if question.whose == "speaker":
        about = [scene.name, *about]
    if about:
        remembered = [
            knowledge.owned(one)
            for one in remembered
            if any(knowledge.concerns(one, who) for who in about)
        ]
        written = [
            knowledge.owned(fact)
            for fact in written
            if any(knowledge.concerns(fact, who) for who in about)
        ]
    if question.only_describes:
        # "The big one" may be anything.
        written, remembered = (
            [one for one in facts if one.is_own] for facts in (written, remembered)
        )
    from_lore = matching.best(question, written)
    if question.whose == "npc":
        # How long it has done something is told of itself first, and then of its sister.
        from_lore.sort(key=lambda one: (-one[1], not persons.is_named(scene, one[0].text)))
    if _ANY_SIGN.match(question.text):
        if persons.is_of_speaker(question.text):
            # Of their own ship it is no news what is done with every ship.
            from_lore = []
        # Who asks for a sign of something has told themselves that it is gone.
        remembered = [one for one in remembered if not is_same(one.by, scene.name)]
    # What was said before a question that goes on about it is no answer.
    remembered = [one for one in remembered if one.text.rstrip(".!") not in question.text]
    from_people = matching.best(question, remembered)
    if not about:
        from_people = [one for one in from_people if _is_free(question, *one)]
    least = from_lore[0][1] + (0.0 if about else BETTER) if from_lore else 0.0
    return from_people if from_people and from_people[0][1] > least else from_lore


def _is_free(question: Question, fact: Fact, score: float) -> bool:
    """Return whether somebody's words may answer: not for the NPC, its house or its prices."""
    if not fact.by:
        return True
    if question.whose == "npc":
        return bool(_PERCEIVED.search(question.text)) and score >= HEARD
    # What is told of somebody or some place by name is not about the house, however it is written.
    named = re.findall(r"(?<!\A)(?<![.!?] )\b[A-ZÅÄÖ][\w-]{2,}", fact.text)
    asked = re.findall(r"(?<!\A)\b[A-ZÅÄÖ]\w+", question.text)
    is_elsewhere = any(knowledge.names(question.text, name) for name in named) or any(
        re.search(rf"\b{re.escape(name)}\b", fact.text) for name in asked
    )
    return question.want not in _OF_THE_HOUSE or is_elsewhere


def _of_topics(scene: Scene, question: Question) -> Iterator[list[tuple[Fact, float]]]:
    found = _found_with_topics(scene, question)
    return filter(None, (_of_the_same(scene, question, one) for one in found))


def _of_the_same(
    scene: Scene, question: Question, found: list[tuple[Fact, float]]
) -> list[tuple[Fact, float]]:
    """Return what may be about whom "he" stands for: no fact of somebody else than was told of last."""
    is_of_thing = question.names_nothing and not question.is_of_somebody and not question.whose
    is_of_thing = is_of_thing or question.is_of_them or bool(_IN_IT.search(question.text))
    if is_of_thing and question.terms and (topics := _spoken_of(scene, question)):
        found = [one for one in found if topics.intersection(_terms(one[0].text, scene.language))]
    names_nobody = not persons.names_another(question.text, scene.own_names)
    points_at = question.is_of_somebody or question.is_of_it
    is_of_them = (points_at or persons.is_of_somebody(question.text)) and names_nobody
    last = knowledge.last_told(scene) if is_of_them else None
    whom = persons.spoken_of(scene, last) if last else []
    if not whom:
        return found
    return [
        one
        for one in found
        if any(persons.is_about(one[0], name) for name in whom)
        or not persons.spoken_of(scene, one[0])
    ]


def _spoken_of(scene: Scene, question: Question) -> set[str]:
    """Return the things that were told of last or asked about, by one of which "it" is known."""
    told = [fact.text for fact in knowledge.told_lately(scene)]
    said = [*told, *scene.said_by_speaker[-knowledge.TOPICS :], *scene.heard]
    stems = {stem for one in said for stem in _terms(one, scene.language)}
    verbs = {stem for stem in stems if retrieval.is_verb(stem) or matching.is_light(stem)}
    return stems - verbs


def _found_with_topics(scene: Scene, question: Question) -> Iterator[list[tuple[Fact, float]]]:
    """Yield what answers a question that goes on about something, for each thing that it may be.

    That is what they were told last, what the same person spoke of before, or what they were told. What
    they ask of it must be answered: whether it is poisonous is not told by where it grows.
    """
    # Where somebody lives is told by any place.
    needless = filter(retrieval.is_verb, question.terms if question.want else ())
    asked = frozenset(question.terms).difference(needless)
    beside = scene.beside(question.text)
    for said in reversed(beside):
        # "I heard of a troll. Where does it live?" goes on about the troll, whatever was told last.
        before = knowledge.ask(scene, utterances.without_call(said, names=scene.called))
        if not (before.points_back or before.is_of_somebody):
            yield _of_its_kind(scene, question, _scored(scene, _joined(before, question, asked)))
    if last := knowledge.last_told(scene):
        yield from _found_with_last(scene, question, asked, last)
    lately = scene.said_by_speaker[-knowledge.TOPICS :]
    for said in reversed([*(one for line in lately for one in retrieval.sentences(line)), *beside]):
        before = knowledge.ask(scene, utterances.without_call(said, names=scene.called))
        if before.is_of_somebody:
            # "How did he die?" says nothing of who he is.
            continue
        if question.want in ("distance", "way"):
            # "I am on my way to Dunmore, to see my sister. How far is it?"
            before = replace(_of_names(scene, before, said), whose="")
        yield _of_its_kind(scene, question, _scored(scene, _joined(before, question, asked)))
        if any(matching.things(before)) and not before.points_back:
            # They have named something else since: "it" is no older thing.
            return
    for fact in knowledge.told_lately(scene):
        before = replace(knowledge.ask(scene, fact.text), whose="")
        yield _of_its_kind(scene, question, _scored(scene, _joined(before, question, asked)))


def _found_with_last(
    scene: Scene, question: Question, asked: frozenset[str], fact: Fact
) -> Iterator[list[tuple[Fact, float]]]:
    before = replace(knowledge.ask(scene, fact.text), whose="")
    again = matching.best(_joined(before, question, asked), [fact])
    if question.want in _OF_PLACE and not answer_kinds.is_of_type(question.want, fact.text):
        again = []
    # "My rarest book is the Codex": what it costs is told of the Codex.
    plain = _of_names(scene, before, fact.text)
    about = _joined(plain, question, asked)
    others = _scored(scene, about) if plain != before and question.want else []
    if question.want == "person" and question.is_of_somebody and not question.terms:
        # "Who was she?" asks what else is told of her.
        yield _of_its_kind(scene, question, [one for one in others if one[0].text != fact.text])
    yield _of_its_kind(scene, question, again)
    yield _of_its_kind(scene, question, others)


def _of_names(scene: Scene, before: Question, text: str) -> Question:
    """Return a question about what a text names; as it is where that names nothing."""
    named = retrieval.terms(" ".join(persons.capitalised(text)), language=scene.language)
    return replace(before, terms=tuple(named), lesser=frozenset()) if named else before


def _of_its_kind(
    scene: Scene, question: Question, found: list[tuple[Fact, float]]
) -> list[tuple[Fact, float]]:
    """Return what names somebody, where it is asked who it was."""
    if question.want == "way":
        # The way to a market is not told by when it is held.
        return [one for one in found if answer_kinds.is_of_type("way", one[0].text)]
    if question.want == "place":
        return [one for one in found if answer_kinds.is_of_type("place", one[0].text)] or found
    if question.want == "name":
        return [one for one in found if relevance.tells_name(scene, one[0])]
    if question.want != "person":
        return found
    return [one for one in found if relevance.names_somebody(scene, one[0])]


def _joined(before: Question, question: Question, asked: frozenset[str]) -> Question:
    """Return a question with what was spoken of before it."""
    return Question(
        text=f"{before.text} {question.text}",
        want=question.want,
        whose=question.whose or before.whose,
        terms=tuple(dict.fromkeys([*question.terms, *before.terms])),
        language=question.language,
        lesser=before.lesser - asked,
        asked=asked,
        loose=before.loose | question.loose,
    )


def _terms(text: str, language: str) -> tuple[str, ...]:
    return tuple(retrieval.terms(text, language=language))
