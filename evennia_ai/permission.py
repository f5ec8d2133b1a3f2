"""Permission to speak: the setting MAY_SAY is asked before any word is spoken.

By default words are refused that FORBIDDEN_WORDS lists: whole words, found in time that grows with the text alone.
`ask` alone makes a `Permit`, and nothing is spoken without one (`speech.utter`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from twisted.internet.defer import (
    CancelledError,
    Deferred,
    TimeoutError,
    inlineCallbacks,
    maybeDeferred,
)
from twisted.python import log
from twisted.python.failure import Failure

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import PermissionUnclear, WordsRefused

# Lines of one reply that are spoken, and characters of one line.
REPLY_LINES = 3
LINE_LENGTH = 500
# Seconds in which MAY_SAY has to allow something; else it is not said.
MAY_SAY_SECONDS = 5.0
# What parts words in no script: a soft hyphen, joiners, marks of direction.
_UNSEEN = "Cf"
# Letters, digits, and the marks that belong to a letter.
_OF_WORDS = ("L", "N", "M")


@dataclass
class Failures:
    """How often MAY_SAY gave no answer since the start of the server, and why it did not last."""

    count: int = 0
    last: str = ""


@dataclass(frozen=True)
class Permit:
    """Words that may be spoken."""

    words: str


class Way(NamedTuple):
    """How words would be spoken now: by whom, to whom, and who would hear them."""

    npc: Any
    kind: str
    target: Any
    hearers: list[Any]
    mark: str = ""


def may_say(npc: Any, words: str, hearers: list[Any]) -> bool:
    """Return whether words have none of FORBIDDEN_WORDS."""
    return not _forbidden().is_in(words)


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared: of any case, width and invisible parts."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = (one for one in folded if unicodedata.category(one) != _UNSEEN)
    parted = (one if unicodedata.category(one).startswith(_OF_WORDS) else " " for one in seen)
    return "".join(parted).split()


class WordList:
    """Words and phrases; a phrase is found where its words stand in a row."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._phrases = {tuple(words_of(one)) for one in listed} - {()}
        self._lengths = sorted({len(phrase) for phrase in self._phrases})

    def is_in(self, text: str) -> bool:
        words = words_of(text) if self._phrases else []
        return any(
            tuple(words[start : start + length]) in self._phrases
            for length in self._lengths
            for start in range(len(words) - length + 1)
        )


@volatile.once_from_settings
def _forbidden() -> WordList:
    given = conf.get("FORBIDDEN_WORDS")
    return WordList([*given["words"], *words_in_file(given["file"])])


def words_in_file(file: str) -> list[str]:
    """Return what a file in the game's folder lists, a word or phrase a line, with # before what is none.

    Raises:
        OSError: It cannot be read.
        UnicodeDecodeError: It is not UTF-8.
    """
    if not file:
        return []
    text = (Path(settings.GAME_DIR) / file).read_text(encoding="utf-8-sig")
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


@inlineCallbacks
def ask(npc: Any, words: str, hearers: list[Any]):
    """Return the permit to speak words, or what MAY_SAY puts in their place.

    Raises:
        WordsRefused: They may not be said.
        PermissionUnclear: MAY_SAY failed, or took too long: so they may not, either.
    """
    name = f"{npc.key}(#{npc.id})"
    asking = _answer(npc, words, hearers).addCallback(_checked).addErrback(_unclear, name)
    answer = yield asking
    if answer is True:
        return Permit(words)
    others = answer and reply.printable(answer, max_length=longest())
    if not others:
        raise WordsRefused("MAY_SAY refused the words")
    return Permit(others)


@inlineCallbacks
def obtain(words: str, find_way: Callable[[], Way | None]):
    """Return (permit, way) for words, None if there is no way to say them, or none any more.

    Whoever comes to hear them while MAY_SAY thinks is asked for as well.
    """
    asked: set[int] = set()
    permit, way = None, find_way()
    while way is not None:
        hearers = {obj.id for obj in way.hearers}
        if permit is not None and hearers <= asked:
            return permit, way
        asked |= hearers
        permit = yield ask(way.npc, words, way.hearers)
        way = find_way()
    return None


@volatile.once
def failures() -> Failures:
    """Return how often MAY_SAY gave no answer."""
    return Failures()


def longest() -> int:
    """Return how many characters may be said at once."""
    return REPLY_LINES * LINE_LENGTH


def _answer(npc: Any, words: str, hearers: list[Any]) -> Deferred[Any]:
    """Return what MAY_SAY answers in time; a hook that cannot be cancelled is not waited for."""
    answer = maybeDeferred(lambda: conf.hook("MAY_SAY")(npc, words, list(hearers)))
    waiting: Deferred[Any] = Deferred(lambda _: answer.cancel())

    def pass_on(result: Any) -> None:
        # After the time limit nobody asks for it any more.
        if not waiting.called:
            waiting.callback(result)

    answer.addBoth(pass_on)
    return waiting.addTimeout(MAY_SAY_SECONDS, scheduling.clock())


def _checked(answer: Any) -> bool | str:
    if not isinstance(answer, (bool, str)):
        raise TypeError(f"MAY_SAY returned {type(answer).__name__}, not a bool or other words")
    return answer


def _unclear(failure: Failure, name: str) -> None:
    if failure.check(CancelledError):
        # Whoever asked does not wait any more.
        failure.raiseException()
    if failure.check(TimeoutError):
        why = f"gave no answer in {MAY_SAY_SECONDS} s"
    else:
        why = f"failed with {failure.type.__name__}"
    failures().count += 1
    failures().last = why
    path = conf.get("MAY_SAY")
    log.err(failure, f"evennia_ai: MAY_SAY ({path}) {why}: {name} does not say what it would have")
    raise PermissionUnclear(f"MAY_SAY {why}")
