"""Pages of a journal: a head, and pages of entries that are written one at a time.

Only `memory/journal` uses it. One Attribute with all entries would take a quarter of a second a
write at 10,000 of them; a page takes as long at any size.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec
from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import conf
from evennia_ai.core.journal_json import EntryFields, WholeJournal
from evennia_ai.core.records import SOURCE_TRUST, Entry, Source, format_time, parse_time
from evennia_ai.core.states import JournalHead
from evennia_ai.domain.memories import eviction, page_counts
from evennia_ai.domain.sleeping import importance
from evennia_ai.memory import kinds, repository

PAGE_SIZE = 64
# One entry in so many goes at once where the whole journal has to be looked through for it.
LET_GO_SHARE = 200

Page = dict[int, Entry]


class Draft:
    """A journal while it is changed: what is touched is loaded, and written together."""

    def __init__(self, character: TypedObject):
        self.character = character
        self.head = load_head(character)
        self.evicted: list[tuple[str, Entry]] = []
        # By number of the page; its counts are read only where it matters.
        self._index = {_number(text): text for text in _index_texts(self.head)}
        self._pages: dict[int, Page] = {}

    def add(self, fields: EntryFields) -> Entry:
        """Give an entry the next id, make room and put it in."""
        self._make_room()
        entry = complete_entry(fields, entry_id=self.head.entry_count + 1)
        self.head = structs.replace(self.head, entry_count=entry.id)
        self.put(entry)
        return entry

    def get(self, entry_id: int) -> Entry | None:
        """Return an entry."""
        number = page_of(entry_id)
        return self._page(number).get(entry_id) if number in self._index else None

    def put(self, entry: Entry) -> None:
        """Put an entry in, or in the place of an older state of itself."""
        self.remove(entry.id)
        self._page(page_of(entry.id))[entry.id] = entry
        self._count(entry, 1)

    def cite(self, entry_ids: Iterable[int]) -> None:
        """Mark entries that another one rests on: they stay longest."""
        for entry_id in entry_ids:
            entry = self.get(entry_id)
            if entry is not None and not entry.cited:
                self.put(structs.replace(entry, cited=True))

    def remove(self, entry_id: int) -> bool:
        """Take an entry out; return whether it was there."""
        entry = self.get(entry_id)
        if entry is None:
            return False
        del self._page(page_of(entry_id))[entry_id]
        self._count(entry, -1)
        return True

    def write(self) -> None:
        """Write everything or, if the database refuses, nothing."""
        self.head = structs.replace(
            self.head,
            version=self.head.version + 1,
            evicted=self.head.evicted + len(self.evicted),
            pages=";".join(self._index[number] for number in sorted(self._index)),
        )
        _save(self.character, self.head, self._pages)

    def _page(self, number: int) -> Page:
        if number not in self._pages:
            is_new = number not in self._index
            self._pages[number] = {} if is_new else load_page(self.character, number)
        return self._pages[number]

    def _count(self, entry: Entry, by: int) -> None:
        number = page_of(entry.id)
        before = self._index.pop(number, None)
        counted = page_counts.read_counts(before) if before else page_counts.PageCounts(number)
        after = counted.changed(entry, by)
        if after.count:
            self._index[number] = after.text()
        self._resize(by)

    def _resize(self, by: int) -> None:
        self.head = structs.replace(self.head, size=self.head.size + by)

    def _make_room(self) -> None:
        # Most journals have room, and need not look into their index.
        while self.head.size >= self.head.max_entries:
            found = eviction.next_copied(self._index[number] for number in sorted(self._index))
            if found is None:
                self._let_go()
                return
            kind, number = found
            entry = next(filter(page_counts.KINDS[kind], self._page(number).values()), None)
            if entry is None:
                self._drop(number)
                continue
            self.remove(entry.id)
            self.evicted.append((kind, entry))

    def _let_go(self) -> None:
        """Make room where nothing has a copy: of what whoever told most, what matters least."""
        if self._surplus() <= 0:
            return
        for number in [number for number in self._index if not self._page(number)]:
            self._drop(number)
        if (surplus := self._surplus()) <= 0:
            return
        entries = (entry for number in sorted(self._index) for entry in self._page(number).values())
        # Several at once in a long journal: all of it is looked through.
        count = max(surplus, self.head.max_entries // LET_GO_SHARE)
        for entry in eviction.select_entries(entries, count):
            self.remove(entry.id)
            self.evicted.append((eviction.NOWHERE_ELSE, entry))
            self.head = structs.replace(self.head, lost=self.head.lost + 1)

    def _surplus(self) -> int:
        """Return how many entries there are too many, with the one that is to come."""
        return math.ceil(self.head.size + 1 - eviction.TOLERANCE * self.head.max_entries)

    def _drop(self, number: int) -> None:
        """Count no longer a page that somebody deleted by hand."""
        self._resize(-page_counts.read_counts(self._index.pop(number)).count)


def page_of(entry_id: int) -> int:
    """Return the number of the page that an entry is on, for good: ids are never reused."""
    return (entry_id - 1) // PAGE_SIZE


def page_key(number: int) -> str:
    """Return the key of the Attribute that holds a page."""
    return f"p{number:05d}"


def load_page(character: TypedObject, number: int) -> Page:
    """Return a page: entries as JSON by their id, oldest first."""
    return _page_of(repository.load(character, kinds.JOURNAL, page_key(number)) or ())


def load_entries(character: TypedObject, *, only: Iterable[int] | None = None) -> list[Entry]:
    """Return all entries, or those on these pages, oldest first, by one question to the database."""
    keys = None if only is None else map(page_key, only)
    pages = repository.load_all(character, kinds.JOURNAL, only=keys).values()
    return sorted((entry for page in pages for entry in page), key=lambda entry: entry.id)


def count(character: TypedObject, kinds: Iterable[str]) -> int:
    """Return how many entries are of these kinds (`page_counts.KINDS`), without reading them."""
    counts = list(_counts(character))
    return sum(getattr(page, kind) for kind in kinds for page in counts)


def pages_with(
    character: TypedObject, kinds: Iterable[str], *, at_least: int | None = None
) -> list[int]:
    """Return the pages that have entries of these kinds, each kind from the oldest page on.

    With `at_least` no more than it takes to have so many of them.
    """
    counts, chosen, found = list(_counts(character)), set(), 0
    for kind in kinds:
        for page in counts:
            if at_least is not None and found >= at_least:
                break
            if getattr(page, kind):
                chosen.add(page.number)
                found += getattr(page, kind)
    return sorted(chosen)


def oldest_first(character: TypedObject, kinds: Iterable[str]) -> Iterator[Entry]:
    """Yield the entries of pages with such kinds, oldest first, read when they are asked for."""
    for number in pages_with(character, kinds):
        yield from load_page(character, number).values()


def newest_first(character: TypedObject) -> Iterator[Entry]:
    """Yield the entries, newest first; the older pages are only read when they are asked for."""
    for text in reversed(_index_texts(load_head(character))):
        yield from reversed(load_page(character, _number(text)).values())


def load_head(character: TypedObject) -> JournalHead:
    """Return the head; pages whose head could not be read are counted anew."""
    stored = repository.load(character, kinds.JOURNAL_HEAD)
    if stored is None:
        stored = new_head({})
        if repository.keys(character, kinds.JOURNAL):
            stored = _recounted(character, stored)
    return stored


def new_head(stored: WholeJournal) -> JournalHead:
    """Return the head of a journal without pages, with what is known of it from elsewhere."""
    return JournalHead(
        entry_count=int(stored.get("entry_count") or 0),
        max_entries=int(stored.get("max_entries") or conf.get("JOURNAL_MAX_ENTRIES")),
        last_reflection=time_or_none(stored.get("last_reflection")) or "",
        # Begins anywhere, so that a journal that was deleted and begun again is told apart.
        version=random.getrandbits(32),
    )


def _recounted(character: TypedObject, head: JournalHead) -> JournalHead:
    """Write a head for the entries that are there, and mark those that insights rest on."""
    entries = load_entries(character)
    cited = {entry_id for entry in entries for entry_id in entry.derived_from}
    marked = [structs.replace(entry, cited=entry.cited or entry.id in cited) for entry in entries]
    last = max([head.entry_count, *(entry.id for entry in entries)])
    counted, pages = _tallied(structs.replace(head, entry_count=last), marked)
    _save(character, counted, pages)
    return counted


def laid_out(flat: WholeJournal) -> tuple[JournalHead, dict[str, list[Entry]]]:
    """Return the head and the pages, by key, of a flat journal whose entries have ids of their own.

    It touches no database, so that a long journal can be laid out beside the reactor.
    """
    head, given = new_head(flat), flat["entries"]
    cited = {entry_id for one in given for entry_id in one["evidence"] or ()}
    whole = [
        complete_entry({**one, "cited": one["id"] in cited}, entry_id=one["id"] or 0)
        for one in given
    ]
    last = max([head.entry_count, *(entry.id for entry in whole)])
    head, pages = _tallied(structs.replace(head, entry_count=last), whole)
    return head, {page_key(number): list(page.values()) for number, page in pages.items()}


def _tallied(head: JournalHead, entries: Iterable[Entry]) -> tuple[JournalHead, dict[int, Page]]:
    """Return the head and the pages of a journal that is written anew; it says what is on them."""
    pages: dict[int, Page] = {}
    counts: dict[int, page_counts.PageCounts] = {}
    for entry in sorted(entries, key=lambda entry: entry.id):
        number = page_of(entry.id)
        pages.setdefault(number, {})[entry.id] = entry
        counts[number] = counts.get(number, page_counts.PageCounts(number)).changed(entry, 1)
    counted = structs.replace(
        head,
        # A text for each page, as `PageCounts` writes it; one text is read faster than many.
        pages=";".join(page.text() for page in counts.values()),
        size=sum(page.count for page in counts.values()),
    )
    return counted, pages


def _page_of(entries: Iterable[Entry]) -> Page:
    return {entry.id: entry for entry in entries}


def _save(character: TypedObject, head: JournalHead, pages: dict[int, Page]) -> None:
    places = {number: (kinds.JOURNAL, page_key(number)) for number in pages}
    values: dict[repository.Place, object] = {(kinds.JOURNAL_HEAD, ""): head}
    for number, page in pages.items():
        if page:
            values[places[number]] = [page[entry_id] for entry_id in sorted(page)]
    emptied = [place for number, place in places.items() if not pages[number]]
    repository.save_all(character, values, removed=emptied)


def _counts(character: TypedObject) -> Iterator[page_counts.PageCounts]:
    return map(page_counts.read_counts, _index_texts(load_head(character)))


def _index_texts(head: JournalHead) -> list[str]:
    return [text for text in head.pages.split(";") if text]


def _number(text: str) -> int:
    return int(text.split(" ", 1)[0])


def complete_entry(given: EntryFields, *, entry_id: int) -> Entry:
    """Return an entry with every field; what is missing has its default.

    `timestamp` must be there.
    """
    source_type = str(given.get("source_type") or "observation")
    method = given.get("importance_method") or "heuristic"
    trust = given.get("source_trust")
    # An empty list is nobody, and not everybody.
    audience = given.get("audience")
    if not audience and audience != []:
        audience = "public"
    return Entry(
        id=entry_id,
        timestamp=given["timestamp"],
        content=str(given.get("content") or ""),
        source_type=source_type,
        source_trust=default_trust(source_type) if trust is None else float(trust),
        source_entity=str(given.get("source_entity") or ""),
        said_by=str(given.get("source_id") or ""),
        importance=importance.clamp(int(given.get("importance") or importance.BASE)),
        importance_method=method,
        tags=list(given.get("tags") or ()),
        related_projects=list(given.get("related_projects") or ()),
        audience=audience if isinstance(audience, str) else sorted(audience),
        consolidated=bool(given.get("consolidated", False)),
        scored=bool(given.get("scored", method != "heuristic")),
        scored_by=str(given.get("scored_by") or ""),
        pinned=bool(given.get("pinned", False)),
        event_id=str(given.get("event_id") or ""),
        derived_from=[int(entry_id) for entry_id in given.get("evidence") or ()],
        cited=bool(given.get("cited", False)),
        chain=[dict(teller) for teller in given.get("chain") or ()],
        shared=[dict(told) for told in given.get("shared") or ()],
        about=list(given.get("about") or ()),
        sources=msgspec.convert(given.get("sources") or [], list[Source]),
    )


def default_trust(source_type: str) -> float:
    """Return how far a kind of source is believed; an unknown one least."""
    return SOURCE_TRUST.get(source_type, SOURCE_TRUST["environmental"])


def time_or_none(value: str | datetime | None) -> str | None:
    """Return a time as it is kept; None for what is none."""
    try:
        return format_time(parse_time(value)) if value else None
    except (ValueError, TypeError, AttributeError):
        return None
