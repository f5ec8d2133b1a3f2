"""Classification of events by a table of rules, of which the first that fits holds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Callable, Iterable

from evennia_ai.core import languages, name_patterns
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import utterances

# Classes of events. The assistant answers the first five; `context` it only remembers.
DIRECT_MESSAGE = "direct_message"
DIRECT_ADDRESSING = "direct_addressing"
CONVERSATION = "conversation"
CROSS_TALK = "cross_talk"
EVERYBODY = "everybody"
CONTEXT = "context"
IGNORE = "ignore"

ANSWERED = frozenset({DIRECT_MESSAGE, DIRECT_ADDRESSING, CONVERSATION, CROSS_TALK, EVERYBODY})

# How urgently each class wants an answer (0–10); a light sleeper wakes at 8.
PRIORITIES = {
    DIRECT_MESSAGE: 9,
    DIRECT_ADDRESSING: 8,
    CONVERSATION: 6,
    EVERYBODY: 5,
    CROSS_TALK: 3,
    CONTEXT: 1,
    IGNORE: 0,
}

# What stands before the name of somebody who is spoken to.
_CALLS = languages.Pattern("classification.calls")
# How words go on after a name that calls somebody, without a comma.
_ASKS = languages.Pattern("classification.asks")
# "Bed, please" asks whoever has beds.
_NO_CALL = languages.Pattern("classification.no_call")
_ARTICLE = languages.Pattern("classification.article")
# "My brother is ill", "the guard sleeps": what stands after these is spoken of, and not spoken to.
_DETERMINER = languages.Pattern("classification.determiner")
# "Tell me, Bob": what a name follows that is spoken to.
_TO_ME = languages.Pattern("classification.to_me")
# The word before this is the noun of what somebody is: "the gruff smith of Ravensford, who drinks".
_BEHIND = languages.Pattern("classification.behind")
_WHO = languages.Pattern("classification.who", of_words=True)
_SECRET = languages.Pattern("telling.secret", of_words=True)
# What everybody is called, whatever they do.
_ANYBODYS = languages.Words("classification.anybodys", stemmed=True)
# How somebody takes up a conversation that they left for another.
_RESUMES = languages.Pattern("classification.resumes")
_ASKS_ON = languages.Pattern("classification.asks_on")
_ANYBODY = languages.Pattern("classification.anybody", of_words=True)
# "Shall we go?", "are you coming?": where players are together, such a question is for one of them.
_FOR_ONE = languages.Words("classification.for_one")
# The rule by which words on a channel are answered that name nobody.
FOLLOWED = "followed channel"
# The rule by which an assistant that has no model answers no other.
BY_RULES = "assistants talk with a model only"


# Letters of a word that may be the end of a longer one: "smith" of "blacksmith".
ENDING = 4
# Characters of a description that tell what somebody is.
DESCRIBED = 300
_LETTERS = r"(?P<word>[^\W\d_]+)"
# A name as a whole word, and one that stands for itself.
_WHOLE = rf"(?<!\w){name_patterns.NAME}(?!\w)"
_APART = rf"(?:\A|[,;:.!?])\s*{name_patterns.NAME}\s*(?:[,;:.!?]|\Z)"


@dataclass(frozen=True)
class Situation:
    """What decides how an event is taken: all of it known at the moment of perception.

    `far` are words from another room. `by_rules` is what an assistant says to one that has no model.
    `named` tells whether this assistant is the one that the
    words name, `other_named` whether they name somebody else who is present; `responder` whether
    it is the one that should answer words for everybody. `engaged` is a conversation with this
    speaker in the last minute. `asks_room` is a question that names nobody, of what somebody here knows.
    `followed_channel` is how the assistant follows the channel that the words came by: "listen",
    "named" or "answer".
    """

    kind: str
    enabled: bool = True
    own: bool = False
    far: bool = False
    from_assistant: bool = False
    by_rules: bool = False
    named: bool = False
    other_named: bool = False
    engaged: bool = False
    responder: bool = False
    for_everybody: bool = False
    asks_room: bool = False
    exchange_allowed: bool = True
    talkative: str = "addressed"
    followed_channel: str = ""


@dataclass(frozen=True)
class Rule:
    """A name for `why`, a test and the class that follows."""

    name: str
    fits: Callable[[Situation], bool]
    verdict: str


def _speech(s: Situation) -> bool:
    return s.kind in ("say", "pose", "channel")


RULES: tuple[Rule, ...] = (
    Rule("disabled", lambda s: not s.enabled, IGNORE),
    Rule("own words", lambda s: s.own, IGNORE),
    Rule("never talks", lambda s: s.talkative == "never", CONTEXT),
    # Whoever shouts from the next room would not hear the answer.
    Rule("said elsewhere", lambda s: s.far, CONTEXT),
    Rule(
        "assistants talked enough", lambda s: s.from_assistant and not s.exchange_allowed, CONTEXT
    ),
    # Two of them would make nothing but phrases.
    Rule(BY_RULES, lambda s: s.from_assistant and s.by_rules, CONTEXT),
    Rule("only listens there", lambda s: s.followed_channel == "listen", CONTEXT),
    Rule("an assistant spoke to it", lambda s: s.from_assistant and s.named, CROSS_TALK),
    Rule("spoken to alone", lambda s: s.kind in ("whisper", "tell"), DIRECT_MESSAGE),
    Rule("given something", lambda s: s.kind == "give", DIRECT_ADDRESSING),
    Rule("named", lambda s: _speech(s) and s.named, DIRECT_ADDRESSING),
    Rule("somebody else named", lambda s: _speech(s) and s.other_named, CONTEXT),
    Rule("in conversation", lambda s: s.kind == "say" and s.engaged and s.responder, CONVERSATION),
    Rule(
        "everybody greeted",
        # What one assistant says to everybody, no other has to answer.
        lambda s: s.kind == "say" and s.for_everybody and s.responder and not s.from_assistant,
        EVERYBODY,
    ),
    Rule(
        "the room asked",
        lambda s: s.kind == "say" and s.asks_room and s.responder and not s.from_assistant,
        EVERYBODY,
    ),
    # As in a room, assistants answer each other by name only: else each answer would have one.
    Rule(
        FOLLOWED,
        lambda s: s.followed_channel == "answer" and s.responder and not s.from_assistant,
        CONVERSATION,
    ),
    Rule("chatty", lambda s: s.talkative == "chatty" and s.responder and _chatted(s), EVERYBODY),
    Rule("room talk", lambda s: True, CONTEXT),
)


def _chatted(s: Situation) -> bool:
    return s.kind in ("say", "arrive") and not s.from_assistant


def classify(situation: Situation) -> tuple[str, str]:
    """Return the class of an event and the name of the rule that decided it."""
    rule = next(rule for rule in RULES if rule.fits(situation))
    return rule.verdict, rule.name


def class_of(rule: str) -> str:
    """Return the class that a rule decides for, "" if there is no rule of that name."""
    return next((known.verdict for known in RULES if known.name == rule), "")


def name_fit(text: str, names: Iterable[str], *, is_speech: bool = False) -> int:
    """Return how well words name somebody: the length of the longest name found whole, or 0.

    Case does not matter; "Bob" is not in "bobbing", but "Bob's" and "Bob," name Bob. Who is called by
    a word that everybody uses, such as You or Will, is named only where it can be nothing but a name.
    In speech (`is_speech`) "my brother" or "the guard" is spoken of; a deed is done to "the guard".
    """
    folded = fold(text)
    found = (name for name in names if name and _names(name, text, folded, is_speech=is_speech))
    return max(map(len, found), default=0)


def resumes(text: str) -> bool:
    """Return whether words take up again a conversation that was left: "Well, back to you."."""
    return bool(_RESUMES.search(text))


def is_called(text: str, names: Iterable[str]) -> bool:
    """Return whether words speak to somebody by name: "Bob, …", "…, Bob", "hey Bob" or "Bob?".

    "Is Bob here?" names him and speaks to somebody else. Who is called by a common noun, such as "monk"
    or "a bed", is spoken to only where they are asked or told something: "A bed, please" is for an innkeeper.
    """
    folded = fold(text).strip()
    return any(
        (_is_noun_called if is_noun(name) else _is_vocative)(fold(name), folded)
        for name in _with_heads(names)
    )


def _with_heads(names: Iterable[str]) -> list[str]:
    """Return names, and the last word of each that describes: "a bald monk" is also called "monk"."""
    known = [name for name in names if name]
    heads = [name.split()[-1] for name in known if is_noun(name) and " " in name]
    return [*known, *heads]


def is_noun(name: str) -> bool:
    """Return whether a name is written as a thing is, and not as somebody's: "monk", "a tall guard"."""
    return name.islower()


def trades(description: str) -> frozenset[str]:
    """Return the stems of what somebody is, by the first sentence of what their builder wrote of them.

    >>> sorted(trades("You are Bob, the gruff smith of Ravensford. You drink."))
    ['bob', 'ravensford', 'smith']
    """
    first = next(iter(retrieval.sentences(" ".join(description[:DESCRIBED].split()))), "")
    if secret := _SECRET.search(first):
        # What somebody is in secret nobody can try on them.
        first = first[: secret.start()]
    found = _BEHIND.split(_WHO.split(first)[0])
    stems = (retrieval.terms(part.rpartition(" ")[2]) for part in found)
    return frozenset(stem for some in stems for stem in some if not _is_anybodys(stem))


def called_by_trade(text: str, trades: Iterable[str]) -> str:
    """Return the word by which a text speaks to somebody as what they are: "Smith, how much is it?"."""
    known = tuple(trades)
    return next((one for one in _vocatives(text) if _is_of_trade(one, known)), "")


def may_call_by_trade(text: str) -> bool:
    """Return whether a text may speak to somebody as what they are, before it is looked up what that is."""
    return bool(_vocatives(text))


def _vocatives(text: str) -> list[str]:
    """Return the words of a text that stand where somebody is spoken to, and may be what they are."""
    folded = fold(text).strip()
    found = (re.search(pattern, folded) for pattern in _noun_calls(_LETTERS))
    words = [match["word"] for match in found if match]
    return [word for word in words if retrieval.terms(word)]


def _is_of_trade(word: str, trades: tuple[str, ...]) -> bool:
    stems = retrieval.terms(word)
    return any(
        not _is_anybodys(stem) and (trade == stem or len(stem) >= ENDING and trade.endswith(stem))
        for stem in stems
        for trade in trades
    )


def _is_anybodys(stem: str) -> bool:
    return retrieval.is_weak(stem) or stem in _ANYBODYS


def _is_noun_called(name: str, folded: str) -> bool:
    if name not in folded or _has_article(name):
        return False
    return any(
        name_patterns.is_in(pattern, name, folded) for pattern in _noun_calls(name_patterns.NAME)
    )


def _noun_calls(name: str) -> tuple[str, ...]:
    calls, no_call = _CALLS.source(), _NO_CALL.source()
    goes_on = rf"(?:!|,\s+(?!{no_call}\b)\w|\s+(?!{no_call}\b){_ASKS.source()}\b)"
    first = rf"\A(?:{calls}\W+)?{name}{goes_on}"
    greeted = rf"\A{calls}\W+{name}\s*[.!?…]*\Z"
    last = rf",\s*{name}\s*[.!?…]*\Z"
    asked = rf"\A(?:\w+ ){{1,2}}{_TO_ME.source()},\s*{name},"
    return (first, greeted, last, asked)


def _is_vocative(name: str, folded: str) -> bool:
    if name not in folded:
        return False
    calls, to_me = _CALLS.source(), _TO_ME.source()
    first = rf"\A(?:{calls}\W+)?{name_patterns.NAME}(?:\s*[,:;!?.…-]|\s*\Z|\s+{_ASKS.source()}\b)"
    last = rf"(?:,|\b(?:{to_me}|{calls}))\s*{name_patterns.NAME}\s*(?:[.!?…]|\Z)"
    return name_patterns.is_in(first, name, folded) or name_patterns.is_in(last, name, folded)


def _has_article(name: str) -> bool:
    return bool(re.match(rf"{_ARTICLE.source()} ", name, re.I))


def _names(name: str, text: str, folded: str, *, is_speech: bool) -> bool:
    own = fold(name)
    if own not in folded:
        return False
    if not is_speech and not retrieval.is_common(name):
        return name_patterns.is_in(_WHOLE, own, folded)
    if retrieval.is_common(name):
        # Between commas or alone, or with its capital in the middle of a sentence.
        is_inside = name[:1].isupper() and name_patterns.is_in(
            rf"\w,? {name_patterns.NAME}(?!\w)", name, text
        )
        return is_inside or name_patterns.is_in(_APART, own, folded)
    if is_noun(name) and _has_article(name):
        return name_patterns.is_in(_APART, own, folded)
    with_whose = rf"(?<!\w)(?P<of>{_DETERMINER.source()}\s+)?{name_patterns.NAME}(?!\w)"
    return any(not match["of"] for match in name_patterns.matches(with_whose, own, folded))


def choose_responder(fits: dict[str, int], *, last_addressed: str | None = None) -> str | None:
    """Return who answers words for several: whom the speaker addressed last, else the best fit.

    `fits` maps each who may answer to how well the words name them. Equal fits go by identity, so
    that everybody who asks gets the same answer.
    """
    if last_addressed in fits:
        return last_addressed
    return min(fits, key=lambda who: (-fits[who], who), default=None)


def is_for_everybody(
    text: str, *, greetings: Iterable[str], everybody: Iterable[str], only_minds: bool = False
) -> bool:
    """Return whether words are for whoever is there: a greeting first, alone or with "all", or a question.

    A question is, if it asks for anybody, or if nobody else is there but assistants (`only_minds`). So is
    a greeting then, whatever the one who is greeted is called: "Good day, sergeant".
    """
    if "?" in text and (only_minds or _ANYBODY.search(text)):
        return True
    words = _words(re.split(r"(?<=\w)[.!]+\s", fold(text), maxsplit=1)[0])
    meant = {word for item in everybody for word in _words(item)}
    openings = [_words(greeting) for greeting in greetings]
    # "Hello, my name is Ann" greets whoever is there, too.
    only_minds = only_minds or utterances.classify(text).kind == "introduction"
    # So does "Hello hello"; "Hello, Dag" does not, though "day" stands in a greeting.
    again = [opening for opening in openings if words[len(opening) :] == opening]
    return any(
        words[: len(opening)] == opening
        and (only_minds or opening in again or meant.issuperset(words[len(opening) :]))
        for opening in openings
        if opening
    )


def asks_on(text: str) -> bool:
    """Whether words ask on from an answer: "And where is that?"."""
    return bool(_ASKS_ON.search(text))


def asked_of_anybody(text: str) -> str:
    """Return the sentences of a text that are questions, but for those that only one who is meant can answer."""
    said = retrieval.sentences(text)
    asked = (one for one in said if "?" in one or utterances.is_question(fold(one)))
    return " ".join(one for one in asked if not any(word in _FOR_ONE for word in _words(one)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


def fold(text: str) -> str:
    """Return text in the one form in which an umlaut or an apostrophe can be compared."""
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'")
