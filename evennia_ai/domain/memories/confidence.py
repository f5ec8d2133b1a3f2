"""Words by which somebody asks that a thing be told to nobody, in each language of the offline words."""

from __future__ import annotations

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval

# Seconds after which "tell nobody" no longer means what was said before it.
SECONDS = 120
# Words of a line that tells nothing else, so that it means what was said before it.
BARE_WORDS = 12

_ASKED = languages.Pattern("confidence.asked")


def is_asked(text: str) -> bool:
    """Return whether somebody asks in these words that what they tell be told to nobody."""
    line = " ".join(text.replace("’", "'").split())
    return bool(_ASKED.search(line))


def is_bare(text: str) -> bool:
    """Return whether such words tell nothing else: they mean what was said before."""
    return len(text.split()) <= BARE_WORDS and all(map(is_asked, retrieval.sentences(text)))
