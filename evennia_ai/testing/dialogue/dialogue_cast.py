"""The cast of a dialogue: never the NPC itself, but a double with its mind, or one made afresh.

What was said in a test must not be remembered, and to take it out again afterwards would be a promise
that one forgotten place breaks. A double is deleted with all that it has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evennia.prototypes.prototypes import search_prototype
from evennia.prototypes.spawner import spawn
from evennia.utils.create import create_object
from evennia.utils.utils import class_from_module
from twisted.internet.defer import inlineCallbacks, succeed

from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import mind_archive, mind_transfer
from evennia_ai.core.records import Lore
from evennia_ai.domain.files import seed_files
from evennia_ai.domain.files.mind_shape import Mind
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import persona
from evennia_ai.memory.seeds import mind_folders, seed_yaml
from evennia_ai.memory.seeds.seeding import SUFFIXES
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing.dialogue.dialogue_plan import Dialogue, Room
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter

FRESH = f"{AssistantCharacter.__module__}.{AssistantCharacter.__name__}"
# What a double has from its mind.
LEFT_OUT = (*persona.SEEDS, "journal", "entity_profiles")

# How Evennia stores a reference to one of its objects in an Attribute.
PACKED = '"__packed_'


@dataclass(frozen=True)
class Original:
    """An NPC as plain data, from which a double is made: here, or in another database.

    `locks`, `permissions` and `attributes` are what its builder gave it: a double has the rights of
    its original, so that a test shows what a stranger can do with them.
    """

    key: str
    typeclass: str = FRESH
    aliases: tuple[str, ...] = ()
    desc: str = ""
    locks: str = ""
    permissions: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    persona: Mapping[str, Any] = field(default_factory=dict)
    lore: tuple[Lore, ...] = ()
    mind: Mind | None = None
    prototype: Mapping[str, Any] | None = None
    room: Room = Room()


def find(dialogue: Dialogue, npcs: list[Any]) -> Any:
    """Return a Deferred of the `Original` that a dialogue names; `npcs` are the game's own.

    It fails with ValueError, whose text is a sentence.
    """
    if dialogue.source == "seed":
        return succeed(_seeded(dialogue))
    if dialogue.source == "prototype":
        return succeed(_prototype(dialogue))
    if dialogue.source:
        reading = mind_archive.read(dialogue.source_name)
        return reading.addCallback(lambda mind: Original(key=dialogue.npc, mind=mind))
    return _of_game(_called(dialogue.npc, npcs))


@inlineCallbacks
def make(original: Original, room: Any, *, keep: Callable[[Any], Any]):
    """Make the double in a room; return it, with its mind on.

    `keep` is called with it as soon as it is there, so that it is deleted whatever happens then.
    """
    if original.prototype is not None:
        # Not the mind that waits for the next body of this prototype: the double is deleted.
        where = {"location": room, "home": room}
        [npc] = spawn({**original.prototype, **where, waiting.SEED: ""})
        keep(npc)
        scripts.attach(npc, mind_key="")
        return npc
    npc = create_object(
        class_from_module(original.typeclass),
        key=original.key,
        location=room,
        home=room,
        aliases=list(original.aliases),
        permissions=list(original.permissions),
        locks=original.locks or None,
        attributes=list(original.attributes.items()),
    )
    keep(npc)
    if original.desc:
        npc.db.desc = original.desc
    persona.save_persona(npc, dict(original.persona))
    persona.save_lore(npc, list(original.lore))
    npc_settings.grant(npc, allowed_commands=list(original.commands))
    script = scripts.attach(npc, mind_key="")
    if original.mind is not None:
        # Whatever it noted meanwhile would be written over.
        script.disable()
        yield mind_transfer.give_mind(npc, script, original.mind)
        scripts.find(npc).enable()
    return npc


@inlineCallbacks
def _of_game(npc: Any):
    """Return an NPC of the game with the whole of its mind; the NPC is only read."""
    room = npc.location
    kept = {one.db_key: one.db_value for one in npc.attributes.all() if one.db_category is None}
    shown = Room()
    if room is not None:
        shown = Room(room.key, str(room.db.desc or ""), presence.is_secluded(room))
    found = Original(
        key=npc.key,
        typeclass=npc.typeclass_path,
        aliases=tuple(npc.aliases.all()),
        locks=str(npc.locks),
        permissions=tuple(npc.permissions.all()),
        attributes={
            key: value for key, value in kept.items() if key not in LEFT_OUT and _is_plain(value)
        },
        commands=tuple(npc_settings.allowed_commands(npc)),
        room=shown,
    )
    mind = yield mind_transfer.take_mind(npc, scripts.find(npc))
    return _with_mind(found, mind)


def _with_mind(found: Original, mind: Mind) -> Original:
    return Original(**{**vars(found), "mind": mind})


def _seeded(dialogue: Dialogue) -> Original:
    content = dialogue.seed
    file, data = ("seed", b"") if content is not None else _seed_file(dialogue.source_name)
    try:
        content = seed_yaml.load(data) if content is None else content
        seeds, _ = seed_files.parse(content, fields=persona.FIELDS, lines=persona.LINES)
        seed = _the_one(seeds, dialogue.npc)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    every = [content, *(content.get("npcs") or ())]
    written = next(one for one in every if str(one.get("name", "")).strip() == seed.name)
    return Original(
        key=seed.name,
        aliases=tuple(map(str, written.get("aliases") or ())),
        desc=str(written.get("desc") or ""),
        persona=seed.persona,
        lore=tuple(seed.lore),
    )


def _seed_file(name: str) -> tuple[str, bytes]:
    file = mind_folders.find(name, folder=mind_folders.SEEDS, suffixes=SUFFIXES)
    return file, mind_folders.read(file, folder=mind_folders.SEEDS, limit=mind_folders.SEED_BYTES)


def _the_one(seeds: list[seed_files.Seed], name: str) -> seed_files.Seed:
    wanted = [seed for seed in seeds if not name or seed.name.casefold() == name.casefold()]
    if len(wanted) == 1:
        return wanted[0]
    listed = ", ".join(seed.name for seed in seeds)
    raise ValueError(f"it describes {listed or 'nobody'}; npc has to name one of them.")


def _prototype(dialogue: Dialogue) -> Original:
    found = search_prototype(dialogue.source_name)
    if len(found) != 1:
        raise ValueError(f"there is no prototype {dialogue.source_name}.")
    key = dialogue.npc or str(found[0].get("key") or dialogue.source_name)
    return Original(key=key, prototype={**found[0], "key": key})


def _called(name: str, npcs: list[Any]) -> Any:
    same = name.casefold()
    found = [npc for npc in npcs if npc.key.casefold() == same or f"#{npc.id}" == name]
    if not found:
        raise ValueError(
            f"there is no assistant called {name}; in an empty game, name a seed, a prototype or a mind."
        )
    if len(found) > 1:
        numbers = ", ".join(f"'#{npc.id}'" for npc in found)
        raise ValueError(f"{len(found)} assistants are called {name}; write one of {numbers}.")
    return found[0]


def _is_plain(value: Any) -> bool:
    """Return whether a value can stand in another database: no objects of the game."""
    try:
        return PACKED not in json.dumps(value)
    except (TypeError, ValueError):
        return False
