"""Dreaming: memories that are alike are linked, and links to what is gone are cut."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping import link_rules as linking
from evennia_ai.memory import identity, links, lookup
from evennia_ai.semantic.base import alike, created, get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Memories in one look at the store, and looks in one tick.
PAGE = 50
LOOKS = 6
# Memories that a search for one is to find, itself among them.
FOUND = 12
# Memories whose links are gone through for what is gone, in one tick.
CHECKED = 50
# Memories that have links of their own, the newest; else a mind grew with all that it ever heard.
LINKED = 500
# The likeness from which two memories belong together, with an embedder for which none was measured.
ALIKE = 0.7
# Stands for a hearer who may know nothing but what is public.
ANYBODY = "anybody"


@inlineCallbacks
def run_dreaming_tick(script: Any, character: Any, batch_size: int = 5):
    """Look for what is like memories that were not looked at yet; return {"processed", "links"}.

    "swept" are the memories that it went through for them. "error" says why it could not.
    """
    script_id, key, name = script.id, identity.identity_of(character), character.key
    counts: dict[str, Any] = {"processed": 0, "links": 0, "swept": 0}
    try:
        batch, counts["swept"], progress = yield _unprocessed(script_id, key, batch_size)
        for memory in batch:
            found, back = yield _alike(memory, key, name)
            script = lookup.script_by_id(script_id)
            if script is None:
                break
            links.save_links(script, {memory.id: found}, back=back)
            counts["processed"] += 1
            counts["links"] += len(found)
        # Only now: what was gone past and not looked at would be left for another night.
        script = lookup.script_by_id(script_id)
        if script is not None:
            links.note_progress(script, **progress)
    except MemoryUnavailable as error:
        counts["error"] = str(error)
    return counts


@inlineCallbacks
def prune_orphaned_memory_links(script: Any):
    """Cut links of and to memories that are gone, some pages at a time; return {"removed"}.

    The links of a memory go, too, when so many newer ones have theirs; what leads to it stays.
    """
    memory = get_memory()
    script_id = script.id
    if not memory.enabled or script.obj is None:
        # What is only switched off is not gone.
        return {"removed": 0}
    key = identity.identity_of(script.obj)
    pages, kept = links.next_pages(script, memories=CHECKED)
    ids = {*kept, *(other for found in kept.values() for other in found)}
    try:
        newest = yield memory.get_all(assistant_key=key, limit=1, offset=LINKED - 1)
        there = yield created(memory, ids, assistant_key=key)
    except MemoryUnavailable as error:
        return {"removed": 0, "error": str(error)}
    gone = ids - there.keys()
    aged = {one for one in there if newest and there[one] < newest[0].created}
    script = lookup.script_by_id(script_id)
    if script is None or not pages:
        return {"removed": 0}
    removed = 0
    for page in pages if gone or aged else ():
        removed += links.remove_links(script, [page], gone, aged=aged)
        yield scheduling.yield_to_reactor()
        script = lookup.script_by_id(script_id)
        if script is None:
            return {"removed": removed}
    # Only now: pages that were gone past and not cleared would have to wait for another round.
    links.note_progress(script, page=pages[-1])
    return {"removed": removed}


@inlineCallbacks
def _unprocessed(script_id: int, key: str, wanted: int):
    """Return memories that were not looked at yet, how many it went through, and how far it is then.

    The newest are looked at each time. For the others it goes on where it was; after one round
    without any it rests until something new is there.
    """
    newest = yield get_memory().get_all(assistant_key=key, limit=PAGE)
    batch = _fresh(script_id, newest)
    script = lookup.script_by_id(script_id)
    if script is None:
        return [], 0, {}
    state = links.progress(script)
    rests, offset, swept = state.rests and not batch, state.offset or PAGE, 0
    for _ in range(LOOKS):
        if len(batch) >= wanted or rests or offset >= LINKED:
            break
        older = yield get_memory().get_all(assistant_key=key, limit=PAGE, offset=offset)
        fresh = _fresh(script_id, older)
        batch += fresh
        swept += len(older)
        # What is left of this page is looked at again in the next tick.
        if not fresh or len(batch) <= wanted:
            rests = len(older) < PAGE or offset + PAGE >= LINKED
            offset = PAGE if rests else offset + PAGE
    return batch[:wanted], swept, {"offset": offset, "rests": rests}


def _fresh(script_id: int, memories: list[Memory]) -> list[Memory]:
    script = lookup.script_by_id(script_id)
    if script is None:
        return []
    known = links.linked(script, [memory.id for memory in memories])
    return [memory for memory in memories if memory.id not in known]


@inlineCallbacks
def _alike(memory: Memory, key: str, name: str):
    """Find the links of a memory of the assistant called `name`, and those that lead back."""
    audience = memory.audience
    # Only what everybody who may know the one may know as well.
    hearers = [ANYBODY] if audience == "public" else audience
    hits = yield alike(
        get_memory(),
        memory.text,
        assistant_key=key,
        hearers=hearers,
        limit=FOUND,
        names=[*filter(None, (name, memory.speaker, *(memory.metadata.get("names") or ())))],
    )
    # The scale is known once the memory was used.
    threshold = get_memory().scale.get("alike", ALIKE)
    chosen = linking.select_links(memory, hits, threshold=threshold)
    return chosen, linking.back_links(memory, hits, chosen)
