"""SQL for the rows of jobs, on connections of the loop thread: without Django, and never on the reactor.

A row is made in the same transaction as procrastinate's job, so there is neither without the other.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evennia_ai.workers.payload import VERSION, Work

if TYPE_CHECKING:
    import procrastinate
    import psycopg

TASK = "evennia_ai.work"
# Told with the key of a job that was done.
CHANNEL = "evennia_ai_job_done"
# Nights make room for whoever waits for an answer now.
SOON, LATER = 10, 0
# Of our table; the name is Django's.
JOBS = "evennia_ai_job"
_WAITS = "('todo', 'doing')"
# What Postgres, and its client, say where a password is wrong, missing, or no line of pg_hba.conf lets one in.
_REFUSED = ("authentication failed", "no password supplied", "no pg_hba.conf entry")


def queue_of(version: str) -> str:
    """Return the queue of a version of this package: a worker takes jobs of its own, and no others."""
    return f"evennia_ai_{version}"


def connection_values() -> dict[str, Any]:
    """Return how the game's database is connected to, as psycopg has it; for the reactor's thread."""
    from django.db import connections

    values = connections["default"].get_connection_params()
    # They are for Django's own connection.
    return {name: values[name] for name in values.keys() - {"cursor_factory", "context"}}


def new_app(values: dict[str, Any], *, most: int = 4, patience: float = 30.0) -> procrastinate.App:
    """Return the queue over a database; it has `most` connections at most, once it is open.

    Whoever gets none within `patience` seconds is told that the database is away.
    """
    import procrastinate

    connector = procrastinate.PsycopgConnector(
        kwargs=values, min_size=1, max_size=most, timeout=patience
    )
    return procrastinate.App(connector=connector)


def away() -> tuple[type[Exception], ...]:
    """Return the errors of a database that is away, or takes nothing as a standby does, and will be back."""
    import procrastinate.exceptions
    import psycopg

    return (
        psycopg.OperationalError,
        psycopg.errors.ReadOnlySqlTransaction,
        procrastinate.exceptions.ConnectorException,
    )


def refusal(error: psycopg.OperationalError) -> str:
    """Return by which words the database lets us in no more; "" where it is away for a while."""
    # Of an error at connecting there is no code.
    said = str(error).strip()
    return said if any(words in said for words in _REFUSED) else ""


async def connect(values: dict[str, Any]) -> psycopg.AsyncConnection[Any]:
    """Return a connection of one's own, in which each statement stands for itself."""
    import psycopg

    return await psycopg.AsyncConnection.connect(**values, autocommit=True)


async def ensure(
    connection: psycopg.AsyncConnection[Any], app: procrastinate.App, work: Work, *, life: str
) -> None:
    """Let there be one job for some work: none is made where it waits, is done, or was by an earlier life.

    What this life was told already is asked for once more on purpose.
    """
    async with connection.transaction():
        made = await connection.execute(
            f"INSERT INTO {JOBS} (key, kind, assistant_id, created, answer, taken_by)"
            " VALUES (%s, %s, %s, now(), '', '') ON CONFLICT (key) DO NOTHING",
            [work.key, work.kind, work.assistant_id],
        )
        if not made.rowcount and await _is_fine(connection, work.key, life=life):
            return
        number = await _deferrer(app, work, connection).defer_async(work=asdict(work))
        await connection.execute(
            f"UPDATE {JOBS} SET number = %s, finished = NULL, answer = '', taken_by = ''"
            " WHERE key = %s",
            [number, work.key],
        )


async def _is_fine(connection: psycopg.AsyncConnection[Any], key: str, *, life: str) -> bool:
    """Return whether a job waits, is being done, or was answered to another life; else it is to be done anew."""
    found = await connection.execute(
        f"SELECT job.finished IS NOT NULL, job.answer LIKE '{{\"answer\"%%', job.taken_by,"
        f" other.status::text IN {_WAITS} FROM {JOBS} job"
        " LEFT JOIN procrastinate_jobs other ON other.id = job.number"
        " WHERE job.key = %s FOR UPDATE OF job",
        [key],
    )
    is_done, is_answered, taken_by, waits = await found.fetchone()
    return (is_answered and taken_by != life) if is_done else bool(waits)


def _deferrer(app: procrastinate.App, work: Work, connection: Any) -> Any:
    is_for_later = work.kind not in ("reply", "moderate")
    return app.configure_task(
        TASK,
        queue=queue_of(VERSION),
        # One mind does one thing at a time in its sleep; whoever speaks to it waits for none of that.
        lock=f"evennia_ai {work.assistant_id}" if is_for_later else None,
        priority=LATER if is_for_later else SOON,
        connection=connection,
    )


async def take(
    connection: psycopg.AsyncConnection[Any], keys: list[str], *, life: str
) -> dict[str, str]:
    """Return the answers that there are to some keys, and note who took them."""
    found = await connection.execute(
        f"UPDATE {JOBS} SET taken_by = %s WHERE key = ANY(%s) AND finished IS NOT NULL AND answer <> ''"
        " RETURNING key, answer",
        [life, keys],
    )
    return dict(await found.fetchall())


async def is_wanted(connection: psycopg.AsyncConnection[Any], key: str) -> bool:
    """Return whether a job is still to be done: nobody dropped it, and nobody did it."""
    found = await connection.execute(
        f"SELECT 1 FROM {JOBS} WHERE key = %s AND finished IS NULL", [key]
    )
    return await found.fetchone() is not None


async def finish(connection: psycopg.AsyncConnection[Any], key: str, answer: str) -> None:
    """Keep the answer to a job and tell who waits for it; the first answer is the one that counts."""
    async with connection.transaction():
        await connection.execute(
            f"UPDATE {JOBS} SET finished = now(), answer = %s WHERE key = %s AND finished IS NULL",
            [answer, key],
        )
        await connection.execute("SELECT pg_notify(%s, %s)", [CHANNEL, key])


async def prune(connection: psycopg.AsyncConnection[Any], *, hours: float, version: str) -> None:
    """Delete the rows of jobs that were done so long ago, and what is over in queues of other versions."""
    await connection.execute(
        "DELETE FROM procrastinate_jobs WHERE task_name = %s AND queue_name <> %s"
        " AND status NOT IN ('todo', 'doing')",
        [TASK, queue_of(version)],
    )
    await connection.execute(
        f"DELETE FROM {JOBS} WHERE finished < now() - make_interval(hours => %s)", [int(hours)]
    )
