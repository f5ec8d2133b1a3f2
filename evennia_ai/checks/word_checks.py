"""Check of the list of words that must not be spoken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evennia_ai import permission
from evennia_ai.checks.problem import Problem, error, plain

LINE = 'EVENNIA_AI["FORBIDDEN_WORDS"] = {"words": [], "file": "world/words.txt"}'


def check_words(given: dict[Any, Any]) -> Iterator[Problem]:
    """Yield what is wrong with FORBIDDEN_WORDS, beside its type."""
    described = given.get("FORBIDDEN_WORDS")
    if not isinstance(described, dict):
        return
    words, file = described.get("words", ()), described.get("file", "")
    for word in words if isinstance(words, (list, tuple)) else ():
        if word is not ... and not isinstance(word, str):
            sentence = f'EVENNIA_AI["FORBIDDEN_WORDS"] holds {word!r}, which is not text.'
            yield error("E007", sentence, LINE)
    try:
        permission.words_in_file(file if isinstance(file, str) else "")
    except (OSError, UnicodeDecodeError) as problem:
        yield error(
            "E017",
            f'EVENNIA_AI["FORBIDDEN_WORDS"] names {file!r}, which cannot be read: '
            f"{plain(problem)}. Until it can, no NPC says anything.",
            LINE,
        )
