"""A whole mind as one versioned JSON document: what it has to hold, and how it changes hands.

    {"format": "evennia_ai.mind", "version": 1, "name", "exported", "hash", "mind": {…}}

`mind` has the keys of `MIND`. People stand in it under their identities, so that who may know what
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
from evennia_ai.domain.files.plain_shapes import Each, audience, between, check, moment, words

FORMAT = "evennia_ai.mind"
VERSION = 1
# Levels of lists and mappings in one another; a mind of ours has ten.
DEPTH = 100
# The highest number of an entry: every page up to it is looked at.
LAST_ENTRY = 10_000_000

# The readers of a channel, as they stand in an audience, and those of one that is not known here.
_CHANNEL = re.compile(r"channel:\d+")
ELSEWHERE = "channel:elsewhere"

_EMPTY = type(None)
_NUMBER = between(0, LAST_ENTRY, int)
_SHARE = between(0, 1, float)
_FACT = {"text": str, "audience": audience}
_ENTRY = {
    "id": _NUMBER,
    "timestamp": moment,
    "content": str,
    "source_type": str,
    "source_trust": _SHARE,
    "source_entity": str,
    "source_id": str,
    "importance": between(1, 10, int),
    "importance_method": str,
    "tags": [str],
    "related_projects": [str],
    "audience": audience,
    "consolidated": bool,
    "evidence": [int],
    "chain": [dict],
    "shared": [dict],
}
_PROFILE = {
    "entity_id": str,
    "entity_type": str,
    "name": str,
    "created": moment,
    "last_interaction": moment,
    "attributes": [{"id": int, "type": str, "audience": audience, "told_by": [str]}],
    "observations": [{"id": int, "content": str, "source": str, "audience": audience}],
    "observation_count": int,
    "relationship": {"state": str, "favorability": _SHARE, "interaction_count": int},
}
_MESSAGE = {
    "role": str,
    "content": str,
    "name": str,
    "kind": str,
    "audience": audience,
    "timestamp": moment,
    "event_id": str,
}
_CONVERSATION = {
    "topic": str,
    "started": moment,
    "last_message": moment,
    "messages": [_MESSAGE],
    "pending_actions": [{"action": str, "priority": int, "audience": audience}],
}
_GOAL = {"id": int, "status": str, "audience": audience}
_REWARD = (float, _EMPTY)
_DECISION = {
    "conflict_title": str,
    "action_type": str,
    "target_domain": str,
    "reward": _REWARD,
    "reasoning": str,
    "episode_id": str,
    "personality_type": str,
}
_VERDICT = {
    "episode_id": str,
    "overall_effectiveness": between(0, 10, float),
    "unexpected_effects": str,
    "audience": (audience, _EMPTY),
}
_TRAJECTORY = {"task_id": str, "route_taken": str, "reward": _REWARD, "summary": dict}

# What a mind is made of. Inside of these, keys that are not listed are kept as they are.
MIND = {
    "identity": str,
    "persona": dict,
    "lore": [_FACT],
    "settings": {},
    "journal": {
        "entries": [_ENTRY],
        "entry_count": _NUMBER,
        "max_entries": between(1, LAST_ENTRY, int),
        "last_reflection": str,
    },
    "noticed_until": int,
    "profiles": Each(_PROFILE),
    "conversations": Each(_CONVERSATION),
    "goals": [{**_GOAL, "title": str, "progress": float}],
    "projects": [{**_GOAL, "name": str}],
    "reminders": [{"due": moment, "text": str, "audience": audience}],
    "schedule": (_EMPTY, dict),
    "reflection": {
        "cumulative_importance": float,
        "threshold": float,
        "reflection_count": int,
        "entries_since_reflection": [int],
    },
    "memories": [
        {"id": str, "text": words, "audience": audience, "metadata": dict, "created": moment}
    ],
    "links": Each([{"id": str, "score": float}]),
    # What kinds of the game's own keep, by their names.
    "more": dict,
    "experience": {
        "decisions": [{"id": str, "audience": audience, "data": _DECISION}],
        "trajectories": [{"id": str, "audience": audience, "data": _TRAJECTORY}],
        "feedback": [{**_VERDICT, "history": [_VERDICT]}],
    },
}
_DOCUMENT = {
    "format": str,
    "version": int,
    "name": str,
    "exported": moment,
    "hash": str,
    "mind": dict,
}

Mind = dict[str, Any]


def write(mind: Mind, *, name: str, now: datetime) -> str:
    """Return the document of a mind as JSON text.

    Raises:
        ValueError: the mind is not what `MIND` says, so that nobody could read it again.
    """
    _check_mind(mind)
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
    _check_keys(document, _DOCUMENT, "the document")
    check(document, _DOCUMENT, "the document")
    mind = document["mind"]
    _check_depth(mind)
    if hash_of(mind) != document["hash"]:
        raise ValueError("it was changed after it was exported: its hash does not fit.")
    # Earlier files have nothing of kinds of the game's own.
    mind = {"more": {}, **mind}
    _check_mind(mind)
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


def _check_mind(mind: Any) -> None:
    _check_keys(mind, MIND, "the mind")
    check(mind, MIND, "mind")
    if mind["identity"] in ("", audiences.PUBLIC):
        # It is replaced wherever it stands: who may know what would change.
        raise ValueError("mind.identity is not an identity.")
    for who, known in mind["profiles"].items():
        if known["entity_id"] != who:
            raise ValueError(f"mind.profiles.{who} is the profile of {known['entity_id']}.")
    ids = [entry["id"] for entry in mind["journal"]["entries"]]
    if len(set(ids)) != len(ids) or min(ids, default=1) < 1:
        raise ValueError("mind.journal.entries has an id twice, or one below 1.")
    if mind["journal"]["entry_count"] < max(ids, default=0):
        raise ValueError("mind.journal.entry_count is below the id of an entry.")


def _check_depth(mind: Any) -> None:
    level, depth = [mind], 0
    while level:
        depth += 1
        if depth > DEPTH:
            raise ValueError(f"it is nested more than {DEPTH} levels deep.")
        inner = [one for one in level if isinstance(one, (dict, list))]
        level = [part for one in inner for part in (one.values() if isinstance(one, dict) else one)]


def _check_keys(given: Any, known: dict[str, Any], where: str) -> None:
    for key in given if isinstance(given, dict) else ():
        if key not in known:
            raise ValueError(f"{where} has no {key!r:.40}.")
