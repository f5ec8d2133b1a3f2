"""Volatile state: what a module keeps in memory between calls, and a restart of the server forgets.

Each module declares all of its own as one dataclass; here all of it is dropped.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar


class _Kept(NamedTuple):
    state: object
    from_settings: bool


State = TypeVar("State")

_all: list[_Kept] = []


def keep(declared: type[State], *, from_settings: bool = False) -> State:
    """Return the state of a module: an object of a class that is made without arguments.

    What is made `from_settings` is dropped whenever they change, too.
    """
    state = declared()
    _all.append(_Kept(state, from_settings))
    return state


def forget(state: object) -> None:
    """Let the state of one module be as at the start of the server."""
    # What holds something that must be ended first, a call that waits or an open file, says how.
    if end := getattr(state, "end", None):
        end()
    vars(state).update(vars(type(state)()))


def forget_all(*, from_settings: bool = False) -> None:
    """Let all state be as at the start of the server, or only what is made from the settings."""
    for kept in _all:
        if kept.from_settings or not from_settings:
            forget(kept.state)
