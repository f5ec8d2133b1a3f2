"""A memory that comes to mind, whatever store it is from: the one form in which memories are ranked and told."""

from __future__ import annotations

import msgspec

from evennia_ai.core.records import Audience, Source

# How far somebody is believed, 0 to 1, and how much a thing matters, 1 to 10, where nothing tells.
TRUST = 0.8
IMPORTANCE = 5


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """Words, whom they are from (name and identity, "" if from nobody), and who may know them.

    `kind` is "said", "pose", "note", "journal", "insight", "fact", "claim", "lore", "deed", "done", or that of a
    promise. `heard` says how the mind has somebody's words ("overheard", "rumour", or "" if they told it),
    `claimed_by` who it is about, if that is their own word alone. `only_if` is a lock string that is still
    to be asked of whoever hears it; `question` is what the words answer, by which they are found as well; `origins` is what
    anything made of them rests on. A ranking adds `likeness` (0 to 1, by meaning), `score` (by which it
    stands) and `fits` (how far it may be the answer; 0: it is only near).
    """

    text: str
    kind: str = ""
    by: str = ""
    said_by: str = ""
    audience: Audience
    heard: str = ""
    claimed_by: str = ""
    timestamp: str = ""
    trust: float = TRUST
    importance: float = IMPORTANCE
    event_id: str = ""
    only_if: str = ""
    question: str = ""
    likeness: float = 0.0
    score: float = 0.0
    fits: float = 0.0
    origins: list[Source] = []
