"""Deduplication: when two memories are the same one, told twice.

A fact is the same whenever it is told. A line of a talk is not: "Yes, exactly!" is about what was said
before it (`metadata["previous"]`), and means something else the next time.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# As they are written without an apostrophe, which not everybody types.
_NEGATIONS = frozenset(
    "no not never none nobody nothing neither nor without hardly cannot cant dont doesnt didnt wont"
    " isnt arent wasnt werent couldnt shouldnt wouldnt hasnt havent hadnt"
    " inte ej aldrig ingen inget inga utan knappt".split()
)
_NUMBERS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty"
    " hundred thousand dozen half noll två tre fyra fem sex sju åtta nio tio elva tolv tjugo hundra"
    " tusen dussin halv".split()
)
_PEOPLE = frozenset(
    "i me my mine you your yours he him his she her hers we us our ours they them their theirs"
    " jag mig min mitt mina du dig din ditt dina han honom hans hon henne hennes vi oss vår vårt"
    " våra ni er ert era de dem deras".split()
)
_TELLING = _NUMBERS | _PEOPLE
# Words that begin a sentence and name nobody.
_OPENERS = frozenset("the a an it there this that these those den det en ett där".split())
# What is put before a word to say the opposite.
_OPPOSITES = ("un", "in", "im", "ir", "dis", "non", "o")


def fingerprint(text: str, metadata: dict[str, Any]) -> str:
    """Return a hash that two memories share if the same source said the same words to the same."""
    words = " ".join(text.casefold().split())
    # Two people who say the same are two witnesses: whom one has it from must not be lost.
    said = "\n".join([words, *_source(metadata)])
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def says_the_same(one: str, other: str) -> bool:
    """Return whether texts of nearly equal vectors also agree in what vectors are blind to.

    Numbers, negations, names and who does what to whom: "Ann owes Bob 5" is not "Bob owes Ann 6".
    Two memories of one thing do less harm than one of two.
    """
    if _telling(one) != _telling(other):
        return False
    first, second = _words(one), _words(other)
    both = set(first) & set(second)
    if [word for word in first if word in both] != [word for word in second if word in both]:
        return False
    return not (_opposites(first) & set(second) or _opposites(second) & set(first))


def _words(text: str) -> list[str]:
    words = (match.group().casefold() for match in _WORD.finditer(text))
    return [word for word in words if word not in _OPENERS]


def _opposites(words: list[str]) -> set[str]:
    return {prefix + word for word in words for prefix in _OPPOSITES}


def _telling(text: str) -> list[str]:
    found, first = [], True
    for match in _WORD.finditer(text):
        word = match.group()
        plain = re.sub("['’]", "", word.casefold())
        # A name may begin the sentence, with or without a capital.
        is_name = plain not in _OPENERS if first else word[0].isupper()
        if plain in _NEGATIONS:
            found.append("not")
        elif is_name or plain in _TELLING or any(letter.isdigit() for letter in word):
            found.append(plain)
        first = False
    return found


def _source(metadata: dict[str, Any]) -> list[str]:
    source = [str(metadata.get("source_id") or ""), str(metadata.get("speaker") or "")]
    previous = metadata.get("previous")
    if isinstance(previous, str) and previous.strip():
        source.append(" ".join(previous.casefold().split()))
    return source
