"""Names in commands: from a name to the person that a builder means, and back."""

from __future__ import annotations

from typing import Any

from evennia_ai.commands.base import AssistantCommand, quoted
from evennia_ai.memory import identity
from evennia_ai.memory.people import entity_profiles


def identity_named(command: AssistantCommand, npc: Any, name: str) -> str | None:
    """Return whom `npc` knows by a name, or is in reach; else None after having said why not."""
    if not command.is_name(name):
        return None
    known = entity_profiles.find_by_name(npc, name)
    if len(known) == 1:
        return known[0]
    if name.strip().lower() in entity_profiles.known_identities(npc):
        return name.strip().lower()
    if known:
        listed = ", ".join(known)
        command.msg(f"{command.name_of(npc)} knows {len(known)} of that name: {listed}.")
        return None
    found = called(command.caller, name)
    if len(found) != 1:
        command.msg(
            f"There is no {quoted(name)} whom {command.name_of(npc)} knows or whom you can see."
        )
        return None
    return identity.perceived(npc, found[0])


def called(caller: Any, name: str, *, here: bool = True) -> list[Any]:
    """Return what is called so: what is `here`, or anywhere without such."""
    near = caller.search(name, quiet=True) if here else ()
    return list(near or caller.search(name, global_search=True, quiet=True) or ())


def names_known(npc: Any) -> dict[str, str]:
    """Return the names of those whom an NPC knows or who are where it is, and its own, by identity."""
    near = npc.location.contents if npc.location else ()
    named = {identity.perceived(npc, obj): obj.key for obj in near if identity.has_own(obj)}
    for name, found in entity_profiles.known_names(npc).items():
        named.update({who: name.title() for who in found})
    return {**named, identity.identity_of(npc): npc.key}
