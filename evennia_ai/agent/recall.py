"""What comes to an assistant's mind when it is spoken to: lore, and what was said to it.

The audience is asked first, and only then is anything ranked: what the one who asks may not know
has no way into the prompt.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.agent.turn import Turn
from evennia_ai.domain import audience, retrieval
from evennia_ai.storage import persona, working_memory

# Memories that one prompt gets at most.
LIMIT = 6


def recall(turn: Turn, query: str) -> list[dict[str, Any]]:
    """Return what answers `query`, best first: {"text", "by", "kind", "score", "timestamp"}.

    If what fits best is something that the addressee may know and a bystander may not, the turn
    becomes private: it is whispered, rather than forgotten.
    """
    npc = turn.character
    confidant = {turn.event["actor"]} - {""} or turn.hearers
    known = audience.select_tellable(_everything(npc, turn), confidant)
    ranked = _rank(known, query)
    for_all = [item for item in ranked if audience.may_know(item["audience"], turn.hearers)]
    if ranked and ranked[0] not in for_all and turn.speaker is not None:
        turn.answer_privately()
        for_all = ranked
    chosen = for_all[:LIMIT]
    for item in chosen:
        turn.include(item["audience"])
    return chosen


def _everything(npc: Any, turn: Turn) -> list[dict[str, Any]]:
    now = {event["id"] for event in turn.events}
    lore = [
        {"text": fact["text"], "by": "", "kind": "lore", "timestamp": "", **_audience(fact)}
        for fact in persona.load_lore(npc)
    ]
    said = [
        {
            "text": line["text"],
            "by": line["name"],
            "kind": "said",
            "timestamp": line["timestamp"],
            **_audience(line),
        }
        for line in working_memory.all_lines(npc)
        if not line["mine"] and line["kind"] in ("say", "whisper", "tell")
        # A question holds no answer, and what was just said is the event itself.
        if line["event_id"] not in now and not line["text"].rstrip().endswith("?")
    ]
    return [*lore, *reversed(said)]


def _rank(items: list[dict[str, Any]], query: str) -> list[dict[str, Any]]:
    # A speaker's name counts for finding what they said, though it stands in no word of it.
    texts = [f"{item['by']} {item['text']}" if item["by"] else item["text"] for item in items]
    found = retrieval.rank(query, texts, limit=LIMIT * 2)
    return [{**items[index], "score": score} for index, score in found]


def _audience(item: dict[str, Any]) -> dict[str, Any]:
    return {"audience": item["audience"]}
