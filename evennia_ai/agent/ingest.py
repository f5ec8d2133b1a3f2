"""Ingestion of what is perceived: a line goes into the conversation, into the journal where it is worth it, a promise is
waited for."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice, takewhile
from typing import Any

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.prompting import said_here
from evennia_ai.agent.revising import forgotten_here, spoken_corrections
from evennia_ai.core import languages, records
from evennia_ai.core.records import Entry, Event
from evennia_ai.core.talk import Expected, Line, line_of
from evennia_ai.domain import audience, classification, sentiment
from evennia_ai.domain.memories import (
    confidence,
    conversation,
    gossip,
    news_rules,
    passages,
    promises,
    retrieval,
)
from evennia_ai.domain.memories.forgetting_rules import Traces, is_testimony, plan_journal
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.offline import utterances
from evennia_ai.domain.sleeping import importance
from evennia_ai.domain.sleeping.reflection_rules import ECHO_TAG, TAKEN_BACK_TAG
from evennia_ai.experience import turn_decisions
from evennia_ai.memory import identity, journal, lookup, repository, routine, working_memory
from evennia_ai.memory.people import accounts, entity_profiles, heard, promised
from evennia_ai.memory.state import assistant, reflection_state

# Favorability that meeting again adds, however much is said: familiarity, no more. What was said
# must leave room for praise and blame within what a day may change.
FAMILIARITY = 0.02
# Seconds after which talking with somebody is meeting them again.
MEETING_SECONDS = 3600


def keep(npc: Any, script: Any, event: Event, *, hearsay: Hearsay | None = None) -> None:
    """Remember an event; what a guest says, or who opted out, is remembered for their visit only.

    Of `hearsay` the journal keeps the bare words, and whom they came through.
    """
    if event.said_by and event.kind in records.SPOKEN and confidence.is_asked(event.text):
        _keep_quiet(npc, event)
    actor, is_new = lookup.object_by_id(event.actor_id), False
    is_visit = actor is not None and accounts.is_passing(actor)
    # Who is remembered for their visit only changes nothing that stays.
    may_correct = not (hearsay or is_visit)
    right = spoken_corrections.apply_correction(npc, script, event) if may_correct else None
    event, rest = right or (event, event.text)
    lines = working_memory.lines_with(npc, event.said_by) if event.said_by else []
    before = conversation.said_lately(event, lines)
    is_said_again = _is_said_again(npc, event, before)
    if event.said_by:
        if _is_repeating(event, actor):
            heard.note_mind(npc, event.said_by)
        # What is right now, or said again, stands where it was told first.
        line = structs.replace(line_of(event), extracted=is_said_again or right is not None)
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
    elif conversation.is_worth_keeping(structs.replace(event, text=rest), names=[npc.key]):
        is_flood = _is_rude(npc, event) and any(_is_rude(npc, line) for line in before)
        is_flood = is_flood and not _tells_more(npc, event)
        _note(npc, script, structs.replace(event, text=rest), hearsay, is_flood=is_flood)


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
        _forget_words_of(npc, who)
        entity_profiles.forget_entity(npc, who)
        waiting = [one.id for one in assistant.pending_events(script) if one.said_by == who]
        assistant.remove_pending(script, waiting)
        assistant.forget_guest(script, who)


def note_promise(npc: Any, event: Event) -> None:
    """Note what somebody promises an NPC in words that are meant for it; what they let slip is broken by now."""
    if event.kind not in records.SPOKEN or not event.addressed or event.channel:
        return
    actor = lookup.object_by_id(event.actor_id)
    if actor is None or presence.is_mind(actor) or accounts.is_passing(actor):
        return
    for one in promised.break_overdue(npc, event.said_by, event.actor_name):
        turn_decisions.reward_promise(lookup.mind_of(npc), npc, one, event.said_by, is_kept=False)
    with languages.reading(promised.language(npc)):
        words = utterances.without_call(event.text, names=[npc.key, *npc.key.split()])
        for action in promises.made_to(words):
            days = promises.days_until(action, weekday=routine.weekday())
            working_memory.add_expected(
                npc,
                event.said_by,
                Expected(
                    action=action,
                    created=event.timestamp,
                    due_day=routine.now()[0] + days if days is not None else None,
                    is_brought=promises.is_brought(action),
                    audience=event.audience,
                ),
            )


def take_promised(npc: Any, giver: Any, called: str) -> None:
    """Take what somebody gives an NPC for what they promised to bring, if it is called so."""
    if not npc.pk or not giver.pk or accounts.is_passing(giver):
        return
    who = identity.perceived(npc, giver)
    with languages.reading(promised.language(npc)):
        awaited = [*promised.expected(npc, who), *promised.brought_late(npc, who)]
        brought = [one for one in awaited if promises.names(one.action, called)]
    if brought:
        promised.settle(npc, who, speech.name_of(giver, npc), brought[0], is_kept=True)
        turn_decisions.reward_promise(lookup.mind_of(npc), npc, brought[0], who, is_kept=True)


def _forget_words_of(npc: Any, who: str) -> None:
    """Forget what the assistant, and others whom it heard, said and noted in the words of a visitor.

    Their own that it noted when they were remembered stay.
    """
    minds, entries = heard.minds(npc), journal.entries(npc)
    lines = [line for line in working_memory.all_lines(npc) if not line.mine]
    others = [line.text for line in lines if line.said_by not in (who, *minds)]
    noted = [one.content for one in entries if is_testimony(one, minds)]
    said = [line.text for line in lines if line.said_by == who]
    traces = Traces(said=said, others=[*others, *noted], assistants=minds)
    gone, changed = plan_journal(entries, traces)
    journal.remove_entries(npc, gone)
    for entry_id, fields in changed.items():
        journal.edit_entry(npc, entry_id, **fields)
    forgotten_here.in_conversations(npc, traces)


def _is_said_again(npc: Any, event: Event, before: list[Line]) -> bool:
    """Return whether somebody says once more what stands: they have not taken it back, nor is it what others ask."""
    told = {line.event_id for line in conversation.repeated(event, before)}
    if not told:
        return False
    noted = islice(journal.newest_first(npc), spoken_corrections.JOURNAL_LIMIT)
    if any(TAKEN_BACK_TAG in one.tags for one in noted if one.event_id in told):
        return False
    # "Not before spring" is something else for each question.
    others = [one for one in said_here.with_people(npc, event) if not one.mine]
    return not (passages.is_short(event.text) and conversation.asked_before(others, event))


def _is_rude(npc: Any, said: Event | Line) -> bool:
    return sentiment.is_worst(said.text, names=[npc.key])


def _tells_more(npc: Any, event: Event) -> bool:
    """Return whether somebody who is rude tells something in another sentence, or beside a comma."""
    sentences = retrieval.sentences(event.text)
    others = [one for one in sentences if not sentiment.is_worst(one, names=[npc.key])]
    if conversation.is_worth_keeping(structs.replace(event, text=" ".join(others))):
        return True
    # "You old hag, you lying crone" goes on with the insult.
    parts = [part for one in sentences for part in one.split(",")]
    return any(
        len(set(retrieval.terms(part))) >= news_rules.TELLING_WORDS
        and not sentiment.is_worst(part, names=[npc.key])
        for part in parts
    )


def _note(
    npc: Any, script: Any, event: Event, hearsay: Hearsay | None, *, is_flood: bool = False
) -> None:
    # Phrases of those who have no model, and one insult after another, must not crowd out what players tell.
    is_chatter = is_flood or event.rule == classification.BY_RULES
    entry = journal.add_entry(
        npc,
        hearsay.text if hearsay else conversation.narrated(event),
        source_type=event.source_type,
        source_trust=event.source_trust,
        source_entity=event.actor_name,
        source_id=event.said_by,
        audience=event.audience,
        event_id=event.id,
        importance=importance.LOWEST if is_chatter else None,
        tags=[event.kind, *([ECHO_TAG] if _is_echo(event, hearsay) else [])],
        chain=hearsay.chain if hearsay else (),
    )
    reflection_state.note_entry(script, entry)


def _keep_quiet(npc: Any, event: Event) -> None:
    """Mark as secret what somebody has just told, if they ask for nothing but silence about it."""
    if not confidence.is_bare(event.text):
        return
    before = timedelta(seconds=confidence.SECONDS)
    since = records.format_time(records.parse_time(event.timestamp) - before)
    for entry in takewhile(lambda one: one.timestamp >= since, journal.newest_first(npc)):
        if entry.said_by == event.said_by and not gossip.is_secret(entry.tags):
            # What long-term memory has of it is marked when sleep looks at it again.
            tags = gossip.with_secret(entry.tags)
            known = audience.intersection([entry.audience, event.audience])
            journal.edit_entry(npc, entry.id, tags=tags, audience=known, consolidated=False)
    working_memory.mark_secret(npc, event.said_by, since=since, known=event.audience)


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
        if kept and not (is_pressing or promised.expected(npc, gone)):
            working_memory.remove_conversation(npc, gone)
            entity_profiles.drop_stranger(npc, gone)


def _is_repeating(event: Event, actor: Any) -> bool:
    """Return whether it is an assistant that spoke, which has from others what it says."""
    return bool(event.hops) or (actor is not None and presence.is_mind(actor))


def _is_echo(event: Event, hearsay: Hearsay | None) -> bool:
    """Return whether another assistant said something to somebody else, and passed nothing on."""
    return bool(event.hops) and not event.addressed and hearsay is None
