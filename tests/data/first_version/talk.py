"""What is said in the game of the first version, and by whom."""

import uuid
from datetime import timedelta

from evennia_ai import pace
from evennia_ai.domain.records import format_time
from evennia_ai.storage import identity as identities
from evennia_ai.storage import working_memory

# What a line tells: who did what to so many things, and where. The number is its own.
WHO = "The miller,Captain Ysolde,Old Tam,The tanner,A pedlar,The abbot,The smith".split(",")
DID = "buried,counted,stole,weighed,painted,burned,washed,repaired,traded,lost,found".split(",")
WHAT = "planks,barrels,coins,goats,candles,lanterns,apples,blankets,horseshoes".split(",")
WHERE = "bridge,orchard,harbour,quarry,belfry".split(",")


def ago(**delta):
    """Return the time so long ago."""
    return pace.now() - timedelta(**delta)


def told(number):
    """Return something that somebody tells, each number another."""
    who, did, what, where = (words[number % len(words)] for words in (WHO, DID, WHAT, WHERE))
    return f"{who} {did} {number} {what} near the {where}."


def identity(name):
    """Return an identity for somebody who is not in the game any more."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def exchange(npc, who, name, count, *, since):
    """Let somebody talk with an NPC; every fourth line is whispered."""
    both = sorted([identities.identity_of(npc), who])
    for number in range(count):
        is_mine, is_private = number % 2 == 1, number % 4 == 0
        line = {
            "actor": who,
            "name": npc.key if is_mine else name,
            "text": "Is that so? Åh, så tråkigt …" if is_mine else told(1000 + 7 * number),
            "kind": "whisper" if is_private else "say",
            "mine": is_mine,
            "audience": both if is_private else "public",
            "timestamp": format_time(since + timedelta(seconds=30 * number)),
        }
        event_id = "" if is_mine else f"said-{name}-{npc.id}-{number}"
        working_memory.add_line(npc, who, line, event_id=event_id)
