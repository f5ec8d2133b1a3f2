"""A persona and its lore written anew as a whole: what would change, what is wrong with it, and doing it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import log_change
from evennia_ai.core.records import Lore
from evennia_ai.domain import days, errand_rules
from evennia_ai.domain.audience import PUBLIC
from evennia_ai.domain.choices import plan_rules
from evennia_ai.domain.files import seed_files
from evennia_ai.domain.files.seed_files import Change
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import errands, persona, repository, routine


class Draft(NamedTuple):
    """What somebody wrote: fields of a persona, a text for each fact that is there ("" takes it away), and
    facts that are new; `was` is the mark of what they had before them."""

    was: str
    fields: Mapping[str, str]
    facts: Sequence[str]
    more: Sequence[str]


def mark_of(npc: Any) -> str:
    """Return by what it is seen that a persona or its lore was changed meanwhile."""
    whole = msgspec.json.encode([persona.load_persona(npc), persona.load_lore(npc)])
    return hashlib.sha256(whole).hexdigest()[:16]


def problem(npc: Any, draft: Draft) -> str:
    """Return what is wrong with a draft, "" if nothing is."""
    if draft.was != mark_of(npc) or len(draft.facts) != len(persona.load_lore(npc)):
        return "Somebody has changed it meanwhile. Nothing was done."
    for field, text in _texts(npc, draft).items():
        if wrong := field_problem(npc, field, text.splitlines()):
            return f"{field}: {wrong}"
        if len(text) > seed_files.TEXT_LENGTH:
            return f"{field} has at most {seed_files.TEXT_LENGTH} characters. Nothing was done."
    facts = [*draft.facts, *draft.more]
    if any(len(text) > seed_files.FACT_LENGTH for text in facts):
        return f"A fact has at most {seed_files.FACT_LENGTH} characters. Nothing was done."
    if len(list(filter(None, facts))) > seed_files.ITEMS:
        return f"An NPC has at most {seed_files.ITEMS} facts. Nothing was done."
    return ""


def changes(npc: Any, draft: Draft) -> list[Change]:
    """Return what a draft would change."""
    before = persona.load_persona(npc)
    written = {field: _value(field, text) for field, text in _texts(npc, draft).items()}
    found = seed_files.persona_changes(before, {**before, **written})
    for fact, text in _facts(npc, draft):
        if text != fact.text:
            found.append(Change("~" if text else "-", "lore", fact.text, text))
    return [*found, *(Change("+", "lore", "", text) for text in _new(draft))]


def write(caller: Any, npc: Any, draft: Draft) -> int:
    """Write what a draft changes, all or nothing; return how much that was. It leaves lines for staff."""
    found = changes(npc, draft)
    changed = {one.what for one in found}
    facts = list(_facts(npc, draft))
    with repository.together(npc):
        for field, text in _texts(npc, draft).items():
            if field in changed:
                write_field(npc, field, _lines(text), text=text)
        if "lore" in changed:
            kept = [msgspec.structs.replace(fact, text=text) for fact, text in facts if text]
            new = [Lore(text=text, audience=PUBLIC) for text in _new(draft)]
            persona.save_lore(npc, [*kept, *new])
    for what in sorted(changed):
        log_change(caller, f"wrote the {what} of", npc)
    return len(found)


def write_field(npc: Any, field: str, lines: list[str], *, text: str) -> None:
    """Write one field of a persona: `lines` where it is a list, else `text`."""
    value = [line for line in lines if line] if field in persona.LINES else text
    changed = {**persona.load_persona(npc), field: value}
    persona.save_persona(npc, {key: part for key, part in changed.items() if part})


def field_problem(npc: Any, field: str, lines: list[str], *, kept: Sequence[str] = ()) -> str:
    """Return the problem with the lines of a field, "" if there is none; those of `kept` are looked at as a whole only."""
    look = {
        "routine": partial(routine.problem, zone=routine.zone_of(npc)),
        "triggers": routine.trigger_problem,
        "errands": _errand_problem,
        "plans": partial(routine.why_not, plan_rules.read_line),
        "model": persona.model_problem,
    }.get(field)
    written = [line for line in lines if line] if look else []
    for number, line in enumerate(written, 1):
        if look and line not in kept and (wrong := look(line)):
            return f"Line {number}: {escaped(wrong)} Nothing was done."
    whole = {"routine": days.read, "errands": errand_rules.read}.get(field)
    wrong = routine.why_not(whole, written) if whole else ""
    return f"{escaped(wrong[:1].upper() + wrong[1:])} Nothing was done." if wrong else ""


def _errand_problem(line: str) -> str:
    """Return the problem with a line of errands: also that it names somebody who is not in the game."""
    if wrong := errands.problem_of_line(line):
        return wrong
    key, value = errand_rules.read_line(line)
    names = [name.strip() for name in value.split(",")] if key == "to" else []
    unknown = [name for name in names if name and errands.somebody(name) is None]
    return f"there is nobody called {', '.join(map(repr, unknown))} in the game." if unknown else ""


def as_text(value: Any) -> str:
    """Return a field of a persona as a form has it."""
    return "\n".join(value) if isinstance(value, list) else str(value)


def _texts(npc: Any, draft: Draft) -> dict[str, str]:
    """Return the fields that were written; one that nobody touched stays as it is, to the letter."""
    before = persona.load_persona(npc)
    known = (*persona.FIELDS, *persona.LINES)
    given = {field: _clean(draft.fields[field]) for field in known if field in draft.fields}
    return {
        field: text
        for field, text in given.items()
        if text != _clean(as_text(before.get(field, "")))
    }


def _facts(npc: Any, draft: Draft) -> Iterator[tuple[Lore, str]]:
    """Yield each fact that is there, and its text by now."""
    for fact, text in zip(persona.load_lore(npc), draft.facts, strict=True):
        is_same = _clean(text) == _clean(fact.text)
        yield fact, fact.text if is_same else _clean(text)


def _new(draft: Draft) -> list[str]:
    return list(filter(None, map(_clean, draft.more)))


def _clean(text: str) -> str:
    return reply.storable("\n".join(text.splitlines())).strip()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def _value(field: str, text: str) -> Any:
    return list(filter(None, _lines(text))) if field in persona.LINES else text
