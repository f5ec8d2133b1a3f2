"""Control of the queue of jobs: list, retry, drop and forget them, and call a night back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from evennia_ai import conf, models, scheduling
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.workers import executors, payload, rows
from evennia_ai.workers.payload import VERSION

# By procrastinate's words.
STATES = {"waiting": ("todo",), "running": ("doing",), "failed": ("failed",)}


@dataclass(frozen=True)
class State:
    """How many jobs wait, run and failed, and how many workers live."""

    waiting: int
    running: int
    failed: int
    workers: int


def has_queue() -> bool:
    """Return whether jobs are in a queue here, and not done by the server itself."""
    return executors.chosen() == "procrastinate" and connection.vendor == "postgresql"


def state() -> State:
    alive = 3 * conf.get("JOBS")["HEARTBEAT"]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE status = 'todo'),"
            " count(*) FILTER (WHERE status = 'doing'),"
            " count(*) FILTER (WHERE status = 'failed'),"
            " (SELECT count(*) FROM procrastinate_workers"
            "  WHERE last_heartbeat > now() - make_interval(secs => %s))"
            " FROM procrastinate_jobs WHERE task_name = %s",
            [alive, rows.TASK],
        )
        return State(*cursor.fetchone())


def listed(which: str, *, limit: int = 20) -> list[dict[str, Any]]:
    """Return jobs that are `waiting`, `running` or `failed`, the oldest first; without any words of theirs."""
    columns = ("number", "kind", "assistant_id", "created", "attempts", "worker")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT other.id, job.kind, job.assistant_id, job.created, other.attempts, other.worker_id"
            f" FROM procrastinate_jobs other JOIN {rows.JOBS} job ON job.number = other.id"
            " WHERE other.task_name = %s AND other.status::text = ANY(%s) ORDER BY other.id LIMIT %s",
            [rows.TASK, list(STATES[which]), limit],
        )
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def retry(number: int) -> bool:
    """Let a job that failed be done once more; return whether there is one of that number."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE procrastinate_jobs SET status = 'todo', attempts = 0"
            " WHERE id = %s AND task_name = %s AND status = 'failed' AND queue_name = %s",
            [number, rows.TASK, rows.queue_of(VERSION)],
        )
        if not cursor.rowcount:
            return False
        models.Job.objects.filter(number=number).update(finished=None, answer="", taken_by="")
        return True


def drop(number: int) -> bool:
    """Let nobody do a job, and tell who waits for it; return whether there is one of that number."""
    return bool(_end(models.Job.objects.filter(number=number), "the job was dropped"))


def forget(assistant_id: int | None = None) -> int:
    """Delete what was asked and answered for an assistant, or for all; return how many jobs that were.

    Who is at one just now has nowhere to leave the answer; the night asks again.
    """
    kept = models.Job.objects.all()
    if assistant_id is not None:
        kept = kept.filter(assistant_id=assistant_id)
    count = kept.count()
    if count:
        _end(kept.filter(finished=None), "the job was forgotten")
        kept.exclude(finished=None).update(answer="")
    if connection.vendor == "postgresql":
        _forget_failed(assistant_id)
    return count


def _forget_failed(assistant_id: int | None) -> None:
    """Delete what failed from the queue, which keeps what was asked; also what was tried again since under another number."""
    whose = "" if assistant_id is None else " AND (args->'work'->>'assistant_id')::bigint = %s"
    values = [] if assistant_id is None else [assistant_id]
    with connection.cursor() as cursor:
        # Also where the game has gone back to its own thread, and nobody deletes what is old.
        if not _has_tables(cursor):
            return
        cursor.execute(
            "DELETE FROM procrastinate_jobs WHERE task_name = %s"
            f" AND status NOT IN ('todo', 'doing'){whose}",
            [rows.TASK, *values],
        )


def leave_behind() -> int:
    """End what a Server of another version asked for, and no worker of this one takes; return how many jobs that were."""
    if not has_queue():
        return 0
    with connection.cursor() as cursor:
        if not _has_tables(cursor):
            return 0
        cursor.execute(
            "SELECT id FROM procrastinate_jobs"
            " WHERE task_name = %s AND status = 'todo' AND queue_name <> %s",
            [rows.TASK, rows.queue_of(VERSION)],
        )
        numbers = [number for [number] in cursor.fetchall()]
    return _end(models.Job.objects.filter(number__in=numbers), "another version asked for it")


def _has_tables(cursor: Any) -> bool:
    cursor.execute("SELECT to_regclass('procrastinate_jobs')")
    return cursor.fetchone()[0] is not None


def call_back(assistant_id: int) -> bool:
    """Let nobody go on with a night of an assistant; return whether a worker that lives is at one still.

    It looks once a second whether it is still wanted.
    """
    if not has_queue():
        return False
    nights = models.Job.objects.filter(assistant_id=assistant_id, kind=payload.NIGHT)
    _end(nights.filter(finished=None), "the night was called back")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM procrastinate_jobs other JOIN {rows.JOBS} job ON job.number = other.id"
            " JOIN procrastinate_workers worker ON worker.id = other.worker_id"
            " WHERE job.assistant_id = %s AND job.kind = %s AND other.status = 'doing'"
            " AND worker.last_heartbeat > now() - make_interval(secs => %s)",
            [assistant_id, payload.NIGHT, 3 * conf.get("JOBS")["HEARTBEAT"]],
        )
        return bool(cursor.fetchone()[0])


def _end(kept: QuerySet[models.Job], why: str) -> int:
    """Take jobs out of the queue, with all that they carry, and tell who waits; return how many.

    A night that a worker is at stays in it until the worker has let go: no words are in it.
    """
    with transaction.atomic():
        found = list(kept.values_list("key", "number", "kind"))
        answer = payload.failure_of(LLMUnavailable(why))
        kept.update(finished=scheduling.now(), answer=answer)
        # Also where the game has gone back to its own thread.
        if numbers := [number for _, number, _ in found if number is not None]:
            nights = [number for _, number, kind in found if kind == payload.NIGHT]
            with connection.cursor() as cursor:
                cursor.execute(
                    "DELETE FROM procrastinate_jobs WHERE id = ANY(%s)"
                    " AND NOT (status = 'doing' AND id = ANY(%s))",
                    [numbers, nights],
                )
                for key, _, _ in found:
                    cursor.execute("SELECT pg_notify(%s, %s)", [rows.CHANNEL, key])
    return len(found)
