"""Persona and lore as files: what a file wants, and what that changes on an NPC, without doing it.

A file describes one NPC (`name`, `persona`, `lore`, `routine`), or several (`npcs`) and what all know who are
tagged so (`lore` with `scope`). What a file wrote it owns: a line that is taken out of the file is
taken from the NPC, and what somebody else wrote there stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from evennia_ai.core.records import Lore, Persona
from evennia_ai.domain import days, errand_rules, trigger_rules
from evennia_ai.domain.audience import PUBLIC
from evennia_ai.domain.choices import plan_rules
from evennia_ai.domain.memories import relationship

# Characters of one text of a persona, of one line that is said, and of one fact.
TEXT_LENGTH = 4_000
FACT_LENGTH = 1_000
# NPCs, lines or facts in one list.
ITEMS = 1_000

DAY = ("routine", "triggers", "errands", "plans", "zone")
ONE_NPC = ("name", "aliases", "desc", "persona", "lore", *DAY)
MANY_NPCS = ("npcs", "lore")
SCOPED = ("scope", "facts")
FACT = ("text", "audience", "if")


class Seed(NamedTuple):
    """What a file says of one NPC."""

    name: str
    persona: Persona
    lore: list[Lore]


class Scoped(NamedTuple):
    """What all NPCs know who are tagged `scope`."""

    scope: str
    lore: list[Lore]


class Change(NamedTuple):
    """One difference: `sign` is + (new), ~ (other words) or - (gone)."""

    sign: str
    what: str
    before: str
    after: str


class Plan(NamedTuple):
    """What an NPC would be: its persona and lore, what of it the file owns, and the differences."""

    persona: Persona
    lore: list[Lore]
    owned: dict[str, list[str]]
    changes: list[Change]


def parse(
    content: Any,
    *,
    fields: Iterable[str],
    lines: Iterable[str],
    problem: Callable[..., str] = lambda line, **_: "",
    lock_problem: Callable[[str], str] = lambda lock: "",
    trigger_problem: Callable[[str], str] = lambda line: "",
    model_problem: Callable[[str], str] = lambda alias: "",
) -> tuple[list[Seed], list[Scoped]]:
    """Return what a file wants; `fields` and `lines` are the keys of a persona.

    `problem` says what is wrong with a line of a routine in this game (for a `zone`), `lock_problem` with the lock
    string of a fact, `trigger_problem` with a line of triggers, `model_problem` with the model of an NPC; ""
    if nothing is.

    Raises:
        ValueError: the first thing that is wrong, with the NPC and the key.
    """
    reader = _Reader(
        tuple(fields), tuple(lines), problem, lock_problem, trigger_problem, model_problem
    )
    if not isinstance(content, Mapping):
        raise ValueError("it begins with a key such as name or npcs.")
    if "name" in content:
        return [reader.seed(content)], []
    _known_keys(content, MANY_NPCS, "the file")
    seeds = [reader.seed(one) for one in _items(content.get("npcs"), "npcs")]
    names = [seed.name.casefold() for seed in seeds]
    twice = next((seed.name for seed in seeds if names.count(seed.name.casefold()) > 1), None)
    if twice:
        raise ValueError(f"{twice} is described twice.")
    return seeds, [reader.scoped(one) for one in _items(content.get("lore"), "lore")]


def plan(
    persona: Mapping[str, Any],
    lore: Iterable[Lore],
    *,
    wanted_persona: Mapping[str, Any],
    wanted_lore: Iterable[Lore],
    owned: Mapping[str, Iterable[str]],
    others: Mapping[str, Iterable[str]],
) -> Plan:
    """Return what a file makes of an NPC.

    `owned` is what this file wrote before, `others` what other files did, both as {"persona":
    [fields], "lore": [fingerprints]}: what another file wants as well stays.
    """
    known = list(lore)
    wanted = list({fingerprint(fact): fact for fact in wanted_lore}.values())
    marks = {fingerprint(fact) for fact in wanted}
    gone = set(owned.get("lore", ())) - marks - set(others.get("lore", ()))
    dropped = set(owned.get("persona", ())) - wanted_persona.keys() - set(others.get("persona", ()))
    kept = [fact for fact in known if fingerprint(fact) not in gone]
    there = {fingerprint(fact) for fact in kept}
    new = [fact for fact in wanted if fingerprint(fact) not in there]
    left = {key: value for key, value in persona.items() if key not in dropped}
    after = {**left, **wanted_persona}
    changes = [
        *persona_changes(persona, after),
        *(Change("+", "lore", "", fact.text) for fact in new),
        *(Change("-", "lore", fact.text, "") for fact in known if fingerprint(fact) in gone),
    ]
    mine = {"persona": sorted(wanted_persona), "lore": sorted(marks)}
    return Plan(after, [*kept, *new], mine, changes)


def fingerprint(fact: Lore) -> str:
    """Return by what a fact is known: the same words for the same ears."""
    known = fact.audience
    ears = fact.only_if or (known if isinstance(known, str) else " ".join(sorted(known)))
    return hashlib.sha256(f"{ears}\n{fact.text}".encode()).hexdigest()[:16]


def persona_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return the differences of two personas, field by field."""
    found = []
    for key in dict.fromkeys([*before, *after]):
        old, new = _shown(before.get(key)), _shown(after.get(key))
        if old != new:
            found.append(Change("+" if not old else "~" if new else "-", key, old, new))
    return found


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {text}" for key, text in value.items())
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value or "")


class _Reader:
    """Reads what stands in a file, and says what is wrong with it."""

    def __init__(
        self,
        fields: tuple[str, ...],
        lines: tuple[str, ...],
        problem: Callable[..., str],
        lock_problem: Callable[[str], str],
        trigger_problem: Callable[[str], str],
        model_problem: Callable[[str], str],
    ) -> None:
        self.fields = tuple(key for key in fields if key not in DAY)
        self.lines = tuple(key for key in lines if key not in DAY)
        self.problem, self.lock_problem = problem, lock_problem
        self.trigger_problem, self.model_problem = trigger_problem, model_problem

    def seed(self, given: Any) -> Seed:
        """Return what is said of one NPC."""
        name = given.get("name") if isinstance(given, Mapping) else None
        if not isinstance(name, str) or not name.strip():
            raise ValueError("an NPC has a name, which is text.")
        _known_keys(given, ONE_NPC, name)
        persona = given.get("persona") or {}
        if not isinstance(persona, Mapping):
            raise ValueError(f"{name}: persona has keys such as description.")
        _known_keys(persona, (*self.fields, *self.lines), f"{name}: persona")
        written = {key: self._value(name, key, value) for key, value in persona.items()}
        written["zone"] = zone = _text(given.get("zone"), f"{name}: zone")
        of_day = partial(self.problem, zone=zone)
        written["routine"] = found = self._lines(name, "routine", given, days.written, of_day)
        try:
            days.read(found)
        except ValueError as error:
            raise ValueError(f"{name}: routine: {error}") from None
        written["triggers"] = self._lines(
            name, "triggers", given, trigger_rules.written, self.trigger_problem
        )
        written["errands"] = self._errands(name, given.get("errands"))
        written["plans"] = self._lines(name, "plans", given, plan_rules.written, lambda line: "")
        lore = self._facts(given.get("lore"), f"{name}: lore")
        return Seed(name.strip(), {key: value for key, value in written.items() if value}, lore)

    def scoped(self, given: Any) -> Scoped:
        """Return what is said to all who are tagged so."""
        if not isinstance(given, Mapping):
            raise ValueError("lore: an item has a scope and facts.")
        _known_keys(given, SCOPED, "lore")
        scope = _text(given.get("scope"), "lore: scope")
        if not scope:
            raise ValueError("lore: an item has a scope and facts.")
        return Scoped(scope, self._facts(given.get("facts"), f"lore: {scope}"))

    def _lines(
        self,
        name: str,
        key: str,
        given: Mapping[str, Any],
        written: Callable[[Any], str],
        problem: Callable[[str], str],
    ) -> list[str]:
        """Return lines of a day, or of triggers; what is wrong is told with the line of the file, if known."""
        found = []
        for number, one in enumerate(_items(given.get(key), f"{name}: {key}"), 1):
            at = min(getattr(one, "lines", {}).values(), default=0)
            where = f"{name}: {key}, {f'line {at}' if at else f'item {number}'}"
            try:
                line = written(one)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
            if wrong := problem(line):
                raise ValueError(f"{where}: {wrong}")
            found.append(line)
        return found

    def _errands(self, name: str, given: Any) -> list[str]:
        at = min(getattr(given, "lines", {}).values(), default=0)
        try:
            lines = errand_rules.written(given)
            lock = errand_rules.read(lines).only_if
            if lock and (wrong := self.lock_problem(lock)):
                raise ValueError(wrong)
        except ValueError as error:
            raise ValueError(f"{name}: errands{f', line {at}' if at else ''}: {error}") from None
        return lines

    def _value(self, name: str, key: str, value: Any) -> Any:
        where = f"{name}: {key}"
        if key in self.lines:
            return [_text(line, where) for line in _items(value, where)]
        if key == "manner" and isinstance(value, Mapping):
            _known_keys(value, relationship.STATES, where)
            return {state: _text(text, f"{where}: {state}") for state, text in value.items()}
        text = _text(value, where)
        if key == "model" and (wrong := self.model_problem(text)):
            raise ValueError(f"{where}: {wrong}")
        return text

    def _facts(self, given: Any, where: str) -> list[Lore]:
        found = [_fact(one, where) for one in _items(given, where)]
        for fact in found:
            if fact.only_if and (wrong := self.lock_problem(fact.only_if)):
                raise ValueError(f"{where}: {wrong}")
        return found


def _fact(given: Any, where: str) -> Lore:
    if not isinstance(given, Mapping):
        given = {"text": given}
    _known_keys(given, FACT, where)
    text = _text(given.get("text"), where, length=FACT_LENGTH)
    if not text:
        raise ValueError(f"{where}: a fact says something.")
    if lock := _text(given.get("if"), f"{where}: if", length=FACT_LENGTH):
        if "audience" in given:
            raise ValueError(f"{where}: a fact has an audience, or an if.")
        return Lore(text=text, audience=[], only_if=lock)
    known = given.get("audience", PUBLIC)
    if known != PUBLIC and not (
        isinstance(known, list) and all(isinstance(one, str) for one in known)
    ):
        raise ValueError(f'{where}: an audience is "public" or a list of identities.')
    return Lore(text=text, audience=known if known == PUBLIC else sorted(set(known)))


def _items(given: Any, where: str) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list):
        raise ValueError(f"{where} is a list: each item on a line of its own, after a dash.")
    if len(given) > ITEMS:
        raise ValueError(f"{where} has {len(given)} items; {ITEMS} are allowed.")
    return given


def _text(given: Any, where: str, *, length: int = TEXT_LENGTH) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        if isinstance(given, (Mapping, list, set, tuple)):
            # It is not shown: a few lines of YAML can stand for a text without end.
            raise ValueError(f"{where}: a list or keys stand where text is wanted.")
        # YAML takes 3, yes and 2026-01-01 for something else than text.
        raise ValueError(f"{where}: {str(given)[:40]!r} is no text; put quotes around it.")
    if len(given) > length:
        raise ValueError(f"{where} has {len(given)} characters; {length} are allowed.")
    return given.strip()


def _known_keys(given: Mapping[Any, Any], known: Iterable[str], where: str) -> None:
    for key in given:
        if key not in known:
            raise ValueError(f"{where} has no {str(key)[:40]!r}; it has {', '.join(known)}.")
