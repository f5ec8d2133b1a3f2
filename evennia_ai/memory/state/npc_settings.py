"""Settings of one NPC, by our commands: how it talks, what it may do, and of its mind ticks, sleep and summaries.

Manners go along with a copy and into the file of a mind; grants stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai.core.states import Grants
from evennia_ai.domain.memories import gossip as levels
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.kinds import Plain

# When an assistant answers; the first is what it does where nobody chose.
TALKATIVE = ("addressed", "chatty", "never")
TICK_RATE = "tick_rate"
SCHEDULE = "sleep_schedule"
THRESHOLDS = ("compact_sleep_threshold", "compact_emergency_threshold")
COMPACT = (
    "compact_enabled",
    "compact_preserve_window",
    *THRESHOLDS,
    "compact_model",
    "compact_prompt",
)
MIND_CHOICES = (TICK_RATE, SCHEDULE, *COMPACT)


def talkative(npc: TypedObject) -> str:
    """Return when an NPC answers: one of TALKATIVE."""
    return str(_manners(npc).get("talkative") or TALKATIVE[0])


def gossip(npc: TypedObject) -> str:
    """Return to whom it passes on what it was told, "" where the setting GOSSIP decides."""
    return str(_manners(npc).get("gossip") or "")


def allowed_commands(npc: TypedObject) -> list[str]:
    """Return the commands that its builder lets an NPC use."""
    return list(_grants(npc).allowed_commands)


def experience_scope(npc: TypedObject) -> str:
    """Return the group with which it shares experience, "" if it learns alone."""
    return _grants(npc).experience_scope


def choose(npc: TypedObject, **chosen: str) -> None:
    """Choose `talkative` or `gossip`; "" takes a choice back.

    Raises:
        ValueError: There is no such choice.
    """
    known: dict[str, tuple[str, ...]] = {"talkative": TALKATIVE, "gossip": levels.LEVELS}
    for key, value in chosen.items():
        if key not in known:
            raise ValueError(f"there is no {key} to choose: {', '.join(known)} are.")
        if value and value not in known[key]:
            raise ValueError(f"{key} is one of {', '.join(known[key])}.")
    left = {key: value for key, value in {**_manners(npc), **chosen}.items() if value}
    repository.save(npc, kinds.SETTINGS, left)


def grant(npc: TypedObject, **granted: Iterable[str] | None) -> None:
    """Grant `allowed_commands` (names) or an `experience_scope` (a word); empty takes it back."""
    unknown = granted.keys() - {"allowed_commands", "experience_scope"}
    if unknown:
        raise ValueError(f"there is no {', '.join(sorted(unknown))} to grant.")
    grants = _grants(npc)
    if "allowed_commands" in granted:
        names = granted["allowed_commands"] or ()
        listed = (names,) if isinstance(names, str) else tuple(names)
        grants = structs.replace(grants, allowed_commands=listed)
    if "experience_scope" in granted:
        scope = str(granted["experience_scope"] or "").strip().lower()
        grants = structs.replace(grants, experience_scope=scope)
    repository.save(npc, kinds.GRANTS, grants)


def _manners(npc: TypedObject) -> Plain:
    return repository.load(npc, kinds.SETTINGS) or {}


def _grants(npc: TypedObject) -> Grants:
    return repository.load(npc, kinds.GRANTS) or Grants()


def of_mind(script: TypedObject) -> Plain:
    """Return what was chosen, by the names of MIND_CHOICES; what is missing the game's settings say."""
    return repository.load(script, kinds.CHOICES) or {}


def choose_for_mind(script: TypedObject, **chosen: object) -> None:
    """Choose for this mind; None takes a choice back.

    Raises:
        ValueError: There is nothing of that name to choose.
    """
    unknown = chosen.keys() - set(MIND_CHOICES)
    if unknown:
        raise ValueError(f"a mind has no {', '.join(sorted(unknown))}.")
    left = {key: value for key, value in {**of_mind(script), **chosen}.items() if value is not None}
    repository.save(script, kinds.CHOICES, left)
