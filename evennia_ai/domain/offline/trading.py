"""Answers without a model to a wish to trade, where the game does nothing about it."""

from __future__ import annotations

from typing import Any

from evennia_ai.core import answer_kinds, languages
from evennia_ai.domain.offline import knowledge, self_knowledge, telling
from evennia_ai.domain.offline.voice import Scene

# Prices that are told at once.
LISTED_PRICES = 2

_WHICH_PRICE = languages.Pattern("self_knowledge.which_price")
_BUYS = languages.Pattern("trading.buys", of_words=True)
# What hardly names a thing: "something", "one".
_SOMETHING = languages.Pattern("trading.something", of_words=True)


def is_wish(words: str) -> bool:
    """Return whether words speak of buying and the like."""
    return bool(_BUYS.search(words))


def call(wish: str, thing: str) -> dict[str, Any]:
    """Return with which arguments the tool `trade` hands a wish to the game."""
    return {"wish": wish, "thing": _named(thing)}


def line(scene: Scene, wish: str, thing: str) -> str:
    """Return what the NPC says: what a thing costs, what it sells, or that it does not trade."""
    if wish == "sell":
        return scene.line("buy_none")
    if thing := _named(thing):
        if self_knowledge.is_priced_lately(scene, thing):
            return scene.line("trade_agreed")
        return self_knowledge.ware_of(scene, thing) or scene.line("trade_none")
    last = knowledge.last_told(scene)
    if last and answer_kinds.is_of_type("price", last.text):
        # "I'll take one" is said of what has just been priced.
        return scene.line("trade")
    return self_knowledge.sold_here(scene) or scene.line("trade_what")


def priced_deed(scene: Scene, thing: str, text: str) -> str:
    """Return what it costs to do what is asked for of "one" or "it", if the builder wrote that: "Can I rent one?"."""
    return "" if _named(thing) else self_knowledge.priced_deed(scene, text)


def prices(scene: Scene, text: str) -> str:
    """Return the one price that the builder wrote; the first of several if it is asked which is least."""
    facts = [one for one in knowledge.lore(scene) if answer_kinds.is_of_type("price", one.text)]
    own = [one for one in facts if knowledge.is_of_npc(scene, one.text)]
    many = LISTED_PRICES if _WHICH_PRICE.search(text) else 1
    facts = own if many == len(own) else facts
    return telling.tell(scene, facts[:many]) if len(facts) <= many or many > 1 else ""


def _named(thing: str) -> str:
    return "" if _SOMETHING.fullmatch(thing) else thing
