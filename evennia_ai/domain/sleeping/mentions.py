"""Mentions of people in an entry of the journal: the sentences in which somebody speaks of themselves or names others."""

from __future__ import annotations

import re
from typing import Mapping, NamedTuple

from evennia_ai.core import languages, words
from evennia_ai.core.records import Entry
from evennia_ai.core.talk import POSE, TOLD
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.profile import CONTENT_LENGTH
from evennia_ai.domain.sleeping.reflection_rules import TAKEN_BACK_TAG, is_synthesis

# Somebody's repetition of another: the "I" in it is not theirs.
_REPEATED = re.compile(r'["“«].*?(?:["”»]|\Z)', re.S)
# "I", "me", "my".
_ONESELF = languages.Words("ranking.oneself")
_SAID = re.compile(r"(?:(?P<by>[^:]{1,60}?) )?says: (?P<words>.+)", re.I | re.S)


class Noticed(NamedTuple):
    """An observation to be kept: the identity that it is about, its text, and who told it ("": seen)."""

    who: str
    content: str
    told_by: str


def notice(
    entry: Entry, *, names: Mapping[str, list[str]], own_key: str, own_name: str
) -> list[Noticed]:
    """Return what an entry says of its speaker, and of others who are known by name.

    `names` are the identities by name in lower case; a name that several bear is nobody's. Nothing is
    noticed of the assistant itself, `own_key`.
    """
    if is_synthesis(entry) or TAKEN_BACK_TAG in entry.tags:
        # What was made of memories is no new witness to them.
        return []
    speaker, speaker_name, teller = _speaker(entry)
    is_told = bool(teller)
    if entry.said_by and not is_told:
        # Somebody who acts is a witness to themselves alone.
        names = {entry.source_entity.casefold(): [entry.said_by]}
        is_seen = entry.source_type == "observation" and POSE not in entry.tags
        teller = "" if is_seen else entry.said_by
    elif entry.chain and not is_told:
        teller = next((one["identity"] for one in entry.chain if one["identity"] != own_key), "")
    told = [
        one
        for one in retrieval.sentences(_REPEATED.sub("", entry.content))
        if not one.rstrip(' "”').endswith(("?", ":"))
    ]
    found = []
    own = [one for one in told if _is_of_oneself(one)] if speaker else []
    if own:
        found.append(Noticed(speaker, as_observation(" ".join(own)), teller))
    for name, bearers in names.items():
        named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)
        said = " ".join(one for one in told if one not in own and named.search(one))
        if said and len(bearers) == 1:
            content = as_observation(said, by=speaker_name) if is_told else said
            found.append(Noticed(bearers[0], content, teller))
    return [
        one for one in found if one.who not in ("", own_key) and len(one.content) <= CONTENT_LENGTH
    ]


def as_observation(said: str, *, by: str = "") -> str:
    """Somebody's words as an observation: of themselves, or of somebody whom they name."""
    return f"{by} says: {said}" if by else f"Says: {said}"


def words_of(content: str) -> str:
    """An observation without the note of who said it."""
    said = _SAID.fullmatch(content)
    return said["words"] if said else content


def _is_of_oneself(sentence: str) -> bool:
    return any(word in _ONESELF for word in words.words(sentence))


def _speaker(entry: Entry) -> tuple[str, str, str]:
    """Return who says "I" in an entry (identity, name), and the identity of its teller."""
    if entry.source_type not in TOLD or not entry.said_by:
        return "", "", ""
    for first in entry.chain:
        return first["identity"], first["name"], entry.said_by
    return entry.said_by, entry.source_entity, entry.said_by
