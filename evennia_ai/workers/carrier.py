"""The wrapper by which a call of a model leaves the server: whoever JOBS names does what stands inside of it.

Its place in LLM_WRAPPERS is the cut. Ledger, budget and retries stand inside, where the call is made;
outside are the breaker, the ladder and the rate, which hold for all workers together.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from evennia_ai.llm.base import Completion, Request, Wrapper, get_alias
from evennia_ai.workers import executors, payload
from evennia_ai.workers.payload import Work


class Carrier(Wrapper):
    """Passes on to the model that it holds, or carries the request to where it is done."""

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request`, here or elsewhere."""
        executor = executors.executor_for(request.job)
        if executor is None:
            return self.inner.complete(request)
        work = payload.work_of(request, alias=self.alias, is_model=self.is_model)
        answering = executor.run(work, seconds=request.deadline)
        return answering.addCallback(payload.read_answer)


def do(work: Work) -> Deferred[Completion]:
    """Do what was carried here: ask the mind that it is for, by all that stands inside of its carrier.

    Raises:
        LookupError: the wrappers of that mind have no carrier here.
    """
    backend: Any = get_alias(work.alias)
    while not isinstance(backend, Carrier):
        backend = getattr(backend, "inner", None)
        if backend is None:
            raise LookupError(f"the wrappers of {work.alias!r} carry nothing")
    return backend.inner.complete(payload.request_of(work))
