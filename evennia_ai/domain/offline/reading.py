"""Kinds of lines: a greeting, a question, an explicit wish, something that is told; by the words of each language.

The words of players are data: nothing here gives a meaning to braces, tags or markup, except that
text which is written for a language model is sorted out as `nonsense`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from evennia_ai.core import languages, name_patterns
from evennia_ai.core.name_patterns import NAME
from evennia_ai.domain import classification
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply

# Characters of one line that are looked at.
MAX_LENGTH = 600
# Words that may follow "hello" without being a statement of their own.
GREETING_TAIL = 3
# Telling words of a farewell that tells nothing else, at most.
FAREWELL_TERMS = 1
# Words of a line of small talk, at most: longer ones tell something.
SMALL_TALK = 8

# The kind that counts when somebody says several things in one breath, first to last.
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
ASKING = ("question", "request")
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
_WORD = re.compile(r"[\w']+")
_ORDERS = languages.Words("retrieval.orders")
# "*bows* good day": a deed between stars.
_DEED = re.compile(r"\*[^*]{2,120}\*")
_QUESTION = languages.Pattern("utterances.question")
# "Who are you and what do you sell?": the joint of two questions, and their beginnings.
_JOINT = languages.Pattern("utterances.joint")
_OPENS = languages.Pattern("utterances.opens")
_FILLER = languages.Pattern("utterances.filler")
_INTERJECTION = languages.Pattern("utterances.interjection")
_POLITE = languages.Pattern("utterances.polite")
_ASKS = languages.Pattern("utterances.asks")
_POLITE_END = languages.Pattern("utterances.polite_end")
# "Two candles, please" orders something.
_ORDER = languages.Pattern("utterances.order")
# Words that make a name at the beginning the subject of the sentence.
_GOES_ON = languages.Pattern("utterances.goes_on")
# Words after which the name of the listener may stand without a comma.
_ENDS_IN_NAME = languages.Pattern("utterances.ends_in_name")
# "Hello there", "hi again".
_AGAIN = languages.Pattern("utterances.again")
_HOSTILE = languages.Pattern("tone.hostile", of_words=True)


@dataclass(frozen=True)
class Utterance:
    """The kind of a line, for questions and requests a topic, and the words that fill it.

    `text` is the sentence that decided; `greeted` is True if a greeting came before it.
    """

    kind: str
    topic: str = ""
    slots: dict[str, str] = field(default_factory=dict)
    text: str = ""
    greeted: bool = False


def classify(text: str, *, names: Iterable[str] = ()) -> Utterance:
    """Kind of a line; `names` are those of the listener."""
    called = tuple(name for name in names if name)
    return _classified(text[: MAX_LENGTH * 4], called, languages.read_now(), languages.edition())


@lru_cache(maxsize=500)
def _classified(text: str, called: tuple[str, ...], *read: object) -> Utterance:
    line = _line(text)
    if is_for_a_model(text) or _FOR_A_MODEL.search(line):
        return Utterance("nonsense", text=line)
    if not re.search(r"\w", line):
        return Utterance("question" if "?" in line else "empty", "more" if "?" in line else "")
    greeted, rest, said = _said(line, called)
    if not said:
        return Utterance("greeting", text=line)
    found = min(said, key=_rank)
    if greeted and found.kind == "statement" and len(rest.split()) <= GREETING_TAIL:
        return Utterance("greeting", text=line)
    return Utterance(found.kind, found.topic, found.slots, found.text, greeted)


def questions(text: str, *, names: Iterable[str] = ()) -> list[Utterance]:
    """All questions of one line, first to last."""
    return [one for one in _said(_line(text), names)[2] if one.kind == "question"]


def is_for_a_model(text: str) -> bool:
    """True if a text is written for a language model, and not for somebody in a room."""
    return bool(_FOR_A_MODEL.search(text[:MAX_LENGTH]))


def is_greeting(text: str, *, names: Iterable[str]) -> bool:
    """True if a text is nothing but a greeting or a farewell to the bearer of one of these names."""
    called = list(names)
    said = classify(text, names=called)
    if said.kind == "greeting":
        return True
    own = {term for name in called for term in retrieval.terms(name)}
    left = [one for one in set(retrieval.terms(text)) - own if not retrieval.is_weak(one)]
    # "Farewell, the baron dies tonight" tells something.
    return said.kind == "farewell" and len(left) <= FAREWELL_TERMS


def is_small_talk(text: str, *, names: Iterable[str]) -> bool:
    """True if a short line is thanks, an order, an apology and the like, and tells nothing."""
    kind = classify(text, names=names).kind
    return kind not in ("statement", "question", "introduction") and len(text.split()) <= SMALL_TALK


def is_deed(text: str) -> bool:
    """True if a text is nothing but a deed between stars."""
    return bool(_DEED.fullmatch(text.strip()))


def without_deeds(text: str) -> str:
    """A text without the deeds between stars; the whole text if nothing else is left."""
    said = _DEED.sub(" ", text).strip()
    return said if re.search(r"\w", said) else text


def is_question(clause: str) -> bool:
    return bool(_QUESTION.match(clause))


def without_call(sentence: str, *, names: Iterable[str]) -> str:
    """A sentence without the name of the listener."""
    plain = _without_vocative(sentence, [name for name in names if name]).strip()
    return plain[:1].upper() + plain[1:] if plain and plain != sentence else sentence


def _line(text: str) -> str:
    line = reply.printable(text, max_length=MAX_LENGTH).replace("’", "'")
    chat = languages.table("chat", languages.read_now())
    return _WORD.sub(lambda found: chat.get(found[0].lower(), found[0]), line) if chat else line


def _said(line: str, names: Iterable[str]) -> tuple[bool, str, list[Utterance]]:
    """Return whether a greeting came first, the rest, and its sentences."""
    called = tuple(name for name in names if name)
    plain = without_deeds(line)
    greeted, rest = _after_greeting(_without_vocative(plain, called), called)
    parts = (part for sentence in retrieval.sentences(rest) for part in _parted(sentence))
    said = [_sentence(part, called) for part in parts]
    return greeted, rest, [utterance for utterance in said if utterance]


def _parted(sentence: str) -> list[str]:
    """A sentence, or the questions that it joins: "Who are you and what do you sell?"."""
    for joint in _JOINT.finditer(sentence):
        before, after = sentence[: joint.start()], sentence[joint.end() :]
        if _OPENS.match(before) and _OPENS.match(after):
            return [f"{before}?", *_parted(after)]
    return [sentence]


def _after_greeting(line: str, called: Sequence[str]) -> tuple[bool, str]:
    match = _GREETING.match(line)
    if not match:
        return False, line
    rest = line[match.end() :].lstrip(" ,.!;:-~")
    while again := _GREETING.match(rest):
        rest = rest[again.end() :].lstrip(" ,.!;:-~")
    for name in called:
        rest = name_patterns.sub(rf"\A{NAME}\b[ ,.!;:-]*", name, "", rest)
    rest = _AGAIN.sub("", rest)
    if rest.rstrip(" ,.!;:-").lower() in map(str.lower, languages.listed("to_all", "everybody")):
        rest = ""
    return True, rest


def _without_vocative(line: str, called: Sequence[str]) -> str:
    """A line without the name that it is addressed to, at either end."""
    for name in called:
        line = name_patterns.sub(rf"\A(?:hey,? )?{NAME}[,:!.]+\s*(?=\S)", name, "", line)
        # "Bree who is Ann", but not "guard the door" to the guard.
        if name[0].isupper():
            line = name_patterns.sub(rf"\A{NAME}\s+(?!{_GOES_ON.source()}\b)", name, "", line)
        line = name_patterns.sub(rf",\s*{NAME}(?=\s*[.!?]*\Z|[.!?]\s)", name, "", line)
        line = name_patterns.sub(rf",\s*{NAME}(?=,\s*\S)", name, "", line)
        if classification.ends_in_call(line, name):
            line = name_patterns.sub(rf"\s+{NAME}(?=\s*[.!?…]*\Z)", name, "", line)
    return _CALL.sub("", line)


def _sentence(sentence: str, called: Sequence[str]) -> Utterance | None:
    bare = _without_vocative(sentence, called).lstrip(" ,.-\"'").rstrip(" .!?…\"'")
    for name in called:
        end = rf"(?P<before>{_ENDS_IN_NAME.source()}) {NAME}\Z"
        found = next(name_patterns.matches(end, name, bare, any_case=True), None)
        bare = bare[: found.end("before")] if found else bare
    if not re.search(r"\w", bare):
        return None
    if bare.lower() in map(str.lower, called):
        return Utterance("empty", text=bare)
    said = _read(sentence, bare)
    begun = _INTERJECTION.match(bare)
    if begun and re.search(r"\w", bare[begun.end() :]):
        # "Sorry, where is it?", "ok thanks".
        after = _read(bare[begun.end() :], bare[begun.end() :])
        if after.kind in (*ASKING, "farewell") and after.topic != "other":
            return min(said, after, key=_rank)
    return said


def _rank(said: Utterance) -> int:
    return PRECEDENCE.index(said.kind)


def _read(sentence: str, bare: str) -> Utterance:
    """Kind of a sentence by the rows of the language, else by its form."""
    plain, polite = _without_politeness(bare)
    for variant in dict.fromkeys((_POLITE_END.sub("", bare) or bare, plain)):
        for kind, topic, pattern in languages.sorts(languages.read_now()):
            if match := pattern.fullmatch(variant):
                slots = {key: value.strip() for key, value in match.groupdict().items() if value}
                return Utterance(kind, topic, slots, bare)
    ordered = _ORDER.fullmatch(plain) if polite else None
    if ordered:
        return Utterance("request", "give", {"item": ordered["item"]}, bare)
    if _QUESTION.match(plain) or sentence.rstrip(" \"'!").endswith("?"):
        return Utterance("question", text=bare)
    if any(map(_OPENS.match, plain.split(",")[1:])):
        # "Be honest, how much is left".
        return Utterance("question", text=bare)
    if _HOSTILE.search(bare):
        return Utterance("chat", "insult", text=bare)
    if polite:
        return Utterance("request", "other", text=bare)
    is_order = plain.split()[0].lower() in _ORDERS
    return (
        Utterance("request", "order", text=bare) if is_order else Utterance("statement", text=bare)
    )


def _without_politeness(bare: str) -> tuple[str, bool]:
    """Return the sentence without its filler and "please", and whether it asked politely."""
    plain, polite = _POLITE_END.sub("", bare), bool(_ASKS.search(bare))
    while match := _FILLER.match(plain):
        plain = plain[match.end() :]
    if match := _POLITE.match(plain):
        plain, polite = plain[match.end() :], True
    return plain or bare, polite
