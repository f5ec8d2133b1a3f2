"""What was just said, with whom: one Attribute per person, so that a crowd costs no more than one.

A conversation is {"topic", "started", "last_message", "messages", "pending_actions", "context"}
(source 004); a message is {"role", "content"} with what audience and time need besides.
"""

from __future__ import annotations

from typing import Any

from evennia_ai import conf
from evennia_ai.domain import conversation as talk
from evennia_ai.domain.records import Line
from evennia_ai.storage import attributes, identity

CATEGORY = "working_memory"


def new_conversation(now: str) -> dict[str, Any]:
    """Return an empty conversation that begins at `now` (ISO-8601 text)."""
    return {
        "topic": "",
        "started": now,
        "last_message": now,
        "messages": [],
        "pending_actions": [],
        "context": {"mentioned_items": [], "unresolved_questions": []},
    }


def add_line(npc: Any, entity: Any, line: Line, *, event_id: str = "") -> None:
    """Remember one line that `entity` said, or that the assistant said to them."""
    message = {
        "role": "assistant" if line["mine"] else "user",
        "content": line["text"],
        "name": line["name"],
        "kind": line["kind"],
        "audience": line["audience"],
        "timestamp": line["timestamp"],
        "event_id": event_id,
    }
    default = lambda: new_conversation(line["timestamp"])  # noqa: E731 - made only when needed
    with attributes.edit(
        npc, identity.resolve(entity), category=CATEGORY, default=default
    ) as conversation:
        limit = conf.get("CONVERSATION_LINES")
        conversation["messages"] = talk.newest([*conversation["messages"], message], limit)
        conversation["last_message"] = line["timestamp"]


def get_conversation_context(npc: Any, entity: Any) -> dict[str, Any] | None:
    """Return the whole conversation with somebody, or None if there is none."""
    return attributes.load(npc, identity.resolve(entity), category=CATEGORY)


def lines_with(npc: Any, entity: Any) -> list[dict[str, Any]]:
    """Return the lines exchanged with somebody, oldest first, each with its `event_id`."""
    conversation = get_conversation_context(npc, entity)
    return _lines(identity.resolve(entity), conversation) if conversation else []


def all_lines(npc: Any) -> list[dict[str, Any]]:
    """Return the lines exchanged with everybody, oldest first."""
    conversations = attributes.load_all(npc, category=CATEGORY)
    lines = [line for who, kept in conversations.items() for line in _lines(who, kept)]
    return sorted(lines, key=lambda line: line["timestamp"])


def _lines(actor: str, conversation: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "actor": actor,
            "name": message["name"],
            "text": message["content"],
            "kind": message["kind"],
            "mine": message["role"] == "assistant",
            "audience": message["audience"],
            "timestamp": message["timestamp"],
            "event_id": message["event_id"],
        }
        for message in conversation["messages"]
    ]
