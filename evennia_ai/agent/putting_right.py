"""Corrections in talk: what somebody said before becomes what they say now, in all that is kept of it."""

from __future__ import annotations

import itertools
from typing import Any

from msgspec import structs

from evennia_ai.agent import acquaintances, correcting
from evennia_ai.core import records
from evennia_ai.core.records import Entry, Event
from evennia_ai.domain import audience, corrections, retrieval, utterances
from evennia_ai.memory import assistant, journal

# Things that somebody told last, among which is what they put right.
LATEST = 12
JOURNAL_LIMIT = 200


def put_right(npc: Any, script: Any, event: Event) -> Event | None:
    """Let what somebody said before be what they say now; return the event with it, else None.

    Only their own words are changed, and only for ears that may know what is right.
    """
    if not event.said_by or event.kind not in records.SPOKEN:
        return None
    said = utterances.without_call(event.text, names=[npc.key, *npc.key.split()])
    correction = corrections.read(said)
    if correction is None:
        return None
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    own = (one for one in recent if one.said_by == event.said_by and _is_own_word(one, event))
    for entry in itertools.islice(own, LATEST):
        for sentence in retrieval.sentences(entry.content):
            before = _uncalled(npc, sentence)
            if right := corrections.applied(before, correction):
                _change(npc, script, event.said_by, entry, before, right)
                return structs.replace(event, text=right)
    return None


def _uncalled(npc: Any, sentence: str) -> str:
    """Return what was said without the name before it, letter by letter."""
    plain = utterances.without_call(sentence, names=[npc.key, *npc.key.split()])
    return plain if plain in sentence else f"{plain[:1].lower()}{plain[1:]}"


def _is_own_word(entry: Entry, event: Event) -> bool:
    known = event.audience in (audience.PUBLIC, entry.audience)
    return known and not entry.chain and entry.source_type in ("direct", "environmental")


def _change(npc: Any, script: Any, who: str, entry: Entry, old: str, new: str) -> None:
    people = [who, *acquaintances.mentioned(npc, old)]
    correcting.spread(npc, script, who, people=people, old=old, new=new)
    changed = journal.get_entry(npc, entry.id)
    if changed is not None:
        correcting.copy_soon(entry, changed, assistant_key=assistant.key_of(script))
