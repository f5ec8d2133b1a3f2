"""Echoes: what an NPC says back of what it was told ("your silver ring"), and what tells nothing."""

from __future__ import annotations

import re

from evennia_ai.core import answer_kinds, languages, senses, synonyms, words
from evennia_ai.domain.memories import retrieval, subjects
from evennia_ai.domain.offline import knowledge, persons, utterances
from evennia_ai.domain.offline.utterances import Utterance
from evennia_ai.domain.offline.voice import Scene

# Words that are said back at most, and characters of them.
ECHO_WORDS, ECHO_LENGTH = 8, 60
# Words of which one at least is known, in what somebody says.
BABBLE = 3
# Words of an answer that are asked back.
ECHOED = 2

_OF_ONESELF = languages.Pattern("answers.tells")
_OF_YOU = languages.Pattern("echoes.of_you")
_PAST = languages.Pattern("subjects.past")
_COUNT = languages.Pattern("types.count")
_DETERMINER = languages.Pattern("echoes.determiner", of_words=True)
_NAMED = re.compile(r"\s+([^\W\d_][\w-]*)(?=(?:\s+([^\W\d_][\w-]*))?)")


def of(scene: Scene, sentence: str) -> str:
    """Return the first thing that a sentence names, if it is in the language that the NPC speaks."""
    spoken = words.language_of(words.words(sentence), default=scene.language)
    return key_phrase(sentence) if spoken == scene.language else ""


def key_phrase(sentence: str) -> str:
    """Return the first thing that a sentence names, as the listener would say it; "" if none.

    >>> key_phrase("I lost my silver ring in the river")
    'your silver ring'
    """
    turned = languages.table("turned", languages.read_now())
    looked_at = sentence[: utterances.MAX_LENGTH]
    for match in _DETERMINER.finditer(looked_at):
        named = _NAMED.match(looked_at, match.end())
        if not named or not retrieval.terms(named[1]) or _COUNT.fullmatch(named[1]):
            continue
        determiner, first, second = match[0], *named.groups()
        words = [turned.get(determiner.casefold(), determiner.casefold()), first]
        if retrieval.is_weak(first) or subjects.is_adjective(first):
            if not second or not retrieval.terms(second) or _PAST.fullmatch(second):
                continue
            words.append(second)
        phrase = " ".join(words[:ECHO_WORDS])
        if not subjects.is_empty(words[-1]) and len(phrase) <= ECHO_LENGTH:
            return phrase
    return ""


def is_babble(scene: Scene, words: str) -> bool:
    """Return whether several words stand together of which none is known: nobody talks so."""
    if is_ailing(words):
        return False
    spoken, stems = words.split(), retrieval.terms(words)
    if scene.language == senses.LANGUAGE and all(map(_is_no_word, spoken)):
        return True
    if len(spoken) < BABBLE or len(stems) < len(spoken) or any(map(retrieval.is_weak, stems)):
        return False
    if any(synonyms.related(stem, scene.language) for stem in stems):
        return False
    facts = [*knowledge.lore(scene), *knowledge.told(scene)]
    known = {stem for fact in facts for stem in retrieval.terms(f"{fact.by} {fact.text}")}
    return known.isdisjoint(stems) and not any(one[:1].isupper() for one in spoken[1:])


def tells_little(scene: Scene, said: Utterance) -> bool:
    """Return whether somebody states what hardly tells anything: "you don't say", "liar liar pants on fire"."""
    if said.kind != "statement" or _OF_ONESELF.match(said.text):
        return False
    is_short = len(retrieval.terms(said.text, language=scene.language)) < retrieval.TELLING_WORDS
    return is_short or not persons.capitalised(said.text)


def is_of_listener(text: str) -> bool:
    """Return whether somebody says what the one is like, or should have done, to whom they speak."""
    return bool(_OF_YOU.match(text))


def is_echo(scene: Scene, asked: Utterance) -> bool:
    """Return whether somebody asks back a word or two of what they were just told: "Five?!"."""
    said = asked.text.casefold().split()
    last = words.words(" ".join(scene.lines_to_speaker[-1:]))
    is_number = all(map(str.isdecimal, said)) and answer_kinds.is_of_type("price", " ".join(last))
    if knowledge.ask(scene, asked.text).want:
        return False
    return len(said) <= ECHOED and bool(said) and (is_number or {*said} <= {*last})


def _is_no_word(word: str) -> bool:
    return len(word) >= BABBLE and word.isalpha() and word.islower() and senses.rank(word) < 0


def is_ailing(text: str) -> bool:
    """Return whether somebody says of themselves that they are ill, hurt, hungry and the like."""
    is_told = bool(knowledge.AILING.match(text) and knowledge.AILS.search(text))
    # "I heard that Tam is ill" tells it of somebody else.
    return is_told and not knowledge.HEARSAY.match(text)


def mood(said: Utterance) -> str:
    """Return how somebody says that they are, as a phrase answers it; "" if they say nothing of that."""
    return (said.topic or is_ailing(said.text) and "ails" or "") if said.kind == "statement" else ""
