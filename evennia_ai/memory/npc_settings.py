"""What a builder chose for one NPC, by our commands: how it talks, and what it may.

Manners go along with a copy and into the file of a mind; grants stay where they are.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.domain import gossip as levels
from evennia_ai.memory import kinds, repository

# When an assistant answers; the first is what it does where nobody chose.
TALKATIVE = ("addressed", "chatty", "never")


def talkative(npc: Any) -> str:
    """Return when an NPC answers: one of TALKATIVE."""
    return _manners(npc).get("talkative") or TALKATIVE[0]


def gossip(npc: Any) -> str:
    """Return to whom it passes on what it was told, "" where the setting GOSSIP decides."""
    return _manners(npc).get("gossip") or ""


def allowed_commands(npc: Any) -> list[str]:
    """Return the commands that its builder lets an NPC use."""
    return list(_grants(npc).get("allowed_commands") or ())


def experience_scope(npc: Any) -> str:
    """Return the group with which it shares experience, "" if it learns alone."""
    return _grants(npc).get("experience_scope") or ""


def manners(npc: Any) -> dict[str, Any]:
    """Return what was chosen of `talkative` and `gossip`."""
    return {key: value for key, value in _manners(npc).items() if value}


def choose(npc: Any, **chosen: str) -> None:
    """Choose `talkative` or `gossip`; "" takes a choice back.

    Raises:
        ValueError: There is no such choice.
    """
    known = {"talkative": TALKATIVE, "gossip": levels.LEVELS}
    for key, value in chosen.items():
        if key not in known:
            raise ValueError(f"there is no {key} to choose: {', '.join(known)} are.")
        if value and value not in known[key]:
            raise ValueError(f"{key} is one of {', '.join(known[key])}.")
    repository.save(npc, kinds.SETTINGS, _left({**_manners(npc), **chosen}))


def grant(npc: Any, **granted: Any) -> None:
    """Grant `allowed_commands` (list of names) or an `experience_scope` (a word); empty takes it back."""
    unknown = granted.keys() - {"allowed_commands", "experience_scope"}
    if unknown:
        raise ValueError(f"there is no {', '.join(sorted(unknown))} to grant.")
    if isinstance(granted.get("allowed_commands"), str):
        granted["allowed_commands"] = [granted["allowed_commands"]]
    if "experience_scope" in granted:
        granted["experience_scope"] = str(granted["experience_scope"] or "").strip().lower()
    repository.save(npc, kinds.GRANTS, _left({**_grants(npc), **granted}))


def _left(chosen: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in chosen.items() if value}


def _manners(npc: Any) -> dict[str, Any]:
    return repository.load(npc, kinds.SETTINGS) or {}


def _grants(npc: Any) -> dict[str, Any]:
    return repository.load(npc, kinds.GRANTS) or {}
