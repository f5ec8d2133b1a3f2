"""Promises: the words in which an assistant makes one, and which of two are the same."""

from __future__ import annotations

import re

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval

# The tag of what the journal keeps of a promise that is over.
TAG = "promise"
# How one is over; in time, it is LAPSED.
KEPT, GIVEN_UP = "kept", "given_up"
# Kinds of memories that are promises: one that is open, and one that was not kept in time.
OPEN, LAPSED = "promise", "lapsed"
# And one to remind somebody of something.
REMINDER = "reminder"
# The share of the telling words of the shorter that two have in common which are the same.
SAME = 0.6

_SLOT = re.compile(r"\{(npc|by|text)\}")
_MADE = languages.Pattern("promises.made")
_NOT_MADE = languages.Pattern("promises.not_made")
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]?")


def made(words: str) -> list[str]:
    """Return the sentences in which whoever says these words promises something.

    What they quote, what they do at once, and what is on a condition, is none.
    """
    said = retrieval.sentences(" ".join(_QUOTED.sub(" ", words.replace("’", "'")).split()))
    return [
        one
        for one in said
        if not one.endswith("?") and _MADE.search(one) and not _NOT_MADE.search(one)
    ]


def is_same(one: str, other: str) -> bool:
    """Return whether two texts promise the same, as a note of it and the words do."""
    shorter, longer = sorted((set(retrieval.terms(text)) for text in (one, other)), key=len)
    return len(shorter & longer) >= SAME * max(len(shorter), 1)


def note(how: str, *, npc: str, name: str, action: str, language: str) -> str:
    """Return what the journal keeps of a promise that is over, in a language, English if we have no file of it.

    Args:
        how: KEPT, GIVEN_UP or LAPSED.
        npc: who made it.
        name: whom it was made to.
        action: what was promised.
        language: its code.

    """
    line, *_ = languages.phrase(languages.spoken(language) or languages.DEFAULT, f"noted_{how}")
    # In one pass: what fills a slot is not read again.
    values = {"npc": npc, "by": name, "text": action}
    return _SLOT.sub(lambda found: values[found[1]], line)
