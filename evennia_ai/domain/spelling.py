"""Short and careless spellings of common words, as people type them: "im", "pls", "nåt", "du e"."""

from __future__ import annotations

import re

# What may be nothing else, whatever the language; the rest stays as it was typed.
_WORDS = {
    **{"im": "I'm", "ive": "I've", "dont": "don't", "cant": "can't", "wont": "won't"},
    **{"didnt": "didn't", "doesnt": "doesn't", "isnt": "isn't", "havent": "haven't"},
    **{"whats": "what's", "wheres": "where's", "whos": "who's", "hows": "how's"},
    **{"thats": "that's", "theres": "there's", "youre": "you're"},
    **{"gonna": "going to", "wanna": "want to", "gimme": "give me", "lemme": "let me"},
    **{"pls": "please", "plz": "please", "thx": "thanks", "cya": "see you", "ppl": "people"},
    **{"nåt": "något", "nån": "någon", "nåra": "några", "ngt": "något", "ngn": "någon"},
    **{"nånstans": "någonstans", "dej": "dig", "mej": "mig", "sej": "sig", "oxå": "också"},
}
_WORD = re.compile(rf"(?<![\w'])(?:{'|'.join(_WORDS)})(?![\w'])", re.I)
_PHRASES = (
    (re.compile(r"\b(du|det|de|den|han|hon|jag|vi|ni|vad|hur|var|vem|va) e\b", re.I), r"\1 är"),
    # Who is spoken to alone is "ni" out of courtesy.
    (re.compile(r"\bni\b"), "du"),
    (re.compile(r"\bNi\b"), "Du"),
    (re.compile(r"\ber (?=[a-zåäö]{3})"), "din "),
    (re.compile(r"\bert (?=[a-zåäö]{3})"), "ditt "),
    (
        re.compile(r"\bva (?=(?:heter|hette|kostar|gör|är|säger|sa|tar|vill|har|ska)\b)", re.I),
        "vad ",
    ),
    (re.compile(r"\bill (?=(?:give|take|pay|have|be|go|get|kill|buy|tell|come)\b)", re.I), "I'll "),
)


def spelled_out(text: str) -> str:
    """Return a line with the words spelled out that people shorten.

    >>> spelled_out("Im sure u know whats here, va heter du?")
    "I'm sure u know what's here, vad heter du?"
    """
    words = _WORD.sub(lambda match: _like(match[0], _WORDS[match[0].lower()]), text)
    for pattern, said in _PHRASES:
        words = pattern.sub(said, words)
    return words


def _like(typed: str, word: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() else word
