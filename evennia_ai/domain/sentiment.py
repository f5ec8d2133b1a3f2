"""Tone of a line or a gesture, by a few words of each language: from -1 (against the NPC) to 1 (glad).

Experience measures by it how an answer went; no mind is told of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from evennia_ai.core import languages
from evennia_ai.core.records import SPOKEN
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import reading

# Characters of one line, and of a pose, that are looked at; the gesture that is meant to hurt.
MAX_LENGTH = 600
GESTURE_LENGTH, BLOW = 400, "hit"
# Words between a blow and the one it meets, at most: "slaps poor old Mara".
ON_THE_WAY = 2

_HOSTILE = languages.Pattern("tone.hostile", of_words=True)
_AGAINST = languages.Pattern("tone.against", of_words=True)
_GLAD = languages.Pattern("tone.glad", of_words=True)
_YOU = languages.Words("answers.you")
# How angry a line can be.
WORST = -1.0
_KINDS = {
    "thanks": 0.6,
    "sorry": 0.6,
    "praise": 0.8,
    "insult": WORST,
    "quiet": -0.5,
    "laugh": 0.2,
    "yes": 0.3,
    "no": -0.3,
}
_FOR_GLAD, _FOR_AGAINST = 0.6, -0.5
# Change of favorability by words, and by a gift; what is not listed changes nothing.
SAID = {"thanks": 0.02, "praise": 0.05, "insult": -0.1}
GIFT = 0.1


def of_words(text: str, *, names: Iterable[str] = ()) -> float:
    """How glad (1) or angry (-1) a line sounds to the bearer of these `names`.

    Anger outweighs the rest of the same breath: "sorry, but get lost" is no apology.
    """
    line = reply.printable(text, max_length=MAX_LENGTH).replace("’", "'")
    if _HOSTILE.search(line):
        return WORST
    said = reading.classify(line, names=names)
    felt = _KINDS.get(said.topic, _KINDS.get(said.kind, 0.0))
    if felt == WORST:
        return felt
    if _AGAINST.search(line):
        return _FOR_AGAINST
    return max(felt, _FOR_GLAD) if _GLAD.search(line) else felt


def gesture(line: str, names: Iterable[str]) -> str:
    """The gesture of a pose, "" for none that is known; a blow counts if it meets the bearer of these `names`."""
    own = tuple(names)
    for code in languages.read_now():
        for one, stems in languages.load(code).gestures.items():
            is_told = re.search(rf"\b(?:{stems})\w*", line[:GESTURE_LENGTH], re.I)
            if is_told and (one != BLOW or is_blow(line, own)):
                return one
    return ""


def is_blow(deed: str, names: Iterable[str]) -> bool:
    """True if a pose tells of a blow at the bearer of these `names`: "kicks Mara"."""
    meant = "|".join(re.escape(one) for one in (*filter(None, names), *_YOU))
    # "Kicks Mara's cat" and "kicks Mara the ball" meet another.
    them = rf"(?:{meant})(?![\w-]|['’]\w)(?! (?:an?|the)\b)"
    return any(
        re.search(
            rf"\b(?:{stems})\w*(?: \w+){{0,{ON_THE_WAY}}}? {them}", deed[:GESTURE_LENGTH], re.I
        )
        for code in languages.read_now()
        if (stems := languages.load(code).gestures.get(BLOW))
    )


def favorability_change(context: dict[str, Any]) -> tuple[float, str] | None:
    """Return (delta, reason) for the event of a turn, or None if it moves nobody.

    `context` is what the sections of a prompt leave behind: `event` and `npc` are read.
    """
    event = context.get("event") or {}
    kind, text = event.get("kind") or "say", event.get("text") or ""
    name = (context.get("npc") or {}).get("name") or ""
    is_deed = kind == "pose" or reading.is_deed(reading.without_call(text, names=[name]))
    if is_deed and is_blow(text, [name]):
        return SAID["insult"], "insult"
    if kind not in SPOKEN:
        return (GIFT, kind) if kind == "give" else None
    said = reading.classify(text, names=[name])
    felt = said.topic if said.topic in SAID else said.kind
    return (SAID[felt], felt) if felt in SAID else None
