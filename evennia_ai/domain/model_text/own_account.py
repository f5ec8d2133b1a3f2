"""The line in which a model says how it went about an answer, and why. It is for its experience; nobody hears it."""

from __future__ import annotations

import re
from typing import NamedTuple

from evennia_ai.domain.model_text import reply

# Characters of an approach and of a reason.
APPROACH_LENGTH, REASON_LENGTH = 40, 100
# So many characters from the end of an answer are looked at.
READ = 20_000

# Such a line, and where it stands behind words that are said: there only with a reason.
_APPROACH = re.compile(r"\A[^\w\n]{0,6}approach[\s*_]{0,3}[:=]", re.I)
_BEHIND = re.compile(
    r"[\s(\[{*_]{1,6}approach[\s*_]{0,3}[:=](?=[^;\n]{0,200};\s{0,3}reason[\s*_]{0,3}[:=])", re.I
)
_REASON = re.compile(r"\A[^\w\n]{0,6}reason[\s*_]{0,3}[:=]", re.I)
# As it was asked for; "Reason: theft of a goat." may be read out.
_ASKED_FOR = re.compile(r"\W{0,6}reason\b")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NONE = ("", "none", "n a", "no")


class Account(NamedTuple):
    """What a model calls the way that it took, and its reason; "" for what it does not say."""

    approach: str = ""
    reason: str = ""


def split(text: str) -> tuple[str, Account]:
    """Return an answer without such lines, and what the last of them says."""
    start = max(0, len(text) - READ)
    said: list[str] = []
    found, is_open = Account(), False
    lines = text[start:].split("\n")
    for at, line in enumerate(lines):
        marked = _APPROACH.match(line) or _BEHIND.search(line)
        if marked:
            found = _account(line[marked.end() :])
            if words := line[: marked.start()].rstrip():
                said.append(words)
        elif (is_open or said and at == len(lines) - 1 and _ASKED_FOR.match(line)) and (
            reason := _REASON.match(line)
        ):
            found = found._replace(reason=_reason(line[reason.end() :]))
        else:
            said.append(line)
        is_open = bool(marked)
    if len(said) == len(lines) and found == Account():
        return text, found
    return (text[:start] + "\n".join(said)).rstrip(), found


def _account(text: str) -> Account:
    name, _, rest = text.partition(";")
    reason = _REASON.match(rest)
    return Account(_name(name), _reason(rest[reason.end() :]) if reason else "")


def _name(text: str) -> str:
    name = " ".join(_WORD.findall(text[: APPROACH_LENGTH * 2])).casefold()
    return "" if name in _NONE else name[:APPROACH_LENGTH].rstrip()


def _reason(text: str) -> str:
    return reply.printable(text.strip('()[]{}*_"“” \t.,;'), max_length=REASON_LENGTH)
