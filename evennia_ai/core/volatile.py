"""Volatile state: what modules keep in memory between calls, and a restart of the server forgets.

A module declares it by how long it lasts, and here all of it is dropped: `once` keeps what a function made,
`of_assistants` something of each assistant that is active, `keep` whatever else lasts until the restart.
"""

from __future__ import annotations

from typing import Callable, Generic, NamedTuple, ParamSpec, TypeVar


class _Kept(NamedTuple):
    state: object
    from_settings: bool


State = TypeVar("State")
Asked = ParamSpec("Asked")
Made = TypeVar("Made")

_all: list[_Kept] = []


class Once(Generic[Asked, Made]):
    """A function that is called once for the same arguments: what it made is kept until it is forgotten."""

    def __init__(
        self, make: Callable[Asked, Made], end: Callable[[Made], object] | None = None
    ) -> None:
        self._make, self._end = make, end
        self._made: dict[tuple[object, ...], Made] = {}

    def __call__(self, *args: Asked.args, **kwargs: Asked.kwargs) -> Made:
        key = (*args, *kwargs.items()) if kwargs else args
        if key not in self._made:
            self._made[key] = self._make(*args, **kwargs)
        return self._made[key]

    def put(self, made: Made, *args: object) -> None:
        """Keep something in the place of what would be made for these arguments."""
        self._made[args] = made

    def clear(self) -> None:
        """Forget what was made; what has to be ended is ended before."""
        while self._made:
            _, made = self._made.popitem()
            if self._end is not None:
                self._end(made)


class OfAssistants(dict[int, State]):
    """What is kept of each active assistant, by the id of its NPC: it goes when that one is active no more."""


def keep(declared: type[State]) -> State:
    """Return the state of a module: an object of a class that is made without arguments."""
    return _kept(declared())


def once(make: Callable[Asked, Made]) -> Once[Asked, Made]:
    """Let a function be called once for the same arguments, until the server restarts."""
    return _kept(Once(make))


def once_from_settings(
    make: Callable[Asked, Made], end: Callable[[Made], object] | None = None
) -> Once[Asked, Made]:
    """Let a function be called once for the same arguments, until the settings change.

    `end` is called with what is forgotten.
    """
    return _kept(Once(make, end), from_settings=True)


def of_assistants(kind: type[State]) -> OfAssistants[State]:
    """Return an empty dict for something of this kind of each active assistant, by the id of its NPC."""
    return _kept(OfAssistants())


def forget_assistant(npc_id: int) -> None:
    """Let go of all that is kept of an assistant: it is not active any more."""
    for kept in _all:
        if isinstance(kept.state, OfAssistants):
            kept.state.pop(npc_id, None)


def forget(state: object) -> None:
    """Let what one module keeps be as at the start of the server."""
    if isinstance(state, (Once, OfAssistants)):
        state.clear()
        return
    # What holds something that must be ended first, such as a call that waits, says how.
    if end := getattr(state, "end", None):
        end()
    vars(state).update(vars(type(state)()))


def forget_all(*, from_settings: bool = False) -> None:
    """Let all be as at the start of the server, or only what is made from the settings."""
    for kept in _all:
        if kept.from_settings or not from_settings:
            forget(kept.state)


def _kept(state: State, *, from_settings: bool = False) -> State:
    _all.append(_Kept(state, from_settings))
    return state
