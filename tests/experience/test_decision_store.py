"""Tests of the file of experience: crashes, processes, threads, other embedders, no file at all."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from unittest import mock

from django.core.exceptions import ImproperlyConfigured
from django.test import tag
from evennia.utils import logger

from evennia_ai.semantic.embedders.adler32 import Adler32Embedder
from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
from tests.experience.cases import ExperienceTestCase
from tests.processes import ROOT
from tests.semantic.cases import PlainEmbedder

PRELUDE = """
import sys
from django.conf import settings
settings.configure(EVENNIA_AI={})
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.semantic.embedders.adler32 import Adler32Embedder
memory = ExperienceMemory(sys.argv[1], embedder=Adler32Embedder())
"""
WRITER = f"""{PRELUDE}
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    title = f"Brawl {{number}}"
    memory.store_decision(title, "warn", "order", 0.5, {{}}, "Loud.", episode_id=f"e{{number}}")
    memory.store_feedback(OutcomeFeedback(f"e{{number}}", overall_effectiveness=7))
    print(number, flush=True)
"""
READER = f"""{PRELUDE}
print(memory.build_few_shot_prompt("Brawl 7", {{}}, n=1))
print(memory.get_stats())
"""


class FileTestCase(ExperienceTestCase):
    def child(self, code, *arguments):
        """Start a process on the file of the memory."""
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(self.path), *map(str, arguments)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stdout.close)
        return process

    def titles(self, memory=None):
        rows = (memory or self.memory).file.connection.execute("SELECT data FROM decisions")
        return {json.loads(data)["conflict_title"] for [data] in rows}


class CrashTests(FileTestCase):
    @tag("scenario")
    def test_what_was_stored_outlives_a_kill(self):
        told, first = set(), 0
        for _ in range(3):
            child = self.child(WRITER, first, first + 100_000)
            for _ in range(20):
                told.add(int(child.stdout.readline()))
            child.send_signal(signal.SIGKILL)
            child.wait()
            told.update(
                int(line) for line in child.stdout.read().splitlines(True) if line[-1] == "\n"
            )
            # What it was at when it died may be there as well.
            first = max(told) + 2
        memory = self.open()
        self.assertGreaterEqual(len(told), 60)
        self.assertEqual({f"Brawl {number}" for number in told} - self.titles(memory), set())
        self.assertEqual(
            {memory.retrieve_feedback(f"e{number}")["overall_effectiveness"] for number in told},
            {7},
        )
        [[check]] = memory.file.connection.execute("PRAGMA integrity_check")
        self.assertEqual(check, "ok")

    def test_what_fails_halfway_leaves_nothing(self):
        with (
            mock.patch.object(
                self.memory, "_trim", side_effect=sqlite3.OperationalError("disk full")
            ),
            self.assertRaises(sqlite3.OperationalError),
        ):
            self.decide()
        self.assertEqual(self.memory.get_stats()["total_memories"], 0)
        self.decide()
        self.assertEqual(self.similar(), ["warn"])


class ProcessTests(FileTestCase):
    def test_another_process_reads_what_this_one_wrote_and_this_one_what_it_writes(self):
        self.decide("Brawl 7", "soothe", episode_id="e")
        self.rate("e", 9)
        reader = self.child(READER)
        shown, _ = reader.communicate()
        self.assertIn("- Action Taken: [SOOTHE] on RELATIONSHIP", shown)
        self.assertIn("Rated 9/10.", shown)
        self.assertIn("'total_memories': 1", shown)
        self.child(WRITER, 100, 105).communicate()
        self.assertEqual(self.memory.get_stats()["total_memories"], 6)
        self.assertEqual(self.similar("Brawl 103", n=1), ["warn"])

    def test_two_may_write_at_once(self):
        children = [self.child(WRITER, first, first + 50) for first in (0, 1000)]
        for number in range(50):
            self.decide(f"Brawl {5000 + number}")
        for child in children:
            child.communicate()
        self.assertEqual(self.memory.get_stats()["total_memories"], 150)

    def test_threads_of_one_process_share_the_memory(self):
        def work(number):
            for _ in range(20):
                self.decide(f"Brawl {number}")
                self.similar(f"Brawl {number}")

        threads = [threading.Thread(target=work, args=[n], daemon=True) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.memory.get_stats()["total_memories"], 80)

    def test_a_reward_is_not_lost_between_two_writers(self):
        other = self.open()
        id = self.decide(reward=None)
        self.assertTrue(other.set_reward(id, 0.5))
        self.assertTrue(self.memory.set_reward(id, 0.75))
        self.assertEqual(other.get_stats()["average_reward"], 0.75)


class FallbackTests(FileTestCase):
    def opened_badly(self, path, **options):
        """Open a path that cannot be opened; return the memory and what was logged."""
        with mock.patch.object(logger, "log_warn") as warned:
            memory = self.open(path, **options)
        return memory, [call.args[0] for call in warned.call_args_list]

    def test_a_path_that_cannot_be_used_is_replaced_by_memory(self):
        """D3: with one warning, and all else works."""
        blocked = self.folder / "a file"
        blocked.write_text("no folder")
        broken = self.folder / "broken.db3"
        broken.write_bytes(b"this is no database, but it is long enough to be read" * 50)
        for path in (blocked / "memory.db3", broken, self.folder):
            with self.subTest(path.name):
                memory, [warning] = self.opened_badly(path)
                self.assertIn(f"experience cannot be kept in {path} (", warning)
                self.assertIn("is gone when the server stops", warning)
                self.assertEqual(memory.file.path, ":memory:")
                self.decide(memory=memory)
                self.assertEqual(len(memory.retrieve_similar("A drunkard", {})), 1)

    def test_a_silent_one_does_not_warn(self):
        """D2: `silent`."""
        _, warnings = self.opened_badly(self.folder, silent=True)
        self.assertEqual(warnings, [])

    def test_memory_may_be_asked_for(self):
        memory, warnings = self.opened_badly(":memory:")
        self.assertEqual((memory.file.path, warnings), (":memory:", []))

    def test_a_file_of_another_version_is_left_alone(self):
        connection = sqlite3.connect(self.path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        with self.assertRaisesRegex(
            ImproperlyConfigured, "another version.*schema 99, this one reads 1"
        ):
            self.open()

    def test_what_was_kept_is_there_after_closing(self):
        self.decide()
        self.memory.close()
        self.memory = self.open()
        self.assertEqual(self.similar(), ["warn"])


class EmbedderTests(FileTestCase):
    def test_another_embedder_reads_what_one_wrote(self):
        """D8 D9: a model that was missing and is there now, or the other way round."""
        self.decide("A drunk man yells in the pub", "soothe")
        self.memory.store_trajectory("t", "r", 1.0, {})
        for embedder in (SentenceEmbedder(), PlainEmbedder(), Adler32Embedder()):
            with self.subTest(embedder.name):
                self.memory = self.open(embedder=embedder)
                self.assertEqual(self.similar(), ["soothe"])
                self.assertEqual(len(self.memory.retrieve_similar_trajectories("t", {})), 1)
                self.assertEqual(
                    self.memory.file.connection.execute(
                        "SELECT embedder, length(vector) FROM decisions"
                    ).fetchone()[:],
                    (embedder.name, 4 * embedder.dimensions),
                )

    def test_two_with_different_embedders_both_find(self):
        other = self.open(embedder=SentenceEmbedder())
        for number in range(3):
            self.decide(action=f"ours {number}")
            self.decide(action=f"theirs {number}", memory=other)
            for memory in (self.memory, other, self.memory):
                found = memory.retrieve_similar("A drunkard", {}, 10)
                self.assertEqual(len(found), 2 * number + 2)

    def test_many_are_embedded_anew_in_batches(self):
        for number in range(70):
            self.decide(f"Brawl {number}", f"way {number}")
        self.memory = self.open(embedder=PlainEmbedder())
        with mock.patch.object(
            self.memory.file.embedder, "embed", wraps=self.memory.file.embedder.embed
        ) as embed:
            self.assertEqual(len(self.similar(n=100)), 70)
            self.similar()
        # The queries are embedded one by one.
        self.assertEqual([len(call.args[0]) for call in embed.call_args_list], [64, 6, 1, 1])
