"""Whatever was noted is there after kill -9, and nothing is half there.

Run as a program, this file is the server that is killed, or what looks into its files afterwards.
"""

import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from django.test import tag

from tests.database_file import start_evennia
from tests.processes import ROOT

KILLS = 12
# Lines that are told before a kill, at most.
TOLD_AT_MOST = 150
# Entries of the journal that is full, more than a page.
FULL = 70
# So many there are while nothing has a copy in long-term memory.
ROOM = 84
# Every so many entries one is changed.
EACH_NTH_EDITED = 5
EMBEDDER = "evennia_ai.semantic.embedders.adler32.Adler32Embedder"


@tag("scenario")
class KillTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # What was told to be stored: {what: {id: text}}
        self.told = {"growing": {}, "full": {}, "memory": {}, "edited": {}}

    def start(self, task):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.scenarios.test_kill_memory", task, str(self.folder)],
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

    def kill_once(self, server, chance):
        server.stdin.write("go\n")
        server.stdin.flush()
        child = int(self.answer(server, "pid"))
        for _ in range(chance.randint(1, TOLD_AT_MOST)):
            self.note(server.stdout.readline())
        # Anywhere in what comes next.
        time.sleep(chance.random() / 200)
        os.kill(child, signal.SIGKILL)
        # What it had told when it died.
        while (line := server.stdout.readline()) != "dead\n":
            self.note(line)

    def answer(self, server, word):
        while (line := server.stdout.readline()).split(" ")[0] != word:
            self.assertTrue(line, "the server went away")
        return line.split(" ")[1]

    def note(self, line):
        what, id, text = line.rstrip("\n").split(" ", 2)
        self.told[what][id] = text

    def test_what_was_told_to_be_stored_is_there_and_whole(self):
        """An entry is in the database when add_entry returns, and a memory when its Deferred fires."""
        chance = random.Random()
        server = self.start("serve")
        self.answer(server, "ready")
        for _ in range(KILLS):
            self.kill_once(server, chance)
        server.stdin.close()
        self.assertEqual(server.wait(300), 0)
        found = json.loads(self.start("look").communicate(timeout=300)[0].splitlines()[-1])
        self.assertGreater(min(len(told) for told in self.told.values()), KILLS)
        self.check_growing(**found["growing"])
        self.check_full(**found["full"])
        self.check_memory(found["memory"])
        for name in ("game.db3", "memory.db3"):
            with self.subTest(name):
                connection = sqlite3.connect(self.folder / name)
                self.addCleanup(connection.close)
                self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])

    def check_growing(self, entries, edited, head, counted):
        self.assertEqual(entries, {**entries, **self.told["growing"]})
        # Each once, none left out, and no more untold ones than there were kills.
        self.assertEqual([int(id) for id in entries], list(range(1, head["entry_count"] + 1)))
        self.assertLessEqual(len(entries), len(self.told["growing"]) + KILLS)
        self.assertLessEqual(set(self.told["edited"]), set(edited))
        self.assertEqual((head["size"], head["pages"]), (len(entries), counted))

    def check_full(self, entries, edited, head, counted):
        last = head["entry_count"]
        kept = {id: text for id, text in self.told["full"].items() if int(id) > last - ROOM}
        self.assertEqual(entries, {**entries, **kept})
        self.assertEqual([int(id) for id in entries], list(range(last - ROOM + 1, last + 1)))
        self.assertLessEqual(last, len(self.told["full"]) + KILLS)
        # An entry more and one less are one change.
        self.assertEqual((head["size"], head["evicted"]), (ROOM, last - ROOM))
        self.assertEqual(head["pages"], counted)

    def check_memory(self, memories):
        self.assertEqual(memories, {**memories, **self.told["memory"]})
        self.assertLessEqual(len(memories), len(self.told["memory"]) + KILLS)


def serve(folder):
    """Make two NPCs, and for each line that comes let a process work until it is killed."""
    start_evennia(folder / "game.db3")
    from django.db import connections
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_object
    from evennia.utils.idmapper.models import flush_cache

    from evennia_ai.memory import journal

    growing, full = [
        create_object(DefaultObject, key=name, nohome=True).id for name in ("growing", "full")
    ]
    journal.set_max_entries(_npc(full), FULL)
    journal.set_max_entries(_npc(growing), 1_000_000)
    # A process that is forked off shares neither a connection nor what is in memory.
    flush_cache()
    connections.close_all()
    _tell("ready", "-")
    for number, _ in enumerate(sys.stdin):
        child = os.fork()
        if child == 0:
            _write(folder, growing, full, number)
        _tell("pid", child)
        os.waitpid(child, 0)
        _tell("dead")


def _write(folder, growing, full, number):
    """Note things for ever, and tell each as soon as it is stored."""
    from evennia_ai.memory import journal

    memory, growing, full = _memory(folder), _npc(growing), _npc(full)
    for moment in itertools.count():
        text = f"At moment {moment} of day {number} it rained."
        entry = journal.add_entry(growing, text, importance=5)
        _tell("growing", entry.id, text)
        if moment % EACH_NTH_EDITED == 0:
            journal.edit_entry(growing, entry.id, consolidated=True)
            _tell("edited", entry.id, text)
        _tell("full", journal.add_entry(full, text, importance=2).id, text)
        kept = memory.add(text, assistant_key="mara", audience="public")
        kept.addCallback(lambda id, text=text: _tell("memory", id, text))
        kept.addErrback(lambda failure: failure.raiseException())


def look(folder):
    """Print what is in the files, as a server reads it that has just started."""
    start_evennia(folder / "game.db3", new=False)
    from evennia.objects.models import ObjectDB

    found, memories = {}, []
    for name in ("growing", "full"):
        found[name] = _journal_of(ObjectDB.objects.get(db_key=name))
    _memory(folder).get_all(assistant_key="mara", limit=10**6).addCallback(memories.extend)
    found["memory"] = {memory.id: memory.text for memory in memories}
    print(json.dumps(found))


def _journal_of(npc):
    from evennia_ai.memory import journal, journal_pages, kinds, repository
    from evennia_ai.memory.storage import pages

    entries, head = journal.entries(npc), journal_pages.load_head(npc)
    # Without a head it is counted anew from the pages.
    repository.remove(npc, kinds.JOURNAL_HEAD)
    return {
        "entries": {entry.id: entry.content for entry in entries},
        "edited": [str(entry.id) for entry in entries if entry.consolidated],
        "head": pages.plain(head),
        "counted": journal_pages.load_head(npc).pages,
    }


def _memory(folder):
    from evennia_ai.semantic import memory_thread
    from evennia_ai.semantic.mem0 import Mem0Memory

    memory_thread.set_worker(memory_thread.InlineWorker())
    return Mem0Memory(path=str(folder / "memory.db3"), embedder=EMBEDDER)


def _npc(number):
    from evennia_ai.memory import lookup

    return lookup.object_by_id(number)


def _tell(*words):
    # In one piece, also if the process is killed meanwhile.
    os.write(sys.stdout.fileno(), f"{' '.join(map(str, words))}\n".encode())


if __name__ == "__main__":
    {"serve": serve, "look": look}[sys.argv[1]](Path(sys.argv[2]))
