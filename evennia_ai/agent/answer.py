"""From the mind's words to the room: the answer, a line meanwhile, an excuse without one."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import inlineCallbacks
from twisted.python import log

from evennia_ai import permission, rate_limits, scheduling
from evennia_ai.agent import speech, trace
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.turn import Turn
from evennia_ai.core import languages, records
from evennia_ai.core.languages import EXCUSES
from evennia_ai.core.records import Event
from evennia_ai.domain import classification
from evennia_ai.domain.model_text import reply, spoken
from evennia_ai.domain.model_text.spoken import Said
from evennia_ai.exceptions import PermissionUnclear, WordsRefused
from evennia_ai.memory import lookup, persona, working_memory
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.permission import Permit, Way
from evennia_ai.rate_limits import Limit

# How alike two replies may be (0 to 1, by shared words) before the assistant thinks again.
SIMILARITY = 0.9
# Seconds after which a thinking line is shown to whoever waits, and how often at most.
THINKING_AFTER = 2.0
THINKING_EVERY = 30.0
# Own lines that a new reply is compared with.
REMEMBERED_REPLIES = 3


@inlineCallbacks
def give(turn: Turn, answer: Said):
    """Say what the mind wrote; what stands in *asterisks* is done, where all may see it.

    What is for somebody who is not there goes to whoever speaks, who may know all of this turn.
    """
    if not turn.reason.speaks:
        turn.finish()
        return
    deeds: list[tuple[str, str, int]] = []
    there = {turn.name_of(obj): obj.id for obj in turn.listeners()}
    are_shown = not (turn.event.channel or turn.character is None or turn.is_for_few())
    for whom, words, gestures in answer.parts:
        if gestures and (are_shown or not words):
            deeds.append(("pose", ", ".join(gestures), 0))
        hearer = 0 if whom is None else there.get(whom, turn.speaker.id if turn.speaker else 0)
        if words and (whom is None or hearer):
            deeds.append(("say" if whom is None else "whisper", words, hearer))
    if not deeds:
        yield excuse(turn, ValueError("there is nothing to say"), lines="fallback_lines")
    for kind, words, target_id in deeds:
        yield turn.speak(kind, words, lookup.object_by_id(target_id))


@inlineCallbacks
def excuse(turn: Turn, error: Exception, *, lines: str):
    """Say a line in character because no answer came; staff read why in the log."""
    if active_assistants.is_closing():
        return
    turn.excused = True
    turn.warn(f"no answer: {type(error).__name__}: {error}")
    if turn.script:
        assistant.count(turn.script, "excuses")
    npc = turn.character
    # Neither another assistant nor a whole channel that did not ask for it needs to hear it.
    unasked = (
        turn.event.hops
        or turn.event.kind == records.OCCASION
        or turn.event.rule == classification.FOLLOWED
    )
    if turn.is_over or npc is None or turn.why_silent() or unasked:
        turn.finish()
        return
    written = _lines(npc, lines)
    line = reply.pick(written, zlib.crc32(turn.id.encode()), avoid=_said_lately(turn))
    # Where it is not clear what may be said, nothing is.
    if not line or isinstance(error, PermissionUnclear):
        turn.finish()
        return
    try:
        yield turn.speak("say", line)
    except WordsRefused:
        turn.finish()


def is_repeat(turn: Turn, answer: Said | None) -> bool:
    """True if a model's answer nearly repeats one of its last lines to this speaker."""
    is_said = answer is not None and turn.reason.speaks and turn.llm.is_model
    alike = (reply.similarity(answer.text, line) for line in _said_lately(turn) if is_said)
    return any(share >= SIMILARITY for share in alike)


def think_aloud_later(turn: Turn) -> Any:
    """Show whoever waits a thinking line if the answer takes long; return the delayed call."""
    return scheduling.clock().callLater(THINKING_AFTER, _think_aloud, turn)


def acknowledge(npc: Any, event: Event) -> None:
    """Show whoever spoke at once that they were noticed: a nod, a look up; the builder's list."""
    beats, speaker = persona.load_persona(npc)["beats"], lookup.object_by_id(event.actor_id)
    unasked = event.channel or event.hops or event.kind == records.OCCASION
    if unasked or not beats or speaker is None:
        return
    # A nod that is read out only keeps the words waiting.
    if presence.is_read_aloud(speaker) or not _may_show("beat", npc, speaker):
        return
    action = reply.pick(beats, zlib.crc32(event.id.encode()))
    _show(npc, speaker, action, kind="pose")


def sleep_talk(npc: Any, event: Event) -> None:
    """Let one that sleeps mumble or snore at whoever spoke to it; no mind is asked."""
    speaker = lookup.object_by_id(event.actor_id)
    if event.channel or event.hops or speaker is None:
        return
    is_there = speaker.location == npc.location
    if (not is_there and event.kind != "tell") or active_assistants.is_closing():
        return
    written = _lines(npc, "sleepy_lines")
    # From afar nobody is seen to turn over.
    lines = [line for line in written if is_there or not spoken.stage_direction(line)]
    line = reply.pick(lines, zlib.crc32(event.id.encode()))
    if not line or not _may_show("sleep talk", npc, speaker):
        return
    action = spoken.stage_direction(line)
    kind = "pose" if action else event.kind if event.private else "say"
    when_permitted(
        action or line,
        _finder(npc, speaker, kind, aloud=kind in ("say", "pose")),
        lambda permit, way: speech.utter(permit, way, hops=1, payer=event.payer),
    )


def _lines(npc: Any, kind: str) -> list[str]:
    """Return an NPC's own lines of a kind, else those of its language."""
    written = persona.load_persona(npc)
    if written.get(kind):
        return list(written[kind])
    code, _ = persona.language_of(written["language"])
    spoken = languages.spoken(code) or languages.DEFAULT
    return list(languages.load(spoken).excuses.get(kind) or EXCUSES[kind])


def _think_aloud(turn: Turn) -> None:
    npc, speaker = turn.character, turn.speaker
    unasked = turn.event.channel or turn.event.kind == records.OCCASION
    if unasked or npc is None or speaker is None or turn.why_silent():
        return
    written = _lines(npc, "thinking_lines")
    line = reply.pick(written, zlib.crc32(turn.id.encode()))
    if line and _may_show("thinking line", npc, speaker):
        _show(npc, speaker, line, kind="thinking")


def _show(npc: Any, speaker: Any, words: str, *, kind: str) -> None:
    """Show one person what an NPC does: in a thinking line `{name}` is the NPC."""

    def show(permit: Permit, way: Way) -> None:
        name = way.npc.get_display_name(way.target)
        if kind == "thinking":
            text = permit.words.replace("{name}", name)
        else:
            text = f"{name} {speech.escaped(permit.words)}"
        way.target.msg(text=(text, {"type": kind}), from_obj=way.npc)
        trace.note_uttered(way.npc.id, kind, permit.words, way.hearers)

    when_permitted(words, _finder(npc, speaker, kind, aloud=False), show)


def _finder(npc: Any, speaker: Any, kind: str, *, aloud: bool) -> Callable[[], Any]:
    """Return what finds the way from an NPC to somebody; who is beside it must stay there."""
    npc_id, speaker_id, near = npc.id, speaker.id, speaker.location == npc.location

    def find_way() -> Way | None:
        npc, speaker = lookup.object_by_id(npc_id), lookup.object_by_id(speaker_id)
        if npc is None or speaker is None or active_assistants.is_closing():
            return None
        if near and speaker.location != npc.location:
            return None
        return Way(npc, kind, speaker, presence.listeners(npc) if aloud else [speaker])

    return find_way


def when_permitted(
    words: str, find_way: Callable[[], Any], do: Callable[[Permit, Way], None]
) -> None:
    """Ask whether a line of no turn may be shown, and do so if there is still a way."""
    obtained = permission.obtain(words, find_way)
    obtained.addCallback(lambda found: found and do(*found))
    obtained.addErrback(lambda failure: failure.trap(WordsRefused))
    obtained.addErrback(log.err, "evennia_ai: a line was not shown")


def _said_lately(turn: Turn) -> list[str]:
    npc = turn.character
    if npc is None or not turn.event.said_by:
        return []
    lines = working_memory.lines_with(npc, turn.event.said_by)
    said = [line.text for line in lines if line.mine and line.kind in records.SPOKEN]
    return said[-REMEMBERED_REPLIES:]


def _may_show(what: str, npc: Any, speaker: Any) -> bool:
    """Return whether something for the waiting may be shown again, and note that it is."""
    return rate_limits.take(Limit((what, npc.id, speaker.id), seconds=THINKING_EVERY))
