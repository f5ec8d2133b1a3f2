"""Promises of an assistant: their kinds as memories, which of two are the same, and the note of one that is over."""

from __future__ import annotations

import re

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval

# The tag of a promise that is over, in the journal.
TAG = "promise"
# How one is over; in time, it is LAPSED.
KEPT, GIVEN_UP = "kept", "given_up"
# Kinds of memories that are promises: one that is open, and one that was not kept in time.
OPEN, LAPSED = "promise", "lapsed"
# And one to remind somebody of something.
REMINDER = "reminder"
# So many minutes ahead at most: a week.
REMINDER_MINUTES = 7 * 24 * 60
# The share of the telling words of the shorter that two have in common which are the same.
SAME = 0.6
# So many words tell a promise from others; "bring ale" may be of another day.
TELLING = 3

_SLOT = re.compile(r"\{(npc|by|text)\}")


def names(words: str, thing: str) -> bool:
    """True if words name a thing by one of the words that it is called: a number is none."""
    called = {one for one in retrieval.terms(thing) if not one.isdigit()}
    return not called.isdisjoint(retrieval.terms(words))


def is_same(one: str, other: str) -> bool:
    """True if two texts promise the same, as a note of it and the words do."""
    shorter, longer = sorted((set(retrieval.terms(text)) for text in (one, other)), key=len)
    return len(shorter & longer) >= SAME * max(len(shorter), 1)


def is_shorter(words: str, promise: str) -> bool:
    """Return whether words say nothing but a part of a promise, and enough of it to tell it from others."""
    terms = set(retrieval.terms(words))
    return len(terms) >= TELLING and terms <= set(retrieval.terms(promise))


def note(how: str, *, npc: str, name: str, action: str, language: str) -> str:
    """Return what the journal keeps of a promise that is over, in a language, English if we have no file of it.

    Args:
        how: KEPT, GIVEN_UP or LAPSED.
        npc: the assistant.
        name: the other.
        action: what was promised.
        language: its code.

    """
    line, *_ = languages.phrase(languages.spoken(language) or languages.DEFAULT, f"noted_{how}")
    # In one pass: what fills a slot is not read again.
    values = {"npc": npc, "by": name, "text": action}
    return _SLOT.sub(lambda found: values[found[1]], line)
