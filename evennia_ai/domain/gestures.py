"""Gestures, told by words in English and Swedish: what somebody does, and what they ask for."""

from __future__ import annotations

import re

# Characters of a line that are looked at.
MAX_LENGTH = 400

# What somebody did, by the first word that tells: English and Swedish stems.
_GESTURES = [
    (gesture, re.compile(rf"\b(?:{stems})\w*", re.I))
    for gesture, stems in (
        ("wave", "wave|waving|vink"),
        ("smile", "smil|grin|wink|ler|log|blink"),
        ("bow", "bow|curts|kneel|salut|bug|nig|knäböj"),
        ("nod", "nod|nick"),
        ("hug", "hug|embrac|kiss|kram|kyss|pat|klapp"),
        ("hit", "hit|slap|punch|kick|shov|push|poke|spit|slår|sparkar|knuff|spott"),
        ("cry", "cry|cries|sob|weep|sigh|gråt|snyft|suck"),
        ("laugh", "laugh|chuckl|giggl|skratt|fnitt"),
        ("drink", "drink|toast|rais|skål|drick|höj"),
        ("dance", "danc|dans"),
    )
]
_ASKED = {
    **{"dansa": "dance", "sjung": "sing", "le": "smile", "buga": "bow", "nicka": "nod"},
    **{"vinka": "wave", "skratta": "laugh", "hoppa": "jump", "sitt": "sit", "knäböj": "bow"},
    **{"kneel": "bow", "applådera": "clap"},
}


def shown(line: str) -> str:
    """Return which gesture a line tells of, "" for none that is known."""
    looked_at = line[:MAX_LENGTH]
    return next((gesture for gesture, words in _GESTURES if words.search(looked_at)), "")


def asked(words: str) -> str:
    """Return which gesture somebody asks for by a word."""
    return _ASKED.get(words.casefold(), words.casefold())
