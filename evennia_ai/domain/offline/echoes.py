"""Echoes: an NPC repeats a thing that it was told of, as "your silver ring"."""

from __future__ import annotations

import re

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval, subjects
from evennia_ai.domain.offline import utterances

# Words that are said back at most, and characters of them.
ECHO_WORDS, ECHO_LENGTH = 8, 60

_PAST = languages.Pattern("subjects.past")
_DETERMINER = languages.Pattern("echoes.determiner", of_words=True)
_NAMED = re.compile(r"\s+([^\W\d_][\w-]*)(?=(?:\s+([^\W\d_][\w-]*))?)")


def key_phrase(sentence: str) -> str:
    """Return the first thing that a sentence names, as the listener would say it; "" if none.

    >>> key_phrase("I lost my silver ring in the river")
    'your silver ring'
    """
    turned = languages.table("turned", languages.read_now())
    looked_at = sentence[: utterances.MAX_LENGTH]
    for match in _DETERMINER.finditer(looked_at):
        named = _NAMED.match(looked_at, match.end())
        if not named or not retrieval.terms(named[1]):
            continue
        determiner, first, second = match[0], *named.groups()
        words = [turned.get(determiner.casefold(), determiner.casefold()), first]
        if retrieval.is_weak(first) or subjects.is_adjective(first):
            if not second or not retrieval.terms(second) or _PAST.fullmatch(second):
                continue
            words.append(second)
        phrase = " ".join(words[:ECHO_WORDS])
        if not subjects.is_empty(words[-1]) and len(phrase) <= ECHO_LENGTH:
            return phrase
    return ""
