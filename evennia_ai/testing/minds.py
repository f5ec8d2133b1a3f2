"""Minds for tests: an NPC with one, a scripted model, and a package that remembers nothing."""

from __future__ import annotations

import math
from typing import Any

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object
from twisted.internet.task import Clock

from evennia_ai.core import volatile
from evennia_ai.llm import base
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.memory import persona as personas
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter


def forget_all() -> None:
    """Drop everything that is kept in memory only, as a restart of the server does."""
    volatile.forget_all()


def make_assistant(
    key: str = "Mara",
    *,
    location: Any = None,
    typeclass: type = AssistantCharacter,
    persona: Any = None,
    lore: Any = (),
) -> Any:
    """Return a new NPC with a mind that is on."""
    npc = create_object(typeclass, key=key, location=location, home=location)
    if persona:
        personas.save_persona(npc, persona)
    if lore:
        personas.save_lore(npc, list(lore))
    scripts.attach(npc)
    return npc


def script_llm(*replies: Any, alias: str = "default", repeat: bool = False) -> ScriptedMind:
    """Let a scripted mind do the jobs of an alias, without wrappers; return it."""
    mind = ScriptedMind(replies, repeat=repeat)
    base.install(alias, mind)
    return mind


def listen(obj: DefaultCharacter) -> list[tuple[str, str]]:
    """Return a list that fills with (type, text) of what reaches an object from now on."""
    heard: list[tuple[str, str]] = []
    original = obj.msg

    def msg(text: Any = None, **kwargs: Any) -> Any:
        if text is not None:
            message, options = (text[0], text[-1]) if isinstance(text, tuple) else (text, {})
            heard.append((options.get("type", ""), str(message)))
        return original(text=text, **kwargs)

    obj.msg = msg
    return heard


def pass_time(clock: Clock, seconds: float, *, step: float = 0.1) -> None:
    """Let time pass in small steps, so that what is due meanwhile happens in order."""
    left = round(seconds / step)
    while left > 0:
        # Steps in which nothing is due are taken at once.
        waiting = [call.getTime() for call in clock.getDelayedCalls()]
        due = (min(waiting) - clock.seconds()) / step if waiting else left
        steps = min(left, max(1, math.ceil(due)))
        clock.advance(steps * step)
        left -= steps
