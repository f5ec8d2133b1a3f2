"""What was just said, with whom: one Attribute per person, so that a crowd costs no more than one.

A conversation is {"topic", "started", "last_message", "messages", "pending_actions", "context"};
a message is {"role", "content"} with what audience and time need besides. Where no audience is
said, only the two who talk may know. A message of kind "summary" stands for older ones: nobody
said it, and it is kept however many lines are added.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Iterable

from evennia_ai import conf, pace
from evennia_ai.core.records import Audience, Entry, Line, age_seconds, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain import compaction, confidence
from evennia_ai.domain import conversation as talk
from evennia_ai.memory import identity, kinds, repository

ROLES = ("user", "assistant")

# Pending actions for one person; beyond it the least pressing of the oldest is let go.
PENDING_LIMIT = 20

# NPC id → with whom it talked since `take_grown` was last asked; after a restart the next line tells.
_grown: dict[int, set[str]] = {}


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


def add_line(npc: Any, entity: Any, line: Line, *, event_id: str = "") -> bool:
    """Remember one line that `entity` said, or that the assistant said to them.

    Return whether nothing was kept of them before.
    """
    message = {
        "role": "assistant" if line["mine"] else "user",
        "content": line["text"],
        "name": line["name"],
        "kind": line["kind"],
        "audience": line["audience"],
        "timestamp": line["timestamp"],
        "event_id": event_id,
        **({"secret": True} if confidence.is_asked(line["text"]) else {}),
        **({"called": line["called"]} if line.get("called") else {}),
    }
    with _edited(npc, entity, line["timestamp"]) as conversation:
        limit = conf.get("CONVERSATION_LINES")
        conversation["messages"] = talk.newest_lines([*conversation["messages"], message], limit)
        conversation["last_message"] = line["timestamp"]
    _grown.setdefault(npc.id, set()).add(_key(npc, entity))
    return len(conversation["messages"]) == 1


def start_conversation(
    character: Any,
    entity_id: Any,
    topic: str,
    *,
    audience: Audience | None = None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Begin a conversation with somebody, or take it up again, about `topic`; return it.

    An empty topic leaves that of a conversation which is taken up again.
    """
    with _edited(character, entity_id, _text(now)) as conversation:
        if topic:
            conversation["topic"] = topic
            conversation["topic_audience"] = _known_to(character, entity_id, audience)
        conversation["last_message"] = _text(now)
    return conversation


def add_conversation_message(
    character: Any,
    entity_id: Any,
    content: str,
    role: str,
    *,
    audience: Audience | None = None,
    name: str = "",
    now: datetime | None = None,
) -> None:
    """Remember what was said in a conversation: by the other ("user") or by the assistant."""
    if role not in ROLES:
        raise ValueError(f"A role is one of {', '.join(ROLES)}, not {role!r}.")
    line: Line = {
        "actor": _key(character, entity_id),
        "name": name or (character.key if role == "assistant" else _name_in(character, entity_id)),
        "text": content,
        "kind": "say",
        "mine": role == "assistant",
        "audience": _known_to(character, entity_id, audience),
        "timestamp": _text(now),
    }
    add_line(character, entity_id, line)


def add_pending_action(
    character: Any,
    entity_id: Any,
    action: str,
    priority: int,
    *,
    audience: Audience | None = None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Keep in mind something to do for somebody, and return it; a higher priority presses more."""
    pending = {
        "action": action,
        "priority": priority,
        "created": _text(now),
        "audience": _known_to(character, entity_id, audience),
    }
    with _edited(character, entity_id, _text(now)) as conversation:
        actions = [*conversation["pending_actions"], pending]
        while len(actions) > PENDING_LIMIT:
            actions.remove(min(actions, key=lambda kept: kept["priority"]))
        conversation["pending_actions"] = actions
    return pending


def clear_stale_conversations(
    character: Any, max_age_hours: float = 1, *, now: datetime | None = None
) -> dict[str, list[str]]:
    """Remove conversations in which nothing was said for so long; return whose they were."""
    moment = now or pace.now()
    removed = [
        who
        for who, kept in repository.load_all(character, kinds.CONVERSATIONS).items()
        if age_seconds(kept["last_message"], now=moment) > max_age_hours * 3600
    ]
    repository.save_all(character, {}, removed=[(kinds.CONVERSATIONS, who) for who in removed])
    return {"removed": sorted(removed)}


def remove_conversation(character: Any, entity_id: Any) -> None:
    """Forget the conversation with somebody."""
    repository.remove(character, kinds.CONVERSATIONS, _key(character, entity_id))


def replace_lines(
    npc: Any, entity: Any, compacted: list[dict[str, Any]], summary: dict[str, Any]
) -> bool:
    """Put a summary in the place of messages; False if none of them is there any more.

    What was added since they were read stays.
    """
    conversation = get_conversation_context(npc, entity)
    messages = conversation and compaction.replaced(conversation["messages"], compacted, summary)
    if not messages:
        return False
    conversation["messages"] = messages
    repository.save(npc, kinds.CONVERSATIONS, conversation, _key(npc, entity))
    return True


def mark_extracted(npc: Any, entity: Any, messages: list[dict[str, Any]]) -> bool:
    """Note that the journal has what these messages tell; False if none of them is there any more."""
    conversation = get_conversation_context(npc, entity)
    done = set(map(compaction.key_of, messages))
    kept = conversation["messages"] if conversation else []
    found = [message for message in kept if compaction.key_of(message) in done]
    for message in found:
        message["extracted"] = True
    if found:
        repository.save(npc, kinds.CONVERSATIONS, conversation, _key(npc, entity))
    return bool(found)


def mark_secret(npc: Any, entity: Any, *, since: str) -> None:
    """Note that what somebody said from a time on is to be told to nobody."""
    conversation = get_conversation_context(npc, entity)
    kept = conversation["messages"] if conversation else []
    for message in kept:
        if message["role"] == "user" and message["timestamp"] >= since:
            message["secret"] = True
    if kept:
        repository.save(npc, kinds.CONVERSATIONS, conversation, _key(npc, entity))


def take_grown(npc: Any) -> set[str]:
    """Return with whom the assistant talked since it was last asked, and begin anew."""
    return _grown.pop(npc.id, set())


def forget() -> None:
    """Forget who talked with whom, as a restart does; what was said is stored."""
    _grown.clear()


def conversations(npc: Any) -> dict[str, dict[str, Any]]:
    """Return all conversations by the identity of the other, in one query."""
    return repository.load_all(npc, kinds.CONVERSATIONS)


def get_conversation_context(npc: Any, entity: Any) -> dict[str, Any] | None:
    """Return the whole conversation with somebody, or None if there is none."""
    key = _key(npc, entity)
    return repository.load(npc, kinds.CONVERSATIONS, key) if key else None


def tellable_context(
    character: Any, entity_id: Any, *, hearers: Iterable[str], limit: int | None = None
) -> dict[str, Any] | None:
    """Return what of a conversation all these hearers may know, or None if there is none.

    Of its lines, the last `limit`; `audience` is who may know all of what is returned.
    """
    conversation = get_conversation_context(character, entity_id)
    if conversation is None:
        return None
    listening = set(hearers)
    # What was noted without saying who may know it is told to nobody.
    topic_audience = conversation.pop("topic_audience", [])
    if not audiences.may_know(topic_audience, listening):
        conversation["topic"] = ""
    for key in ("messages", "pending_actions"):
        conversation[key] = audiences.select_tellable(conversation[key], listening)
    if limit is not None:
        conversation["messages"] = talk.newest_lines(conversation["messages"], limit)
    conversation["context"] = {"mentioned_items": [], "unresolved_questions": []}
    left = [one["audience"] for one in conversation["messages"] + conversation["pending_actions"]]
    if conversation["topic"]:
        left.append(topic_audience)
    return {**conversation, "audience": audiences.intersection(left)}


def lines_with(npc: Any, entity: Any) -> list[dict[str, Any]]:
    """Return the lines exchanged with somebody, oldest first, each with its `event_id`."""
    conversation = get_conversation_context(npc, entity)
    return _lines(_key(npc, entity), conversation) if conversation else []


def answered_question(npc: Any, entry: Entry) -> str:
    """Return the question that an entry of the journal answers, while the conversation is kept, or "".

    Whoever may know the entry may know it.
    """
    if not (entry.event_id and entry.said_by):
        return ""
    lines = lines_with(npc, entry.said_by)
    return talk.question_before(lines, entry.event_id, audience=entry.audience)


def all_lines(npc: Any) -> list[dict[str, Any]]:
    """Return the lines exchanged with everybody, oldest first."""
    conversations = repository.load_all(npc, kinds.CONVERSATIONS)
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
            "secret": message.get("secret", False),
            "called": message.get("called", ""),
        }
        for message in conversation["messages"]
    ]


def _edited(npc: Any, entity: Any, now: str) -> AbstractContextManager[dict[str, Any]]:
    key = _key(npc, entity)
    if not key:
        raise ValueError("Whoever has no identity cannot be remembered.")
    # Made only when needed.
    default = lambda: new_conversation(now)  # noqa: E731
    return repository.edit(npc, kinds.CONVERSATIONS, key, default=default)


def _key(npc: Any, entity: Any) -> str:
    return identity.known_as(npc, entity)


def _known_to(npc: Any, entity: Any, audience: Audience | None) -> Audience:
    return sorted({_key(npc, entity), identity.identity_of(npc)}) if audience is None else audience


def _name_in(npc: Any, entity: Any) -> str:
    names = [line["name"] for line in lines_with(npc, entity) if not line["mine"]]
    return names[-1] if names else "Somebody"


def _text(now: datetime | None) -> str:
    return format_time(now or pace.now())
