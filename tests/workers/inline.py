"""The executor of our tests: does work here and now, by all that a worker does but the queue."""

from unittest import mock

from twisted.internet.defer import inlineCallbacks

from evennia_ai import models, scheduling
from evennia_ai.workers import executors, payload, worker


def offered():
    """Patch the backends of JOBS so that the settings can name "inline"."""
    return mock.patch.dict(executors.BACKENDS, inline=f"{__name__}.InlineExecutor")


class InlineExecutor:
    """Keeps a row for each piece of work, as the others do."""

    is_here = True

    def __init__(self):
        self._life = f"{scheduling.clock().seconds()}"

    @inlineCallbacks
    def run(self, work, *, seconds):
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
            row.answer = yield worker.answer(work)
        row.finished, row.taken_by = scheduling.now(), self._life
        row.save()
        return row.answer

    def stop(self):
        """There is nothing to stop."""
