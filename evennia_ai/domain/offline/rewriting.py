"""Rewriting: what a line goes on about is put into it once, before any rule reads it; then each question in it is answered.

"And a horseshoe?" asks what was asked before of something else, "Sorry, I meant the loaf" asks it again, and "Somebody
came. Who?" asks who came. Whom "he" stands for and what a bare "when?" goes on about is told by `referents` and `finding`.
"""

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
_GOES_ON = languages.Pattern("questions.goes_on")
# What asks who or what it was, and what that may have been called before.
_WHO_OR_WHAT = (
    (
        languages.Pattern("questions.who"),
        languages.Pattern("questions.someone", of_words=True),
    ),
    (
        languages.Pattern("questions.what"),
        languages.Pattern("questions.something", of_words=True),
    ),
)
_IT = languages.Pattern("questions.it", of_words=True)
_ARTICLE = languages.Pattern("answers.article")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def self_contained(scene: Scene) -> Scene:
    """Return the scene with a question that says by itself what is asked, where the talk before it says that."""
    said = scene.uncalled.strip(" .!?")
    asked = _meant(scene, said) or _of_another(scene, said) or _who_it_was(scene)
    if not asked:
        return scene
    event = {**scene.event, "text": asked}
    return Scene({**scene.context, "event": event, "events": [event]})


def known(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC knows that answers what is asked in one breath; "" if nothing does."""
    others = utterances.questions(scene.text, names=scene.called)
    # "What is his name? Do you remember?" asks once.
    free = [one for one in others if one != asked and _asks_more(scene, one)]
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
    return told


def _asks_more(scene: Scene, asked: Utterance) -> bool:
    """Return whether something is asked of its own, and not of what was asked before it."""
    question = knowledge.ask(scene, asked.text)
    names = asked.topic or question.terms or question.want
    return bool(names) and not question.points_back


def _meant(scene: Scene, said: str) -> str:
    """Return what was asked before, of the thing that was meant."""
    match = _MEANT.fullmatch(said)
    thing = match["thing"].strip() if match else ""
    if scene.context.get("corrected") or len(thing.split()) > MEANT_WORDS:
        # What somebody told is put right, and not what they asked.
        return ""
    is_asked = utterances.classify(_before(scene), names=scene.called).kind in utterances.ASKING
    return _asked_of(scene, _before(scene), thing) if is_asked and retrieval.terms(thing) else ""


def _of_another(scene: Scene, said: str) -> str:
    """Return what was asked before, of another thing: "And a horseshoe?"."""
    match = _GOES_ON.match(said)
    if not match:
        return ""
    question, before = knowledge.ask(scene, said), knowledge.ask(scene, _before(scene))
    is_bare = (
        question.terms and not question.want and not any(map(retrieval.is_verb, question.terms))
    )
    thing = said[match.end() :].strip(" ,")
    # "And why is the door locked?" asks by itself.
    is_bare = is_bare and not question.is_why and not utterances.is_question(thing)
    return _asked_of(scene, _before(scene), thing) if is_bare and before.want else ""


def _who_it_was(scene: Scene) -> str:
    """Return who did what somebody is said to have done before it is asked who: "Somebody took it. Who was it?"."""
    *told, last = [""] + [one for part in scene.heard for one in retrieval.sentences(part)]
    told = [*scene.said_by_speaker[-1:], *told]
    for asks, stand_in in _WHO_OR_WHAT:
        asked = asks.fullmatch(last.strip(" .!?"))
        deed = next((one for one in reversed(told) if stand_in.search(one)), "")
        if asked and deed:
            return _with(asked["asked"], stand_in, deed)
    return ""


def _before(scene: Scene) -> str:
    return utterances.without_call("".join(scene.said_by_speaker[-1:]), names=scene.called)


def _asked_of(scene: Scene, before: str, thing: str) -> str:
    """Return a question with another thing in the place of the last that it names, or of "it"; else the thing alone."""
    named = [
        word
        for word in _WORD.finditer(before)
        if any(map(_is_thing, questions.key_terms(word[0], scene.language)))
    ]
    question = knowledge.ask(scene, before)
    if not named or question.points_back or question.is_of_somebody:
        is_of_it = question.want and not named and _IT.search(before)
        return _with(thing, _IT, before) if is_of_it else f"{thing}?"
    last = first = len(named) - 1
    while first and before[named[first - 1].end() : named[first].start()] == " ":
        first -= 1
    head, tail = before[: named[first].start()], before[named[last].end() :]
    *rest, article = head.rstrip().rsplit(" ", 1)
    if _ARTICLE.fullmatch(f"{article} "):
        head = f"{''.join(rest)} "
    return f"{head}{thing}{tail}"


def _with(thing: str, stand_in: languages.Pattern, text: str) -> str:
    """Return a text as a question with a thing where the first word stands that may stand for it."""
    match = stand_in.search(text)
    rest = text[match.end() :].strip(" .!?") if match else ""
    return f"{text[: match.start()] if match else ''}{thing} {rest}".strip() + "?"


def _is_thing(term: str) -> bool:
    return not (retrieval.is_verb(term) or matching.is_light(term))
