"""The page of all NPCs: what it shows and does; called over the bridge, plain data back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from twisted.internet.defer import Deferred

from evennia_ai import markup
from evennia_ai.agent import trace
from evennia_ai.commands.assistants import assistant_say, switching
from evennia_ai.commands.assistants.assistant_status import row_of
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.typeclasses import scripts
from evennia_ai.web import visitors

MEANWHILE = "Somebody has changed it meanwhile. Nothing was done."
# What may be done to one NPC, by the last part of the address.
CHANGES = {
    "start": lambda *who: switching.turn(*who, on=True),
    "stop": lambda *who: switching.turn(*who, on=False),
    "sleep": switching.put_to_sleep,
    "wake": switching.wake,
}


def is_halted(account_id: int) -> bool:
    """Return whether all minds are halted; raises Refused if the visitor is no builder."""
    visitors.builders(account_id)
    return active_assistants.is_halted()


def named(account_id: int, mind_ids: Iterable[int]) -> list[tuple[str, int, int]]:
    """Return the name, the number and the mind's number of each NPC that the visitor may change."""
    found = visitors.builders(account_id)
    made = []
    for mind in map(lookup.script_by_id, mind_ids):
        if mind is not None and mind.obj and visitors.keeper(found, mind.obj) is not None:
            made.append((markup.plain(mind.obj.key), mind.obj.id, mind.id))
    return made


def rows(account_id: int, mind_ids: Iterable[int]) -> list[dict[str, Any]]:
    """Return how those NPCs do that the visitor may change, of some minds."""
    found = visitors.builders(account_id)
    made = []
    for mind in map(lookup.script_by_id, mind_ids):
        who = visitors.keeper(found, mind.obj) if mind is not None and mind.obj else None
        if who is not None:
            made.append(_row(who, mind.obj, mind))
    return made


def change(account_id: int, npc_id: int, what: str) -> str:
    """Do one of CHANGES; return what to say of it."""
    who, npc = visitors.with_npc(account_id, npc_id)
    return visitors.changes(account_id, lambda: CHANGES[what](who, npc, name_of(npc)))


def halt(account_id: int, *, halted: bool) -> str:
    """Stop every mind at once, or let all go on; return what to say of it."""
    who = visitors.admins(account_id)[0]
    return str(visitors.changes(account_id, lambda: switching.halt(who, halted=halted)))


def say(account_id: int, npc_id: int, words: str) -> Deferred[str]:
    """Let an NPC say words of staff; fires with what to say of it."""
    who, npc = visitors.with_npc(account_id, npc_id)
    name = name_of(npc)
    speaking: Deferred[str] = visitors.changes(
        account_id, lambda: assistant_say.speak_for(who, npc, words)
    )
    return speaking.addCallback(
        lambda why: f"{name} says nothing: {why}." if why else f"You let {name} say it."
    )


def head(npc: Any) -> dict[str, Any]:
    """Return what stands above all pages of an NPC: who it is, how it does, and what may be done about that."""
    state = _state_of(scripts.find(npc))
    return {"id": npc.id, "name": name_of(npc), "state": state, "may": _changes_in(state)}


def name_of(npc: Any) -> str:
    """Return what an NPC is called on pages."""
    return f"{markup.plain(npc.key)} (#{npc.id})"


def mark_of(text: str) -> str:
    """Return by what a form tells that what it was filled in for says something else by now."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _row(who: Any, npc: Any, mind: Any) -> dict[str, Any]:
    row = row_of(mind, who)
    state = _state_of(mind)
    return {
        **row,
        "id": npc.id,
        "name": markup.plain(npc.key),
        "where": markup.plain(row["where"]),
        "state": state,
        "may": _changes_in(state),
        "said": _last_words(npc),
        "entries": journal.size(npc),
    }


def _state_of(mind: Any) -> str:
    if not assistant.is_enabled(mind):
        return "off"
    return "asleep" if sleep_state.is_asleep(mind) else "awake"


def _changes_in(state: str) -> list[str]:
    if state == "off":
        return ["start"]
    return ["stop", "sleep" if state == "awake" else "wake"]


def _last_words(npc: Any) -> str:
    """Return what it said last of its own, as its last turns say it, and how if not aloud."""
    said = (turn.record.said[-1] for turn in trace.turns(npc.id) if turn.record.said)
    kind, words, _ = next(said, ("", "", 0))
    return words if kind in ("", "say") else f"{kind}: {words}"
