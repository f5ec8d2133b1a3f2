"""Several questions in one line, and a question that is asked again about something else: "Sorry, I meant the loaf"."""

from __future__ import annotations

import re

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import (
    answers,
    echoes,
    knowledge,
    matching,
    questions,
    seeking,
    utterances,
)
from evennia_ai.domain.offline.utterances import Utterance
from evennia_ai.domain.offline.voice import REPLY_LENGTH, Scene

# Questions of one breath that are answered, and marks of quotation that one reply has at most.
ANSWERED, MARKS = 2, 2
# Words of the thing that was meant; more are a sentence, which tells something.
MEANT_WORDS = 5

_MEANT = languages.Pattern("utterances.meant")
_ARTICLE = languages.Pattern("answers.article")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def answer(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC says to what is asked in one breath: what it knows, else that it does not know."""
    others = utterances.questions(scene.text, names=scene.called)
    free = [one for one in others if one != asked and not _points_back(scene, one)]
    said: list[str] = []
    for one in (asked, *free):
        words = answers.known(scene, one)
        together = " ".join([*said, words])
        is_heap = len(together) > REPLY_LENGTH or together.count('"') > MARKS
        if words and not (said and (is_heap or words in said)):
            said.append(words)
    told = " ".join(said[:ANSWERED]) or seeking.beside(scene, asked.text)
    if not told and echoes.is_ailing(asked.text):
        return seeking.helped(scene, asked.text)
    return told or answers.unknown(scene, asked)


def _points_back(scene: Scene, asked: Utterance) -> bool:
    return knowledge.ask(scene, asked.text).points_back


def as_meant(scene: Scene) -> Scene:
    """Return the scene with the question that is meant, where somebody puts right what they just asked."""
    if scene.context.get("corrected"):
        # What somebody told is put right, and not what they asked.
        return scene
    match = _MEANT.fullmatch(scene.uncalled.strip(" .!"))
    thing = match["thing"].strip() if match else ""
    before = utterances.without_call("".join(scene.said_by_speaker[-1:]), names=scene.called)
    if not thing or len(thing.split()) > MEANT_WORDS or not retrieval.terms(thing):
        return scene
    if utterances.classify(before, names=scene.called).kind not in utterances.ASKING:
        return scene
    event = {**scene.event, "text": _asked_of(scene, before, thing)}
    return Scene({**scene.context, "event": event, "events": [event]})


def _asked_of(scene: Scene, before: str, thing: str) -> str:
    """Return a question with another thing in the place of the last that it names; else the thing alone."""
    named = [
        word
        for word in _WORD.finditer(before)
        if any(map(_is_thing, questions.key_terms(word[0], scene.language)))
    ]
    question = knowledge.ask(scene, before)
    if not named or question.points_back or question.is_of_somebody:
        return f"{thing}?"
    last = first = len(named) - 1
    while first and before[named[first - 1].end() : named[first].start()] == " ":
        first -= 1
    head, tail = before[: named[first].start()], before[named[last].end() :]
    *rest, article = head.rstrip().rsplit(" ", 1)
    if _ARTICLE.fullmatch(f"{article} "):
        head = f"{''.join(rest)} "
    return f"{head}{thing}{tail}"


def _is_thing(term: str) -> bool:
    return not (retrieval.is_verb(term) or matching.is_light(term))
