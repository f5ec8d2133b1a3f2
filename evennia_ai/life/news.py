"""News: two NPCs who meet and have time pass on what each may tell. By rules alone, and for nothing.

One thing a meeting, and A_DAY in all. Both minds are written together, so that what is
passed on is with both or with neither; a player who watches sees one line of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from twisted.python import log

from evennia_ai import rate_limits, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.core import languages, records, volatile
from evennia_ai.core.records import Entry
from evennia_ai.domain import audience
from evennia_ai.domain.memories import news_rules
from evennia_ai.life import first_words
from evennia_ai.memory import identity, journal, lookup, repository, routine, sharing
from evennia_ai.memory.state import active_assistants, assistant, npc_settings
from evennia_ai.rate_limits import Limit
from evennia_ai.semantic import journal_sync

# Things that one NPC tells others, in a day of the game.
A_DAY = 3
# Others of whom an NPC looks at one tick whether it has something for them.
LOOKED_AT = 8
# What stands for a meeting at which something was passed on.
TOLD = -1


@dataclass
class _Stay:
    """In which room an NPC is, and for each other there the journal that had nothing for them, or TOLD."""

    room: int
    met: dict[int, int] = field(default_factory=dict)


_stays = volatile.of_assistants(_Stay)


def meet(script: Any, npc: Any) -> None:
    """Let an NPC that has nothing to do tell another one that is there something, if it may."""
    stay, others = _stay(npc), _others(npc)
    stay.met = {one: stay.met[one] for one in others if one in stay.met}
    noted = journal.version(npc)
    fresh = [one for one in others.values() if stay.met.get(one.id) not in (noted, TOLD)]
    if not fresh or not _may_tell(script, npc):
        return
    for other in fresh[:LOOKED_AT]:
        other_script = active_assistants.script_of(other)
        if not _has_time(other_script) or not (
            presence.sees(npc, other) and presence.sees(other, npc)
        ):
            continue
        entry = _find(npc, other)
        if entry is None:
            stay.met[other.id] = noted
            continue
        # To look for it is the work of a slice, and so is to tell it.
        scheduling.call_soon(_tell, script.id, other_script.id, entry)
        return


def _tell(script_id: int, other_script_id: int, found: Entry) -> None:
    """Let an NPC tell another what stands in its journal, if all is as it was when it was found."""
    script, other_script = map(lookup.script_by_id, (script_id, other_script_id))
    if not _has_time(script) or not _has_time(other_script):
        return
    npc, other = script.obj, other_script.obj
    # It may be a secret by now.
    entry = journal.get_entry(npc, found.id)
    if entry != found or npc.location is None or other.location != npc.location:
        return
    if _stay(npc).met.get(other.id) == TOLD:
        # The other was quicker.
        return
    if presence.is_watched(npc.location) and not _may_be_seen(npc.location):
        return
    _pass_on(script, npc, other_script, other, entry)
    _stay(npc).met[other.id] = _stay(other).met[npc.id] = TOLD


def _stay(npc: Any) -> _Stay:
    stay = _stays.get(npc.id)
    if stay is None or stay.room != npc.location.id:
        stay = _stays[npc.id] = _Stay(npc.location.id)
    return stay


def _others(npc: Any) -> dict[int, Any]:
    """Return the other minds where an NPC is, by id."""
    return {one.id: one for one in npc.location.contents if one != npc and presence.is_mind(one)}


def _may_tell(script: Any, npc: Any) -> bool:
    if npc_settings.talkative(npc) == "never" or not _has_time(script):
        return False
    return assistant.news_told(script, routine.now()[0]) < A_DAY


def _has_time(script: Any) -> bool:
    """Return whether a mind can act and nobody wants anything of it; guests are heard by it for themselves."""
    return (
        script is not None
        and turns.may_think(script)
        and not turns.is_running(script.id)
        and not assistant.pending_events(script)
        and assistant.may_keep(script.obj, script, ())
    )


def _may_be_seen(room: Any) -> bool:
    """Return whether one line more may be shown in a room, and count it."""
    limits = presence.unprompted_limits()
    if presence.silence(room.id) < limits["pause"]:
        return False
    return rate_limits.take(Limit(("room", room.id), limits["room"]))


def _find(npc: Any, other: Any) -> Entry | None:
    """Return what an NPC has for another, None without anything that the other does not know."""
    who = identity.perceived(npc, other)
    found = news_rules.choose(
        journal.newest_first(npc),
        to=who,
        name=speech.name_of(other, npc),
        level=sharing.level(npc),
        regard=sharing.regard(npc, who),
        since=records.format_time(scheduling.now() - timedelta(days=news_rules.DAYS)),
    )
    if not found:
        return None
    known = list(journal.newest_first(other))
    return next((entry for entry in found if not news_rules.knows(known, entry.content)), None)


def _pass_on(script: Any, npc: Any, other_script: Any, other: Any, entry: Entry) -> None:
    """Tell another what an entry of the journal says: it believes less of it, and knows whom it came through."""
    memory = sharing.of_entry(entry)
    hearsay, is_public = sharing.hearsay(memory), entry.audience == audience.PUBLIC
    hearsay = replace(hearsay, is_news=news_rules.is_open(entry))
    words, name = sharing.worded(memory, hearsay.text), speech.name_of(other, npc)
    between = sorted({identity.identity_of(other), identity.perceived(other, npc)})
    with repository.together(npc, script, other, other_script):
        told = sharing.note_told(npc, other, memory, name=name)
        assistant.note_news_told(script, routine.now()[0])
        perception.perceive(
            other,
            "say" if is_public else "whisper",
            words,
            npc,
            hearsay=hearsay,
            addressed=False,
            source_type="direct",
            audience=audience.PUBLIC if is_public else between,
            payer=0,
            sources=list(hearsay.sources),
        )
    key = identity.identity_of(npc)
    journal_sync.widen_copy(str(npc), told, assistant_key=key).addErrback(log.err)
    if not presence.is_watched(npc.location):
        return
    said: dict[str, Any] = {"known_to": frozenset({other.id}), "sources": hearsay.sources}
    if is_public:
        first_words.show(npc, "say", words, hearsay=hearsay, **said)
    else:
        seen = languages.text("reports", "passes_on").replace("{name}", name)
        first_words.show(npc, "pose", seen, **said)
