"""Answers to somebody who needs, looks for or has heard something, from what the builder wrote."""

from __future__ import annotations

from dataclasses import replace

from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import (
    echoes,
    evidence,
    finding,
    knowledge,
    matching,
    telling,
    utterances,
)
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene


def nearest(scene: Scene, question: Question, whole: str) -> str:
    """Return what the builder wrote that is nearest in meaning to a question, with what was said beside it."""
    if question.whose == "speaker" or question.is_of_it or question.is_of_somebody:
        return ""
    if all(retrieval.is_verb(term) or matching.is_light(term) for term in question.terms):
        return ""
    facts = knowledge.lore(scene)
    if question.whose == "npc":
        facts = [fact for fact in facts if knowledge.of_npc(scene, fact).is_own]
    terms = tuple(dict.fromkeys([*question.terms, *knowledge.ask(scene, whole).terms]))
    found = matching.nearest(replace(question, text=whole, terms=terms), facts)
    is_answer = found is not None and evidence.is_answer(scene, question, found)
    return telling.tell(scene, [found]) if found and is_answer else ""


def sought(scene: Scene, text: str) -> str:
    """Return what the builder wrote of what somebody needs, looks for or has heard; "" if nothing."""
    hearsay = knowledge.HEARSAY.match(text)
    asked = text[hearsay.end() :] if hearsay else text
    question = replace(knowledge.ask(scene, asked), want="", whose="")
    if echoes.is_ailing(text):
        ails = " ".join(knowledge.AILS.findall(text))
        question = replace(question, terms=tuple(retrieval.terms(ails, language=scene.language)))
    is_need = utterances.classify(text, names=scene.called).topic == "ails"
    if not (
        is_need
        or hearsay
        or echoes.is_ailing(text)
        or knowledge.SEEKS.match(text)
        or utterances.is_question(text)
    ):
        return ""
    found = finding.find(scene, question, knowledge.lore(scene))[:1]
    if hearsay or is_need and not echoes.is_ailing(text):
        return telling.tell(scene, [one for one in found if evidence.tells_it(question, one)])
    return telling.tell(scene, found) or nearest(scene, question, text)


def helped(scene: Scene, text: str) -> str:
    """Return what the builder wrote that helps with what ails somebody, or that it is a pity; "" if nothing ails."""
    ails = " ".join(knowledge.AILS.findall(scene.text))
    terms = tuple(retrieval.terms(ails, language=scene.language))
    if not terms:
        return ""
    question = replace(knowledge.ask(scene, ails), want="", whose="", terms=terms)
    found = finding.find(scene, question, knowledge.lore(scene))
    return telling.tell(scene, found[:1]) or scene.line("ails")
