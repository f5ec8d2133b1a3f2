"""State and persona of NPCs, as data."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai import conf, markup, scheduling
from evennia_ai.agent import own_model, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import making_room
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.shown import words
from evennia_ai.core import records
from evennia_ai.core.records import Lore
from evennia_ai.domain.choices import goal_rules
from evennia_ai.llm import base
from evennia_ai.llm.wrappers import breaker, budget
from evennia_ai.memory import identity, persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.seeds import seeding
from evennia_ai.memory.state import (
    active_assistants,
    assistant,
    channels,
    kept_goals,
    sleep_state,
)
from evennia_ai.sleep import sleep_cycle
from evennia_ai.typeclasses import scripts

BUDGET_PROBLEMS = {
    "low": "is nearly spent",
    "cheaper": "is nearly spent: a cheaper mind answers",
    "spent": "is spent: it answers with lines of its own",
}


def status_of(npc: Any, looker: Any) -> dict[str, Any]:
    """How an NPC does: its row, and what it is at, waits for, talked about and lacks."""
    mind = scripts.find(npc)
    waiting = assistant.pending_events(mind)
    ages = [records.age_seconds(event.timestamp, now=scheduling.now()) for event in waiting]
    accounts = [session.account for session in npc.sessions.all() if session.account]
    return {
        **row_of(mind, looker),
        "mode": mode_of(mind),
        "halted": active_assistants.is_halted(),
        "played_by": ", ".join(account.key for account in accounts),
        "mind": describe_mind(npc),
        "thinking": turns.is_running(mind.id),
        "oldest": max(ages, default=None),
        "tick": sleep_cycle.tick_rate(mind),
        "counters": assistant.counters(mind),
        "talks_with": _partners(npc, looker),
        "channels": channels_of(npc),
        "problems": _problems(npc),
    }


def row_of(mind: Any, looker: Any) -> dict[str, Any]:
    npc = mind.obj
    return {
        "name": f"{npc.key}(#{npc.id})",
        "where": npc.location.get_display_name(looker) if npc.location else "",
        "on": assistant.is_enabled(mind),
        "mode": sleep_state.mode(mind),
        "waiting": len(assistant.pending_events(mind)),
        "turns": assistant.counters(mind).get("turns", 0),
    }


def persona_of(npc: Any) -> dict[str, Any]:
    """Who an NPC is and what it knows from its builder: {"fields", "lore", "goals", "set"}."""
    return {
        "fields": persona.load_persona(npc),
        "lore": lore_of(npc),
        "goals": goal_rules.described(kept_goals.goals(scripts.find(npc))),
    }


def lore_of(npc: Any) -> list[dict[str, Any]]:
    """The facts of an NPC: {"number", "text", "told" (to whom), "files" (that write it)} each."""
    names = names_known(npc)
    return [
        {
            "number": number,
            "text": fact.text,
            "told": _told(fact, names),
            "files": seeding.files_of(npc, fact),
        }
        for number, fact in enumerate(persona.load_lore(npc), 1)
    ]


def told_to(npc: Any, fact: Lore) -> str:
    """Who may hear a fact of an NPC, in words."""
    return _told(fact, names_known(npc))


def names_known(npc: Any) -> dict[str, str]:
    """The names of those whom an NPC knows or who are where it is, and its own, by identity."""
    near = npc.location.contents if npc.location else ()
    named = {identity.perceived(npc, obj): obj.key for obj in near if identity.has_own(obj)}
    for name, found in entity_profiles.known_names(npc).items():
        named.update({who: name.title() for who in found})
    return {**named, identity.identity_of(npc): npc.key}


def describe_mind(npc: Any = None) -> str:
    """Which mind thinks, in words: the offline mind, a model, or the one that stands in for it."""
    # The one that it answers with; other jobs may have other models.
    alias = "reply" if "reply" in conf.get("LLM") else "default"
    alias = alias if npc is None else own_model.alias_of(npc)
    try:
        backend = base.get_alias(alias)
    except (ImproperlyConfigured, TypeError) as error:
        return f"none: {error}"
    if not backend.is_model:
        return "offline: answers from memory, does not converse freely"
    state = breaker.states().get(alias, {"state": "closed"})
    if state["state"] == "closed":
        return f"model {backend.name}"
    return f"degraded: model {backend.name} fails, the offline mind answers"


def mode_of(mind: Any) -> str:
    """Whether a mind sleeps, how and since when, in words."""
    now, since = scheduling.now(), sleep_state.last_transition(mind)
    lasts = f"for {words.ago((now - since).total_seconds())}" if since else ""
    if sleep_state.mode(mind) == "awake":
        turned = sleep_state.activity(mind)
        return f"awake {lasts}, {counted({'turns': turned})} since" if since else "awake"
    wake_at = sleep_state.wake_at(mind)
    left = max(0.0, (wake_at - now).total_seconds()) if wake_at else None
    gave_up = "gave up on the day" if sleep_state.is_degraded(mind) else ""
    how = [sleep_state.depth(mind), sleep_state.phase(mind), gave_up]
    parts = [
        f"sleep ({', '.join(filter(None, how))})",
        lasts,
        f"{words.ago(left)} left" if left is not None else "",
        sleep_state.reason(mind),
    ]
    return ", ".join(filter(None, parts))


def counted(counters: dict[str, int]) -> str:
    """Counters as a list of words: "3 turns, 1 excuse"."""
    parts = [
        words.count(counters[name], name.removesuffix("s"))
        for name in dict.fromkeys(["turns", "excuses", "failures", *counters])
        if counters.get(name)
    ]
    return ", ".join(parts) or "nothing"


def channels_of(npc: Any) -> list[tuple[str, str, bool]]:
    """The channels that an NPC follows: key, manner, whether there is such a channel."""
    followed = assistant.followed_channels(scripts.find(npc))
    there = {key: channels.find(key) for key in followed}
    return [
        (there[key].key if there[key] else key, manner, there[key] is not None)
        for key, manner in followed.items()
    ]


def _told(fact: Lore, names: dict[str, str]) -> str:
    return f"told if {fact.only_if}" if fact.only_if else words.known_to(fact.audience, names)


def _partners(npc: Any, looker: Any) -> list[tuple[str, int, float]]:
    """With whom of those who are here it has exchanged words: name, lines, seconds ago."""
    found = []
    for obj in presence.listeners(npc):
        lines = working_memory.lines_with(npc, identity.perceived(npc, obj))
        if lines:
            last = records.age_seconds(lines[-1].timestamp, now=scheduling.now())
            # Players choose their names, and staff read them here.
            shown = escaped(markup.plain(obj.get_display_name(looker)))
            found.append((shown, len(lines), last))
    return sorted(found, key=lambda partner: partner[2])


def _problems(npc: Any) -> list[str]:
    found = []
    today, caller = scheduling.now().date(), base.Caller(npc.id, identity.identity_of(npc))
    for scope, cap in budget.caps_for(caller).items():
        rung = budget.rung_of(scope, cap, day=today)["rung"]
        if rung in BUDGET_PROBLEMS:
            whose = "The server's budget" if scope == "server" else "Its budget"
            found.append(f"{whose} of today {BUDGET_PROBLEMS[rung]}.")
    if lost := making_room.describe_lost(npc):
        found.append(lost)
    return found
