"""Answers from what an NPC knows: its own lore first, then others' words with their source, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from evennia_ai.core import answer_kinds, languages
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import (
    echoes,
    family,
    finding,
    knowledge,
    matching,
    persons,
    seeking,
    self_knowledge,
    telling,
    trading,
    utterances,
)
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.utterances import Utterance
from evennia_ai.domain.offline.voice import REPLY_LENGTH, Scene, is_same, quoted

# Facts that one answer tells, and among how many there may be more to tell.
QUOTES, MORE = 2, 6
# Characters that "because" takes at most, and words that it makes small.
BECAUSE_LENGTH = 15
_HOW_LONG = ("duration", "distance")
_AFTER_BECAUSE = languages.Words("answers.after_because")

_YOU = languages.Words("answers.you")
_ANYBODY = languages.Words("answers.anybody")
# What people call the place where they stand.
_THIS_PLACE = languages.Pattern("answers.this_place")
_REASON = languages.Pattern("answers.reason", of_words=True)
_YES_OR_NO = languages.Pattern("answers.yes_or_no")
# "How would one get him out?" is told by nothing that was spoken of before.
_HOW_TO = languages.Pattern("answers.how_to")
_CLAUSE = languages.Pattern("answers.clause")
_TELLS = languages.Pattern("answers.tells")
_ARTICLE = languages.Pattern("answers.article")


def known(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC knows that answers a question; "" if nothing does."""
    special = _SPECIAL.get(asked.topic)
    if said := special(scene, asked) if special else "":
        return said
    question = knowledge.ask(scene, asked.text)
    if asked.topic == "why" or question.is_why and all(map(_says_little, question.terms)):
        # "Why there, of all places?" asks what "why?" does.
        return "" if special else _why(scene, asked)
    if echoes.is_echo(scene, asked):
        return scene.line("doubt")
    whole, asked = asked.text, _without_preface(scene, asked)
    question = knowledge.ask(scene, asked.text)
    whole = whole if question.points_back else asked.text
    if (question.want, question.whose) == ("occupation", "npc"):
        is_open = not _YES_OR_NO.match(question.text)
        said = self_knowledge.past(scene, question)
        if said := said or is_open and _name_of_npc(scene, asked):
            return said
        question = replace(question, want="")
    if _HOW_TO.match(question.text) and not (question.terms or question.want):
        return self_knowledge.answer(scene, question, asked.text)
    said = family.answer(scene, question)
    said = said or self_knowledge.answer(scene, question, asked.text)
    said = said or self_knowledge.past(scene, question)
    said = said or telling.tell(scene, finding.find(scene, question))
    if not said and _unknown_of_somebody(scene, question):
        return ""
    said = said or _from_the_rest(scene, asked)
    said = said or _of_its_kind(scene, question, asked)
    beside = scene.told_beside(asked.text) if question.points_back or not question.terms else []
    if said or beside or retrieval.terms(asked.text):
        return (
            said
            or _from_memory(scene, asked.text)
            or seeking.nearest(scene, question, " ".join([*beside, whole]))
        )
    # "Where is it?" is about what was talked of before.
    return "" if question.want and question.whose else _more(scene, question.want)


def _of_its_kind(scene: Scene, question: Question, asked: Utterance) -> str:
    """Return the one price, or how long the NPC takes, where nothing is named: "How long does that take?"."""
    if question.want == "price" and all(map(retrieval.is_verb, question.terms)):
        return trading.prices(scene, asked.text)
    if question.want not in _HOW_LONG or not all(map(_says_little, question.terms)):
        return ""
    written = (
        one for one in knowledge.lore(scene) if answer_kinds.is_of_type("duration", one.text)
    )
    own = [one for one in written if knowledge.is_of_npc(scene, one.text)]
    return telling.tell(scene, own) if len(own) == 1 else ""


def _says_little(term: str) -> bool:
    return retrieval.is_weak(term) or retrieval.is_verb(term) or matching.is_light(term)


def unknown(scene: Scene, asked: Utterance) -> str:
    """Return that the NPC does not know, by what is asked, with what it knows of the same thing."""
    if asked.topic == "why":
        key = "unknown_why" if knowledge.last_told(scene) else "so_it_is"
        return scene.line(key if scene.lines_to_speaker else "vague")
    asked = _without_preface(scene, asked)
    question = knowledge.ask(scene, asked.text)
    if _HOW_TO.match(question.text) and not (question.terms or question.want):
        return scene.line("vague")
    if about := finding.partly(scene, question):
        return telling.partly(scene, question, about)
    if said := _unknown_of_somebody(scene, question):
        return said
    if retrieval.terms(asked.text) or question.want and question.whose:
        return telling.unknown(scene, question)
    return scene.line("vague")


def _unknown_of_somebody(scene: Scene, question: Question) -> str:
    """Return that nothing answers a question about "her", by what is asked, or whom it means; "" for others."""
    known = finding.whom_of(scene, question)
    if not known and (kin := finding.unknown_kin(scene, question)):
        return telling.unknown_kin(scene, kin)
    if not known:
        is_bare = all(map(retrieval.is_verb, question.terms))
        return scene.line("whom") if is_bare and persons.is_of_somebody(question.text) else ""
    return telling.unknown_of(scene, question, known[0])


def _without_preface(scene: Scene, asked: Utterance) -> Utterance:
    """Return a question without what somebody told beside it, if it names its thing itself."""
    plain = knowledge.ask(scene, asked.text).text
    *before, last = _CLAUSE.split(plain)
    if before and _is_told_after(asked.text):
        last = _CLAUSE.split(asked.text)[0]
    elif not before or not _TELLS.match(plain) or not utterances.is_question(last):
        return asked
    terms = knowledge.ask(scene, last).terms
    return asked if all(map(retrieval.is_verb, terms)) else replace(asked, text=last)


def _is_told_after(text: str) -> bool:
    """Return whether a question comes first, and what is told of oneself after it: "I need a healer, my …"."""
    first, *rest = _CLAUSE.split(text)
    asks = not any(map(utterances.is_question, rest))
    return asks and utterances.is_question(first) and any(map(_TELLS.match, rest))


def _from_the_rest(scene: Scene, asked: Utterance) -> str:
    """Return what answers a question whose thing was named beside it: "My head aches, what helps?"."""
    *before, last = _CLAUSE.split(asked.text)
    question = knowledge.ask(scene, last)
    if not all(map(retrieval.is_verb, question.terms)):
        return ""
    for clause in (*reversed(before), *reversed(scene.told_beside(asked.text))):
        # Of whom it is told does not matter: they want to hear what the NPC has to say to it.
        told = knowledge.ask(scene, clause)
        things = tuple(one for one in told.terms if not retrieval.is_verb(one))
        about = replace(told, want=question.want, whose="", terms=things, loose=frozenset(things))
        if about.terms and (found := finding.find(scene, about, knowledge.lore(scene))):
            return telling.tell(scene, found)
    return ""


def from_memory(scene: Scene, query: str) -> str:
    """Return what answers a query, or that there is nothing."""
    return _from_memory(scene, query) or scene.line("unknown", own="unknown_lines")


def _from_memory(scene: Scene, query: str) -> str:
    told = _from_facts(scene, query)
    if not told and scene.place:
        # "This inn" is a thing that lore knows by its name.
        named = _THIS_PLACE.sub(lambda match: scene.place, query)
        told = _from_facts(scene, named) if named != query else ""
    return told


def _from_facts(scene: Scene, query: str) -> str:
    return telling.tell(scene, finding.find(scene, knowledge.ask(scene, query)))


def _untold(scene: Scene, facts: Iterable[Fact], *, limit: int = QUOTES) -> str:
    """Tell the first of some facts that the NPC has not just told, all from one person."""
    fresh = [fact for fact in facts if not scene.has_said(fact.text.rstrip("."))]
    return telling.tell(scene, [fact for fact in fresh if fact.by == fresh[0].by][:limit])


def _name_of_npc(scene: Scene, asked: Utterance) -> str:
    said = scene.line("self", text=telling.self_description(scene))
    if telling.self_description(scene) != scene.own_name:
        return said
    # "Mara keeps the light" is said in a sentence of its own.
    return f"{said} {telling.tell(scene, self_knowledge.of_itself(scene)[:1])}".strip()


def _what_is_known_of_speaker(scene: Scene, asked: Utterance) -> str:
    known = knowledge.of_person(scene, scene.name)
    return _untold(scene, known) or telling.tell(scene, known[:1]) or scene.line("me_nothing")


def _place(scene: Scene, asked: Utterance) -> str:
    if not scene.place:
        return scene.line("place_unknown")
    question = knowledge.ask(scene, scene.place)
    found = finding.find(scene, question, knowledge.lore(scene))
    # Of the "Ferry Landing" it is not told when the ferry goes.
    own = {*question.terms}
    named = [
        one for one in found if own.intersection(retrieval.terms(one.text, language=scene.language))
    ]
    told = telling.tell(scene, named[:1])
    return f"{scene.line('place', text=scene.place)} {told}".strip()


def _who_is_here(scene: Scene, asked: Utterance) -> str:
    people = scene.people_here[:6]
    return scene.line("here", text=scene.listed(people)) if people else scene.line("here_none")


def _somebody_or_something(scene: Scene, asked: Utterance) -> str:
    """Answer "who is X" and "where is X": from memory, else from who is present."""
    who = _ARTICLE.sub("", asked.slots.get("who", "")).casefold()
    if who in utterances.ONESELF:
        return scene.line("my_name", name=scene.name)
    if who in _YOU or any(who == name.casefold() for name in scene.own_names):
        return _name_of_npc(scene, asked)
    # A thing is called as the speaker called it, with its article.
    present = [
        asked.slots["who"] if being.get("kind") == "object" else being["name"]
        for being in scene.context.get("present") or ()
        if being.get("kind") != "exit"
        and is_same(who, _ARTICLE.sub("", str(being.get("name") or "")))
    ]
    here = scene.line("right_here", text=quoted(present[0])) if present else ""
    if here and asked.topic == "where":
        return here
    if said := self_knowledge.answer(scene, knowledge.ask(scene, asked.text), asked.text):
        return said
    return _from_facts(scene, asked.text) or here


def _said_by(scene: Scene, asked: Utterance) -> str:
    """Answer "what did X tell you about Y"."""
    who, about = asked.slots.get("who", "").casefold(), asked.slots.get("about", "")
    if who in _YOU and not about:
        last = scene.own_lines[-1:]
        return scene.line("own_said", text=quoted(last[0])) if last else scene.line("own_said_none")
    if who in utterances.ONESELF and not about:
        return _last_said(scene)
    if who in _ANYBODY or who in _YOU:
        return from_memory(scene, about or asked.text)
    by = scene.name if who in utterances.ONESELF else _ARTICLE.sub("", asked.slots.get("who", ""))
    theirs = [fact for fact in knowledge.of_person(scene, by) if is_same(fact.by, by)]
    if about:
        told = telling.tell(scene, finding.find(scene, knowledge.ask(scene, about), theirs))
    else:
        told = _untold(scene, theirs) or telling.tell(scene, theirs[:1])
    if told or who in utterances.ONESELF:
        return told or scene.line("just_said_none")
    return scene.line("unknown_by", by=reply.printable(by, max_length=40))


def _last_said(scene: Scene) -> str:
    words = quoted(scene.said_by_speaker[-1]) if scene.said_by_speaker else ""
    return scene.line("just_said", text=words) if words else scene.line("just_said_none")


def _more(scene: Scene, want: str = "") -> str:
    """Return what fits the last question, is of the kind that is wanted now, and has not been told."""
    before = [str(line.get("text") or "") for line in scene.conversation if not line.get("mine")]
    read = [(said, utterances.classify(said, names=scene.called)) for said in reversed(before)]
    said, asked = next((one for one in read if one[1].topic != "more"), ("", None))
    if asked is None or asked.kind != "question":
        return ""
    if asked.topic == "news":
        return _told_news(scene)
    question = knowledge.ask(scene, said)
    if question.is_of_somebody:
        return ""
    found = [fact for fact in finding.find_all(scene, question) if fact.text not in said]
    if want == "price":
        found = [fact for fact in found if answer_kinds.is_of_type(want, fact.text)]
    return _untold(scene, found[:MORE], limit=1)


def _news(scene: Scene, asked: Utterance) -> str:
    return _told_news(scene) or scene.line("news_none")


def _told_news(scene: Scene) -> str:
    told = [fact for fact in knowledge.told(scene) if not is_same(fact.by, scene.name)]
    told = [fact for fact in told if knowledge.stands_alone(scene, fact)]
    newest = sorted(told, key=lambda fact: fact.timestamp, reverse=True)
    # Who somebody is, is less of a news than what they saw.
    newest.sort(key=persons.is_of_teller)
    # One at a time: whoever wants more asks again. What it knows for long will do where nothing is new.
    return _untold(scene, newest, limit=1) or _untold(
        scene, self_knowledge.of_the_world(scene), limit=1
    )


def _opinion(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC has concluded; about a thing, what it knows will do as well."""
    thoughts = list(filter(knowledge.is_insight, knowledge.told(scene)))
    about = asked.slots.get("about", "")
    if about.casefold() in utterances.ONESELF:
        return self_knowledge.regard(scene, asked.text) or _what_is_known_of_speaker(scene, asked)
    if about:
        question = knowledge.ask(scene, about)
        found = finding.find(scene, question, thoughts)
        if not found:
            return _of_no_opinion(scene, question, about)
        others = [one for one in knowledge.told(scene) if one.by and one not in thoughts]
        since = finding.find(scene, question, others)
        newer = [one for one in since if one.timestamp > found[0].timestamp]
        return f"{telling.tell(scene, found)} {telling.tell(scene, newer[:1])}".strip()
    return _untold(scene, thoughts, limit=1)


def _liking(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC thinks of somebody who is known here, or what is written of whom or what it goes on about."""
    if finding.asked_of(scene, knowledge.ask(scene, asked.slots["about"])):
        return _opinion(scene, asked)
    written = knowledge.lore(scene)
    for found in finding.find(scene, knowledge.ask(scene, asked.text), written)[:1]:
        # "My grandson wants to be a soldier. I think him a fool."
        whole = [one for one in written if one.text.startswith(f"{found.text} ")]
        return telling.tell(scene, whole[:1])
    return ""


def _of_no_opinion(scene: Scene, question: Question, about: str) -> str:
    """Return what will do for an opinion: of a thing, what is known; of a person, not what they happened to say."""
    who = finding.asked_of(scene, question)
    if not who and question.is_of_somebody:
        # "What do you think of him?" may be of who was here just before.
        named = (one.called for one in finding.whom_of(scene, question) if one.names)
        who = next(named, persons.last_seen(scene))
    if not who:
        return from_memory(scene, about)
    if knowledge.was_struck(scene, who):
        return scene.line("opinion_bad", by=who)
    lasting = [
        one
        for one in knowledge.of_person(scene, who)
        if not one.by and one.kind not in knowledge.SEEN
    ]
    return telling.tell(scene, lasting[:1]) or scene.line("opinion_none", by=who)


def _why(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC has it from that it told last, or the reason that its builder wrote there."""
    last = knowledge.last_told(scene)
    if last and last.by and knowledge.ask(scene, asked.text).want == "person":
        return telling.tell(scene, [last])
    reasons = [fact for fact in knowledge.told_lately(scene) if _REASON.search(fact.text)]
    if reasons:
        return telling.tell(scene, reasons[:1])
    if not scene.context.get("asked_why"):
        return ""
    said = ""
    for memory in scene.context.get("memories") or ():
        line = telling.reason(scene, memory)
        if not said or len(said) + len(line) < REPLY_LENGTH - BECAUSE_LENGTH:
            said = f"{said} {line}".strip()
    first = said.split(" ", 1)[0]
    said = f"{first.lower()}{said[len(first) :]}" if first.casefold() in _AFTER_BECAUSE else said
    return scene.line("because", text=said) if said else ""


_SPECIAL: dict[str, Callable[[Scene, Utterance], str]] = {
    "how": lambda scene, asked: scene.line("how"),
    "self": _name_of_npc,
    "my_name": lambda scene, asked: scene.line("my_name", name=scene.name),
    "remember": lambda scene, asked: scene.line(
        "remember_yes" if scene.is_known else "remember_no"
    ),
    "me": _what_is_known_of_speaker,
    "place": _place,
    "here": _who_is_here,
    "who": _somebody_or_something,
    "where": _somebody_or_something,
    "said_by": _said_by,
    "opinion": _opinion,
    "liking": _liking,
    "promise": lambda scene, asked: scene.line("promise_no"),
    "promised": telling.promised,
    "owed": telling.owed,
    "why": _why,
    "more": lambda scene, asked: _more(scene) or scene.line("more_none"),
    "news": _news,
}
