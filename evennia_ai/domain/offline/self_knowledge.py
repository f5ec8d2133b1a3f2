"""Answers without a model about the NPC itself and its place: ways out, wares, what it carries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evennia_ai.core import answer_kinds, languages, synonyms, words
from evennia_ai.domain.memories import relationship, retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import knowledge, matching, persons, questions, telling
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene

# How well a price must fit, beside what fits best, to be told instead.
NEARLY = 0.8
# Names in one list.
LISTED = 6

_WAYS = languages.Pattern("self_knowledge.ways", of_words=True)
_WHAT_IS = languages.Pattern("self_knowledge.what_is")
_DIRECTIONS = languages.Words("self_knowledge.directions")
_ALL_WAYS = languages.Pattern("self_knowledge.all_ways", of_words=True)
_WARES = languages.Pattern("self_knowledge.wares")
_FARE = languages.Pattern("self_knowledge.fare")
_HAVE = languages.Pattern("self_knowledge.have")
_ARTICLE = languages.Pattern("small_talk.article")
_CARRIED = languages.Pattern("self_knowledge.carried", of_words=True)
_TRADES = languages.Pattern("self_knowledge.trades", of_words=True)
_BUYS = languages.Pattern("self_knowledge.buys", of_words=True)
_YOU_BUY = languages.Pattern("self_knowledge.you_buy")
_OF_TRADE = languages.Words("self_knowledge.of_trade", stemmed=True)
_DATE = languages.Pattern("self_knowledge.date", of_words=True)
_ABOUT_NOW = languages.Pattern("self_knowledge.about_now", of_words=True)
# When something happened that is told; "every day" tells how things are.
_HAPPENED = languages.Pattern("self_knowledge.happened", of_words=True)
# Whether it has always done what it does, how that began, and going far.
_ALWAYS = languages.Pattern("self_knowledge.always")
_BEGAN = languages.Pattern("self_knowledge.began")
_TRAVELS = languages.Pattern("self_knowledge.travels")
_GAVE = languages.Pattern("self_knowledge.gave")
_MANNER = languages.Pattern("questions.manner")
# What "I" could buy there is somebody else's.
_THERE = languages.Pattern("questions.there")
_YOU_ARE = languages.Pattern("self_knowledge.you_are")
# To whom a persona speaks.
_YOU = languages.Pattern("telling.you", of_words=True)
_REGARD = languages.Pattern("self_knowledge.regard")


def answer(scene: Scene, question: Question, text: str) -> str:
    """Return what the NPC says of itself or the place, "" if that is not what is asked."""
    if said := regard(scene, text):
        return said
    if question.is_why:
        # What it wears does not tell why.
        return ""
    asks = (
        _sought,
        _date,
        _gave,
        _identity,
        persons.seen_today,
        _ways,
        _carried,
        _wares,
        persons.whereabouts,
    )
    return next((said for ask in asks if (said := ask(scene, question, text))), "")


def past(scene: Scene, question: Question) -> str:
    """Return how the NPC came to its work, or how far it has been, if that is asked and written."""
    if question.whose != "npc" or persons.names_another(question.text, scene.own_names):
        return ""
    is_of_work = all(
        matching.is_light(one) or synonyms.answers(one, tuple(scene.trade), scene.language)
        for one in question.terms
    )
    tells = None
    if _TRAVELS.search(question.text):
        tells = _TRAVELS
    elif is_of_work and _ALWAYS.search(question.text):
        tells = _BEGAN
    own = (one for one in knowledge.lore(scene) if knowledge.is_of_npc(scene, one.text))
    return telling.tell(scene, [one for one in own if tells and tells.search(one.text)][:1])


def _sought(scene: Scene, question: Question, text: str) -> str:
    return ware_of(scene, question.text) if knowledge.SEEKS.match(text) else ""


def known_of(scene: Scene, item: str) -> str:
    """Return what the builder wrote of a thing or a service, what it costs first; "" if nothing."""
    return (
        ware_of(scene, item)
        or telling.tell(scene, _service_of(scene, item)[:1])
        or telling.tell(scene, _written_of(scene, item)[:1])
    )


def _service_of(scene: Scene, deed: str) -> list[Fact]:
    """Return what the builder wrote that it costs to have something done: "Mending costs a silver."."""
    question = questions.read(deed, language=scene.language, names=(scene.name, *scene.own_names))
    if not question.terms or matching.is_light(question.terms[0]):
        return []
    asked = Question(question.text, "price", "", question.terms[:1], scene.language)
    return [fact for fact, _ in matching.best(asked, knowledge.lore(scene))]


def priced_deed(scene: Scene, deed: str) -> str:
    """Return what the builder wrote that it costs to do something with what is not named; "" if nothing."""
    question = questions.read(deed, language=scene.language, names=(scene.name, *scene.own_names))
    asked = " ".join(_of_things(question.terms))
    return telling.tell(scene, _service_of(scene, asked)[:1]) if asked else ""


def ware_of(scene: Scene, item: str) -> str:
    """Return what the builder wrote that a thing costs, or of who sells it; "" if nothing."""
    found = _written_of(scene, item)
    priced = [fact for fact in found if answer_kinds.is_of_type("price", fact.text)]
    sold = [fact for fact in found if _TRADES.search(fact.text)]
    return telling.tell(scene, (priced or sold)[:1])


def has_price(scene: Scene, item: str) -> bool:
    """Return whether the builder wrote what a thing costs."""
    found = _written_of(scene, item)
    return any(answer_kinds.is_of_type("price", fact.text) for fact in found)


def is_priced_lately(scene: Scene, item: str) -> bool:
    """Return whether the speaker was told lately what a thing costs."""
    found = _written_of(scene, item) if item else []
    return any(
        answer_kinds.is_of_type("price", fact.text) and scene.has_said(telling.worded(scene, fact))
        for fact in found
    )


def _written_of(scene: Scene, item: str) -> list[Fact]:
    question = questions.read(item, language=scene.language, names=(scene.name, *scene.own_names))
    # "Open it" names nothing: what else was opened is no answer.
    terms = tuple(one for one in _of_things(question.terms) if not retrieval.is_verb(one))
    asked = Question(question.text, "", "", terms, scene.language)
    # "All your money" is not what a candle costs.
    plain = {Fact(answer_kinds.without_sums(one.text)): one for one in knowledge.lore(scene)}
    return [plain[one] for one in _fitting(matching.best(asked, list(plain)))]


def _fitting(scored: Sequence[tuple[Fact, float]]) -> list[Fact]:
    return [fact for fact, score in scored if score >= NEARLY * scored[0][1]]


def is_carried(scene: Scene, item: str) -> bool:
    """Return whether the NPC has something with it that is called so."""
    return any(_fits(scene, item, str(name)) for name in scene.context.get("carried") or ())


def _of_things(terms: Sequence[str]) -> tuple[str, ...]:
    return tuple(term for term in terms if term not in _OF_TRADE)


def regard(scene: Scene, text: str) -> str:
    """Return what the NPC thinks of whom it speaks with, if that is asked."""
    if not _REGARD.search(text):
        return ""
    speaker = scene.context.get("speaker") or {}
    is_bad = float(speaker.get("disposition") or 0.0) < 0 or knowledge.was_struck(scene, scene.name)
    key = "regard_bad" if is_bad else f"regard_{speaker.get('state')}"
    return scene.line(
        key
        if key in languages.load(languages.DEFAULT).phrases
        else f"regard_{relationship.STRANGER}"
    )


def of_the_world(scene: Scene) -> list[Fact]:
    """Return what the builder wrote, but no prices, as something to tell.

    What happened comes before what is so, and what is about the NPC last.
    """
    free = [
        fact for fact in knowledge.lore(scene) if not answer_kinds.is_of_type("price", fact.text)
    ]
    return sorted(
        free,
        key=lambda one: (knowledge.is_of_npc(scene, one.text), not _HAPPENED.search(one.text)),
    )


def of_itself(scene: Scene) -> list[Fact]:
    """Return what the persona tells of the NPC, as it says it, but for what is meant to be a secret."""
    parts = [str(scene.npc.get(part) or "") for part in ("persona", "background")]
    written = [one for part in parts for one in persons.open_sentences(part)]
    is_own = partial(knowledge.is_of_npc, scene)
    named = persons.with_name(scene, written, is_own=is_own)
    said = [telling.in_first_person(scene, _of_me(scene, one)) for one in named]
    return [Fact(one, is_own=True) for one in said if is_own(one) and not _YOU.search(one)]


def _of_me(scene: Scene, sentence: str) -> str:
    """Return what a persona says to the NPC as it says it itself: "I hate goblins."."""
    if _YOU.search(sentence):
        for theirs, mine in languages.load(scene.language).of_you.items():
            sentence = re.sub(theirs, mine, sentence)
    elif not knowledge.is_of_npc(scene, sentence) and not persons.names_another(sentence, ()):
        # "A fever took her hearing": nobody else is spoken of.
        for theirs, mine in languages.load(scene.language).first_person.items():
            sentence = re.sub(rf"\b{theirs}\b", mine, sentence)
    return sentence


def _date(scene: Scene, question: Question, text: str) -> str:
    if not _DATE.search(text) or not (_ABOUT_NOW.search(text) or len(text.split()) < 4):
        return ""
    date = str(scene.context.get("date") or "")
    return scene.line("date", text=date) if date else scene.line("date_unknown")


def _gave(scene: Scene, question: Question, text: str) -> str:
    if not _GAVE.search(text):
        return ""
    noted = [
        str(memory.get("text") or "")
        for key in ("people", "memories", "near")
        for memory in scene.context.get(key) or ()
    ]
    given = telling.gifts_of(scene.name, noted)
    return telling.of_gifts(scene, given) if given else scene.line("gave_none")


def _identity(scene: Scene, question: Question, text: str) -> str:
    match = _YOU_ARE.fullmatch(text.strip(" .!?"))
    if not match:
        named = any(knowledge.names(text, name) for name in scene.own_names)
        is_name = named and question.whose == "npc" and not (question.terms or question.want)
        return scene.line("yes_self") if is_name and question.is_whether else ""
    what = match["what"]
    terms = retrieval.terms(what, language=scene.language)
    about = persons.open_sentences(str(scene.npc.get("persona") or ""))
    for fact in knowledge.lore(scene):
        if knowledge.is_of_npc(scene, fact.text):
            about += retrieval.sentences(fact.text)
    own = Question(what, "", "npc", tuple(terms), scene.language)
    if terms and matching.best(own, [Fact(one) for one in about]):
        return scene.line("yes_self")
    if match["article"] and terms:
        return scene.line("no_self", text=telling.self_description(scene))
    return ""


def _ways(scene: Scene, question: Question, text: str) -> str:
    exits = [one for one in scene.context.get("exits") or () if one.get("name")]
    asks_way = bool(_WAYS.search(text)) or question.want in ("place", "way")
    if question.whose == "speaker" or question.is_of_somebody:
        return ""
    if not (asks_way or _asks_what_is_there(scene, question)):
        return ""
    if _is_of_thing_there(scene, question):
        return ""
    # "Down" by itself is no word that tells something, and of "the south door" the door is any.
    pointed = {word for word in words.words(text) if word in _DIRECTIONS}
    fitting = [way for way in exits if str(way["name"]).casefold() in pointed] or [
        way
        for way in exits
        if _fits(scene, text, str(way["name"]))
        or asks_way
        and any(
            _fits(scene, text, part, least=synonyms.TOGETHER)
            for part in str(way.get("leads_to") or "").split()
        )
    ]
    if fitting:
        way = fitting[0]
        name = reply.printable(str(way["name"]), max_length=60)
        leads_to = reply.printable(str(way.get("leads_to") or ""), max_length=60)
        if leads_to:
            return scene.line("way", text=name[:1].upper() + name[1:], by=leads_to)
        return scene.line("way_dark", text=name[:1].upper() + name[1:])
    if not _ALL_WAYS.search(text):
        return ""
    told = [
        scene.fill(scene.table("way_to")[0] if way.get("leads_to") else "{text}", **_slots(way))
        for way in exits[:LISTED]
    ]
    return scene.line("ways", text="; ".join(told)) if told else scene.line("ways_none")


def _is_of_thing_there(scene: Scene, question: Question) -> bool:
    """Return whether a thing or somebody is asked for of whom the builder wrote, and a place only beside it."""
    if question.want not in ("place", "person"):
        return False
    found = matching.best(question, knowledge.lore(scene))
    named = {one for one in matching.things(question) if not retrieval.is_verb(one)}
    told = retrieval.terms(found[0][0].text, language=scene.language) if found else []
    ways = " ".join(
        f"{one.get('name')} {one.get('leads_to')}" for one in scene.context.get("exits") or ()
    )
    # Where the NPC gets its flour is not told by the way to the "Flour Cellar".
    is_way = not question.whose and named <= {*retrieval.terms(ways, language=scene.language)}
    return bool(named) and not is_way and named <= {*told}


def _asks_what_is_there(scene: Scene, question: Question) -> bool:
    """Return whether a question names nothing but a way, of which the builder wrote nothing else: "And to the west?"."""
    if question.want or question.whose or not _WHAT_IS.match(question.text):
        return False
    return not matching.best(question, [*knowledge.lore(scene), *knowledge.told(scene)])


def _slots(way: dict[str, Any]) -> dict[str, str]:
    names = {"text": way["name"], "by": way.get("leads_to") or ""}
    return {key: reply.printable(str(name), max_length=60) for key, name in names.items()}


def _carried(scene: Scene, question: Question, text: str) -> str:
    if not _CARRIED.search(text) or question.whose != "npc" or _MANNER.match(question.text):
        return ""
    names = [str(one) for one in scene.context.get("carried") or ()]
    return _has_with_it(scene, names) if names else scene.line("carried_none")


def _has_with_it(scene: Scene, names: Sequence[str]) -> str:
    told = [_as_one(scene, reply.printable(name, max_length=60)) for name in names[:LISTED]]
    return scene.line("carried", text=scene.listed(told))


def _as_one(scene: Scene, name: str) -> str:
    """Return the name of a thing as Evennia calls one of its kind in English, "a lamp", but for names and for many."""
    is_one = name.islower() and (name.endswith("ss") or not name.endswith("s"))
    if scene.language != languages.DEFAULT or not is_one or _ARTICLE.match(name):
        return name
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _wares(scene: Scene, question: Question, text: str) -> str:
    sells, has = bool(_WARES.search(text)), bool(_HAVE.match(question.text))
    # What "he" buys, or "I", is somebody else's.
    is_other = question.is_of_somebody or question.whose == "speaker"
    is_other = (
        is_other or not question.whose and persons.names_another(question.text, scene.own_names)
    )
    is_other = is_other or not question.whose and bool(_THERE.search(question.text))
    is_other = is_other or question.want in ("price", "place", "when", "person")
    if not (sells or has) or is_other:
        return ""
    item = tuple(one for one in _of_things(question.terms) if not retrieval.is_verb(one))
    food = questions.key_terms(" ".join(_FARE.findall(text)), scene.language)
    facts = knowledge.lore(scene)
    if wanted := (item or tuple(food)):
        asked = replace(question, want="", whose="", terms=wanted, asked=frozenset())
        found = _fitting(matching.best(asked, facts))
        priced = [fact for fact in found if answer_kinds.is_of_type("price", fact.text)]
        if found:
            return telling.tell(scene, (priced or found)[:1])
        if is_carried(scene, question.text):
            return _carried_line(scene, question.text)
    if not sells:
        return ""
    buys = bool(_YOU_BUY.search(text))
    told = _dealt_in(scene, _BUYS if buys else _TRADES, priced=not wanted)
    return telling.tell(scene, told) if told else scene.line("trade_none")


def sold_here(scene: Scene) -> str:
    """Return what the builder wrote that the NPC sells, or what costs something; "" if nothing."""
    return telling.tell(scene, _dealt_in(scene, _TRADES, priced=True))


def _dealt_in(scene: Scene, deals: re.Pattern[str], *, priced: bool) -> list[Fact]:
    """Return the fact that tells what the NPC deals in, else those that tell a price."""
    facts = knowledge.lore(scene)
    trade = [
        fact for fact in facts if deals.search(fact.text) and knowledge.is_of_npc(scene, fact.text)
    ]
    prices = [fact for fact in facts if priced and answer_kinds.is_of_type("price", fact.text)]
    return trade[:1] or prices[:2]


def _carried_line(scene: Scene, item: str) -> str:
    names = [str(one) for one in scene.context.get("carried") or () if _fits(scene, item, str(one))]
    return _has_with_it(scene, names)


def _fits(scene: Scene, words: str, name: str, *, least: float = synonyms.PART) -> bool:
    """Return whether words name a thing or a place: by all of its telling words, or its last one."""
    if not name:
        return False
    wanted = questions.key_terms(words, scene.language)
    called = retrieval.terms(name, language=scene.language)
    return any(
        synonyms.answers(term, (called[-1],), scene.language) >= least for term in wanted if called
    )
