"""Django's connections after the database restarted: one that broke stays broken until another takes its place."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import Future
from typing import Any

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connections,
)

from evennia_ai import scheduling
from evennia_ai.llm import loop_thread
from evennia_ai.memory.storage import whole_minds

# Seconds between two attempts to connect.
AGAIN_SECONDS = 0.5
# What is under way, with its alias, while one is connected anew.
OPENING = "connecting a database"


def guard() -> None:
    """Let no statement wait for a machine that is away; for the reactor's thread, once its connections are there.

    Django itself drops a connection that breaks inside of a transaction, and the next statement would connect anew.
    """
    for connection in connections.all(initialized_only=True):
        _guard(connection)


def _guard(connection: Any) -> None:
    if "connect" in vars(connection):
        return
    raw, connect = connection.connection, connection.connect

    def connect_unless_lost() -> None:
        nonlocal raw
        if getattr(raw, "broken", False):
            _connect_anew(connection.alias)
            raise OperationalError("the connection to the database is lost")
        # Nobody was there before, or somebody has closed it on purpose, as Evennia does each seven hours.
        connect()
        raw = connection.connection

    connection.connect = connect_unless_lost


def mend() -> bool:
    """Connect anew what does not answer any more, as soon as the database is back. For the reactor's thread.

    A thread waits for it: until then each statement fails at once, and nobody waits for a machine that is away.
    Return whether that of the game is lost.
    """
    for connection in connections.all(initialized_only=True):
        is_known = connection.in_atomic_block or scheduling.is_under_way(OPENING, connection.alias)
        if not is_known and not _answers(connection):
            _connect_anew(connection.alias)
    return scheduling.is_under_way(OPENING, DEFAULT_DB_ALIAS)


def _connect_anew(alias: str) -> None:
    """Let a thread connect, unless one does."""
    if scheduling.begin(OPENING, alias):
        opening = loop_thread.DaemonThreads().submit(_open, alias)
        opening.add_done_callback(lambda done: _hand_over(alias, done))


def _answers(connection: Any) -> bool:
    return connection.connection is not None and bool(connection.is_usable())


def _open(alias: str) -> Any:
    """Return a new connection, when the database lets us have one; in a thread of its own."""
    while True:
        made = connections.create_connection(alias)
        # It is for the reactor's thread.
        made.inc_thread_sharing()
        try:
            made.ensure_connection()
            # What is missing, or a standby that takes nothing yet, is told by whoever needs it.
            with contextlib.suppress(ProgrammingError, InternalError):
                whole_minds.warm_up(made)
            _guard(made)
            return made
        except (OperationalError, InterfaceError):
            time.sleep(AGAIN_SECONDS)


def _hand_over(alias: str, opened: Future[Any]) -> None:
    # Imported late: whoever imports the reactor first decides which one it is.
    from twisted.internet import reactor

    reactor.callFromThread(scheduling.call_soon, _replace, alias, opened)


def _replace(alias: str, opened: Future[Any]) -> None:
    scheduling.end(OPENING, alias)
    connections[alias].close()
    connections[alias] = opened.result()
