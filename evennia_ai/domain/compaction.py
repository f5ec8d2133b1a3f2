"""Which words of a conversation become a summary, and what stands in their place.

A message is a dict of the chat form: {"role", "content"} and maybe `tool_calls` or `tool_call_id`;
those that are stored have `kind`, `audience`, `timestamp` and `event_id` besides.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterable

from evennia_ai.core.records import Audience
from evennia_ai.domain import audience as audiences
from evennia_ai.domain import retrieval, tokens
from evennia_ai.domain.conversation import SUMMARY, TELLING_WORDS, is_summary

Message = dict[str, Any]

SUMMARY_ROLE = "system"
# How the journal marks a summary, and what it is worth there.
TAGS = ("synthesis", "context_compaction")
IMPORTANCE = 8
# Old lines below which it is not worth asking a mind to sum them up.
FEWEST = 6
# Summaries of one conversation, each for other ears; what the oldest say stands in the journal.
MAX_SUMMARIES = 8
# Lines of which nothing has to be noted: nobody was told anything.
_TELLS_NOTHING = ("arrive", "leave", "reminder", "thought", SUMMARY)


def count_tokens(messages: Iterable[Message]) -> int:
    """Return about how many tokens the messages take in a prompt, with who said them."""
    return tokens.estimate_messages(
        {**message, "content": f"{message.get('name', '')}: {message.get('content') or ''}"}
        for message in messages
    )


def fill(messages: list[Message], *, token_limit: float, line_limit: int) -> float:
    """Return how full a conversation is, 1.0 for what a prompt can take or what is kept at most.

    Summaries do not count as lines: they are kept in any case.
    """
    lines = [message for message in messages if not is_summary(message)]
    return max(count_tokens(messages) / max(token_limit, 1), len(lines) / max(line_limit, 1))


def split(messages: list[Message], preserve: int) -> tuple[list[Message], list[Message]]:
    """Return (to compact, to preserve): about the last `preserve` messages stay as they are.

    More stay where the border would tear apart what belongs together: a call of a tool and its
    results, a question and the answer right after it.
    """
    border = max(0, len(messages) - max(0, preserve))
    while 0 < border < len(messages) and _belongs_to(messages[border - 1], messages[border]):
        border -= 1
    return messages[:border], messages[border:]


def plan(
    messages: list[Message], *, preserve: int, fewest: int = FEWEST
) -> list[tuple[Audience, list[Message]]]:
    """Return what to compact, by who may know it: [(audience, messages)], the public ones first.

    The earlier summary for the same ears is part of it. Where less than `fewest` lines are old,
    there is nothing to do.
    """
    summaries = list(filter(is_summary, messages))
    old, _ = split([message for message in messages if not is_summary(message)], preserve)
    if len(old) < max(1, fewest):
        return []
    return [
        (known, [*(one for one in summaries if _same(one["audience"], known)), *lines])
        for known, lines in audiences.divided(old)
    ]


def replaced(
    messages: list[Message], compacted: list[Message], summary: Message
) -> list[Message] | None:
    """Return the messages with a summary in place of those that went into it.

    They are found by what they are, not by where they stood: others may have been added or removed
    meanwhile. None if none of them is there any more.
    """
    gone = Counter(map(key_of, compacted))
    left = []
    for message in messages:
        if gone[key_of(message)] > 0:
            gone[key_of(message)] -= 1
        else:
            left.append(message)
    if len(left) == len(messages):
        return None
    summaries = sorted([*filter(is_summary, left), summary], key=lambda one: one["timestamp"])
    return [*summaries[-MAX_SUMMARIES:], *(one for one in left if not is_summary(one))]


def summary_of(compacted: list[Message], text: str, *, audience: Audience, name: str) -> Message:
    """Return the message that stands for others; `name` is with whom they were exchanged."""
    return {
        "role": SUMMARY_ROLE,
        "content": text,
        "name": name,
        "kind": SUMMARY,
        "audience": audience,
        "timestamp": max(message["timestamp"] for message in compacted),
        "event_id": "",
    }


def key_of(message: Message) -> tuple[str, str, str, str]:
    """Return what tells a stored message from all others, as far as it matters."""
    return message["timestamp"], message["event_id"], message["role"], message["content"]


def is_safe(message: Message, *, noted: set[str]) -> bool:
    """Return whether nothing would be lost with a message: it says nothing, or it is in the journal.

    `noted` are the events that the journal has. What the assistant said itself is no fact of the
    world, and a question holds no answer.
    """
    if message["role"] != "user" or message["kind"] in _TELLS_NOTHING:
        return True
    if message.get("extracted") or message["event_id"] in noted - {""}:
        return True
    return not statements(message["content"])


def statements(text: str) -> list[str]:
    """Return the sentences of a text that tell something."""
    return [sentence for sentence in retrieval.sentences(text) if _tells(sentence)]


def _tells(sentence: str) -> bool:
    words = set(retrieval.terms(sentence))
    asks = sentence.rstrip(" \"'”»").endswith("?")
    return not asks and len(words) >= TELLING_WORDS and not all(map(retrieval.is_weak, words))


def _belongs_to(before: Message, after: Message) -> bool:
    """Return whether a message is torn off from the one before it by a border between them."""
    if "tool_call_id" in after or before.get("tool_calls"):
        return True
    asked = str(before.get("content") or "").rstrip(" \"'”»").endswith("?")
    return asked and before["role"] != after["role"]


def _same(known: Audience, other: Audience) -> bool:
    if audiences.PUBLIC in (known, other):
        return known == other
    return set(known) == set(other)
