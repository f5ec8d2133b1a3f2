"""Short and careless spellings of common words, as people type them: "im", "pls", "nåt", "du e"."""

from __future__ import annotations

import re

from evennia_ai.core import languages


def spelled_out(text: str) -> str:
    """Return a line with the words spelled out that people shorten.

    >>> spelled_out("Im sure u know whats here, va heter du?")
    "I'm sure u know what's here, vad heter du?"
    """
    codes = languages.read_now()
    known = languages.table("spelling", codes)
    short = rf"(?<![\w'])(?:{'|'.join(known) or '(?!)'})(?![\w'])"
    words = re.sub(short, lambda match: _like(match[0], known[match[0].lower()]), text, flags=re.I)
    for pattern, said in languages.table("respelling", codes).items():
        words = re.sub(pattern, said, words)
    return words


def _like(typed: str, word: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() else word
