"""The shape of an exported mind: the keys that its JSON must have, and what stands under each.

Keys that are not listed may stand in any part but the outermost two, and are kept as they are.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from evennia_ai.core.decisions import Decision, Feedback, Trajectory
from evennia_ai.core.records import parse_time
from evennia_ai.domain.audience import PUBLIC
from evennia_ai.domain.memories import relationship

# The highest number of an entry: every page up to it is looked at.
LAST_ENTRY = 10_000_000
# A time before or after may not be added to or taken from another.
YEARS = range(1970, 3000)

Mind = dict[str, Any]

_Number = Annotated[int, Meta(ge=0, le=LAST_ENTRY)]
_State = Literal[tuple(relationship.STATES)]  # type: ignore[valid-type]
_Share = Annotated[float, Meta(ge=0, le=1)]
_Audience = Literal["public"] | list[Annotated[str, Meta(min_length=1)]]


class _Moment:
    """A time in ISO-8601."""


class _Fact(Struct):
    text: str
    audience: _Audience


class _Entry(Struct):
    id: _Number
    timestamp: _Moment
    content: str
    source_type: str
    source_trust: _Share
    source_entity: str
    source_id: str
    importance: Annotated[int, Meta(ge=1, le=10)]
    importance_method: str
    tags: list[str]
    related_projects: list[str]
    audience: _Audience
    consolidated: bool
    evidence: list[int]
    chain: list[Mind]
    shared: list[Mind]


class _Journal(Struct):
    entries: list[_Entry]
    entry_count: _Number
    max_entries: Annotated[int, Meta(ge=1, le=LAST_ENTRY)]
    last_reflection: str


class _Attribute(Struct):
    id: int
    type: str
    audience: _Audience
    told_by: list[str]


class _Observation(Struct):
    id: int
    content: str
    source: str
    audience: _Audience


class _Relationship(Struct):
    state: _State
    favorability: _Share
    interaction_count: int


class _Profile(Struct):
    entity_id: str
    entity_type: str
    name: str
    created: _Moment
    last_interaction: _Moment
    attributes: list[_Attribute]
    observations: list[_Observation]
    observation_count: int
    relationship: _Relationship


class _Message(Struct):
    role: str
    content: str
    name: str
    kind: str
    audience: _Audience
    timestamp: _Moment
    event_id: str


class _Action(Struct):
    action: str
    priority: int
    audience: _Audience


class _Conversation(Struct):
    topic: str
    started: _Moment
    last_message: _Moment
    messages: list[_Message]
    pending_actions: list[_Action]


class _Goal(Struct):
    id: int
    title: str
    status: str
    progress: float
    audience: _Audience


class _Reminder(Struct):
    due: _Moment
    text: str
    audience: _Audience


class _Reflection(Struct):
    cumulative_importance: float
    threshold: float
    reflection_count: int
    entries_since_reflection: list[int]


class _Memory(Struct):
    id: str
    text: Annotated[str, Meta(pattern=r"\S")]
    audience: _Audience
    metadata: Mind
    created: _Moment


class _Link(Struct):
    id: str
    score: float


class _Tried(Struct):
    id: str
    audience: _Audience
    data: Mind


class _Verdict(Struct):
    episode_id: str
    overall_effectiveness: Annotated[float, Meta(ge=0, le=10)]
    unexpected_effects: str
    audience: _Audience | None


class _Feedback(_Verdict):
    history: list[_Verdict]


class _Experience(Struct):
    decisions: list[_Tried]
    trajectories: list[_Tried]
    feedback: list[_Feedback]


class _Mind(Struct, forbid_unknown_fields=True):
    identity: str
    persona: Mind
    lore: list[_Fact]
    settings: Mind
    journal: _Journal
    noticed_until: int
    profiles: dict[str, _Profile]
    conversations: dict[str, _Conversation]
    goals: list[_Goal]
    reminders: list[_Reminder]
    schedule: Mind | None
    reflection: _Reflection
    memories: list[_Memory]
    links: dict[str, list[_Link]]
    # What kinds of the game's own keep, by their names.
    more: Mind
    experience: _Experience


class _Document(Struct, forbid_unknown_fields=True):
    format: str
    version: int
    name: str
    exported: _Moment
    hash: str
    mind: Mind


# The keys of a mind.
KEYS = _Mind.__struct_fields__


def check_document(document: Any) -> None:
    """Raise ValueError if it has not the shape of a document, whatever its mind is."""
    _check(document, _Document, "the document")


def check_mind(mind: Any) -> None:
    """Raise ValueError if it has not the shape of a mind, or contradicts itself."""
    _check(mind, _Mind, "mind")
    if mind["identity"] in ("", PUBLIC):
        # It is replaced wherever it stands: who may know what would change.
        raise ValueError("mind.identity is not an identity.")
    _check_experience(mind["experience"])
    for who, known in mind["profiles"].items():
        if known["entity_id"] != who:
            raise ValueError(f"mind.profiles.{who} is the profile of {known['entity_id']}.")
    ids = [entry["id"] for entry in mind["journal"]["entries"]]
    if len(set(ids)) != len(ids) or min(ids, default=1) < 1:
        raise ValueError("mind.journal.entries has an id twice, or one below 1.")
    if mind["journal"]["entry_count"] < max(ids, default=0):
        raise ValueError("mind.journal.entry_count is below the id of an entry.")


def _check_experience(kept: Mind) -> None:
    for kind in (Decision, Trajectory):
        for number, one in enumerate(kept[kind.collection]):
            whole = {"sources": [], **one["data"], "id": one["id"], "audience": one["audience"]}
            _check(whole, kind, f"mind.experience.{kind.collection}[{number}]")
    _check(kept["feedback"], list[Feedback], "mind.experience.feedback")


def _check(given: Any, shape: type[object], where: str) -> None:
    """Raise ValueError if plain data has not the shape; `where` is what it is called then."""
    try:
        msgspec.convert(given, shape, dec_hook=_moment)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        raise ValueError(f"{where}{path.rstrip('`')}: {what[0].lower()}{what[1:]}.") from None


def _moment(kind: type, value: Any) -> object:
    """Raise ValueError if a value is no time, or one with which nobody can reckon."""
    if kind is object:
        # What may be anything.
        return value
    try:
        if isinstance(value, str) and parse_time(value).year in YEARS:
            return _Moment()
    except ValueError:
        pass
    raise ValueError("it is no time")
