"""Recall of insights, each with the evidence behind it."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any, Iterable, Iterator, NamedTuple

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.core.records import Entry
from evennia_ai.domain import audience
from evennia_ai.domain.memories import news_rules
from evennia_ai.domain.offline import utterances
from evennia_ai.domain.sleeping import insights, reflection_rules
from evennia_ai.memory import journal, other_minds, sharing, working_memory

# Entries of the journal among which the insights are, the newest.
JOURNAL_LIMIT = 300
# Own lines in which the insight may stand that somebody asks about.
LAST_LINES = 2
# Entries that are given as a reason at most.
REASONS = 3
# Insights that are told to whoever asks what one makes of it all.
NEWEST = 3


class Thought(NamedTuple):
    """An entry of the journal, or an insight of one: `entry` has its sentence as content."""

    entry: Entry
    kind: str = "journal"


def each(entries: Iterable[Entry]) -> Iterator[Thought]:
    """Yield the entries, a synthesis as its insights."""
    for entry in entries:
        if not reflection_rules.is_synthesis(entry):
            yield Thought(entry)
            continue
        told = [text for text, _ in insights.read(entry.content)]
        for text in told or [insights.unmarked(entry.content)]:
            yield Thought(structs.replace(entry, content=text), "insight" if told else "journal")


def asked_for(turn: Turn, query: str) -> tuple[str, str]:
    """Return "why", "opinion", "me", "promised", "owed" or "news" if somebody asks for a reason, what one thinks, knows of
    them, has promised them, was promised, or has heard; and about what.

    What is asked about stands for the whole question then; otherwise it is the question. Of whom
    nothing is known under their identity, is looked for by name.
    """
    asked = utterances.classify(query, names=[turn.name])
    topics = ("why", "opinion", "me", "promised", "owed", "news")
    if asked.kind != "question" or asked.topic not in topics:
        return "", query
    if asked.topic in ("promised", "owed", "news"):
        return asked.topic, query
    about = asked.slots.get("about", "")
    if asked.topic == "me" or about.casefold() in utterances.ONESELF:
        return asked.topic if asked.topic == "me" else "", f"about {turn.event.actor_name}"
    return ("", f"about {about}") if about else (asked.topic, query)


def reasons(turn: Turn, npc: Any, *, hearers: Iterable[str]) -> list[Thought]:
    """Return what the insight rests on that was told last, as far as all who hear may know it."""
    lines = working_memory.lines_with(npc, turn.event.said_by)
    said = [line.text for line in lines if line.mine][-LAST_LINES:]
    for words in reversed(said):
        for synthesis in _syntheses(npc, hearers):
            for text, entry_ids in insights.read(synthesis.content):
                if insights.was_told(text, words):
                    found = [journal.get_entry(npc, entry_id) for entry_id in entry_ids]
                    known = audience.select_tellable(filter(None, found), hearers)
                    return [Thought(entry) for entry in known[:REASONS]]
    return []


def newest(npc: Any, *, hearers: Iterable[str]) -> list[Thought]:
    """Return the newest insights that all who hear may know."""
    single = (one for one in each(_syntheses(npc, hearers)) if one.kind == "insight")
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
        minds=other_minds.known(npc) | {turn.identity},
        since=since,
    )
    return [Thought(entry) for entry in audience.select_tellable(found, hearers)[:NEWEST]]


def _syntheses(npc: Any, hearers: Iterable[str]) -> Iterator[Entry]:
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    known = audience.select_tellable(recent, hearers)
    holding = (entry for entry in known if reflection_rules.TAKEN_BACK_TAG not in entry.tags)
    return filter(reflection_rules.is_synthesis, holding)
