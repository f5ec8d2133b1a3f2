"""The journal of an NPC: what it noted, entry by entry, in the database as soon as it is noted.

An entry is a `core.records.Entry`; what is returned cannot be changed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import cast

from evennia.typeclasses.models import TypedObject
from evennia.utils import logger
from msgspec import structs

from evennia_ai import rate_limits, scheduling
from evennia_ai.core import languages
from evennia_ai.core.journal_json import EntryFields, WholeJournal
from evennia_ai.core.records import (
    GAME,
    SOURCE_TRUST,
    Audience,
    Entry,
    Source,
    audience_from,
    format_time,
    intersection,
    parse_time,
    united,
)
from evennia_ai.domain.memories import confidence, eviction, gossip
from evennia_ai.domain.sleeping import importance as importances
from evennia_ai.memory import journal_pages, kinds, repository
from evennia_ai.memory.journal_pages import Draft
from evennia_ai.memory.storage import pages

METHODS = ("heuristic", "llm", "manual")


def add_entry(
    character: TypedObject,
    content: str,
    *,
    tags: Iterable[str] = (),
    related_projects: Iterable[str] = (),
    source_type: str = "observation",
    source_trust: float | None = None,
    source_entity: str = "",
    source_id: str = "",
    importance: int | None = None,
    audience: Audience = "public",
    event_id: str = "",
    evidence: Iterable[int] = (),
    sources: Iterable[Source] = (),
    chain: Iterable[dict[str, str]] = (),
    now: datetime | str | None = None,
) -> Entry:
    """Note something and return the entry; it is in the database by then.

    What a mind makes itself rests on `sources`, or on the entries that it cites as `evidence`, and is for no more ears than
    those are; without either it was told or seen, or a conclusion is the game's own. What is left out is worked out: trust from the kind of source, importance by rules. What asks in
    its own words to be told to nobody is tagged so. A journal that is full lets another entry go,
    which is logged.

    Raises:
        ValueError: The content is empty, the source is of no kind that SOURCE_TRUST has, or
            trust is not in 0..1 or importance not in 1..10.
    """
    cited = list(evidence)
    fields: EntryFields = {
        "timestamp": format_time(parse_time(now) if now else scheduling.now()),
        "content": content.strip(),
        "source_type": source_type,
        "source_trust": source_trust,
        "source_entity": source_entity,
        "source_id": source_id,
        "importance": importance,
        "importance_method": "heuristic" if importance is None else "manual",
        "tags": gossip.with_secret(tags) if confidence.is_asked(content) else tags,
        "related_projects": related_projects,
        "audience": audience,
        "event_id": event_id,
        "evidence": cited,
        "chain": chain,
    }
    if importance is None:
        fields["importance"] = heuristic_importance(content, source_type, tags)
    draft = Draft(character)
    draft.cite(cited)
    cited_entries = filter(None, map(draft.get, cited))
    if source_type == "inference" and not cited:
        sources = [*sources] or [Source(GAME, source_id, audience)]
    if made_of := united(sources, *(one.origins for one in cited_entries)):
        fields["sources"] = made_of
        fields["audience"] = intersection([audience, audience_from(made_of)])
    entry = draft.add(_checked(fields))
    draft.write()
    _log_evictions(character, draft)
    return entry


def heuristic_importance(content: str, source_type: str, tags: Iterable[str] = ()) -> int:
    """Return how much something matters by rules, with the keywords of the game's language."""
    keywords = [languages.load(languages.of_game()).keywords]
    return importances.score_importance_heuristic(content, source_type, tags, keywords=keywords)


def entries(character: TypedObject) -> list[Entry]:
    """Return all entries, oldest first."""
    journal_pages.load_head(character)
    return journal_pages.load_entries(character)


def entries_with(character: TypedObject, *kinds: str, at_least: int | None = None) -> list[Entry]:
    """Return the entries of the pages that have some of these kinds (`page_counts.KINDS`), oldest first.

    With `at_least`, of no more pages than it takes to have so many of these kinds.
    """
    pages = journal_pages.pages_with(character, kinds, at_least=at_least)
    return journal_pages.load_entries(character, only=pages) if pages else []


def oldest_first(character: TypedObject, *kinds: str) -> Iterator[Entry]:
    """Yield the entries of the pages that have some of these kinds; pages are read as they are needed."""
    return journal_pages.oldest_first(character, kinds)


def count(character: TypedObject, *kinds: str) -> int:
    """Return how many entries are of these kinds, without reading them."""
    return journal_pages.count(character, kinds)


def newest_first(character: TypedObject, *, days_back: float | None = None) -> Iterator[Entry]:
    """Yield entries, newest first, of the last days or of all; pages are read as they are needed."""
    found = journal_pages.newest_first(character)
    if days_back is None:
        return found
    # Clamped to what a datetime can say.
    since = format_time(scheduling.now() - timedelta(days=min(max(days_back, 0), 36500)))
    return itertools.takewhile(lambda entry: entry.timestamp >= since, found)


def page_numbers(character: TypedObject) -> list[int]:
    """Return the pages of a journal, the newest first: for whoever reads all of it, part by part."""
    return journal_pages.pages_with(character, ["count"])[::-1]


def entries_on(character: TypedObject, page: int) -> list[Entry]:
    """Return the entries of one of the `page_numbers`, the newest first; none of one that is gone."""
    return list(reversed(journal_pages.load_page(character, page).values()))


def get_entry(character: TypedObject, entry_id: int) -> Entry | None:
    """Return one entry, or None if it is gone."""
    return Draft(character).get(entry_id)


def get_entries(character: TypedObject, entry_ids: Iterable[int]) -> dict[int, Entry]:
    """Return those of these entries that are there, by their id."""
    draft = Draft(character)
    found = ((entry_id, draft.get(entry_id)) for entry_id in dict.fromkeys(entry_ids))
    return {entry_id: entry for entry_id, entry in found if entry is not None}


def edit_entry(character: TypedObject, entry_id: int, **changes: object) -> Entry | None:
    """Change fields of an entry; return it, or None if it is gone.

    A new importance counts as manual unless `importance_method` says otherwise. A field that does
    not exist, or a value that it cannot have, is a ValueError; so is another id.
    """
    draft = Draft(character)
    changed = _edit(draft, entry_id, changes)
    if changed is not None:
        draft.write()
        if {"content", "audience"} & changes.keys():
            repository.note_rewrite(character.id)
    return changed


def _edit(draft: Draft, entry_id: int, changes: dict[str, object]) -> Entry | None:
    entry = draft.get(entry_id)
    if entry is None:
        return None
    unknown = changes.keys() - (set(Entry.__struct_encode_fields__) - {"id"})
    if unknown:
        raise ValueError(f"an entry has no {', '.join(sorted(unknown))} to change.")
    if "importance" in changes:
        changes = {"importance_method": "manual", "scored": True, "scored_by": "", **changes}
    if "timestamp" in changes:
        moment = cast("datetime | str", changes["timestamp"])
        changes["timestamp"] = format_time(parse_time(moment))
    before = cast(EntryFields, pages.plain(entry))
    fields = _checked(cast(EntryFields, {**before, **changes}))
    changed = journal_pages.complete_entry(fields, entry_id=entry_id)
    draft.cite(changed.derived_from if "evidence" in changes else ())
    draft.put(changed)
    return changed


def rescore(
    character: TypedObject,
    scores: Mapping[int, int],
    method: str = "llm",
    *,
    scored_by: str = "",
) -> dict[int, int]:
    """Rate entries anew, by their id; return by how much more each matters now.

    Those that are gone, or were rated by hand, are let be.
    """
    draft, more = Draft(character), {}
    by = {"importance_method": method, "scored_by": scored_by}
    for entry_id, score in scores.items():
        entry = draft.get(entry_id)
        if entry is None or entry.importance_method == "manual":
            continue
        rating = importances.clamp(int(score))
        _edit(draft, entry_id, {"importance": rating, **by})
        more[entry_id] = rating - entry.importance
    if more:
        draft.write()
    return more


def mark_consolidated(character: TypedObject, entry_ids: Iterable[int]) -> None:
    """Note that entries have a copy in long-term memory; those that are gone are let be."""
    draft = Draft(character)
    for entry_id in entry_ids:
        _edit(draft, entry_id, {"consolidated": True})
    draft.write()


def remove_entries(character: TypedObject, entry_ids: Iterable[int]) -> int:
    """Delete entries; return how many there were. Their ids are never given again."""
    draft = Draft(character)
    removed = sum([draft.remove(entry_id) for entry_id in set(entry_ids)])
    if removed:
        draft.write()
        repository.note_rewrite(character.id)
    return removed


def journal(character: TypedObject) -> WholeJournal:
    """Return the whole journal as one dict, detached: entries, and what is known about them."""
    kept = entries(character)
    return {
        "entries": [cast(EntryFields, pages.plain(entry)) for entry in kept],
        **summary(character),
        "consolidated_entry_ids": [entry.id for entry in kept if entry.consolidated],
    }


def summary(character: TypedObject) -> WholeJournal:
    """A whole journal without what takes reading its entries."""
    head = journal_pages.load_head(character)
    return {
        "entry_count": head.entry_count,
        "max_entries": head.max_entries,
        "last_reflection": head.last_reflection,
    }


def version(character: TypedObject) -> int:
    """Return a number that every change of the journal changes; 0 if there is none yet."""
    head = repository.load(character, kinds.JOURNAL_HEAD)
    return head.version if head else 0


def size(character: TypedObject) -> int:
    """Return how many entries there are, without reading them."""
    return journal_pages.load_head(character).size


def lost(character: TypedObject) -> int:
    """Return how many entries the journal had to let go that existed nowhere else."""
    return journal_pages.load_head(character).lost


def wants_sleep(character: TypedObject) -> bool:
    """Return whether the journal is over its size: nothing in it could go at the last entry."""
    return _surplus(character) > 0


def excess(character: TypedObject) -> int:
    """Return how many entries should go as soon as they have a copy elsewhere; 0 if there is room."""
    surplus = _surplus(character)
    if surplus <= 0:
        return 0
    copied = count(character, *eviction.COPIED)
    # What is pinned or was made of other entries does not go.
    return max(0, min(surplus, count(character, "last")) - copied)


def select_to_keep(character: TypedObject, number: int) -> list[int]:
    """Return the ids of so many entries that are to go first, as soon as they have a copy."""
    return [entry.id for entry in eviction.select_entries(entries(character), number)]


def syntheses_beyond(character: TypedObject) -> list[Entry]:
    """Return what was concluded or summed up that has no place in the journal any more, oldest first."""
    # Asked at each tick of a night: a mind without a journal must not cost a query.
    if not version(character):
        return []
    share = max(1, journal_size(character) // eviction.SYNTHESES)
    beyond = count(character, "syntheses") - share
    if beyond <= 0:
        return []
    return eviction.select_syntheses(entries_with(character, "syntheses"), beyond)


def let_go(character: TypedObject, entry_ids: Iterable[int], *, is_kept: bool) -> int:
    """Take entries out for want of room; return how many. Without `is_kept` they are counted as lost."""
    draft = Draft(character)
    found = filter(None, map(draft.get, sorted(set(entry_ids))))
    kind = eviction.AGED if is_kept else eviction.NOWHERE_ELSE
    draft.evicted += [(kind, entry) for entry in found if draft.remove(entry.id)]
    if draft.evicted:
        lost = draft.head.lost + (0 if is_kept else len(draft.evicted))
        draft.head = structs.replace(draft.head, lost=lost)
        draft.write()
        _log_evictions(character, draft)
    return len(draft.evicted)


def journal_size(character: TypedObject) -> int:
    """Return how many entries this journal may have."""
    return journal_pages.load_head(character).max_entries


def set_max_entries(character: TypedObject, max_entries: int) -> None:
    """Set how many entries this journal may have; what is too much goes at the next entry."""
    if max_entries < 1:
        raise ValueError("a journal has room for one entry at least.")
    _change_head(character, max_entries=max_entries)


def note_reflection(character: TypedObject, *, now: datetime) -> None:
    """Note when the assistant last reflected on its journal."""
    _change_head(character, last_reflection=format_time(now))


def _surplus(character: TypedObject) -> int:
    # Asked at each tick: a mind that noted nothing yet must not cost a query.
    if not version(character):
        return 0
    head = journal_pages.load_head(character)
    return head.size - head.max_entries


def _change_head(character: TypedObject, **changes: object) -> None:
    draft = Draft(character)
    draft.head = structs.replace(draft.head, **changes)
    draft.write()


def as_entry(given: Entry | Mapping[str, object]) -> Entry:
    """Return an entry that may have come as JSON has it; what is missing has its default."""
    if isinstance(given, Entry):
        return given
    fields = cast(EntryFields, dict(given))
    fields["timestamp"] = format_time(parse_time(fields["timestamp"]))
    return journal_pages.complete_entry(fields, entry_id=int(fields.get("id") or 0))


def _checked(fields: EntryFields) -> EntryFields:
    """Return the fields of an entry; ValueError for what cannot be."""
    trust, rating = fields["source_trust"], fields["importance"]
    if not fields["content"]:
        raise ValueError("an entry says something.")
    if fields["source_type"] not in SOURCE_TRUST:
        raise ValueError(f"source_type is one of {', '.join(SOURCE_TRUST)}.")
    if trust is not None and not 0 <= trust <= 1:
        raise ValueError("source_trust is between 0 and 1.")
    if type(rating) is not int or importances.clamp(rating) != rating:
        raise ValueError("importance is a whole number between 1 and 10.")
    if fields["importance_method"] not in METHODS:
        raise ValueError(f"importance_method is one of {', '.join(METHODS)}.")
    return fields


def _log_evictions(character: TypedObject, draft: Draft) -> None:
    for kind, times in Counter(kind for kind, _ in draft.evicted).items():
        say = partial(_log_evicted, f"{character}(#{character.id})", kind)
        rate_limits.tell(("evicted", character.id, kind), say, times)


def _log_evicted(name: str, kind: str, count: int) -> None:
    # An unconsolidated memory that matters exists nowhere else.
    log = logger.log_warn if kind == eviction.NOWHERE_ELSE else logger.log_info
    # Without words: a log keeps them when whoever said them has been forgotten.
    log(f"[evennia_ai] {name} forgets {count} of its entries ({kind})")
