"""Tests of the store that are about its file: crashes, threads, processes, traces, embedders."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from unittest import mock

from django.core.exceptions import ImproperlyConfigured
from django.test import tag
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.semantic.facts import Search
from evennia_ai.semantic.stores.store import Store
from tests.processes import ROOT
from tests.semantic.cases import PlainEmbedder, SemanticTestCase, count_kept

CHILD = """
import sys
from django.conf import settings
settings.configure(EVENNIA_AI={})
from evennia_ai.semantic.ranking import fusion
from evennia_ai.semantic.stores.store import Store
from tests.semantic.cases import PlainEmbedder
store = Store(sys.argv[1], PlainEmbedder())
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    text = f"Tale {number} of the sea."
    store.add(text, assistant_key="mara", audience="public", metadata={})
    print(number, flush=True)
"""


class FileTestCase(SemanticTestCase):
    def start_child(self, first, last):
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(self.path), str(first), str(last)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stdout.close)
        return process

    def found(self, store, query, *, hearers=("ann",), **options):
        hits = store.search(Search.of(query, assistant_key="mara", hearers=hearers, **options))
        return [hit.text for hit in hits]

    def all_bytes(self):
        return b"".join(path.read_bytes() for path in self.folder.iterdir())


class CrashTests(FileTestCase):
    @tag("scenario")
    def test_what_was_stored_outlives_a_kill(self):
        told, first = set(), 0
        for _ in range(5):
            child = self.start_child(first, first + 100_000)
            for _ in range(20):
                told.add(int(child.stdout.readline()))
            child.send_signal(signal.SIGKILL)
            child.wait()
            # What it had printed when it died.
            told.update(
                int(line) for line in child.stdout.read().splitlines(True) if line[-1] == "\n"
            )
            first = max(told) + 1
        store = self.make_store(PlainEmbedder())
        kept = {item.text for item in store.get_all(assistant_key="mara", limit=100_000)}
        self.assertGreaterEqual(len(told), 100)
        self.assertEqual({f"Tale {number} of the sea." for number in told} - kept, set())
        [[check]] = store._connection.execute("PRAGMA integrity_check")
        self.assertEqual(check, "ok")
        self.assertEqual(
            self.found(store, f"Tale {min(told)}", limit=1), [f"Tale {min(told)} of the sea."]
        )

    def test_a_batch_is_kept_whole_or_not_at_all(self):
        store = self.make_store()
        items = [NewMemory(text=f"{n}.", audience="public", metadata={}) for n in range(3)]
        broken = [*items, structs.replace(items[0], audience="nobody")]
        with self.assertRaises(ValueError):
            store.add_all(broken, assistant_key="mara")
        self.assertEqual(count_kept(store), 0)
        self.assertEqual(len(store.add_all(items, assistant_key="mara")), 3)


def public(texts, audience="public"):
    """Return memories of these words."""
    return [NewMemory(text=text, audience=audience, metadata={}) for text in texts]


class OrderTests(FileTestCase):
    def order(self, **of_bob):
        """Return who comes first: what Kit brews is trusted and fresh, and what Sam brews is not."""
        store = self.make_store()
        fresh = {"source_trust": 0.9, "timestamp": "2030-01-03T00:00:00Z"}
        # The later one would come first of two that score alike.
        self.keep(store, "Ale is brewed by Kit.", **fresh)
        self.keep(store, "Ale is brewed by Sam.", **{**fresh, **of_bob})
        with mock.patch.object(scheduling, "now", return_value=datetime(2030, 1, 4, tzinfo=UTC)):
            return [text[17:] for text in self.found(store, "Who is it that brewed ale?")]

    def test_of_two_that_fit_alike_the_more_trusted_comes_first(self):
        self.assertEqual(
            self.order(source_trust=0.1, timestamp="2030-01-03T04:00:00Z"), ["Kit.", "Sam."]
        )

    def test_of_two_that_fit_alike_the_fresher_comes_first(self):
        self.assertEqual(self.order(timestamp="2030-01-01T00:00:00Z"), ["Kit.", "Sam."])


class TogetherTests(FileTestCase):
    def test_eight_threads_lose_nothing(self):
        store, errors = self.make_store(), []

        def work(number):
            try:
                for tale in range(15):
                    id = self.keep(store, f"Thread {number} tells tale {tale}.", key=f"npc{number}")
                    hits = store.search(
                        Search.of(f"tale {tale}", assistant_key=f"npc{number}", hearers=[])
                    )
                    assert id in {hit.id for hit in hits}
                    assert all(f"Thread {number} " in hit.text for hit in hits)
            except (sqlite3.Error, AssertionError, ValueError) as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(
            (errors, count_kept(store, *(f"npc{number}" for number in range(8)))), ([], 120)
        )

    def test_two_threads_keep_the_same_once(self):
        store, ids = self.make_store(), []
        threads = [
            threading.Thread(target=lambda: ids.append(self.keep(store, "Same.")), daemon=True)
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual((len(ids), len(set(ids)), count_kept(store)), (8, 1, 1))

    def test_a_second_process_reads_and_writes_the_same_file(self):
        store = self.make_store()
        self.keep(store, "Ours before.")
        self.assertEqual(self.found(store, "tale sea"), ["Ours before."])
        child = self.start_child(0, 20)
        for number in range(20):
            self.keep(store, f"Ours {number}.")
        self.assertEqual(child.wait(300), 0)
        self.assertEqual(count_kept(store), 41)
        # Also those whose vectors were not there when it looked first.
        self.assertEqual(self.found(store, "Tale 17", limit=1), ["Tale 17 of the sea."])

    def test_what_another_process_deleted_is_not_found(self):
        store, other = self.make_store(), self.make_store()
        id = self.keep(store, "The wizard lives here.")
        self.keep(store, "The witch lives there.")
        self.assertEqual(len(self.found(store, "who lives")), 2)
        other.delete(id, assistant_key="mara")
        self.assertEqual(self.found(store, "who lives"), ["The witch lives there."])
        other.update(
            store.get_all(assistant_key="mara")[0].id, "A dragon rules.", assistant_key="mara"
        )
        self.assertEqual(self.found(store, "dragon rules"), ["A dragon rules."])


class ManyTests(FileTestCase):
    def test_an_assistant_finds_its_own_among_a_hundred(self):
        store = self.make_store()
        for npc in range(100):
            told = (f"The ale of house {npc} costs {n}." for n in range(4))
            store.add_all(public(told), assistant_key=f"npc{npc}")
        for npc in (0, 50, 99):
            hits = store.search(
                Search.of("What costs the ale?", assistant_key=f"npc{npc}", hearers=[], limit=4)
            )
            self.assertEqual(len(hits), 4)
            self.assertTrue(all(f"house {npc} " in hit.text for hit in hits))

    def test_a_thousand_memories_are_searched_quickly(self):
        store = self.make_store()
        tales = (f"Tale {n} of knight {n % 7}." for n in range(1000))
        store.add_all(public(tales), assistant_key="mara")
        self.found(store, "knight")
        begun = time.process_time()
        self.assertEqual(self.found(store, "Tale 500", limit=1), ["Tale 500 of knight 3."])
        self.assertLess(time.process_time() - begun, 0.5)

    def steps(self, many):
        """Return how many steps SQLite takes for what a turn and a night ask of so many memories."""
        store, steps = self.make_store(), []
        for ears in ("public", ["ann"], ["bo"]):
            told = (
                f"Tale {n} of {ears} and of {'knight' if n < 9 else 'miller'} {n % 7}."
                for n in range(many)
            )
            store.add_all(public(told, ears), assistant_key="mara")
        self.found(store, "knight")
        store._connection.set_progress_handler(lambda: steps.append(1) and None, 1)
        for number in range(3):
            self.keep(store, f"Something new: {number} kites.")
            self.assertEqual(len(self.found(store, "Which knight?", limit=9)), 9)
            alike = store.alike(
                Search.of("Tale 7 of knight 0.", hearers=["ann"], limit=9, assistant_key="mara")
            )
            self.assertEqual(len(alike), 9)
        store._connection.set_progress_handler(None, 1)
        store.delete_scope(assistant_key="mara")
        return len(steps)

    def test_what_is_asked_of_the_file_does_not_grow_with_what_is_in_it(self):
        few = self.steps(30)
        self.assertLess(self.steps(300), 1.5 * few)

    def test_one_that_is_forgotten_costs_no_reading_of_the_others(self):
        store = self.make_store()
        ids = [self.keep(store, f"Tale {number} of the sea.") for number in range(3)]
        self.found(store, "tale")
        with mock.patch.object(store, "_minds", wraps=store._minds) as owned:
            store.delete(ids[0], assistant_key="mara")
            self.assertEqual(
                self.found(store, "Tale 0 of the sea", limit=3),
                ["Tale 2 of the sea.", "Tale 1 of the sea."],
            )
            self.assertEqual(owned.drop.call_count, 0)
            store.delete_scope(assistant_key="mara")
            self.assertEqual(owned.drop.call_count, 1)
        self.assertEqual(self.found(store, "tale"), [])


class TraceTests(FileTestCase):
    def test_nothing_is_left_of_what_is_forgotten(self):
        store = self.make_store()
        self.keep(store, "The butler adores marzipan.", source_id="ann", note="quicksilver")
        self.keep(store, "The cook bakes bread.", source_id="bob")
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for word in (b"marzipan", b"quicksilver", b"marzipan"[:6]):
            self.assertIn(word, self.all_bytes())
        self.assertEqual(store.delete_scope(source_id="ann"), 1)
        for word in (b"marzipan", b"quicksilver", b"butler"):
            self.assertNotIn(word, self.all_bytes())
        self.assertIn(b"bread", self.all_bytes())


class RankingTests(FileTestCase):
    def test_a_line_is_found_by_the_words_of_the_one_before(self):
        store = self.make_store()
        for number in range(8):
            self.keep(store, f"Yes, {number}.")
        self.keep(store, "Yes, twice.", previous="Have you been to Samarkand?")
        self.assertEqual(self.found(store, "Samarkand", limit=1), ["Yes, twice."])
        [hit] = store.search(Search.of("Samarkand", assistant_key="mara", hearers=[], limit=1))
        self.assertEqual(hit.metadata["previous"], "Have you been to Samarkand?")

    def test_what_holds_the_kind_of_thing_that_is_asked_for_comes_first(self):
        store = self.make_store()
        tales = (
            "The mill burned down, and nobody knows why.",
            "The mill burned down last winter.",
            "The mill was burned down by Skorvald.",
        )
        for text in (*tales, *(f"Tale {number} of the sea." for number in range(80))):
            store.add(text, assistant_key="mara", audience="public", metadata={})
        for query, first in (
            ("When did the mill burn down?", tales[1]),
            ("Who burned down the mill?", tales[2]),
        ):
            found = store.search(Search.of(query, assistant_key="mara", hearers=["ann"], limit=3))
            self.assertEqual(found[0].text, first)
            self.assertEqual(len(found), 3)
            self.assertEqual(sorted(found, key=lambda one: -one.score), found)

    def test_scores_are_numbers_from_0_to_1_also_of_one_memory_or_equal_ones(self):
        store = self.make_store()
        self.keep(store, "Alike.", importance=float("inf"))
        for count in (1, 3):
            hits = store.search(Search.of("Alike?", assistant_key="mara", hearers=[]))
            self.assertEqual(len(hits), count)
            for hit in hits:
                self.assertTrue(0 <= hit.score <= 1 and 0 <= hit.cosine <= 1, hit)
            self.keep(store, "Alike!")
            self.keep(store, "Alike…")

    def test_the_order_is_the_same_each_time(self):
        store = self.make_store()
        for number in range(20):
            self.keep(store, "Alike.", source_id=str(number), timestamp="2030-01-01T00:00:00Z")
        first, second = (
            [hit.id for hit in store.search(Search.of("Alike", assistant_key="mara", hearers=[]))]
            for _ in range(2)
        )
        self.assertEqual(first, second)

    def test_the_same_short_words_of_two_moments_are_two_memories(self):
        store = self.make_store()
        kept = [
            self.keep(store, "Yes, exactly!", speaker="Ann", previous=previous)
            for previous in ("Is the bridge safe?", "Is the king dead?", "Is the bridge safe?")
        ]
        self.assertEqual((len(set(kept)), kept[0], count_kept(store)), (2, kept[2], 2))

    def test_a_fact_that_is_told_twice_is_one_memory(self):
        store = self.make_store()
        first = self.keep(store, "The mill burnt down.", timestamp="2030-01-01T00:00:00Z")
        second = self.keep(store, "The mill burnt down.", timestamp="2030-02-01T00:00:00Z")
        self.assertEqual((first, count_kept(store)), (second, 1))

    def test_a_secret_changes_no_score_of_the_words(self):
        store = self.make_store()
        self.keep(store, "I fear escalators.")
        now = datetime(2030, 1, 4, tzinfo=UTC)
        self.enterContext(mock.patch.object(scheduling, "now", return_value=now))
        [before] = store.search(Search.of("fear", assistant_key="mara", hearers=["ann"]))
        for number in range(9):
            self.keep(store, f"Fear number {number}, a secret.", audience=["bob", "mara"])
        [after] = store.search(Search.of("fear", assistant_key="mara", hearers=["ann"]))
        self.assertEqual((before.id, before.score), (after.id, after.score))

    def test_whose_words_are_asked_for_is_known_of_those_who_spoke_openly(self):
        store = self.make_store()
        self.keep(store, "The mill burned down.", speaker="Bo")
        self.keep(store, "I stole it.", speaker="Grisk", audience=["grisk"])
        asked = Search.of("What did Bo tell Grisk?", assistant_key="mara", hearers=["ann"])
        self.assertEqual(store.naming(asked).names, ("Bo",))

    def test_an_update_to_words_that_are_known_keeps_both(self):
        store = self.make_store()
        one, two = self.keep(store, "One."), self.keep(store, "Two.")
        self.assertTrue(store.update(two, "One.", assistant_key="mara"))
        self.assertEqual(count_kept(store), 2)
        self.assertEqual(
            store.get(two, assistant_key="mara").metadata["history"][0]["text"], "Two."
        )
        self.assertEqual(self.keep(store, "One."), one)


class EmbedderTests(FileTestCase):
    def test_what_another_embedder_filled_is_embedded_anew_once(self):
        store = self.make_store()
        kept = {self.keep(store, f"Well {number} is deep.") for number in range(70)}
        store.close()
        other = PlainEmbedder("other")
        other.dimensions = 64
        opened = self.make_store(other)
        self.assertEqual(opened.made_anew, 70)
        self.assertEqual(self.found(opened, "Well 42", limit=1), ["Well 42 is deep."])
        self.assertEqual({item.id for item in opened.get_all(assistant_key="mara")}, kept)
        self.assertEqual(self.make_store(other).made_anew, 0)

    def test_a_file_without_an_index_of_words_gets_one(self):
        store = self.make_store()
        self.keep(store, "The well is deep.")
        store._connection.execute("DROP TABLE words")
        store._connection.execute(
            "UPDATE about SET value = json_remove(value, '$.words') WHERE key = 'embedder'"
        )
        store.close()
        opened = self.make_store()
        self.assertEqual(opened.made_anew, 1)
        self.assertEqual(list(opened._having("mara", ["deep"])), ["deep"])

    def test_a_file_of_another_version_is_left_alone(self):
        self.make_store()._connection.execute("PRAGMA user_version = 99")
        with self.assertRaisesRegex(
            ImproperlyConfigured, "another version .*schema 99, this one reads 1"
        ):
            Store(self.path, PlainEmbedder())
