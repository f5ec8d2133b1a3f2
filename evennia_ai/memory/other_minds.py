"""Other minds among those whom somebody has heard: assistants repeat what they were told.

It is kept with who heard them, because they may be deleted long before what they repeated is.
"""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository

# The last so many are known.
LIMIT = 500


def note(npc: TypedObject, who: str) -> None:
    """Note that somebody who spoke is an assistant, under the identity that `npc` knows them by."""
    if who and who not in known(npc):
        with repository.edit(npc, kinds.OTHER_MINDS, default=list) as heard:
            heard.append(who)
            del heard[:-LIMIT]


def known(npc: TypedObject) -> frozenset[str]:
    """Return the identities of the assistants that `npc` has heard, of those who are gone, too."""
    return frozenset(repository.load(npc, kinds.OTHER_MINDS) or ())
