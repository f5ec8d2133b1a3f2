"""From the mind's words to the room: the answer, a line meanwhile, an excuse without one."""

from __future__ import annotations

import zlib
from typing import Any

from evennia_ai import conf, pace, prompts
from evennia_ai.agent import speech
from evennia_ai.agent.turn import Turn
from evennia_ai.core.records import Event
from evennia_ai.domain import classification, reply
from evennia_ai.memory import assistant, lookup, persona, roster, working_memory

# Own lines that a new reply is compared with.
REMEMBERED_REPLIES = 3

# (npc id, speaker id) → when the last thinking line, or beat, was shown
_pondered: dict[tuple[int, int], float] = {}
_beaten: dict[tuple[int, int], float] = {}
_murmured: dict[tuple[int, int], float] = {}


def give(turn: Turn, words: str) -> None:
    """Say what the mind wrote, cleaned; a line in *asterisks* is done instead of said."""
    lines = reply.clean(
        words,
        name=turn.name,
        max_lines=conf.get("REPLY_LINES"),
        max_length=conf.get("REPLY_LINE_LENGTH"),
    )
    if not lines:
        excuse(turn, ValueError("the model answered with nothing to say"), lines="FALLBACK_LINES")
        return
    if turn.recites(" ".join(lines)):
        excuse(turn, ValueError("the model recited its instructions"), lines="FALLBACK_LINES")
        return
    action = reply.stage_direction(lines[0]) if len(lines) == 1 else None
    if action:
        turn.speak("pose", action)
    else:
        turn.speak("say", " ".join(lines))


def excuse(turn: Turn, error: Exception, *, lines: str) -> None:
    """Say a line in character because no answer came; staff read why in the log."""
    if roster.is_closing():
        return
    turn.excused = True
    turn.warn(f"no answer: {type(error).__name__}: {error}")
    if turn.script:
        assistant.count(turn.script, "excuses")
    npc = turn.character
    # Neither another assistant nor a whole channel that did not ask for it needs to hear it.
    unasked = turn.event.hops or turn.event.rule == classification.FOLLOWED
    if turn.is_over or npc is None or turn.why_silent() or unasked:
        turn.finish()
        return
    own = persona.load_persona(npc)["fallback_lines"] if lines == "FALLBACK_LINES" else []
    line = reply.pick(
        own or conf.get(lines), zlib.crc32(turn.id.encode()), avoid=_said_lately(turn)
    )
    if line:
        turn.speak("say", line)
    else:
        turn.finish()


def is_repeat(turn: Turn, words: str) -> bool:
    """Return whether a model is about to say what it said a moment ago."""
    return turn.llm.is_model and reply.is_repeat(
        words, _said_lately(turn), threshold=conf.get("REPLY_SIMILARITY")
    )


def other_words(words: str) -> dict[str, Any]:
    """Return the message that asks for other words."""
    return {"role": "user", "content": prompts.say_it_differently(text=words)}


def think_aloud_later(turn: Turn) -> Any:
    """Show whoever waits a thinking line if the answer takes long; return the delayed call."""
    return pace.clock().callLater(conf.get("THINKING_AFTER"), _think_aloud, turn)


def beat(npc: Any, event: Event) -> None:
    """Show whoever spoke at once that they were noticed: a nod, a look up; the builder's list."""
    beats, speaker = persona.load_persona(npc)["beats"], lookup.object_by_id(event.actor_id)
    if event.channel or event.hops or not beats or speaker is None:
        return
    if not _may_show(_beaten, npc, speaker):
        return
    action = reply.pick(beats, zlib.crc32(event.id.encode()))
    text = f"{npc.get_display_name(speaker)} {speech.escaped(action)}"
    speaker.msg(text=(text, {"type": "pose"}), from_obj=npc)


def murmur(npc: Any, event: Event) -> None:
    """Let one that sleeps mumble or snore at whoever spoke to it; no mind is asked."""
    speaker = lookup.object_by_id(event.actor_id)
    if event.channel or event.hops or speaker is None:
        return
    is_there = speaker.location == npc.location
    if (not is_there and event.kind != "tell") or roster.is_closing():
        return
    written = persona.load_persona(npc)["sleepy_lines"] or conf.get("SLEEPY_LINES")
    # From afar nobody is seen to turn over.
    lines = [line for line in written if is_there or not reply.stage_direction(line)]
    line = reply.pick(lines, zlib.crc32(event.id.encode()))
    if not line or not _may_show(_murmured, npc, speaker):
        return
    action = reply.stage_direction(line)
    kind = "pose" if action else event.kind if event.private else "say"
    speech.utter(npc, kind, action or line, target=speaker, hops=1)


def _think_aloud(turn: Turn) -> None:
    npc, speaker = turn.character, turn.speaker
    if npc is None or speaker is None or turn.event.channel or turn.why_silent():
        return
    written = persona.load_persona(npc)["thinking_lines"] or conf.get("THINKING_LINES")
    line = reply.pick(written, zlib.crc32(turn.id.encode()))
    if line and _may_show(_pondered, npc, speaker):
        text = line.replace("{name}", npc.get_display_name(speaker))
        speaker.msg(text=(text, {"type": "thinking"}), from_obj=npc)


def _said_lately(turn: Turn) -> list[str]:
    npc = turn.character
    if npc is None or not turn.event.said_by:
        return []
    lines = working_memory.lines_with(npc, turn.event.said_by)
    return [line["text"] for line in lines if line["mine"]][-REMEMBERED_REPLIES:]


def forget() -> None:
    """Forget who was shown what."""
    _pondered.clear()
    _beaten.clear()
    _murmured.clear()


def _may_show(shown: dict[tuple[int, int], float], npc: Any, speaker: Any) -> bool:
    """Return whether something for the waiting may be shown again, and note that it is."""
    key, now = (npc.id, speaker.id), pace.clock().seconds()
    if now - shown.get(key, float("-inf")) < conf.get("THINKING_EVERY"):
        return False
    shown[key] = now
    return True
