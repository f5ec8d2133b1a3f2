"""Check of languages: whether the mind without a model speaks the one of the game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from evennia.utils.utils import iter_to_str

from evennia_ai import conf
from evennia_ai.checks.problem import Problem, error, warning
from evennia_ai.core import language_faults, languages

OFFLINE = "evennia_ai.llm.offline.OfflineMind"


def spoken() -> str:
    """Return the languages of the mind without a model, as words."""
    return iter_to_str([f"'{code}'" for code in languages.codes()], endsep=" and")


def has_words(code: str) -> bool:
    """Return whether the mind without a model speaks a language, by its code such as "sv-se"."""
    return bool(languages.spoken(code))


def check_language(given: dict[Any, Any]) -> Iterator[Problem]:
    """Yield that NPCs would speak English in a game of another language, if no model answers."""
    for own, path in conf.get("LANGUAGE_FILES").items():
        for sentence in language_faults.faults(Path(settings.GAME_DIR) / str(path), str(own)):
            yield error("E018", sentence, 'EVENNIA_AI["LANGUAGE_FILES"] = {}  # or mend the file')
    models = given.get("LLM", conf.DEFAULTS["LLM"])
    described = models.get("reply", models.get("default")) if isinstance(models, dict) else None
    is_offline = isinstance(described, dict) and described.get("BACKEND") == OFFLINE
    code = str(settings.LANGUAGE_CODE)
    if is_offline and not has_words(code):
        yield warning(
            "W113",
            f"LANGUAGE_CODE is {code!r}, and without a model NPCs speak {spoken()}: they speak English.",
            'EVENNIA_AI["LLM"] = …  # a model speaks any language',
        )
