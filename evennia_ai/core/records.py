"""The plain records that are stored and passed around: events, and lines of conversation.

Times are text, ISO-8601 in UTC with a `Z`, so that they can be stored, compared and read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timezone
from typing import Literal, Protocol

import msgspec

# Seconds after which an event that nobody answered is only remembered (a server was down).
EVENT_MAX_AGE = 600
# How far each kind of source is believed, 0 to 1.
SOURCE_TRUST = {"direct": 0.9, "observation": 0.8, "inference": 0.6, "environmental": 0.3}
# Who may know something: everybody, or the identities that are listed.
Audience = Literal["public"] | list[str]

# The account on which all guests are together: a new one is made at each of their logins.
GUESTS = -1

# What a builder wrote of an NPC: texts, lines, or texts by the state of a relationship.
Persona = dict[str, str | list[str] | dict[str, str]]

# What an event can be; a game adds kinds of its own through `assistant.perceive`.
SPOKEN = ("say", "whisper", "tell", "channel")
PRIVATE = ("whisper", "tell")
# What lets an assistant speak first.
OCCASION = "occasion"


class Identity(msgspec.Struct, frozen=True):
    """Who an object is, for good, and which account played it last (0: none that was seen)."""

    uuid: str
    account: int = 0


class Source(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A moment that something rests on: its id, whose words or deed it was, who may know it.

    The id is that of an event, which its line and its entry share, or "entry 7" of what has none. Of moments too many
    to be listed the id is "": any of theirs. `by` is "" where no person is behind it.
    """

    id: str
    by: str = ""
    audience: Audience = "public"


# The id of the source of what a builder, staff or the game's own code made.
GAME = "game"
# Moments that one record lists; of older ones it keeps only whose they were.
SOURCES = 24


def intersection(audiences: Iterable[Audience]) -> Audience:
    """Return who may know something that was derived from several things."""
    known: set[str] | None = None
    for audience in audiences:
        if audience != "public":
            known = set(audience) if known is None else known & set(audience)
    return "public" if known is None else sorted(known)


def audience_from(sources: Collection[Source]) -> Audience:
    """Return who may know what rests on these sources: nobody, if it rests on nothing."""
    return intersection(one.audience for one in sources) if sources else []


def is_said(sources: Iterable[Source], minds: Collection[str] = ()) -> bool:
    """Return whether a player's words or deed are among the sources; `minds` are the identities of NPCs."""
    return any(one.by and one.by not in minds for one in sources)


def united(*several: Iterable[Source]) -> list[Source]:
    """Return several sources as one list, each once; of the oldest beyond SOURCES only whose they are."""
    kept = {(one.id, one.by, str(one.audience)): one for many in several for one in many}
    sources = list(kept.values())
    bare = [Source("", one.by, one.audience) for one in sources[:-SOURCES]]
    return [*{(one.by, str(one.audience)): one for one in bare}.values(), *sources[-SOURCES:]]


def known_to(audience: Audience, sources: Iterable[Source]) -> list[Source]:
    """Return the sources of what has this audience: what is made of it may be known by just those."""
    return [Source(one.id, one.by, audience) for one in sources]


def through(chain: Iterable[Mapping[str, str]]) -> list[Source]:
    """Return those whom something came through as its sources."""
    return [Source("", one["identity"]) for one in chain if one.get("identity")]


class Kept(Protocol):
    """What may go into a prompt: who may know it, and what anything made of it rests on."""

    @property
    def audience(self) -> Audience:
        """Who may know it."""

    @property
    def origins(self) -> list[Source]:
        """What anything made of it rests on."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a mind keeps.

    `audience` is who may know it, `said_by` the identity of whom it is from ("" if from nobody),
    `about` the identities of whom it is about.
    """

    audience: Audience
    said_by: str
    about: list[str]


class Derived(Record, frozen=True, kw_only=True):
    """What a mind made of other things, its `sources`: who may know it are never more than may know all of those."""

    sources: list[Source]

    def __post_init__(self) -> None:
        known = intersection([self.audience, audience_from(self.sources)])
        if known != self.audience:
            msgspec.structs.force_setattr(self, "audience", known)

    @property
    def origins(self) -> list[Source]:
        """What anything made of it rests on."""
        return known_to(self.audience, self.sources)


class Entry(
    Record,
    frozen=True,
    kw_only=True,
    rename={"said_by": "source_id", "derived_from": "evidence"},
    omit_defaults=True,
):
    """One entry of a journal.

    What a mind made itself names its `sources`; what it was told or saw has none, and is a source.
    `derived_from` lists the entries that an insight cites, `cited` says that an entry is among
    them; `chain` is whom it came through, the first teller first; `shared` to whom it was passed on.
    Stored and exported it has the names `source_id` and `evidence`, and `about` only if it is of use.
    """

    said_by: str
    derived_from: list[int]
    about: list[str] = []
    id: int
    timestamp: str
    content: str
    source_type: str
    source_trust: float
    source_entity: str
    importance: int
    importance_method: str
    tags: list[str]
    related_projects: list[str]
    consolidated: bool
    scored: bool
    scored_by: str
    pinned: bool
    event_id: str
    cited: bool
    chain: list[dict[str, str]]
    shared: list[dict[str, str]]
    sources: list[Source] = []

    def __post_init__(self) -> None:
        if self.source_type == "inference" and not self.sources:
            msgspec.structs.force_setattr(self, "audience", [])

    @property
    def is_made(self) -> bool:
        """Whether the mind made it itself: nobody told or showed it."""
        return bool(self.sources) and (not self.said_by or self.source_type == "inference")

    @property
    def moment(self) -> str:
        """The id by which what was made of it, or noted of the same moment, names it."""
        return f"entry {self.id}" if self.is_made or not self.event_id else self.event_id

    @property
    def origins(self) -> list[Source]:
        """What anything made of it rests on: on itself, and on those whom it is from and through."""
        own = Source(self.moment, "" if self.is_made else self.said_by)
        return known_to(self.audience, [*self.sources, *through(self.chain), own])


class Own(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What is from nobody and about nobody, unless it says so."""

    said_by: str = ""
    about: list[str] = []


class Made(Derived, frozen=True, kw_only=True, omit_defaults=True):
    """What a mind made that is from nobody and about nobody, unless it says so."""

    said_by: str = ""
    about: list[str] = []


class Lore(Own, frozen=True, kw_only=True):
    """A fact that an NPC knows from its builder.

    With `only_if`, a lock string, its audience is nobody: whoever hears it must pass the lock just then.
    """

    text: str
    only_if: str = ""

    def __post_init__(self) -> None:
        if self.only_if:
            msgspec.structs.force_setattr(self, "audience", [])


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step to a goal, which is done as soon as the world is so.

    `act` says what is so then: it is in the room `place`, or one called `called` ("go"), was handed the thing ("get"), took one
    called so ("take"), the person has the thing ("give"), was told `words` ("tell") or answered since ("hear"), or `seconds`
    have passed ("wait"). `since` is when the step began, and after the time `until` it is given up. Things and people are known by
    identity; the id only finds them, `about_id` whom is told of. `tries` have failed, and none is made before `retry_at`.
    """

    act: Literal["go", "get", "take", "give", "tell", "hear", "wait"]
    thing: str = ""
    thing_id: int = 0
    called: str = ""
    person: str = ""
    person_id: int = 0
    about_id: int = 0
    place: int = 0
    words: str = ""
    seconds: float = 0.0
    since: str = ""
    until: str = ""
    tries: int = 0
    retry_at: str = ""


class Goal(Made, frozen=True, kw_only=True):
    """Something that an assistant wants to achieve; one with a parent is a part of that.

    `plan` are the steps that are left to be done, `plan_audience` who may see and hear them done: without one, nobody. `said_by` is
    whom it is done for.
    """

    id: int
    title: str
    parent_id: int | None
    status: str
    progress: float
    milestones: list[str]
    steps: int
    created: str
    plan: list[Step] = []
    plan_audience: Audience = []


class Observation(
    Derived, frozen=True, kw_only=True, rename={"said_by": "told_by"}, omit_defaults=True
):
    """Something that was noticed about somebody; `source_word` is the word that was used for it.

    Stored and exported it has the name `told_by`.
    """

    said_by: str
    about: list[str] = []
    id: int
    content: str
    source: str
    source_word: str
    source_trust: float
    timestamp: str
    event_id: str
    consolidated: bool


class EntityAttribute(
    Derived, frozen=True, kw_only=True, rename={"derived_from": "evidence"}, omit_defaults=True
):
    """A stable fact about somebody, concluded from the observations `derived_from`.

    `superseded_by` is the id of the newer fact that it gave way to. `told_by` are the identities of
    those whom it is known from, "" among them if it was seen.
    Stored and exported it has the name `evidence`.
    """

    said_by: str = ""
    about: list[str] = []
    derived_from: list[int]
    id: int
    type: str
    value: str
    source: str
    created: str
    superseded_by: int | None
    told_by: list[str]


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event of a relationship: how much favorability it changed, why and when; `sources` are those of the reason."""

    delta: float
    reason: str | None
    timestamp: str
    sources: list[Source] = []


class Relationship(msgspec.Struct, frozen=True, kw_only=True):
    """How the assistant regards somebody."""

    state: str
    favorability: float
    interaction_count: int
    last_delta: float
    history: list[Change]


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """By how much favorability has changed in one day (UTC)."""

    date: str
    delta: float


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one person or thing; `dbref` is only shown, never looked up by."""

    entity_id: str
    entity_type: str
    name: str
    dbref: str
    created: str
    last_interaction: str
    attributes: list[EntityAttribute]
    observations: list[Observation]
    observation_count: int
    relationship: Relationship
    disposition: float | None
    today: Day


class Link(Own, frozen=True, kw_only=True):
    """That one memory leads to another, and how alike the two are (0..1).

    Its audience is that of the memory which it is from, stored where it is not public. Whoever follows
    a link also asks who may know what is at its end.
    """

    audience: Audience = "public"
    id: str
    score: float


class Linked(msgspec.Struct, frozen=True, kw_only=True):
    """The links of one memory, and when they were looked for."""

    linked_to: list[Link]
    processed_at: str


class Reminder(Made, frozen=True, kw_only=True, rename={"said_by": "actor"}):
    """What an assistant promised to remember at a time; `said_by` is whom it promised it."""

    said_by: str = ""
    due: str
    text: str
    actor_id: int = 0
    actor_name: str = ""
    payer: int = 0


class Event(Record, frozen=True, kw_only=True, rename={"said_by": "actor"}, omit_defaults=True):
    """Something that was perceived, kept until it has been dealt with; `new_event` makes one.

    `said_by` is who did it (stored as `actor`), `actor_id` and `actor_name` are what they are in the game and how they are called there.
    `called` is the name of an account that spoke on a channel, used there alone; `reason` is why it came about without anybody; `sources`
    what another NPC made its words of. `payer` is
    the account on which the answer counts: that of the player whose words or deeds caused it, GUESTS, or 0 if no player did.
    """

    said_by: str
    about: list[str] = []
    id: str
    kind: str
    text: str
    actor_id: int
    actor_name: str
    addressed: bool
    private: bool
    priority: int
    urgent: bool
    source_type: str
    source_trust: float
    hops: int
    timestamp: str
    location_id: int
    channel: str
    rule: str
    payer: int = 0
    called: str = ""
    reason: str = ""
    sources: list[Source] = []

    @property
    def origins(self) -> list[Source]:
        """What anything made of it rests on."""
        return known_to(self.audience, [*self.sources, Source(self.id, self.said_by)])

    @property
    def name(self) -> str:
        """What whoever did it is called where it happened."""
        return self.called or self.actor_name

    @property
    def is_nobodys(self) -> bool:
        """Whether a player said it on a channel as no character: nobody could have it forgotten."""
        return bool(self.channel and self.payer) and not self.said_by


def format_time(moment: datetime) -> str:
    """Return an aware datetime as ISO-8601 in UTC with a Z; a naive one counts as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(text: str | datetime) -> datetime:
    """Return ISO-8601 text as an aware datetime in UTC; text without a zone counts as UTC."""
    moment = text if isinstance(text, datetime) else datetime.fromisoformat(text)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc)


def age_seconds(timestamp: str, *, now: datetime) -> float:
    """Return how many seconds ago something was; 0 for what lies in the future."""
    return max(0.0, (parse_time(now) - parse_time(timestamp)).total_seconds())


def new_event(
    kind: str,
    text: str,
    *,
    event_id: str,
    now: datetime,
    audience: Audience = "public",
    **fields: object,
) -> Event:
    """Return an event; `fields` are those that differ from a plain remark.

    Raises:
        ValueError: There is no such field, or it cannot have this value.
    """
    unknown = fields.keys() - set(Event.__struct_fields__)
    if unknown:
        raise ValueError(f"an event has no {', '.join(sorted(unknown))}.")
    plain: dict[str, object] = {
        "id": event_id,
        "kind": kind,
        "text": text,
        "said_by": "",
        "actor_id": 0,
        "actor_name": "",
        "addressed": False,
        "private": kind in PRIVATE,
        "audience": audience,
        "priority": 5,
        "urgent": False,
        "source_type": "observation",
        "source_trust": 0.8,
        "hops": 0,
        "timestamp": format_time(now),
        "location_id": 0,
        "channel": "",
        "rule": "",
        "payer": 0,
    }
    event = Event(**{**plain, **fields})  # type: ignore[arg-type]
    # What a game hands over must be readable when it comes back from the database.
    return msgspec.convert(msgspec.to_builtins(event), Event)


def main_event(events: list[Event]) -> Event:
    """Return the event that a turn is about: the most pressing, the first among equals."""
    return max(events, key=lambda event: event.priority)


def answered_together(main: Event, event: Event) -> bool:
    """Return whether one turn deals with both: they are from one person, for the same ears.

    What others say waits for turns of their own: nobody pays for another, or has to share an answer. A
    whisper is never answered together with open talk; what was said on a channel of the game only with
    more from that channel; and nothing with what whoever is answered may not know.
    """
    if (main.said_by, main.payer) != (event.said_by, event.payer):
        return False
    if main.private or event.private:
        return main.kind == event.kind
    for_both = event.audience in ("public", main.audience)
    known = for_both or main.said_by in event.audience
    return known and main.channel == event.channel
