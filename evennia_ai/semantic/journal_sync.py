"""Entries of the journal as long-term memories: what goes along, and each of them once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.core.exceptions import ImproperlyConfigured
from msgspec import structs
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai.core.records import Entry, Source
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.base import SemanticMemory, get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable

SOURCE = "journal"
# What a model found in an entry, beside the entry itself.
EXTRACTED = "extracted"
# Under what a memory has the ids of the entries that it rests on.
EVIDENCE = "evidence"
# Under what it has the sources of the question that it answers.
ASKED = "previous_sources"
# What of an entry its memory carries, beside where it comes from.
COPIED = (
    "tags",
    "source_type",
    "source_trust",
    "source_entity",
    "importance",
    "importance_method",
    "timestamp",
    "event_id",
    "chain",
)
# Memories that one entry may have become, where others made more of it than a copy.
MEMORIES_PER_ENTRY = 4
# Facts that a model may have found in one entry.
FACTS_PER_ENTRY = 8


def add_entry(
    memory: SemanticMemory, entry: Entry, *, assistant_key: str, question: Line | None = None
) -> Deferred[str]:
    """Copy an entry, with the question that it answers; fires with the id of the memory."""
    new = as_memory(entry, question=question)
    return memory.add(
        new.text, assistant_key=assistant_key, audience=new.audience, metadata=new.metadata
    )


def as_memory(
    entry: Entry, *, question: Line | None = None, text: str = "", evidence: Sequence[int] = ()
) -> NewMemory:
    """Return what an entry becomes, or `text` in it that rests on `evidence`."""
    return NewMemory(
        text=text or entry.content,
        audience=entry.audience,
        metadata={
            "source": SOURCE,
            "entry_id": entry.id,
            # What was concluded is from nobody.
            "speaker": entry.source_entity if entry.said_by or not evidence else "",
            **({"previous": question.text, ASKED: _plain(question.origins)} if question else {}),
            **({EVIDENCE: list(evidence)} if evidence else {}),
            **({"sources": _plain(entry.sources)} if entry.sources else {}),
            "source_id": entry.said_by,
            **{key: getattr(entry, key) for key in COPIED},
        },
    )


def as_fact(entry: Entry, text: str) -> NewMemory:
    """Return a fact that was found in what somebody told, in the third person; it goes with its sources."""
    metadata = {
        **as_memory(entry).metadata,
        "source": EXTRACTED,
        "speaker": "",
        "source_type": "inference",
        "sources": _plain(entry.origins),
    }
    return NewMemory(text=text, audience=entry.audience, metadata=metadata)


@inlineCallbacks
def find_extracted(memory: SemanticMemory, entries: Iterable[Entry], *, assistant_key: str):
    """Return the ids of those entries of which long-term memory has facts already."""
    by_id = {entry.id: entry for entry in entries}
    found = yield memory.search(
        # As in `find_copies`, the filter tells them.
        "\n".join(entry.content for entry in by_id.values()) or "-",
        assistant_key=assistant_key,
        hearers=[],
        limit=FACTS_PER_ENTRY * len(by_id),
        filters={"source": EXTRACTED, "entry_id": list(by_id)},
    )
    # A journal that was deleted and begun again gives the same ids once more.
    return {one.entry_id for one in found if one.timestamp == by_id[one.entry_id].timestamp}


def _plain(sources: list[Source]) -> list[list[object]]:
    return [list(structs.astuple(one)) for one in sources]


@inlineCallbacks
def find_copies(memory: SemanticMemory, entries: Iterable[Entry], *, assistant_key: str):
    """Return the memories that entries have become already, by the id of the entry."""
    by_id = {entry.id: entry for entry in entries}
    if not by_id:
        return {}
    found = yield memory.search(
        # Which they are is told by the filter; the words are only there because a search has some.
        "\n".join(entry.content for entry in by_id.values()),
        assistant_key=assistant_key,
        # Nobody hears of it, so that nobody has to be in the audience.
        hearers=[],
        limit=MEMORIES_PER_ENTRY * len(by_id),
        filters={"source": SOURCE, "entry_id": list(by_id)},
    )
    copies: dict[int, list[Memory]] = {}
    for item in found:
        entry = by_id[item.entry_id]
        # A journal that was deleted and begun again gives the same ids once more.
        if entry.timestamp in times(item):
            copies.setdefault(entry.id, []).append(item)
    return copies


@inlineCallbacks
def find_events(memory: SemanticMemory, events: Mapping[str, str], *, assistant_key: str):
    """Return of which events, given with their words, long-term memory has what was noted."""
    wanted = sorted(set(events) - {""})
    if not wanted or not memory.enabled:
        return set()
    found = yield memory.search(
        # As in `find_copies`, the filter tells them.
        "\n".join(events.values()),
        assistant_key=assistant_key,
        hearers=[],
        limit=MEMORIES_PER_ENTRY * len(wanted),
        filters={"source": SOURCE, "event_id": wanted},
    )
    return {item.metadata["event_id"] for item in found}


@inlineCallbacks
def keep_entry(
    memory: SemanticMemory,
    entry: Entry,
    *,
    assistant_key: str,
    copies: Sequence[Memory] = (),
    question: Line | None = None,
):
    """See to it that long-term memory has an entry as it is now; `copies` are what it has become.

    `question` is what it answers, for everybody who may know the entry; by its words, too, it is found.

    Killed at any point there is one that can be found, and the next attempt leaves no other.
    """
    # Who may know a memory never changes: where that of the entry did, it becomes another memory.
    fitting = [copy for copy in copies if copy.audience == entry.audience]
    if fitting:
        yield _update(memory, entry, fitting[0], assistant_key=assistant_key)
    else:
        yield add_entry(memory, entry, assistant_key=assistant_key, question=question)
    for copy in copies:
        if copy not in fitting:
            yield memory.delete(copy.id, assistant_key=assistant_key)


@inlineCallbacks
def _update(memory: SemanticMemory, entry: Entry, copy: Memory, *, assistant_key: str):
    is_known = entry.content in _texts(copy)
    metadata = {key: getattr(entry, key) for key in ("importance", "importance_method", "tags")}
    changed = any(copy.metadata.get(key) != metadata[key] for key in metadata)
    if changed or not is_known:
        # What superseded it meanwhile stays.
        text = copy.text if is_known else entry.content
        metadata["timestamp"] = copy.timestamp or entry.timestamp
        yield memory.update(copy.id, text, assistant_key=assistant_key, metadata=metadata)


def _history(item: Memory) -> list[dict[str, str]]:
    return item.metadata.get("history") or []


def times(item: Memory) -> set[str]:
    """Return when a memory was noted, also under its former texts."""
    return {item.timestamp, *(past["timestamp"] for past in _history(item))}


def _texts(item: Memory) -> set[str]:
    return {item.text, *(past["text"] for past in _history(item))}


@inlineCallbacks
def widen_copy(name: str, entry: Entry, *, assistant_key: str):
    """Let whoever was told something know what long-term memory has of it, too."""
    try:
        memory = get_memory()
        copies = yield find_copies(memory, [entry], assistant_key=assistant_key)
        for found in copies.values():
            yield keep_entry(memory, entry, assistant_key=assistant_key, copies=found)
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        memory_thread.warn(f"{name} still keeps apart what it has told", error)
