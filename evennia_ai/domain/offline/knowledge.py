"""Facts that an NPC can tell: from its builder, from memory, and what it told last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import Any

from evennia_ai.core import languages, senses, spelling
from evennia_ai.core.spelling import spelled_out
from evennia_ai.domain import classification, sentiment, statements
from evennia_ai.domain.memories import news_rules, promises, retrieval
from evennia_ai.domain.offline import persons, questions, utterances
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import (
    ARTICLE,
    QUOTE_LENGTH,
    Scene,
    is_same,
    once_of_scene,
    quoted,
)

# The phrases that name a source.
_SOURCED = ("told_self", "told", "overheard", "rumour")
# Lines of somebody among which is what they go on about, and the share of a fact's words that tell it.
TOPICS, MOSTLY = 2, 0.75
# Lines of a talk in which it is looked for what a question goes on about.
FOLLOWED = 8

_POINTS_BACK = languages.Pattern("knowledge.points_back")
_FIRST_PERSON = languages.Pattern("knowledge.first_person", of_words=True)
# "I am looking for my brother" asks, and tells something too.
AILS, AILING = languages.Pattern("knowledge.ails"), languages.Pattern("knowledge.ailing")
SEEKS = languages.Pattern("knowledge.seeks")
# "I have no idea where the smith is" and "I can't find the smith" ask, too.
WONDERS = languages.Pattern("knowledge.wonders")
# "My horse lost a shoe" tells of somebody's need.
LACKS = languages.Pattern("knowledge.lacks")
# "I heard that you were robbed" asks for what is known of it.
HEARSAY = languages.Pattern("knowledge.hearsay")
# What an NPC means by "we".
_HOUSE = languages.Pattern("knowledge.house")
# Kinds of what the NPC saw somebody do, or did itself.
SEEN = ("deed", "done")
# What repeats an answer, and whom one has something from.
_ECHO = languages.Pattern("knowledge.echo", of_words=True)


@once_of_scene
def ask(scene: Scene, text: str) -> Question:
    """Return what somebody asks the NPC by these words."""
    persona = str(scene.npc.get("persona") or "")
    question = questions.read(text, language=scene.language, names=scene.own_names, persona=persona)
    if scene.language != senses.LANGUAGE or _known_words(scene).issuperset(question.terms):
        return question
    spelled = spelling.corrected(text, known=_known_words(scene) | _names_here(scene))
    if spelled == text:
        return question
    return questions.read(spelled, language=scene.language, names=scene.own_names, persona=persona)


def of_person(scene: Scene, name: str) -> list[Fact]:
    """Return what is known of somebody: what is lasting, lore, their words, newest first, then what they did."""
    known = [fact for fact in told(scene) if concerns(fact, name) and not is_promise(fact)]
    written = [fact for fact in lore(scene) if names(fact.text, name)]
    lasting = [fact for fact in known if not fact.by and fact.kind not in SEEN]
    theirs = [fact for fact in known if fact.by and is_same(fact.by, name)]
    said = sorted(theirs, key=attrgetter("timestamp"), reverse=True)
    # What somebody says of themselves tells most of them.
    said = list(filter(persons.is_of_teller, said)) or said
    others = [fact for fact in known if fact.by and not is_same(fact.by, name)]
    return [*lasting, *written, *said, *others, *(fact for fact in known if fact.kind in SEEN)]


def was_struck(scene: Scene, name: str) -> bool:
    """Return whether somebody struck the NPC or what is its own, as it was seen, or said between stars."""
    known = (fact for fact in told(scene) if concerns(fact, name))
    deeds = (one.text for one in known if one.kind in SEEN or utterances.is_deed(one.text))
    return any(sentiment.is_blow(one, scene.own_names) for one in deeds)


@once_of_scene
def lore(scene: Scene) -> list[Fact]:
    """Return what the builder wrote, sentence by sentence."""
    memories = [one for one in scene.context.get("memories") or () if one.get("kind") == "lore"]
    texts = [str(text) for text in scene.context.get("lore") or ()]
    texts += [text for one in memories if (text := str(one.get("text") or "")) not in texts]
    named = persons.with_name(scene, texts, is_own=partial(is_of_npc, scene))
    return [Fact(one) for text in named for one in passages(text)]


@once_of_scene
def told(scene: Scene) -> list[Fact]:
    """Return what is remembered beside lore, sentence by sentence, each once."""
    facts: dict[tuple[str, str], Fact] = {}
    for key in ("memories", "people", "near"):
        for memory in scene.context.get(key) or ():
            if memory.get("kind") == "lore" or utterances.is_for_a_model(
                str(memory.get("text") or "")
            ):
                continue
            by = (memory.get("by") or scene.table("somebody")[0]) if is_said(memory) else ""
            for passage in _whole(passages(statements.words_of(str(memory.get("text") or "")))):
                sentence = own_words(scene, memory, passage)
                if is_telling(scene, memory, sentence):
                    facts.setdefault((by, sentence.casefold()), Fact(sentence, by, memory))
    said = [fact.text.casefold().rstrip(".!…") for fact in facts.values() if fact.by]
    # A summary holds what was said.
    return [
        fact
        for fact in facts.values()
        if fact.by or not any(words in fact.text.casefold() for words in said)
    ]


@once_of_scene
def _names_here(scene: Scene) -> frozenset[str]:
    """Return the stems of the names of who and what is here, or was."""
    beings = (one for key in ("present", "seen", "exits") for one in scene.context.get(key) or ())
    named = (f"{one.get('name')} {one.get('leads_to')}" for one in beings)
    called = (*named, *map(str, scene.context.get("carried") or ()), *scene.called, scene.name)
    return frozenset(
        one for text in called for one in retrieval.terms(text, language=scene.language)
    )


def stands_alone(scene: Scene, fact: Fact) -> bool:
    """Return whether a fact tells something to somebody who did not hear what it was said about."""
    if not fact.by:
        return True
    if utterances.classify(fact.text, names=scene.called).greeted:
        return False
    return news_rules.stands_alone(spelled_out(fact.text), language=scene.language)


def is_insight(fact: Fact) -> bool:
    """Return whether the NPC has concluded it itself."""
    return fact.kind == "insight"


def is_promise(fact: Fact) -> bool:
    """Return whether the NPC has promised it."""
    return fact.kind in (promises.OPEN, promises.LAPSED, promises.REMINDER)


def passages(text: str) -> list[str]:
    """Return the sentences of a text; one that goes on about the one before it stands with it."""
    told: list[str] = []
    before = ""
    for sentence in retrieval.sentences(text):
        if utterances.classify(sentence).kind == "greeting":
            continue
        both = f"{before} {sentence}"
        points_back = before and _POINTS_BACK.match(sentence) and len(both) <= QUOTE_LENGTH
        told.append(both if points_back else sentence)
        before = sentence
    return told


def _whole(told: list[str]) -> list[str]:
    """Return passages without those that another goes on with."""
    pairs = zip(told, [*told[1:], ""], strict=False)
    return [one for one, after in pairs if not after.startswith(f"{one} ")]


def own_words(scene: Scene, memory: dict[str, Any], words: str) -> str:
    """Return words of a memory to be quoted, without the call by which somebody began them."""
    sentence = quoted(words)
    return utterances.without_call(sentence, names=scene.called) if is_said(memory) else sentence


def is_said(memory: dict[str, Any]) -> bool:
    """Return whether a memory is somebody's words; without a kind its source decides."""
    kind = memory.get("kind") or ("said" if memory.get("by") else "lore")
    return kind in ("said", "claim")


def is_telling(scene: Scene, memory: dict[str, Any], sentence: str) -> bool:
    """Return whether a sentence tells something: not a question, a greeting, an echo, or just said."""
    if not sentence or sentence in scene.text:
        return False
    if not is_said(memory):
        return True
    if _ECHO.search(sentence):
        return False
    kind = utterances.classify(sentence, names=scene.called).kind
    return kind in ("statement", "introduction") or bool(SEEKS.match(spelled_out(sentence)))


def people(scene: Scene, told: Sequence[Fact]) -> list[str]:
    """Return the names of those who told something, or are here, but for the one who asks."""
    present = [
        str(being.get("name") or "")
        for being in scene.context.get("present") or ()
        if being.get("kind") in ("player", "npc")
    ]
    names = dict.fromkeys([*(fact.by for fact in told if fact.by), *present])
    # Who asks what a bed costs does not ask about somebody who is called so.
    called = [
        one for one in names if one and (not classification.is_noun(one) or ARTICLE.match(one))
    ]
    return [name for name in called if not is_same(name, scene.own_name)]


def names(text: str, name: str) -> bool:
    """Return whether words name somebody, as "Olof" or in "Olofs bror"."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?:'?s)?(?!\w)", text, re.I))


def concerns(fact: Fact, name: str) -> bool:
    whom = (fact.memory or {}).get("by") if is_promise(fact) else fact.by
    return is_same(whom, name) or names(fact.text, name)


def owned(fact: Fact) -> Fact:
    return Fact(fact.text, fact.by, fact.memory, is_own=True)


def of_npc(scene: Scene, fact: Fact) -> Fact:
    """Return a fact as one of the NPC's own, if it speaks of it or its house."""
    return owned(fact) if is_of_npc(scene, fact.text) or _HOUSE.match(fact.text) else fact


def is_of_npc(scene: Scene, text: str) -> bool:
    """Return whether a text that the builder wrote speaks of the NPC: by its name, or as "I"."""
    return any(names(text, name) for name in scene.own_names) or bool(
        _FIRST_PERSON.only(scene.language).search(text)
    )


@once_of_scene
def last_told(scene: Scene) -> Fact | None:
    """Return what the speaker was told last, with whom it was said to be from; None if they named another thing since.

    "I do not know" to what goes on about it changes nothing: "What is in it?" and then "When was that?".
    """
    for said, is_own in reversed(_exchanged(scene)):
        if is_own and (fact := _told_in(scene, said)):
            return fact
        if not is_own and not _goes_on(scene, said):
            return None
    return None


def _exchanged(scene: Scene) -> list[tuple[str, bool]]:
    """Return the last lines between the two before this turn, and whether they are the NPC's own."""
    to_speaker, lines = {*scene.lines_to_speaker}, []
    for line in scene.conversation[-FOLLOWED:]:
        text, is_own = str(line.get("text") or ""), bool(line.get("mine"))
        if text in to_speaker if is_own else is_same(line.get("name"), scene.name):
            lines.append((text, is_own))
    return lines


def _goes_on(scene: Scene, said: str) -> bool:
    """Return whether somebody's line went on about what was told before it: "How did he die?".

    So does what points at it, and names nothing that the NPC knows: "How far away is that?".
    """
    question = ask(scene, utterances.without_call(said, names=scene.called))
    names_nothing = question.points_back and _known_words(scene).isdisjoint(question.terms)
    return question.is_of_somebody or question.names_nothing or names_nothing


@once_of_scene
def _known_words(scene: Scene) -> frozenset[str]:
    facts = (f"{fact.by} {fact.text}" for fact in (*lore(scene), *told(scene)))
    return frozenset(
        one for text in facts for one in retrieval.terms(text, language=scene.language)
    )


def _told_in(scene: Scene, line: str) -> Fact | None:
    """Return what a line of the NPC tells."""
    for key, template in ((one, told) for one in _SOURCED for told in scene.table(one)):
        if match := _as_pattern(template).search(line):
            by = match.groupdict().get("by") or scene.name
            heard = "" if key in ("told", "told_self") else key
            return Fact(match["text"], by, {"kind": "said", "heard": heard})
    return next(_written_in(scene, line), None)


@cache
def _as_pattern(template: str) -> re.Pattern[str]:
    """Return by what a line is told that was filled into a phrase."""
    slots = {"by": r'\b(?P<by>[^":,.]{1,60})', "text": "(?P<text>.+)", "name": ".*"}
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(slots[one] if i % 2 else re.escape(one) for i, one in enumerate(parts))
    )


@once_of_scene
def told_lately(scene: Scene) -> list[Fact]:
    """Return of what the builder wrote that which the speaker was told in the last answers, newest first."""
    lines = reversed(scene.lines_to_speaker[-TOPICS:])
    return [fact for line in lines for fact in _written_in(scene, line)]


def _written_in(scene: Scene, line: str) -> Iterator[Fact]:
    """Yield what the builder wrote that a line of the NPC tells."""
    spoken = {*retrieval.terms(line, language=scene.language)}
    for fact in lore(scene):
        stems = {*retrieval.terms(fact.text, language=scene.language)}
        # In the first person some words are others.
        if stems and len(stems & spoken) >= MOSTLY * len(stems):
            yield fact
