"""Rules of compaction: the lines of a conversation that a summary replaces."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Iterable, Mapping

from evennia_ai.core.records import Audience, united
from evennia_ai.core.talk import Line
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.conversation import SUMMARY, is_summary
from evennia_ai.domain.model_text import tokens
from evennia_ai.domain.offline import reading

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


def count_tokens(messages: Iterable[Line | Mapping[str, Any]]) -> int:
    """Return about how many tokens lines or chat messages take in a prompt, with who said them."""
    return tokens.estimate_messages(map(_in_chat, messages))


def fill(messages: list[Line], *, token_limit: float, line_limit: int) -> float:
    """Return how full a conversation is, 1.0 for what a prompt can take or what is kept at most.

    Summaries do not count as lines: they are kept in any case.
    """
    lines = [message for message in messages if not is_summary(message)]
    return max(count_tokens(messages) / max(token_limit, 1), len(lines) / max(line_limit, 1))


def split(messages: list[Line], preserve: int) -> tuple[list[Line], list[Line]]:
    """Return (to compact, to preserve): about the last `preserve` messages stay as they are.

    More stay where the border would tear apart a question and the answer right after it.
    """
    border = max(0, len(messages) - max(0, preserve))
    while 0 < border < len(messages) and _belongs_to(messages[border - 1], messages[border]):
        border -= 1
    return messages[:border], messages[border:]


def plan(
    messages: list[Line], *, preserve: int, fewest: int = FEWEST
) -> list[tuple[Audience, list[Line]]]:
    """Return what to compact, by who may know it: [(audience, messages)], the public ones first.

    The earlier summary for the same ears is part of it. Where less than `fewest` lines are old,
    there is nothing to do.
    """
    summaries = list(filter(is_summary, messages))
    old, _ = split([message for message in messages if not is_summary(message)], preserve)
    if len(old) < max(1, fewest):
        return []
    return [
        (known, [*(one for one in summaries if _same(one.audience, known)), *lines])
        for known, lines in audiences.divided(old)
    ]


def replaced(messages: list[Line], compacted: list[Line], summary: Line) -> list[Line] | None:
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
    others = sorted(filter(is_summary, left), key=_made)[1 - MAX_SUMMARIES :]
    summaries = sorted([*others, summary], key=_made)
    return [*summaries, *(one for one in left if not is_summary(one))]


def _made(summary: Line) -> str:
    return summary.timestamp


def summary_of(
    compacted: list[Line], text: str, *, audience: Audience, name: str, who: str
) -> Line:
    """Return the message that stands for others, exchanged with `name` of the identity `who`."""
    return Line(
        said_by=who,
        audience=audience,
        role=SUMMARY_ROLE,
        text=text,
        name=name,
        kind=SUMMARY,
        timestamp=max(message.timestamp for message in compacted),
        event_id="",
        sources=united(*(message.origins for message in compacted)),
    )


def key_of(message: Line) -> tuple[str, str, str, str]:
    """Return what tells a stored message from all others, as far as it matters."""
    return message.timestamp, message.event_id, message.role, message.text


def is_safe(message: Line, *, noted: set[str]) -> bool:
    """Return whether nothing would be lost with a message: it says nothing, or it is in the journal.

    `noted` are the events that the journal has. What the assistant said itself is no fact of the
    world, and a question holds no answer.
    """
    if message.role != "user" or message.kind in _TELLS_NOTHING:
        return True
    if message.extracted or message.event_id in noted - {""}:
        return True
    return not statements(message.text)


def statements(text: str) -> list[str]:
    """Return the sentences of a text that tell something."""
    return [sentence for sentence in retrieval.sentences(text) if _tells(sentence)]


def _tells(sentence: str) -> bool:
    # So many words have as many characters at least.
    if len(sentence) < retrieval.TELLING_WORDS or sentence.rstrip(" \"'”»").endswith("?"):
        return False
    words = set(retrieval.terms(sentence))
    if len(words) < retrieval.TELLING_WORDS or all(map(retrieval.is_weak, words)):
        return False
    if len(sentence) > reading.MAX_LENGTH:
        return True
    # Who is greeted is called by a name, whatever it is: "Good evening, Mara!"
    called = [word for word in re.findall(r"\w+", sentence) if word[:1].isupper()]
    return not reading.is_greeting(sentence, names=called)


def _in_chat(message: Line | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(message, Line):
        return {"content": f"{message.name}: {message.text}"}
    return {**message, "content": f"{message.get('name', '')}: {message.get('content') or ''}"}


def _belongs_to(before: Line, after: Line) -> bool:
    """Return whether a message is torn off from the one before it by a border between them."""
    asked = before.text.rstrip(" \"'”»").endswith("?")
    return asked and before.role != after.role


def _same(known: Audience, other: Audience) -> bool:
    if audiences.PUBLIC in (known, other):
        return known == other
    return set(known) == set(other)
