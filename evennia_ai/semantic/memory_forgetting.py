"""Forgetting somebody in long-term memory: all of it is looked through, and what is theirs goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core.records import Entry
from evennia_ai.domain.memories.forgetting_rules import Traces
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory

# Memories that are fetched at once.
PAGE = 500
# Metadata in which words stand that are not those of the memory itself.
LINE_BEFORE, HISTORY, NAMES = "previous", "history", "names"


@inlineCallbacks
def all_of(assistant_key: str):
    """Return all long-term memories of an assistant, the newest first."""
    memory = get_memory()
    found: list[Memory] = []
    while True:
        page = yield memory.get_all(assistant_key=assistant_key, limit=PAGE, offset=len(found))
        found += page
        if len(page) < PAGE:
            return found
        yield scheduling.yield_to_reactor()


@inlineCallbacks
def texts_of(
    assistant_key: str, is_theirs: Callable[[Memory], bool], *, assistants: Iterable[str] = ()
):
    """Return (what those memories say that are theirs, what others have said), with former texts.

    What other `assistants` said is neither: they may have it from them.
    """
    said: list[str] = []
    others: list[str] = []
    for item in (yield all_of(assistant_key)):
        if is_theirs(item):
            said += _words(item)
        elif not _is_own(item) and item.source_id not in assistants:
            others.append(item.text)
    return said, others


@inlineCallbacks
def forget(assistant_key: str, traces: Traces, *, is_theirs: Callable[[Memory], bool]):
    """Forget what is theirs, and their words in what is not; return the ids that are gone.

    A memory whose words are somebody else's, but that came with a line or a former text of theirs,
    is kept without it, under another id.
    """
    memory, gone = get_memory(), set()
    items = yield all_of(assistant_key)
    theirs = {item.metadata.get("entry_id") for item in items if is_theirs(item)} - {None}
    # What they said themselves goes last: by that it is told what was made of it.
    for item in sorted(items, key=is_theirs):
        yield scheduling.yield_to_reactor()
        repeats = _is_own(item) or item.source_id in traces.assistants
        concluded = repeats and (traces.echoes(item.text) or rests_on(item, theirs))
        is_gone = is_theirs(item) or concluded
        cleaned = _cleaned(item, traces)
        if is_gone or cleaned != item.metadata:
            gone.add(item.id)
            yield memory.delete(item.id, assistant_key=assistant_key)
        if not is_gone and item.id in gone:
            yield memory.add(
                item.text,
                assistant_key=assistant_key,
                audience=item.audience,
                metadata={"timestamp": item.created, **cleaned},
            )
    for who in sorted(traces.identities):
        yield memory.delete_scope(assistant_key=assistant_key, source_id=who)
    return gone


def is_copy(item: Memory, entries: Iterable[Entry]) -> bool:
    """Return whether a memory is what one of these entries of the journal has become."""
    about = item.metadata
    if about.get("source") != journal_sync.SOURCE:
        return False
    # A journal that was deleted and begun again gives the same ids once more.
    return any(
        entry.id == about.get("entry_id") and entry.timestamp in journal_sync.times(item)
        for entry in entries
    )


def rests_on(item: Memory, entry_ids: Iterable[int]) -> bool:
    """Return whether a memory was concluded from one of these entries of the journal."""
    return not set(item.metadata.get(journal_sync.EVIDENCE) or ()).isdisjoint(entry_ids)


def _is_own(item: Memory) -> bool:
    """Return whether the assistant concluded or noted it: it is neither testimony nor the game's word."""
    about = item.metadata
    noted = about.get("source") == journal_sync.SOURCE and not about.get("source_id")
    return noted or about.get("source_type") == "inference"


def _cleaned(item: Memory, traces: Traces) -> dict[str, Any]:
    """Return the metadata without words of theirs."""
    about = dict(item.metadata)
    asked_by = str(about.get(journal_sync.ASKED_BY) or "")
    # Their line itself may be gone from the talk, and with it all by which its words are told.
    if traces.is_from(asked_by) or traces.carries(str(about.get(LINE_BEFORE) or "")):
        about[LINE_BEFORE] = ""
        about.pop(journal_sync.ASKED_BY, None)
    if isinstance(about.get(HISTORY), list):
        about[HISTORY] = [
            past for past in about[HISTORY] if not traces.holds(past, is_own=_is_own(item))
        ]
    if isinstance(about.get(NAMES), list):
        about[NAMES] = [name for name in about[NAMES] if name not in traces.names]
    return about


def _words(item: Memory) -> Iterable[str]:
    past = item.metadata.get(HISTORY) or ()
    return [item.text, *(str(one.get("text") or "") for one in past if isinstance(one, dict))]
