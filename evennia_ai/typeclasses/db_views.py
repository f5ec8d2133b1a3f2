"""Views in `db` of an NPC and of its mind, in the shapes of the source documents: `npc.db.journal`.

It is made anew at each read from what is stored, so a change of it would be lost: it refuses every change and names the
function to use. `obj.attributes` knows nothing of it, and so neither do stock commands and the REST API.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from evennia.objects.models import ObjectDB
from evennia.typeclasses.attributes import DbHolder
from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.memory import identity, journal, kinds, links, lookup, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, reflection_state, sleep_state
from evennia_ai.sleep import sleep_cycle

# The keys that the documents give each record.
ENTRY = (
    "id",
    "timestamp",
    "content",
    "source_type",
    "source_trust",
    "source_entity",
    "importance",
    "importance_method",
    "tags",
    "related_projects",
)
PROFILE = ("entity_type", "name", "created", "last_interaction")
FACT = ("type", "value", "source", "created")
RELATIONSHIP = ("state", "favorability", "interaction_count", "last_delta")
CHANGE = ("delta", "reason", "timestamp")
ACTION = ("action", "priority", "created")
REFLECTION = (
    "cumulative_importance",
    "threshold",
    "last_reflection_time",
    "reflection_count",
    "entries_since_reflection",
)
# The documents' words for sources of observations, where the journal has another.
SOURCES = {"inference": "inferred", "hearsay": "told"}

# Under this name the holder of an object is kept on it.
_NAME = "_evennia_ai_db"


class View:
    """One name in `db`: how it is read, what its refusal of a change says, and how it is assigned, if it can be."""

    def __init__(
        self,
        read: Callable[[Any, View], Any],
        refusal: str,
        write: Callable[[Any, Any], None] | None = None,
    ) -> None:
        def refuse(*_args: object, **_kwargs: object) -> NoReturn:
            raise TypeError(refusal)

        def plain(kind: type) -> dict[str, Any]:
            # Copies, also those that Evennia pickles, are plain and may be changed.
            return {"__slots__": (), "__reduce__": lambda self: (kind, (kind(self),))}

        self.refuse, self.write, self._read = refuse, write, read
        self.dict = type("ReadOnlyDict", (dict,), plain(dict) | dict.fromkeys(_OF_DICTS, refuse))
        self.list = type("ReadOnlyList", (list,), plain(list) | dict.fromkeys(_OF_LISTS, refuse))

    def read(self, obj: Any) -> Any:
        """The value as the documents have it, detached."""
        return self._frozen(self._read(obj, self))

    def picked(self, records: Iterable[Any], keys: tuple[str, ...]) -> Any:
        """Records of one sort, with these keys only; a hundred entries are made in a tenth of a millisecond."""
        rows = [[*row] for row in map(operator.attrgetter(*keys), records)]
        listed = (
            [place for place, value in enumerate(rows[0]) if type(value) is list] if rows else ()
        )
        for row in rows:
            for place in listed:
                row[place] = self.list(row[place])
        return self.list([self.dict(zip(keys, row, strict=True)) for row in rows])

    def _frozen(self, value: Any) -> Any:
        if type(value) is dict:
            return self.dict({key: self._frozen(one) for key, one in value.items()})
        return self.list(map(self._frozen, value)) if type(value) in (list, tuple) else value


_OF_BOTH = ("__setitem__", "__delitem__", "clear", "pop")
_OF_DICTS = (*_OF_BOTH, "__ior__", "popitem", "setdefault", "update")
_OF_LISTS = (
    *_OF_BOTH,
    *("__iadd__", "__imul__", "append", "extend", "insert", "remove", "reverse", "sort"),
)


def _journal(npc: Any, view: View) -> dict[str, Any]:
    kept = journal.entries(npc)
    return {
        "entries": view.picked(kept, ENTRY),
        **journal.summary(npc),
        "consolidated_entry_ids": [entry.id for entry in kept if entry.consolidated],
    }


def _entity_profiles(npc: Any, view: View) -> dict[str, Any]:
    known = entity_profiles.all_profiles(npc)
    keys = _keys(npc, known, known.values())
    return {keys[who]: _profile(keys[who], known[who], view) for who in sorted(known)}


def _profile(key: str, known: Any, view: View) -> dict[str, Any]:
    regard = known.relationship
    facts = [fact for fact in known.attributes if fact.superseded_by is None]
    return {
        "entity_id": key,
        **_fields(known, PROFILE),
        "attributes": view.picked(facts, FACT),
        "observations": [
            {
                "content": observation.content,
                "source": SOURCES.get(observation.source_word, observation.source_word),
                "timestamp": observation.timestamp,
            }
            for observation in known.observations
        ],
        "relationship": {
            **_fields(regard, RELATIONSHIP),
            "history": view.picked(regard.history, CHANGE),
        },
    }


def _working_memory(npc: Any, view: View) -> dict[str, Any]:
    talks = working_memory.conversations(npc)
    keys = _keys(npc, talks, entity_profiles.find_profiles(npc, talks))
    return {
        keys[who]: {
            **_fields(talk, ("topic", "started", "last_message")),
            "messages": [{"role": line.role, "content": line.text} for line in talk.messages],
            "pending_actions": view.picked(talk.pending_actions, ACTION),
            "context": structs.asdict(talk.context),
        }
        for who, talk in sorted(talks.items())
    }


def _memory_links(script: Any, view: View) -> dict[str, Any]:
    return {
        memory: {
            "linked_to": view.picked(kept.linked_to, ("id", "score")),
            "processed_at": kept.processed_at,
        }
        for memory, kept in links.memory_links(script).items()
    }


def _fields(record: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: getattr(record, key) for key in keys}


def _keys(npc: Any, people: Iterable[str], profiles: Iterable[Any]) -> dict[str, str]:
    """The documents' "dbref or key" by identity: "#123" as long as that leads to them, else the identity."""
    dbrefs = {known.entity_id: known.dbref for known in profiles if known.dbref}
    bodies = ObjectDB.objects.filter(id__in={int(dbref[1:]) for dbref in dbrefs.values()})
    repository.warm_all((body, [(kinds.IDENTITY, "")]) for body in bodies)
    # A mask that is off, or a number that somebody else has by now, leads to another.
    leads = {identity.perceived(npc, body): body.dbref for body in bodies}
    return {who: leads.get(who, who) for who in people}


BODY = {
    "journal": View(
        _journal,
        "db.journal is read-only: use evennia_ai.api.add_entry, edit_entry or remove_entries.",
    ),
    "entity_profiles": View(
        _entity_profiles,
        "db.entity_profiles is read-only: use evennia_ai.api.create_entity_profile, add_entity_observation or "
        "update_relationship.",
    ),
    "working_memory": View(
        _working_memory,
        "db.working_memory is read-only: use evennia_ai.api.start_conversation, add_conversation_message or "
        "add_pending_action.",
    ),
}
MIND = {
    "reflection_state": View(
        lambda script, _: _fields(reflection_state.reflection_state(script), REFLECTION),
        "db.reflection_state is read-only: use evennia_ai.api.update_reflection_state or "
        "reset_reflection_state.",
    ),
    "operating_mode": View(
        lambda script, _: sleep_state.mode(script),
        "db.operating_mode is read-only: use evennia_ai.api.transition_mode.",
    ),
    "sleep_phase": View(
        lambda script, _: sleep_state.phase(script),
        "db.sleep_phase is read-only: evennia_ai.api.run_sleep_tick goes on to the next phase.",
    ),
    "sleep_schedule": View(
        lambda script, _: vars(sleep_cycle.schedule_of(script)),
        "db.sleep_schedule is read-only inside: assign a whole schedule, script.db.sleep_schedule = {...}.",
        sleep_cycle.choose_schedule,
    ),
    "memory_links": View(
        _memory_links,
        "db.memory_links is read-only: use evennia_ai.api.run_dreaming_tick or "
        "prune_orphaned_memory_links.",
    ),
    "assistant_key": View(
        lambda script, _: assistant.key_of(script),
        "db.assistant_key is read-only: it is evennia_ai.api.identity_of the body, for good.",
    ),
}


class AssistantDb(DbHolder):  # type: ignore[misc]
    """Evennia's `db`, in which the names of BODY or MIND are views."""

    def __getattribute__(self, name: str) -> Any:
        view, obj = _found(self, name)
        return super().__getattribute__(name) if view is None else view.read(obj)

    def __setattr__(self, name: str, value: Any) -> None:
        view, obj = _found(self, name)
        if view is None:
            super().__setattr__(name, value)
        else:
            (view.write or view.refuse)(obj, value)

    def __delattr__(self, name: str) -> None:
        view, obj = _found(self, name)
        if view is None:
            super().__delattr__(name)
        else:
            (view.write or view.refuse)(obj, None)


def shadowed(obj: Any) -> str:
    """One line about the Attributes of an object that its `db` does not show any more, "" if there is none."""
    # `isinstance` would look for an Attribute of the name `__class__`.
    if type(obj.db) is not AssistantDb:
        return ""
    rows = obj.db_attributes.filter(
        db_key__in=_views_of(obj), db_category=None, db_attrtype=None
    ).order_by("db_key")
    names = ", ".join(rows.values_list("db_key", flat=True))
    return names and (
        f"{names}: the Attribute of that name is shadowed, since db shows what the mind keeps "
        "(attributes.get reads the Attribute)."
    )


def _found(holder: AssistantDb, name: str) -> tuple[View | None, Any]:
    """The view that has this name for this object, if any."""
    key = name.strip().lower()
    if key not in BODY and key not in MIND:
        return None, None
    obj = object.__getattribute__(holder, "attributes").obj
    view = _views_of(obj).get(key)
    # Pages of the website are made in other threads, and list what they find in `db` for anybody.
    if view is None or not scheduling.is_game_thread() or not _has_mind(obj):
        return None, None
    return view, obj


def _has_mind(obj: Any) -> bool:
    return _is_mind(obj) or lookup.mind_of(obj) is not None


def _views_of(obj: Any) -> dict[str, View]:
    return MIND if _is_mind(obj) else BODY


def _is_mind(obj: Any) -> bool:
    return bool(getattr(obj, "is_mind_of_assistant", False))


def _holder(obj: Any) -> AssistantDb:
    holder: AssistantDb | None = obj.__dict__.get(_NAME)
    if holder is None:
        holder = obj.__dict__[_NAME] = AssistantDb(obj, "attributes")
    return holder


# Evennia's property, which refuses to be assigned or deleted, with our holder.
db = TypedObject.db.getter(_holder)
