"""A whole mind as one versioned JSON document: what it has to hold, and how it changes hands.

    {"format": "evennia_ai.mind", "version": 1, "name", "exported", "hash", "mind": {…}}

`mind` has the shape that `mind_shape` says. People stand in it under their identities, so that who may know what
survives; the identity of the NPC itself becomes that of whoever takes the mind over.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from evennia_ai.core.records import Link, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.files.mind_shape import Mind, check_document, check_mind

FORMAT = "evennia_ai.mind"
VERSION = 1
# Levels of lists and mappings in one another; a mind of ours has ten.
DEPTH = 100

# The readers of a channel, as they stand in an audience, and those of one that is not known here.
_CHANNEL = re.compile(r"channel:\d+")
ELSEWHERE = "channel:elsewhere"


def write(mind: Mind, *, name: str, now: datetime) -> str:
    """Return the document of a mind as JSON text.

    Raises:
        ValueError: the mind has not the shape of one, so that nobody could read it again.
    """
    check_mind(mind)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "exported": format_time(now),
        "hash": hash_of(mind),
        "mind": mind,
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)


def is_mind(document: Any) -> bool:
    """Return whether JSON that was read says that it is a mind, of whatever version."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def read(document: Any) -> Mind:
    """Return the mind of a document.

    Raises:
        ValueError: it is no document of ours, of another version, was changed by hand, or holds
            what a mind does not have; the text is the end of a sentence.
    """
    if not is_mind(document):
        raise ValueError("it is no mind that was exported here.")
    version = document.get("version")
    if version != VERSION:
        raise ValueError(f"it is of version {version!r:.20}; this game reads version {VERSION}.")
    check_document(document)
    mind = document["mind"]
    _check_depth(mind)
    if hash_of(mind) != document["hash"]:
        raise ValueError("it was changed after it was exported: its hash does not fit.")
    check_mind(mind)
    return mind


def hash_of(mind: Mind) -> str:
    """Return the hash by which a changed document is told."""
    found = hashlib.sha256()
    try:
        for part in _parts(mind, levels=2):
            found.update(part.encode())
        return found.hexdigest()
    except (TypeError, RecursionError, UnicodeEncodeError):
        raise ValueError("it holds what cannot be written as JSON.") from None


def handed_over(mind: Mind, identity: str) -> Mind:
    """Return the mind as that of another NPC: its own identity replaced wherever it stands.

    Channels stand in it by their numbers, which in another game are those of others: what is for one
    of them alone is for none from now on.
    """
    return _renamed(mind, mind["identity"], identity)


def with_memory_ids(mind: Mind, ids: dict[str, str]) -> dict[str, list[Link]]:
    """Return the links by the ids under which the memories are kept now; lost ones are left out.

    A link is for the ears of the memory that it is from.
    """
    known = {one["id"]: audiences.as_kept(one["audience"]) for one in mind["memories"]}
    return {
        ids[memory]: [
            Link(id=ids[link["id"]], score=link["score"], audience=known[memory])
            for link in linked
            if link["id"] in ids
        ]
        for memory, linked in mind["links"].items()
        if memory in ids and memory in known
    }


def _parts(value: Any, *, levels: int) -> Iterator[str]:
    """Yield the JSON text of a value, with sorted keys, in parts.

    In one part a long life would take a tenth of a second, in which no other thread gets its turn.
    """
    if levels and isinstance(value, list) and value:
        for place, one in enumerate(value):
            yield ", " if place else "["
            yield from _parts(one, levels=levels - 1)
        yield "]"
    elif levels and isinstance(value, dict) and value and all(map(_is_text, value)):
        for place, key in enumerate(sorted(value)):
            yield f"{', ' if place else '{'}{json.dumps(key, ensure_ascii=False)}: "
            yield from _parts(value[key], levels=levels - 1)
        yield "}"
    else:
        yield json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {_renamed(key, old, new): _renamed(one, old, new) for key, one in value.items()}
    if isinstance(value, list):
        renamed = [_renamed(one, old, new) for one in value]
        # Audiences are sorted, so that two that are equal look so.
        return sorted(renamed) if renamed != value and all(map(_is_text, renamed)) else renamed
    if _is_text(value) and _CHANNEL.fullmatch(value):
        return ELSEWHERE
    return new if _is_text(value) and value == old else value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _check_depth(mind: Any) -> None:
    level, depth = [mind], 0
    while level:
        depth += 1
        if depth > DEPTH:
            raise ValueError(f"it is nested more than {DEPTH} levels deep.")
        inner = [one for one in level if isinstance(one, (dict, list))]
        level = [part for one in inner for part in (one.values() if isinstance(one, dict) else one)]
