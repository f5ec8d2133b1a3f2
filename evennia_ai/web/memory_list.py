"""Memories of all kinds as rows of one list, and which of them are wanted; plain data, in any thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from evennia_ai.commands.base import whole_number
from evennia_ai.commands.shown.words import known_to
from evennia_ai.core.records import Audience, Entry, Profile, Reminder
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping.reflection_rules import is_synthesis

KINDS = ("journal", "insight", "long-term", "person", "promise")
AUDIENCES = ("everybody", "some", "nobody")


class Row(NamedTuple):
    """One memory; `number` is that of its entry, by which it can be forgotten, else 0."""

    kind: str
    time: str
    text: str
    audience: Audience
    known_to: str
    # Whom it is from, whom it is about, and who may know it.
    people: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    number: int = 0
    pinned: bool = False
    # Of an entry, else 0: what is noticed or promised is not rated.
    importance: int = 0
    trust: float | None = None
    # The entries from which an insight was concluded.
    rests_on: tuple[int, ...] = ()

    @property
    def percent(self) -> int | None:
        """How far it is believed."""
        return None if self.trust is None else round(self.trust * 100)


class Wanted(NamedTuple):
    """What somebody looks for; what is empty counts for nothing."""

    text: str = ""
    person: str = ""
    kind: str = ""
    audience: str = ""
    # At least so important; believed so far at most, in percent.
    importance: str = ""
    trust: str = ""

    def fits(self, row: Row) -> bool:
        return (
            self.text.casefold() in row.text.casefold()
            and (not self.person or any(map(self._is_named, row.people)))
            and self.kind in ("", row.kind)
            and self.audience in ("", _kind_of(row.audience))
            and row.importance >= (whole_number(self.importance) or 0)
            and self._is_doubted(row)
        )

    def _is_doubted(self, row: Row) -> bool:
        most = whole_number(self.trust)
        return most is None or (row.trust is not None and row.trust * 100 <= most)

    def _is_named(self, name: str) -> bool:
        return self.person.casefold() in name.casefold()


def of_journal(entries: Iterable[Entry], names: Mapping[str, str]) -> Iterator[Row]:
    for entry in entries:
        kind = "insight" if is_synthesis(entry) else "journal"
        row = _row(kind, entry.timestamp, entry.content, entry.audience, names)
        whose = (entry.source_entity, *_named([entry.said_by, *entry.about], names))
        yield row._replace(
            people=(*row.people, *whose),
            notes=tuple(_notes(entry)),
            number=entry.id,
            pinned=entry.pinned,
            importance=round(entry.importance),
            trust=entry.source_trust,
            rests_on=tuple(entry.derived_from),
        )


def of_long_term(
    memories: Iterable[Memory], entries: Iterable[Entry], names: Mapping[str, str]
) -> Iterator[Row]:
    """Yield long-term memories but for copies of what stands in the journal."""
    there = {(entry.id, entry.content) for entry in entries}
    for one in memories:
        if (one.entry_id, one.text) not in there:
            row = _row("long-term", one.timestamp or one.created, one.text, one.audience, names)
            named = str(one.metadata.get("source_entity") or "")
            whose = (named, *_named([one.source_id], names))
            yield row._replace(people=(*row.people, *whose))


def of_people(profiles: Iterable[Profile], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield what is known of people, and what was noticed of them and made nothing of yet."""
    for known in profiles:
        who = known.name or names.get(known.entity_id, "somebody")
        for fact in known.attributes:
            text = f"{who}: {fact.type}: {fact.value}"
            row = _row("person", fact.created, text, fact.audience, names)
            over = ("no longer",) if fact.superseded_by is not None else ()
            yield row._replace(people=(*row.people, who), notes=over)
        for one in known.observations:
            if not one.consolidated:
                row = _row("person", one.timestamp, f"{who}: {one.content}", one.audience, names)
                whose = (who, *_named([one.said_by], names))
                yield row._replace(people=(*row.people, *whose), notes=(one.source_word,))


def of_promises(promises: Iterable[Reminder], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield what was promised, at the time at which it is due."""
    for one in promises:
        whom = one.actor_name or names.get(one.said_by, "somebody")
        row = _row("promise", one.due, f"to {whom}: {one.text}", one.audience, names)
        yield row._replace(people=(*row.people, whom), notes=("due",))


def _row(kind: str, time: str, text: str, known: Audience, names: Mapping[str, str]) -> Row:
    who = () if known == "public" else tuple(_named(known, names))
    return Row(kind, time, text, known, known_to(known, names), who)


def _notes(entry: Entry) -> Iterator[str]:
    if entry.source_entity:
        yield f"from {entry.source_entity}"
    if entry.consolidated:
        yield "in long-term memory"


def _named(people: Iterable[str], names: Mapping[str, str]) -> list[str]:
    return [names[who] for who in people if who in names]


def _kind_of(known: Audience) -> str:
    if known == "public":
        return "everybody"
    return "some" if known else "nobody"
