"""References of an assistant to itself, which it may not write down as knowledge.

A mind that reads of itself what it wrote of itself drifts away from its persona; and what a player
says that it is, or should do, must not come back as its own knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval

# What may stand before whom a sentence is about: "So", "As for me, …", "It seems that …".
_OPENING = languages.Pattern("self_reference.opening", also_english=True)
_ONESELF = languages.Pattern("self_reference.oneself", also_english=True)
# Whom it is called by somebody who speaks to it.
_YOU = languages.Pattern("self_reference.you", also_english=True)
# Somewhere in a sentence: what it is said to be or to have to do.
_BOUND = languages.Pattern("self_reference.bound", also_english=True)
_TO_BE = languages.Pattern("self_reference.to_be", also_english=True)
_WORD = re.compile(r"\w")
# Words in quotation marks are somebody else's.
QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»|(?<!\w)'[^']*'(?!\w)|‘[^‘’]*’(?!\w)")


def is_about(text: str, *, names: Iterable[str] = (), addressed: bool = False) -> bool:
    """Return whether a sentence of a text is about the assistant, which may be called by its `names`.

    With `addressed` the words were said to it, so that "you" is it as well. "Mara's ale is liked" is
    about the world, "Mara is patient" is not.
    """
    lead = _lead(names, [_YOU.source()] if addressed else [])
    return any(_leads_to(one, lead) or _BOUND.search(one) for one in _sentences(text))


def without(text: str, *, names: Iterable[str] = ()) -> str:
    """Return a text without the sentences that say what the assistant is, or has to do.

    What it did stays: "Mara promised Ann a seat."
    """
    called = [re.escape(name) for name in names if name]
    nature = re.compile(rf"(?:{'|'.join(called) or '(?!)'})\s+{_TO_BE.source()}\b", re.I)
    lead = _lead((), [])

    @cache
    def is_of_it(sentence: str) -> bool:
        bare = _bare(sentence)
        return bool(_leads_to(bare, lead) or _BOUND.search(bare) or nature.match(_start(bare)))

    return " ".join(one for one in retrieval.sentences(text) if not is_of_it(one))


def _lead(names: Iterable[str], also: list[str]) -> re.Pattern[str]:
    """Return what stands first in a sentence that is about the assistant."""
    called = [rf"{re.escape(name)}(?!\s*,)" for name in names if name]
    oneself = "|".join([*called, *also, _ONESELF.source()])
    return re.compile(rf"(?:{oneself})\b(?!['’]s)", re.I)


def _leads_to(sentence: str, lead: re.Pattern[str]) -> bool:
    """Return whether whom a sentence is about, which comes first, is the assistant."""
    whole = sentence.lstrip(" ,.;:-–—*")
    return bool(lead.match(whole) or lead.match(_start(sentence)))


def _start(sentence: str) -> str:
    while opening := _OPENING.match(sentence):
        sentence = sentence[opening.end() :]
    return sentence


def _sentences(text: str) -> list[str]:
    # Who says the same a thousand times is read once.
    said = dict.fromkeys(retrieval.sentences(text))
    return [bare for one in said if _WORD.search(bare := _bare(one))]


def _bare(sentence: str) -> str:
    return QUOTED.sub(" ", sentence).strip()
