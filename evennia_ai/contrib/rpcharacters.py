"""The body of an assistant in a game with Evennia's `contrib.rpg.rpsystem`."""

from __future__ import annotations

from evennia.contrib.rpg.rpsystem.rpsystem import ContribRPCharacter

from evennia_ai.typeclasses.characters import AssistantMixin


class AssistantRPCharacter(AssistantMixin, ContribRPCharacter):
    """An assistant whom strangers know by a short description."""
