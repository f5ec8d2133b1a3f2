"""Django's connections after the database restarted: one that broke stays broken until it is closed."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connections


def mend() -> bool:
    """Close what does not answer any more; the next statement connects anew. For the reactor's thread.

    Return whether that of the game is lost.
    """
    is_lost = False
    for connection in connections.all(initialized_only=True):
        is_open = connection.connection is not None
        if is_open and not connection.in_atomic_block and not connection.is_usable():
            connection.close()
            is_open = False
        is_lost |= connection.alias == DEFAULT_DB_ALIAS and not is_open
    return is_lost
