"""Inside the Server: how long the reactor is held while many speak to NPCs, and what that costs."""

import time

import evennia
from django.db import connection
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from tests.benchmarks.inside_watch import Watch
from tests.benchmarks.inside_world import Speaker

# Seconds after which what was not answered will not be.
PATIENCE = 60.0
# How statements begin that only mark off others.
MARKS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")


class Costs:
    """Counts CPU time, of this thread and of the process, and SQL statements of this thread."""

    def __init__(self):
        self._statements = 0
        connection.execute_wrappers.append(self._count)
        self._cpu = self._now()

    def stop(self):
        """Return CPU times in milliseconds, and how many SQL statements there were."""
        thread, process = (
            (now - before) * 1000 for now, before in zip(self._now(), self._cpu, strict=True)
        )
        connection.execute_wrappers.remove(self._count)
        return {"reactor_cpu_ms": thread, "process_cpu_ms": process, "sql": self._statements}

    def _now(self):
        return time.thread_time(), time.process_time()

    def _count(self, execute, sql, params, many, context):
        # Many rows of one statement are one.
        self._statements += not str(sql)[:20].lstrip().upper().startswith(MARKS)
        return execute(sql, params, many, context)


def idle(seconds):
    """Return how late calls are while nothing happens."""
    watch = Watch()
    return deferLater(reactor, seconds, watch.stop)


def idle_costs(seconds):
    """Return what is spent while nothing happens."""
    return deferLater(reactor, seconds, Costs().stop)


def _say(session, words):
    """Speak, as the command `say` does when it has been parsed."""
    speaker = session.puppet
    speaker.at_say(speaker.at_pre_say(words), msg_self=True)


def talk(words, numbers, reply, afterwards=0.0):
    """Let the speakers of these numbers say `words` and wait until each has heard `reply`.

    Each speaks in a pass of the reactor of its own. Returns when each spoke and was answered, by number
    (of time.monotonic), how late calls were meanwhile, and what was spent until `afterwards` seconds later.
    """
    return Talk(words, numbers, reply, afterwards).done


class Talk:
    """One round in which everybody speaks at once."""

    def __init__(self, words, numbers, reply, afterwards):
        self.done = Deferred()
        self._words, self._waiting, self._reply = words, list(numbers), reply
        self._said, self._answered = {}, {}
        self._afterwards = afterwards
        self._sessions = {
            session.puppet.key: session
            for session in evennia.SESSION_HANDLER.values()
            if session.puppet
        }
        Speaker.on_hear = self._hear
        self._costs = Costs()
        self._watch = Watch()
        self._end = reactor.callLater(PATIENCE, self._finish)
        reactor.callLater(0, self._speak)

    def _speak(self):
        number = self._waiting.pop(0)
        self._said[number] = time.monotonic()
        _say(self._sessions[f"Guest{number}"], self._words.format(npc=f"Npc{number}"))
        if self._waiting:
            reactor.callLater(0, self._speak)

    def _hear(self, speaker, text, from_obj):
        number = int(speaker.key.removeprefix("Guest"))
        if self._reply in text and number in self._said:
            self._answered.setdefault(number, time.monotonic())
            if len(self._answered) == len(self._said) and not self._waiting:
                # What the last answer brings with it belongs to it.
                self._end.reset(0.02)

    def _finish(self):
        Speaker.on_hear = None
        late = self._watch.stop()
        result = {"said": self._said, "answered": self._answered, "late_ms": late}
        reactor.callLater(self._afterwards, self._settle, result)

    def _settle(self, result):
        self.done.callback({**result, "costs": self._costs.stop()})
