"""Evennia's markup taken off what the game shows, in a time that grows with its length alone.

`strip_mxp` of Evennia looks from each beginning of a link to the end of the text; a line of such
beginnings took it a second.
"""

from __future__ import annotations

import re
from functools import lru_cache

from evennia.utils.ansi import ANSI_PARSER

# Evennia shows builders the dbref behind a name, and an NPC can have a builder's permissions.
_DBREF = re.compile(r"\(#\d+\)")
_LINK = re.compile(r"\|l([cu])")
_SHOWN, _END = "|lt", "|le"
# A first letter, behind the colours that it has: "|ba tall guard".
# Nothing of a link is a letter of the sentence: what is shown of it stands behind its middle.
_FIRST = re.compile(r"((?:\|(?:\d{3}|=[a-z]|l[cu][^|]{0,200}\|lt|\[?[a-zA-Z]))*)(.)", re.S)
# Texts that are kept, each with its plain form.
KEPT = 64


@lru_cache(maxsize=KEPT)
def plain(text: str) -> str:
    """Return text without colours, links and dbrefs; what several hear is read once."""
    bare = ANSI_PARSER.parse_ansi(text, strip_ansi=True, mxp=True)
    return _DBREF.sub("", without_links(bare)).strip()


def capital(text: str) -> str:
    """Return text that begins with a capital, as a sentence does; its colours stay."""
    return _FIRST.sub(lambda first: f"{first[1]}{first[2].upper()}", text, count=1)


def without_links(text: str) -> str:
    """Return text with what is shown in place of a link, or the address of one to the web."""
    parts, at = [], 0
    while link := _LINK.search(text, at):
        middle = text.find(_SHOWN, link.end())
        end = text.find(_END, middle + len(_SHOWN)) if middle >= 0 else -1
        if end < 0:
            # Nor does any later one end.
            break
        is_web = link[1] == "u"
        shown = text[link.end() : middle] if is_web else text[middle + len(_SHOWN) : end]
        parts += [text[at : link.start()], shown]
        at = end + len(_END)
    return "".join([*parts, text[at:]])
