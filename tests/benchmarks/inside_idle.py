"""Inside the Server: what it costs to be there."""

import resource

from twisted.internet import reactor
from twisted.internet.task import deferLater


def cpu_share(seconds):
    """Return the share of one core that this process uses in the next `seconds`."""
    before = _cpu_seconds()
    return deferLater(reactor, seconds, lambda: round((_cpu_seconds() - before) / seconds, 5))


def _cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
