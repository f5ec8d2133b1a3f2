"""Persons who are asked about by name, the facts of them that answer a question, and who was here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from evennia_ai.core import languages, senses, words
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import utterances, voice
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene, is_same

# Characters of the word before a name.
WORD = 15
# Words at the beginning of a sentence among which a name stands that the next one goes on about.
BEGINNING = 4
# Names in one list, and how long ago counts as just now and as today, in seconds.
LISTED = 6
JUST_NOW, TODAY, YESTERDAY = 900, 43_200, 129_600


Find = Callable[[Question, Sequence[Fact]], list[tuple[Fact, float]]]

# What a persona says that is for nobody else.
_SECRET = languages.Pattern("telling.secret", of_words=True)
_SOMEBODY = languages.Pattern("questions.somebody", of_words=True)
_ANYBODY = languages.Pattern("persons.anybody", of_words=True)
_BEEN_HERE = languages.Pattern("self_knowledge.been_here")
_WHEREABOUTS = languages.Pattern("self_knowledge.whereabouts")
_STILL = languages.Pattern("self_knowledge.still")
_MINE = languages.Pattern("questions.mine")
_OF_ONESELF = languages.Pattern("knowledge.of_oneself")
_FIRST_PERSON = languages.Pattern("knowledge.first_person", of_words=True)
# Words for people by what they are, of men, of women and of either.
SEXES = {one: languages.Pattern(f"persons.{one}", of_words=True) for one in ("he", "she", "they")}
# A word that is written as a name is, and where a name stands that is of a place.
_WORD = re.compile(r"\b[A-ZÅÄÖ][\w-]+")
_LETTERS = re.compile(r"[^\W\d_][\w'’-]*")
# Capitalised words that are of a place.
_AT = languages.Pattern("persons.at")
_PLACED = languages.Pattern("questions.placed", of_words=True)


def open_sentences(text: str) -> list[str]:
    """Return the sentences of a persona that are told to whoever asks: those before the first secret.

    What comes after it may go on about it: "She has a secret. She poisoned old Tam."
    """
    return list(takewhile(lambda one: not _SECRET.search(one), retrieval.sentences(text)))


def is_of_somebody(text: str) -> bool:
    """Return whether a question is about "her", "his" things and the like."""
    return bool(_SOMEBODY.search(text))


def is_title(word: str, language: str) -> bool:
    """Return whether a word may stand before a name: "Sister", "Old"."""
    said = word.casefold()
    return retrieval.is_weak(said, language) or any(
        one.only(language).fullmatch(said) for one in SEXES.values()
    )


def is_anybody(word: str, language: str) -> bool:
    """Return whether a word says no more of somebody than that they are a man, a woman or a person."""
    return bool(_ANYBODY.only(language).fullmatch(word))


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


def counterparts(scene: Scene, roles: Sequence[str]) -> list[str]:
    """Return what follows where the NPC's persona or lore tells whose counterpart it is: "apprentice of the mage Orm"."""
    sides = languages.load(scene.language).counterparts
    told = [
        side
        for called, side in sides.items()
        if any(words.stem(one, scene.language) in roles for one in called.split("|"))
    ]
    persona = open_sentences(str(scene.npc.get("persona") or ""))
    written = [one for one in scene.context.get("lore") or () if is_named(scene, str(one))]
    found = [
        re.search(rf"\b(?:{side}) (?P<whom>.+)", one, re.I)
        for side in told
        for one in [*persona, *map(str, written)]
    ]
    return [match["whom"] for match in found if match]


def is_named(scene: Scene, text: str) -> bool:
    """Return whether a text begins with the NPC's name."""
    return any(text.startswith(f"{name} ") for name in scene.own_names)


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


def genitives(names: Sequence[str]) -> set[str]:
    """Return how names end whose something is: "Signes dotter"."""
    return {f"{name}{ending}" for name in names for ending in ("s", "'s", "’s")}


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


def is_plural(word: str) -> bool:
    """Return whether a word of English says what several are, and names nobody: "bandits"."""
    return word.endswith("s") and max(map(senses.rank, (word, word[:-1]))) >= 0


def _may_begin_with_somebody(scene: Scene, text: str) -> bool:
    """Return whether a sentence may begin with somebody's name, of whom the next one goes on; "Wolves howl." does not."""
    if scene.language != senses.LANGUAGE:
        return bool(text)
    first, *others = [*text.split()[:BEGINNING], ""]
    word = first.strip(",.'’").casefold()
    return (
        words.carries_meaning(word, scene.language)
        and not is_plural(word)
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


def asks_who_was_here(words: str) -> bool:
    """Return whether words may ask who was here, where somebody is, or what is thought of "him" who was."""
    there = _WHEREABOUTS.search(words)
    if _BEEN_HERE.search(words) or (there and not there["verb"]):
        return True
    # "The bread is good" and "I gave her my coat" ask for nobody.
    asked = utterances.questions(words)
    of_them = is_of_somebody(words) and any(one.topic == "opinion" for one in asked)
    return bool(there and asked) or of_them


def seen_today(scene: Scene, question: Question, text: str) -> str:
    """Return who was here today, if that is asked."""
    if not _BEEN_HERE.search(text) or _named_there(scene, text):
        return ""
    seen = [
        str(one.get("name") or "")
        for one in scene.context.get("seen") or ()
        if _age(scene, one) <= TODAY
    ]
    names = list(dict.fromkeys([*scene.people_here, *seen]))
    names = [name for name in names if not is_same(name, scene.name)][:LISTED]
    if not names:
        return scene.line("seen_today_none")
    return scene.line("seen_today", text=scene.listed(names))


def whereabouts(scene: Scene, question: Question, text: str) -> str:
    """Answer whether or where somebody is: they are here, or were."""
    match = _WHEREABOUTS.match(question.text) or _WHEREABOUTS.match(text)
    if not match:
        return ""
    who, rest = _described_there(scene, match.string[match.start("who") :])
    if not who:
        who, rest = _named_there(scene, match["who"]), match.string[match.end("who") :]
    if not who or match["verb"] and not _STILL.match(rest) or question.want == "origin":
        return ""
    if is_same(who, scene.name):
        return ""
    if any(is_same(who, name) for name in scene.people_here):
        return scene.line("right_here", text=who)
    last = next(one for one in scene.context.get("seen") or () if is_same(who, one.get("name")))
    age = _age(scene, last)
    ago = scene.table("ago")[sum(age > limit for limit in (JUST_NOW, TODAY, YESTERDAY))]
    return scene.line("seen_before", by=reply.printable(who, max_length=40), text=ago)


def last_seen(scene: Scene) -> str:
    """Return who was seen here last beside whom the NPC speaks with, by name; "" if nobody was."""
    names = (str(one.get("name") or "") for one in scene.context.get("seen") or ())
    return next((one for one in names if one and not is_same(one, scene.name)), "")


def _described_there(scene: Scene, words: str) -> tuple[str, str]:
    """Return who is known by looks alone ("an old man") and begins some words, and what follows."""
    seen = [str(one.get("name") or "") for one in scene.context.get("seen") or ()]
    for name in [*scene.people_here, *seen]:
        bare = voice.ARTICLE.sub("", name)
        begins = re.compile(rf"(?:[^\W\d_]{{1,3}}\s)?{re.escape(bare)}(?!\w)", re.I)
        if bare != name and (found := begins.match(words)):
            return name, words[found.end() :]
    return "", ""


def _named_there(scene: Scene, words: str) -> str:
    """Return the name of somebody here, or who was, that stands in some words; "" if none does."""
    seen = [str(one.get("name") or "") for one in scene.context.get("seen") or ()]
    for name in [*scene.people_here, *seen]:
        parts = [name, *(part for part in name.split() if retrieval.terms(part) and len(part) > 2)]
        if any(
            re.search(rf"(?<!\w){re.escape(one)}(?!['\w])", words, re.I) for one in parts if one
        ):
            return name
    return ""


def _age(scene: Scene, seen: dict[str, Any]) -> float:
    now, then = (str(one or "") for one in (scene.context.get("now"), seen.get("timestamp")))
    if not now or not then:
        return 0.0
    return (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()


def names_in(scene: Scene, facts: Sequence[Fact]) -> set[str]:
    """Return the words of facts that may be names: none that is written small elsewhere, as a plant is."""
    written = {one for fact in facts for one in _LETTERS.findall(f"{fact.by} {fact.text}")}
    lines = (str(line.get("text") or "") for line in scene.conversation)
    small = written.union(*map(_LETTERS.findall, lines))
    return {word for word in written if word.casefold() not in small}


def places_in(scene: Scene, facts: Sequence[Fact]) -> set[str]:
    """Return the words of names of places in facts."""
    named = _AT.only(scene.language)
    found = (match["name"] for fact in facts for match in named.finditer(fact.text))
    return {part for name in found for part in name.split()}
