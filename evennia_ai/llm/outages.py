"""Outages: when models failed so often that they were left alone, until when, and why.

They are kept over a restart, in Evennia's ServerConfig, which is written when one begins and ends.
"""

from __future__ import annotations

from evennia.server.models import ServerConfig

from evennia_ai import scheduling
from evennia_ai.core import volatile
from evennia_ai.core.records import format_time

KEY = "evennia_ai_outages"
# So many are kept.
KEPT = 20


def note_begun(alias: str, why: str) -> None:
    """Note that a model is left alone from now on; `why` is a kind of error."""
    row = {"model": alias, "since": format_time(scheduling.now()), "until": "", "why": why}
    # Not in the middle of a turn that has just failed.
    scheduling.call_soon(_begin, row)


def note_ended(alias: str) -> None:
    """Note that a model answers again."""
    scheduling.call_soon(_end, alias, format_time(scheduling.now()))


@volatile.once
def latest() -> list[dict[str, str]]:
    """Return {"model", "since", "until", "why"} of each, the newest first; `until` is "" while nobody saw it end."""
    return list(ServerConfig.objects.conf(KEY, default=list))


def _begin(row: dict[str, str]) -> None:
    _save([row, *latest()][:KEPT])


def _end(alias: str, until: str) -> None:
    newest = next((row for row in latest() if row["model"] == alias), None)
    if newest is not None and not newest["until"]:
        _save([{**row, "until": until} if row is newest else row for row in latest()])


def _save(rows: list[dict[str, str]]) -> None:
    ServerConfig.objects.conf(KEY, rows)
    latest.put(rows)
