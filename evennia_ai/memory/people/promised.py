"""Promises of others to an NPC: kept or broken, and how that changes favorability.

What the game cannot see, nobody calls broken: after PENDING_DAYS it is waited for no more.
"""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai import conf, scheduling
from evennia_ai.core import languages
from evennia_ai.core.records import age_seconds
from evennia_ai.core.talk import Expected
from evennia_ai.domain.memories import promises
from evennia_ai.domain.sleeping.reflection_rules import TAKEN_BACK_TAG
from evennia_ai.memory import journal, lookup, persona, repository, routine, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import reflection_state

# Change of favorability for a promise that was kept, and one that was broken.
KEPT, BROKEN = 0.05, -0.05
DAY = 86_400.0


def expected(npc: TypedObject, who: str) -> list[Expected]:
    """Return what somebody has promised an NPC and may still do, the oldest first."""
    return [one for one in _known(npc, who) if not (one.ended or _is_forgotten(one))]


def brought_late(npc: TypedObject, who: str) -> list[Expected]:
    """Return what somebody was to bring and did not bring in time, the last first; after PENDING_DAYS it is too late."""
    broken = [one for one in settled(npc, who) if one.ended == promises.THEIRS_BROKEN]
    return [one for one in broken if not _is_forgotten(one)]


def settled(npc: TypedObject, who: str) -> list[Expected]:
    """Return what somebody has promised an NPC and kept or broken, the last first."""
    return [one for one in reversed(_known(npc, who)) if one.ended]


def break_overdue(npc: TypedObject, who: str, name: str) -> list[Expected]:
    """Take what somebody was to bring by a day that is over as broken; return it.

    What the NPC has, somebody brought: a crash may have come between the giving and what is made of it.
    """
    today = routine.now()[0]
    overdue = [
        one
        for one in expected(npc, who)
        if one.is_brought and one.due_day is not None and one.due_day < today
    ]
    if not overdue:
        return []
    broken, carried = [], [thing.key for thing in npc.contents]
    with languages.reading(language(npc)):
        for one in overdue:
            is_kept = any(promises.names(one.action, thing) for thing in carried)
            settle(npc, who, name, one, is_kept=is_kept)
            broken += [] if is_kept else [one]
    return broken


def settle(npc: TypedObject, who: str, name: str, one: Expected, *, is_kept: bool) -> None:
    """Note how ended what somebody has promised: what was not done stands nowhere else, so the journal has it, too.

    That they did not do it comes to mind no more once they have.
    """
    script = lookup.mind_of(npc)
    how = promises.THEIRS_KEPT if is_kept else promises.THEIRS_BROKEN
    words = {"npc": npc.key, "name": name, "action": one.action, "language": language(npc)}
    note = promises.note(promises.THEIRS_BROKEN, **words)
    with repository.together(npc, *filter(None, [script])):
        working_memory.end_expected(npc, who, one, how)
        entity_profiles.update_relationship(npc, who, KEPT if is_kept else BROKEN, how)
        if is_kept:
            _take_back(npc, who, note if one.ended else "")
            return
        entry = journal.add_entry(
            npc,
            note,
            tags=[promises.TAG],
            source_type="observation",
            source_entity=name,
            source_id=who,
            audience=one.audience,
        )
        if script is not None:
            reflection_state.note_entry(script, entry)


def _take_back(npc: TypedObject, who: str, note: str) -> None:
    """Mark the newest note of a promise as taken back."""
    noted = journal.newest_first(npc) if note else ()
    for entry in noted:
        if entry.said_by == who and entry.content == note:
            tags = [*entry.tags, TAKEN_BACK_TAG]
            journal.edit_entry(npc, entry.id, tags=tags, consolidated=False)
            return


def language(npc: TypedObject) -> str:
    """Return the code of the language in which an NPC is spoken to."""
    return persona.language_of(str(persona.load_persona(npc)["language"] or ""))[0]


def _known(npc: TypedObject, who: str) -> list[Expected]:
    kept = working_memory.get_conversation_context(npc, who) if who else None
    return kept.expected if kept else []


def _is_forgotten(one: Expected) -> bool:
    days: float = conf.get("PENDING_DAYS")
    return age_seconds(one.created, now=scheduling.now()) > days * DAY
