"""Django's connections after the database restarted: one that broke stays broken until it is closed."""

from __future__ import annotations

from django.db import connections


def mend() -> None:
    """Close what does not answer any more; the next statement connects anew. For the reactor's thread."""
    for connection in connections.all(initialized_only=True):
        is_open = connection.connection is not None and not connection.in_atomic_block
        if is_open and not connection.is_usable():
            connection.close()
