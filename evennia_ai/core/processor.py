"""Turns to compute: the slices of the reactor and the threads of ours, one after the other.

Python lets one thread compute at a time. Two that want to at once take it from each other at each query and each write
to a socket, and each waits for the other there: a slice of 5 ms takes 10. So they take turns. It is a courtesy and no
lock on anything: who has waited long enough goes on beside the other.
"""

from __future__ import annotations

import threading
import time
from collections import deque

# Seconds that a slice waits at most for threads, and a thread for whoever has the turn: longer than a slice takes.
SLICE_PATIENCE, THREAD_PATIENCE = 0.003, 0.02


class Processor:
    """The turn to compute, which one thread has at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Counts turns; only who has the turn writes it.
        self._turn = 0
        # The turn for which a thread, or a slice, has waited long enough.
        self._given_up = self._slice_given_up = -1
        # One mark for each thread that waits.
        self._waiting: deque[None] = deque()
        # Since when a slice waits; 0.0: none does.
        self._slice_waits_since = 0.0

    def take(self) -> bool:
        """Wait for the turn, in a thread; return whether it is ours, and is to be given back."""
        if not self._lock.acquire(blocking=False):
            turn = self._turn
            if turn == self._given_up:
                return False
            self._waiting.append(None)
            is_ours = self._lock.acquire(timeout=THREAD_PATIENCE)
            self._waiting.pop()
            if not is_ours:
                self._given_up = turn
                return False
        self._turn += 1
        return True

    def take_for_slice(self) -> bool | None:
        """Return whether the turn is the slice's; None if it is to ask again soon."""
        if not self._waiting and self._lock.acquire(blocking=False):
            self._turn += 1
            self._slice_waits_since = 0.0
            return True
        now, turn = time.perf_counter(), self._turn
        since = self._slice_waits_since = self._slice_waits_since or now
        if now - since < SLICE_PATIENCE and turn != self._slice_given_up:
            return None
        self._slice_given_up, self._slice_waits_since = turn, 0.0
        return False

    def give_back(self) -> None:
        """End the turn that was ours."""
        self._lock.release()


processor = Processor()
