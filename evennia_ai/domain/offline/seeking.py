"""Answers to somebody who needs, looks for or has heard something, and asks nothing, from what the builder wrote."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from evennia_ai.core import answer_kinds, languages, synonyms
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import (
    echoes,
    finding,
    knowledge,
    matching,
    relevance,
    self_knowledge,
    telling,
    utterances,
)
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.utterances import Utterance
from evennia_ai.domain.offline.voice import Scene

# What tells that there is something to do for others, and to earn.
_NEEDED = languages.Pattern("seeking.needed", of_words=True)
# Characters in which somebody says what ails them.
TOLD = 2_000


def known(scene: Scene, said: Utterance) -> str:
    """Return what the NPC knows that answers what is neither a question, a request nor a greeting."""
    if said.topic in ("work", "advice"):
        return work(scene)
    if said.topic == "help":
        return helped(scene, said.text)
    if said.kind != "statement" or echoes.is_babble(scene, said.text):
        return ""
    known = sought(scene, said.text)
    return known or (helped(scene, said.text) if echoes.mood(said) else "")


def nearest(scene: Scene, question: Question, whole: str) -> str:
    """Return what the builder wrote that is nearest in meaning to a question, with what was said beside it."""
    terms = tuple(dict.fromkeys([*question.terms, *knowledge.ask(scene, whole).terms]))
    says_more = len(terms) > len(question.terms)
    if question.whose == "speaker":
        return ""
    if (question.is_of_it or question.is_of_somebody) and not says_more:
        return ""
    if all(retrieval.is_verb(term) or matching.is_light(term) for term in terms):
        return ""
    facts = knowledge.lore(scene)
    if question.whose == "npc":
        facts = [fact for fact in facts if knowledge.of_npc(scene, fact).is_own]
    found = matching.nearest(replace(question, text=whole, terms=terms), facts)
    is_answer = found is not None and relevance.is_answer(scene, question, found)
    return telling.tell(scene, [found]) if found and is_answer else ""


def sought(scene: Scene, text: str) -> str:
    """Return what the builder wrote of what somebody needs, looks for or has heard; "" if nothing."""
    hearsay = knowledge.HEARSAY.match(text)
    asked = text[hearsay.end() :] if hearsay else text
    question = replace(knowledge.ask(scene, asked), want="", whose="")
    if echoes.is_ailing(text):
        ails = " ".join(knowledge.AILS.findall(text))
        # "I broke my wrist" is not told by what else was broken.
        ill = retrieval.terms(ails, language=scene.language)
        question = replace(question, terms=tuple(one for one in ill if not retrieval.is_verb(one)))
    is_need = utterances.classify(text, names=scene.called).topic == "ails"
    if known := _wondered(scene, text):
        return known
    helpers = helping(scene, text)
    help_for_it = telling.tell(scene, helpers)
    if echoes.is_ailing(text) and help_for_it:
        # "I am a healer" alone is no answer to "I have a headache".
        pity = scene.line("ails_helped") if helpers[0].is_own else ""
        return f"{pity} {help_for_it}".strip()
    if not (
        is_need
        or hearsay
        or echoes.is_ailing(text)
        or knowledge.SEEKS.match(text)
        or utterances.is_question(text)
    ):
        return help_for_it
    found = finding.find(scene, question, knowledge.lore(scene))[:1]
    if echoes.is_ailing(text):
        # What ails others is no help.
        found = [one for one in found if not answer_kinds.is_of_type("trouble", one.text)]
    if hearsay or is_need and not echoes.is_ailing(text):
        found = [one for one in found if relevance.tells_it(question, one)]
        return telling.tell(scene, found) or help_for_it
    return telling.tell(scene, found) or help_for_it or nearest(scene, question, text)


def work(scene: Scene) -> str:
    """Return what the builder wrote that the NPC, else somebody, needs done or pays for; "" if nothing."""
    wanted = [one for one in knowledge.lore(scene) if _NEEDED.search(one.text)]
    own = [one for one in wanted if knowledge.is_of_npc(scene, one.text)]
    return telling.tell(scene, [*own, *wanted][:1])


def _wondered(scene: Scene, text: str) -> str:
    """Return what answers somebody who tells that they do not know it: "I have no idea where the smith is"."""
    asks = knowledge.WONDERS.match(text)
    if not asks:
        return ""
    rest = text[asks.end() :]
    question = knowledge.ask(scene, rest)
    way = replace(question, want="place") if asks.groupdict().get("place") else question
    return (
        self_knowledge.answer(scene, way, rest)
        or telling.tell(scene, finding.find(scene, question))
        or telling.tell(scene, _helping(scene, rest))
    )


def beside(scene: Scene, asked: str) -> str:
    """Return what helps with the trouble that somebody tells of beside a question: "My boot is torn. Know anyone?"."""
    said = [one for part in scene.heard for one in retrieval.sentences(part)]
    told = [one for one in said if asked not in one or knowledge.AILING.match(asked)]
    return next((telling.tell(scene, found) for one in told if (found := helping(scene, one))), "")


def helping(scene: Scene, text: str) -> list[Fact]:
    """Return what the builder wrote of who or what helps with a trouble: of the smith, to whom a shoe is lost."""
    in_need = knowledge.LACKS.search(text) or echoes.is_ailing(text)
    return _helping(scene, text) if in_need and not echoes.is_of_listener(text) else []


def _helping(scene: Scene, text: str) -> list[Fact]:
    language, helpers = scene.language, defaultdict(float)
    for term in retrieval.terms(text, language=language):
        for one, worth in synonyms.helping(term, language).items():
            helpers[one] = max(worth, helpers[one])
    # A smith is told of a blunt axe for its own trade.
    written = [*self_knowledge.of_itself(scene), *knowledge.lore(scene)]
    worths = [
        sum(helpers.get(one, 0.0) for one in {*retrieval.terms(fact.text, language=language)})
        for fact in written
    ]
    best = max(worths, default=0.0)
    return [written[worths.index(best)]] if best else []


def helped(scene: Scene, text: str) -> str:
    """Return what the builder wrote that helps with what ails somebody, or that it is a pity; "" if nothing ails."""
    if found := helping(scene, text):
        return telling.tell(scene, found)
    ails = " ".join(knowledge.AILS.findall(scene.text[:TOLD]))
    terms = tuple(retrieval.terms(ails, language=scene.language))
    if not terms:
        return ""
    question = replace(knowledge.ask(scene, ails), want="", whose="", terms=terms)
    found = finding.find(scene, question, knowledge.lore(scene))
    return telling.tell(scene, found[:1]) or scene.line("ails")
