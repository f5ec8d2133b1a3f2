"""Classification of events by a table of rules, of which the first that fits holds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Callable, Iterable

from evennia_ai.core import languages, name_patterns
from evennia_ai.domain.memories import retrieval

# Classes of events. The assistant answers the first five; `context` it only remembers.
DIRECT_MESSAGE = "direct_message"
DIRECT_ADDRESSING = "direct_addressing"
CONVERSATION = "conversation"
CROSS_TALK = "cross_talk"
EVERYBODY = "everybody"
CONTEXT = "context"
IGNORE = "ignore"

ANSWERED = frozenset({DIRECT_MESSAGE, DIRECT_ADDRESSING, CONVERSATION, CROSS_TALK, EVERYBODY})

# How words come to an assistant, which is the name of the rule that decides. FOLLOWED are words on a channel
# that name nobody, OTHER those that name somebody else.
NAMED, OTHER, TALKED_ON = "named", "somebody else named", "in conversation"
GREETED, CHATTED = "everybody greeted", "chatty"
FOLLOWED, ROOM_TALK = "followed channel", "room talk"
ADDRESSED = {
    **{NAMED: DIRECT_ADDRESSING, TALKED_ON: CONVERSATION, FOLLOWED: CONVERSATION},
    **dict.fromkeys((GREETED, CHATTED), EVERYBODY),
    **dict.fromkeys((OTHER, ROOM_TALK), CONTEXT),
}
# The rules by which assistants answer each other, and by which one that has no model answers no other.
BY_ASSISTANT = "an assistant spoke to it"
BY_RULES = "assistants talk with a good model only"

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

_CALLS = languages.Pattern("classification.calls")
# How words go on after a name that calls somebody, without a comma.
_ASKS = languages.Pattern("classification.asks")
# "Bed, please" asks whoever has beds.
_NO_CALL = languages.Pattern("classification.no_call")
_ARTICLE = languages.Pattern("classification.article")
# "My brother is ill", "the guard sleeps": what stands after these is spoken of, and not spoken to.
_DETERMINER = languages.Pattern("classification.determiner")
# "Tell me, Bob": what a name follows that is spoken to.
_TO_YOU = languages.Pattern("classification.to_you")
_TO_ME = languages.Pattern("classification.to_me")
# The word before this is the noun of what somebody is: "the gruff smith of Ravensford, who drinks".
_BEHIND = languages.Pattern("classification.behind")
_WHO = languages.Pattern("classification.who", of_words=True)
_SECRET = languages.Pattern("telling.secret", of_words=True)
_ANYBODYS = languages.Words("classification.anybodys", stemmed=True)
_ANYBODY = languages.Pattern("classification.anybody", of_words=True)
_QUESTION = languages.Pattern("classification.question")
# "Yes" and "no" answer a question, and laughter asks for no answer.
_ASIDE = languages.Pattern("classification.aside")
# "Shall we go?": an invitation, or words for several who act together.
_JOINT = languages.Pattern("classification.joint")
_THANKS = languages.Pattern("classification.thanks", of_words=True)
# "You" and "we": among players, such a question is for one of them.
_OF_OTHERS = languages.Words("classification.of_others")
_FOR_ONE = languages.Words("classification.for_one")
_BEFORE_OBJECT = languages.Words("classification.before_object")
_AFTER_SUBJECT = languages.Words("classification.after_subject")
# More of a letter than a word has: "Besss".
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")

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
    """All that decides how an assistant takes an event, known when it perceives it.

    `addressed` is a key of ADDRESSED. `far` are words from another room. `by_rules` is what an assistant says to
    one that has no model. `followed_channel` is how the assistant follows the channel that the words came by:
    "listen", "named" or "answer".
    """

    kind: str
    addressed: str = ROOM_TALK
    enabled: bool = True
    own: bool = False
    far: bool = False
    from_assistant: bool = False
    by_rules: bool = False
    exchange_allowed: bool = True
    talkative: str = "addressed"
    followed_channel: str = ""


# A name for `why`, a test, and the class that follows; the first that fits holds.
RULES: tuple[tuple[str, Callable[[Situation], bool], str], ...] = (
    ("disabled", lambda s: not s.enabled, IGNORE),
    ("own words", lambda s: s.own, IGNORE),
    ("never talks", lambda s: s.talkative == "never", CONTEXT),
    # A speaker in the next room would not hear the answer.
    ("said elsewhere", lambda s: s.far, CONTEXT),
    ("assistants talked enough", lambda s: s.from_assistant and not s.exchange_allowed, CONTEXT),
    # Two of them would make nothing but phrases.
    (BY_RULES, lambda s: s.from_assistant and s.by_rules, CONTEXT),
    ("only listens there", lambda s: s.followed_channel == "listen", CONTEXT),
    (BY_ASSISTANT, lambda s: s.from_assistant and s.addressed == NAMED, CROSS_TALK),
    ("spoken to alone", lambda s: s.kind in ("whisper", "tell"), DIRECT_MESSAGE),
)


def classify(situation: Situation) -> tuple[str, str]:
    """Return the class of an event and the name of the rule that decided it."""
    for name, fits, verdict in RULES:
        if fits(situation):
            return verdict, name
    return ADDRESSED[situation.addressed], situation.addressed


def class_of(rule: str) -> str:
    """Return the class that a rule decides for, "" if there is no rule of that name."""
    return {**ADDRESSED, **{name: verdict for name, _, verdict in RULES}}.get(rule, "")


def name_fit(text: str, names: Iterable[str], *, is_speech: bool = False) -> int:
    """Return how well words name somebody: the length of the longest name found whole, or 0.

    Case does not matter; "Bob" is not in "bobbing", but "Bob's" and "Bob," name Bob. Who is called by
    a word that everybody uses, such as You or Will, is named only where it can be nothing but a name.
    In speech (`is_speech`) "my brother" or "the guard" is spoken of; a deed is done to "the guard".
    """
    folded = fold(text)
    found = (name for name in names if name and _names(name, text, folded, is_speech=is_speech))
    return max(map(len, found), default=0)


def is_called(text: str, names: Iterable[str]) -> bool:
    """Return whether words speak to somebody by name: "Bob, …", "…, Bob", "hey Bob" or "Bob?".

    "Is Bob here?" names him and speaks to somebody else. Who is called by a common noun, such as "monk"
    or "a bed", is spoken to only where they are asked or told something: "A bed, please" is for an innkeeper.
    """
    folded = _DRAWN_OUT.sub(r"\1\1", fold(text).strip())
    known = _with_heads(names)
    if any(
        (_is_noun_called if is_noun(name) else _is_vocative)(fold(name), folded) for name in known
    ):
        return True
    proper = [fold(name) for name in known if not is_noun(name) and not retrieval.is_common(name)]
    parts = {word for name in known for word in _words(fold(name))}
    return any(_is_called_barely(name, folded, parts) for name in proper if name in folded)


def _is_called_barely(name: str, folded: str, parts: set[str]) -> bool:
    """True for "what's in the stew Bob" and "Bob give me an ale", where no comma sets the name apart.

    "Where is Bob?", "have you seen Bob?" and "Bob never sleeps" are said of him.
    """
    if _ANYBODY.search(folded):
        return False
    if ends_in_call(folded, name) and not is_joint(folded):
        return True
    first = rf"\A\W*{name_patterns.NAME}\s+([\w']+)"
    found = [one[1] for one in name_patterns.matches(first, name, folded)]
    is_of_them = any(
        word in _AFTER_SUBJECT or word in parts or word.endswith(("s", "ed", "'ll"))
        for word in found
    )
    return bool(found) and not is_of_them


def ends_in_call(text: str, name: str) -> bool:
    """True for "what's in the stew Bob", but not for "have you seen Bob"."""
    last = rf"(?<![\w'])([\w']++)\s++{name_patterns.NAME}\s*(?:[.!?…,;:)]|\Z|\s(?:{_TO_YOU.source()})\b)"
    found = (one[1] for one in name_patterns.matches(last, fold(name), fold(text)))
    return any(word not in _BEFORE_OBJECT for word in found)


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
    return next((one for one in vocatives(text) if _is_of_trade(one, known)), "")


def vocatives(text: str) -> list[str]:
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
    asked = rf"\A\w+(?: (?:\w+ )?{_TO_ME.source()})?,\s*{name},"
    return (first, greeted, last, asked)


def _is_vocative(name: str, folded: str) -> bool:
    if name not in folded:
        return False
    calls, to_me = _CALLS.source(), _TO_ME.source()
    # "Will you come?" calls nobody of that name.
    asks = "" if retrieval.is_common(name) else rf"|\s+{_ASKS.source()}\b"
    first = rf"\A\W*(?:{calls}\W+)?{name_patterns.NAME}(?:\s*[,:;!?.…-]|\s*\Z{asks})"
    last = rf"(?:,|\b(?:{to_me}|{calls}))\s*{name_patterns.NAME}\s*(?:[.!?…]|\Z)"
    # "Listen, Bob, …", "Tell me, Bob, …"
    within = rf"\A\W*\w+(?: {to_me})?,\s*{name_patterns.NAME}\s*,"
    # "I fear dogs, Bob, so keep yours away", but not "my friend, Bob, is here".
    apart = rf",\s*{name_patterns.NAME}\s*,(?=[^.!?]{{0,80}}\b(?:{_TO_YOU.source()})\b)"
    patterns = (first, last, within, apart)
    return any(name_patterns.is_in(pattern, name, folded) for pattern in patterns)


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


def is_for_everybody(text: str, *, only_minds: bool = False, is_quiet: bool = True) -> bool:
    """True when a line is for anybody who is there: a greeting, alone or with "all", or a question for anybody.

    Where only assistants are there (`only_minds`), so is any question, and a greeting with any name: "Good day,
    sergeant". Where players talk (not `is_quiet`), a greeting has to name all.
    """
    if is_question(text) and (only_minds or is_quiet and _ANYBODY.search(text)):
        return True
    words = _words(re.split(r"(?<=\w)[.!]+\s", fold(text), maxsplit=1)[0])
    meant = {word for item in languages.listed("to_all", "everybody") for word in _words(item)}
    for opening in filter(None, map(_words, languages.listed("to_all", "greetings"))):
        rest = words[len(opening) :]
        # "Hello hello" is a greeting; "Hello, Dag" is none, though "day" stands in one.
        is_bare = not rest or rest == opening
        is_for_all = only_minds or (is_quiet if is_bare else meant.issuperset(rest))
        if words[: len(opening)] == opening and is_for_all:
            return True
    return False


def is_question(text: str) -> bool:
    """True for "where is it?" and "and where is it"."""
    return any("?" in one or _QUESTION.match(fold(one)) for one in retrieval.sentences(text))


def is_joint(text: str) -> bool:
    """True for "shall we go?" and "want to come?", which players say to each other."""
    return bool(_JOINT.search(fold(text)))


def is_for_player(text: str, names: Iterable[str]) -> bool:
    """True when the form of a line fits a player rather than the NPC of these names, which asked nothing."""
    if is_joint(text) or is_question(text):
        return is_joint(text) or bool(name_fit(text, names))
    is_aside = bool(_ASIDE.match(fold(text))) or not _words(text) or bool(name_fit(text, names))
    return is_aside or _is_of_somebody(text)


def _is_of_somebody(text: str) -> bool:
    """True when a text has a word for a person: you, we, she, anybody."""
    words = _words(_THANKS.sub("", fold(text)))
    return any(word in _FOR_ONE or word in _OF_OTHERS for word in words)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


def fold(text: str) -> str:
    """Return text in the one form in which an umlaut or an apostrophe can be compared."""
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'")
