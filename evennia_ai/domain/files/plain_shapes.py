"""Checks of the shape of plain data, with one sentence for what does not fit.

A shape is a type, a list of one shape, a dict of the keys that must be there (others may be), an
`Each` of what stands under every key, a tuple of shapes of which one fits, or a function that
raises ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from evennia_ai.core.records import parse_time
from evennia_ai.domain.audience import PUBLIC

# A time before or after may not be added to or taken from another.
YEARS = range(1970, 3000)


class Each(NamedTuple):
    """A mapping of texts to values of one shape."""

    shape: Any


def check(value: Any, shape: Any, where: str) -> None:
    """Raise ValueError if a value has not the shape; `where` is what it is called then."""
    if isinstance(shape, tuple) and not isinstance(shape, Each):
        _check_choice(value, shape, where)
    elif isinstance(shape, list):
        _require(isinstance(value, list), where, "a list")
        for number, one in enumerate(value):
            check(one, shape[0], f"{where}[{number}]")
    elif isinstance(shape, (dict, Each)):
        _require(isinstance(value, Mapping), where, "a mapping")
        required = dict.fromkeys(value, shape.shape) if isinstance(shape, Each) else shape
        for key, inner in required.items():
            if key not in value:
                raise ValueError(f"{where} has no {key}.")
            check(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, type):
        _check_type(value, shape, where)
    else:
        shape(value, where)


def between(lowest: int, highest: int, kind: type) -> Callable[[Any, str], None]:
    """Return the shape of numbers of a kind between two, both among them."""

    def check_number(value: Any, where: str) -> None:
        _check_type(value, kind, where)
        if not lowest <= value <= highest:
            raise ValueError(f"{where} is not from {lowest} to {highest}.")

    return check_number


def audience(value: Any, where: str) -> None:
    """Raise ValueError if it is neither "public" nor a list of identities."""
    fits = value == PUBLIC or (
        isinstance(value, list) and all(isinstance(one, str) and one for one in value)
    )
    _require(fits, where, 'an audience ("public" or a list of identities)')


def moment(value: Any, where: str) -> None:
    """Raise ValueError if it is no time in ISO-8601, or one with which nobody can reckon."""
    try:
        fits = isinstance(value, str) and parse_time(value).year in YEARS
    except ValueError:
        fits = False
    _require(fits, where, "a time")


def words(value: Any, where: str) -> None:
    """Raise ValueError if it is no text that says something."""
    _require(isinstance(value, str) and bool(value.strip()), where, "text that says something")


def _check_choice(value: Any, shapes: tuple[Any, ...], where: str) -> None:
    problems = []
    for shape in shapes:
        try:
            return check(value, shape, where)
        except ValueError as error:
            problems.append(error)
    raise problems[0]


def _check_type(value: Any, wanted: type, where: str) -> None:
    # To Python, True is a number.
    fits = isinstance(value, (int, float) if wanted is float else wanted)
    if isinstance(value, bool) and wanted is not bool:
        fits = False
    _require(fits, where, _CALLED.get(wanted, wanted.__name__))


def _require(fits: bool, where: str, what: str) -> None:
    if not fits:
        raise ValueError(f"{where} is not {what}.")


_CALLED = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a mapping",
    type(None): "empty",
}
