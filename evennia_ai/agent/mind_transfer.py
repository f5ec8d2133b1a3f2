"""A whole mind out of its NPC as plain data, and into another one that remembers nothing yet.

What a builder grants stays where it is (commands, channels, locks, a group's experience): a file
hands on what was learned, and no rights.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python.failure import Failure

from evennia_ai import conf, pace
from evennia_ai.domain import consolidation, mind_file
from evennia_ai.domain.mind_file import Mind
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
NO_EXPERIENCE: dict[str, list[Any]] = {"decisions": [], "trajectories": [], "feedback": []}


@inlineCallbacks
def take_mind(npc: Any, script: Any):
    """Return the whole mind of an NPC, as `domain.mind_file.MIND` describes it.

    Raises:
        MemoryUnavailable: long-term memory or experience cannot be read.
    """
    key, is_own = identity.identity_of(npc), not _shares_experience(npc)
    experience = experience_of(script, npc)
    # What is on the NPC comes first: an entry that sleep keeps for good meanwhile is then in the file
    # twice, which the next sleep sees, and not missing from both.
    mind = {**_of_body(npc), **_of_mind(script)}
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

    Fails with MemoryUnavailable where long-term memory cannot keep what there is.
    """
    npc_id, script_id = npc.id, script.id
    given = _give(npc_id, script_id, mind)
    return given.addErrback(_undo, npc_id, script_id)


@inlineCallbacks
def _give(npc_id: int, script_id: int, mind: Mind):
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    key = identity.identity_of(npc)
    # Beside the reactor: a long life has a hundred thousand places to look at.
    whole = yield worker.get_worker().run(mind_file.handed_over, mind, key)
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    if not _shares_experience(npc):
        yield experience_of(script, npc).restore(whole["experience"])
    ids = yield _keep_memories(whole["memories"], key)
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    with attributes.together(npc, script):
        _put_on_body(npc, whole)
        _put_on_mind(script, whole, mind_file.with_memory_ids(whole, ids))


@inlineCallbacks
def _undo(failure: Failure, npc_id: int, script_id: int):
    """Take back what was kept beside the NPC, which was blank before; then fail as it failed."""
    npc, script = lookup.object_by_id(npc_id), lookup.script_by_id(script_id)
    if npc is not None and script is not None:
        key, experience = identity.identity_of(npc), experience_of(script, npc)
        if not _shares_experience(npc):
            yield experience.clear()
        yield get_memory().delete_scope(assistant_key=key)
    return failure


def _shares_experience(npc: Any) -> bool:
    return bool(attributes.load(npc, "experience_scope", category=None))


def _of_body(npc: Any) -> Mind:
    kept = journal.journal(npc)
    chosen = {key: attributes.load(npc, key, category=None) for key in SETTINGS}
    return {
        "identity": identity.identity_of(npc),
        "persona": {key: value for key, value in persona.load_persona(npc).items() if value},
        "lore": persona.load_lore(npc),
        "settings": {key: value for key, value in chosen.items() if value},
        "journal": {
            "entries": kept["entries"],
            "entry_count": kept["entry_count"],
            "max_entries": kept["max_entries"],
            "last_reflection": kept["last_reflection"],
        },
        "noticed_until": entity_backlog.noticed_until(npc),
        "profiles": dict(entity_profiles.profiles(npc).items()),
        "conversations": working_memory.conversations(npc),
    }


def _of_mind(script: Any) -> Mind:
    schedule = night.own_schedule(script)
    linked = links.memory_links(script)
    return {
        "goals": goals.goals(script),
        "projects": goals.projects(script),
        "reminders": assistant.reminders(script),
        "schedule": schedule if isinstance(schedule, dict) else None,
        "reflection": reflection.reflection_state(script),
        "links": {memory: kept["linked_to"] for memory, kept in linked.items()},
    }


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


def _put_on_body(npc: Any, mind: Mind) -> None:
    persona.save_persona(npc, mind["persona"])
    persona.save_lore(npc, mind["lore"])
    values: dict[tuple[str, str | None], Any] = {
        # A journal in one piece, which becomes pages as it is looked at.
        (journal_pages.KEY, None): mind["journal"],
        **{(key, None): mind["settings"][key] for key in SETTINGS if key in mind["settings"]},
        **{(who, entity_profiles.CATEGORY): one for who, one in mind["profiles"].items()},
        **{(who, working_memory.CATEGORY): one for who, one in mind["conversations"].items()},
    }
    for who, known in mind["profiles"].items():
        if known["name"]:
            page = values.setdefault((who[0], entity_profiles.NAMES_CATEGORY), {})
            page[who] = known["name"]
        if len(consolidation.waiting(known)) >= conf.get("ENTITY_OBSERVATIONS"):
            values[(who, entity_backlog.CATEGORY)] = True
    attributes.save_all(npc, values)
    entity_backlog.note_noticed(npc, mind["noticed_until"])
    journal.size(npc)


def _put_on_mind(script: Any, mind: Mind, linked: dict[str, list[dict[str, Any]]]) -> None:
    kept = {
        goals.GOALS: mind["goals"],
        goals.PROJECTS: mind["projects"],
        assistant.REMINDERS: mind["reminders"],
        reflection.KEY: mind["reflection"],
    }
    if mind["schedule"] is not None:
        kept[night.SCHEDULE] = mind["schedule"]
    attributes.save_all(script, {(key, None): value for key, value in kept.items()})
    links.save_links(script, linked)
