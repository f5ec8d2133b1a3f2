"""Promises: the words in which one is made, by an assistant or to it, and which of two are the same."""

from __future__ import annotations

import re

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval

# The tag of what the journal keeps of a promise that is over.
TAG = "promise"
# How one is over; in time, it is LAPSED.
KEPT, GIVEN_UP = "kept", "given_up"
# The same of what somebody promised an assistant.
THEIRS_KEPT, THEIRS_BROKEN = "theirs_kept", "theirs_broken"
# Kinds of memories that are promises: one that is open, and one that was not kept in time.
OPEN, LAPSED = "promise", "lapsed"
# One that somebody made to it.
OWED = "owed"
# And one to remind somebody of something.
REMINDER = "reminder"
# So many minutes ahead at most: a week.
REMINDER_MINUTES = 7 * 24 * 60
# The share of the telling words of the shorter that two have in common which are the same.
SAME = 0.6
# And of two sentences of one person, who uses the same words for each of their promises.
SAME_WORDS = 0.8
# So many words tell a promise from others; "bring ale" may be of another day.
TELLING = 3

_SLOT = re.compile(r"\{(npc|by|text)\}")
_MADE = languages.Pattern("promises.made")
_NOT_MADE = languages.Pattern("promises.not_made")
# What is served is served at once, but for what has its time; what is threatened nobody waits for.
_AT_ONCE = languages.Pattern("promises.at_once")
_THREAT = languages.Pattern("promises.threat")
_BROUGHT = languages.Pattern("promises.brought")
_TODAY = languages.Pattern("promises.today")
_TOMORROW = languages.Pattern("promises.tomorrow")
_IN_TWO_DAYS = languages.Pattern("promises.in_two_days")
_IN_DAYS = languages.Pattern("promises.in_days")
_ON_DAY = languages.Pattern("promises.on_day")
_DAYS = (_IN_TWO_DAYS, _TOMORROW, _TODAY, _IN_DAYS, _ON_DAY)
WEEK = 7
# "I promise.", "You have my word.": what is promised stands beside it.
_BARE = languages.Pattern("promises.bare")
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]?")


def made(words: str) -> list[str]:
    """Return the sentences in which whoever says these words promises something.

    What they quote, what they do at once, and what is on a condition, is none.
    """
    return [one for one in _made(words) if not _AT_ONCE.search(one)]


def made_to(words: str) -> list[str]:
    """Return the sentences in which a player promises something: what they say they bring they do not serve."""
    return [one for one in _made(words) if not _THREAT.search(one)]


def made_for_a_day(words: str) -> list[str]:
    """Return the sentences in which a player promises something for a day; "I'll give you five crowns" may be an offer."""
    return [one for one in made_to(words) if days_until(one) is not None]


def is_brought(words: str) -> bool:
    """Return whether somebody promises to bring something."""
    return bool(_BROUGHT.search(words))


def days_until(words: str, *, weekday: int | None = None) -> int | None:
    """Return after how many days a promise is due, None if it does not say so.

    `weekday` is that of today, 0 for Monday; without it nobody knows how far off a Friday is.
    """
    for days, named in enumerate((_TODAY, _TOMORROW, _IN_TWO_DAYS)):
        if named.search(words) and not (named is _TOMORROW and _IN_TWO_DAYS.search(words)):
            return days
    if found := _IN_DAYS.search(words):
        return _counted(found)
    named_day = _ON_DAY.search(words) if weekday is not None else None
    if named_day is None or weekday is None:
        return None
    told = languages.table("weekdays", languages.read_now()).get(named_day["day"].casefold())
    return None if told is None else (int(told) - weekday) % WEEK or WEEK


def _counted(found: re.Match[str]) -> int | None:
    word = found["number"].casefold()
    number = languages.table("numbers", languages.read_now()).get(word)
    number = int(word) if number is None and word.isdecimal() and len(word) < 4 else number
    if number is None:
        return None
    return round(float(number) * (WEEK if found["week"] else 1))


def names(words: str, thing: str) -> bool:
    """Return whether a promise names a thing, by one of the words that it is called: a number is none."""
    called = {one for one in retrieval.terms(thing) if not one.isdigit()}
    return not called.isdisjoint(retrieval.terms(words))


def _made(words: str) -> list[str]:
    said = retrieval.sentences(" ".join(_QUOTED.sub(" ", words.replace("’", "'")).split()))
    found = [
        (one, before)
        for before, one in zip(["", *said], said, strict=False)
        if not one.endswith("?") and _MADE.search(one) and not _NOT_MADE.search(one)
    ]
    return list(filter(None, (_whole(one, before) for one, before in found)))


def _whole(promise: str, before: str) -> str:
    """Return a promise with what it is of, "" if that is nothing.

    "Tomorrow, I promise" is of what was said before it; "I promise" is said of what stands there anyway.
    """
    bare = _without_days(promise)
    if not _BARE.fullmatch(bare):
        return promise
    is_told = (
        not before.endswith("?")
        and not _MADE.search(before)
        and not _NOT_MADE.search(before)
        and retrieval.terms(_without_days(before))
    )
    return f"{before} {promise}" if is_told and bare != promise else ""


def _without_days(words: str) -> str:
    for day in _DAYS:
        if found := day.search(words):
            words = f"{words[: found.start()]}{words[found.end() :]}"
    return words.strip(" ,")


def is_same(one: str, other: str, *, share: float = SAME) -> bool:
    """Return whether two texts promise the same, as a note of it and the words do; `share` of the shorter's words is."""
    shorter, longer = sorted((set(retrieval.terms(text)) for text in (one, other)), key=len)
    return len(shorter & longer) >= share * max(len(shorter), 1)


def is_shorter(words: str, promise: str) -> bool:
    """Return whether words say nothing but a part of a promise, and enough of it to tell it from others."""
    terms = set(retrieval.terms(words))
    return len(terms) >= TELLING and terms <= set(retrieval.terms(promise))


def note(how: str, *, npc: str, name: str, action: str, language: str) -> str:
    """Return what the journal keeps of a promise that is over, in a language, English if we have no file of it.

    Args:
        how: KEPT, GIVEN_UP or LAPSED; of what was promised to it, THEIRS_BROKEN.
        npc: the assistant.
        name: the other.
        action: what was promised.
        language: its code.

    """
    line, *_ = languages.phrase(languages.spoken(language) or languages.DEFAULT, f"noted_{how}")
    # In one pass: what fills a slot is not read again.
    values = {"npc": npc, "by": name, "text": action}
    return _SLOT.sub(lambda found: values[found[1]], line)
