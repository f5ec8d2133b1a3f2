"""Giving something to somebody: as the command of the game does it, with its locks and hooks."""

from __future__ import annotations

from typing import Any

from evennia.objects.objects import DefaultCharacter

from evennia_ai.core import languages


def hand_over(character: Any, thing: Any, getter: Any) -> bool:
    """Give something that somebody carries; return whether the game let them."""
    may = thing.access(character, "give", default=True) and thing.at_pre_give(character, getter)
    if not (may and thing.move_to(getter, quiet=True, move_type="give")):
        return False
    # The hook may delete what was given (a potion that is drunk at once): words come first.
    what = thing.get_numbered_name(1, getter, return_string=True)
    thing.at_give(character, getter)
    getter.msg(f"{character.get_display_name(getter)} gives you {what}.")
    return True


def noted(character: Any, thing: Any, *, name: str, to: str) -> str:
    """Return by what sentence whoever gives something remembers it, in the language that is written now."""
    # Evennia's "an apple" is English; another language calls it as the game does.
    is_english = languages.written() == languages.DEFAULT
    called = thing.get_numbered_name(1, character, return_string=True) if is_english else thing.key
    text = languages.text("reports", "gave").replace("{npc}", name).replace("{person}", to)
    return text.replace("{thing}", called)


def pass_on(carrier: Any, thing: Any, getter: Any) -> bool:
    """Give something on that is another's; return whether the game let them.

    Nobody comes by what they could not have taken themselves.
    """
    return may_have(getter, thing) and hand_over(carrier, thing, getter)


def take_up(character: Any, thing: Any) -> bool:
    """Pick up what lies where somebody is, as the command of the game does; return whether the game let them."""
    may = may_have(character, thing)
    if not (may and thing.move_to(character, quiet=True, move_type="get")):
        return False
    what = thing.get_numbered_name(1, character, return_string=True)
    character.location.msg_contents(f"$You() $conj(pick) up {what}.", from_obj=character)
    thing.at_get(character)
    return True


def may_have(somebody: Any, thing: Any) -> bool:
    """Return whether somebody could take a thing, were it before them."""
    return _is_open_to(somebody, thing) and bool(thing.at_pre_get(somebody))


def may_carry(somebody: Any, obj: Any) -> bool:
    """Return whether something is a thing that somebody could take."""
    return is_thing(obj) and _is_open_to(somebody, obj)


def is_thing(obj: Any) -> bool:
    """Return whether something is nobody and leads nowhere: people and exits may be inside of a body, too."""
    return not (isinstance(obj, DefaultCharacter) or obj.has_account or obj.destination)


def _is_open_to(somebody: Any, thing: Any) -> bool:
    return bool(thing.access(somebody, "get", default=True, no_superuser_bypass=True))
