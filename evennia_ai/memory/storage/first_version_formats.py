"""The shapes of version 0.1, as the values of today's kinds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject
from evennia.utils import logger

from evennia_ai import scheduling
from evennia_ai.core.journal_json import WholeJournal
from evennia_ai.core.records import Identity
from evennia_ai.core.states import Switches
from evennia_ai.domain.memories import profile
from evennia_ai.memory import journal_pages, kinds
from evennia_ai.memory.kinds import Kind, Plain
from evennia_ai.memory.storage import own_attributes, pages

Values = dict[tuple[Kind[object], str], object]

# The Tag of a mind that was on; its key were the seconds between two ticks.
PULSE_TAG = "evennia_ai_pulse"

# One Attribute for each page or person: category → kind.
KEYED: dict[str, Kind[object]] = {
    "journal": kinds.JOURNAL,
    "entity_profiles": kinds.PROFILES,
    "entity_names": kinds.NAMES,
    "entity_backlog": kinds.BACKLOG,
    "working_memory": kinds.CONVERSATIONS,
    "memory_links": kinds.LINKS,
}
OWN_CATEGORY = "evennia_ai"
CATEGORIES = (*KEYED, OWN_CATEGORY)

# On the body: what stood in our category, and under plain names.
IN_CATEGORY: dict[str, Kind[object]] = {
    "unfinished_mind": kinds.UNFINISHED,
    "seeded": kinds.SEEDED,
    "converted": kinds.CONVERTED,
}
MANNERS = ("talkative", "gossip")
GRANTS = ("allowed_commands", "experience_scope")
ON_BODY = ("journal", "ai_persona", "ai_lore", *MANNERS, *GRANTS)

# On the mind, under plain names.
ON_MIND: dict[str, Kind[object]] = {
    "pending_events": kinds.PENDING,
    "reminders": kinds.REMINDERS,
    "goals": kinds.GOALS,
    "projects": kinds.PROJECTS,
    "reflection_state": kinds.REFLECTION,
    "recent_decisions": kinds.DECISIONS,
    "guests": kinds.GUESTS,
    "memory_links_progress": kinds.LINKS_PROGRESS,
    "counters": kinds.COUNTERS,
    "followed_channels": kinds.CHANNELS,
    "following": kinds.FOLLOWING,
}
CHOICES = (
    "tick_rate",
    "sleep_schedule",
    "compact_enabled",
    "compact_preserve_window",
    "compact_model",
    "compact_prompt",
)
SLEEP = (
    "operating_mode",
    "last_transition",
    "sleep_phase",
    "sleep_depth",
    "sleep_started_at",
    "sleep_wake_at",
    "sleep_reason",
    "sleep_is_nap",
    "sleep_degraded",
    "sleep_ticks",
    "sleep_stalled_ticks",
    "sleep_work_done",
    "sleep_tokens",
    "sleep_failed_ticks",
    "sleep_requested",
    "schedule_suspended_by_tool",
    "sleep_cooldown_until",
    "activity_counter",
    "last_compaction",
)


def is_foreign(row: Attribute) -> bool:
    """Return whether what stands under a name of ours was the game's own."""
    if row.db_category in KEYED:
        return not _FITS[row.db_category](row.db_value)
    if row.db_category is not None:
        return bool(row.db_category != OWN_CATEGORY)
    if row.db_key == "journal":
        return not _is_journal(row.db_value)
    known = {*ON_BODY, *ON_MIND, *CHOICES, *SLEEP, "assistant_key", "enabled"}
    return row.db_key not in known


def of_page(obj: TypedObject, rows: list[Attribute]) -> Values:
    """Return what pages and people say; a copy of an NPC has nothing of its original."""
    if not _is_owner(obj):
        return {}
    values: Values = {}
    for row in rows:
        kind = KEYED[row.db_category]
        if kind is kinds.NAMES:
            _add_names(values, obj, row.db_value)
        elif kind is kinds.LINKS:
            _add_links(values, obj, row)
        else:
            _take(values, obj, kind, row.db_key, _page(row))
    return values


def _add_names(values: Values, obj: TypedObject, names: Mapping[str, str]) -> None:
    """Add names to their pages, of which several may have become one."""
    added: dict[str, dict[str, str]] = {}
    for who, name in names.items():
        added.setdefault(kinds.name_page(who), {})[who] = name
    for page, new in added.items():
        before = values.get((kinds.NAMES, page)) or _kept_on(obj, kinds.NAMES, page)
        values[kinds.NAMES, page] = {**cast("dict[str, str]", before), **new}


def _add_links(values: Values, obj: TypedObject, row: Attribute) -> None:
    """Add links to their page, which was 16 before: of each the last letter is the same."""
    page, taken = row.db_key[-1:], cast("Values", {})
    _take(taken, obj, kinds.LINKS, page, _page(row))
    if new := taken.pop((kinds.LINKS, page), None):
        before = values.get((kinds.LINKS, page)) or _kept_on(obj, kinds.LINKS, page)
        taken[kinds.LINKS, page] = {**cast("Plain", before), **cast("Plain", new)}
    values.update(taken)


def _kept_on(obj: TypedObject, kind: Kind[object], page: str) -> object:
    row = own_attributes.find(obj, kind.name, page)
    return {} if row is None else pages.read(kind, row.db_strvalue).value or {}


def of_the_rest(obj: TypedObject, rows: list[Attribute]) -> Values:
    """Return what stood in one Attribute each."""
    kept = {(row.db_category, row.db_key): row.db_value for row in rows}
    plain = {key: value for (category, key), value in kept.items() if category is None}
    if "assistant_key" in plain:
        return _of_mind(obj, plain)
    values = _of_body(obj, plain)
    owns = _is_owner(obj)
    for key, kind in IN_CATEGORY.items() if owns else ():
        _take(values, obj, kind, "", kept.get((OWN_CATEGORY, key)))
    stored = kept.get((OWN_CATEGORY, "identity"))
    if owns and isinstance(stored, Mapping):
        values[kinds.IDENTITY, ""] = Identity(str(stored["uuid"]))
    journal = plain.get("journal")
    if owns and isinstance(journal, Mapping) and _is_journal(journal):
        values.update(_of_journal(obj, dict(journal)))
    return values


def _of_mind(obj: TypedObject, plain: Plain) -> Values:
    values: Values = {(kinds.SWITCHES, ""): Switches(bool(plain.get("enabled")))}
    for key, kind in ON_MIND.items():
        _take(values, obj, kind, "", plain.get(key))
    chosen = {key: plain[key] for key in CHOICES if plain.get(key) is not None}
    if chosen:
        values[kinds.CHOICES, ""] = chosen
    slept = {key: plain[key] for key in SLEEP if plain.get(key) is not None}
    if slept:
        _take(values, obj, kinds.SLEEP, "", slept)
    for rate in obj.tags.get(category=PULSE_TAG, return_list=True):
        values[kinds.PULSE, ""] = int(rate)
    return values


def _of_body(obj: TypedObject, plain: Plain) -> Values:
    values: Values = {}
    written = plain.get("ai_persona")
    if isinstance(written, Mapping) and written:
        values[kinds.PERSONA, ""] = dict(written)
    elif written:
        values[kinds.PERSONA, ""] = {"description": str(written)}
    lore = plain.get("ai_lore")
    if lore and isinstance(lore, Iterable):
        facts = [lore] if isinstance(lore, (str, Mapping)) else list(lore)
        told = [{"text": fact} if isinstance(fact, str) else dict(fact) for fact in facts]
        _take(values, obj, kinds.LORE, "", [{"audience": "public", **fact} for fact in told])
    for kind, names in ((kinds.SETTINGS, MANNERS), (kinds.GRANTS, GRANTS)):
        chosen = {key: _listed(key, plain[key]) for key in names if plain.get(key)}
        if chosen:
            _take(values, obj, kind, "", chosen)
    return values


def _listed(key: str, value: object) -> object:
    if key == "allowed_commands":
        return [value] if isinstance(value, str) else list(cast("Iterable[str]", value))
    return str(value).strip().lower() if key == "experience_scope" else value


def _of_journal(obj: TypedObject, stored: Plain) -> Values:
    """Return the head and, of a journal that was never paged, its pages."""
    if "entries" not in stored:
        values: Values = {}
        _take(values, obj, kinds.JOURNAL_HEAD, "", stored)
        return values
    known = journal_pages.load_entries(obj)
    head, laid = journal_pages.merged(known, cast(WholeJournal, stored))
    return {
        (kinds.JOURNAL_HEAD, ""): head,
        **{(kinds.JOURNAL, key): entries for key, entries in laid.items()},
    }


def _is_journal(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return isinstance(value.get("entries"), list) or {"pages", "version"} <= value.keys()


def _is_page(value: object) -> bool:
    lines = value.split("\n") if isinstance(value, str) else [""]
    return all(re.match(r"\d+ \{", line) for line in lines if line)


def _is_profile(value: object) -> bool:
    known = {"entity_id", "relationship", "observations", "attributes"}
    return isinstance(value, Mapping) and not known.isdisjoint(value)


def _is_index(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(one, str) for one in value.values())


# What of a category is ours: a game may use the word for something else.
_FITS: dict[str, Callable[[object], bool]] = {
    "journal": _is_page,
    "entity_profiles": _is_profile,
    "entity_names": _is_index,
    "entity_backlog": lambda value: isinstance(value, int),
    "working_memory": lambda value: isinstance(value, Mapping) and "messages" in value,
    "memory_links": lambda value: isinstance(value, str),
}


def _is_owner(obj: TypedObject) -> bool:
    """Return whether what is kept on an object is its own, and not that of whom it was copied from."""
    row = obj.db_attributes.filter(
        db_key="identity", db_category=OWN_CATEGORY, db_attrtype=None
    ).first()
    stored = row.db_value if row is not None else None
    return not isinstance(stored, Mapping) or stored.get("owner") == obj.id


def _page(row: Attribute) -> object:
    value = row.db_value
    if row.db_category == "journal":
        lines = (line.split(" ", 1) for line in value.split("\n") if line)
        return [journal_pages.read_entry(json.loads(line)) for _, line in lines]
    if row.db_category == "memory_links":
        return json.loads(value)
    if row.db_category == "entity_profiles":
        return profile.migrated(value, entity_id=row.db_key, now=scheduling.now())
    return int(value) if row.db_category == "entity_backlog" else value


def _take(values: Values, obj: TypedObject, kind: Kind[object], key: str, value: object) -> None:
    """Add a value of a kind; what does not fit is named, and kept aside as it was."""
    if value is None:
        return
    try:
        values[kind, key] = pages.shaped(kind, value)
    except ValueError as error:
        aside = kinds.SET_ASIDE if kind.on == kinds.BODY else kinds.SET_ASIDE_OF_MIND
        values[aside, f"{kind.name}/{key}"] = [json.dumps(value, default=str)]
        logger.log_err(f"evennia_ai: {kind.name}/{key} of {obj}(#{obj.id}) was set aside: {error}")
