"""The real reactor, for tests that run it."""

from evennia.scripts.tickerhandler import TICKER_HANDLER
from twisted.internet import reactor

from evennia_ai import scheduling


def forget_what_is_due():
    """Let nothing be due that tests before have left to the real reactor, which nobody ran."""
    # A ticker whose call was cancelled by others could not be stopped any more.
    TICKER_HANDLER.ticker_pool.stop()
    for left in reactor.getDelayedCalls():
        left.cancel()
    reactor.threadCallQueue.clear()
    scheduling.set_clock(None)
