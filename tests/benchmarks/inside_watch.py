"""Inside a Server, also one without us: how late the calls of its reactor come."""

import time

from twisted.internet import reactor

# Seconds between two looks at how late the reactor is.
INTERVAL = 0.005


class Watch:
    """Notes by how much each call of the reactor comes later than it was due.

    What its thread worked between two calls (`worked`, seconds) is no matter of what else the machine does.
    """

    def __init__(self):
        self.late, self.worked, self._cpu = [], [], time.thread_time()
        self._due = time.monotonic() + INTERVAL
        self._call = reactor.callLater(INTERVAL, self._look)

    def stop(self):
        """Return the lateness of all calls, in milliseconds."""
        self._call.cancel()
        # What holds the reactor at this moment counts, too.
        self.late.append(time.monotonic() - self._due)
        return [round(max(0.0, late) * 1000, 2) for late in self.late]

    def _look(self):
        now, cpu = time.monotonic(), time.thread_time()
        self.late.append(now - self._due)
        self.worked.append(cpu - self._cpu)
        self._cpu = cpu
        self._due = now + INTERVAL
        self._call = reactor.callLater(INTERVAL, self._look)
