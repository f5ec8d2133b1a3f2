"""A wish to trade, handed to the game: its shop opens, or whatever else it does about it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from evennia_ai import conf
from evennia_ai.exceptions import ToolError
from evennia_ai.tools import world
from evennia_ai.tools.base import Tool, ToolCategory


class Trade(Tool):
    """Begin to trade with whoever wants to buy or sell something."""

    name = "trade"
    category = ToolCategory.DANGEROUS
    needs_place = True
    setting = "TRADE"
    allowed_if = "the setting TRADE names a function"

    def allowed(self, turn: Any) -> bool:
        return bool(conf.get("TRADE"))

    def execute(
        self,
        turn,
        wish: Annotated[Literal["buy", "sell", "trade"], "What they want to do."],
        thing: Annotated[str, "What they want to buy or sell, if they said it."] = "",
    ):
        npc, customer = world.acting(turn), turn.speaker
        if customer is None or customer.location != npc.location:
            raise ToolError("There is nobody beside you to trade with.")
        # A function of the game may do something before it refuses.
        turn.dangerous_used = True
        if not conf.hook("TRADE")(npc, customer, wish, thing):
            raise ToolError("You do not trade that.")
        return "You trade with them now."
