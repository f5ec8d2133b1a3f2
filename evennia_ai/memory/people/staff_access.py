"""Access of staff: who is an admin, and who controls an NPC, and so its mind (in docs/trust.md, its keeper)."""

from __future__ import annotations

from evennia.locks.lockhandler import check_lockstring
from evennia.typeclasses.models import TypedObject


def is_admin(caller: object) -> bool:
    """Return whether somebody is an admin of the game."""
    return bool(check_lockstring(caller, "_dummy:perm(Admin)"))


def may_change(caller: object, obj: TypedObject) -> bool:
    """Return whether somebody may change the mind of an object: they control it, or are admins."""
    return is_admin(caller) or any(obj.access(caller, access) for access in ("control", "edit"))
