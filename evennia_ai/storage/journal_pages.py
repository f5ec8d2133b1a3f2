"""How a journal lies in Attributes: a head, and pages of entries that are written one at a time.

Only `storage/journal` uses it. One Attribute with all entries would take a quarter of a second a
write at 10,000 of them; a page takes as long at any size. A page is one text, each line the id of
an entry and the entry as JSON: Attributes are copied at each turn, and a text is copied in no time.
"""

from __future__ import annotations

import json
import random
from typing import Any, Iterable, Iterator

from django.db import DatabaseError
from evennia.utils import logger

from evennia_ai import conf
from evennia_ai.domain import eviction, importance, tally
from evennia_ai.domain.records import format_time, parse_time
from evennia_ai.storage import attributes, identity

# The head is `npc.db.journal`; the pages have a category of their own.
KEY = "journal"
CATEGORY = "journal"
PAGE_SIZE = 64

# What stood under our key and was not ours is kept there.
FOREIGN_KEY = "journal_of_the_game"

Entry = dict[str, Any]
Page = dict[int, str]


class Draft:
    """A journal while it is changed: what is touched is loaded, and written together."""

    def __init__(self, character: Any):
        self.character = character
        self.head = load_head(character)
        self.evicted: list[tuple[str, Entry]] = []
        # By number of the page; a tally is read only where it matters.
        self._index = {_number(text): text for text in _index_texts(self.head)}
        self._pages: dict[int, Page] = {}

    def add(self, fields: Entry) -> Entry:
        """Give an entry the next id, make room and put it in."""
        self._make_room()
        self.head["entry_count"] += 1
        entry = {"id": self.head["entry_count"], **fields}
        self.put(entry)
        return entry

    def get(self, entry_id: int) -> Entry | None:
        """Return an entry."""
        number = page_of(entry_id)
        line = self._page(number).get(entry_id) if number in self._index else None
        return _read_entry(json.loads(line)) if line else None

    def put(self, entry: Entry) -> None:
        """Put an entry in, or in the place of an older state of itself."""
        self.remove(entry["id"])
        page = self._page(page_of(entry["id"]))
        page[entry["id"]] = json.dumps(entry, ensure_ascii=False)
        self._count(entry, 1)

    def cite(self, entry_ids: Iterable[int]) -> None:
        """Mark entries that another one rests on: they stay longest."""
        for entry_id in entry_ids:
            entry = self.get(entry_id)
            if entry is not None and not entry["cited"]:
                self.put({**entry, "cited": True})

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
        self.head["version"] += 1
        self.head["evicted"] += len(self.evicted)
        self.head["pages"] = ";".join(self._index[number] for number in sorted(self._index))
        try:
            _save(self.character, self.head, self._pages)
        except DatabaseError:
            self._forget_what_was_refused()
            raise

    def _page(self, number: int) -> Page:
        if number not in self._pages:
            self._pages[number] = load_page(self.character, number)
        return self._pages[number]

    def _count(self, entry: Entry, by: int) -> None:
        number = page_of(entry["id"])
        before = self._index.pop(number, None)
        counted = tally.read_tally(before) if before else tally.Tally(number)
        after = counted.changed(entry, by)
        if after.count:
            self._index[number] = after.text()
        self.head["size"] += by

    def _make_room(self) -> None:
        # Most journals have room, and need not look into their index.
        while self.head["size"] >= (limit := self.head["max_entries"]):
            tallies = [self._index[number] for number in sorted(self._index)]
            found = eviction.next_to_go(tallies, size=self.head["size"], max_entries=limit)
            if found is None:
                return
            kind, number = found
            entries = (_read_entry(json.loads(line)) for line in self._page(number).values())
            entry = next(filter(tally.KINDS[kind], entries), None)
            if entry is None:
                # Somebody deleted the page by hand.
                self.head["size"] -= tally.read_tally(self._index.pop(number)).count
                continue
            self.remove(entry["id"])
            self.evicted.append((kind, entry))

    def _forget_what_was_refused(self) -> None:
        # Evennia has changed its cached Attributes before it asked the database.
        handler = self.character.attributes
        touched = [(page_key(number), CATEGORY) for number in self._pages]
        for key, category in [*touched, (KEY, None)]:
            attribute = handler.get(key, category=category, return_obj=True)
            if attribute is not None:
                attribute.flush_from_cache(force=True)
        handler.reset_cache()


def page_of(entry_id: int) -> int:
    """Return the number of the page that an entry is on, for good: ids are never reused."""
    return (entry_id - 1) // PAGE_SIZE


def page_key(number: int) -> str:
    """Return the key of the Attribute that holds a page."""
    return f"p{number:05d}"


def load_page(character: Any, number: int) -> Page:
    """Return a page: entries as JSON by their id, oldest first."""
    return _read_page(attributes.load(character, page_key(number), category=CATEGORY, default=""))


def load_entries(character: Any, *, only: Iterable[int] | None = None) -> list[Entry]:
    """Return all entries, or those on these pages, oldest first, by one question to the database."""
    keys = None if only is None else map(page_key, only)
    texts = attributes.load_all(character, category=CATEGORY, only=keys).values()
    lines = sorted(line for text in texts for line in _read_page(text).items())
    # One parse of all is a third cheaper than one of each.
    entries = json.loads(f"[{','.join(line for _, line in lines)}]")
    return [_read_entry(entry) for entry in entries]


def count(character: Any, kinds: Iterable[str]) -> int:
    """Return how many entries are of these kinds (`tally.KINDS`), without reading them."""
    tallies = list(_tallies(character))
    return sum(getattr(page, kind) for kind in kinds for page in tallies)


def pages_with(character: Any, kinds: Iterable[str], *, at_least: int | None = None) -> list[int]:
    """Return the pages that have entries of these kinds, each kind from the oldest page on.

    With `at_least` no more than it takes to have so many of them.
    """
    tallies, chosen, found = list(_tallies(character)), set(), 0
    for kind in kinds:
        for page in tallies:
            if at_least is not None and found >= at_least:
                break
            if getattr(page, kind):
                chosen.add(page.number)
                found += getattr(page, kind)
    return sorted(chosen)


def oldest_first(character: Any, kinds: Iterable[str]) -> Iterator[Entry]:
    """Yield the entries of pages with such kinds, oldest first, read when they are asked for."""
    for number in pages_with(character, kinds):
        for line in load_page(character, number).values():
            yield _read_entry(json.loads(line))


def newest_first(character: Any) -> Iterator[Entry]:
    """Yield the entries, newest first; the older pages are only read when they are asked for."""
    for text in reversed(_index_texts(load_head(character))):
        for line in reversed(load_page(character, _number(text)).values()):
            yield _read_entry(json.loads(line))


def load_head(character: Any) -> dict[str, Any]:
    """Return the head; a flat journal that is found in its place becomes pages first."""
    # A copy of an NPC learns here that it is one, and has no memories of its own.
    identity.identity_of(character)
    stored = attributes.load(character, KEY, category=None)
    if isinstance(stored, dict) and "pages" in stored and "entries" not in stored:
        first = stored["pages"].partition(";")[0]
        is_current = not first or tally.is_current(first)
        return stored if is_current else _recounted(character, stored)
    if stored and not (isinstance(stored, dict) and "entries" in stored):
        logger.log_warn(f"[evennia_ai] {character}: db.journal was no journal of ours.")
        attributes.save(character, FOREIGN_KEY, stored, category=None)
        stored = None
    if stored or attributes.keys(character, category=CATEGORY):
        return _migrated(character, stored or {})
    return _new_head({})


def _new_head(stored: dict[str, Any]) -> dict[str, Any]:
    return {
        "entry_count": int(stored.get("entry_count") or 0),
        "max_entries": int(stored.get("max_entries") or conf.get("JOURNAL_MAX_ENTRIES")),
        "last_reflection": _time_or_none(stored.get("last_reflection")) or "",
        "size": 0,
        # A text for each page, as a `Tally` writes it; one text is copied faster than many.
        "pages": "",
        # Begins anywhere, so that a journal that was deleted and begun again is told apart.
        "version": random.getrandbits(32),
        "evicted": 0,
    }


def _migrated(character: Any, flat: dict[str, Any]) -> dict[str, Any]:
    """Turn a flat journal into pages and a head; entries that lie on pages already are kept.

    All of it is written together. Where a database cannot do that and it was cut off, the flat
    journal is still there, and the same ids and contents are not taken for new entries.
    """
    known = {entry["id"]: entry for entry in load_entries(character)}
    moved = set(map(int, flat.get("consolidated_entry_ids") or ()))
    raw = [dict(entry) for entry in flat.get("entries") or ()]
    head = _new_head(flat)
    last = max([head["entry_count"], *known, *(entry.get("id") or 0 for entry in raw)])
    # The pages are tallied anew, from nothing.
    merged = dict(known)
    # An entry without a time is as old as the one before it: the same each time it is migrated.
    moment = "1970-01-01T00:00:00.000Z"
    for entry in raw:
        moment = _time_or_none(entry.get("timestamp")) or moment
        is_moved = entry.get("id") in moved
        whole = complete_entry({"consolidated": is_moved, **entry, "timestamp": moment})
        entry_id = entry.get("id")
        if not entry_id or (entry_id in merged and not _same(merged[entry_id], whole)):
            if any(_same(other, whole) for other in known.values()):
                continue
            last += 1
            entry_id = last
        merged[entry_id] = {"id": entry_id, **whole}
    head["entry_count"] = last
    return _write_anew(character, head, merged.values())


def _recounted(character: Any, head: dict[str, Any]) -> dict[str, Any]:
    """Count anew what an earlier version counted fewer kinds of, and mark what insights rest on."""
    entries = load_entries(character)
    cited = {entry_id for entry in entries for entry_id in entry["evidence"]}
    marked = [{**entry, "cited": entry["cited"] or entry["id"] in cited} for entry in entries]
    return _write_anew(character, head, marked)


def laid_out(flat: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the head and the pages, by key, of a flat journal whose entries have ids of their own.

    It touches no database, so that a long journal can be laid out beside the reactor.
    """
    head, given = _new_head(flat), flat["entries"]
    cited = {entry_id for one in given for entry_id in one["evidence"]}
    whole = [{**complete_entry(one), "id": one["id"], "cited": one["id"] in cited} for one in given]
    head["entry_count"] = max([head["entry_count"], *(one["id"] for one in given)])
    pages = _tallied(head, whole)
    return head, {page_key(number): _text(page) for number, page in pages.items()}


def _write_anew(character: Any, head: dict[str, Any], entries: Iterable[Entry]) -> dict[str, Any]:
    _save(character, head, _tallied(head, entries))
    return head


def _tallied(head: dict[str, Any], entries: Iterable[Entry]) -> dict[int, Page]:
    """Return the pages of a journal that is written anew, and note in its head what is on them."""
    pages: dict[int, Page] = {}
    tallies: dict[int, tally.Tally] = {}
    for entry in sorted(entries, key=lambda entry: entry["id"]):
        number = page_of(entry["id"])
        pages.setdefault(number, {})[entry["id"]] = json.dumps(entry, ensure_ascii=False)
        tallies[number] = tallies.get(number, tally.Tally(number)).changed(entry, 1)
    head["pages"] = ";".join(page.text() for page in tallies.values())
    head["size"] = sum(page.count for page in tallies.values())
    return pages


def _read_entry(entry: Entry) -> Entry:
    # What was written before these fields were there has been told to nobody.
    entry.setdefault("chain", [])
    entry.setdefault("shared", [])
    entry.setdefault("scored_by", "")
    entry.setdefault("evidence", [])
    entry.setdefault("cited", False)
    return entry


def _read_page(text: str) -> Page:
    pairs = (line.split(" ", 1) for line in text.split("\n") if line)
    return {int(entry_id): line for entry_id, line in pairs}


def _save(character: Any, head: dict[str, Any], pages: dict[int, Page]) -> None:
    keys = {number: (page_key(number), CATEGORY) for number in pages}
    texts: dict[tuple[str, str | None], Any] = {
        keys[number]: _text(page) for number, page in pages.items() if page
    }
    emptied = [key for number, key in keys.items() if not pages[number]]
    attributes.save_all(character, {**texts, (KEY, None): head}, removed=emptied)


def _text(page: Page) -> str:
    # JSON in one line has no line breaks of its own.
    return "\n".join(f"{entry_id} {page[entry_id]}" for entry_id in sorted(page))


def _tallies(character: Any) -> Iterator[tally.Tally]:
    return map(tally.read_tally, _index_texts(load_head(character)))


def _index_texts(head: dict[str, Any]) -> list[str]:
    return [text for text in head["pages"].split(";") if text]


def _number(text: str) -> int:
    return int(text.split(" ", 1)[0])


def _same(entry: Entry, other: Entry) -> bool:
    return (entry["content"], entry["timestamp"]) == (other["content"], other["timestamp"])


def complete_entry(given: Entry) -> Entry:
    """Return an entry without its id, with every field; what is missing has its default.

    `timestamp` must be there.
    """
    source_type = str(given.get("source_type") or "observation")
    method = given.get("importance_method") or "heuristic"
    trust = given.get("source_trust")
    audience = given.get("audience") or "public"
    return {
        "timestamp": given["timestamp"],
        "content": str(given.get("content") or ""),
        "source_type": source_type,
        "source_trust": default_trust(source_type) if trust is None else float(trust),
        "source_entity": str(given.get("source_entity") or ""),
        "source_id": str(given.get("source_id") or ""),
        "importance": importance.clamp(int(given.get("importance") or importance.BASE)),
        "importance_method": method,
        "tags": list(given.get("tags") or ()),
        "related_projects": list(given.get("related_projects") or ()),
        "audience": audience if isinstance(audience, str) else sorted(audience),
        "consolidated": bool(given.get("consolidated", False)),
        "scored": bool(given.get("scored", method != "heuristic")),
        "scored_by": str(given.get("scored_by") or ""),
        "pinned": bool(given.get("pinned", False)),
        "event_id": str(given.get("event_id") or ""),
        "evidence": [int(entry_id) for entry_id in given.get("evidence") or ()],
        "cited": bool(given.get("cited", False)),
        "chain": [dict(teller) for teller in given.get("chain") or ()],
        "shared": [dict(told) for told in given.get("shared") or ()],
    }


def default_trust(source_type: str) -> float:
    """Return how far a kind of source is believed; one that is not in the settings, least."""
    trust = conf.get("TRUST")
    return trust.get(source_type, trust["environmental"])


def _time_or_none(value: Any) -> str | None:
    try:
        return format_time(parse_time(value)) if value else None
    except (ValueError, TypeError, AttributeError):
        return None
