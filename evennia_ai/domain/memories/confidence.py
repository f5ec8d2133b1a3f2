"""Requests for silence, such as "tell nobody", in each language of the offline mind."""

from __future__ import annotations

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval

# Seconds after which "tell nobody" no longer means what was said before it.
SECONDS = 120
# Words of a line that tells nothing else, so that it means what was said before it.
BARE_WORDS = 12

_ASKED = languages.Pattern("confidence.asked")
# What asks for no more than assent.
_TAG = languages.Pattern("questions.tag")
# Who is asked for silence is spoken to: "did the mayor tell nobody?" asks for none.
_OF_YOU = languages.Pattern("confidence.of_you")
# "Can you keep a secret?": what follows is one.
_OF_LATER = languages.Pattern("confidence.of_later")
# Words that mean what was said before.
_MEANS_BEFORE = languages.Pattern("confidence.means_before")


def is_asked(text: str) -> bool:
    """Return whether somebody asks in these words that what they tell be told to nobody."""
    line = " ".join(text.replace("’", "'").split())
    if not _ASKED.search(line):
        return False
    sentences = retrieval.sentences(line)
    return any(not asks(one) or _OF_YOU.search(one) for one in sentences if _ASKED.search(one))


def asks(text: str) -> bool:
    """Return whether words ask, and not only for assent behind them: "Tell nobody, promise?"."""
    return text.endswith("?") and not _TAG.search(text.rstrip(" ?!."))


def is_bare(text: str) -> bool:
    """Return whether such words may mean what was said before: they tell nothing else, or point back to it."""
    means_before = len(text.split()) <= BARE_WORDS or bool(_MEANS_BEFORE.search(text))
    sentences = retrieval.sentences(text)
    return means_before and all(is_asked(one) and not _announces(one) for one in sentences)


def _announces(sentence: str) -> bool:
    """Whether the secret follows: "Between us: I stole the ring.", "Can you keep a secret?"."""
    if _OF_LATER.search(sentence):
        return True
    asked = _ASKED.search(sentence.replace("’", "'"))
    behind = sentence[asked.end() :].lstrip() if asked else ""
    return behind.startswith(":") and bool(retrieval.terms(behind))
