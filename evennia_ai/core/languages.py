"""The languages of the mind without a model: one YAML file each, read when it is first needed.

Ours lie in `evennia_ai/languages/`; a game adds to them, or brings others, by the setting LANGUAGE_FILES.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, TypeVar

import msgspec

from evennia_ai.core.words import Game, stem

FOLDER = Path(__file__).parent.parent / "languages"
# Whose words stand in where a language has none, and who is spoken where no file is.
DEFAULT = "en"
# English lines for when no answer comes; other languages have theirs in their files. `{name}` is the assistant.
EXCUSES = {
    "thinking_lines": [
        "{name} ponders.",
        "{name} tilts their head, thinking.",
        "{name} considers this.",
    ],
    "fallback_lines": [
        "Forgive me, my thoughts wandered. Say that again?",
        "Hm. I lost the thread. What was that?",
        "Let me think on that. Ask me again in a while.",
    ],
    "budget_lines": ["I have talked enough for one day. Come back tomorrow."],
    "sleepy_lines": [
        "*mumbles something and turns over.*",
        "Hm? Not now… let me sleep…",
        "*snores softly.*",
    ],
}

Lines = tuple[str, ...]
_One = TypeVar("_One")


class LanguageError(ValueError):
    """A file of a language that cannot be used; says which file, where in it, and why."""


class Language(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One language; `also` are those that are understood where it is spoken."""

    name: str = ""
    also: Lines = ()
    phrases: Mapping[str, Lines] = {}
    # What it concludes and asks itself at night, and how it reports what was said.
    thoughts: Mapping[str, Lines] = {}
    wonders: Mapping[str, Lines] = {}
    reports: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    counts: Lines = ()
    states: tuple[tuple[str, str], ...] = ()
    # What is said in the place of the English lines of EXCUSES.
    excuses: Mapping[str, Lines] = {}
    names: Mapping[str, str] = {}
    # What tells that something matters, and what is said to all who are there.
    keywords: Mapping[str, Lines] = {}
    to_all: Mapping[str, Lines] = {}
    # Parts of expressions, sorts of utterances, expressions, and sets of words.
    parts: Mapping[str, str] = {}
    utterances: tuple[Mapping[str, Lines], ...] = ()
    patterns: Mapping[str, Mapping[str, Lines]] = {}
    words: Mapping[str, Mapping[str, str]] = {}
    # Values of words: numbers and minutes; stems of gestures.
    numbers: Mapping[str, float] = {}
    minutes: Mapping[str, float] = {}
    gestures: Mapping[str, str] = {}
    asked_gestures: Mapping[str, str] = {}
    # Written out words of chat: "u".
    chat: Mapping[str, str] = {}


class _Files:
    """Where the game's own files are, by language."""

    own: Mapping[str, Path] = MappingProxyType({})
    edition = 0


# The language of whoever listens just now, "" for that of the game.
_reading: ContextVar[str] = ContextVar("reading", default="")


def use(files: Mapping[str, Path]) -> None:
    """Take these files of the game's own; if they are others than before, all is read again."""
    if files == _Files.own:
        return
    _Files.own = MappingProxyType(dict(files))
    _Files.edition += 1
    for cached in (codes, load, table, sorts, _understood, _compiled, states, words):
        cached.cache_clear()


@lru_cache(maxsize=1)
def codes() -> Lines:
    """Return the codes of all languages that there is a file of."""
    return tuple(sorted({*(path.stem for path in FOLDER.glob("*.yaml")), *_Files.own}))


def edition() -> int:
    """Return how often the files changed: what is made of words may be kept until they change again."""
    return _Files.edition


def of_game() -> str:
    """Return the code of the language of the game, the default where there is no file of it."""
    return spoken(Game.language) or DEFAULT


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


def read_whole() -> None:
    """Read the files of all languages, those that are read now first, in 10 to 50 ms each."""
    for code in dict.fromkeys((*read_now(), *codes())):
        load(code)


def warm_up() -> Iterator[None]:
    """Make the expressions of the game's language, one at each step, before somebody waits for them."""
    read_whole()
    for pattern in Pattern.known:
        pattern.prepare()
        yield
    for code in read_now():
        for row in load(code).utterances:
            for lines in row.values():
                for one in lines:
                    _uttered(code, one)
                yield


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


@contextmanager
def reading(code: str) -> Iterator[None]:
    """Read texts by the rules of a language while this lasts, and not by those of the game's."""
    token = _reading.set(spoken(code))
    try:
        yield
    finally:
        _reading.reset(token)


def written() -> str:
    """Return the code of the language in which a mind writes down just now what it thinks."""
    return spoken(_reading.get()) or of_game()


def text(field: str, key: str) -> str:
    """Return a piece of text of the language that is written now, such as `reports` "said"."""
    return str(getattr(load(written()), field).get(key) or getattr(load(DEFAULT), field)[key])


def lines(field: str, key: str) -> Lines:
    """Return the wordings of something in the language that is written now, such as `thoughts` "shared"."""
    found: Lines = getattr(load(written()), field).get(key) or getattr(load(DEFAULT), field)[key]
    return found


def read_now() -> Lines:
    """Return the codes of the languages by whose rules a text is read just now."""
    return _understood(_reading.get() or Game.language)


class Pattern:
    """An expression, by its place in the files: `questions.why`; it finds what any language read now has.

    Where `of_words` is set, each of its alternatives is a word or several, and found as such. What is to
    be found whatever is spoken, since models write English, is so by `also_english`.
    """

    # All that there are, to be made before somebody waits for them.
    known: ClassVar[list[Pattern]] = []

    def __init__(self, place: str, *, of_words: bool = False, also_english: bool = False) -> None:
        self._place, self._of_words = place, of_words
        self._always = (DEFAULT,) if also_english else ()
        self.known.append(self)

    def prepare(self) -> None:
        """Make the expressions that are read now."""
        self._each()

    def match(self, text: str) -> re.Match[str] | None:
        return next(filter(None, (one.match(text) for one in self._each())), None)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return next(filter(None, (one.fullmatch(text) for one in self._each())), None)

    def search(self, text: str) -> re.Match[str] | None:
        found = [match for one in self._each() if (match := one.search(text))]
        return min(found, key=lambda match: match.start(), default=None)

    def only(self, code: str) -> re.Pattern[str]:
        """Return the expression of one language: what is "I" in one is "in" in another."""
        return _united(_compiled(self._place, self._of_words, (code,)))

    def source(self) -> str:
        """Return it as a part of an expression."""
        return f"(?:{self._whole().pattern})"

    def findall(self, text: str) -> list[str]:
        found: list[str] = self._whole().findall(text)
        return found

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._whole().finditer(text)

    def split(self, text: str) -> list[str]:
        """Return the parts between what is found."""
        return self._whole().split(text)

    def sub(self, other: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with something else for what is found."""
        return self._whole().sub(other, text)

    def _whole(self) -> re.Pattern[str]:
        return _united(self._each())

    def _each(self) -> tuple[re.Pattern[str], ...]:
        codes = tuple(dict.fromkeys((*read_now(), *self._always)))
        return _compiled(self._place, self._of_words, codes)


class Words:
    """A set of words, or of their stems, by its place in the files; of each language that is read now."""

    def __init__(self, place: str, *, stemmed: bool = False) -> None:
        self._place, self._stemmed = place, stemmed

    def __contains__(self, word: str) -> bool:
        return word in self.now

    def __iter__(self) -> Iterator[str]:
        return iter(self.now)

    @property
    def now(self) -> frozenset[str]:
        """The words themselves."""
        return words(self._place, read_now(), stemmed=self._stemmed)


@lru_cache(maxsize=500)
def table(name: str, languages: Lines) -> Mapping[str, str]:
    """Return a table of words with what they stand for, such as `spelling`, of some languages."""
    return {key: value for code in languages for key, value in getattr(load(code), name).items()}


def listed(name: str, key: str) -> Lines:
    """Return the lines of a key of a table, such as `to_all`, of each language that is read now."""
    return tuple(line for code in read_now() for line in getattr(load(code), name).get(key, ()))


@lru_cache(maxsize=100)
def sorts(languages: Lines) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Return (kind, topic, expression) of the sorts of utterances in some languages; first match wins."""
    rows = []
    for code in languages:
        for row in load(code).utterances:
            for sort, lines in row.items():
                kind, _, topic = sort.partition(" ")
                rows += [(kind, topic, _uttered(code, one)) for one in lines]
    return tuple(rows)


@lru_cache(maxsize=2_000)
def _uttered(code: str, line: str) -> re.Pattern[str]:
    return re.compile(whole(code, line), re.I)


@lru_cache(maxsize=50)
def _understood(language: str) -> Lines:
    code = spoken(language) or DEFAULT
    return tuple(sorted({code, *load(code).also}))


@lru_cache(maxsize=100)
def states(languages: Lines) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return what is said of a thing, each with its opposite, in some languages."""
    pairs = [pair for code in languages for pair in load(code).states]
    whole = [(rf"\b(?:{one})\b", rf"\b(?:{other})\b") for one, other in pairs]
    return tuple((re.compile(one, re.I), re.compile(other, re.I)) for one, other in whole)


@lru_cache(maxsize=2_000)
def _compiled(place: str, of_words: bool, languages: Lines) -> tuple[re.Pattern[str], ...]:
    table, key = place.split(".")
    listed = [(code, load(code).patterns.get(table, {}).get(key, ())) for code in languages]
    wholes = [whole(code, "|".join(lines)) for code, lines in listed if lines]
    framed = [rf"\b(?:{one})\b" for one in wholes] if of_words else wholes
    return tuple(re.compile(one, re.I) for one in framed)


@lru_cache(maxsize=500)
def _united(each: tuple[re.Pattern[str], ...]) -> re.Pattern[str]:
    if len(each) == 1:
        return each[0]
    return re.compile("|".join(f"(?:{one.pattern})" for one in each) or "(?!)", re.I)


@lru_cache(maxsize=500)
def words(place: str, languages: Lines, *, stemmed: bool = False) -> frozenset[str]:
    """Return a set of words, or of their stems, of some languages."""
    table, key = place.split(".")
    listed = {code: load(code).words.get(table, {}).get(key, "").split() for code in languages}
    return frozenset(
        stem(word, code) if stemmed else word.casefold()
        for code, found in listed.items()
        for word in found
    )


def whole(code: str, pattern: str) -> str:
    """Return an expression with the parts of its language where <NAMES> stand for them."""
    parts = load(code).parts
    for name in re.findall("<([A-Z_]+)>", pattern):
        if name in parts:
            pattern = pattern.replace(f"<{name}>", whole(code, parts[name]))
    return pattern


def _over(ours: Language, theirs: Language) -> Language:
    """Return a language with what a game has of its own: keys of tables replace ours, lines come after."""
    fields = Language.__struct_fields__
    return Language(**{one: _joined(getattr(ours, one), getattr(theirs, one)) for one in fields})


def _joined(ours: _One, theirs: _One) -> _One:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return {**ours, **theirs}  # type: ignore[return-value]
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return (*ours, *theirs)  # type: ignore[return-value]
    return theirs if theirs != type(ours)() else ours
