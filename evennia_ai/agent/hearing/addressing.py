"""Addressing: the one who is meant by a line in a room, conversations that go on, and their limits.

It is kept in memory only: after a restart whoever goes on talking says a name once more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evennia_ai import conf, rate_limits, scheduling
from evennia_ai.agent.hearing import presence, unprompted
from evennia_ai.agent.hearing.scenes import Scene
from evennia_ai.core import languages, volatile
from evennia_ai.domain import classification
from evennia_ai.memory import identity
from evennia_ai.memory.state import assistant
from evennia_ai.rate_limits import Limit


@dataclass
class _Last:
    """Whom somebody spoke to last, when, and whether they turned to somebody else since."""

    npc_id: int
    at: float
    turned_away: bool = False


@dataclass
class _State:
    # (speaker id, channel id, 0 for a room) → whom they spoke to last there
    last: dict[tuple[int, int], _Last] = field(default_factory=dict)
    # location id → which player spoke to other players there last (0: to one by name), and when
    among_players: dict[int, tuple[int, float]] = field(default_factory=dict)


_state = volatile.keep(_State)


def answered(npc: Any, speaker_id: int, *, channel_id: int = 0) -> None:
    """Note that `npc` answered somebody: what they say next there is for it, without its name."""
    _state.last[speaker_id, channel_id] = _Last(npc.id, scheduling.clock().seconds())


def last_addressed(speaker_id: int, *, channel_id: int = 0) -> str | None:
    """Return the id, as text, of the NPC that somebody spoke to last there."""
    last = _state.last.get((speaker_id, channel_id))
    return str(last.npc_id) if last else None


def turned_away(speaker_id: int) -> None:
    """Note that somebody speaks to another player now: what they say next is for that one."""
    if (speaker_id, 0) in _state.last:
        _state.last[speaker_id, 0].turned_away = True


def note_unanswered(scene: Scene, words: str, speaker_id: int, *, to_player: bool) -> None:
    """Note that a player spoke to another player, or to nobody: the next may answer them."""
    if not scene.is_answered(words):
        who = 0 if to_player else speaker_id
        _state.among_players[scene.location_id] = (who, scheduling.clock().seconds())


def greeted(location_id: int) -> None:
    """Note that everybody in a room was greeted, and somebody answers."""
    rate_limits.count(_greeting_all(location_id))


def welcomes(npc: Any, player: Any) -> bool:
    """Return whether a chatty one greets somebody who comes in, and note that it does.

    One of those who are there does, who sees them, and so often as ROOM_GREETINGS and OCCASIONS allow: who walks
    in and out, as whomever, takes from others no greeting of theirs.
    """
    if not presence.sees(npc, player) or assistant.is_quiet_for(npc, player):
        return False
    room, who, pair = npc.location.id, identity.perceived(npc, player), unprompted.limits()["pair"]
    whose = player.account.id if player.account is not None else who
    return rate_limits.take(
        Limit(("welcomed", room, player.id), seconds=conf.get("ROOM_GREETING_COOLDOWN")),
        Limit(("greeted", npc.id, who), seconds=pair),
        Limit(("greeted in", room, whose), seconds=pair),
        Limit(("greetings", room), conf.get("ROOM_GREETINGS")),
    )


def engaged_with(scene: Scene, words: str, speaker_id: int) -> int | None:
    """Return the id of the assistant that somebody is in conversation with as they say these words.

    Where no other player is, a pause does not end it: nobody else can be meant.
    """
    last = _state.last.get((speaker_id, 0))
    if last is None or (last.turned_away and not classification.resumes(words)):
        return None
    is_alone = scene.people.keys() <= {speaker_id}
    limit = conf.get("ENGAGED_ALONE_SECONDS" if is_alone else "ENGAGED_SECONDS")
    return last.npc_id if scheduling.clock().seconds() - last.at <= limit else None


def responder(scene: Scene, how: str, words: str, speaker_id: int) -> int | None:
    """Return who answers these words; worked out once for all who hear them.

    `how` it came to that: one is "named" or "posed at", all are "greeted", the room is "asked" what one
    of them knows, the "chatty" take up any word.
    """
    key = f"{how}:{words}"
    if key not in scene.responders:
        minds = scene.minds.keys() - {speaker_id}
        is_deed = how == "posed at"
        named = scene.fits(words, is_deed=is_deed)
        fits = {str(who): fit for who, fit in named.items() if who in minds}
        talkative, engaged = scene.talkative, engaged_with(scene, words, speaker_id)
        if how in ("named", "posed at"):
            called = scene.called(words)
            # Who speaks with one may speak of others; a deed is done to whom it names.
            aside = called or engaged in minds and not fits.get(str(engaged))
            fits = {
                who: fit
                for who, fit in fits.items()
                if fit and (is_deed or not aside or int(who) in called)
            }
        elif engaged in minds:
            fits = {str(engaged): 0}
        elif how == "greeted":
            fits = {who: fit for who, fit in fits.items() if talkative[int(who)] != "never"}
        elif how == "asked":
            knowing = scene.knowing(classification.asked_of_anybody(words))
            fits = {who: knowing[int(who)] for who in fits if int(who) in knowing}
        else:
            fits = {who: fit for who, fit in fits.items() if talkative[int(who)] == "chatty"}
        last = last_addressed(speaker_id)
        chosen = classification.choose_responder(fits, last_addressed=last)
        scene.responders[key] = int(chosen) if chosen else None
    return scene.responders[key]


def greets_everybody(scene: Scene, words: str, speaker_id: int) -> bool:
    """Return whether words are for whoever is there, and the room was not greeted just now."""
    known = {key: languages.listed("to_all", key) for key in ("greetings", "everybody")}
    alone = scene.people.keys() <= {speaker_id}
    is_meant = classification.is_for_everybody(words, only_minds=alone, **known)
    return is_meant and rate_limits.allows(_greeting_all(scene.location_id))


def asks_the_room(scene: Scene, words: str, speaker_id: int) -> bool:
    """Return whether a question is for whoever knows: it names nobody, and players do not talk with each other.

    It is worked out once for all who hear it, before it counts itself as talk of players.
    """
    if words not in scene.asked:
        by, since = _state.among_players.get(scene.location_id, (speaker_id, 0.0))
        is_talk = scheduling.clock().seconds() - since <= conf.get("ENGAGED_SECONDS")
        last = _state.last.get((speaker_id, 0))
        is_apart = by != speaker_id and is_talk or last is not None and last.turned_away
        asked = "" if is_apart else classification.asked_of_anybody(words)
        scene.asked[words] = bool(scene.knowing(asked))
    return scene.asked[words]


def may_exchange(npc: Any, other: Any, *, hops: int, watched: bool) -> bool:
    """Return whether two assistants may go on talking: not too long, and not to empty chairs."""
    pair = frozenset((npc.id, other.id))
    rest = Limit(("exchange", pair), seconds=conf.get("CROSS_TALK_COOLDOWN"))
    if hops > conf.get("CROSS_TALK_HOPS"):
        rate_limits.count(rest)
        return False
    return watched and rate_limits.allows(rest)


def _greeting_all(location_id: int) -> Limit:
    return Limit(("greeting to all", location_id), seconds=conf.get("ROOM_GREETING_COOLDOWN"))
