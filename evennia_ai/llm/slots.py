"""Request slots of a model server: a priority queue for servers that answer few requests at once.

Replies, for which somebody waits, go before all else; what is under way is never cancelled.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from evennia_ai.llm import loop_thread
from evennia_ai.llm.base import Request

# Jobs that a player waits for.
URGENT = ("reply", "moderate")
# Seconds after a reply in which the only slot is kept for the next step of that turn.
QUIET = 1.0
# Seconds after which any other job has its turn, however many replies wait.
PATIENCE = 120.0
# Subject of the timeout error of a request that never got a slot.
BUSY = "The model, busy with others,"


@dataclass(eq=False)
class _Waiting:
    is_urgent: bool
    most: int
    since: float
    admitted: asyncio.Future[None]


class Slots:
    """Running and waiting requests of one server; belongs to one event loop."""

    def __init__(self) -> None:
        self._running, self._queue = 0, list[_Waiting]()
        self._quiet_until = 0.0

    @asynccontextmanager
    async def taken(self, request: Request, *, most: int, patience: float) -> AsyncIterator[None]:
        """Hold one of `most` slots as soon as it is free; LLMTimeout after `patience` seconds."""
        loop = asyncio.get_running_loop()
        one = _Waiting(request.job in URGENT, most, loop.time(), loop.create_future())
        self._queue.append(one)
        self._admit()
        try:
            with request.watch.stopped():
                await loop_thread.bounded(lambda: one.admitted, timeout=patience, what=BUSY)
            yield
        finally:
            if one in self._queue:
                self._queue.remove(one)
            else:
                self._running -= 1
                if one.is_urgent:
                    self._quiet_until = loop.time() + QUIET
            self._admit()

    def _admit(self) -> None:
        loop = asyncio.get_running_loop()
        while one := self._next(loop):
            self._queue.remove(one)
            self._running += 1
            one.admitted.set_result(None)

    def _next(self, loop: asyncio.AbstractEventLoop) -> _Waiting | None:
        now = loop.time()
        waiting = (one for one in self._queue if not one.admitted.done())
        free = [one for one in waiting if self._running < one.most]
        for one in free:
            if one.is_urgent or now - one.since >= PATIENCE:
                return one
        if free and free[0].most == 1 and now < self._quiet_until:
            loop.call_at(self._quiet_until, self._admit)
            return None
        return free[0] if free else None


_of_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Slots]] = WeakKeyDictionary()


def slots_of(server: str) -> Slots:
    """Slots of a server in the running event loop."""
    return _of_loops.setdefault(asyncio.get_running_loop(), {}).setdefault(server, Slots())


def is_local(host: str) -> bool:
    """True for this machine and its network: by address, `.local`, or a host name without a dot."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost"))
    return address.is_loopback or address.is_private or address.is_link_local
