"""The records of conversations, and of the lines that they are made of."""

from __future__ import annotations

import msgspec

from evennia_ai.core.records import Audience, Event, Own, Record

# Kinds of sources that are somebody's words: told to the mind, or only heard by it.
OVERHEARD = "environmental"
TOLD = ("direct", OVERHEARD)


class Line(Record, frozen=True, kw_only=True, rename={"text": "content"}, omit_defaults=True):
    """One line of a conversation, with the role of the chat form: "user" is whom it is with.

    What the assistant said itself has the role "assistant", what stands for older lines "system";
    `extracted` says that the journal has what it tells, `secret` that it is to be told to nobody, and
    `called` is the name of an account that spoke on a channel, which is used there and nowhere else.
    What is `overheard` was said to somebody else. `by_rules` is what the assistant said without a model: fillers and excuses, which a model would imitate.
    Stored its text has the name `content`.
    """

    said_by: str
    about: list[str] = []
    derived_from: list[int] = []
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

    @property
    def mine(self) -> bool:
        """Whether the assistant itself said it."""
        return self.role == "assistant"


class PendingAction(Own, frozen=True, kw_only=True):
    """What an assistant means to do for somebody; a higher priority presses more."""

    action: str
    priority: int
    created: str


class Expected(Own, frozen=True, kw_only=True):
    """What somebody has promised an assistant, in their words, by the end of a day of the game's clock (or whenever).

    What is brought, the game sees. `ended` is how it ended, once it did: `promises.THEIRS_KEPT` or the other.
    """

    action: str
    created: str
    due_day: int | None = None
    is_brought: bool = False
    ended: str = ""


class LeftOpen(msgspec.Struct, frozen=True):
    """What a conversation left open; the sources name it, and nothing writes it."""

    mentioned_items: list[str] = []
    unresolved_questions: list[str] = []


class Conversation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept of the talk with one person; each part says itself who may know it."""

    topic: str
    # A topic without one is told to nobody.
    topic_audience: Audience = []
    started: str
    last_message: str
    messages: list[Line]
    pending_actions: list[PendingAction]
    expected: list[Expected] = []
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
    )
