"""A game's settings over our own: key by key in a dict, and `...` in a list for all that is ours."""

from __future__ import annotations

from typing import Any


def merged(default: Any, value: Any, *, whole: bool = False) -> Any:
    """Return what holds where a game says `value`; `whole` where its dict replaces ours."""
    if isinstance(default, list):
        return _expanded(value, default)
    if isinstance(default, dict) and not whole:
        # What is no dict `evennia check` names; ours holds.
        value = value if isinstance(value, dict) else {}
        return {
            key: _expanded(part, default.get(key)) for key, part in {**default, **value}.items()
        }
    return value


def _expanded(value: Any, default: Any) -> Any:
    """Put our own list in the place of `...`; what is no list stays as it is."""
    if not isinstance(default, list):
        return value
    return [item for part in value for item in (default if part is ... else [part])]
