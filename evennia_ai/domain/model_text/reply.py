"""From what a model wrote to what an assistant says: cleaned, short, and not the same twice."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import Iterable, Sequence

from evennia_ai.core import name_patterns
from evennia_ai.domain.model_text import json_reply

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
# Colours, and commands to the terminal up to their end, as far as they have one.
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
# Markdown marks that a text game would print as they are.
_MARKS = re.compile(r"\*\*|__|^#{1,6}\s+|^```\w*$|`", re.M)
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]*)[\"”“»]")
# Who speaks, before the words: "Mara:", or with a verb, alone or with more where a quotation follows.
_LABEL = (
    rf"\A[\"“*\[(]?{name_patterns.NAME}[\"”*\])]?(\s*\([^()]{{0,40}}\))?\s*"
    r"(:|(says?|asks?|answers?|replies|whispers?)"
    r"(\s*[,:]|[^\"“„«:]{0,40}[,:]\s*(?=[\"“„«])))\s*"
)
# What is done beside speaking, in a line that also has words: "*nods* Hello."
_ASIDE = re.compile(r"\*(?! )[^*\n]{1,80}(?<! )\*")
# Who does it is said by the name that goes before it.
_DOER = re.compile(r"\A(?:he|she|it|hon|han) (?=\w)", re.I)
# What comes before words for one person alone, as our prompts show it, "(To Ann alone:)", and as
# models write it: in other brackets, in none, with the words inside, in another language.
_ALONE = r"to\b[^\n]{1,80}?\balone\b(?!\s*[\"”]|[^\n:)\]}]{0,80}\balone\s*[:)\]}])"
_APART = re.compile(
    rf"(?:[*_]{{0,3}}[(\[{{{{]|[*_]{{1,3}})[*_]{{0,3}}({_ALONE}(?:[^()\[\]{{}}\n:]{{0,20}}:)?)"
    rf"|^[*_]{{0,3}}({_ALONE})(?=[*_]{{0,3}}:)"
    r"|[(\[{]([^()\[\]{}*_\n:]{1,80}):",
    re.I | re.M,
)
_FOR_WHOM = re.compile(r"to\b(.{1,80})\balone\b", re.I)
_AFTER_MARK = re.compile(r"[\s:]{0,3}[)\]}]{0,2}[*_]{0,3}[\s:]{0,3}")
_BRACKETS = str.maketrans("[{]}", "(())")
# What tells that brackets hold data, such as the call of a tool that a model wrote as text.
_DATA = re.compile(r"[\"{:]")
_LINK = re.compile(r"(?<!\|)\|+(?=l[cute])")
# NUL and half characters come out of broken clients and broken JSON, and databases refuse them.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# So many characters of a reply are read for whom they are: a reply may have megabytes.
READ = 20_000
# So many words in a row are no coincidence: they are read off, and not said.
RECITED = 8
_STAGE = re.compile(r"\A[*_(\[]([^*_()\[\]]+)[*_)\]]\Z")


def clean(text: str, *, name: str, max_lines: int, max_length: int) -> list[str]:
    """Return the lines to speak: no thinking, labels, markup, quotes or control characters.

    `name` is the assistant's own: a label such as "Bob:" or 'Bob says, "…"' is taken off. Lines
    beyond `max_lines` and characters beyond `max_length` are cut, at a sentence if there is one.
    """
    text, _ = json_reply.split_thinking(_ANSI.sub("", text))
    text = _MARKS.sub("", _TAG.sub("", text))
    written = (line.strip() for line in text.splitlines())
    # Far beyond the cut nothing is looked at: a reply may have megabytes.
    read = (_printable(line[: max_length * 4]) for line in written if line)
    spoken = (_without_asides(_unlabelled(line, name)) for line in read)
    return [shorten(line, max_length) for line in islice(filter(None, spoken), max_lines)]


def own_part(text: str, *, name: str, others: Iterable[str], goes_on: bool = False) -> str:
    """Return what a model wrote for an assistant, up to a line that speaks for one of `others`: "Ann: And me?".

    Such a line and all after it is nobody's. What begins an answer may look so ("Ann: a fine name."), but not what
    `goes_on` with one. A namesake's label is the assistant's own.
    """
    strangers = [other for other in others if other != name]
    lines = _ANSI.sub("", text).splitlines()
    bare = [_printable(_MARKS.sub("", _TAG.sub("", line))) for line in lines]
    begins = -1 if goes_on else next((at for at, line in enumerate(bare) if line), 0)
    for number, line in enumerate(bare):
        # What is for somebody alone stands behind a name, without which nothing is left of its label.
        is_name = number == len(bare) - 1 and line.strip(" :") in strangers
        is_label = is_name or any(name_patterns.is_in(_LABEL, one, line) for one in strangers)
        if number > begins and is_label:
            return "\n".join(lines[:number])
    return text


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
    return shorten(_printable(text[: max_length * 4]), max_length)


def storable(text: str) -> str:
    """Return text without what a database refuses."""
    return _UNSTORABLE.sub("", text)


def stage_direction(line: str) -> str | None:
    """Return what stands in *asterisks* or (brackets) around a whole line, else None."""
    match = _STAGE.match(line)
    if not match or (line.startswith("[") and _DATA.search(match[1])):
        return None
    return match[1].strip()


def gestures(text: str, *, max_length: int) -> list[str]:
    """Return what a reply has in *asterisks*: done before, between or after its words."""
    text, _ = json_reply.split_thinking(_ANSI.sub("", text))
    marked = (line for line in text.splitlines() if "*" in line)
    lines = [_printable(line[: max_length * 4]) for line in marked]
    found = (one for line in lines for one in _ASIDE.finditer(_MARKS.sub("", line)))
    done = (_DOER.sub("", one[0].strip("*").strip()) for one in found if not _is_stressed(one))
    return [shorten(one, max_length) for one in done if one]


def by_ears(text: str, *, name: str, listeners: Sequence[str]) -> list[tuple[str | None, str]]:
    """Return what a reply says in turn, each with the listener who alone hears it.

    What is for all comes first, with None, though nothing may be; "" is somebody who is not there.
    `name` is the speaker's.
    """
    text, _ = json_reply.split_thinking(_ANSI.sub("", text))
    text = "\n".join(_printable(line) for line in text[:READ].splitlines())
    found = ((mark, _for_whom(mark, listeners)) for mark in _APART.finditer(text))
    marks = [(mark, whom) for mark, whom in found if whom is not None]
    starts = [*(mark.start() for mark, _ in marks), len(text)]
    aloud = text[: starts[0]]
    if marks:
        aloud = re.sub(rf"^\W{{0,3}}{re.escape(name)}[^\w\n]{{0,3}}\Z", "", aloud, flags=re.M)
    ends = zip(marks, starts[1:], strict=True)
    return [
        (None, aloud),
        *((whom, _inside(mark[0], text[mark.end() : end])) for (mark, whom), end in ends),
    ]


def _for_whom(mark: re.Match[str], listeners: Sequence[str]) -> str | None:
    """Return the listener whom a mark names, "" for another, or None if it is no mark."""
    alone = mark[1] or mark[2]
    named = _FOR_WHOM.match(alone) if alone else None
    written = (named[1].strip(' "“”') if named else mark[3] or "").casefold()
    for exact in listeners:
        if exact.casefold() == written:
            return exact
    whole = r"(?<!\w){}(?!\w)"
    found = [
        one for one in listeners if re.search(whole.format(re.escape(one.casefold())), written)
    ]
    return found[0] if len(found) == 1 else "" if alone or found else None


def _inside(mark: str, words: str) -> str:
    """Return the words behind a mark, without the bracket that ends them if they stand in it."""
    gap = _AFTER_MARK.match(words)
    bare = words[gap.end() :] if gap else words
    depth = (mark + words[: len(words) - len(bare)]).translate(_BRACKETS)
    if depth.count("(") > depth.count(")"):
        bare = re.sub(r"\A([^()\[\]{}]*)[)\]}][*_]{0,3}", r"\1 ", bare)
    return bare


def _without_asides(line: str) -> str:
    """Return the words of a line; one that is nothing but an aside stays for `stage_direction`."""
    words = _ASIDE.sub(lambda one: one[0].strip("*") if _is_stressed(one) else " ", line)
    words = " ".join(words.split())
    return words if re.search(r"\w", words) else line


def _is_stressed(aside: re.Match[str]) -> bool:
    """Return whether asterisks only stress a word in the middle of a sentence."""
    before, after = aside.string[: aside.start()].rstrip(), aside.string[aside.end() :].lstrip()
    is_within = before[-1:].isalnum() and (after[:1].isalnum() or after[:1] in tuple(".,!?;:"))
    return is_within and " " not in aside[0]


def similarity(one: str, other: str) -> float:
    """Return how many of their words two lines share (0..1, Jaccard)."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    if not first or not second:
        return float(one.strip() == other.strip())
    return len(first & second) / len(first | second)


def is_repeat(text: str, said: Iterable[str], *, threshold: float) -> bool:
    """Return whether a reply is nearly the same as one that was said lately."""
    return any(similarity(text, earlier) >= threshold for earlier in said)


def unlinked(text: str) -> str:
    """Return text in which no client finds a link, which would type a command for whoever clicks.

    Evennia's escape of markup turns `|lc` into `||lc`, and clients find the link in that.
    """
    return _LINK.sub("", text)


def recites(text: str, source: str) -> bool:
    """Return whether a reply has a run of words that stands just so in `source`."""
    said = re.findall(r"\w+", text.casefold())
    if len(said) < RECITED:
        return False
    read = " ".join(["", *re.findall(r"\w+", source.casefold()), ""])
    starts = range(len(said) - RECITED + 1)
    return any(f" {' '.join(said[start : start + RECITED])} " in read for start in starts)


def pick(lines: Sequence[str], seed: int, *, avoid: Iterable[str] = ()) -> str:
    """Return one of the builder's lines by `seed`, another than those to avoid if there is one."""
    avoided = set(avoid)
    fresh = [line for line in lines if line not in avoided]
    choice = fresh or list(lines)
    return choice[seed % len(choice)] if choice else ""


def _printable(text: str) -> str:
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join(char for char in text if unicodedata.category(char)[0] != "C")
    return " ".join(text.split())


def _unlabelled(line: str, name: str) -> str:
    line = name_patterns.sub(_LABEL, name, "", line)
    quoted = _QUOTED.fullmatch(line)
    if quoted:
        return quoted[1].strip()
    # One mark of a pair whose other stands in another line.
    return line.strip('"').strip() if line.count('"') == 1 else line
