"""The executor over procrastinate: jobs in the game's Postgres, done by `evennia ai_worker`.

All of it runs in the loop thread, with two connections: one that waits to be told of answers, and one that asks.
Where the database restarts, both are made anew and who waits goes on waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from django.db import connection
from twisted.internet.defer import Deferred, fail

from evennia_ai import conf, scheduling
from evennia_ai.exceptions import LLMRefused
from evennia_ai.llm import loop_thread
from evennia_ai.workers import database, rows
from evennia_ai.workers.payload import Work

if TYPE_CHECKING:
    import psycopg

# Seconds after which one looks for answers without being told, and between two attempts to connect.
LOOK_SECONDS, AGAIN_SECONDS = 2.0, 0.5


class ProcrastinateExecutor:
    """Hands work to the queue, and waits for what comes of it."""

    is_here = False

    def __init__(self, *, values: dict[str, Any] | None = None) -> None:
        is_postgres = values is not None or connection.vendor == "postgresql"
        self._is_fit = is_postgres and find_spec("procrastinate") is not None
        if self._is_fit:
            # At the start of a server, and not beside players at its first job.
            import procrastinate  # noqa: F401
        # Read where Django may be asked.
        self._values = rows.connection_values() if values is None else values
        self._life = uuid.uuid4().hex
        self._office: _Office | None = None

    def run(self, work: Work, *, seconds: float) -> Deferred[str]:
        """See `Executor.run`; fails with LLMTimeout where no worker came to it in time."""
        if not self._is_fit:
            return fail(LLMRefused("there can be no workers: `evennia ai_worker --check` says why"))
        waits = 0.0 if work.kind in ("reply", "moderate") else float(conf.get("JOBS")["WAIT"])
        return loop_thread.get_runner().run(
            lambda: self._ask(work), timeout=seconds + waits, what="The queue of the workers"
        )

    def stop(self) -> None:
        """Wait for nothing more; what was asked for is done all the same, and found by the next life."""
        office, self._office = self._office, None
        if office is not None:
            office.close()

    async def _ask(self, work: Work) -> str:
        loop = asyncio.get_running_loop()
        if self._office is None or self._office.loop is not loop:
            self._office = _Office(loop, self._values, self._life)
        return await self._office.ask(work)


class _Office:
    """What belongs to one event loop: the connections, and who waits for which key."""

    def __init__(self, loop: asyncio.AbstractEventLoop, values: dict[str, Any], life: str) -> None:
        self.loop = loop
        self._values, self._life = values, life
        self._app = rows.new_app(values)
        self._waiting: dict[str, set[asyncio.Future[str]]] = {}
        self._asking = asyncio.Lock()
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._told = asyncio.Event()
        self._listening = [loop.create_task(self._listen()), loop.create_task(self._look())]

    def close(self) -> None:
        """End what runs, from any thread."""
        self.loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        for task in self._listening:
            task.cancel()
        if self._connection is not None:
            self._listening.append(self.loop.create_task(self._connection.close()))

    async def ask(self, work: Work) -> str:
        """Let work be done, and return the answer."""
        answer = self.loop.create_future()
        self._waiting.setdefault(work.key, set()).add(answer)
        try:
            await self._with_connection(
                lambda connection: rows.ensure(connection, self._app, work, life=self._life)
            )
            # It may have been done before it was asked for.
            self._told.set()
            return await answer
        finally:
            waiting = self._waiting.get(work.key, set())
            waiting.discard(answer)
            if not waiting:
                self._waiting.pop(work.key, None)

    async def _with_connection(self, use: Callable[[Any], Any]) -> Any:
        """Use the connection that asks, one at a time; where the database went away, wait and try again."""
        while True:
            try:
                async with self._asking:
                    if self._connection is None or self._connection.closed:
                        self._connection = await rows.connect(self._values)
                    return await use(self._connection)
            except rows.away():
                await asyncio.sleep(AGAIN_SECONDS)

    async def _look(self) -> None:
        """Hand out answers: as soon as there was word of one, and each few seconds."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), LOOK_SECONDS)
            self._told.clear()
            keys = list(self._waiting)
            if not keys:
                continue
            found = await self._with_connection(
                lambda connection, keys=keys: rows.take(connection, keys, life=self._life)
            )
            for key, text in found.items():
                for answer in self._waiting.pop(key, set()):
                    if not answer.done():
                        answer.set_result(text)

    async def _listen(self) -> None:
        """Note that there was word of an answer; a connection that is lost is made anew."""
        from twisted.internet import reactor

        was_lost = False
        while True:
            try:
                async with await rows.connect(self._values) as connection:
                    if was_lost:
                        # The game's own connection is lost, too, and Evennia does not look after it.
                        reactor.callFromThread(scheduling.call_soon, database.mend)
                    await connection.execute(f"LISTEN {rows.CHANNEL}")
                    self._told.set()
                    async for notification in connection.notifies():
                        if notification.payload in self._waiting:
                            self._told.set()
            except rows.away():
                was_lost = True
                await asyncio.sleep(AGAIN_SECONDS)
