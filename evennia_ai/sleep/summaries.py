"""Writes what was said with somebody in short, and puts it in the place of the words.

A summary is made of messages of one audience alone, so that just that audience may know it,
whatever of them the mind took up. The journal gets it in the transaction in which they go.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from evennia.typeclasses.models import TypedObject
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_asleep, scheduling
from evennia_ai.core.records import Entry, format_time, united
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories import conversation, retrieval, self_reference
from evennia_ai.domain.memories.gossip import SECRET_TAG
from evennia_ai.domain.sleeping import compaction_rules, reflection_rules, summary
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.memory import journal, kinds, lookup, repository, working_memory
from evennia_ai.memory.state import npc_settings, sleep_state
from evennia_ai.sleep import answers, extraction, sleep_llm
from evennia_ai.sleep.extraction import Talk

# The older lines of a conversation become a summary when it fills this part of its room, asleep and awake; the room is
# this share of CONTEXT_TOKENS, and the last lines always stay word for word.
ASLEEP = 0.7
AWAKE = 0.8
SHARE = 0.4
WINDOW = 20
# Tokens of one summary, and about how many words that is.
TOKENS = 200
WORDS = 120
# So few lines are reported as they are, without asking a model.
FEW_LINES = 3


class Compacting(TypedDict):
    """How a mind sums up: what was chosen for it, and when it last did."""

    enabled: bool
    sleep_threshold: float
    emergency_threshold: float
    preserve_window: int
    model: str | None
    prompt: str
    last_compaction: str | None


def settings(script: TypedObject) -> Compacting:
    """Return how a mind sums up its conversations."""
    chosen = npc_settings.of_mind(script)
    asleep, awake = npc_settings.THRESHOLDS
    window, model = chosen.get("compact_preserve_window"), chosen.get("compact_model")
    return {
        "sleep_threshold": _threshold(chosen, asleep, ASLEEP),
        "emergency_threshold": _threshold(chosen, awake, AWAKE),
        "enabled": bool(chosen.get("compact_enabled", True)),
        "preserve_window": window if isinstance(window, int) else WINDOW,
        "model": model if isinstance(model, str) else None,
        "prompt": str(chosen.get("compact_prompt") or ""),
        "last_compaction": sleep_state.kept(script).last_compaction,
    }


@inlineCallbacks
def write(talk: Talk, *, emergency: bool = False):
    """Return what the messages say in short, and what an earlier summary for the same ears said.

    In an emergency, rules write it where no model answers: what is not summed up would be lost,
    line by line, at the next words.

    Raises:
        BudgetExceeded: The tokens of this night or day are spent.
        LLMUnavailable: No answer came, and it is no emergency.
    """
    lines = [one for one in talk.messages if not conversation.is_summary(one)]
    whole = talk._replace(messages=[*_earlier(talk), *talk.messages])
    if len(lines) <= FEW_LINES:
        return _by_rules(whole)
    try:
        return (yield ask(whole))
    except (BudgetExceeded, LLMUnavailable) as error:
        if not emergency:
            raise
        logger.log_warn(f"evennia_ai: {talk.npc} sums up a conversation by rules: {error}")
        return _by_rules(whole)


@inlineCallbacks
def ask(talk: Talk):
    """Return what the mind makes of the messages, as far as they carry it, else what rules make.

    The errors are those of `sleep_llm.ask`.
    """
    script = lookup.script_by_id(talk.script_id)
    chosen = settings(script) if script else {"model": None, "prompt": ""}
    answer = yield sleep_llm.ask(
        talk.script_id,
        "summarise",
        messages=prompts_asleep.summary(
            name=talk.npc,
            person=talk.person,
            words=WORDS,
            lines=extraction.shown_talk(talk),
            own=chosen["prompt"],
        ),
        context=_context(talk),
        answer=answers.shapes().Summary,
        schema=answers.sentences("Summary", least=1),
        alias=chosen["model"] or "",
    )
    if answer.by_rules:
        return answer.summary
    given = answer.summary
    told = retrieval.sentences(" ".join(given.split())) if isinstance(given, str) else given
    true = " ".join(extraction.told_truly(talk.messages, talk.npc, told))
    # What it says of itself there would come back as what it knows.
    text = self_reference.without(true, names=[talk.npc])
    return summary.shortened(text, TOKENS) or _by_rules(talk)


def store(talk: Talk, text: str) -> bool:
    """Put a summary in the place of the messages, and into the journal; False if they are gone.

    Both or neither, whenever the server is killed.
    """
    script = lookup.script_by_id(talk.script_id)
    character = lookup.object_by_id(talk.character_id)
    if script is None or character is None:
        return False
    line = compaction_rules.summary_of(
        talk.messages, text, audience=talk.audience, name=talk.person, who=talk.who
    )
    with repository.together(character, script):
        if not working_memory.replace_lines(character, talk.who, talk.messages, line):
            return False
        if not talk.is_with_guest():
            _note(character, talk, text)
        note_summed(script, now=scheduling.now())
    return True


def _note(character: Any, talk: Talk, text: str) -> None:
    """Let the journal have a summary, in the place of the one that went into it.

    Syntheses are never let go: with one for each night and person, nothing else would have room.
    """
    # Asked about a thing, it should tell of it, and not that it was talked about.
    told = summary.told(text, person=talk.person, npc=talk.npc)
    content = f"{reflection_rules.SYNTHESIS_MARK} {told}"
    before = _entry(character, talk)
    made_of = united(*(line.origins for line in talk.messages))
    secret = [SECRET_TAG] if _is_secret(character, talk, before) else []
    tags = [*compaction_rules.TAGS, *secret]
    if before is not None:
        journal.edit_entry(
            character,
            before.id,
            content=content,
            tags=tags,
            timestamp=scheduling.now(),
            sources=united(before.sources, made_of),
        )
        return
    journal.add_entry(
        character,
        content,
        tags=tags,
        source_type="inference",
        source_entity=talk.person,
        source_id=talk.who,
        importance=compaction_rules.IMPORTANCE,
        audience=talk.audience,
        sources=made_of,
    )


def _is_secret(character: Any, talk: Talk, before: Entry | None) -> bool:
    """Return whether somebody marked as secret what went into a summary."""
    since = min(message.timestamp for message in talk.messages)
    noted = extraction.events_noted(character, since=since)
    words = any(line.secret or noted.get(line.event_id) for line in talk.messages)
    return words or (before is not None and SECRET_TAG in before.tags)


def _earlier(talk: Talk) -> list[Line]:
    """Return the summary of an earlier conversation that is over, and has left the journal's only."""
    character = lookup.object_by_id(talk.character_id)
    if character is None or any(map(conversation.is_summary, talk.messages)):
        return []
    entry = _entry(character, talk)
    if entry is None:
        return []
    text = entry.content.removeprefix(reflection_rules.SYNTHESIS_MARK).strip()
    return [
        compaction_rules.summary_of(
            talk.messages, text, audience=talk.audience, name=talk.person, who=talk.who
        )
    ]


def _entry(character: Any, talk: Talk) -> Entry | None:
    """Return the journal's summary of what was said with this person before the same ears."""
    if not talk.who:
        return None
    found = (
        entry
        for entry in journal.newest_first(character)
        if entry.said_by == talk.who and entry.audience == talk.audience
    )
    return next((entry for entry in found if set(compaction_rules.TAGS) <= set(entry.tags)), None)


def _context(talk: Talk) -> dict[str, Any]:
    return {"lines": talk.lines(), "person": talk.person, "npc": talk.npc, "limit": TOKENS}


def _by_rules(talk: Talk) -> str:
    return summary.summarise(**_context(talk))


def _threshold(chosen: kinds.Plain, name: str, otherwise: float) -> float:
    """Return how full a conversation may be, as it was chosen or as the game has it."""
    own = chosen.get(name)
    return float(own) if isinstance(own, (int, float)) else otherwise


def note_summed(script: TypedObject, *, now: datetime) -> None:
    """Note when a conversation was last summed up."""
    sleep_state.note(script, last_compaction=format_time(now))
