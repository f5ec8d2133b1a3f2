"""Compaction: a summary replaces old lines of a talk, after they were looked at once more.

The lines of each audience are dealt with apart. Nothing goes that tells something which the journal
does not have.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple

import msgspec
from twisted.internet.defer import inlineCallbacks, maybeDeferred
from twisted.python import log

from evennia_ai import conf, scheduling
from evennia_ai.agent import ingest, speech
from evennia_ai.core.records import Audience, age_seconds
from evennia_ai.core.talk import Conversation, Line
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import promises
from evennia_ai.domain.sleeping import compaction_rules
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.memory import lookup, persona, working_memory
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.sleep import extraction, summaries
from evennia_ai.sleep.extraction import Talk

# Hours after which a conversation whose words are all in the journal is let go.
STALE_HOURS = 24
# Summaries, and looks at old lines, of one tick; what is left waits for the next.
GROUPS_PER_TICK = 3


# The conversations of one mind are summed up once at a time.
SUMMING_UP = "compaction"


class Work(NamedTuple):
    """For whom, and how thoroughly: plain data that may be held while a mind thinks."""

    script_id: int
    character_id: int
    npc: str
    emergency: bool
    threshold: float
    preserve: int
    fewest: int


def count_conversation_tokens(
    history: Iterable[Line | Mapping[str, Any]], model: str | None = None
) -> int:
    """Return about how many tokens a conversation takes in a prompt.

    The estimate needs no tokenizer, and is the same for each `model`.
    """
    return compaction_rules.count_tokens(history)


def needs_compaction(script: Any, character: Any) -> bool:
    """Return whether a conversation that has grown since this was last asked is nearly too long.

    Made to be asked at each tick: who has said nothing meanwhile costs nothing.
    """
    grown = working_memory.take_grown(character)
    if not grown or scheduling.is_under_way(SUMMING_UP, script.id):
        return False
    work = _work(script, character, force=False)
    return work is not None and any(_is_due(character, who, work) for who in grown)


def compact_in_background(script: Any, character: Any) -> None:
    """Sum up what is nearly too long while the assistant goes on; a failure is logged."""
    work = maybeDeferred(compact_conversation_history, script, character)
    name = f"{character}(#{character.id})"
    work.addErrback(log.err, f"evennia_ai: the conversations of {name} were not summed up")


@inlineCallbacks
def compact_conversation_history(script: Any, character: Any, force: bool = False):
    """Let summaries take the place of the oldest lines of conversations that are too long.

    Asleep, at 70 % of the room that a conversation has; awake it is an emergency, at 80 % (setting
    COMPACT): then rules do what no model does. `force` does it whatever the size. Returns
    {"summaries", "lines", "waiting"}, and "error" if no mind answered; `waiting` says whether lines
    tell what is not in the journal yet: `run_pre_compaction_extraction` comes first.
    """
    done: dict[str, Any] = {"summaries": 0, "lines": 0, "waiting": False}
    work = _work(script, character, force=force)
    if work is None or not scheduling.begin(SUMMING_UP, work.script_id):
        return done
    try:
        for who in _due(character, work):
            yield _compact_one(work, who, done)
    except (BudgetExceeded, LLMUnavailable) as error:
        done["error"] = str(error)
    finally:
        scheduling.end(SUMMING_UP, work.script_id)
    return done


@inlineCallbacks
def generate_context_summary(script: Any, messages_to_compact: Iterable[Line | Mapping[str, Any]]):
    """Return what messages with one person say in short, in the third person.

    Whoever may know all of the messages may know it, and nobody else.

    Raises:
        BudgetExceeded: The tokens of this night or day are spent.
        LLMUnavailable: No answer came.
    """
    npc = script.obj
    messages = list(map(_line, messages_to_compact))
    known = audiences.intersection(one.audience for one in messages)
    name = speech.name_of(npc, npc)
    talk = Talk(script.id, npc.id, "", _person(messages), name, known, messages)
    return (yield summaries.ask(talk))


@inlineCallbacks
def run_pre_compaction_extraction(script: Any, character: Any):
    """Give the lines that are about to go one last look: what they tell goes into the journal.

    Returns {"facts", "groups"}, and "error" if no mind answered: then these lines stay.
    """
    done: dict[str, Any] = {"facts": 0, "groups": 0}
    work = _work(script, character, force=False)
    if work is None:
        return done
    for talk in _about_to_go(character, script, work):
        # Each look goes through what the journal has since.
        yield scheduling.yield_to_reactor()
        if not extraction.unsafe(talk):
            continue
        if done["groups"] == GROUPS_PER_TICK:
            break
        try:
            done["facts"] += yield extraction.extract(talk)
        except (BudgetExceeded, LLMUnavailable) as error:
            done["error"] = str(error)
            break
        done["groups"] += 1
    return done


def clear_stale_conversations(
    character: Any, max_age_hours: float | None = None
) -> dict[str, list[str]]:
    """Let go of conversations that ended long ago, and of which nothing would be lost.

    Nothing is left to do for the other, and what they told is in the journal. How well they are
    known is in their profile. Returns {"removed": identities}. The hours are by default those of
    STALE_HOURS.
    """
    removed: list[str] = []
    script = lookup.mind_of(character)
    if script is None:
        return {"removed": []}
    stale = _stale(script, character, max_age_hours)
    told = [message.timestamp for kept in stale.values() for message in kept.messages]
    noted = set(extraction.events_noted(character, since=min(told))) if told else set()
    language, _ = persona.language_of(persona.load_persona(character)["language"])
    for who, kept in stale.items():
        groups = audiences.divided(kept.messages)
        talks = (_talk(character, script, who, known, lines, kept) for known, lines in groups)
        if not any(extraction.unsafe(talk, noted=noted) for talk in talks):
            for one in kept.pending_actions:
                text = promises.note(
                    promises.LAPSED,
                    npc=speech.name_of(character, character),
                    name=_person(kept.messages),
                    action=one.action,
                    language=language,
                )
                ingest.add_entry(character, text, tags=[promises.TAG], sources=one.origins)
            working_memory.remove_conversation(character, who)
            removed.append(who)
    return {"removed": sorted(removed)}


_BARE = {
    "said_by": "",
    "role": "user",
    "name": "",
    "kind": "say",
    "timestamp": "",
    "event_id": "",
    "audience": audiences.PUBLIC,
}


def _line(message: Line | Mapping[str, Any]) -> Line:
    """Return a line that may have come as a chat message."""
    if isinstance(message, Line):
        return message
    # A message that only calls tools has no words.
    return msgspec.convert({**_BARE, **message, "content": message.get("content") or ""}, Line)


def _work(script: Any, character: Any, *, force: bool) -> Work | None:
    """Return what to do for whom, or None where it is switched off."""
    chosen = summaries.settings(script)
    awake = not sleep_state.is_asleep(script)
    threshold = chosen["emergency_threshold"] if awake else chosen["sleep_threshold"]
    work = Work(
        script_id=script.id,
        character_id=character.id,
        npc=speech.name_of(character, character),
        emergency=awake or force,
        threshold=0.0 if force else threshold,
        preserve=chosen["preserve_window"],
        fewest=1 if force else compaction_rules.FEWEST,
    )
    return work if chosen["enabled"] else None


def _due(character: Any, work: Work) -> list[str]:
    """Return with whom conversations are too long, the fullest first."""
    found = {
        who: _fill(kept.messages)
        for who, kept in working_memory.conversations(character).items()
        if _too_long(kept.messages, work)
    }
    return sorted(found, key=lambda who: (-found[who], who))


def _is_due(character: Any, who: str, work: Work) -> bool:
    kept = working_memory.get_conversation_context(character, who)
    return kept is not None and _too_long(kept.messages, work)


def _too_long(messages: list[Line], work: Work) -> bool:
    if len(messages) <= work.preserve or _fill(messages) < work.threshold:
        return False
    return bool(compaction_rules.plan(messages, preserve=work.preserve, fewest=work.fewest))


def _fill(messages: list[Line]) -> float:
    room = conf.get("CONTEXT_TOKENS") * summaries.SHARE
    return compaction_rules.fill(
        messages, token_limit=room, line_limit=working_memory.CONVERSATION_LINES
    )


def _groups(character: Any, script: Any, who: str, work: Work) -> list[Talk]:
    """Return what of a conversation is to go, by who may know it."""
    kept = working_memory.get_conversation_context(character, who)
    if kept is None:
        return []
    planned = compaction_rules.plan(kept.messages, preserve=work.preserve, fewest=work.fewest)
    return [_talk(character, script, who, known, lines, kept) for known, lines in planned]


def _talk(
    character: Any,
    script: Any,
    who: str,
    known: Audience,
    lines: list[Line],
    kept: Conversation,
) -> Talk:
    npc = speech.name_of(character, character)
    return Talk(script.id, character.id, who, _person(kept.messages), npc, known, lines)


def _person(messages: Iterable[Line]) -> str:
    """Return what the other is called in a conversation: as they were last."""
    named = [one.name for one in messages if not one.mine and one.name]
    return named[-1] if named else "Somebody"


def _stale(
    script: Any, character: Any, max_age_hours: float | None = None
) -> dict[str, Conversation]:
    """Return the conversations that ended long ago, without those of guests and of promises."""
    guests = assistant.guests(script)
    hours = STALE_HOURS if max_age_hours is None else max_age_hours
    return {
        who: kept
        for who, kept in working_memory.conversations(character).items()
        if age_seconds(kept.last_message, now=scheduling.now()) > hours * 3600
        and not working_memory.still_pending(kept)
        and who not in guests
    }


def _about_to_go(character: Any, script: Any, work: Work) -> list[Talk]:
    """Return what will be summed up, and what ended long ago, by person and audience."""
    going = [
        talk for who in _due(character, work) for talk in _groups(character, script, who, work)
    ]
    for who, kept in sorted(_stale(script, character).items()):
        groups = audiences.divided(kept.messages)
        going += [_talk(character, script, who, known, lines, kept) for known, lines in groups]
    return going


@inlineCallbacks
def _compact_one(work: Work, who: str, done: dict[str, Any]):
    """Sum up the old lines with one person, each audience apart."""
    script, character = lookup.script_by_id(work.script_id), lookup.object_by_id(work.character_id)
    if script is None or character is None:
        return
    for talk in _groups(character, script, who, work):
        if done["summaries"] >= GROUPS_PER_TICK:
            return
        if work.emergency:
            yield extraction.extract(talk, emergency=True)
        elif extraction.unsafe(talk):
            done["waiting"] = True
            continue
        text = yield summaries.write(talk, emergency=work.emergency)
        if summaries.store(talk, text):
            done["summaries"] += 1
            done["lines"] += len(talk.messages)
        yield scheduling.yield_to_reactor()
