"""Metadata as short codes, for stores whose database looks them up."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def codes(metadata: dict[str, Any]) -> list[str]:
    """Return what a filter on metadata can ask for, as short codes: each value of each key."""
    return sorted(
        {_code(key, value) for key, values in metadata.items() for value in _members(values)}
    )


def filter_codes(filters: dict[str, Any] | None) -> list[list[str]]:
    """Return for each key of a filter the codes of which a memory must have one."""
    return [
        [_code(key, value) for value in _members(wanted)] for key, wanted in (filters or {}).items()
    ]


def _members(value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, (str, int, float))]


def _code(key: str, value: Any) -> str:
    # 1, 1.0 and True are equal, for Python as for SQLite.
    plain = float(value) if isinstance(value, (int, float)) else value
    return hashlib.blake2b(json.dumps([key, plain]).encode(), digest_size=8).hexdigest()
