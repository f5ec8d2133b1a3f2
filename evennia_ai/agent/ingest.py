"""Ingestion of what is perceived: a line goes into the conversation, into the journal where it is worth it, a promise is
waited for."""

from __future__ import annotations

from itertools import islice
from typing import Any

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.prompting import said_here
from evennia_ai.core import records
from evennia_ai.core.records import Entry, Event
from evennia_ai.core.talk import Line, line_of
from evennia_ai.domain import classification
from evennia_ai.domain.memories import (
    conversation,
    news_rules,
    passages,
)
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.offline import reading
from evennia_ai.domain.sleeping import importance
from evennia_ai.domain.sleeping.reflection_rules import ECHO_TAG, TAKEN_BACK_TAG
from evennia_ai.lifecycle.store_handlers import Gone
from evennia_ai.memory import identity, journal, lookup, repository, working_memory
from evennia_ai.memory.people import accounts, entity_profiles, heard
from evennia_ai.memory.state import assistant, reflection_state

# Favorability that meeting again adds, however much is said: familiarity, no more. What was said
# must leave room for praise and blame within what a day may change.
FAMILIARITY = 0.02
# Seconds after which talking with somebody is meeting them again.
MEETING_SECONDS = 3600
# Importance of small talk at most, and entries in which it is looked for what was said before.
SMALL_TALK, JOURNAL_LIMIT = 3, 200


def keep(npc: Any, script: Any, event: Event, *, hearsay: Hearsay | None = None) -> None:
    """Remember an event; what a guest says, or who opted out, is remembered for their visit only.

    Of `hearsay` the journal keeps the bare words, and whom they came through.
    """
    actor, is_new = lookup.object_by_id(event.actor_id), False
    is_visit = actor is not None and accounts.is_passing(actor)
    lines = working_memory.lines_with(npc, event.said_by) if event.said_by else []
    before = conversation.said_lately(event, lines)
    is_said_again = _is_said_again(npc, event, before)
    if event.said_by:
        if _is_repeating(event, actor):
            heard.note_mind(npc, event.said_by)
        # What is said again stands where it was told first.
        line = structs.replace(line_of(event), extracted=is_said_again)
        is_new = working_memory.add_line(npc, event.said_by, line)
    if event.said_by and actor is not None:
        _make_way(npc, script, event.said_by, actor, is_new=is_new)
    if is_visit:
        assistant.note_guest(script, event.said_by, actor.id)
    elif _is_repeating(event, actor) and not assistant.may_keep(npc, script, ()):
        # It may be from who is not to be remembered.
        return
    elif hearsay is not None and news_rules.knows(journal.newest_first(npc), hearsay.text):
        # Who overhears what they know has heard nothing new.
        return
    elif is_said_again and hearsay is None:
        return
    elif conversation.is_worth_keeping(
        event, names=[npc.key], asked=lambda: _asked_before(npc, event)
    ):
        _note(npc, script, event, hearsay)


def add_entry(character: Any, content: str, **fields: Any) -> Entry:
    """Note something in the journal, as what is heard is: it counts towards the next reflection.

    `fields` are those of `memory.journal.add_entry`, whose errors are raised here, too. Sleep copies it to
    long-term memory, and until then it is found by meaning beside what is there.
    """
    script = lookup.mind_of(character)
    with repository.together(character, *filter(None, [script])):
        entry = journal.add_entry(character, content, **fields)
        if script is not None:
            reflection_state.note_entry(script, entry)
    return entry


def note_exchange(npc: Any, event: Event) -> None:
    """Note that the assistant talked with somebody; to meet them again makes them familiar."""
    if not event.said_by or not npc.pk:
        return
    entity = lookup.object_by_id(event.actor_id) or event.said_by
    known = entity_profiles.find_profile(npc, entity)
    met = known.last_interaction if known and known.relationship.interaction_count else ""
    again = not met or records.age_seconds(met, now=scheduling.now()) > MEETING_SECONDS
    entity_profiles.update_relationship(npc, entity, FAMILIARITY if again else 0.0, "talked")


def forget_departed_guests(npc: Any, script: Any) -> None:
    """Forget the guests whose visit has ended; the next one of that name is somebody else."""
    for who, object_id in assistant.guests(script).items():
        guest = lookup.object_by_id(object_id)
        if guest is None or not guest.sessions.count():
            _forget_guest(npc, script, who)


def forget_guests(npc: Any, script: Any) -> None:
    """Forget all guests: a mind that goes off would not see them leave."""
    for who in assistant.guests(script):
        _forget_guest(npc, script, who)


def _forget_guest(npc: Any, script: Any, who: str) -> None:
    with repository.together(npc, script):
        _forget_words_of(npc, script, who)
        entity_profiles.forget_entity(npc, who)
        waiting = [one.id for one in assistant.pending_events(script) if one.said_by == who]
        assistant.remove_pending(script, waiting)
        assistant.forget_guest(script, who)


def _forget_words_of(npc: Any, script: Any, who: str) -> None:
    """Forget what rests on the words of a visitor; what they told when they were remembered stays."""
    from evennia_ai.agent.revising import forgetting  # it needs `Turn`

    forgetting.forget_resting_on(npc, script, Gone(frozenset([who]), made_only=True))


def _is_said_again(npc: Any, event: Event, before: list[Line]) -> bool:
    """Return whether somebody says once more what stands: they have not taken it back, nor is it what others ask."""
    told = {line.event_id for line in conversation.repeated(event, before)}
    if not told:
        return False
    noted = islice(journal.newest_first(npc), JOURNAL_LIMIT)
    if any(TAKEN_BACK_TAG in one.tags for one in noted if one.event_id in told):
        return False
    # "Not before spring" is something else for each question.
    others = [one for one in said_here.with_people(npc, event) if not one.mine]
    return not (passages.is_short(event.text) and conversation.asked_before(others, event))


def _asked_before(npc: Any, event: Event) -> str:
    """Return what was asked of whoever has just given a short answer."""
    if not (event.said_by and passages.is_short(event.text)):
        return ""
    lines = [one for one in said_here.with_people(npc, event) if one.event_id != event.id]
    return conversation.asked_before(lines, event)


def _note(npc: Any, script: Any, event: Event, hearsay: Hearsay | None) -> None:
    entry = journal.add_entry(
        npc,
        hearsay.text if hearsay else conversation.narrated(event),
        source_type=event.source_type,
        source_trust=event.source_trust,
        source_entity=event.actor_name,
        source_id=event.said_by,
        audience=event.audience,
        event_id=event.id,
        importance=_importance(npc, event, hearsay),
        tags=[
            event.kind,
            *([ECHO_TAG] if _is_echo(event, hearsay) else []),
            *([news_rules.NEWS_TAG] if hearsay and hearsay.is_news else []),
        ],
        chain=hearsay.chain if hearsay else (),
        sources=event.sources and event.origins,
    )
    reflection_state.note_entry(script, entry)


def _importance(npc: Any, event: Event, hearsay: Hearsay | None) -> int | None:
    """Little for phrases and small talk, which must not crowd out news; else None, for the heuristic."""
    if event.rule == classification.BY_RULES:
        return importance.LOWEST
    is_talk = event.kind in records.SPOKEN and hearsay is None
    if not (is_talk and reading.is_small_talk(event.text, names=[npc.key, *npc.key.split()])):
        return None
    by_words = importance.score_importance_heuristic(event.text, event.source_type)
    return min(by_words, SMALL_TALK)


def _make_way(npc: Any, script: Any, who: str, actor: Any, *, is_new: bool) -> None:
    """Let those who only passed by make room for somebody; what they told stays in the journal."""
    is_masked = who != identity.identity_of(actor)
    if is_masked:
        identity.note_mask(actor, who)
    for gone in heard.note_passer_by(
        script, who, body_id=actor.id, is_masked=is_masked, is_new=is_new
    ):
        kept = working_memory.get_conversation_context(npc, gone)
        meant = working_memory.still_pending(kept) if kept else []
        is_pressing = any(one.priority >= working_memory.PRESSING for one in meant)
        if kept and not is_pressing:
            working_memory.remove_conversation(npc, gone)
            entity_profiles.drop_stranger(npc, gone)


def _is_repeating(event: Event, actor: Any) -> bool:
    """Return whether it is an assistant that spoke, which has from others what it says."""
    return bool(event.hops) or (actor is not None and presence.is_mind(actor))


def _is_echo(event: Event, hearsay: Hearsay | None) -> bool:
    """Return whether another assistant said something to somebody else, and passed nothing on."""
    return bool(event.hops) and not event.addressed and hearsay is None
