"""A worker: takes jobs off the queue, asks the model as a server would, and keeps the answers.

As in a server the reactor's thread has Django, the ledger and the budget; the queue is in the loop thread. It
loads no typeclass, and knows of a mind no more than its number.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generator, TypeVar

from django.db import InterfaceError, InternalError, OperationalError
from evennia.server.models import ServerConfig
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred
from twisted.internet.task import deferLater
from twisted.python.failure import Failure

from evennia_ai import __version__, conf, scheduling
from evennia_ai.exceptions import TurnEnded
from evennia_ai.llm import caps, ledger, loop_thread
from evennia_ai.memory import lookup
from evennia_ai.workers import carrier, database, payload, rows
from evennia_ai.workers.payload import Work

if TYPE_CHECKING:
    import procrastinate

# Does a slice of a night; it knows more of the mind than this room.
NIGHTS = "evennia_ai.sleep.night_jobs.do"
# Heartbeats that somebody may miss before it counts as dead.
MISSED = 3
# Seconds that a worker which is told to stop has for what it does.
GRACE = 20.0
# How often a job is given to workers that die of it, and hours for which what was done is kept.
TRIES, KEEP_HOURS = 5, 24
# Attempts at work that the database did not take, a second apart.
ATTEMPTS = 30
AGAIN_SECONDS = 1.0
# Seconds without a connection after which the database counts as away.
PATIENCE = 5.0
FOREVER = 10.0**9
# Under which a server notes when it started, of which version it is, and by what settings.
STARTED = "evennia_ai_started"
# Settings that a worker has to have as the server has them: what a night does, and what may be spent.
ALIKE = ("SLEEP_STEPS", "BUDGET", "PRICES")

Result = TypeVar("Result")


class Worker:
    """Works until it is told to stop, or until the server is a new one (`is_outdated`), or the database lets it in
    no more: `refusal` has its words."""

    def __init__(self, *, concurrency: int, values: dict[str, Any]) -> None:
        self.is_outdated, self.refusal = False, ""
        self._concurrency, self._values = concurrency, values
        self._heartbeat = float(conf.get("JOBS")["HEARTBEAT"])
        self._stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: asyncio.Task[None] | None = None
        self._started = server_started()

    def run(self) -> Deferred[None]:
        """Work; the Deferred fires when it has stopped."""
        lookup.be_worker()
        ledger.be_worker()
        database.guard()
        return loop_thread.get_runner().run(self._run, timeout=FOREVER, what="The worker")

    def stop(self) -> None:
        """End what it does and take nothing more; from the reactor's thread."""
        self._stopping = True
        if self._loop is not None and self._serving is not None:
            self._loop.call_soon_threadsafe(self._serving.cancel)

    async def _run(self) -> None:
        import procrastinate.exceptions
        import psycopg

        self._loop = asyncio.get_running_loop()
        while await self._is_let_in():
            self._serving = self._loop.create_task(self._serve())
            try:
                await self._serving
            except asyncio.CancelledError:
                if not self._stopping:
                    raise
            except (psycopg.Error, procrastinate.exceptions.ConnectorException) as error:
                logger.log_warn(
                    f"evennia_ai: a worker lost the database ({error}); it tries again."
                )
                await asyncio.sleep(AGAIN_SECONDS)

    async def _is_let_in(self) -> bool:
        """Wait for the database; return whether to work: not where it refuses us, which no waiting mends."""
        import psycopg

        while not self._stopping and not self.refusal:
            try:
                await (await rows.connect(self._values)).close()
                return not self._stopping
            except psycopg.OperationalError as error:
                self.refusal = rows.refusal(error)
            await asyncio.sleep(AGAIN_SECONDS)
        return False

    async def _serve(self) -> None:
        """Work as long as the database is there."""
        # For each job, for the queue itself, and for the heartbeat, so that nobody waits for a connection.
        app = rows.new_app(self._values, most=self._concurrency + 3, patience=PATIENCE)
        app.task(name=rows.TASK)(lambda **fields: self._work(app, fields))
        async with app.open_async():
            looking = asyncio.get_running_loop().create_task(self._look_after(app))
            try:
                await app.run_worker_async(
                    queues=[rows.queue_of(payload.VERSION)],
                    concurrency=self._concurrency,
                    install_signal_handlers=False,
                    delete_jobs="successful",
                    shutdown_graceful_timeout=GRACE,
                    update_heartbeat_interval=self._heartbeat,
                    stalled_worker_timeout=MISSED * self._heartbeat,
                )
            finally:
                looking.cancel()

    async def _work(self, app: procrastinate.App, fields: dict[str, Any]) -> None:
        """Do one job, unless somebody did it before, or dropped it."""
        work = Work(**fields["work"])
        if not await self._stored(app, lambda connection: rows.is_wanted(connection, work.key)):
            return
        # What fails stands in the list of what failed, and whoever waits is told.
        answer, failure = await on_reactor(
            lambda: answer_here(work).addCallbacks(
                lambda text: (text, None), lambda one: (payload.failure_of(one.value), one.value)
            )
        )
        await self._stored(app, lambda connection: rows.finish(connection, work.key, answer))
        if failure is not None:
            raise failure

    async def _stored(
        self, app: procrastinate.App, use: Callable[[Any], Awaitable[Result]]
    ) -> Result:
        """Use a connection of the queue; where the database is away, or its disk full, wait until it takes it.

        What was answered is paid, and whoever waits for it is not told of an error that is none of the model's.
        """
        was_told = False
        while True:
            # Fails where this worker has let go of the queue.
            pool = app.connector.pool
            try:
                async with pool.connection() as connection:
                    return await use(connection)
            except rows.away() as error:
                if not was_told:
                    logger.log_warn(f"evennia_ai: a worker waits for the database ({error}).")
                was_told = True
            await asyncio.sleep(AGAIN_SECONDS)

    async def _look_after(self, app: procrastinate.App) -> None:
        """Give away what the dead left, delete what is old, and see whether the server is a new one.

        Each worker does so and none waits for another: a lock would outlive whoever holds it.
        """
        import procrastinate.exceptions
        import psycopg

        while True:
            await asyncio.sleep(self._heartbeat)
            try:
                await rescue(app, seconds=MISSED * self._heartbeat)
                await prune(app)
                if await on_reactor(lambda: is_new_server(self._started)):
                    self.is_outdated = True
                    self.stop()
            except (psycopg.Error, procrastinate.exceptions.ConnectorException) as error:
                logger.log_warn(f"evennia_ai: a worker cannot look after the queue ({error}).")


async def rescue(app: procrastinate.App, *, seconds: float) -> None:
    """Let others do what was given to workers that have not been heard of for so long."""
    import procrastinate.exceptions
    from procrastinate.jobs import Status

    manager = app.job_manager
    await manager.prune_stalled_workers(seconds)
    for job in await manager.get_stalled_jobs(task_name=rows.TASK, seconds_since_heartbeat=seconds):
        # Another may have done the same a moment ago.
        with contextlib.suppress(procrastinate.exceptions.ConnectorException):
            # What another version asked for, nobody takes any more.
            if job.attempts + 1 < TRIES and job.queue == rows.queue_of(payload.VERSION):
                await manager.retry_job(job)
                continue
            key = job.task_kwargs["work"]["key"]
            lost = payload.failure_of(RuntimeError())
            async with app.connector.pool.connection() as connection:
                await rows.finish(connection, key, lost)
            await manager.finish_job(job, Status.FAILED, delete_job=False)


async def prune(app: procrastinate.App) -> None:
    """Delete what was done long ago, and what is over of what another version asked for."""
    await app.job_manager.delete_old_jobs(
        nb_hours=KEEP_HOURS,
        queue=rows.queue_of(payload.VERSION),
        include_failed=True,
        include_cancelled=True,
        include_aborted=True,
    )
    async with app.connector.pool.connection() as connection:
        await rows.prune(connection, hours=KEEP_HOURS, version=payload.VERSION)


@inlineCallbacks
def answer(work: Work) -> Generator[Deferred[Any], Any, str]:
    """Do work in this process; return the answer, or the error of ours, as text."""
    try:
        if work.kind == payload.NIGHT:
            return payload.answer_with((yield conf.load(NIGHTS)(work)))
        completion = yield carrier.do(work)
    except TurnEnded as error:
        return payload.failure_of(error)
    return payload.answer_of(completion)


@inlineCallbacks
def answer_here(work: Work) -> Generator[Deferred[Any], Any, str]:
    """Do work by the mind of this process; return the answer as text, with the ledger written."""
    for _ in range(ATTEMPTS):
        try:
            caps.read_anew()
            told = yield answer(work)
            # Before anybody is told: a worker that is killed has told of all that it asked.
            ledger.flush()
            return told
        except (OperationalError, InterfaceError, InternalError) as error:
            # Nothing was asked yet: the budget comes first. (The last is of one that takes nothing just now.)
            lost = error
        yield deferLater(scheduling.clock(), AGAIN_SECONDS)
        database.mend()
    raise lost


async def on_reactor(function: Callable[[], Any]) -> Any:
    """Call a function in the reactor's thread, and return what it, or its Deferred, gives."""
    # Imported late: whoever imports the reactor first decides which one it is.
    from twisted.internet import reactor

    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def settle(result: Any) -> None:
        if future.done():
            return
        if isinstance(result, Failure):
            future.set_exception(result.value)
        else:
            future.set_result(result)

    def begin() -> None:
        maybeDeferred(function).addBoth(lambda result: loop.call_soon_threadsafe(settle, result))

    reactor.callFromThread(scheduling.call_soon, begin)
    return await future


def server_started() -> str:
    """Return when the server started that runs now, as it noted."""
    found = ServerConfig.objects.filter(db_key=STARTED).values_list("db_value", flat=True)
    return str(next(iter(found), ""))


def is_new_server(started: str) -> bool:
    """Return whether the server that runs now is another than the one that started then; no, if nobody can say."""
    try:
        return server_started() != started
    except (OperationalError, InterfaceError):
        database.mend()
        return False


def server_version() -> str:
    """Return the version of this package that the server has, "" if none has started that says so."""
    return "".join(server_started().split(" ")[2:3])


def unlike_settings() -> list[str]:
    """Return the settings of ours that are others than those by which the server started."""
    theirs = dict(one.split("=") for one in server_started().split(" ")[3:])
    return [name for name in ALIKE if name in theirs and theirs[name] != _mark(name)]


def note_start() -> None:
    """Note that a server starts, so that workers of the one before, with its settings and code, start anew, too."""
    settings = " ".join(f"{name}={_mark(name)}" for name in ALIKE)
    now = f"{scheduling.now():%Y-%m-%d %H:%M:%S.%f}"
    ServerConfig.objects.conf(STARTED, f"{now} {__version__} {settings}")


def _mark(name: str) -> str:
    """Return what tells a setting from another, and nothing of what it says."""
    written = json.dumps(conf.get(name), sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:16]
