"""Speaking as an assistant: words of staff in its voice, which it remembers."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, permission
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import channel_talk, presence
from evennia_ai.core.records import GAME, Source
from evennia_ai.domain import audience
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import WordsRefused
from evennia_ai.memory import identity, lookup, routine, working_memory
from evennia_ai.permission import Way


@inlineCallbacks
def speak_for(npc: Any, words: str, *, payer: int):
    """Let an assistant say words aloud, or do them if they begin with ":"; return why not, else "".

    What other assistants answer counts on the account `payer`.
    Its mind need not be on. What it said it remembers as said to whoever it spoke with last of those
    who are there.
    """
    reason = _why_not(npc)
    if reason:
        return reason
    kind = "pose" if words.startswith(channel_talk.POSE_MARKS) else "say"
    bare = words.lstrip("".join(channel_talk.POSE_MARKS)) if kind == "pose" else words
    text = reply.printable(bare, max_length=permission.longest()).strip()
    if not text:
        return "the words are empty"
    npc_id = npc.id
    try:
        obtained = yield permission.obtain(text, lambda: _way(npc_id, kind))
    except WordsRefused as refused:
        return str(refused)
    if obtained is None:
        return "it cannot any more"
    permit, way = obtained
    speech.utter(permit, way, payer=payer)
    _remember(way.npc, kind, permit.words)
    return ""


def _way(npc_id: int, kind: str) -> Way | None:
    npc = lookup.object_by_id(npc_id)
    able = npc is not None and not _why_not(npc)
    return Way(npc, kind, None, presence.listeners(npc)) if able else None


def _why_not(npc: Any) -> str:
    if presence.is_puppeted(npc):
        return "somebody is playing it"
    if npc.location is None:
        return "it is nowhere"
    return "" if routine.can_act(npc) else "it cannot act"


def _remember(npc: Any, kind: str, text: str) -> None:
    present = presence.hearers(npc)
    listener = max(present, key=lambda who: (_last_spoken(npc, who), who), default="")
    if not listener:
        return
    known = audience.of_speech(
        kind,
        speaker=identity.identity_of(npc),
        listener=listener,
        present=present,
        public=conf.get("ROOM_TALK") == "public" and not presence.is_secluded(npc.location),
    )
    name = speech.name_of(npc, npc)
    line = working_memory.own_line(
        npc, kind, text, name=name, audience=known, sources=[Source(GAME)]
    )
    working_memory.add_line(npc, listener, line)


def _last_spoken(npc: Any, who: str) -> str:
    lines = working_memory.lines_with(npc, who)
    return lines[-1].timestamp if lines else ""
