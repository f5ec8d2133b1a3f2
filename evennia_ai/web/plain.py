"""What a page shows as plain data that JSON can say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import msgspec

# What of a page is a drawing, or stands in its forms alone.
DRAWN = frozenset({"plots", "nodes", "course", "width", "height", "cap_words", "short"})


def of_page(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows, without its drawings."""
    return {name: plain(value) for name, value in context.items() if name not in DRAWN}


def plain(value: Any) -> Any:
    """Return a value with records as objects."""
    if isinstance(value, msgspec.Struct):
        return plain(msgspec.structs.asdict(value))
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(one) for one in value]
    return value
