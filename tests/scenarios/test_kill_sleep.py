"""A mind that is killed by kill -9 while it keeps its day loses no entry and keeps none twice.

Run as a program, this file is the server that is killed, or the one that ends the night.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

from django.test import tag

from tests.database_file import start_evennia
from tests.processes import ROOT

KILLS = 10
ENTRIES = 300
# Entries that are kept before a kill, at most, and seconds within which it then comes.
KEPT_AT_MOST = 25
KILL_SECONDS = 0.01
MOST_TICKS = 200


@tag("scenario")
class KillTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, task):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.scenarios.test_kill_sleep", task, str(self.folder)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        return process

    def line(self, server, word):
        while (line := server.stdout.readline()).split(" ")[0] != word:
            self.assertTrue(line, "the server went away")
        return int(line.split(" ")[1])

    def test_each_entry_is_kept_once_as_it_is_in_the_end(self):
        """M38: killed at any point; entries that wait are written anew before each attempt."""
        chance = random.Random()
        server = self.start("serve")
        self.line(server, "ready")
        for _ in range(KILLS):
            server.stdin.write("go\n")
            server.stdin.flush()
            child = self.line(server, "pid")
            for _ in range(chance.randint(1, KEPT_AT_MOST)):
                self.line(server, "kept")
            # Anywhere in what comes next.
            time.sleep(chance.random() * KILL_SECONDS)
            os.kill(child, signal.SIGKILL)
            self.line(server, "dead")
        server.stdin.close()
        self.assertEqual(server.wait(300), 0)
        found = json.loads(self.start("finish").communicate(timeout=300)[0].splitlines()[-1])
        self.assertGreaterEqual(found["kept_before"], KILLS)
        self.assertEqual(found["waiting"], 0)
        entries, memories = found["entries"], found["memories"]
        self.assertEqual(len(entries), ENTRIES)
        twice = [id for id, count in Counter(id for id, _ in memories).items() if count > 1]
        self.assertEqual(twice, [])
        self.assertEqual({str(id): text for id, text in memories}, entries)


def serve(folder):
    """Make a mind with a journal; for each line that comes a process sleeps until it is killed."""
    _start(folder, new=True)
    from django.db import connections
    from evennia.objects.objects import DefaultRoom
    from evennia.utils.create import create_object
    from evennia.utils.idmapper.models import flush_cache

    from evennia_ai.memory import journal
    from evennia_ai.sleep import sleep_cycle
    from evennia_ai.testing import minds
    from evennia_ai.typeclasses import scripts

    npc = minds.make_assistant("Mara", location=create_object(DefaultRoom, key="inn", nohome=True))
    journal.set_max_entries(npc, 2 * ENTRIES)
    for number in range(ENTRIES):
        journal.add_entry(npc, f"Event {number}.", audience="public" if number % 3 else ["ann"])
    sleep_cycle.transition_mode(scripts.find(npc), "sleep", "a test")
    npc_id = npc.id
    # A process that is forked off shares neither a connection nor what is in memory.
    flush_cache()
    connections.close_all()
    _tell("ready", npc_id)
    server = os.getpid()
    for number, _ in enumerate(sys.stdin):
        child = os.fork()
        if child == 0:
            _sleep(npc_id, random.Random(number))
            # A night that is over before the kill comes is killed as well. The child must not go on: it
            # would read what is meant for its parent.
            while os.getppid() == server:
                _tell("kept", 0)
                time.sleep(0.05)
            os._exit(0)
        _tell("pid", child)
        os.waitpid(child, 0)
        _tell("dead", child)


def finish(folder):
    """End the night, and tell what is there."""
    _start(folder, new=False)
    from evennia_ai.memory import journal
    from evennia_ai.semantic.base import get_memory
    from evennia_ai.typeclasses import scripts
    from evennia_ai.typeclasses.characters import AssistantCharacter

    npc = AssistantCharacter.objects.get(db_key="Mara")
    before = sum(entry.consolidated for entry in journal.entries(npc))
    _sleep(npc.id, random.Random(99))
    entries, kept = journal.entries(npc), []
    key = scripts.find(npc).assistant_key
    get_memory().get_all(assistant_key=key, limit=10 * ENTRIES).addCallback(kept.extend)
    found = {
        "kept_before": before,
        "waiting": sum(not entry.consolidated for entry in entries),
        "entries": {entry.id: entry.content for entry in entries},
        "memories": [(item.metadata["entry_id"], item.text) for item in kept],
    }
    print(json.dumps(found), flush=True)


def _start(folder, *, new):
    start_evennia(folder / "game.db3", new=new)
    from django.test import override_settings

    from evennia_ai.semantic import memory_thread
    from evennia_ai.sleep import waking

    memory = {
        "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
        "OPTIONS": {
            "path": str(folder / "memory.db3"),
            "embedder": "evennia_ai.semantic.embedders.adler32.Adler32Embedder",
        },
    }
    offline = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}
    changed = {
        "LLM": {"default": offline},
        "SEMANTIC": {"default": memory},
    }
    override_settings(EVENNIA_AI=changed).enable()
    waking.PATIENT_TICKS = MOST_TICKS
    memory_thread.set_worker(memory_thread.InlineWorker())


def _sleep(npc_id, chance):
    """Write all entries that wait anew, and keep the day."""
    from twisted.internet.task import Clock

    from evennia_ai import scheduling
    from evennia_ai.memory import journal, lookup
    from evennia_ai.memory.state import sleep_state
    from evennia_ai.sleep import steps
    from evennia_ai.typeclasses import scripts

    clock = Clock()
    clock.advance(1_900_000_000)
    scheduling.set_clock(clock)
    npc = lookup.object_by_id(npc_id)
    script = scripts.find(npc)
    # By other words no memory is taken for the same one told twice.
    for entry in journal.entries(npc):
        if not entry.consolidated:
            journal.edit_entry(npc, entry.id, content=f"Event {chance.getrandbits(64)}.")
    write = journal.edit_entry

    def write_and_tell(character, entry_id, **changes):
        written = write(character, entry_id, **changes)
        if "consolidated" in changes:
            _tell("kept", entry_id)
        return written

    journal.edit_entry = write_and_tell
    for _ in range(MOST_TICKS):
        if sleep_state.phase(script) != sleep_state.COMPACTING:
            return
        done = []
        steps.run_sleep_tick(script, npc).addBoth(done.append)
        while not done:
            clock.advance(0)


def _tell(word, number):
    print(word, number, flush=True)


if __name__ == "__main__":
    {"serve": serve, "finish": finish}[sys.argv[1]](Path(sys.argv[2]))
