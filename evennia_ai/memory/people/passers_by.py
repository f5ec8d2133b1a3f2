"""Passers-by and people in masks: what was said with them makes room for others.

Else one player with a hundred masks, or a market day, would fill an NPC with pages of one line each.
"""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.core.states import PasserBy
from evennia_ai.domain.memories import fair_share
from evennia_ai.memory import kinds, repository

# Those who are remembered word for word at one time, and the masks of one of them.
LIMIT = 30
MASKS = 3
# Lines after which somebody without a mask has done more than pass by.
LINES = 5


def note(
    script: TypedObject, who: str, *, body_id: int, is_masked: bool, is_new: bool
) -> list[str]:
    """Note a line of somebody; return the identities of those who make room for them.

    `is_new` is whether nothing was kept of them before; `body_id` is the object behind the mask.
    """
    kept = repository.load(script, kinds.PASSERS_BY) or {}
    known = kept.get(who)
    if known is None and not is_new or known is not None and known.is_masked:
        return []
    lines = known.lines + 1 if known else 1
    kept[who] = PasserBy(body_id=body_id, lines=lines, is_masked=is_masked)
    if lines > LINES:
        del kept[who]
    gone = _too_many(kept, who, body_id)
    for other in gone:
        del kept[other]
    repository.save(script, kinds.PASSERS_BY, kept)
    return gone


def _too_many(kept: dict[str, PasserBy], who: str, body_id: int) -> list[str]:
    others = {other: one for other, one in kept.items() if other != who}
    masks = [other for other, one in others.items() if one.is_masked and one.body_id == body_id]
    is_mask = who in kept and kept[who].is_masked
    gone = masks[: max(0, len(masks) + is_mask - MASKS)]
    rest = [other for other in others if other not in gone]
    return gone + fair_share.least_of_the_greatest(
        rest,
        len(kept) - len(gone) - LIMIT,
        by=lambda other: str(others[other].body_id),
        worth=lambda other: 0,
    )
