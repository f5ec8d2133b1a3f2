"""Sources of recall in the mind itself: lore, the journal, people, promises and insights, each with who may know it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent.prompting import said_here
from evennia_ai.core import records
from evennia_ai.core.records import SOURCE_TRUST, EntityAttribute, Entry, Kept
from evennia_ai.domain import audience
from evennia_ai.domain.memories import memory_ranking, news_rules, profile, promises
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.offline import reading
from evennia_ai.domain.sleeping import consolidation_rules, insights, reflection_rules
from evennia_ai.memory import journal, persona, routine, sharing, working_memory
from evennia_ai.memory.people import entity_profiles

if TYPE_CHECKING:
    from evennia_ai.agent.turn import Turn

# People whom one question may be about.
PEOPLE = 3
# Lasting knowledge is what many looks came to: it is told before any one remark.
TRUST = 1.0
IMPORTANCE = 10
# What somebody told lately: so many things.
TOLD = 6
# Entries of the journal that are gone through, newest first; what is older, long-term memory finds.
JOURNAL_LIMIT = 300
# Observations of one person, the newest.
NOTICED = 8
# How much a promise matters.
PROMISED = 8
# Entries that are looked at for an NPC that acts by itself, and of them those that one prompt gets.
LOOKED_AT, LIMIT = 100, 12
# Own lines in which the insight may stand that somebody asks about.
LAST_LINES = 2
# Entries that are given as a reason at most.
REASONS = 3
# Insights that are told to whoever asks what one makes of it all.
NEWEST = 3

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def mentioned(npc: Any, words: str) -> list[str]:
    """Return the identities of those who are named in some words, a few at most."""
    return entity_profiles.find_mentioned(npc, _possible_names(words))[:PEOPLE]


def about(npc: Any, who: str) -> list[Remembered]:
    """Return all of it that is known of somebody, by identity: what is lasting comes first."""
    if not who:
        return []
    found = [*noticed(npc, who), *told(npc, who), *seen(npc, who)]
    lately = sorted(found, key=lambda one: one.timestamp)
    return [*of_person(npc, who), *reversed(lately)]


def noticed(npc: Any, who: str) -> list[Remembered]:
    """Return what was noticed about somebody lately, newest first, each with its audience."""
    known = entity_profiles.find_profile(npc, who)
    return [
        Remembered(
            text=one.content,
            by="",
            kind="journal",
            claimed_by=known.name if known and profile.is_claim(one, who) else "",
            timestamp=one.timestamp,
            trust=one.source_trust,
            importance=IMPORTANCE,
            audience=one.audience,
            event_id=one.event_id,
            origins=one.origins,
        )
        for one in reversed(known.observations[-NOTICED:] if known else ())
    ]


def told(npc: Any, who: str, *, overheard: bool | None = None) -> list[Remembered]:
    """Return what somebody told lately, newest first, each with its audience; only what was `overheard`, or was not."""
    said = (one for one in from_them(npc, who) if one.kind == memory_ranking.SAID)
    found = (one for one in said if overheard in (None, one.heard == "overheard"))
    return list(itertools.islice(found, TOLD))


def seen(npc: Any, who: str) -> list[Remembered]:
    """Return what somebody was seen to do lately, newest first, each with its audience."""
    found = (one for one in from_them(npc, who) if one.kind != memory_ranking.SAID)
    return list(itertools.islice(found, NOTICED))


def from_them(npc: Any, who: str) -> Iterator[Remembered]:
    """Yield what is noted of the words and deeds of somebody, newest first, each with its audience."""
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    return (
        memory_ranking.of_entry(entry)
        for entry in recent
        if entry.said_by == who and reflection_rules.may_be_told(entry)
    )


def of_person(npc: Any, who: str) -> list[Remembered]:
    """Return what is known for good of somebody, by identity, each with its audience."""
    known = entity_profiles.find_profile(npc, who)
    return [
        _fact(fact, name=known.name, who=who)
        for fact in (known.attributes if known else ())
        if fact.superseded_by is None
    ]


def _fact(fact: EntityAttribute, *, name: str, who: str) -> Remembered:
    """Return an attribute as a memory; `claimed_by` names who it is of, if it is their own word alone.

    Who put it right themselves is told as its source by every mind, as for what they told.
    """
    is_claim = profile.is_claim(fact, who)
    is_corrected = is_claim and fact.source == profile.CORRECTION
    return Remembered(
        text=consolidation_rules.sentence(name, fact.value),
        by=name if is_corrected else "",
        kind="claim" if is_corrected else "fact",
        claimed_by=name if is_claim else "",
        timestamp=fact.created,
        trust=SOURCE_TRUST["direct"] if is_claim else TRUST,
        importance=IMPORTANCE,
        audience=fact.audience,
        event_id="",
        origins=fact.origins,
    )


def _possible_names(words: str) -> list[str]:
    """Return the words one by one, and in twos and threes, in lower case: names, perhaps."""
    spoken = _WORD.findall(words.casefold())
    # "Ann's" is found as two words; "Olofs" is of Olof.
    found = [*spoken, *(word[:-1] for word in spoken if word.endswith("s"))]
    runs = [" ".join(found[at : at + size]) for size in (3, 2, 1) for at in range(len(found))]
    return list(dict.fromkeys(runs))


def noted_lately(npc: Any) -> list[Thought]:
    """Return what an NPC noted last and anybody may know, oldest first."""
    recent = itertools.islice(journal.newest_first(npc), LOOKED_AT)
    holding = (entry for entry in recent if reflection_rules.TAKEN_BACK_TAG not in entry.tags)
    public = (entry for entry in holding if entry.audience == audience.PUBLIC)
    return list(itertools.islice(thoughts(public), LIMIT))[::-1]


def promised_to(npc: Any, people: Iterable[str]) -> list[Remembered]:
    """Return what was promised to some people, by identity; what is settled, the journal has."""
    return [one for who in sorted({*people} - {""}) for one in _promised(npc, who)]


def _promised(npc: Any, who: str) -> list[Remembered]:
    talk = working_memory.get_conversation_context(npc, who)
    if talk is None or not talk.pending_actions:
        return []
    names = [line.name for line in talk.messages if not line.mine and line.name]
    still = working_memory.still_pending(talk)
    return [
        _as_promise(
            one,
            one.action,
            promises.OPEN if one in still else promises.LAPSED,
            names[-1] if names else "",
            timestamp=one.created,
        )
        for one in talk.pending_actions
    ]


def _as_promise(kept: Kept, text: str, kind: str, by: str, *, timestamp: str) -> Remembered:
    """Return a record as the memory of a promise; `by` is whom it was promised to."""
    return Remembered(
        text=text,
        by=by,
        kind=kind,
        trust=1.0,
        importance=PROMISED,
        timestamp=timestamp,
        audience=kept.audience,
        origins=kept.origins,
    )


def lore(turn: Turn, npc: Any, confidant: frozenset[str]) -> list[Remembered]:
    """Return what its builder wrote; what is on a condition, as if those it speaks with fulfilled that.

    Whether they do is asked of what fits a question (`as_conditions_are`), before any of it is used.
    On a channel nobody is asked, and nothing of it comes up.
    """
    found = []
    for fact in persona.load_lore(npc):
        if fact.only_if and turn.event.channel:
            continue
        found.append(
            Remembered(
                text=fact.text,
                by="",
                kind="lore",
                timestamp="",
                trust=1.0,
                event_id="",
                audience=sorted(confidant) if fact.only_if else fact.audience,
                only_if=fact.only_if,
            )
        )
    return found


def is_conditional(item: Remembered) -> bool:
    """Return whether it is still to be asked who may know something."""
    return bool(item.only_if)


def as_conditions_are(
    turn: Turn, npc: Any, ranked: list[Remembered], confidant: frozenset[str]
) -> list[Remembered]:
    """Return what comes to mind without what is on a condition and does not fit, or is not for those who ask.

    The rest of it is for those who fulfil the condition just now: so what comes of it is for them alone,
    whatever becomes of the condition.
    """
    # Many facts may hang on one lock: it is asked once of each who hears.
    ears: dict[str, records.Audience] = {}
    left = []
    for item in ranked:
        if is_conditional(item):
            lock = item.only_if
            if not item.fits:
                continue
            if lock not in ears:
                ears[lock] = _who_pass(turn, npc, lock)
            item = structs.replace(item, audience=ears[lock], only_if="")
            if not audience.may_know(item.audience, confidant):
                continue
        left.append(item)
    return left


def _who_pass(turn: Turn, npc: Any, lock: str) -> records.Audience:
    """Return who of those who hear the answer pass a lock."""
    there = {*turn.listeners(), *([turn.speaker] if turn.speaker is not None else [])}
    return sorted(routine.who_pass(npc, there, lock))


class Thought(NamedTuple):
    """An entry of the journal, or an insight of one: `entry` has its sentence as content."""

    entry: Entry
    kind: str = "journal"


def thoughts(entries: Iterable[Entry]) -> Iterator[Thought]:
    """Yield the entries, a synthesis as its insights."""
    for entry in entries:
        if not reflection_rules.is_synthesis(entry):
            yield Thought(entry)
            continue
        told = [text for text, _ in insights.read(entry.content)]
        for text in told or [insights.unmarked(entry.content)]:
            yield Thought(structs.replace(entry, content=text), "insight" if told else "journal")


def asked_for(turn: Turn, query: str) -> tuple[str, str]:
    """Return "why", "opinion", "me" or "news" if somebody asks for a reason, what one thinks, knows of
    them, or has heard; and about what.

    What is asked about stands for the whole question then; otherwise it is the question. Of whom
    nothing is known under their identity, is looked for by name.
    """
    asked = reading.classify(query, names=[turn.name])
    if asked.kind != "question" or asked.topic not in ("why", "opinion", "me", "news"):
        return "", query
    if asked.topic == "news":
        return asked.topic, query
    about = asked.slots.get("about", "")
    if asked.topic == "me":
        return asked.topic, f"about {turn.event.actor_name}"
    return ("", f"about {about}") if about else (asked.topic, query)


def reasons(turn: Turn, npc: Any, *, hearers: Iterable[str]) -> list[Thought]:
    """Return what the insight rests on that was told last, as far as all who hear may know it."""
    for words in said_here.own_words(turn, npc, hearers)[:LAST_LINES]:
        for synthesis in _syntheses(npc, hearers):
            for text, entry_ids in insights.read(synthesis.content):
                if insights.was_told(text, words):
                    found = [journal.get_entry(npc, entry_id) for entry_id in entry_ids]
                    known = audience.select_tellable(filter(None, found), hearers)
                    return [Thought(entry) for entry in known[:REASONS]]
    return []


def newest_insights(npc: Any, *, hearers: Iterable[str]) -> list[Thought]:
    """Return the newest insights that all who hear may know."""
    single = (one for one in thoughts(_syntheses(npc, hearers)) if one.kind == "insight")
    return list(itertools.islice(single, NEWEST))


def heard_lately(turn: Turn, npc: Any, *, hearers: Iterable[str]) -> list[Thought]:
    """Return what it would pass on to whoever asks for news, as far as all who hear may know it."""
    who = turn.event.said_by
    since = records.format_time(scheduling.now() - timedelta(days=news_rules.DAYS))
    found = news_rules.choose(
        itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT),
        to=who,
        name=turn.event.actor_name,
        level=sharing.level(npc),
        regard=sharing.regard(npc, who),
        since=since,
    )
    return [Thought(entry) for entry in audience.select_tellable(found, hearers)[:NEWEST]]


def _syntheses(npc: Any, hearers: Iterable[str]) -> Iterator[Entry]:
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    known = audience.select_tellable(recent, hearers)
    holding = (entry for entry in known if reflection_rules.TAKEN_BACK_TAG not in entry.tags)
    return filter(reflection_rules.is_synthesis, holding)
