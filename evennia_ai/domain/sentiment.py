"""Sentiment of what was said or done, by rules: from -1 (against it) to 1 (glad of it).

By the words of each language. What is neither is 0, and so is what nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from evennia_ai.core import languages, name_patterns
from evennia_ai.core.name_patterns import NAME
from evennia_ai.core.records import SPOKEN
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import utterances

# Characters of one line that are looked at.
MAX_LENGTH = 600
# How far into a line a gesture is looked for, and the one that is meant to hurt.
GESTURE_LENGTH, BLOW = 400, "hit"

_HOSTILE = languages.Pattern("tone.hostile", of_words=True)
_AGAINST = languages.Pattern("tone.against", of_words=True)
# What may stand between a blow and whom it meets; "you", "your", and what is so much one's own as a shin.
_TOWARDS, _YOU = languages.Pattern("tone.towards"), languages.Pattern("tone.you")
_YOUR, _ONES_OWN = languages.Pattern("tone.your"), languages.Pattern("tone.ones_own")
# What somebody is passed: "kicks Mara the ball"; and how a blow is dealt by another verb: "gives Mara a slap".
_PASSED, _DEALS = languages.Pattern("tone.passed"), languages.Pattern("tone.deals")
_DENIED = languages.Pattern("corrections.denied")
# What says just before a blow that it is none: "pretends to", "almost".
_FEIGNED = languages.Pattern("tone.feigned")
_GLAD = languages.Pattern("tone.glad", of_words=True)
# How angry a line can be.
WORST = -1.0
# What a sort of utterance says by itself.
_KINDS = {
    "thanks": 0.6,
    "sorry": 0.6,
    "praise": 0.8,
    "insult": WORST,
    "quiet": -0.5,
    "well": 0.2,
    "laugh": 0.2,
    "yes": 0.3,
    "no": -0.3,
}
_FOR_GLAD, _FOR_AGAINST = 0.6, -0.5
# Change of favorability by what somebody says, and by a gift; what is not listed leaves one cold.
SAID = {"thanks": 0.02, "praise": 0.05, "insult": -0.1}
GIFT = 0.1


def of_words(text: str, *, names: Iterable[str] = ()) -> float:
    """Return how glad (1) or angry (-1) a line sounds to whom these `names` belong.

    Anger outweighs what else is said in the same breath: "sorry, but get lost" is no apology.
    """
    line = reply.printable(text, max_length=MAX_LENGTH).replace("’", "'")
    if _HOSTILE.search(line):
        return WORST
    said = utterances.classify(line, names=names)
    felt = _KINDS.get(said.topic, _KINDS.get(said.kind, 0.0))
    if felt == WORST:
        return felt
    if _AGAINST.search(line):
        return _FOR_AGAINST
    return max(felt, _FOR_GLAD) if _GLAD.search(line) else felt


def is_worst(text: str, *, names: Iterable[str] = ()) -> bool:
    """Return whether a line is as angry as a line can be, as an insult is."""
    return of_words(text, names=names) == WORST


def gesture(line: str, names: Iterable[str]) -> str:
    """Return which gesture a line tells of, "" for none that is known; a blow is one to whom these `names` belong."""
    own = tuple(names)
    for code in languages.read_now():
        for one, stems in languages.load(code).gestures.items():
            is_told = re.search(rf"\b(?:{stems})\w*", line[:GESTURE_LENGTH], re.I)
            if is_told and (one != BLOW or is_blow(line, own)):
                return one
    return ""


def is_blow(deed: str, names: Iterable[str]) -> bool:
    """Return whether a deed is one against whom these `names` belong to, or theirs: "kicks Mara's cat"."""
    line = deed[:GESTURE_LENGTH]
    for name in sorted(filter(None, names), key=len, reverse=True):
        line = name_patterns.sub(rf"(?<!\w){NAME}(?=s?(?!\w))", name, NAME, line)
    return any(
        not _DENIED.search(_words_before(line, found.start(), 2))
        and not _FEIGNED.search(_words_before(line, found.start(), 3))
        and not _DENIED.search(_words_after(line, found.end()))
        for blow in _blows(languages.read_now(), languages.edition())
        for found in blow.finditer(line)
    )


def _words_after(line: str, start: int) -> str:
    return " ".join(line[start:].partition(".")[0].split()[:1])


def _words_before(line: str, end: int, count: int) -> str:
    # "Does not hit", "tries not to hit", "pretends to playfully hit".
    return " ".join(line[:end].rpartition(".")[2].split()[-count:])


@lru_cache(maxsize=50)
def _blows(codes: tuple[str, ...], *read: object) -> tuple[re.Pattern[str], ...]:
    """Return for each language how a blow is told: its verb, a word or two on the way, and whom it meets."""
    made = []
    for code in codes:
        towards, you, your, own, passed, deals = (
            one.only(code).pattern for one in (_TOWARDS, _YOU, _YOUR, _ONES_OWN, _PASSED, _DEALS)
        )
        verb = rf"\b(?:{languages.load(code).gestures.get(BLOW) or '(?!)'})\w*"
        a_blow = rf"(?:{passed}) (?:\w+ )?{verb}"
        them = rf"(?:{NAME}|{you})(?![\w-]|['’]\w)(?! (?:{passed})\b)"
        theirs = rf"(?:{NAME}['’]?s|{your}) (?:\w+ )?(?:{own})\b"
        struck = rf"{verb}(?: (?:{towards})){{0,2}} (?:{them}|{theirs})"
        dealt = (
            rf"\b(?:{deals}) (?:(?:{NAME}|{you}) {a_blow}|{a_blow} (?:{towards}) (?:{NAME}|{you}))"
        )
        made.append(re.compile(f"{struck}|{dealt}(?![\\w-])", re.I))
    return tuple(made)


def favorability_change(context: dict[str, Any]) -> tuple[float, str] | None:
    """Return (delta, reason) for the event of a turn, or None if it moves nobody.

    `context` is what the sections of a prompt leave behind: `event` and `npc` are read.
    """
    event = context.get("event") or {}
    kind, text = event.get("kind") or "say", event.get("text") or ""
    name = (context.get("npc") or {}).get("name") or ""
    if (kind == "pose" or utterances.is_deed(utterances.without_call(text, names=[name]))) and (
        is_blow(text, [name])
    ):
        return SAID["insult"], "insult"
    if kind not in SPOKEN:
        return (GIFT, kind) if kind == "give" else None
    said = utterances.classify(text, names=[name])
    felt = said.topic if said.topic in SAID else said.kind
    return (SAID[felt], felt) if felt in SAID else None
