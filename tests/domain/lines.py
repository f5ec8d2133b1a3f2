"""Lines of a conversation for tests that need no event."""

from typing import Any

from evennia_ai.core.records import GAME, Source
from evennia_ai.core.talk import Line

# The sources of what no player has anything to do with.
OF_THE_GAME = [Source(GAME)]

PLAIN: dict[str, Any] = {
    "said_by": "",
    "audience": "public",
    "name": "Ann",
    "kind": "say",
    "event_id": "",
    "timestamp": "2024-03-01T12:00:00.000Z",
}


def line(text: str = "It rains.", *, mine: bool = False, **fields: Any) -> Line:
    """Return a line of somebody's, or of the assistant's own; `fields` are those that matter."""
    named = (
        {"name": "Mara", "role": "assistant", "sources": OF_THE_GAME} if mine else {"role": "user"}
    )
    return Line(text=text, **{**PLAIN, **named, **fields})
