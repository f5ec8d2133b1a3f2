"""Situations in which there is more than one way to go about it, and the ways: soothe, or warn?

They are recognised by what somebody says, in English and Swedish. Which way is taken is decided by
what experience speaks for; where it says nothing, by the temper that the persona tells of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evennia_ai.core import languages, senses, words
from evennia_ai.core.spelling import spelled_out
from evennia_ai.domain.choices import few_shot_vote
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import utterances

# Characters of one utterance that are looked at.
MAX_LENGTH = 600
# Letters that a line must have to be shouted, and the share of them that is in capitals.
SHOUTED_LETTERS, SHOUTED_SHARE = 8, 0.7

# What a temper is told by. The approaches of a situation stand in this order.
TEMPERS = {
    temper: languages.Pattern(f"tempers.{temper}", of_words=True)
    for temper in "firm gentle merry careful".split()
}


# Names of what is no approach, but how it was brought to others.
PLAIN = ("say", "whisper", "tell", "emote", "noop", "share")
# What two names of the same have in common at least: of their words, or, in English, of their meanings.
SHARED, ALIKE = 0.5, 0.55


@dataclass(frozen=True)
class Situation:
    """What is going on: its name, what a decision in it is about, and the ways to go about it.

    `ways` are those that the tempers of TEMPERS come to first, in their order; `usual` is the way of
    somebody of whom no temper is known.
    """

    name: str
    description: str
    domain: str
    ways: tuple[str, ...]
    usual: str


BRAWLER = Situation(
    "brawler",
    "A brawler threatens and looks for a fight",
    "relationship",
    ("warn", "soothe", "distract", "call_help"),
    "soothe",
)
ROBBED = Situation(
    "robbed",
    "Somebody was robbed and cries thief",
    "quest",
    ("ask_closely", "reassure", "search", "call_help"),
    "ask_closely",
)
MOURNER = Situation(
    "mourner",
    "Somebody is sad and mourns",
    "relationship",
    ("advise", "comfort", "distract", "listen"),
    "comfort",
)
SITUATIONS = (BRAWLER, ROBBED, MOURNER)

_THREAT = languages.Pattern("approaches.threat")
_RUDE = languages.Pattern("approaches.rude", of_words=True)
_DRUNK = languages.Pattern("approaches.drunk")
_STOLEN = languages.Pattern("approaches.stolen")
_SAD = languages.Pattern("approaches.sad")


def recognise(text: str, *, names: Iterable[str] = ()) -> Situation | None:
    """Return the situation that somebody makes by these words, or None for all others."""
    line = spelled_out(reply.printable(text, max_length=MAX_LENGTH).replace("’", "'"))
    tests = {BRAWLER: _is_brawl, ROBBED: _STOLEN.search, MOURNER: _SAD.search}
    for situation in SITUATIONS:
        if tests[situation](line):
            is_for_a_model = utterances.classify(line, names=names).kind == "nonsense"
            return None if is_for_a_model else situation
    return None


def ordered(situation: Situation, persona: Mapping[str, Any]) -> list[str]:
    """Return the ways of a situation, the one that is in the nature of this persona first."""
    first = situation.usual
    temper = temper_of(persona)
    if temper:
        first = situation.ways[list(TEMPERS).index(temper)]
    return [first, *(way for way in situation.ways if way != first)]


def temper_of(persona: Mapping[str, Any]) -> str:
    """Return the temper that the words of a persona speak of most, "" if of none."""
    words = " ".join(
        str(persona.get(key) or "") for key in ("description", "background", "notes", "manner")
    )
    counts = {temper: len(told_by.findall(words)) for temper, told_by in TEMPERS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def choose(
    situation: Situation,
    *,
    persona: Mapping[str, Any],
    few_shot: str = "",
    failed: Collection[str] = (),
) -> str:
    """Return the way to take: what experience speaks for, else what did not fail and comes naturally.

    `few_shot` is the text of past decisions; `failed` are ways that went wrong in such a situation.
    """
    ways = ordered(situation, persona)
    # What went wrong comes last, and first again for whoever has failed with everything.
    hopeful = sorted(ways, key=lambda way: way in failed)
    return few_shot_vote.choose(hopeful, few_shot, default=hopeful[0])


def is_shouted(line: str) -> bool:
    """Return whether a line is shouted: mostly capitals, or more than one exclamation mark."""
    letters = [letter for letter in line if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    loud = len(letters) >= SHOUTED_LETTERS and capitals >= SHOUTED_SHARE * len(letters)
    return loud or "!!" in line


def is_drunk(line: str) -> bool:
    """Return whether somebody hiccups while speaking."""
    return bool(_DRUNK.search(line))


def _is_brawl(line: str) -> bool:
    if _THREAT.search(line):
        return True
    return bool(_RUDE.search(line)) and (is_shouted(line) or is_drunk(line))


def called(action: str, known: Iterable[str]) -> str:
    """Return what an approach was called before by somebody who called it so, else what it is called now."""
    return next((one for one in known if is_same(one, action)), action)


def is_same(one: str, other: str) -> bool:
    """Return whether two names stand for one way to go about something: "calm him down", "try to calm her"."""
    if one == other or one in PLAIN or other in PLAIN:
        return one == other
    first, second = ({*retrieval.terms(name.replace("_", " "))} for name in (one, other))
    if first and second and len(first & second) >= SHARED * len(first | second):
        return True
    ours, theirs = (words.telling(words.words(name), senses.LANGUAGE) for name in (one, other))
    return senses.text_likeness(tuple(ours), tuple(theirs)) >= ALIKE
