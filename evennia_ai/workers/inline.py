"""The executor of tests: does work here and now, by all that a worker does but the queue."""

from __future__ import annotations

from typing import Any, Generator

from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import conf, models, scheduling
from evennia_ai.exceptions import TurnEnded
from evennia_ai.workers import carrier, payload
from evennia_ai.workers.payload import Work

# Who does a slice of a night; it knows more of the mind than this room.
NIGHTS = "evennia_ai.sleep.night_jobs.do"


class InlineExecutor:
    """Keeps a row for each piece of work, as the others do."""

    is_here = True

    def __init__(self) -> None:
        self._life = f"{scheduling.clock().seconds()}"

    @inlineCallbacks
    def run(self, work: Work, *, seconds: float) -> Generator[Deferred[Any], Any, str]:
        """See `Executor.run`."""
        row, _ = models.Job.objects.get_or_create(
            key=work.key,
            defaults={
                "kind": work.kind,
                "assistant_id": work.assistant_id,
                "created": scheduling.now(),
            },
        )
        if not payload.is_answer(row.answer) or row.taken_by == self._life:
            if row.finished:
                row.finished = None
                row.save()
            row.answer = yield answer(work)
        row.finished, row.taken_by = scheduling.now(), self._life
        row.save()
        return row.answer

    def stop(self) -> None:
        """There is nothing to stop."""


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
