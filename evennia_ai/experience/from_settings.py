"""Experience as the settings have it: its embedder, and decisions that a game brings along.

Its embedder is not that of long-term memory: what knows of meaning finds "drunk" and "sober" alike, and the place as
important as the one word for somebody's mood. With it experience hardly helps (docs/evaluation.md).

A file of decisions is what the source's own tool wrote: JSON, `{"decisions": {"ids", "documents", "metadatas",
"embeddings"}}`. Its embeddings are left aside, because nobody knows which embedder made them. Metadata may name
a `role`: such a decision is for assistants of that role alone, so that a new one has examples from the first day.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from glob import glob
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from msgspec import structs

from evennia_ai import conf
from evennia_ai.core import words
from evennia_ai.core.decisions import Decision
from evennia_ai.core.records import GAME
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import replay
from evennia_ai.experience.decision_records import shaped, warn

FALLBACK = "evennia_ai.semantic.embedders.adler32.Adler32Embedder"


def embedder(*, silent: bool = False) -> Any:
    """Return the embedder that the settings give to experience.

    One whose model or package is not on this machine is replaced by one that needs neither; what it
    filled is embedded anew as soon as the other is there.
    """
    options = conf.get("EXPERIENCE")
    try:
        return conf.load(options["EMBEDDER"])(**options["EMBEDDER_OPTIONS"])
    except ImproperlyConfigured as error:
        if not silent:
            warn(f"experience is found by words in common only: {error}")
        return conf.load(FALLBACK)()


def decisions(pattern: str, *, roles: str = "") -> list[Decision]:
    """Return the decisions in all files that fit a glob; one that is broken is named in the log.

    They are those for everybody, or if `roles` is given, those for a role that is one of its words.
    """
    wanted = set(words.words(roles))
    records: list[Decision] = []
    for path in sorted(glob(pattern)):
        try:
            with open(path, encoding="utf-8") as file:
                records += _records(json.load(file), wanted)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            warn(f"no decisions were read from {path}: {type(error).__name__}: {error}")
    return records


def _records(content: Any, wanted: set[str]) -> list[Decision]:
    given = content["decisions"]
    return [
        _record(str(id), metadata)
        for id, metadata in zip(given["ids"], given["metadatas"], strict=True)
        if (
            str(metadata.get("role") or "").casefold() in wanted
            if wanted
            else not metadata.get("role")
        )
    ]


def _record(id: str, metadata: Mapping[str, Any]) -> Decision:
    known = metadata.get("audience")
    texts = [one for one in structs.fields(Decision) if one.type is str]
    # What a decision must have may be empty.
    given = [one.name for one in texts if metadata.get(one.name) or one.required]
    return shaped(
        Decision,
        {
            **{name: str(metadata[name]) for name in given if name in metadata},
            "reasoning": str(metadata.get("reasoning") or ""),
            "id": id,
            "audience": audiences.PUBLIC if known in (None, "") else known,
            "sources": [[GAME]],
            "reward": float(metadata["reward"]),
            "metrics_snapshot": replay.plain_metrics(metadata.get("metrics_snapshot") or {}),
        },
    )
