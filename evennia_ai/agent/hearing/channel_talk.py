"""Talk on channels of the game: heard by one for all who follow them, answered by one.

Evennia sends a channel's lines to those only who are connected, which an NPC never is: the account
in `typeclasses.listener` is, and hands on here what it gets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB

from evennia_ai import markup, scheduling
from evennia_ai.agent import own_model, speech
from evennia_ai.agent.hearing import addressing, perception, presence
from evennia_ai.core import records
from evennia_ai.domain import audience, classification
from evennia_ai.domain.classification import FOLLOWED, NAMED, OTHER, ROOM_TALK, Situation
from evennia_ai.memory import lookup
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import active_assistants, assistant, channels, npc_settings

# What makes a line on a channel a pose, as Evennia's accounts show it.
POSE_MARKS = (":", ";")


@dataclass
class Broadcast:
    """One line on a channel, and who of those who follow it is meant: the same for all of them.

    `actor` is the character of the sender, if there is one.
    """

    channel: Any
    sender: Any
    actor: Any
    words: str
    hops: int
    payer: int
    watched: bool = False
    named: int | None = None
    responder: int | None = None
    other_named: bool = False


def hear(channel: Any, message: str, senders: Sequence[Any] | None) -> None:
    """Take in one line of a channel, without the names that are put in front of it."""
    sender = senders[0] if senders else None
    if sender is None or not channels.followers(channels.key_of(channel)):
        # What nobody said is a notice of the game's: who logged in, that the server restarts.
        return
    actor = _actor_of(sender)
    # Only of an object: an account may have the same number as the NPC that is speaking.
    said = speech.current(sender) if sender is actor else None
    if said:
        said.heard = True
    words = _as_speech(said.words if said and said.words else markup.plain(speech.bounded(message)))
    if words:
        # Whoever plays no character just now has an account all the same.
        hops, payer = (said.hops, said.payer) if said else (0, accounts.payer_of(sender))
        scheduling.call_soon(_spread, Broadcast(channel, sender, actor, words, hops, payer))


def hearers(channel: Any) -> frozenset[str]:
    """Return who hears what is said on a channel: nobody by name, so that only what is public fits.

    What was said on a channel that is not open to all may be repeated there, and nowhere else.
    """
    return frozenset({f"channel:{channel.id}" if channel else "channel"})


def why_silent(script: Any, npc: Any, key: str) -> str:
    """Return why an assistant may not speak on a channel, or "" if it may."""
    channel = channels.find(key)
    if channel is None:
        return f"there is no channel {key!r} any more"
    if assistant.followed_channels(script).get(key, "listen") == "listen":
        return f"it does not answer on the channel {key!r} any more"
    if not presence.is_anybody_active(channel.subscriptions.online()):
        return f"nobody is left on the channel {key!r}"
    return "" if may_speak(npc, channel) else f"it may not speak on the channel {key!r}"


def may_speak(npc: Any, channel: Any) -> bool:
    """Return whether a channel's own locks and bans let an NPC speak there."""
    return npc not in channel.banlist and channel.access(npc, "send")


def may_listen(npc: Any, channel: Any) -> bool:
    """Return whether a channel's own locks and bans let an NPC listen there."""
    return npc not in channel.banlist and channel.access(npc, "listen")


def _actor_of(sender: Any) -> Any:
    """Return the character who speaks; an account that plays none has only its name."""
    if isinstance(sender, ObjectDB):
        return sender
    puppets = sender.get_all_puppets() if isinstance(sender, AccountDB) else []
    return puppets[0] if puppets else None


def _as_speech(words: str) -> str:
    if words.startswith(POSE_MARKS):
        action = words[1:].strip()
        return action and f"*{action}*"
    return words


def _spread(line: Broadcast) -> None:
    """Find out who is meant, and give each follower a slice of its own."""
    if not line.channel.pk or not line.sender.pk:
        return
    online = line.channel.subscriptions.online()
    line.watched = presence.is_anybody_active(online)
    following = channels.followers(channels.key_of(line.channel))
    ready = {
        npc.id: npc
        for npc in map(lookup.object_by_id, following)
        if npc and following[npc.id] != "listen" and _is_ready(npc, line)
    }
    fits = {
        npc_id: classification.name_fit(line.words, addressing.names_of(npc, npc), is_speech=True)
        for npc_id, npc in ready.items()
    }
    line.named = _chosen(line, {who: fit for who, fit in fits.items() if fit})
    line.responder = _chosen(line, {who: 0 for who in fits if following[who] == "answer"})
    line.other_named = any(
        classification.name_fit(line.words, _names_of_person(person))
        for person in online
        if person != line.sender
    )
    for npc_id, manner in following.items():
        scheduling.call_soon(_overhear, npc_id, manner, line)


def _is_ready(npc: Any, line: Broadcast) -> bool:
    able = presence.is_mind(npc) and npc_settings.talkative(npc) != "never"
    return able and npc != line.actor and may_speak(npc, line.channel)


def _chosen(line: Broadcast, fits: dict[int, int]) -> int | None:
    speaker_id = line.actor.id if line.actor else 0
    return addressing.choose(fits, speaker_id, channel_id=line.channel.id) or None


def _names_of_person(person: Any) -> list[str]:
    puppets = person.get_all_puppets() if isinstance(person, AccountDB) else []
    return [person.key, *(puppet.key for puppet in puppets)]


def _overhear(npc_id: int, manner: str, line: Broadcast) -> None:
    """Let one follower remember a line, and answer it if it is the one to do so."""
    npc = lookup.object_by_id(npc_id)
    script = npc and active_assistants.script_of(npc)
    if not script or not line.channel.pk or not may_listen(npc, line.channel):
        return
    verdict, rule = classification.classify(_situation(script, npc, manner, line))
    if verdict == classification.IGNORE:
        return
    addressed = verdict in classification.ANSWERED
    actor = line.actor if line.actor and line.actor.pk else None
    if addressed and actor:
        addressing.answered(npc, actor.id, channel_id=line.channel.id)
    perception.perceive(
        npc,
        "channel",
        line.words,
        actor,
        # A character may not be known to be that account's: nowhere else has the account a name.
        actor_name=speech.name_of(line.sender, npc) if line.sender is line.actor else "",
        called="" if line.sender is line.actor else speech.name_of(line.sender, npc),
        addressed=addressed,
        priority=classification.PRIORITIES[verdict],
        hops=line.hops,
        payer=line.payer,
        rule=rule,
        channel=channels.key_of(line.channel),
        audience=_audience(line.channel),
    )


def _situation(script: Any, npc: Any, manner: str, line: Broadcast) -> Situation:
    from_assistant = line.sender is line.actor and presence.is_mind(line.actor)
    is_named = line.named == npc.id
    # As in a room, assistants answer each other by name only: else each answer would have one.
    follows = line.responder == npc.id and manner == "answer" and not from_assistant
    others = OTHER if line.other_named or line.named else FOLLOWED if follows else ROOM_TALK
    return Situation(
        kind="channel",
        addressed=NAMED if is_named else others,
        enabled=assistant.is_enabled(script),
        own=npc == line.actor,
        from_assistant=from_assistant,
        by_rules=from_assistant and is_named and not own_model.converses(npc),
        exchange_allowed=not (from_assistant and is_named)
        or addressing.may_exchange(npc, line.actor, hops=line.hops, watched=line.watched),
        talkative=npc_settings.talkative(npc),
        # With nobody there to read an answer, none is given.
        followed_channel=manner if line.watched else "listen",
    )


def _audience(channel: Any) -> records.Audience:
    # Nothing beside it: `all() and perm(Admin)` lets nobody in but admins.
    is_open = channel.locks.get("listen").replace(" ", "") == "listen:all()"
    return audience.PUBLIC if is_open else sorted(hearers(channel))
