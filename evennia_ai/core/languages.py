"""The languages of the mind without a model: one YAML file each, read when it is first needed.

Ours lie in `evennia_ai/languages/`; a game adds to them, or brings others, by the setting LANGUAGE_FILES.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec

from evennia_ai.core.words import Game

FOLDER = Path(__file__).parent.parent / "languages"
# Whose words stand in where a language has none, and who is spoken where no file is.
DEFAULT = "en"

Lines = tuple[str, ...]
_One = TypeVar("_One")


class LanguageError(ValueError):
    """A file of a language that cannot be used; says which file, where in it, and why."""


class Language(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One language; `also` are those that are understood where it is spoken."""

    name: str = ""
    also: Lines = ()
    phrases: Mapping[str, Lines] = {}
    ways: Mapping[str, Mapping[str, Lines]] = {}
    names: Mapping[str, str] = {}
    synonyms: Lines = ()
    keywords: Mapping[str, Lines] = {}


class _Files:
    """Where the game's own files are, by language."""

    own: Mapping[str, Path] = MappingProxyType({})


# The language of whoever listens just now, "" for that of the game.
_reading: ContextVar[str] = ContextVar("reading", default="")


def use(files: Mapping[str, Path]) -> None:
    """Take these files of the game's own; what was read before is read again."""
    _Files.own = MappingProxyType(dict(files))
    codes.cache_clear()
    load.cache_clear()


@lru_cache(maxsize=1)
def codes() -> Lines:
    """Return the codes of all languages that there is a file of."""
    return tuple(sorted({*(path.stem for path in FOLDER.glob("*.yaml")), *_Files.own}))


def spoken(code: str) -> str:
    """Return the code of the language that stands for one such as "sv-SE", "" where there is none."""
    plain = code.strip().casefold().replace("_", "-").split("-")[0]
    return plain if plain in codes() else ""


@lru_cache(maxsize=50)
def load(code: str) -> Language:
    """Return a language: our file of it, and over it the game's own; LanguageError if one is wrong."""
    if code not in codes():
        raise KeyError(code)
    ours, theirs = FOLDER / f"{code}.yaml", _Files.own.get(code)
    read = read_file(ours) if theirs is None or ours.exists() else Language()
    return read if theirs is None else _over(read, read_file(theirs))


def read_file(path: Path) -> Language:
    """Return what one file says; LanguageError names the file, the key and what is wrong."""
    import yaml

    try:
        found = yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return msgspec.convert(found or {}, Language)
    except OSError as error:
        raise LanguageError(f"{path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise LanguageError(f"{path} is no YAML: {' '.join(str(error).split())}.") from error
    except msgspec.ValidationError as error:
        said, _, place = str(error).partition(" - at `$")
        key = place.strip("`.").replace("[...]", "") or "the top"
        raise LanguageError(f"{path}: at {key}: {said}.") from error


def phrase(code: str, key: str) -> Lines:
    """Return the lines of a phrase in a language; English ones where it has none."""
    return load(code).phrases.get(key) or load(DEFAULT).phrases[key]


def way(code: str, situation: str, name: str) -> Lines:
    """Return the lines for a way to go about a situation; English ones where it has none."""
    return load(code).ways.get(situation, {}).get(name) or load(DEFAULT).ways[situation][name]


@contextmanager
def reading(code: str) -> Iterator[None]:
    """Read texts by the rules of a language while this lasts, and not by those of the game's."""
    token = _reading.set(spoken(code))
    try:
        yield
    finally:
        _reading.reset(token)


def read_now() -> Lines:
    """Return the codes of the languages by whose rules a text is read just now."""
    code = _reading.get() or spoken(Game.language) or DEFAULT
    return tuple(sorted({code, *load(code).also}))


def _over(ours: Language, theirs: Language) -> Language:
    """Return a language with what a game has of its own: keys of tables replace ours, lines come after."""
    return Language(
        **{
            field: _joined(getattr(ours, field), getattr(theirs, field))
            for field in Language.__struct_fields__
        }
    )


def _joined(ours: _One, theirs: _One) -> _One:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return {**ours, **theirs}  # type: ignore[return-value]
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return (*ours, *theirs)  # type: ignore[return-value]
    return theirs if theirs != type(ours)() else ours
