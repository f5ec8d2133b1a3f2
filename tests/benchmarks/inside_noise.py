"""Inside the Server: what it costs to hear what is not meant for an NPC."""

import time

from evennia.objects.models import ObjectDB
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall

from evennia_ai import scheduling
from evennia_ai.memory import working_memory
from tests.benchmarks.inside_watch import INTERVAL, Watch

# Seconds between two handfuls of lines.
BEAT = 0.01


def flood(mind, stock, lines, seconds):
    """Send `lines` untyped lines a second to both NPCs (keys); return the CPU seconds of each."""
    npcs = [ObjectDB.objects.get(db_key=key) for key in (mind, stock)]
    used = dict.fromkeys((mind, stock), 0.0)
    sent = 0

    def beat(count):
        nonlocal sent
        # After a delay, what was missed is sent at once.
        handful = min(round(lines * BEAT) * count, lines * seconds - sent)
        npcs.reverse()
        for npc in npcs:
            begun = time.thread_time()
            for number in range(sent, sent + handful):
                npc.msg(text=f"The rain falls for the {number}th time.")
            used[npc.key] += time.thread_time() - begun
        sent += handful
        if sent >= lines * seconds:
            beating.stop()

    def result():
        kept = [line for npc in npcs for line in working_memory.all_lines(npc)]
        return {**used, "sent": sent, "kept": len(kept)}

    beating = LoopingCall.withCount(beat)
    return beating.start(BEAT).addCallback(lambda _: result())


def burst(speaker, npc, lines):
    """Let a speaker say `lines` lines to somebody else, all at once, while an NPC (keys) listens.

    Returns the CPU seconds until all is taken in, how late the reactor was meanwhile, and how many
    lines the NPC remembers.
    """
    speaker, npc = (ObjectDB.objects.get(db_key=key) for key in (speaker, npc))
    done, begun = Deferred(), time.thread_time()
    for number in range(lines):
        line = f'{speaker.key} says, "Bob, the cart is late again, for the {number}th time."'
        speaker.location.msg_contents(text=(line, {"type": "say"}), from_obj=speaker)
    taken = time.thread_time() - begun
    watch = Watch()

    def look():
        if scheduling.waiting():
            reactor.callLater(INTERVAL, look)
        else:
            figures = {"cpu": time.thread_time() - begun, "at_once": taken}
            remembered = len(working_memory.all_lines(npc))
            done.callback({**figures, "late_ms": watch.stop(), "remembered": remembered})

    reactor.callLater(0, look)
    return done
