"""Referents of "he", "her" and "it" in a talk, and the facts that answer of them.

It is read from what was said between the two, and kept nowhere: who hears the talk may know it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from evennia_ai.core import answer_kinds, languages, senses, words
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import knowledge, persons
from evennia_ai.domain.offline.matching import Fact, best, is_light, shared
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene, is_same, once_of_scene

# Characters of a name at most.
NAME = 60
# Words of English of which none is taken for a name at the beginning of a sentence: the commonest.
COMMON = 6_000
# Lines of a talk in which it is looked for whom "he" stands for, and sentences after which who was found will do.
LINES, ENOUGH = 16, 8
_CAPITAL = re.compile(r"[A-ZÅÄÖ][\w-]+")
_PRONOUNS = {one: languages.Pattern(f"persons.is_{one}", of_words=True) for one in ("he", "she")}
_BEGINS_AGAIN = languages.Pattern("persons.begins_again", of_words=True)
_POINTS_AT_IT = languages.Pattern("persons.points_at_it", of_words=True)
# "Man" is also whoever it may be, in Swedish.
_ONLY_OWN = languages.Pattern("persons.only_own", of_words=True)
# "Who is that?", of whom a fact speaks that was told.
_IS_THAT = languages.Pattern("persons.is_that")
_SEEN = languages.Pattern("knowledge.any_sign")
_MET, _TO_THEM = map(languages.Pattern, ("questions.met", "questions.to_them"))
_HIM, _HIS, _OWN, _YOUR = (
    languages.Pattern(f"persons.{one}", of_words=True) for one in ("him", "his", "own", "your")
)
# What stands between two words for one person: "a pedlar called Jessop", "Thorne is a hard man".
_JOINS = languages.Pattern("persons.joins")
_AMOUNTS_TO = languages.Pattern("persons.amounts_to")
_ONESELF = languages.Pattern("persons.oneself")
# Capitalised words that are of a place.
_AT = languages.Pattern("persons.at")
# How words end that are no names, though a sentence begins with them.
_NO_NAME, _ORDERED = map(languages.Pattern, ("persons.no_name", "persons.ordered"))
_GIVEN = languages.Pattern("persons.given", of_words=True)
_LETTERS = re.compile(r"[^\W\d_][\w'’-]*")
# What stands before and behind a word by which somebody is spoken to.
_CALLED, _ENDS = re.compile(r"(?:\A|[,.!?;])\W*\Z"), re.compile(r"\W*(?:[,.!?;]|\Z)")
# Whose "my friend" is: of whom the NPC talks with, its own, or somebody else's.
SPEAKER, NPC, OTHER = "speaker", "npc", "other"


@dataclass(frozen=True)
class Person:
    """Somebody who is spoken of: by name, by what they are ("husband"), whose they are, and "he" or "she"."""

    names: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    whose: str = ""
    sex: str = ""
    # The word by which they were spoken of without a name: "drummer".
    noun: str = ""
    # Whether only something of theirs is spoken of: "my brother's bench".
    is_owner: bool = False

    @property
    def called(self) -> str:
        """What somebody is called to whom it is told, "" where there is no name."""
        is_title = self.names and self.noun[:1].isupper()
        return " ".join([self.noun, *self.names] if is_title else self.names)

    def is_same(self, other: Person) -> bool:
        """Return whether two may be one person."""
        if set(self.names) & set(other.names):
            return True
        is_other = self.names and other.names or self.whose != other.whose
        return not is_other and bool(set(self.roles) & set(other.roles))

    def is_among(self, places: Collection[str]) -> bool:
        """Return whether nothing is known but names, and these are of places."""
        return not (self.roles or self.sex) and bool(self.names) and {*self.names} <= {*places}

    def may_be(self, sex: str) -> bool:
        """Return whether somebody may be meant by "he" or "she"."""
        return not self.sex or not sex or self.sex == sex


def told_of_any(
    scene: Scene,
    whom: Sequence[Person],
    question: Question,
    facts: Sequence[Fact],
) -> list[tuple[Fact, float]]:
    """Return what answers a question about whoever was spoken of last, or about whom before has what it names."""
    # "What was in his pack?" is told of whoever had one, "How much does he owe?" of whoever owes something.
    is_of_theirs = bool(_HIS.search(question.text))
    things = [one for one in question.terms if is_of_theirs and not retrieval.is_verb(one)]
    things = things or [one for one in question.terms if not is_light(one)]
    for at, person in enumerate(whom):
        found = _told_of(scene, person, question, facts)
        stems = {*retrieval.terms(found[0][0].text, language=scene.language)} if found else set()
        if found and (not at or things and stems.issuperset(things)):
            return found
    return []


def told_of_named(
    scene: Scene, question: Question, facts: Sequence[Fact]
) -> list[tuple[Fact, float]]:
    """Return what answers a question about "your brother", where it is told by his name alone."""
    spoken = mentions(scene, question.text, mine=SPEAKER, yours=NPC)
    if len(spoken) != 1 or not spoken[0].roles or spoken[0].names:
        return []
    person = _known(scene, spoken[0], facts)
    terms = tuple(term for term in question.terms if term not in person.roles)
    by_name = replace(person, roles=())
    known = [replace(one, is_own=True) for one in facts_of(scene, by_name, facts)]
    rest = replace(question, terms=terms, whose="", lesser=frozenset())
    if not person.names or not (terms or question.want):
        return []
    return best(rest, known) if terms else _told_of(scene, by_name, rest, facts)


def _told_of(
    scene: Scene, person: Person, question: Question, facts: Sequence[Fact]
) -> list[tuple[Fact, float]]:
    """Return what answers a question about "him" or "her", where it is known who that is; nothing of others."""
    known = [replace(fact, is_own=True) for fact in facts_of(scene, person, facts)]
    # What begins with somebody tells more of them than what only names them.
    known.sort(key=lambda one: not begins_with(scene, person, one))
    if question.whose == NPC and not question.want and _TO_THEM.search(question.text):
        # Whether the NPC hates him is not told by whom he hates.
        known = [one for one in known if knowledge.is_of_npc(scene, one.text)]
    fresh = [one for one in known if not scene.has_said(one.text.rstrip("."))]
    answers = best(replace(question, whose="", lesser=frozenset()), known)
    if _MET.match(question.text):
        # They have met whom they had to do with.
        return [(one, 1.0) for one in known if knowledge.is_of_npc(scene, one.text)][:1]
    if _SEEN.match(question.text) and not question.terms:
        # Who they are does not tell whether they were seen.
        return []
    if not question.want and answers and scene.has_just_said(answers[0][0].text.rstrip(".")):
        # "How did he die?" after it was told that he is dead: what else is told of it.
        answers = [(one, 1.0) for one in fresh if _goes_on_about(one.text)] or answers
    if not answers and question.want == "price":
        # "How much does he owe you?" may be told by no sum.
        plain = replace(question, want="", whose="", lesser=frozenset())
        answers = best(plain, known)
    if not answers and question.want and not question.terms:
        # "What does he want for it?" is told by any sum that is told of him.
        answers = [(one, 1.0) for one in known if answer_kinds.is_of_type(question.want, one.text)]
    return answers or _told_anyhow(scene, person, question, facts, known)


def _told_anyhow(
    scene: Scene,
    person: Person,
    question: Question,
    facts: Sequence[Fact],
    known: Sequence[Fact],
) -> list[tuple[Fact, float]]:
    """Return what else is told of somebody that will do for an answer, where nothing is as it was asked."""
    if question.want == "name":
        known = [one for one in known if any(who.names for who in mentions(scene, one.text))]
    is_open = not question.terms and question.want in ("", "person")
    if is_open or question.want in ("occupation", "name"):
        fresh = [one for one in known if not scene.has_said(one.text.rstrip("."))]
        just_told = (scene.has_just_said(one.text.rstrip(".")) for one in known[:1])
        is_new = question.want != "person" or any(just_told)
        told = fresh if fresh and is_new else known
        if question.want == "occupation":
            # "The miller Holt" tells what he does.
            told = sorted(known, key=lambda one: not _tells_role(scene, person, one))
        return [(one, 1.0) for one in sorted(told, key=lambda one: -shared(question, one))[:1]]
    if question.want == "place" and all(map(is_light, question.terms)):
        # "Ebba at Nynäs is rich": where she lives is told by that.
        at = [one for one in known if begins_with(scene, person, one)]
        return [(one, 1.0) for one in at if _AT.only(scene.language).search(one.text)][:1]
    if question.want == "person":
        # "Bandits did it": who it was is told of what was done.
        at = {facts.index(one) + 1 for one in facts_of(scene, person, facts)}
        after = [one for place, one in enumerate(facts) if place in at and not one.by]
        after = [one for one in after if _POINTS_AT_IT.search(one.text)]
        again = [one for one in known if _BEGINS_AGAIN.match(one.text)]
        with_others = [one for one in again if mentions(scene, one.text)]
        return [(one, 1.0) for one in [*after, *with_others]][:1]
    return []


def _tells_role(scene: Scene, person: Person, fact: Fact) -> bool:
    said = (one for one in mentions(scene, fact.text, yours="") if person.is_same(one))
    return any(one.names and one.roles for one in said)


def begins_with(scene: Scene, person: Person, fact: Fact) -> bool:
    """Return whether somebody is the first of whom a fact speaks, and by which it is told who they are."""
    spoken = mentions(scene, fact.text, yours="")
    return bool(fact.by or spoken and person.is_same(spoken[0]) and not spoken[0].is_owner)


def _goes_on_about(text: str) -> bool:
    return bool(_BEGINS_AGAIN.match(text) or _POINTS_AT_IT.search(text))


def found(scene: Scene, text: str, facts: Sequence[Fact] = ()) -> list[Person]:
    """Return whom "he" or "her" may stand for in a question, the one who was spoken of last first."""
    pronouns = _pronouns(scene, text) or ([(0, "")] if _IS_THAT.match(text) else [])
    if not pronouns or mentions(scene, text[: pronouns[0][0]]):
        return []
    sex, whom = pronouns[0][1], []
    places, known = persons.places_in(scene, facts), persons.names_in(scene, facts)
    for at, (line, mine, yours) in enumerate(_talked(scene, text)):
        if whom and at >= ENOUGH:
            break
        spoken = [
            _known(scene, one, facts) for one in mentions(scene, line, mine=mine, yours=yours)
        ]
        fitting = [one for one in spoken if one.may_be(sex) and not one.is_among(places)]
        fitting = [one for one in fitting if one.roles or one.sex or known.intersection(one.names)]
        # Of "the drummer of the king's band" the drummer is meant, and a bare name may be of a place.
        whom += sorted(fitting, key=lambda one: (one.is_owner, not (one.sex or one.roles)))
    last = knowledge.last_told(scene)
    if last and last.by and not is_same(last.by, scene.name):
        # "I have it from Pell": he is Pell, if nobody else was spoken of there.
        place = 0 if not mentions(scene, last.text, mine=OTHER) else len(whom)
        whom.insert(place, Person((last.by,)))
    return [one for at, one in enumerate(whom) if not any(map(one.is_same, whom[:at]))]


@once_of_scene
def mentions(scene: Scene, text: str, *, mine: str = NPC, yours: str = SPEAKER) -> list[Person]:
    """Return who is spoken of in a text, in order, whoever talks left out; `mine` is whose "my" friend is."""
    talking = (*scene.own_names, scene.name)
    found: list[tuple[Person, int]] = []
    for word in _LETTERS.finditer(text):
        one = _mentioned(scene, text, word, mine, yours)
        # Of a captain of the guard, "the captain" is the NPC itself.
        if one is None or not (one.names or one.whose or scene.trade.isdisjoint(one.roles)):
            continue
        before = found[-1] if found else None
        gap = text[before[1] : word.start()] if before else ""
        joins = _JOINS.fullmatch(gap) or one.roles and _AMOUNTS_TO.fullmatch(gap)
        if before and joins and not before[0].is_owner:
            found[-1] = (_merged(before[0], one), word.end())
        else:
            found.append((one, word.end()))
    others = [
        one
        for one, _ in found
        if not any(is_same(name, own) for name in one.names for own in talking)
    ]
    if len(others) == 1 and not others[0].sex:
        return [replace(others[0], sex=sex_meant(scene, text))]
    return others


def facts_of(scene: Scene, person: Person, facts: Sequence[Fact]) -> list[Fact]:
    """Return what speaks of somebody, also what goes on about them in a sentence of its own."""
    found, is_before = [], False
    for fact in facts:
        mine = NPC if not fact.by else SPEAKER if is_same(fact.by, scene.name) else fact.by
        again = _BEGINS_AGAIN.match(fact.text) or _HIM.search(fact.text)
        goes_on = is_before and not fact.by and again and person.may_be(sex_meant(scene, again[0]))
        is_before = (
            bool(goes_on)
            or any(person.is_same(one) for one in mentions(scene, fact.text, mine=mine, yours=""))
            or any(persons.is_about(fact, name) for name in person.names)
        )
        if is_before:
            found.append(fact)
    return found


def _mentioned(
    scene: Scene, text: str, word: re.Match[str], mine: str, yours: str
) -> Person | None:
    """Return whom one word of a text names, or says what they are."""
    said, code = word[0], scene.language
    lower = re.sub(r"['’]s\Z", "", said.casefold())
    is_owner = lower != said.casefold()
    sex = next(
        (one for one, pattern in persons.SEXES.items() if pattern.only(code).fullmatch(lower)), ""
    )
    before = text[: word.start()]
    if sex:
        if _ONESELF.search(before):
            return None
        # "Good evening, captain!" speaks of nobody else.
        is_call = mine == SPEAKER and _CALLED.search(before) and _ENDS.match(text[word.end() :])
        whose = _whose(before, mine, yours, scene.own_names)
        if is_call or _ONLY_OWN.only(code).fullmatch(lower) and not whose:
            return None
        role, known = words.stem(lower, code), sex if sex != "they" else ""
        return Person((), (role,), whose, known, said[: len(lower)], is_owner)
    # Of "at Saint Aldhelm" neither word is somebody's name.
    outside = before[-NAME:].split()
    while outside and _CAPITAL.match(outside[-1]):
        outside.pop()
    if (
        said in persons.genitives(scene.own_names)
        or not _CAPITAL.match(said)
        or not retrieval.terms(said)
        or persons.is_placed(" ".join(outside[-1:]))
    ):
        return None
    called = outside[-1].casefold() if outside else ""
    if answer_kinds.is_of_type("when", said) and not persons.is_title(called, code):
        # Of "my daughter May" it is her name.
        return None
    is_first = not before.strip(' "') or before.rstrip().endswith((".", "!", "?", ":"))
    is_common = 0 <= senses.rank(lower) < COMMON or persons.is_plural(lower)
    is_word = code == senses.LANGUAGE and is_common and not _GIVEN.only(code).fullmatch(lower)
    is_order = _ORDERED.only(code).match(text, word.end())
    if is_first and (is_word or is_order or _NO_NAME.only(code).fullmatch(said)):
        return None
    return Person((said[: len(lower)],), is_owner=is_owner)


def _whose(before: str, mine: str, yours: str, own: Sequence[str]) -> str:
    for word in reversed(before.split()[-2:]):
        if word in persons.genitives(own):
            return NPC
        if _OWN.fullmatch(word):
            return mine
        if _YOUR.fullmatch(word):
            return yours
        if _HIS.fullmatch(word):
            return NPC if before.startswith(tuple(f"{name} " for name in own)) else OTHER
    return ""


def _merged(one: Person, other: Person) -> Person:
    return Person(
        tuple(dict.fromkeys([*one.names, *other.names])),
        tuple(dict.fromkeys([*one.roles, *other.roles])),
        one.whose or other.whose,
        one.sex or other.sex,
        other.noun if other.noun[:1].isupper() else one.noun or other.noun,
        other.is_owner,
    )


def sex_meant(scene: Scene, text: str) -> str:
    """Return "he" or "she" where a text has one of them, "" if it has none."""
    return next((sex for _, sex in _pronouns(scene, text)), "")


def _pronouns(scene: Scene, text: str) -> list[tuple[int, str]]:
    """Return where "he" or "she" stands first in a text, first of them first."""
    found = ((one.only(scene.language).search(text), sex) for sex, one in _PRONOUNS.items())
    return sorted((match.start(), sex) for match, sex in found if match)


def _known(scene: Scene, person: Person, facts: Sequence[Fact]) -> Person:
    """Return somebody with all that is written of who they are."""
    if person.whose == NPC and not person.names:
        told = persons.counterparts(scene, person.roles)
        spoken = (one for text in told for one in mentions(scene, text, yours="")[:1] if one.names)
        person = next((_merged(person, one) for one in spoken), person)
    for fact in facts_of(scene, person, [one for one in facts if not one.by]):
        for one in mentions(scene, fact.text):
            if person.is_same(one):
                person = replace(_merged(person, one), is_owner=person.is_owner)
        if not person.sex and (again := _BEGINS_AGAIN.match(fact.text)):
            person = replace(person, sex=sex_meant(scene, again[0]))
    return person


def _talked(scene: Scene, asked: str) -> Iterator[tuple[str, str, str]]:
    """Yield what was said between the two before a question, last sentence first, with whose "my" and "your" are."""
    for said in reversed([one for part in scene.heard for one in retrieval.sentences(part)]):
        if asked not in said:
            yield said, SPEAKER, NPC
    for line in reversed(scene.conversation[-LINES:]):
        text = str(line.get("text") or "")
        if not line.get("mine"):
            if is_same(line.get("name"), scene.name):
                yield text, SPEAKER, NPC
        elif text in scene.lines_to_speaker:
            before, _, quote = text.partition('"')
            told = [quote] if quote else retrieval.sentences(_without_lead(scene, text))
            whose = (_teller(scene, before), NPC) if quote else (NPC, SPEAKER)
            yield from ((one, *whose) for one in reversed(told))


def _without_lead(scene: Scene, line: str) -> str:
    """Return what a line of the NPC tells, without the words by which it begins to."""
    for template in (*scene.table("again"), *scene.table("lore")):
        line = line.removeprefix(scene.fill(template.partition("{text}")[0]))
    return line


def _teller(scene: Scene, words_before: str) -> str:
    """Return whose words an NPC quotes after these, as `mine` of `mentions`."""
    own = [line.partition("{")[0].strip(" ,") for line in scene.table("told_self")]
    if any(one in words_before for one in own):
        return SPEAKER
    return next((name for one in mentions(scene, words_before) for name in one.names), OTHER)
