"""The only reader of settings: one dict `EVENNIA_AI`, merged over `defaults`.

In a list, `...` stands for our own default, so that a game adds one line and keeps the rest:
`"TOOL_MODULES": [..., "world.ai_tools"]`. What is of another sort than ours, `evennia check` names; ours holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from evennia_ai.core import languages, volatile
from evennia_ai.defaults import DEFAULTS

# What stands for a sort of value, beside that itself.
_AS_WELL: dict[type, tuple[type, ...]] = {float: (int, float), list: (list, tuple)}


@volatile.once_from_settings
def get(name: str) -> Any:
    """Return the value of one setting; a name that does not exist is a KeyError."""
    mine = given()
    # What is no dict `evennia check` names; commands and talk go on without it.
    value = mine.get(name, DEFAULTS[name]) if isinstance(mine, dict) else DEFAULTS[name]
    # LLM and PRICES are keyed by names of the game's own: only there is the whole dict replaced.
    return merged(DEFAULTS[name], value, whole=name in ("LLM", "PRICES"))


def is_like(default: Any, value: Any) -> bool:
    """Return whether a value is of the sort of our own; where ours is None, any is."""
    if default is None:
        return True
    kinds = _AS_WELL.get(type(default), (type(default),))
    # True is an int for Python, and a slip for us.
    return isinstance(value, kinds) and isinstance(value, bool) == isinstance(default, bool)


def merged(default: Any, value: Any, *, whole: bool = False) -> Any:
    """Return what holds where a game says `value`; `whole` where its dict replaces ours."""
    if not is_like(default, value):
        value = default
    if isinstance(default, list):
        return _expanded(value, default)
    if isinstance(default, dict) and not whole:
        return {key: _part(part, default.get(key)) for key, part in {**default, **value}.items()}
    return value


def _part(value: Any, default: Any) -> Any:
    """Return what holds of one key of a dict; None may be no limit."""
    if value is None or is_like(default, value):
        return _expanded(value, default)
    return default


def _expanded(value: Any, default: Any) -> Any:
    """Put our own list in the place of `...`."""
    if not isinstance(default, list) or value is None:
        return value
    return [item for part in value for item in (default if part is ... else [part])]


def given() -> dict[str, Any]:
    """Return what the game set, as it stands in its settings file: a dict, if all is well."""
    return getattr(settings, "EVENNIA_AI", {})


@volatile.once_from_settings
def load(path: str) -> Any:
    """Return what a dotted path of the settings names."""
    try:
        return import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"EVENNIA_AI names {path!r}: {error}.") from error


def hook(name: str) -> Any:
    """Return the function that stands behind a hook, such as "SPEAK"."""
    return load(get(name))


def _forget(*, setting: str, **kwargs: Any) -> None:
    if setting == "EVENNIA_AI":
        volatile.forget_all(from_settings=True)
        take_languages()


setting_changed.connect(_forget)


def take_languages() -> None:
    """Let the mind without a model speak by the files that the game has of its own."""
    files = get("LANGUAGE_FILES")
    home = Path(settings.GAME_DIR)
    languages.use({str(code): home / str(path) for code, path in files.items()})
