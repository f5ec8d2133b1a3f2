"""Status of an assistant as plain data, for commands and pages."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai import conf, markup, scheduling
from evennia_ai.agent import own_model, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import making_room
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import formatting
from evennia_ai.core import records
from evennia_ai.llm import base
from evennia_ai.llm.wrappers import breaker, budget
from evennia_ai.memory import identity, working_memory
from evennia_ai.memory.state import active_assistants, assistant, channels, sleep_state
from evennia_ai.sleep import sleep_cycle
from evennia_ai.typeclasses import scripts

# What a budget that runs out means for what it says.
BUDGET_PROBLEMS = {
    "low": "is nearly spent",
    "cheaper": "is nearly spent: a cheaper mind answers",
    "spent": "is spent: it answers with lines of its own",
}


def describe_mind(npc: Any = None) -> str:
    """Return which mind thinks, as words: the offline mind, a model, or what stands in for one."""
    # What it answers with; other jobs may have other models.
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


def status_of(npc: Any, looker: Any) -> dict[str, Any]:
    """Return what there is to know of an assistant, as `formatting.status` wants it."""
    mind = scripts.find(npc)
    waiting = assistant.pending_events(mind)
    ages = [records.age_seconds(event.timestamp, now=scheduling.now()) for event in waiting]
    accounts = [session.account for session in npc.sessions.all() if session.account]
    return {
        **row_of(mind, looker),
        "mode": formatting.mode(night_of(mind)),
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


def night_of(mind: Any) -> dict[str, Any]:
    """Return how a mind sleeps, or since when it is awake, as `formatting.mode` wants it."""
    now, wake_at, since = (
        scheduling.now(),
        sleep_state.wake_at(mind),
        sleep_state.last_transition(mind),
    )
    return {
        "mode": sleep_state.mode(mind),
        "depth": sleep_state.depth(mind),
        "phase": sleep_state.phase(mind),
        "degraded": sleep_state.is_degraded(mind),
        "since": since and (now - since).total_seconds(),
        "left": wake_at and max(0.0, (wake_at - now).total_seconds()),
        "reason": sleep_state.reason(mind),
        "turns": sleep_state.activity(mind),
    }


def row_of(mind: Any, looker: Any) -> dict[str, Any]:
    """Return the line of a mind in the list, as `formatting.overview` wants it."""
    npc = mind.obj
    return {
        "name": f"{npc.key}(#{npc.id})",
        "where": npc.location.get_display_name(looker) if npc.location else "",
        "on": assistant.is_enabled(mind),
        "mode": sleep_state.mode(mind),
        "waiting": len(assistant.pending_events(mind)),
        "turns": assistant.counters(mind).get("turns", 0),
    }


def _partners(npc: Any, looker: Any) -> list[tuple[str, int, float]]:
    """Return with whom of those who are here it has exchanged words: name, lines, seconds ago."""
    found = []
    for obj in presence.listeners(npc):
        lines = working_memory.lines_with(npc, identity.perceived(npc, obj))
        if lines:
            last = records.age_seconds(lines[-1].timestamp, now=scheduling.now())
            # Players choose how they are called, and staff read it here.
            shown = escaped(markup.plain(obj.get_display_name(looker)))
            found.append((shown, len(lines), last))
    return sorted(found, key=lambda partner: partner[2])


def channels_of(npc: Any) -> list[tuple[str, str, bool]]:
    """Return which channels it follows: key, manner, whether there is such a channel."""
    followed = assistant.followed_channels(scripts.find(npc))
    there = {key: channels.find(key) for key in followed}
    return [
        (there[key].key if there[key] else key, manner, there[key] is not None)
        for key, manner in followed.items()
    ]


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
