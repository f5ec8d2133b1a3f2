"""Voices that a mind has heard: other minds among them, and passers-by and people in masks, who make room for others.

Assistants repeat what they were told; who is one is kept with who heard them, because they may be deleted long before what
they repeated is. And one player with a hundred masks, or a market day, would fill an NPC with pages of one line each.
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
# The last so many are known.
MINDS_LIMIT = 500


def minds(npc: TypedObject) -> frozenset[str]:
    """Return the identities of the assistants that `npc` has heard, of those who are gone, too."""
    return frozenset(repository.load(npc, kinds.OTHER_MINDS) or ())


def note_mind(npc: TypedObject, who: str) -> None:
    """Note that somebody who spoke is an assistant, under the identity that `npc` knows them by."""
    if who and who not in minds(npc):
        with repository.edit(npc, kinds.OTHER_MINDS, default=list) as heard:
            heard.append(who)
            del heard[:-MINDS_LIMIT]


def note_passer_by(
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
