"""The typeclass of an NPC of `contrib.rpg.llm` that has a mind: `talk` speaks to that mind.

A game with a typeclass of its own puts `TalkingMixin` in front of its `LLMNPC`.
"""

from __future__ import annotations

from typing import Any

from evennia.contrib.rpg.llm import LLMNPC

from evennia_ai.agent.hearing import perception
from evennia_ai.memory.state import active_assistants
from evennia_ai.typeclasses.characters import AssistantMixin


class TalkingMixin(AssistantMixin):
    """Hears what it is told by `talk`; while its mind is off it answers as the contrib does."""

    def at_talked_to(self, speech: str, character: Any) -> Any:
        """Let the mind hear words that were spoken aloud to this NPC."""
        if active_assistants.script_of(self) is None:
            return super().at_talked_to(speech, character)
        perception.perceive(self, "say", speech, character)
        return None


class TalkingAssistant(TalkingMixin, LLMNPC):
    """An NPC of the contrib, with or without a mind."""
