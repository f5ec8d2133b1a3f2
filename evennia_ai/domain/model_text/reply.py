"""Lines that are short, printable, and not the same twice."""

from __future__ import annotations

import re
import unicodedata
from typing import Iterable, Sequence

_LINK = re.compile(r"(?<!\|)\|+(?=l[cute])")
# NUL and half characters come out of broken clients and broken JSON, and databases refuse them.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# So many words in a row are no coincidence: they are read off, and not said.
RECITED = 8


def shorten(line: str, max_length: int) -> str:
    """Return a line cut to `max_length`: after the last whole sentence, else after a word."""
    if len(line) <= max_length:
        return line
    # With the space after it: "3.14" is no end of a sentence.
    sentence = max(line.rfind(f"{mark} ", 0, max_length + 1) for mark in ".!?…")
    if sentence > max_length // 2:
        return line[: sentence + 1]
    return line[: max_length - 1].rsplit(" ", 1)[0] + "…"


def printable(text: str, *, max_length: int) -> str:
    """Return text of a player on one line, without control characters, not over `max_length`."""
    return shorten(one_line(text[: max_length * 4]), max_length)


def storable(text: str) -> str:
    """Return text without what a database refuses."""
    return _UNSTORABLE.sub("", text)


def similarity(one: str, other: str) -> float:
    """Return how many of their words two lines share (0..1, Jaccard)."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    if not first or not second:
        return float(one.strip() == other.strip())
    return len(first & second) / len(first | second)


def unlinked(text: str) -> str:
    """Return text in which no client finds a link, which would type a command for whoever clicks.

    Evennia's escape of markup turns `|lc` into `||lc`, and clients find the link in that.
    """
    return _LINK.sub("", text)


def recites(text: str, source: str, *, run: int = RECITED) -> bool:
    """Return whether a reply has a run of so many words that stands just so in `source`; 0 is all of it."""
    said = re.findall(r"\w+", text.casefold())
    run = run or len(said)
    read = " ".join(["", *re.findall(r"\w+", source.casefold()), ""])
    starts = range(len(said) - run + 1)
    return any(f" {' '.join(said[start : start + run])} " in read for start in starts)


def pick(lines: Sequence[str], seed: int, *, avoid: Iterable[str] = ()) -> str:
    """Return one of the builder's lines by `seed`, another than those to avoid if there is one."""
    avoided = set(avoid)
    fresh = [line for line in lines if line not in avoided]
    choice = fresh or list(lines)
    return choice[seed % len(choice)] if choice else ""


def one_line(text: str) -> str:
    """Return text on one line, without control characters."""
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join(char for char in text if unicodedata.category(char)[0] != "C")
    return " ".join(text.split())
