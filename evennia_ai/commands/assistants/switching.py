"""Minds are switched on and off, put to sleep and woken; each change leaves a line for staff.

Each function returns what to say of it, and does nothing where there is nothing to do.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.agent import turns
from evennia_ai.agent.hearing import presence
from evennia_ai.commands import formatting
from evennia_ai.commands.assistants.assistant_status import night_of
from evennia_ai.commands.base import log_change
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.sleep import sleep_cycle, waking
from evennia_ai.typeclasses import scripts


def turn(caller: Any, npc: Any, name: str, *, on: bool) -> str:
    """Switch a mind on or off."""
    mind, word = scripts.find(npc), "on" if on else "off"
    if assistant.is_enabled(mind) == on:
        return f"The mind of {name} is {word} already."
    if on:
        mind.enable()
    else:
        mind.disable()
    log_change(caller, f"switched {word} the mind of", npc)
    return f"The mind of {name} is {word} now."


def halt(caller: Any, *, halted: bool) -> str:
    """Stop every mind at once, or let all go on."""
    if active_assistants.is_halted() == halted:
        return f"The minds are {'' if halted else 'not '}halted{' already' if halted else ''}."
    active_assistants.halt(halted=halted)
    log_change(caller, "halted every mind" if halted else "let every mind go on")
    count = active_assistants.count()
    return f"Every mind is halted ({count})." if halted else f"The minds go on ({count})."


def put_to_sleep(caller: Any, npc: Any, name: str, *, depth: str = sleep_state.LIGHT) -> str:
    """Let an NPC fall asleep, where nothing keeps it."""
    mind = scripts.find(npc)
    if sleep_state.is_asleep(mind):
        return f"{name} sleeps already: {formatting.mode(night_of(mind))}."
    if not assistant.is_enabled(mind):
        return f"The mind of {name} is off; nothing would happen in its sleep."
    if presence.is_puppeted(npc):
        return f"{name} is being played by somebody."
    if turns.is_running(mind.id):
        return f"{name} is about to answer somebody. Try again in a moment."
    sleep_cycle.transition_mode(mind, sleep_state.ASLEEP, "staff said so", depth=depth)
    log_change(caller, f"put to {depth} sleep", npc)
    return f"{name} falls asleep ({depth})."


def wake(caller: Any, npc: Any, name: str) -> str:
    """Wake an NPC, however fast asleep."""
    if not waking.perform_wake_transition(scripts.find(npc), "staff said so"):
        return f"{name} is awake."
    log_change(caller, "woke", npc)
    return f"{name} wakes."
