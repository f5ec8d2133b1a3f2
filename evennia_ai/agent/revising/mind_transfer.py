"""A whole mind out of its NPC as plain data, and into another one that remembers nothing yet.

What a builder grants stays where it is (commands, channels, locks, a group's experience): a file
hands on what was learned, and no rights.

A long life is read and written a few Attributes at a time, so that the game goes on meanwhile; the records of an imported
mind are worked out as plain data beside the reactor. An NPC
is marked until it has all of a mind: what a crash left of one is taken back at the next start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from evennia.objects.models import ObjectDB
from evennia.utils import logger
from msgspec import structs
from twisted.internet.defer import Deferred, fail, inlineCallbacks
from twisted.python.failure import Failure

from evennia_ai import scheduling
from evennia_ai.core.records import Link, Reminder
from evennia_ai.domain.files import mind_file, mind_shape
from evennia_ai.domain.files.mind_shape import Mind
from evennia_ai.domain.sleeping import consolidation_rules
from evennia_ai.lifecycle import store_handlers
from evennia_ai.lifecycle.store_handlers import Whose
from evennia_ai.memory import (
    identity,
    journal,
    journal_pages,
    kinds,
    links,
    lookup,
    repository,
)
from evennia_ai.memory.kinds import Kind
from evennia_ai.memory.people import entity_backlog, entity_profiles
from evennia_ai.memory.repository import Place
from evennia_ai.memory.state import assistant, npc_settings, reflection_state
from evennia_ai.memory.storage import pages
from evennia_ai.semantic import memory_thread


@inlineCallbacks
def take_mind(npc: Any, script: Any):
    """Return the whole mind of an NPC, as `domain.files.mind_shape` describes it.

    Raises:
        MemoryUnavailable: long-term memory or experience cannot be read.
        ValueError: the NPC is gone.
    """
    whose, npc_id, script_id = store_handlers.whose(npc, script), npc.id, script.id
    # What is on the NPC comes first: an entry that sleep keeps for good meanwhile is then in the file
    # twice, which the next sleep sees, and not missing from both.
    mind = _of_body(npc)
    parts: dict[Kind[Any], Any] = {}
    for kind in in_files(keyed=False):
        place = npc if kind.on == kinds.BODY else script
        kept = repository.load(place, kind)
        parts[kind] = kind.empty() if kept is None else kept
    parts[kinds.REFLECTION] = reflection_state.reflection_state(script)
    schedule = npc_settings.of_mind(script).get(npc_settings.SCHEDULE)
    mind["journal"]["entries"] = yield _entries(npc_id, mind["journal"]["entry_count"])
    for kind in in_files(keyed=True):
        find, place_id = _place_of(kind, npc_id, script_id)
        # Who is remembered for their visit only is in no file, nor who leaves while it is read.
        visitors = set(assistant.guests(_mind_there(script_id)))
        kept = yield _read(find, place_id, kind)
        visitors.update(assistant.guests(_mind_there(script_id)))
        parts[kind] = {key: kept[key] for key in kept if key not in visitors}
    mind.update(put_together(parts))
    mind["schedule"] = schedule if isinstance(schedule, dict) else None
    mind["links"] = yield _links(script_id)
    for kind, handler in store_handlers.all_handlers():
        if kind.file_name:
            holder = mind if kind.file_name in mind_shape.KEYS else mind[MORE]
            holder[kind.file_name] = yield handler.dump(whose)
    return mind


@inlineCallbacks
def is_blank(npc: Any, script: Any):
    """Return whether an NPC remembers nothing, so that a mind can be put into it."""
    for obj, place in ((npc, kinds.BODY), (script, kinds.MIND)):
        remembered = [
            kind
            for kind in kinds.on(place)
            if (kind.file_name or kind is kinds.JOURNAL)
            and kind.role == "memory"
            and (kind.keyed or kind.is_list)
        ]
        if repository.has_any(obj, remembered):
            return False
    whose = store_handlers.whose(npc, script)
    for _, handler in store_handlers.all_handlers():
        if not (yield handler.is_blank(whose)):
            return False
    return True


def give_mind(npc: Any, script: Any, mind: Mind) -> Deferred[None]:
    """Put a mind into an NPC that is blank and switched off: all of it, or nothing.

    Fails with MemoryUnavailable where long-term memory cannot keep what there is, and with ValueError
    if another mind is being put into it.
    """
    if repository.load(npc, kinds.UNFINISHED):
        return fail(ValueError("A mind is being put into it already."))
    repository.save(npc, kinds.UNFINISHED, True)
    whose = store_handlers.whose(npc, script)
    return _give(whose, mind).addErrback(_undo, whose)


@inlineCallbacks
def take_back_halves():
    """Take back what a crash has left of minds; for the start of the server."""
    for npc_id in repository.owners(ObjectDB, kinds.UNFINISHED):
        npc = lookup.object_by_id(npc_id)
        yield _take_back(store_handlers.whose(npc, lookup.mind_of(npc)))
        logger.log_warn(f"evennia_ai: a mind was put into #{npc_id} by half, and is taken back.")


@inlineCallbacks
def _give(whose: Whose, mind: Mind):
    npc_id, script_id, beside = whose.npc_id, whose.script_id, memory_thread.get_worker()
    # Beside the reactor: a long life has a hundred thousand places to look at.
    whole = yield beside.run(mind_file.handed_over, mind, whose.identity)
    ids: dict[str, str] = {}
    for kind, handler in store_handlers.all_handlers():
        if kind.file_name:
            ids.update((yield handler.restore(whose, whole)))
    layout = yield beside.run(of_mind, whole, ids)
    for piece in layout.pieces:
        for find, place_id in ((lookup.object_by_id, npc_id), (lookup.script_by_id, script_id)):
            lies_there = {
                one: piece[one] for one in piece if _place_of(one[0], npc_id, script_id)[0] is find
            }
            repository.save_all(_found(find, place_id), lies_there)
        yield scheduling.yield_to_reactor()
    for part in layout.links:
        links.save_links(_mind_there(script_id), part)
        yield scheduling.yield_to_reactor()
    npc, script = _there(npc_id), _mind_there(script_id)
    with repository.together(npc, script):
        repository.save_all(npc, layout.on_body, removed=[(kinds.UNFINISHED, "")])
        entity_backlog.note_noticed(npc, whole["noticed_until"])
        repository.save_all(script, {**layout.on_mind, **_promises(layout)})
        if whole["schedule"] is not None:
            npc_settings.choose_for_mind(script, **{npc_settings.SCHEDULE: whole["schedule"]})


@inlineCallbacks
def _undo(failure: Failure, whose: Whose):
    """Let an NPC be as blank as before; then fail as it failed."""
    yield _take_back(whose)
    return failure


@inlineCallbacks
def _take_back(whose: Whose):
    """Let an NPC that was blank before, or is gone by now, forget all that it was given."""
    npc_id = whose.npc_id
    for kind in kinds.all_kinds():
        find, place_id = _place_of(kind, npc_id, whose.script_id)
        if kind.role == "memory" and kind.keyed and find(place_id) is not None:
            yield _clear(find, place_id, kind)
    npc = lookup.object_by_id(npc_id)
    if npc is not None:
        # Whoever looked at it meanwhile has given its journal a head.
        identity.forget_everything(npc)
    try:
        for kind, handler in store_handlers.all_handlers():
            if kind.file_name:
                yield handler.clear(whose)
    finally:
        # If memory cannot be reached, staff are told that the NPC is not blank. A mark would let it
        # forget at some later start what it has lived through since.
        npc = lookup.object_by_id(npc_id)
        if npc is not None:
            repository.remove(npc, kinds.UNFINISHED)


@inlineCallbacks
def _clear(find: Callable[[int], Any], object_id: int, kind: Kind[Any]):
    obj = find(object_id)
    for keys in in_pieces(repository.keys(obj, kind)):
        obj = find(object_id)
        if obj is None:
            return
        repository.save_all(obj, {}, removed=[(kind, key) for key in keys])
        yield scheduling.yield_to_reactor()


def _promises(layout: Layout) -> dict[repository.Place, Any]:
    """Return the reminders as they are of use here: in another game numbers are of somebody else."""
    place: repository.Place = (kinds.REMINDERS, "")
    return {place: [_of_here(one) for one in layout.on_mind.get(place, [])]}


def _of_here(reminder: Reminder) -> Reminder:
    promised = lookup.object_by_id(reminder.actor_id)
    is_known = promised is not None and identity.has_own(promised)
    if is_known and identity.identity_of(promised) == reminder.said_by:
        return reminder
    return structs.replace(reminder, actor_id=0, payer=0)


def _there(npc_id: int) -> Any:
    return _found(lookup.object_by_id, npc_id)


def _mind_there(script_id: int) -> Any:
    return _found(lookup.script_by_id, script_id)


def _found(find: Callable[[int], Any], object_id: int) -> Any:
    """Return an object, which may have gone while something was waited for."""
    obj = find(object_id)
    if obj is None:
        raise ValueError("It is gone.")
    return obj


def _of_body(npc: Any) -> Mind:
    return {
        "identity": identity.identity_of(npc),
        "journal": journal.summary(npc),
        "noticed_until": entity_backlog.noticed_until(npc),
    }


def _place_of(kind: Kind[Any], npc_id: int, script_id: int) -> tuple[Callable[[int], Any], int]:
    """Return where a kind lies: how it is looked up, and its id."""
    if kind.on == kinds.BODY:
        return lookup.object_by_id, npc_id
    return lookup.script_by_id, script_id


@inlineCallbacks
def _entries(npc_id: int, last_id: int):
    """Return the entries of the journal up to one; what was noted since is not in the file."""
    entries: list[dict[str, Any]] = []
    for numbers in in_pieces(range(journal_pages.page_of(last_id) + 1)):
        found = journal_pages.load_entries(_there(npc_id), only=numbers)
        entries += [pages.plain(one) for one in found if one.id <= last_id]
        yield scheduling.yield_to_reactor()
    return entries


@inlineCallbacks
def _links(script_id: int):
    kept = yield _read(lookup.script_by_id, script_id, kinds.LINKS)
    return (yield memory_thread.get_worker().run(links_of, kept))


@inlineCallbacks
def _read(find: Callable[[int], Any], object_id: int, kind: Kind[Any]):
    """Return what is kept of a kind by key; a few at a time, since some have thousands."""
    found: dict[str, Any] = {}
    for keys in in_pieces(repository.keys(_found(find, object_id), kind)):
        obj = _found(find, object_id)
        found.update(repository.load_all(obj, kind, only=keys))
        yield scheduling.yield_to_reactor()
    return found


# Attributes that are read or written in one piece; the largest take a millisecond each.
PIECE = 4
# In a file, what kinds of the game's own keep stands under this key.
MORE = "more"


class Layout(NamedTuple):
    """What is written of a mind: piece by piece, and in the end what makes it a whole."""

    pieces: list[dict[Place, Any]]
    links: list[dict[str, list[Link]]]
    on_body: dict[Place, Any]
    on_mind: dict[Place, Any]


def of_mind(mind: Mind, ids: dict[str, str]) -> Layout:
    """Return the layout of a mind whose memories are kept under the ids that `ids` has for theirs."""
    mind = {**mind, "goals": _goals(mind["goals"])}
    head, entries = journal_pages.laid_out(mind["journal"])
    rows: dict[Place, Any] = {(kinds.JOURNAL, key): page for key, page in entries.items()}
    for kind in in_files(keyed=True):
        for key, value in part_of(mind, kind).items():
            rows[kind, key] = pages.shaped(kind, value)
    for who in mind["profiles"]:
        known = rows[kinds.PROFILES, who]
        if known.name:
            rows.setdefault((kinds.NAMES, kinds.name_page(who)), {})[who] = known.name
        if len(consolidation_rules.waiting(known)) >= entity_profiles.RIPE:
            rows[kinds.BACKLOG, who] = 1
    on = {
        place: {
            (kind, ""): pages.shaped(kind, part)
            for kind in in_files(keyed=False)
            if kind.on == place and (part := part_of(mind, kind)) is not None
        }
        for place in (kinds.BODY, kinds.MIND)
    }
    return Layout(
        [{place: rows[place] for place in places} for places in in_pieces(rows)],
        links.divided(mind_file.with_memory_ids(mind, ids)),
        {**on[kinds.BODY], (kinds.JOURNAL_HEAD, ""): head},
        on[kinds.MIND],
    )


def in_files(*, keyed: bool) -> list[Kind[Any]]:
    """Return the kinds that stand in the file of a mind, those with keys or those without."""
    return [kind for kind in kinds.all_kinds() if kind.file_name and kind.keyed == keyed]


def part_of(mind: Mind, kind: Kind[Any]) -> Any:
    """Return what the file of a mind has of a kind."""
    empty: Any = {} if kind.keyed else kind.empty()
    holder = mind if kind.file_name in mind_shape.KEYS else mind.get(MORE, {})
    return holder.get(kind.file_name, empty)


def put_together(parts: dict[Kind[Any], Any]) -> Mind:
    """Return what of a mind stands in a file, from what each kind has."""
    mind: Mind = {MORE: {}}
    for kind, value in parts.items():
        ours = kind.file_name in mind_shape.KEYS
        if value is not None and (ours or value):
            (mind if ours else mind[MORE])[kind.file_name] = pages.plain(value)
    return mind


def links_of(kept: dict[str, links.Page]) -> dict[str, Any]:
    """Return the links on pages by the memories that they are from, as they stand in a file."""
    linked = links.read_pages(kept)
    return {memory: pages.plain(one.linked_to) for memory, one in linked.items()}


def in_pieces(keys: Iterable[Any]) -> list[list[Any]]:
    """Return keys in lists of as many as are read or written at once."""
    listed = list(keys)
    return [listed[start : start + PIECE] for start in range(0, len(listed), PIECE)]


def _goals(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return goals without their steps: the things and rooms in them are those of another body."""
    return [{key: kept for key, kept in goal.items() if key != "plan"} for goal in given]
