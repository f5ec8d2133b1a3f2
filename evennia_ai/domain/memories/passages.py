"""Passages: memories of one talk, told together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import pairwise

from msgspec import structs

from evennia_ai.core import languages, records
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.remembered import Remembered

# Things further apart than this were said in different talks.
TALK_GAP = timedelta(hours=1)
# What goes on about somebody or something comes within so long.
SEQUEL_GAP = timedelta(minutes=2)
# Words of an answer that says little without its question.
SHORT = 8
_SEQUEL = languages.Pattern("passages.sequel")


def of(items: Iterable[Remembered]) -> list[list[Remembered]]:
    """Return memories, which come best first, as passages: what people said in one talk, in its order.

    A passage stands where the best of it stood. What nobody said, or what was said in confidence, is a
    passage of its own.
    """
    known = list(items)
    talks = _talks(known)
    passages: dict[int, list[Remembered]] = {}
    for place, item in enumerate(known):
        passages.setdefault(talks.get(place, -1 - place), []).append(item)
    return [sorted(one, key=lambda item: item.timestamp) for one in passages.values()]


def asked(text: str, question: str) -> str:
    """Return what is told with words of what they answer: with a short answer the question, else ""."""
    return next(reversed(retrieval.sentences(question)), "") if is_short(text) else ""


def is_short(text: str) -> bool:
    """Return whether an answer says little without its question."""
    return len(text.split()) <= SHORT


def with_sequels(items: Iterable[Remembered]) -> list[Remembered]:
    """Return what somebody said with what they said next, where that goes on about it.

    "His name is Sam." tells nothing to whom "My uncle keeps a light." is not told as well.
    """
    known = list(items)
    said: dict[str, list[Remembered]] = {}
    for item in known:
        if item.kind == "said" and item.timestamp:
            said.setdefault(item.by, []).append(item)
    texts: dict[int, str] = {}
    for theirs in said.values():
        theirs.sort(key=lambda item: item.timestamp)
        for before, after in pairwise(theirs):
            if _goes_on(before, after):
                texts[id(before)] = f"{_stopped(before.text)} {after.text}"
    return [structs.replace(one, text=texts[id(one)]) if id(one) in texts else one for one in known]


def goes_on(sentence: str) -> bool:
    """True if a sentence begins with "he", "it" and the like, of the sentence before it."""
    return bool(_SEQUEL.match(sentence))


def _goes_on(before: Remembered, after: Remembered) -> bool:
    first, second = (records.parse_time(item.timestamp) for item in (before, after))
    return (
        second - first <= SEQUEL_GAP and before.audience == after.audience and goes_on(after.text)
    )


def _stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def fill(
    items: Iterable[Remembered], *, limit: int, size: Callable[[list[Remembered]], int]
) -> list[Remembered]:
    """Return the first items that have room in `limit` together; at least the first.

    Args:
        items: best first.
        limit: for all of them.
        size: what some of them take, shown as passages.

    """
    known = list(items)
    room = bisect_right(range(1, len(known) + 1), limit, key=lambda count: size(known[:count]))
    return known[: max(room, 1)]


def _talks(items: list[Remembered]) -> dict[int, int]:
    """Return for the place of each thing that was said the number of its talk."""
    said = sorted(
        (moment, place)
        for place, item in enumerate(items)
        if (moment := _said_at(item)) is not None
    )
    talks, last = {}, None
    for number, (moment, place) in enumerate(said):
        is_same = last is not None and moment - last <= TALK_GAP
        talks[place] = talks[said[number - 1][1]] if is_same else number
        last = moment
    return talks


def _said_at(item: Remembered) -> datetime | None:
    if item.kind != "said" or not item.by or item.claimed_by:
        return None
    if audiences.is_confidence(item.audience):
        return None
    return records.parse_time(item.timestamp) if item.timestamp else None
