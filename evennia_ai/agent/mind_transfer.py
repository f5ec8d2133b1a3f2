"""A whole mind out of its NPC as plain data, and into another one that remembers nothing yet.

What a builder grants stays where it is (commands, channels, locks, a group's experience): a file
hands on what was learned, and no rights.

A long life is read and written a few Attributes at a time, so that the game goes on meanwhile. An NPC
is marked until it has all of a mind: what a crash left of one is taken back at the next start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evennia.objects.models import ObjectDB
from evennia.utils import logger
from twisted.internet.defer import Deferred, fail, inlineCallbacks
from twisted.python.failure import Failure

from evennia_ai import pace
from evennia_ai.agent import forgotten_here, mind_layout
from evennia_ai.domain import mind_file
from evennia_ai.domain.mind_file import Mind
from evennia_ai.experience.base import Experience
from evennia_ai.experience.scope import experience_of
from evennia_ai.semantic import worker
from evennia_ai.semantic.base import get_memory
from evennia_ai.storage import (
    assistant,
    attributes,
    entity_backlog,
    entity_profiles,
    goals,
    identity,
    journal,
    journal_pages,
    links,
    lookup,
    night,
    persona,
    reflection,
    working_memory,
)

# Memories that are fetched or kept at once.
PAGE = 500
# What a builder said of how it behaves, on the NPC under plain names.
SETTINGS = ("talkative", "gossip")
# Stands on an NPC while a mind is being put into it.
UNFINISHED = "unfinished_mind"
NO_EXPERIENCE: dict[str, list[Any]] = {"decisions": [], "trajectories": [], "feedback": []}


@inlineCallbacks
def take_mind(npc: Any, script: Any):
    """Return the whole mind of an NPC, as `domain.mind_file.MIND` describes it.

    Raises:
        MemoryUnavailable: long-term memory or experience cannot be read.
        ValueError: the NPC is gone.
    """
    key, is_own = identity.identity_of(npc), not _shares_experience(npc)
    experience, npc_id, script_id = experience_of(script, npc), npc.id, script.id
    # What is on the NPC comes first: an entry that sleep keeps for good meanwhile is then in the file
    # twice, which the next sleep sees, and not missing from both.
    mind = {**_of_body(npc), **_of_mind(script)}
    mind.update((yield _of_pieces(npc_id, mind["journal"])))
    mind["links"] = yield _links(script_id)
    mind["memories"] = yield _memories(key)
    mind["experience"] = (yield experience.dump()) if is_own else NO_EXPERIENCE
    return mind


@inlineCallbacks
def is_blank(npc: Any, script: Any):
    """Return whether an NPC remembers nothing, so that a mind can be put into it."""
    if journal.size(npc) or len(entity_profiles.profiles(npc)) or goals.goals(script):
        return False
    if working_memory.conversations(npc) or assistant.reminders(script):
        return False
    key = identity.identity_of(npc)
    experience = None if _shares_experience(npc) else experience_of(script, npc)
    if (yield get_memory().get_all(assistant_key=key, limit=1)):
        return False
    stats = (yield experience.get_stats()) if experience else {"total_memories": 0}
    return not stats["total_memories"]


def give_mind(npc: Any, script: Any, mind: Mind) -> Deferred[None]:
    """Put a mind into an NPC that is blank and switched off: all of it, or nothing.

    Fails with MemoryUnavailable where long-term memory cannot keep what there is, and with ValueError
    if another mind is being put into it.
    """
    if attributes.load(npc, UNFINISHED):
        return fail(ValueError("A mind is being put into it already."))
    attributes.save(npc, UNFINISHED, True)
    key, experience = identity.identity_of(npc), _own_experience(npc, script)
    given = _give(npc.id, script.id, mind, experience)
    return given.addErrback(_undo, npc.id, key, experience)


@inlineCallbacks
def take_back_halves():
    """Take back what a crash has left of minds; for the start of the server."""
    marked = {
        "db_attributes__db_key": UNFINISHED,
        "db_attributes__db_category": attributes.CATEGORY,
    }
    for npc_id in list(ObjectDB.objects.filter(**marked).values_list("id", flat=True)):
        npc = lookup.object_by_id(npc_id)
        experience = _own_experience(npc, forgotten_here.mind_of(npc))
        yield _take_back(npc_id, identity.identity_of(npc), experience)
        logger.log_warn(f"evennia_ai: a mind was put into #{npc_id} by half, and is taken back.")


@inlineCallbacks
def _give(npc_id: int, script_id: int, mind: Mind, experience: Experience | None):
    key, beside = identity.identity_of(_there(npc_id)), worker.get_worker()
    # Beside the reactor: a long life has a hundred thousand places to look at.
    whole = yield beside.run(mind_file.handed_over, mind, key)
    if experience is not None:
        yield experience.restore(whole["experience"])
    ids = yield _keep_memories(whole["memories"], key)
    layout = yield beside.run(mind_layout.of_mind, whole, ids)
    for piece in layout.pieces:
        attributes.save_all(_there(npc_id), piece)
        yield pace.breath()
    for part in layout.links:
        links.save_links(_mind_there(script_id), part)
        yield pace.breath()
    npc, script = _there(npc_id), _mind_there(script_id)
    with attributes.together(npc, script):
        _put_on_body(npc, whole, layout.journal_head)
        _put_on_mind(script, whole)


@inlineCallbacks
def _undo(failure: Failure, npc_id: int, key: str, experience: Experience | None):
    """Let an NPC be as blank as before; then fail as it failed."""
    yield _take_back(npc_id, key, experience)
    return failure


@inlineCallbacks
def _take_back(npc_id: int, key: str, experience: Experience | None):
    """Let an NPC that was blank before, or is gone by now, forget all that it was given."""
    npc = lookup.object_by_id(npc_id)
    script = None if npc is None else forgotten_here.mind_of(npc)
    for category in identity.MEMORY_CATEGORIES if npc is not None else ():
        yield _clear(lookup.object_by_id, npc_id, category)
    if script is not None:
        yield _clear(lookup.script_by_id, script.id, links.CATEGORY)
    npc = lookup.object_by_id(npc_id)
    if npc is not None:
        # Whoever looked at it meanwhile has given its journal a head.
        identity.forget_everything(npc)
    try:
        if experience is not None:
            yield experience.clear()
        yield get_memory().delete_scope(assistant_key=key)
    finally:
        # If memory cannot be reached, staff are told that the NPC is not blank. A mark would let it
        # forget at some later start what it has lived through since.
        npc = lookup.object_by_id(npc_id)
        if npc is not None:
            attributes.save_all(npc, {}, removed=[(UNFINISHED, attributes.CATEGORY)])


@inlineCallbacks
def _clear(find: Callable[[int], Any], object_id: int, category: str):
    obj = find(object_id)
    for keys in mind_layout.in_pieces(attributes.keys(obj, category=category) if obj else ()):
        obj = find(object_id)
        if obj is None:
            return
        attributes.save_all(obj, {}, removed=[(key, category) for key in keys])
        yield pace.breath()


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


def _own_experience(npc: Any, script: Any) -> Experience | None:
    return None if script is None or _shares_experience(npc) else experience_of(script, npc)


def _shares_experience(npc: Any) -> bool:
    return bool(attributes.load(npc, "experience_scope", category=None))


def _of_body(npc: Any) -> Mind:
    head = journal_pages.load_head(npc)
    chosen = {key: attributes.load(npc, key, category=None) for key in SETTINGS}
    return {
        "identity": identity.identity_of(npc),
        "persona": {key: value for key, value in persona.load_persona(npc).items() if value},
        "lore": persona.load_lore(npc),
        "settings": {key: value for key, value in chosen.items() if value},
        "journal": {key: head[key] for key in ("entry_count", "max_entries", "last_reflection")},
        "noticed_until": entity_backlog.noticed_until(npc),
    }


def _of_mind(script: Any) -> Mind:
    schedule = night.own_schedule(script)
    return {
        "goals": goals.goals(script),
        "projects": goals.projects(script),
        "reminders": assistant.reminders(script),
        "schedule": schedule if isinstance(schedule, dict) else None,
        "reflection": reflection.reflection_state(script),
    }


@inlineCallbacks
def _of_pieces(npc_id: int, head: dict[str, Any]):
    """Return what lies in many Attributes of a body: the journal, whom it knows, what was said."""
    beside = worker.get_worker()
    entries: list[dict[str, Any]] = []
    last = journal_pages.page_of(head["entry_count"])
    for numbers in mind_layout.in_pieces(range(last + 1)):
        found = journal_pages.load_entries(_there(npc_id), only=numbers)
        # What was noted since is not in the file.
        entries += [one for one in found if one["id"] <= head["entry_count"]]
        yield pace.breath()
    known = yield _read(lookup.object_by_id, npc_id, entity_profiles.CATEGORY)
    profiles = yield beside.run(mind_layout.profiles_of, known, now=pace.now())
    said = yield _read(lookup.object_by_id, npc_id, working_memory.CATEGORY)
    return {"journal": {"entries": entries, **head}, "profiles": profiles, "conversations": said}


@inlineCallbacks
def _links(script_id: int):
    """Return the links of all memories by their ids."""
    pages = yield _read(lookup.script_by_id, script_id, links.CATEGORY)
    linked = yield worker.get_worker().run(links.read_pages, pages)
    return {memory: kept["linked_to"] for memory, kept in linked.items()}


@inlineCallbacks
def _read(find: Callable[[int], Any], object_id: int, category: str):
    """Return the Attributes of a category by key; a few at a time, since some have thousands."""
    found: dict[str, Any] = {}
    for keys in mind_layout.in_pieces(attributes.keys(_found(find, object_id), category=category)):
        obj = _found(find, object_id)
        found.update(attributes.load_all(obj, category=category, only=keys))
        yield pace.breath()
    return found


@inlineCallbacks
def _memories(key: str):
    """Return all long-term memories, the oldest first."""
    memory = get_memory()
    found: list[dict[str, Any]] = []
    while True:
        page = yield memory.get_all(assistant_key=key, limit=PAGE, offset=len(found))
        found += page
        if len(page) < PAGE:
            return found[::-1]
        yield pace.breath()


@inlineCallbacks
def _keep_memories(memories: list[dict[str, Any]], key: str):
    """Keep long-term memories; return under which ids, by the ids that they had."""
    ids: dict[str, str] = {}
    for start in range(0, len(memories), PAGE):
        page = memories[start : start + PAGE]
        items = [
            {
                "text": one["text"],
                "assistant_key": key,
                "audience": one["audience"],
                # What has no time of its own was learnt when it was kept.
                "metadata": {"timestamp": one["created"], **one["metadata"]},
            }
            for one in page
        ]
        added = yield get_memory().add_all(items)
        ids.update({one["id"]: kept.id for one, kept in zip(page, added, strict=True)})
        yield pace.breath()
    return ids


def _put_on_body(npc: Any, mind: Mind, journal_head: dict[str, Any]) -> None:
    persona.save_persona(npc, mind["persona"])
    persona.save_lore(npc, mind["lore"])
    chosen = {(key, None): mind["settings"][key] for key in SETTINGS if key in mind["settings"]}
    values: dict[tuple[str, str | None], Any] = {(journal_pages.KEY, None): journal_head, **chosen}
    attributes.save_all(npc, values, removed=[(UNFINISHED, attributes.CATEGORY)])
    entity_backlog.note_noticed(npc, mind["noticed_until"])


def _put_on_mind(script: Any, mind: Mind) -> None:
    kept = {
        goals.GOALS: mind["goals"],
        goals.PROJECTS: mind["projects"],
        assistant.REMINDERS: mind["reminders"],
        reflection.KEY: mind["reflection"],
    }
    if mind["schedule"] is not None:
        kept[night.SCHEDULE] = mind["schedule"]
    attributes.save_all(script, {(key, None): value for key, value in kept.items()})
