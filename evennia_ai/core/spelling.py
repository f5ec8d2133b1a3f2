"""Short and careless spellings of common words, as people type them: "im", "pls", "nåt", "du e"."""

from __future__ import annotations

import re
from functools import lru_cache

from evennia_ai.core import languages


def spelled_out(text: str) -> str:
    """Return a line with the words spelled out that people shorten.

    >>> spelled_out("Im sure u know whats here, va heter du?")
    "I'm sure you know what's here, vad heter du?"
    """
    return _spelled_out(text, languages.read_now(), languages.edition())


@lru_cache(maxsize=2_000)
def _spelled_out(text: str, codes: languages.Lines, edition: int) -> str:
    known = languages.table("spelling", codes)
    short = rf"(?<![\w'])(?:{'|'.join(known) or '(?!)'})(?![\w'])"
    words = re.sub(short, lambda match: _like(match[0], known[match[0].lower()]), text, flags=re.I)
    for pattern, said in languages.table("respelling", codes).items():
        words = re.sub(pattern, said, words)
    return words


def in_full(text: str) -> str:
    """Return a text with "I am" for "I'm" and so on, so that a table of patterns needs each once."""
    for pattern, whole in languages.table("in_full", languages.read_now()).items():
        text = re.sub(pattern, whole, text, flags=re.I)
    return text


def _like(typed: str, word: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() else word
