"""Wording of what an NPC without a model tells: lore as its own, others' words as theirs, each once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from evennia_ai.core import languages
from evennia_ai.domain.memories import promises
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import knowledge, persons, referents
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.referents import NPC, Person
from evennia_ai.domain.offline.utterances import Utterance
from evennia_ai.domain.offline.voice import QUOTE_LENGTH, REPLY_LENGTH, Scene, is_same, quoted

# Characters of a persona's first sentence that an NPC says of itself.
SELF_LENGTH = 140

# A sentence that goes on about "you" or "she" would be nonsense after "I am".
_NOT_OF_ONESELF = languages.Pattern("telling.not_of_oneself", of_words=True)
# How English verbs end after a name, as they are before it, and what goes on about whom a sentence began with.
_OBJECT = re.compile(
    r" (?:them|it|him|her|me|you|us|an?|the|my|his|their|our|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|each of|\d+)\b"
)
_PRESENT = languages.Pattern("telling.present", of_words=True)
_PAST = languages.Pattern("telling.past")
_AFTERWARDS = languages.Pattern("telling.afterwards")
_ADVERB = languages.Pattern("telling.adverb")
_DONE_TO = languages.Pattern("telling.done_to")
_THEIR = languages.Pattern("telling.their", of_words=True)
# How a persona begins: "You are", "Borin is"; and one that only says what somebody is.
_YOU_ARE = languages.Pattern("telling.you_are")
_IS = languages.Pattern("telling.is")
_WHAT_ONE_IS = languages.Pattern("telling.what_one_is")

# What the NPC means to do, or did.
_PROMISED = (promises.OPEN, promises.LAPSED, "done")
# Who asks whether somebody was seen.
_SEEN = languages.Pattern("knowledge.any_sign")
# Things of one person that are told, and characters of a name and of a thing.
LISTED, GIFT_LENGTH = 4, 60
# A gift, as it was noted; what was noted before a game changed its language is found, too.
_GIVEN = languages.Pattern("self_knowledge.given", also_english=True)


class Gift(NamedTuple):
    """Who gave the NPC something, by name, and what."""

    by: str
    thing: str


def gift_in(text: str) -> Gift | None:
    """Return the gift that a note tells of, such as "Ann gives you a loaf."."""
    match = _GIVEN.search(text)
    if not match or not text[: match.start()].strip():
        return None
    by, thing = text[: match.start()].strip(), match["thing"]
    return Gift(
        reply.printable(by, max_length=GIFT_LENGTH), reply.printable(thing, max_length=GIFT_LENGTH)
    )


def gifts_of(name: str, texts: Iterable[str]) -> list[Gift]:
    """Return the gifts of somebody of whom notes tell, each once."""
    known = [gift for text in texts if (gift := gift_in(text)) and is_same(gift.by, name)]
    return list(dict.fromkeys(known))[:LISTED]


def of_gifts(scene: Scene, gifts: Iterable[Gift]) -> str:
    """Return what the NPC says of gifts of one person."""
    given = list(gifts)
    things = scene.listed([gift.thing for gift in given])
    if is_same(given[0].by, scene.name):
        return scene.line("gave", text=things)
    return scene.line("gave_by", by=given[0].by, text=things)


def tell(scene: Scene, facts: Sequence[Fact]) -> str:
    """Return facts as the NPC tells them: what one person said in one pair of quotation marks."""
    if not facts:
        return ""
    first = facts[0]
    if gift := _gift(first):
        rest = tell(scene, [fact for fact in facts if not _gift(fact)])
        return f"{of_gifts(scene, [gift])} {rest}".strip()
    texts = [worded(scene, fact) for fact in facts if fact.by == first.by and not _gift(fact)]
    is_repeated = any(scene.has_said(text.rstrip(".")) for text in texts[:1])
    said = _joined(texts)
    key, slots = _told_as(scene, first, said)
    if not is_repeated:
        return scene.line(key, **slots)
    plain = scene.fill("{text}" if key == "insight" else scene.table(key)[0], **slots)
    again = scene.line("again", text=plain)
    # Who asks a third time hears the bare fact.
    return plain if again in scene.own_lines[-1:] else again


def partly(scene: Scene, question: Question, fact: Fact) -> str:
    """Return a fact that does not answer what was asked, but is about the same, as no more than that."""
    if fact.is_own and question.whose == "npc":
        return tell(scene, [fact])
    return scene.line("unknown_partly", text=stopped(worded(scene, fact)))


def _gift(fact: Fact) -> Gift | None:
    return gift_in(fact.text) if fact.kind == "deed" else None


def worded(scene: Scene, fact: Fact) -> str:
    """Return a fact in the NPC's mouth, without a word on whom it is from."""
    passage = reply.printable(fact.text, max_length=QUOTE_LENGTH).replace('"', "'")
    # What was concluded is asked for again by its words ("why?"); what was promised is quoted.
    return (
        passage
        if fact.by or knowledge.is_insight(fact) or knowledge.is_promise(fact)
        else in_first_person(scene, in_second_person(scene, passage))
    )


def _joined(texts: Sequence[str]) -> str:
    """Return sentences in a row, as many as fit into one reply."""
    said = ""
    for text in texts:
        is_new = text.rstrip(".!…") not in said
        if not said or is_new and len(said) + 2 + len(text) <= REPLY_LENGTH - QUOTE_LENGTH // 2:
            said = f"{stopped(said)} {text}" if said else text
    return said


_KEYS = {
    **dict.fromkeys(("journal", "deed", "done", "note"), "journal"),
    "insight": "insight",
}


def promised(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC has promised whom it speaks with, the newest, and of what it is to remind them."""
    kept = [one for one in knowledge.told(scene) if one.kind in _PROMISED]
    reminders = [one for one in knowledge.told(scene) if one.kind == promises.REMINDER]
    told = f"{tell(scene, kept[:1])} {tell(scene, reminders)}".strip()
    return told or scene.line("promised_none")


def owed(scene: Scene, asked: Utterance) -> str:
    """Return what whoever it speaks with has promised the NPC, the newest first, else how that ended."""
    for one in knowledge.told(scene):
        if one.kind in (promises.OWED, promises.THEIRS_KEPT, promises.THEIRS_BROKEN):
            key = "owed" if one.kind == promises.OWED else f"owed_{one.kind}"
            return scene.line(key, text=quoted(one.text))
    return scene.line("owed_none")


def _told_as(scene: Scene, fact: Fact, said: str) -> tuple[str, dict[str, str]]:
    """Return phrase and slots: lore as own knowledge, hearsay with its source."""
    if not fact.by:
        kind = fact.kind or "lore"
        if kind in (promises.OPEN, promises.LAPSED):
            whom = reply.printable(str((fact.memory or {}).get("by") or ""), max_length=40)
            is_own = not whom or is_same(whom, scene.name)
            return f"{kind}_self" if is_own else kind, {"text": quoted(said), "by": whom}
        if kind == promises.REMINDER:
            return kind, {"text": quoted(said)}
        key = _KEYS.get(kind, "lore")
        return key, {"text": stopped(said)}
    heard = str((fact.memory or {}).get("heard") or "")
    if is_same(fact.by, scene.name):
        return "overheard_self" if heard == "overheard" else "told_self", {"text": said}
    by = reply.printable(fact.by, max_length=40) or scene.table("somebody")[0]
    return heard or "told", {"text": said, "by": by}


def reason(scene: Scene, memory: Mapping[str, Any]) -> str:
    """Return one memory as a reason, in the plainest words."""
    words = knowledge.own_words(scene, dict(memory), str(memory.get("text") or ""))
    by = str(memory.get("by") or "") if knowledge.is_said(dict(memory)) else ""
    key, slots = _told_as(scene, Fact(words, by, memory), words)
    return scene.fill(scene.table(key)[0], **slots)


def in_first_person(scene: Scene, sentence: str) -> str:
    """Return what was written of the NPC as it says it itself; only where that is plain to do.

    >>> in_first_person(Scene({"npc": {"name": "Borin"}}), "Borin is old and sells his swords.")
    'I am old and sell my swords.'
    """
    # By the whole name where that stands, else by a part of it: "Ilse" of "Sister Ilse".
    name = next((one for one in scene.own_names if one in sentence), "")
    if not name:
        return sentence
    language, own, said = languages.load(scene.language), re.escape(name), sentence
    # "Sister Clemence is a nun" is said by "I am a nun".
    if titled := re.match(rf"(\w+) (?={own}\b)", said):
        said = said[titled.end() :] if persons.is_title(titled[1], scene.language) else said
    verbs = "|".join(language.first_person)
    for pattern, mine in language.as_i.items():
        said = re.sub(pattern.replace("{name}", own).replace("{verbs}", verbs), mine, said)
    is_english = scene.language == languages.DEFAULT
    if is_english:
        adverb = rf"({_ADVERB.source()} )?"
        said = re.sub(
            rf"\b{own} {adverb}(\w+)",
            lambda one: f"I {one[1] or ''}{verb}" if (verb := _verb(one, at=2)) else one[0],
            said,
        )
    if said in (sentence, sentence[titled.end() :] if titled else ""):
        return sentence
    if re.match(rf"(?:{language.i})\b", said, re.I):
        for theirs, own_word in language.first_person.items():
            said = re.sub(rf"\b{theirs}\b", own_word, said)
        said = _AFTERWARDS.sub(lambda one: _goes_on_as_i(scene, said, one), said)
        if (done := _DONE_TO.search(said)) and not referents.mentions(
            scene, said[: done.start()], yours=""
        ):
            # "Because my father beat him": whoever did it, it was done to the NPC.
            said = f"{said[: done.start('whom')]}me{said[done.end('whom') :]}"
    if is_english and said.startswith("I "):
        said = _goes_on_of_oneself(said)
    return said[:1].upper() + said[1:]


def _goes_on_of_oneself(said: str) -> str:
    """Return "am old, have a dry wit, and never cry" for "am old, has a dry wit, and never cries"."""
    said = re.sub(r"(?<=, )(?:has|is|does)\b", lambda one: _verb(one, at=0) or one[0], said)
    return re.sub(rf"(?<=\band )({_ADVERB.source()} )?(\w+)", _after_and, said)


def _goes_on_as_i(scene: Scene, said: str, match: re.Match[str]) -> str:
    """Return "but I sell it" for "but she sells it", if nobody else was spoken of before."""
    if referents.mentions(scene, said[: match.start()], yours=""):
        return match[0]
    how = f"{match[2]} " if match[2] else ""
    return f"{match[1]} I {how}{_verb(match, at=3) or match[3]}"


def in_second_person(scene: Scene, sentence: str) -> str:
    """Return what is known of whom the NPC speaks with as it says it to them: "You like tea."."""
    if scene.language != "en":
        return sentence
    if not sentence.startswith(f"{scene.name} "):
        done = rf"\A({re.escape(scene.own_name)} \w+) {re.escape(scene.name)}(?!\w)"
        return re.sub(done, r"\1 you", sentence)
    match = re.match(rf"{re.escape(scene.name)} (?:(\w+ly) )?(\w+)", sentence)
    if not match:
        return sentence
    verb = {"am": "are", "was": "were"}.get(_verb(match, at=2)) or _verb(match, at=2)
    how = f"{match[1]} " if match[1] else ""
    rest = _THEIR.sub("your", sentence[match.end() :])
    return f"You {how}{verb}{rest}" if verb else sentence


def _after_and(match: re.Match[str]) -> str:
    # Behind an adverb stands a verb, "and still limps", and so before a pronoun: "and puts them out".
    after = match.string[match.end() :]
    is_verb = match[1] or _PRESENT.fullmatch(match[2]) or _OBJECT.match(after)
    return f"{match[1] or ''}{_verb(match, at=2) or match[2]}" if is_verb else match[0]


def _verb(match: re.Match[str], *, at: int = 1) -> str:
    """Return a verb of English as it stands after "I", "" if that cannot be told."""
    verb = match[at]
    if known := languages.load(languages.DEFAULT).verbs.get(verb):
        return known
    if re.fullmatch(r"[a-z]{2,}[^sui]s", verb):
        return _bare(verb)
    return verb if _PAST.fullmatch(verb) else ""


def _bare(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > len("dies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:ch|sh|ss|x)es\Z", verb) else verb[:-1]


def self_description(scene: Scene) -> str:
    """Return what stands after "I am": the first sentence of the persona, if it can be said so."""
    name = scene.own_name or scene.table("somebody")[0]
    persona = persons.open_sentences(str(scene.npc.get("persona") or ""))
    first = reply.printable(persona[0], max_length=SELF_LENGTH).rstrip(". ") if persona else ""
    named = re.match(rf"{re.escape(name)}\s+", first, re.I)
    is_named = named and _IS.match(first[named.end() :])
    start = _YOU_ARE.match(first)
    end = named.end() + is_named.end() if named and is_named else start.end() if start else 0
    rest = first[end:].lstrip()
    if not first or first.endswith("…") or _NOT_OF_ONESELF.search(rest):
        return name
    if rest == first and not _WHAT_ONE_IS.match(first):
        return first if first.startswith(f"{name},") else name
    if rest == first:
        rest = rest[0].lower() + rest[1:]
    if scene.language == languages.DEFAULT:
        rest = _goes_on_of_oneself(rest)
    return rest if rest.startswith(name) else f"{name}, {rest}"


def unknown(scene: Scene, question: Question, *, of: str = "") -> str:
    """Return that the NPC does not know, by what is asked, `of` whom; its builder's own lines come first."""
    key = _UNKNOWN.get(question.want, "unknown")
    if question.is_why:
        key = "unknown_why"
    elif question.is_for_leave:
        key = "unknown_leave"
    elif question.whose == "npc" and _SEEN.match(question.text):
        key = "seen_none"
    elif not question.want and question.whose == "npc":
        key = "unknown_self"
    if of:
        key = "unknown_age" if question.want == "age" else key
        key = "unknown_of" if key == "unknown_leave" else f"{key}_of"
    return scene.line(key, own="unknown_lines", by=of)


def unknown_of(scene: Scene, question: Question, whom: Person) -> str:
    """Return that the NPC does not know something of somebody, by what is asked."""
    whose = scene.table(f"person_{whom.whose}" if whom.whose else "person")[0]
    called = whom.called or whose.replace("{text}", whom.noun.casefold())
    if called and _SEEN.match(question.text):
        return scene.line("seen_not", by=called)
    if whom.whose == NPC:
        # Nobody says of their own brother that they do not know.
        return scene.line("unknown_own", own="unknown_lines", by=called)
    return unknown(scene, question, of=called)


def unknown_kin(scene: Scene, kin: Person) -> str:
    """Return that the NPC knows nothing of somebody's kin, its own or of whom it speaks with."""
    key = "unknown_kin" if kin.whose == NPC else "unknown_your_kin"
    return scene.line(key, own="unknown_lines", text=kin.noun.casefold())


# What is said of a kind of question that nothing answers.
_UNKNOWN = {
    "person": "unknown_who",
    **dict.fromkeys(("place", "way"), "unknown_where"),
    **dict.fromkeys(("when", "often"), "unknown_when"),
    "price": "unknown_price",
    **dict.fromkeys(("count", "distance", "duration"), "unknown_number"),
}


def stopped(sentence: str) -> str:
    """Return a sentence with its full stop."""
    return sentence if sentence.endswith((".", "!", "?", "…", "'")) else f"{sentence}."
