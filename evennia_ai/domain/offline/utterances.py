"""Tells by rules what sort of thing somebody said.

The words of players are data: nothing here gives a meaning to braces, tags or markup, except that
text which is written for a language model is sorted out as `nonsense`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from evennia_ai.core import languages, name_patterns
from evennia_ai.core.name_patterns import NAME
from evennia_ai.core.spelling import spelled_out
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply

# Characters of one utterance that are looked at; nobody says more in one breath.
MAX_LENGTH = 600
# Words that may follow "hello" without being a statement of their own.
GREETING_TAIL = 3
# Interjections before what somebody says that are taken off: "ok thanks bye".
SOUNDS = 4
# Words at the beginning of a farewell among which its own words are: "until we meet".
FAREWELL_WORDS = 4
_NAMED = re.compile(r"(?<!\A)\b(?!I\b)[A-ZÅÄÖÜ]\w|\d")

# What decides when somebody says several things in one breath, first to last.
PRECEDENCE = (
    "request",
    "question",
    "farewell",
    "thanks",
    "sorry",
    "introduction",
    "statement",
    "chat",
    "empty",
)

# Kinds by which somebody wants to know or to have something.
ASKING = ("question", "request")
# A call for somebody's ear, by what they are: "oi boatman, …".
_CALL = languages.Pattern("utterances.call")
_GREETING = languages.Pattern("utterances.greeting")
# Marks of text that is written for a model and not for somebody in a room.
_FOR_A_MODEL = re.compile(
    r"<\|?/?(?:im_start|im_end|system|assistant|user|tool_call|function|think)\b"
    r"|\[/?INST\]|<<SYS>>|```"
    r"|^[ \t]*(?:[#*`\[]+[ \t]*)?(?:system|assistant|developer)(?:\s*(?:prompt|message))?"
    r"\s*(?:[\]*]+\s*)?:"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|prompts?|guidelines)\b"
    r"|\b(?:glöm|ignorera|strunta i)\b.{0,30}\b(?:instruktion(?:er|erna)?|regler(?:na)?)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\byour (?:prompt|instructions|guidelines)\b"
    r"|\b(?:language model|jailbreak|chatgpt|openai|språkmodell)\b|\bas an ai\b"
    r"|\byou are now (?:an?|in|the)\b|\bpretend (?:to be|you are)\b"
    r"|[\"']?\b(?:tool_calls?|function_call|arguments|role)[\"']?\s*[:=]",
    re.I | re.M,
)
# What somebody does, between stars: "*bows* good day".
_DEED = re.compile(r"\*[^*]{2,120}\*")
# How a question begins, where none of the rows matches.
_QUESTION = languages.Pattern("utterances.question")
# "Who are you and what do you sell?": what joins two questions, and how each begins.
_JOINT = languages.Pattern("utterances.joint")
_OPENS = languages.Pattern("utterances.opens")
# "I am lost, can you help me": what asks behind a comma.
_ASKS_AFTER = languages.Pattern("utterances.asks_after")
# "What a quiet place!" is no question.
_EXCLAIMS = languages.Pattern("utterances.exclaims")
# "Would you know …" asks, and is no request.
_KNOWS = languages.Pattern("utterances.knows")
_FILLER = languages.Pattern("utterances.filler")
# "Oh sorry, " and the like, after which somebody asks.
_INTERJECTION = languages.Pattern("utterances.interjection")
_POLITE = languages.Pattern("utterances.polite")
_ASKS = languages.Pattern("utterances.asks")
_POLITE_END = languages.Pattern("utterances.polite_end")
# "Two candles, please" orders something.
_ORDER = languages.Pattern("utterances.order")
# "A moment, please" does not.
_VAGUE = languages.Words("subjects.vague")
# "Please, my son is lost" asks for nothing by name.
_TELLS = languages.Pattern("answers.tells")

# Words by which people name themselves.
ONESELF = languages.Words("utterances.oneself")
# "Has anybody left something for me?"
_FOR_ONESELF = languages.Pattern("utterances.for_oneself")
# Words that make a name at the beginning the subject of what is said.
_GOES_ON = languages.Pattern("utterances.goes_on")
# Words after which the name of who is spoken to may stand without a comma.
_ENDS_IN_NAME = languages.Pattern("utterances.ends_in_name")
# "I heard that you lost a brother. I'm sorry."
_LOSS = languages.Pattern("utterances.loss")
# "Hello there", "hi again".
_AGAIN = languages.Pattern("utterances.again")


@dataclass(frozen=True)
class Utterance:
    """What was said: its kind, for questions and requests a topic, and the words that fill it.

    `text` is the sentence that decided; `greeted` whether a greeting came before it.
    """

    kind: str
    topic: str = ""
    slots: dict[str, str] = field(default_factory=dict)
    text: str = ""
    greeted: bool = False


def classify(text: str, *, names: Iterable[str] = ()) -> Utterance:
    """Return what sort of utterance a text is; `names` are those of the one it is said to."""
    called = tuple(name for name in names if name)
    return _classified(text[: MAX_LENGTH * 4], called, languages.read_now(), languages.edition())


@lru_cache(maxsize=500)
def _classified(text: str, called: tuple[str, ...], *read: object) -> Utterance:
    # A dozen places ask what a line is, from who answers to what is learned of it.
    line = spelled_out(reply.printable(text, max_length=MAX_LENGTH).replace("’", "'"))
    if is_for_a_model(text) or _FOR_A_MODEL.search(line):
        return Utterance("nonsense", text=line)
    if not re.search(r"\w", line):
        return Utterance("question" if "?" in line else "empty", "more" if "?" in line else "")
    greeted, rest, said = _said(line, called)
    if not said:
        return Utterance("greeting", text=line)
    found = min(said, key=_rank)
    if found.kind == "sorry" and any(_LOSS.search(one.text) for one in said):
        found = Utterance("chat", "condole", text=found.text)
    helps = next((one for one in said if one.topic == "help"), found)
    if found.kind == "statement":
        # "Can you help my sister? She is ill."
        found = helps
    if greeted and found.kind == "statement" and len(rest.split()) <= GREETING_TAIL:
        return Utterance("greeting", text=line)
    return Utterance(found.kind, found.topic, found.slots, found.text, greeted)


def questions(text: str, *, names: Iterable[str] = ()) -> list[Utterance]:
    """Return all that somebody asks in one breath, first to last."""
    line = spelled_out(reply.printable(text, max_length=MAX_LENGTH).replace("’", "'"))
    return [one for one in _said(line, names)[2] if one.kind == "question"]


def _said(line: str, names: Iterable[str]) -> tuple[bool, str, list[Utterance]]:
    """Return whether a greeting came first, what is left, and its sentences; deeds between stars are none."""
    called = tuple(name for name in names if name)
    plain = without_deeds(line)
    greeted, rest = _after_greeting(_without_vocative(plain, called), called)
    parts = (part for sentence in retrieval.sentences(rest) for part in _parted(sentence))
    said = [_sentence(part, called) for part in parts]
    return greeted, rest, [utterance for utterance in said if utterance]


def _parted(sentence: str) -> list[str]:
    """Return a sentence, or the two questions that it joins: "Who are you and what do you sell?"."""
    for joint in _JOINT.finditer(sentence):
        before, after = sentence[: joint.start()], sentence[joint.end() :]
        if _OPENS.match(before) and _OPENS.match(after):
            return [f"{before}?", *_parted(after)]
    return [sentence]


def is_for_a_model(text: str) -> bool:
    """Return whether a text is written for a language model, and not for somebody in a room."""
    return bool(_FOR_A_MODEL.search(text[:MAX_LENGTH]))


def is_greeting(text: str, *, names: Iterable[str]) -> bool:
    """Return whether a text is nothing but a greeting or a farewell to one of these names."""
    line, called = spelled_out(reply.printable(text, max_length=MAX_LENGTH)), list(names)
    greeted, rest = _after_greeting(without_call(line, names=called), called)
    said = retrieval.sentences(rest)
    if greeted and not said:
        return True
    if len(said) != 1:
        return False
    # Whoever leaves may say something on the way: "farewell, the baron dies tonight".
    begun = islice(re.finditer(r"\w+\b", rest), FAREWELL_WORDS)
    ends = (word.end() for word in begun)
    end = next((at for at in ends if classify(rest[:at], names=called).kind == "farewell"), None)
    own = {term for name in called for term in retrieval.terms(name)}
    # "Everybody" or "tomorrow" may follow; a name or two such words tell something.
    left = set() if end is None else set(retrieval.terms(rest[end:])) - own
    return end is not None and len(left) <= 1 and not (left and _NAMED.search(rest[end:]))


def is_deed(text: str) -> bool:
    """Return whether a text is nothing but what somebody does, between stars."""
    return bool(_DEED.fullmatch(text.strip()))


def without_deeds(text: str) -> str:
    """Return what was said without what was done beside it, between stars; all of it where nothing was said."""
    said = _DEED.sub(" ", text).strip()
    return said if re.search(r"\w", said) else text


def is_question(clause: str) -> bool:
    """Return whether some words begin as a question does."""
    return bool(_QUESTION.match(clause))


def asks_for(text: str, line: str, *, names: Iterable[str]) -> bool:
    """Return whether a line may ask for a text: it asks something, and that is not about other things.

    "Have you a room to the east? I wake early." asks for no memory of how somebody is woken.
    """
    said = retrieval.sentences(line[:MAX_LENGTH])
    asked = [one for one in said if classify(one, names=names).kind in ASKING]
    if not asked or len(asked) == len(said):
        return bool(asked)
    known = set(retrieval.terms(text)) - {term for name in names for term in retrieval.terms(name)}
    wanted, beside = (
        {term for one in part for term in retrieval.terms(one)}
        for part in (asked, [one for one in said if one not in asked])
    )
    if all(retrieval.is_weak(term) or retrieval.is_verb(term) for term in wanted):
        # "I gave you a letter. Where is it?"
        return True
    return bool(known & wanted) or not known & beside


def without_call(sentence: str, *, names: Iterable[str]) -> str:
    """Return what somebody said without the name of the one who was spoken to."""
    plain = _without_vocative(sentence, [name for name in names if name]).strip()
    return plain[:1].upper() + plain[1:] if plain and plain != sentence else sentence


def _after_greeting(line: str, called: Sequence[str]) -> tuple[bool, str]:
    match = _GREETING.match(line)
    if not match:
        return False, line
    rest = line[match.end() :].lstrip(" ,.!;:-~")
    while again := _GREETING.match(rest):
        # "Hello hello" greets once.
        rest = rest[again.end() :].lstrip(" ,.!;:-~")
    for name in called:
        rest = name_patterns.sub(rf"\A{NAME}\b[ ,.!;:-]*", name, "", rest)
    rest = _AGAIN.sub("", rest)
    if rest.rstrip(" ,.!;:-").lower() in map(str.lower, languages.listed("to_all", "everybody")):
        rest = ""
    # "Good evening, hello" greets once.
    return True, "" if _GREETING.fullmatch(rest.rstrip(" .!?")) else rest


def _without_vocative(line: str, called: Sequence[str]) -> str:
    """Take off the name that the words are addressed to, at either end."""
    for name in called:
        line = name_patterns.sub(rf"\A(?:hey,? )?{NAME}[,:!.]+\s*(?=\S)", name, "", line)
        # "Bree who is Ann", but not "guard the door" to the guard.
        if name[0].isupper():
            line = name_patterns.sub(rf"\A{NAME}\s+(?!{_GOES_ON.source()}\b)", name, "", line)
        line = name_patterns.sub(rf",\s*{NAME}(?=\s*[.!?]*\Z|[.!?]\s)", name, "", line)
        # "Please, Bree, my son is lost".
        line = name_patterns.sub(rf",\s*{NAME}(?=,\s*\S)", name, "", line)
    return _CALL.sub("", line)


def _sentence(sentence: str, called: Sequence[str]) -> Utterance | None:
    # What is left out is filled in once the name is gone: "Bree, u a witch?".
    bare = spelled_out(_without_vocative(sentence, called).lstrip(" ,.-\"'")).rstrip(" .!?…\"'")
    for name in called:
        end = rf"(?P<before>{_ENDS_IN_NAME.source()}) {NAME}\Z"
        found = next(name_patterns.matches(end, name, bare, any_case=True), None)
        bare = bare[: found.end("before")] if found else bare
    if not re.search(r"\w", bare):
        return None
    if bare.lower() in map(str.lower, called):
        return Utterance("empty", text=bare)
    said = _read(sentence, bare)
    # "Sorry, where is it?", "ok thanks", "lol bye": what follows a mere sound counts. "Sorry, my fault?" asks nothing.
    after = [one for one in _after_sounds(bare) if one.topic != "other"]
    kinds = (*ASKING, "farewell") if said.kind != "statement" else set(PRECEDENCE) - {said.kind}
    if counting := [one for one in after if one.kind in kinds]:
        return min(counting, key=_rank)
    first, comma, _ = bare.partition(", ")
    if said.kind == "statement" and comma:
        # "Come with me, you know the way."
        wanted = _read(first, first)
        return wanted if wanted.kind == "request" and wanted.topic != "other" else said
    return said


def _rank(said: Utterance) -> int:
    return PRECEDENCE.index(said.kind)


def _after_sounds(bare: str) -> list[Utterance]:
    """Return what a sentence is without its first interjection, without two, and so on."""
    found: list[Utterance] = []
    while (
        len(found) < SOUNDS
        and (begun := _INTERJECTION.match(bare))
        and re.search(r"\w", bare[begun.end() :])
    ):
        bare = bare[begun.end() :]
        found.append(_read(bare, bare))
    return found


def _read(sentence: str, bare: str) -> Utterance:
    """Tell what a sentence is by the rows of the table, else by its form."""
    plain, polite = _without_politeness(bare)
    # First as it stands: "so long" is no "long" after a filler.
    for variant in dict.fromkeys((_POLITE_END.sub("", bare) or bare, plain)):
        for kind, topic, pattern in languages.sorts(languages.read_now()):
            if match := pattern.fullmatch(variant):
                slots = {key: value.strip() for key, value in match.groupdict().items() if value}
                return Utterance(kind, topic, slots, bare)
    return _by_its_form(sentence, bare, plain, polite)


def _by_its_form(sentence: str, bare: str, plain: str, polite: bool) -> Utterance:
    """Tell by its beginning and its end what no row of the table knows."""
    is_asked = sentence.rstrip(" \"'!").endswith("?")
    if _EXCLAIMS.match(sentence.strip()) and not is_asked:
        return Utterance("chat", "wonder", text=bare)
    if _QUESTION.match(plain) or _KNOWS.match(bare):
        return Utterance("question", text=bare)
    ordered = _ORDER.fullmatch(plain) if polite else None
    if ordered and ordered["item"].casefold() not in _VAGUE:
        return Utterance("request", "give", {"item": ordered["item"]}, bare)
    if polite and not _TELLS.match(plain):
        return Utterance("request", "other", text=bare)
    if is_asked or _QUESTION.match(bare) or _ASKS_AFTER.search(bare):
        return Utterance("question", text=bare)
    return Utterance("statement", text=bare)


def _without_politeness(bare: str) -> tuple[str, bool]:
    """Return the sentence without its filler and "please", and whether it asked politely."""
    plain, polite = _POLITE_END.sub("", bare), bool(_ASKS.search(bare))
    while match := _FILLER.match(plain):
        plain = plain[match.end() :]
    if match := _POLITE.match(plain):
        plain, polite = plain[match.end() :], True
    return plain or bare, polite


def is_for_oneself(text: str) -> bool:
    """Return whether somebody asks what is for them, or about them."""
    return text.endswith("?") and bool(_FOR_ONESELF.search(text))
