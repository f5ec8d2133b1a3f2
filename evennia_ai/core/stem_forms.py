"""Spellings of a stem: what surely stands in a text that has one of its forms, for a database to look for.

A database finds letters, not words. What it finds is looked at again by whoever knows the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, product

from evennia_ai.core import words
from evennia_ai.core.word_tables import IRREGULAR

# Languages whose forms begin as their stems do, all but the last letters.
_BEGIN_ALIKE = ("en", "sv", "de")
# Letters at the end of a stem that some form does not have: "happi" of "happy", "nyckl" of "nyckel".
_LOOSE = 1
# Forms that a stemmer has a list of.
_LISTED = ("dying", "lying", "tying", "skies", "sky", "news", "idly", "gently", "singly", "only")
# Letters of a form that are tried as one sign and as two.
_MOST = 3
# German stems have no umlauts, and "ss" for "ß".
_GERMAN = re.compile("[aou]")
_STRANGE = re.compile(r"[^\x00-\x7f]")

# For each stem, patterns of LIKE without regard to case, of which a text has one at least.
Likely = tuple[tuple[str, ...], ...]


def likely(stems: Iterable[str]) -> Likely | None:
    """Return what a text that has each of some stems is like; None where that cannot be told.

    Of texts in another language than the game's it may miss some.
    """
    language = words.Game.language
    if language not in _BEGIN_ALIKE:
        return None
    return tuple(_patterns(stem, language) for stem in stems)


def condition(column: str, likely: Likely, *, like: str = "LIKE ?") -> tuple[str, list[str]]:
    """Return in SQL that a column is like all of that, with the values of its placeholders."""
    all_of = (f"({' OR '.join([f'{column} {like}'] * len(patterns))})" for patterns in likely)
    return " AND ".join(all_of), [pattern for patterns in likely for pattern in patterns]


def is_like(text: str, likely: Likely) -> bool:
    """Return whether a text is like all of that: much sooner than by its words."""
    return all(_expression(patterns).search(text) for patterns in likely)


@lru_cache(maxsize=1_000)
def _expression(patterns: tuple[str, ...]) -> re.Pattern[str]:
    inner = (re.escape(one.strip("%")).replace("%", ".*").replace("_", ".") for one in patterns)
    return re.compile("|".join(inner), re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=1_000)
def _patterns(stem: str, language: str) -> tuple[str, ...]:
    begun = stem[: max(1, len(stem) - _LOOSE)]
    known = [*IRREGULAR.get(language, ()), *(_LISTED if language == "en" else ())]
    forms = [begun, *(form for form in known if words.stem(form, language) == stem)]
    if language == "de":
        forms += [form.replace("ss", "ß") for form in forms]
        forms = [_GERMAN.sub("ä", form) for form in forms]
    return tuple(f"%{one}%" for one in dict.fromkeys(chain(*map(_any_case, forms))))


def _any_case(form: str) -> Iterator[str]:
    """Yield the patterns of a form; a database knows no cases of other letters than a to z.

    Such a letter may be written as two signs: an accent as one of its own, or "ue" for "ü".
    """
    letters = _STRANGE.split(form)
    wild = len(letters) - 1
    for signs in product(("_", "__"), repeat=min(wild, _MOST)):
        wilds = [*signs, *["%"] * (wild - len(signs)), ""]
        yield "".join(chain(*zip(letters, wilds, strict=True)))
