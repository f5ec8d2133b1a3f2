"""News: what one assistant passes on to another of itself, when they meet and have time."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evennia_ai.core import languages, records
from evennia_ai.core.records import Entry
from evennia_ai.core.talk import POSE, TOLD
from evennia_ai.domain import audience as audiences
from evennia_ai.domain import errand_rules
from evennia_ai.domain.memories import gossip, promises, retrieval
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.sleeping import reflection_rules

# How much something matters at least, of 10, and how far it is believed by whoever it is passed on to.
IMPORTANCE = 6
TRUST = 0.1
# Days for which something is news.
DAYS = 7
# What only the one to whom it happened can say as it stands: "Ann gives you a loaf."; so are promises, and how a plan went.
HANDED_OVER = "give"
# What a builder lets an NPC note at an event, perhaps by a lock.
TRIGGER_TAG = "trigger"
# What another NPC passed on that no player said; all else that is heard is somebody's word.
NEWS_TAG = "news"
# Telling words that make a sentence one that stands alone.
TELLING_WORDS = 3

# Words that go on about what was said before, or are for whoever they were said to.
_ANSWERS = languages.Pattern("knowledge.answers")
_TO_YOU = languages.Pattern("knowledge.to_you", of_words=True)


def stands_alone(text: str, *, language: str = "") -> bool:
    """Return whether words tell something to somebody who did not hear what was said before them."""
    said = retrieval.terms(text, language=language)
    return len(said) >= TELLING_WORDS and not _ANSWERS.match(text) and not _TO_YOU.search(text)


def choose(
    entries: Iterable[Entry],
    *,
    to: str,
    name: str,
    level: str,
    regard: str,
    since: str,
) -> list[Entry]:
    """Return what an assistant may pass on to another, what matters most first, then the newest.

    Args:
        entries: Its journal.
        to: The identity of the other.
        name: What the assistant calls the other: of themselves nobody needs to hear.
        level: How much it tells on, one of `gossip.LEVELS`.
        regard: The state of its relationship with the other.
        since: The time of the oldest that is still news.

    """
    known = [entry for entry in entries if entry.timestamp >= since]
    # What was marked later is secret in each copy of it.
    secrets = {_gist(entry.content) for entry in known if gossip.is_secret(entry.tags)}
    tells_on = gossip.tells_on(level, regard=regard)
    called = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)
    found = [
        entry
        for entry in known
        if _is_news(entry)
        and _gist(entry.content) not in secrets
        and to not in (*_people(entry), *(one["with"] for one in entry.shared))
        and not called.search(entry.content)
        and (tells_on or is_open(entry))
        and _is_without_lock(entry)
    ]
    return sorted(found, key=lambda entry: (entry.importance, entry.timestamp), reverse=True)


def knows(entries: Iterable[Entry], text: str) -> bool:
    wanted = _gist(text)
    return any(_gist(entry.content) == wanted for entry in entries)


def _is_news(entry: Entry) -> bool:
    return (
        entry.importance >= IMPORTANCE
        and reflection_rules.may_be_told(entry)
        and reflection_rules.ECHO_TAG not in entry.tags
        and {HANDED_OVER, promises.TAG, errand_rules.TAG}.isdisjoint(entry.tags)
        and gossip.believed(1.0, Hearsay(entry.content, entry.source_trust)) >= TRUST
        and not entry.content.rstrip().endswith("?")
        and stands_alone(entry.content)
    )


def is_open(entry: Entry) -> bool:
    """Whether anybody may know something that the game told, or an NPC as such news.

    What a mind said or made of what it heard may be a player's words.
    """
    if entry.audience != audiences.PUBLIC or entry.source_type == "inference":
        return False
    if entry.is_made:
        return not records.is_said(entry.sources)
    if entry.source_type in TOLD:
        return NEWS_TAG in entry.tags
    return not entry.chain and {*records.SPOKEN, POSE}.isdisjoint(entry.tags)


def _is_without_lock(entry: Entry) -> bool:
    """Return whether something is not what an NPC noted of those who passed a lock."""
    return entry.audience == audiences.PUBLIC or TRIGGER_TAG not in entry.tags


def _people(entry: Entry) -> list[str]:
    """Return the identities of those whom something came from and through."""
    return [one for one in (*(teller["identity"] for teller in entry.chain), entry.said_by) if one]


def _gist(text: str) -> str:
    return " ".join(text.casefold().split())
