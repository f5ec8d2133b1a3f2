"""Seeds on NPCs: who is meant by a file, what it would change, and doing all of it or nothing.

Beside persona and lore an NPC keeps what of them is owned by which file, without the words.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from evennia.typeclasses.models import TypedObject

from evennia_ai.core.records import Lore, Persona
from evennia_ai.domain.files import seed_files
from evennia_ai.memory import kinds, persona, repository, routine
from evennia_ai.memory.seeds import mind_folders, seed_yaml

SUFFIXES = (".yaml", ".yml")


class Planned(NamedTuple):
    """What a file makes of one NPC.

    `joins` is the scope by which it would be let in on what others know from this file already, and
    "" if it was so before, or is named. Any builder can tag an NPC of theirs: who seeds says yes.
    """

    npc: TypedObject
    plan: seed_files.Plan
    joins: str = ""


def read(
    name: str, npcs: Iterable[TypedObject], *, with_unchanged: bool = False
) -> tuple[str, list[Planned]]:
    """Return the name of a seed with its suffix, and what it would make of whom of these NPCs.

    Those of whom nothing would change are left out, unless they are asked for.

    Raises:
        ValueError: the file cannot be read, or something in it is wrong: one sentence with the
            file, the NPC and the key.
    """
    file = mind_folders.find(name, folder=mind_folders.SEEDS, suffixes=SUFFIXES)
    data = mind_folders.read(file, folder=mind_folders.SEEDS, limit=mind_folders.SEED_BYTES)
    try:
        seeds, scoped = seed_files.parse(
            seed_yaml.load(data, with_lines=True),
            fields=persona.FIELDS,
            lines=persona.LINES,
            problem=routine.problem,
            lock_problem=routine.lock_problem,
            trigger_problem=routine.trigger_problem,
            model_problem=persona.model_problem,
        )
        planned = _plan(str(PurePosixPath(file)), seeds, scoped, list(npcs))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if with_unchanged:
        return file, planned
    return file, select_changed(file, planned)


def select_changed(file: str, planned: Iterable[Planned]) -> list[Planned]:
    """Return those of whom something would change."""
    return [one for one in planned if one.plan.changes or _is_owned_anew(file, one)]


def apply(file: str, planned: Iterable[Planned]) -> None:
    """Write what was planned, on all NPCs or on none."""
    changed = list(planned)
    with repository.together(*(one.npc for one in changed)):
        for npc, plan, _ in changed:
            persona.save_persona(npc, plan.persona)
            persona.save_lore(npc, plan.lore)
            owned = {**_owned(npc), file: plan.owned}
            left = {one: kept for one, kept in owned.items() if any(kept.values())}
            repository.save(npc, kinds.SEEDED, left)


def files_of(npc: TypedObject, fact: Lore) -> list[str]:
    mark = seed_files.fingerprint(fact)
    return sorted(file for file, kept in _owned(npc).items() if mark in kept.get("lore", ()))


def _plan(
    file: str,
    seeds: list[seed_files.Seed],
    scoped: list[seed_files.Scoped],
    npcs: list[TypedObject],
) -> list[Planned]:
    wanted: dict[TypedObject, tuple[Persona, list[Lore]]] = {
        # Who was in the file before, and is not any more, gives back what the file owned.
        npc: ({}, [])
        for npc in npcs
        if file in _owned(npc)
    }
    inside, joins = set(wanted), {}
    for seed in seeds:
        wanted[_called(seed.name, npcs)] = (seed.persona, list(seed.lore))
    named = set(wanted)
    for one in scoped:
        for npc in _tagged(one.scope, npcs):
            wanted.setdefault(npc, ({}, []))[1].extend(one.lore)
            if inside and npc not in named:
                joins[npc] = one.scope
    return [
        Planned(npc, _plan_for(npc, file, written, lore), joins.get(npc, ""))
        for npc, (written, lore) in wanted.items()
    ]


def _plan_for(npc: TypedObject, file: str, written: Persona, lore: list[Lore]) -> seed_files.Plan:
    owned = _owned(npc)
    others = [kept for name, kept in owned.items() if name != file]
    return seed_files.plan(
        {key: value for key, value in persona.load_persona(npc).items() if value},
        persona.load_lore(npc),
        wanted_persona=written,
        wanted_lore=lore,
        owned=owned.get(file, {}),
        others={key: [one for kept in others for one in kept[key]] for key in ("persona", "lore")},
    )


def _called(name: str, npcs: list[TypedObject]) -> TypedObject:
    found = [npc for npc in npcs if name in (f"#{npc.id}", npc.key) or _same(name, npc.key)]
    if not found:
        raise ValueError(f"there is no assistant called {name}.")
    if len(found) > 1:
        numbers = ", ".join(f"'#{npc.id}'" for npc in found)
        raise ValueError(f"{len(found)} assistants are called {name}; write one of {numbers}.")
    return found[0]


def _tagged(scope: str, npcs: list[TypedObject]) -> list[TypedObject]:
    found = [npc for npc in npcs if npc.tags.has(scope)]
    if not found:
        raise ValueError(f"no assistant is tagged {scope}: tag <npc> = {scope}")
    return found


def _owned(npc: TypedObject) -> dict[str, dict[str, list[str]]]:
    return repository.load(npc, kinds.SEEDED) or {}


def _is_owned_anew(file: str, planned: Planned) -> bool:
    return _owned(planned.npc).get(file, {}) != planned.plan.owned


def _same(name: str, other: str) -> bool:
    return name.casefold() == other.casefold()
