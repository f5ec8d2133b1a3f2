"""Persons who are asked about by name, and the facts of them that answer a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from evennia_ai.core import languages, senses, words
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene, is_same

# Characters of the word before a name.
WORD = 15
# Words at the beginning of a sentence among which a name stands that the next one goes on about.
BEGINNING = 4


Find = Callable[[Question, Sequence[Fact]], list[tuple[Fact, float]]]

_SOMEBODY = languages.Pattern("questions.somebody", of_words=True)
_MINE = languages.Pattern("questions.mine")
_OF_ONESELF = languages.Pattern("knowledge.of_oneself")
_FIRST_PERSON = languages.Pattern("knowledge.first_person", of_words=True)
# A word that is written as a name is, and where a name stands that is of a place.
_WORD = re.compile(r"\b[A-ZÅÄÖ][\w-]+")
_PLACED = languages.Pattern("questions.placed", of_words=True)


def is_of_somebody(text: str) -> bool:
    """Return whether a question is about "her", "his" things and the like."""
    return bool(_SOMEBODY.search(text))


def is_of_speaker(text: str) -> bool:
    """Return whether a question is about "my" things."""
    return bool(_MINE.search(text))


def is_of_teller(fact: Fact) -> bool:
    """Return whether somebody tells it of themselves."""
    return bool(fact.by and _OF_ONESELF.match(fact.text))


def found(
    scene: Scene, question: Question, facts: Sequence[Fact], *, find: Find
) -> list[tuple[Fact, float]]:
    """Return what answers a question about somebody by name; what they do is told by anything that is known."""
    if question.want != "occupation" or question.whose:
        return []
    for name in _named(scene.own_names, question.text):
        known = [replace(fact, is_own=True) for fact in facts if is_about(fact, name)]
        plain = replace(question, whose="", lesser=frozenset())
        if answers := find(plain, known) or [(one, 1.0) for one in known[:1]]:
            return answers
    return []


def capitalised(text: str) -> list[str]:
    """Return the words inside a text that are written as names are."""
    return [match[0] for match in _WORD.finditer(text) if match.start() > 0]


def names_another(text: str, names: Sequence[str]) -> bool:
    """Return whether a question names somebody else than who is asked, whose `names` are known."""
    return bool(_named(names, text))


def spoken_of(scene: Scene, last: Fact) -> list[str]:
    """Return whom a fact is about, by name."""
    names = _named(scene.own_names, last.text, first=True)
    return [last.by] if is_of_teller(last) and not names else [*names, *filter(None, [last.by])]


def _named(own: Sequence[str], text: str, *, first: bool = False) -> list[str]:
    """Return the names in a text, those of places left out; the `first` word is one only if asked for."""
    found = [
        match[0]
        for match in _WORD.finditer(text)
        if (first or match.start() > 0)
        and not is_placed(text[max(0, match.start() - WORD) : match.start()])
    ]
    known = [name for name in found if retrieval.terms(name)]
    others = [name for name in known if not any(is_same(one, name) for one in own)]
    # "Old Peg" is Peg, and a title stands before the name.
    return sorted(dict.fromkeys(others), key=lambda name: retrieval.is_weak(name.casefold()))


def is_placed(before: str) -> bool:
    """Return whether words end in one after which a name is of a place."""
    words = before.split()
    return bool(words) and bool(_PLACED.search(words[-1]))


def is_about(fact: Fact, name: str) -> bool:
    return (
        is_same(fact.by, name)
        and is_of_teller(fact)
        or bool(re.search(rf"(?<!\w){re.escape(name)}(?:['’]?s)?(?!\w)", fact.text))
    )


def _may_begin_with_somebody(scene: Scene, text: str) -> bool:
    """Return whether a sentence may begin with somebody's name, of whom the next one goes on; "Wolves howl." does not."""
    if scene.language != senses.LANGUAGE:
        return bool(text)
    first, *others = [*text.split()[:BEGINNING], ""]
    word = first.strip(",.'’").casefold()
    is_plural = word.endswith("s") and senses.rank(word) >= 0
    return (
        words.carries_meaning(word, scene.language)
        and not is_plural
        or any(word[:1].isupper() for word in others)
    )


def with_name(scene: Scene, texts: Sequence[str], *, is_own: Callable[[str], bool]) -> list[str]:
    """Return what a builder wrote of "her" with the NPC's name, where nobody else is spoken of before it."""
    told, beginnings = [], languages.load(scene.language).named
    for text in texts:
        before = told[-1] if told else ""
        # After "My daughter sells ribbons." she is the daughter.
        is_of_i = bool(_FIRST_PERSON.only(scene.language).search(before))
        is_of_npc = is_own(before) or not _may_begin_with_somebody(scene, before)
        if scene.own_name and is_of_npc and not is_of_i:
            for beginning, named in beginnings.items():
                own = named.replace("{name}", scene.own_name)
                text = re.sub(
                    rf"\A(?:{beginning})(?= \w)", lambda _, own=own: own, text, flags=re.I
                )
        told.append(text)
    return told
