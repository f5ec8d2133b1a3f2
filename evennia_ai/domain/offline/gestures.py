"""Gestures, told by words: what somebody does, and what they ask for."""

from __future__ import annotations

import re

from evennia_ai.core import languages

# Characters of a line that are looked at.
MAX_LENGTH = 400


def shown(line: str) -> str:
    """Return which gesture a line tells of, "" for none that is known."""
    looked_at = line[:MAX_LENGTH]
    for code in languages.read_now():
        for gesture, stems in languages.load(code).gestures.items():
            if re.search(rf"\b(?:{stems})\w*", looked_at, re.I):
                return gesture
    return ""


def asked(words: str) -> str:
    """Return which gesture somebody asks for by a word."""
    known = languages.table("asked_gestures", languages.read_now())
    return known.get(words.casefold(), words.casefold())
