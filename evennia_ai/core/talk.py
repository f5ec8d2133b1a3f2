"""The records of conversations, and of the lines that they are made of."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from evennia_ai.core.records import Audience, Event, Made, Record, Source, known_to

# Kinds of sources that are somebody's words: told to the mind, or only heard by it.
OVERHEARD = "environmental"
TOLD = ("direct", OVERHEARD)
# A pose is seen, but its player writes what it says.
POSE = "pose"


def is_claim(source_type: str, tags: Iterable[str]) -> bool:
    """Whether an entry only has somebody's word: what they told, or what they wrote as their own pose."""
    return source_type in TOLD or POSE in tags


class Line(Record, frozen=True, kw_only=True, rename={"text": "content"}, omit_defaults=True):
    """One line of a conversation, with the role of the chat form: "user" is whom it is with.

    What the assistant said itself has the role "assistant", what stands for older lines "system";
    `extracted` says that the journal has what it tells, `secret` that it is to be told to nobody, and
    `called` is the name of an account that spoke on a channel, which is used there and nowhere else.
    What is `overheard` was said to somebody else. `sources` are those of what the assistant said, or another that it heard. `by_rules` is what the assistant said without a model: fillers and excuses, which a model would imitate.
    Stored its text has the name `content`.
    """

    said_by: str
    about: list[str] = []
    role: str
    text: str
    name: str
    kind: str
    timestamp: str
    event_id: str
    extracted: bool = False
    secret: bool = False
    called: str = ""
    overheard: bool = False
    by_rules: bool = False
    sources: list[Source] = []

    def __post_init__(self) -> None:
        if self.role != "user" and not self.sources:
            msgspec.structs.force_setattr(self, "audience", [])

    @property
    def origins(self) -> list[Source]:
        """What anything made of it rests on; of its own words on what those were made of."""
        own = [] if self.role != "user" else [Source(self.event_id, self.said_by)]
        return known_to(self.audience, [*self.sources, *own])

    @property
    def mine(self) -> bool:
        """Whether the assistant itself said it."""
        return self.role == "assistant"


class PendingAction(Made, frozen=True, kw_only=True):
    """What an assistant means to do for somebody; a higher priority presses more."""

    action: str
    priority: int
    created: str


class LeftOpen(msgspec.Struct, frozen=True):
    """What a conversation left open; the sources name it, and nothing writes it."""

    mentioned_items: list[str] = []
    unresolved_questions: list[str] = []


class Conversation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept of the talk with one person; each part says itself who may know it."""

    topic: str
    # A topic without one is told to nobody.
    topic_audience: Audience = []
    topic_sources: list[Source] = []
    started: str
    last_message: str
    messages: list[Line]
    pending_actions: list[PendingAction]
    context: LeftOpen


def line_of(event: Event) -> Line:
    """Return an event as a line of conversation that was heard."""
    return Line(
        said_by=event.said_by,
        audience=event.audience,
        role="user",
        text=event.text,
        name=event.actor_name,
        kind=event.kind,
        timestamp=event.timestamp,
        event_id=event.id,
        called=event.called,
        overheard=event.kind == "say" and event.source_type == OVERHEARD,
        sources=event.sources,
    )
