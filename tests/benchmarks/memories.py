"""What long-term memory costs: part of `python -m tests.benchmarks.journal`.

A search is timed as the work that it is on a thread beside the reactor. How late the reactor is
meanwhile is watched while many operations wait at once.
"""

import gc
import random
import time
from datetime import datetime, timedelta, timezone

from evennia_ai.domain.memories.long_term import NewMemory
from tests.benchmarks.link import progress

# NPCs, and how many memories each has.
CROWDS = ((100, 100), (500, 100), (1, 10_000))
SEARCHES = 100
# Memories that a search asks for, and has to find among those of everybody.
WANTED = 10
QUEUED = 60
# Every so many of the operations that wait is a text to be kept, the others are searches.
EACH_NTH_KEEPS = 3
EMBEDDER = "evennia_ai.semantic.embedders.builtin.BuiltinEmbedder"
START = datetime(2030, 1, 1, tzinfo=timezone.utc)

WORDS = """goat crown well tavern king debt secret road bridge storm harvest thief song letter
    barrel sword market silver wolf garden ship prayer stranger lantern winter""".split()
PEOPLE = "Ann Bob Cid Dora Eve Finn Greta Hugo".split()


def measure(folder, crowds=CROWDS, searches=SEARCHES, queued=QUEUED):
    """Return the figures of each crowd of NPCs, and how late the reactor was in the largest."""
    figures, memories = {}, {}
    for npcs, each in crowds:
        progress(f"memories: {npcs * each} of {npcs} NPCs")
        memory = memories[npcs * each] = _memory(folder / f"of_{npcs}.db3")
        filled = _fill(memory, npcs, each)
        figures[f"{npcs * each} of {npcs}"] = {
            **_recall(memory, npcs, searches),
            "fill_s": round(filled, 1),
        }
    largest = memories[max(memories)]
    figures["queued"] = {"operations": queued, "reactor_gap_ms": _gaps(largest, queued)}
    for memory in memories.values():
        memory.close()
    return figures


def _memory(path):
    from evennia_ai.semantic import memory_thread
    from evennia_ai.semantic.stored import StoredMemory

    # Works where it is asked for, so that what is timed is the work and not a thread's turn.
    memory_thread.set_worker(memory_thread.InlineWorker())
    return StoredMemory(path=str(path), embedder=EMBEDDER)


def _fill(memory, npcs, each):
    chance = random.Random(npcs)
    begun = time.perf_counter()
    for npc in range(npcs):
        told = [_told(npc, number, chance) for number in range(each)]
        _result(memory.add_all(told, assistant_key=f"npc-{npc}"))
    return time.perf_counter() - begun


def _told(npc, number, chance):
    who, moment = chance.choice(PEOPLE), START + timedelta(minutes=number)
    said = " ".join(chance.choices(WORDS, k=12))
    return NewMemory(
        text=f"{who} saw sheep number {number} by the {said}.",
        # What is for others is no part of any result.
        audience=("public", ["ann", f"npc-{npc}"], ["bob"])[number % 3],
        metadata={
            "speaker": who,
            "source_id": who.casefold(),
            "source_trust": 0.9,
            "timestamp": moment.isoformat(),
        },
    )


def _recall(memory, npcs, searches):
    chance = random.Random(7)
    times, found = [], []
    for _ in range(searches):
        key = f"npc-{chance.randrange(npcs)}"
        begun = time.perf_counter()
        hits = _result(_search(memory, key, chance))
        times.append((time.perf_counter() - begun) * 1000)
        found.append(sum(hit.audience != ["bob"] for hit in hits))
    times.sort()
    middle, high = times[len(times) // 2], times[len(times) * 95 // 100]
    return {
        "recall": {"p50": round(middle, 2), "p95": round(high, 2)},
        f"found_of_{WANTED}": min(found),
    }


def _search(memory, key, chance):
    query = f"Who was at the {' and the '.join(chance.choices(WORDS, k=3))}?"
    return memory.search(query, assistant_key=key, hearers=["ann"], limit=WANTED, names=["Ann"])


def _gaps(memory, queued):
    """Let operations wait for the real thread beside a real reactor; return how late that was."""
    from twisted.internet import reactor
    from twisted.internet.defer import DeferredList

    from evennia_ai.semantic import memory_thread
    from tests.benchmarks.inside_watch import Watch

    memory_thread.set_worker(memory_thread.Worker())
    late, failures = [], []
    # The server does this when it has started.
    gc.collect()
    gc.freeze()

    def start():
        watch = Watch()
        chance = random.Random(1)
        working = DeferredList([_operation(memory, n, chance) for n in range(queued)])
        working.addCallback(lambda results: failures.extend(one for ok, one in results if not ok))
        working.addCallback(lambda _: late.extend(watch.stop()))
        working.addBoth(lambda _: reactor.stop())

    # Only then, when the thread has opened the file, as it has in every server.
    reactor.callWhenRunning(lambda: memory.warm_up().addBoth(lambda _: start()))
    reactor.run(installSignalHandlers=False)
    memory_thread.stop()
    memory_thread.set_worker(None)
    if failures:
        failures[0].raiseException()
    late.sort()
    return {"p50": late[len(late) // 2], "worst": late[-1]}


def _operation(memory, number, chance):
    if number % EACH_NTH_KEEPS == 0:
        return memory.put(**_told(number, 100_000 + number, chance))
    return _search(memory, f"npc-{number}", chance)


def _result(deferred):
    """Return what a Deferred has that has fired."""
    outcome = []
    deferred.addBoth(outcome.append)
    [value] = outcome
    if hasattr(value, "raiseException"):
        value.raiseException()
    return value
