"""Requests for silence, such as "tell nobody", in each language: for the line in which they stand."""

from __future__ import annotations

from evennia_ai.core import languages, words
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import reading

_ASKED = languages.Pattern("confidence.asked")
_YOU = languages.Words("answers.you")


def is_asked(text: str) -> bool:
    """True if somebody asks in these words that what they tell be told to nobody.

    "Did the mayor tell nobody?" asks for nothing, "will you keep it a secret?" does.
    """
    line = " ".join(text.replace("’", "'").split())
    if not _ASKED.search(line):
        return False
    return any(not _asks_of_others(one) for one in retrieval.sentences(line) if _ASKED.search(one))


def _asks_of_others(sentence: str) -> bool:
    is_question = sentence.rstrip(' "”').endswith("?") and reading.is_question(sentence)
    return is_question and not any(word in _YOU for word in words.words(sentence))
