"""Reasons to act unprompted, and what each allows: the one table of occasions.

What is due, who comes in, a place where its day leads, an event of the game and silence let it speak: it has what
it has when it answers. To think by itself, where nobody watches, it has what no talk offers.
"""

from __future__ import annotations

from typing import NamedTuple

from evennia_ai.core import records

DUE, MET = "due", "met"
ROUTINE, TRIGGER, QUIET, REFLECT = "routine", "trigger", "quiet", "reflect"


class Reason(NamedTuple):
    """What a turn has: its job, its `sections` of the prompt (() for all), its steps (0 for MAX_STEPS).

    One that `speaks` has the tools of talk, the others those that talk does not offer, and nobody's ears but
    everybody's: what is in its prompt is public.
    """

    speaks: bool = True
    job: str = "reply"
    sections: tuple[str, ...] = ()
    steps: int = 0

    def has_section(self, name: str) -> bool:
        """Return whether a section of the prompt is written for it."""
        return not self.sections or name in self.sections


TALK = Reason()
TABLE = {
    DUE: TALK,
    MET: TALK,
    ROUTINE: TALK,
    TRIGGER: TALK,
    QUIET: TALK,
    REFLECT: Reason(
        speaks=False,
        job="reflect",
        sections=("instructions", "persona", "lore", "of_day", "goals"),
        steps=4,
    ),
}
# What talk offers as well and is of use to one who thinks; and what is about those it speaks with, or done by
# `search_journal` and `recall_memories` together.
ALSO_ALONE = frozenset(
    {"noop", "recall_memories", "update_goal", "add_journal_entry", "search_journal"}
)
NOT_ALONE = frozenset(
    {"start_entity_conversation", "recall_conversation_context", "search_episodic_memory"}
)


def of(event: records.Event) -> Reason:
    """Return what a turn about an event has."""
    return TABLE.get(event.reason, TALK) if event.kind == records.OCCASION else TALK
