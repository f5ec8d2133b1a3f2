"""Delivery of an answer: the way that words take out of a turn, to whom and how openly, and the memory of them.

Whether they may be said is asked before (`permission`), and what stands here is looked at again
afterwards: while somebody thinks about it people come and go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, permission
from evennia_ai.agent import ingest, speech
from evennia_ai.agent.hearing import addressing, channel_talk, presence
from evennia_ai.core import records
from evennia_ai.core.records import Source
from evennia_ai.domain import audience
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import ToolError, WordsRefused
from evennia_ai.memory import identity, lookup, repository, working_memory
from evennia_ai.memory.state import active_assistants, assistant, channels
from evennia_ai.permission import Way

if TYPE_CHECKING:
    from evennia_ai.agent.turn import Turn


@inlineCallbacks
def speak(turn: Turn, kind: str, words: str, target: Any = None):
    """Say, whisper or pose; return whether it was done. See `Turn.speak`."""
    words = reply.printable(words, max_length=permission.longest())
    if not words:
        raise ToolError(f"There is nothing to {kind}: the words are empty.")
    if reply.recites(words, getattr(turn.scene(), "instructions", "")):
        raise ToolError("Say it in character: nobody in the game knows of your instructions.")
    if turn.event.channel:
        words, mark = _for_channel(kind, words)
        find_way = partial(_way_on_channel, turn, words, mark)
    else:
        find_way = partial(_way_in_room, turn, kind, words, target.id if target else 0)
    return (yield _said(turn, words, find_way, turn.audience))


@inlineCallbacks
def tell_on(turn: Turn, words: str, target: Any, *, hearsay: Hearsay):
    """Whisper what one person was released to know; return whether it was done."""
    find_way = partial(_way_to_tell_on, turn, target.id)
    return (yield _said(turn, words, find_way, audience.PUBLIC, hearsay=hearsay))


@inlineCallbacks
def _said(
    turn: Turn,
    words: str,
    find_way: Callable[[], Way | None],
    known: records.Audience,
    *,
    hearsay: Hearsay | None = None,
):
    """Say words if they may be said; return whether it was done."""
    try:
        obtained = yield permission.obtain(words, find_way)
    except WordsRefused as refused:
        turn.record.refused.append((words, str(refused)))
        raise
    if obtained is None:
        return False
    permit, way = obtained
    by_itself = turn.event.kind == records.OCCASION and turn.script is not None
    if by_itself and assistant.said_by_itself(turn.script, permit.words):
        turn.finish()
        turn.notes.append("said nothing: it has said that by itself before")
        return False
    if permit.words != words:
        turn.record.refused.append((words, "MAY_SAY put other words in their place"))
    # What is uttered leaves the server in the next pass of the reactor, and by then all of it is written: a crash
    # can neither answer twice nor forget the answer.
    with repository.together(*filter(None, [way.npc, turn.script])):
        turn.finish()
        to = way.target.id if way.target and way.kind != "channel" else 0
        made_of = hearsay.sources if hearsay else turn.origins()
        caused = {**turn.caused(), "sources": made_of}
        speech.utter(permit, way, hearsay=hearsay, turn_id=turn.id, to=to, **caused)
        if way.kind != "channel" and way.npc.location is not None:
            # It does not hear itself.
            presence.note_spoken(way.npc.location.id)
        turn.spoken.append(permit.words)
        if by_itself:
            assistant.note_said_by_itself(turn.script, permit.words)
        turn.record.said.append((way.kind, permit.words, way.target.id if way.target else 0))
        _remember_said(turn, way, permit.words, known, made_of, is_own=hearsay is None)
    return True


def _able(turn: Turn, words: str, why_not: str = "") -> Any:
    """Return the body if it may speak now, else None after having noted why not."""
    if active_assistants.is_closing():
        # The events stay where they are stored, and are answered after the restart.
        return None
    npc, reason = turn.character, turn.why_silent() or turn.why_kept() or why_not
    if npc is None or reason:
        turn.finish()
        _remember_unsaid(turn, words, reason or "it was gone")
        return None
    return npc


def _way_on_channel(turn: Turn, words: str, mark: str) -> Way | None:
    npc = _able(turn, words)
    if npc is None:
        return None
    channel = channels.find(turn.event.channel)
    return Way(npc, "channel", channel, list(channel.subscriptions.online()), mark)


def _way_in_room(turn: Turn, kind: str, words: str, target_id: int) -> Way | None:
    npc, target = turn.character, lookup.object_by_id(target_id)
    is_gone = target_id and npc and (target is None or target.location != npc.location)
    npc = _able(turn, words, "whoever it was for had left" if is_gone else "")
    if npc is None:
        return None
    kind, target = _how(turn, kind, target, npc)
    hearers = [target] if kind in records.PRIVATE else presence.listeners(npc)
    return Way(npc, kind, target, hearers)


def _how(turn: Turn, kind: str, target: Any, npc: Any) -> tuple[str, Any]:
    """Return how and to whom it is said: never more openly than what it draws on allows."""
    speaker = turn.speaker
    if turn.event.kind == "tell" and kind != "pose":
        return "tell", speaker
    if kind == "whisper" and target is not None and target != speaker:
        told = [identity.perceived(npc, target)]
        allowed = not turn.private and audience.may_know(turn.audience, told)
        return ("whisper", target) if allowed else ("whisper", speaker)
    if speaker and turn.is_for_few():
        return "whisper", speaker
    return kind, target or speaker


def _way_to_tell_on(turn: Turn, target_id: int) -> Way | None:
    if active_assistants.is_closing():
        return None
    npc, target = turn.character, lookup.object_by_id(target_id)
    reason = turn.why_silent() or ("" if target else "whoever it was for was gone")
    if npc is None or reason:
        # What was not said is not kept as a thought: it is not for all who may know this turn.
        turn.finish()
        turn.notes.append(f"did not tell on: {reason}")
        return None
    from_afar = turn.event.kind == "tell" and target == turn.speaker
    # Whoever was just heard hears, also one whom no session plays.
    hears = target == turn.speaker or presence.can_hear(target)
    in_earshot = target.location == npc.location and hears
    if turn.event.channel or not (from_afar or in_earshot):
        raise ToolError(f"{turn.name_of(target)} would not hear you whisper.")
    return Way(npc, "tell" if from_afar else "whisper", target, [target])


def _for_channel(kind: str, words: str) -> tuple[str, str]:
    """Return the words for a channel, and the mark that goes before them."""
    if kind == "whisper":
        raise ToolError("You cannot whisper on a channel: everybody there reads what you say.")
    bare = words.lstrip("".join(channel_talk.POSE_MARKS)).strip()
    if not bare:
        raise ToolError("There is nothing to say: the words are empty.")
    return bare, channel_talk.POSE_MARKS[0] if kind == "pose" else ""


def _remember_said(
    turn: Turn,
    way: Way,
    words: str,
    known: records.Audience,
    sources: list[Source],
    *,
    is_own: bool,
) -> None:
    npc, kind, target = way.npc, way.kind, way.target
    on_channel = kind == "channel"
    to_one = target and not on_channel
    listener = identity.perceived(npc, target) if to_one else turn.event.said_by
    if not listener:
        return
    if on_channel:
        known = audience.intersection([known, turn.event.audience])
    elif kind in records.PRIVATE:
        known = audience.intersection([known, sorted({listener, turn.identity})])
    else:
        known = audience.intersection([known, of_room(turn, npc)])
    _store_line(turn, listener, kind, words, known, sources)
    # Who was spoken to has not answered yet.
    if listener == turn.event.said_by and turn.event.kind != records.OCCASION:
        turn.exchanged = True
    if turn.speaker and not on_channel:
        asks = turn.event.kind == records.OCCASION or "?" in "".join(turn.spoken)
        addressing.answered(npc, turn.speaker.id, asks=asks, aloud=kind not in records.PRIVATE)


def of_room(turn: Turn, npc: Any) -> records.Audience:
    """Return who may know what is said or done aloud where it is."""
    if conf.get("ROOM_TALK") == "public" and not presence.is_secluded(npc.location):
        return audience.PUBLIC
    return sorted({*presence.hearers(npc), turn.identity})


def remember_done(turn: Turn, text: str, *, gift: str = "") -> None:
    """Remember what was done by a tool, which all who are there saw, in the talk that it belongs to.

    `gift` says it in a sentence of its own, for the journal: what was given away is asked for later.
    """
    npc = turn.character
    if npc is None or turn.event.channel:
        return
    known = of_room(turn, npc)
    if turn.event.said_by:
        _store_line(turn, turn.event.said_by, "pose", text, known)
    if gift and turn.may_keep():
        ingest.add_entry(npc, gift, tags=["give"], audience=known, sources=turn.origins())


def _remember_unsaid(turn: Turn, words: str, reason: str) -> None:
    turn.notes.append(f"said nothing: {reason}")
    if turn.character is not None and turn.event.said_by:
        known = audience.intersection([turn.audience, turn.event.audience])
        text = f"(thought, but did not say, because {reason}: {words})"
        _store_line(turn, turn.event.said_by, "thought", text, known)


def _store_line(
    turn: Turn,
    listener: str,
    kind: str,
    text: str,
    known: records.Audience,
    sources: list[Source] | None = None,
) -> None:
    npc = turn.character
    if not turn.is_remembered():
        return
    by_rules = turn.by_rules or turn.excused
    line = working_memory.own_line(
        npc,
        kind,
        text,
        name=turn.name,
        audience=known,
        by_rules=by_rules,
        sources=turn.origins() if sources is None else sources,
    )
    working_memory.add_line(npc, listener, line)
