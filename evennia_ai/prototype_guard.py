"""`$search` for prototypes that searches an Attribute by its exact name only.

Builders write prototypes, and Evennia passes the `attribute_name` of `$search` to the database
unchanged: `attributes__db_strvalue__contains` tells what any Attribute holds, one guess at a time.
`PROT_FUNC_MODULES = PROT_FUNC_MODULES + ["evennia_ai.prototype_guard"]` replaces `$search`, `$obj`,
`$objlist` and `$dbref`; in that list a later module overrides an earlier one.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable

from evennia.utils import funcparser


def _guarded(search: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(search)
    def search_by_exact_name(*args: Any, **kwargs: Any) -> Any:
        # search_object takes it in second place as well.
        name = str(kwargs.get("attribute_name") or "".join(map(str, args[1:2])))
        # Attributes of ours have no value of Evennia's, so None would find each that is called so.
        if "__" in name or (name and (not args or args[0] is None)):
            raise funcparser.ParsingError("$search: attribute_name is the name of one Attribute.")
        return search(*args, **kwargs)

    return search_by_exact_name


FUNCPARSER_CALLABLES = {
    name: _guarded(search) for name, search in funcparser.SEARCHING_CALLABLES.items()
}
