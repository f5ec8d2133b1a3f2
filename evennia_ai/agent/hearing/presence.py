"""Presence: those who can hear and see, those who came or left since the last look, and how long a room was silent.

Evennia says nothing when somebody logs out or is moved quietly, so what counts is the difference
between two looks at the room; the lines about people walking are only a reason to look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable

from evennia_ai import conf, movement, rate_limits, scheduling
from evennia_ai.agent import speech
from evennia_ai.core import records, volatile
from evennia_ai.domain import audience
from evennia_ai.domain.memories import confidence
from evennia_ai.memory import identity, kinds, repository
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.rate_limits import Limit

# Seconds in which a room answers only one greeting to everybody; of how many who come in chatty NPCs greet in an hour.
GREETING_SECONDS = 20
GREETINGS = 6
# (location id, {object id: (identity, name)}) at the last look
_seen = volatile.of_assistants(tuple[int, dict[int, tuple[str, str]]])


@dataclass
class _Spoken:
    # location id → when somebody spoke there last, or since when we listen
    at: dict[int, float] = field(default_factory=dict)


_spoken = volatile.keep(_Spoken)


@dataclass(frozen=True)
class Change:
    """Somebody came ("arrive") or left ("leave")."""

    kind: str
    obj_id: int
    identity: str
    name: str


def is_puppeted(obj: Any) -> bool:
    """Return whether a session controls an object now."""
    return bool(obj.sessions.count())


def is_any_puppeted(room: Any) -> bool:
    """Return whether a session controls anything in a room now."""
    return any(is_puppeted(obj) for obj in room.contents)


def is_read_aloud(obj: Any) -> bool:
    """Return whether a program reads to somebody what they are shown (Evennia's flag SCREENREADER)."""
    return any(session.protocol_flags.get("SCREENREADER") for session in obj.sessions.all())


def can_hear(obj: Any) -> bool:
    """Return whether words reach somebody through an object: a player, or a mind that is on."""
    return is_puppeted(obj) or active_assistants.script_id_of(obj.id) is not None


def is_mind(obj: Any) -> bool:
    """Return whether a mind speaks through an object now, rather than a player."""
    return active_assistants.script_id_of(obj.id) is not None and not is_puppeted(obj)


def sees(npc: Any, somebody: Any) -> bool:
    """Return whether somebody is not hidden from an NPC."""
    return bool(somebody.access(npc, "view"))


def listeners(npc: Any) -> list[Any]:
    """Return who can hear what is said where `npc` is, without itself."""
    if npc.location is None:
        return []
    return [obj for obj in npc.location.contents if obj is not npc and can_hear(obj)]


def hearers(npc: Any) -> frozenset[str]:
    """Return the identities of those who hear what `npc` says aloud."""
    return frozenset(identity.perceived(npc, obj) for obj in listeners(npc))


def is_watched(location: Any) -> bool:
    """Return whether somebody who did something lately is there to see what happens."""
    return location is not None and is_anybody_active(location.contents)


def is_anybody_active(watchers: Iterable[Any]) -> bool:
    """Return whether one of these (objects, accounts) is connected and did something lately."""
    since = scheduling.clock().seconds() - movement.WATCHER_SECONDS
    return any(_last_active(watcher) >= since for watcher in watchers)


def is_secluded(room: Any) -> bool:
    """Return whether what is said in a room stays there: who controls it said so, or a Tag does.

    Anybody who builds may put on a Tag, or take it off: it counts only where nothing was chosen.
    """
    return _secluding(room) is not None


def _secluding(room: Any) -> Any:
    """Return what keeps in what is said in a room: that, or where it stands (a cart in a barn); None if nothing does."""
    while room is not None:
        chosen = repository.load(room, kinds.SECLUDED)
        if chosen is not None or has_seclusion_tag(room):
            return None if chosen is False else room
        room = room.location
    return None


def has_seclusion_tag(room: Any) -> bool:
    """Return whether a room is tagged `private`."""
    # Not `tags.has`: Evennia asks the database each time for a Tag that is not there.
    return ("private", None) in room.tags.all(return_key_and_category=True)


def seclude(room: Any, secluded: bool | None) -> None:
    """Choose whether what is said in a room stays there; None leaves it to the Tag `private`."""
    if secluded is None:
        repository.remove(room, kinds.SECLUDED)
    else:
        repository.save(room, kinds.SECLUDED, secluded)


def keep_secluded(room: Any) -> bool:
    """Return whether what is said in a room stays there, from now on by choice.

    Something was said there in private: to take the Tag off does not open the room any more.
    """
    kept_by = _secluding(room)
    if kept_by is not None and repository.load(kept_by, kinds.SECLUDED) is None:
        seclude(kept_by, True)
    return kept_by is not None


def audience_here(npc: Any) -> records.Audience:
    """Return who may know what is to be seen just now where an NPC is."""
    return audience_of(npc, "", None, listeners(npc))


def audience_of(
    npc: Any, kind: str, actor: Any, listening: list[Any], words: str = ""
) -> records.Audience:
    """Return who may know what an NPC heard; whoever asks for silence is taken at their word."""
    room = npc.location
    secluded = room is not None and keep_secluded(room)
    is_secret = kind in records.SPOKEN and confidence.is_asked(words)
    public = conf.get("ROOM_TALK") == "public" and not secluded and not is_secret
    alone = public or is_secret or kind in records.PRIVATE
    return audience.of_speech(
        kind,
        speaker=identity.perceived(npc, actor) if actor else "",
        listener=identity.identity_of(npc),
        present=[] if alone else [identity.perceived(npc, obj) for obj in listening],
        public=public,
    )


def note_spoken(location_id: int) -> None:
    """Note that somebody spoke in a room just now."""
    _spoken.at[location_id] = scheduling.clock().seconds()


def silence(location_id: int) -> float:
    """Return for how many seconds nobody spoke in a room, as far back as we listen."""
    now = scheduling.clock().seconds()
    return now - _spoken.at.setdefault(location_id, now)


def unprompted_limits() -> dict[str, float]:
    """Return OCCASIONS; ours hold where a game wrote what is no number, which `evennia check` names."""
    given, ours = conf.get("OCCASIONS"), conf.DEFAULTS["OCCASIONS"]
    return {key: given[key] if isinstance(given[key], (int, float)) else ours[key] for key in ours}


def greets_newcomer(npc: Any, player: Any) -> bool:
    """True when a chatty NPC may greet a player who comes in; it is counted against the limits.

    One of the NPCs who see the player does, as often as GREETINGS and OCCASIONS allow: a player who walks in
    and out, as any character, takes no greeting from others.
    """
    if not sees(npc, player) or assistant.is_quiet_for(npc, player):
        return False
    room, who, pair = npc.location.id, identity.perceived(npc, player), unprompted_limits()["pair"]
    account_id = player.account.id if player.account is not None else who
    return rate_limits.take(
        Limit(("welcomed", room, player.id), seconds=GREETING_SECONDS),
        Limit(("greeted", npc.id, who), seconds=pair),
        Limit(("greeted in", room, account_id), seconds=pair),
        Limit(("greetings", room), GREETINGS),
    )


def look_around(npc: Any) -> list[Change]:
    """Return who came and who left since the last look; the first look finds no change."""
    location = npc.location
    if location is None:
        _seen.pop(npc.id, None)
        return []
    before = _seen.get(npc.id)
    # Of who is hidden from it, it knows neither that they are there nor when they came or left.
    present = {obj.id for obj in listeners(npc) if sees(npc, obj)}
    if before and before[0] == location.id and before[1].keys() == present:
        return []
    known = before[1] if before and before[0] == location.id else {}
    new = [obj for obj in location.contents if obj.id in present and obj.id not in known]
    now = {key: known[key] for key in known.keys() & present} | _recognized(npc, new)
    _seen[npc.id] = (location.id, now)
    if before is None or before[0] != location.id:
        return []
    came = [Change("arrive", key, *now[key]) for key in now.keys() - known.keys()]
    left = [Change("leave", key, *known[key]) for key in known.keys() - now.keys()]
    return sorted([*came, *left], key=lambda change: (change.kind, change.obj_id))


def is_unnoticed(npc: Any, somebody: Any) -> bool:
    """Return whether somebody is where an NPC is, and was not at its last look."""
    room = npc.location
    location_id, known = _seen.get(npc.id, (0, {}))
    is_here = room is not None and somebody.location == room
    return is_here and (location_id != room.id or somebody.id not in known)


def _recognized(npc: Any, objs: list[Any]) -> dict[int, tuple[str, str]]:
    """Return whom an NPC takes each of these for; the database is asked for all of them at once."""
    repository.warm_all([(obj, [(kinds.IDENTITY, "")]) for obj in objs])
    # Who has no identity yet is given one.
    with repository.together(*objs):
        return {obj.id: (identity.perceived(npc, obj), speech.name_of(obj, npc)) for obj in objs}


def _last_active(obj: Any) -> float:
    return max((session.cmd_last_visible for session in obj.sessions.all()), default=float("-inf"))
