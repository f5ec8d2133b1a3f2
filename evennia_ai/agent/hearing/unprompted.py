"""Limits on unprompted lines: the setting OCCASIONS."""

from __future__ import annotations

from evennia_ai import conf


def limits() -> dict[str, float]:
    """Return OCCASIONS; ours hold where a game wrote what is no number, which `evennia check` names."""
    given, ours = conf.get("OCCASIONS"), conf.DEFAULTS["OCCASIONS"]
    return {key: given[key] if isinstance(given[key], (int, float)) else ours[key] for key in ours}
