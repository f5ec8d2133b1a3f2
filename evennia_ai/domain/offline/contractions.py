"""Contracted words of English in full, so that a table of patterns needs them once."""

from __future__ import annotations

import re

_CONTRACTIONS = (
    (re.compile(r"[’`]"), "'"),
    (re.compile(r"\bI'm\b", re.I), "I am"),
    (re.compile(r"\b(he|she)'s\b", re.I), r"\1 is"),
    (re.compile(r"\b(they)'re\b", re.I), r"\1 are"),
    (re.compile(r"\b(I|they)'ve\b", re.I), r"\1 have"),
    (
        re.compile(r"\b(can|wo)n?'t\b", re.I),
        lambda match: f"{'can' if match[1][0] in 'cC' else 'will'} not",
    ),
    (re.compile(r"\b(do|does|did|would|could|is)n't\b", re.I), r"\1 not"),
)


def expanded(text: str) -> str:
    """Return a text with "I am" for "I'm", and so on."""
    for pattern, whole in _CONTRACTIONS:
        text = pattern.sub(whole, text)
    return text
