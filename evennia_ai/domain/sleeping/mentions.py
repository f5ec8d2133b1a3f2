"""Mentions of people in an entry of the journal, in the words in which it was said."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple

from evennia_ai.core import languages
from evennia_ai.core.records import Entry
from evennia_ai.core.talk import TOLD
from evennia_ai.domain import statements
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.profile import CONTENT_LENGTH
from evennia_ai.domain.sleeping.reflection_rules import TAKEN_BACK_TAG, is_synthesis

# What somebody repeats of another: the "I" in it is not theirs.
_REPEATED = re.compile(r'["“«].*?(?:["”»]|\Z)', re.S)
_REFERS = languages.Pattern("mentions.refers", of_words=True)


class Noticed(NamedTuple):
    """An observation to be kept: of whom (an identity), what, by whom it was told ("" : seen)."""

    who: str
    content: str
    told_by: str


def notice(
    entry: Entry, *, names: Mapping[str, list[str]], own_key: str, own_name: str
) -> list[Noticed]:
    """Return what an entry says of whoever said it, and of others who are known by name.

    `names` are the identities by name in lower case; a name that several bear is nobody's. Nothing is
    noticed of the assistant itself, `own_key`.
    """
    if is_synthesis(entry) or TAKEN_BACK_TAG in entry.tags:
        # What was made of memories is no new witness to them.
        return []
    speaker, speaker_name, teller = _speaker(entry)
    content = _REPEATED.sub("", entry.content)
    found = []
    said = _about(content, is_own=True, listener=own_name) if speaker else ""
    if said:
        found.append(Noticed(speaker, statements.as_observation(said), teller))
    for name in statements.subjects(content):
        [who] = names.get(name.casefold(), ()) if len(names.get(name.casefold(), ())) == 1 else [""]
        said = _about(content, name=name) if who else ""
        if said:
            words = statements.as_observation(said, by=speaker_name) if teller else said
            found.append(Noticed(who, words, teller))
    return [
        one for one in found if one.who not in ("", own_key) and len(one.content) <= CONTENT_LENGTH
    ]


def _speaker(entry: Entry) -> tuple[str, str, str]:
    """Return who says "I" in an entry (identity, name), and the identity of whom one has it from."""
    if entry.source_type not in TOLD or not entry.said_by:
        return "", "", ""
    for first in entry.chain:
        return first["identity"], first["name"], entry.said_by
    return entry.said_by, entry.source_entity, entry.said_by


def _about(text: str, **whom: Any) -> str:
    """Return the sentences of a text that say something of one person."""
    parts = retrieval.sentences(text)
    kept = {place for place, part in enumerate(parts) if statements.read(part, **whom)}
    # "She sells candles there" is about the place before it.
    kept |= {place - 1 for place in kept if place and _REFERS.search(parts[place])}
    return " ".join(parts[place] for place in sorted(kept))
