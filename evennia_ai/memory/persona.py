"""The persona that a builder wrote. It stays with the body when its memory is cleared.

A persona is a dict of text under the keys of `FIELDS` and lists of lines under those of `LINES`; a
plain text counts as its description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NotRequired, TypedDict

import msgspec
from django.conf import settings
from django.conf.locale import LANG_INFO
from evennia.typeclasses.models import TypedObject
from evennia.utils import logger
from evennia.utils.dbserialize import deserialize

from evennia_ai import conf
from evennia_ai.core.records import Audience, Lore, Persona
from evennia_ai.memory import errands, kinds, repository
from evennia_ai.memory.kinds import Kind, Plain

# Prototypes and build scripts give these as ordinary Attributes; they are taken up with the mind.
SEEDS: dict[str, Kind[object]] = {"ai_persona": kinds.PERSONA, "ai_lore": kinds.LORE}

FIELDS = ("description", "background", "notes", "manner", "language", "zone", "model")
LINES = (
    "greeting_lines",
    "farewell_lines",
    "unknown_lines",
    "thinking_lines",
    "fallback_lines",
    "sleepy_lines",
    "beats",
    "routine",
    "triggers",
    "errands",
    "plans",
)


_ONE = (str, int, float)


class Fact(TypedDict):
    """A fact of the lore as builders give it: for everybody, unless it says for whom."""

    text: str
    audience: NotRequired[Audience]
    only_if: NotRequired[str]


def load_persona(npc: TypedObject) -> Persona:
    """Return the persona with every key, empty where the builder wrote nothing."""
    given = _kept(npc)
    fields: Persona = {key: _text(given.get(key)) for key in FIELDS}
    return {**fields, **{key: list(map(str, _listed(given.get(key)))) for key in LINES}}


def save_persona(npc: TypedObject, persona: Mapping[str, object] | str) -> None:
    """Write a persona; a key that does not exist is a ValueError."""
    if isinstance(persona, Mapping):
        unknown = persona.keys() - {*FIELDS, *LINES}
        if unknown:
            raise ValueError(f"A persona has no {', '.join(sorted(unknown))}.")
    repository.save(npc, kinds.PERSONA, _written(persona))
    errands.bind_names(npc)


def _kept(npc: TypedObject) -> Mapping[str, object]:
    """Return what is kept of a persona; what is nothing like one counts as none."""
    kept: object = repository.load(npc, kinds.PERSONA)
    return kept if isinstance(kept, Mapping) else {}


def model_of(npc: TypedObject) -> str:
    """Return the key of LLM that is written for an NPC and that it may have, else "".

    It is money: whatever is written counts only while the admin allows it.
    """
    alias = str(_kept(npc).get("model") or "").strip()
    return alias if alias in allowed_models() else ""


def allowed_models() -> list[str]:
    """Return the keys of LLM of which a builder may choose one for an NPC."""
    return [alias for alias in conf.get("NPC_MODELS") if alias in conf.get("LLM")]


def model_problem(alias: str) -> str:
    """Return what is wrong with a key of LLM for an NPC, "" if nothing is."""
    known = allowed_models()
    if not alias or alias in known:
        return ""
    there_is = f"there is {', '.join(known)}" if known else "the setting NPC_MODELS lists none"
    return f"{alias[:60]!r} is no model that an NPC may have; {there_is}."


def language_of(wanted: str) -> tuple[str, str]:
    """Return code and English name of a language that a builder named, else of the game's."""
    return _language((wanted or settings.LANGUAGE_CODE).strip().lower())


@lru_cache(maxsize=64)
def _language(asked: str) -> tuple[str, str]:
    for code, info in LANG_INFO.items():
        if asked in (code, info.get("name", "").lower()):
            return code.split("-")[0], info.get("name", code)
    return asked.split("-")[0], asked


def load_lore(npc: TypedObject) -> list[Lore]:
    """Return the facts that an NPC knows from its builder."""
    return repository.load(npc, kinds.LORE) or []


def save_lore(npc: TypedObject, facts: Iterable[Lore | str | Fact]) -> None:
    """Write what an NPC knows: facts, sentences, or dicts with `text` and `audience` or `only_if`."""
    repository.save(npc, kinds.LORE, [_fact(fact) for fact in facts])
    repository.note_rewrite(npc.id)


def take_up(npc: TypedObject) -> None:
    """Take persona and lore from the ordinary Attributes of an NPC that has none of ours yet.

    So a prototype or a build script says who somebody is; the Attributes go, so that nobody takes
    them for what the mind reads. One that cannot be read stays, and staff are told.
    """
    for key, kind in SEEDS.items():
        given = deserialize(npc.attributes.get(key))
        kept = repository.load(npc, kind) if given else None
        if not given or kept:
            continue
        try:
            if kind is kinds.PERSONA:
                repository.save(npc, kinds.PERSONA, _written(given))
                errands.bind_names(npc)
            else:
                save_lore(npc, _facts(given))
        except (ValueError, TypeError) as error:
            # Facts without words, names of fields that are none, letters that no database takes.
            logger.log_warn(f"evennia_ai: {key} of {npc.key}(#{npc.id}) cannot be read: {error}")
            continue
        npc.attributes.remove(key)


def _text(value: object) -> str | dict[str, str]:
    if isinstance(value, Mapping):
        return {str(state): str(text) for state, text in value.items()}
    return str(value) if value else ""


def _listed(value: object) -> list[object]:
    # A builder who sets one line by hand writes no list.
    if value and isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        return list(value)
    return [value] if value else []


def _written(given: object) -> Plain:
    if not isinstance(given, Mapping):
        return {"description": str(given)}
    # One line by itself counts wherever lines are read: as a greeting, and as a part of the day.
    return {
        key: (
            [one for one in [value] if one.strip()]
            if key in LINES and isinstance(value, str)
            else value
        )
        for key, value in given.items()
    }


def _facts(given: object) -> list[str | Fact]:
    """Return what somebody wrote by hand as facts; a ValueError or a TypeError says what is wrong with it."""
    several = msgspec.convert(
        [given] if isinstance(given, (*_ONE, Mapping)) else given, list[object]
    )
    named = [str(one) if isinstance(one, _ONE) else one for one in several]
    return msgspec.convert(named, list[str | Fact])


def _fact(fact: Lore | str | Fact) -> Lore:
    if isinstance(fact, Lore):
        return fact
    if isinstance(fact, str):
        return Lore(text=fact, audience="public")
    only_if = fact.get("only_if", "")
    known: Audience = [] if only_if else fact.get("audience", "public")
    return Lore(text=fact["text"], audience=known, only_if=only_if)
