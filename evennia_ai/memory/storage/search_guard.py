"""`$search` in prototypes, which any builder may write: it looks at Attributes by their name alone.

Evennia hands `attribute_name` to the database as it is, so that `attributes__db_strvalue__contains`
would tell what any Attribute in the game holds, a guess at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from evennia.prototypes import prototypes
from evennia.utils import funcparser

# Between the parts of a question that goes further than one name.
FURTHER = "__"

P = ParamSpec("P")
R = TypeVar("R")


def install() -> None:
    """Put our functions in the place of Evennia's; those that a game has of its own stay."""
    theirs = set(funcparser.SEARCHING_CALLABLES.values())
    callables = prototypes.FUNC_PARSER.callables
    for name, function in callables.items():
        if function in theirs:
            callables[name] = _by_name_alone(function)


def _by_name_alone(search: Callable[P, R]) -> Callable[P, R]:
    @wraps(search)
    def searched(*args: P.args, **kwargs: P.kwargs) -> R:
        name = str(kwargs.get("attribute_name") or "")
        # What is looked for as nothing is found in each Attribute that has no value of Evennia's.
        if name and (FURTHER in name or not args or args[0] is None):
            raise funcparser.ParsingError("$search: attribute_name is the name of one Attribute.")
        return search(*args, **kwargs)

    return searched
