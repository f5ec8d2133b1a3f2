"""Semantic memory on a real Postgres with pgvector."""

import subprocess
import sys
import threading
import unittest
from datetime import UTC, datetime
from itertools import count
from unittest import mock

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings, tag

from evennia_ai import scheduling
from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.semantic import base, mem0
from evennia_ai.semantic.facts import Search
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.semantic.postgres import PostgresMemory
from evennia_ai.semantic.stores import postgres_sql
from evennia_ai.semantic.stores.postgres_store import PostgresStore
from tests.processes import ROOT
from tests.semantic import postgres_server
from tests.semantic.cases import PLAIN, PlainEmbedder, SemanticTestCase, count_kept
from tests.semantic.contract import SemanticMemoryContract
from tests.semantic.inflections import InflectionContract
from tests.semantic.postgres_server import PostgresServer
from tests.semantic.test_alike import NearestContract

SCHEMAS = count()

server = None


def setUpModule():  # noqa: N802
    """Start the one server of these tests."""
    if not postgres_server.is_there():
        raise unittest.SkipTest(postgres_server.MISSING)
    global server
    server = PostgresServer()


def tearDownModule():  # noqa: N802
    """Stop it."""
    server.close()


class PostgresTestCase(SemanticTestCase):
    """Each test has a schema of its own."""

    def setUp(self):
        # mem0 writes a file into the folder of the game.
        game = override_settings(GAME_DIR=str(server.folder / "game"))
        game.enable()
        self.addCleanup(game.disable)
        self.schema = f"test_{next(SCHEMAS)}"
        super().setUp()

    def make_memory(self, **options):
        """Return a memory in the schema of the test."""
        options = {"embedder": PLAIN, "schema": self.schema, "dsn": server.dsn, **options}
        return PostgresMemory(**options)

    def make_store(self, embedder=None, **options):
        """Return the store in the schema of the test."""
        store = PostgresStore(
            server.dsn, embedder or PlainEmbedder(), schema=self.schema, **options
        )
        self.addCleanup(store.close)
        return store

    def query(self, sql, *values):
        """Return what the database says."""
        connection = postgres_sql.connect(server.dsn)
        self.addCleanup(connection.close)
        cursor = connection.execute(sql, values)
        return cursor.fetchall() if cursor.description else []

    def found(self, store, query, *, hearers=("ann",), **options):
        """Return the texts that a search finds."""
        hits = store.search(Search.of(query, assistant_key="mara", hearers=hearers, **options))
        return [hit.text for hit in hits]


class ContractTests(SemanticMemoryContract, PostgresTestCase):
    def test_mem0_does_the_work_here_as_well(self):
        self.add("Rain is coming.")
        self.assertIsInstance(self.memory._engine, mem0.Mem0Engine)

    def test_it_is_what_the_settings_name(self):
        """M6: the semantic tier is in a vector database outside of the game."""
        described = {
            "BACKEND": "evennia_ai.semantic.postgres.PostgresMemory",
            "OPTIONS": {"dsn": server.dsn, "schema": self.schema, "embedder": PLAIN},
        }
        with override_settings(EVENNIA_AI={"SEMANTIC": {"default": described}}):
            base.reset()
            added = base.get_memory().add("Hail.", assistant_key="mara", audience="public")
            self.assertEqual(len(self.did(added)), 36)
            self.assertEqual(
                base.describe(),
                f"Long-term memory is kept in the schema {self.schema} of a Postgres database.",
            )
            self.assertEqual(self.texts("hail"), ["Hail."])
            base.reset()

    def test_what_a_metadata_value_equals_in_python_fits_a_filter(self):
        self.add("One.", number=1, deep={"a": 1}, nothing=None)
        for filters, fits in (
            ({"number": 1.0}, True),
            ({"number": [2, 1]}, True),
            ({"number": "1"}, False),
            ({"deep": "a"}, False),
            ({"nothing": None}, False),
        ):
            with self.subTest(filters):
                self.assertEqual(self.texts("one", filters=filters), ["One."] if fits else [])

    def test_nul_and_half_letters_in_metadata_come_back(self):
        odd = {
            "speaker": "a\x00b",
            "source_id": "\ud800",
            "timestamp": "\x00",
            "note": "\x00\ud800",
        }
        id = self.add("Odd.", **odd)
        self.assertEqual(self.did(self.memory.get(id, assistant_key="mara")).metadata, odd)


class LanguageTests(InflectionContract, PostgresTestCase):
    """Finds other forms of the words, in several languages."""


class FilterTests(PostgresTestCase):
    def test_what_one_may_not_know_is_not_even_read(self):
        """The database gives out no row that is not for the ears of all hearers."""
        store = self.make_store()
        for number in range(5):
            self.keep(store, f"Mill {number}.", audience=["mara", "bob"])
            self.keep(store, f"Mill {number}, they say.", source_trust=0.2)
        self.keep(store, "The mill burnt down.", source_trust=0.9)
        given = []
        read = store._told

        def watched(*arguments):
            given.append(read(*arguments))
            return given[-1]

        with mock.patch.object(store, "_told", watched):
            self.found(store, "mill", min_trust=0.5)
        self.assertEqual([len(places) for places, _ in given], [1])

    def test_how_rare_a_word_is_does_not_depend_on_secrets(self):
        store = self.make_store()
        for number in range(4):
            self.keep(store, f"The mill of house {number}.")
        self.keep(store, "The crown lies under the mill.")
        now = datetime(2030, 1, 4, tzinfo=UTC)
        self.enterContext(mock.patch.object(scheduling, "now", return_value=now))

        def scores():
            hits = store.search(Search.of("crown mill", assistant_key="mara", hearers=["ann"]))
            return [(hit.text, hit.score, hit.cosine) for hit in hits]

        before = scores()
        for number in range(30):
            self.keep(store, f"The crown, secret {number}.", audience=["mara", "bob"])
            self.keep(store, f"The crown of npc {number}.", key="otto")
        self.assertEqual(scores(), before)


class FusionTests(PostgresTestCase):
    def lines(self):
        """Yield the lines of a small town, of which some are for few ears."""
        people = ("Ann", "Bob", "Carl")
        things = ("mill", "bridge", "sword", "ale", "harvest", "dragon", "king", "storm", "ford")
        deeds = ("broke", "was sold", "burnt", "came back", "was seen at night", "cost nine coins")
        for number in range(150):
            thing, deed = things[number % 9], deeds[number % 6]
            yield NewMemory(
                text=f"The {thing} of house {number % 13} {deed}, {people[number % 3]} said.",
                audience=["mara", "bob"] if number % 7 == 0 else "public",
                metadata={
                    "speaker": people[number % 3],
                    "source_id": people[number % 3].lower(),
                    "source_trust": 0.3 + number % 5 / 10,
                    "importance": number % 10 + 1,
                    "previous": f"What of the {things[(number + 4) % 9]}?" if number % 4 else "",
                    "timestamp": f"2030-01-{number % 28 + 1:02}T12:{number % 60:02}:00Z",
                },
            )

    def test_it_ranks_as_the_sqlite_store_does(self):
        """The same fusion over the same rows; only how rare a word is, is counted otherwise."""
        embedder = PlainEmbedder()
        ours, sqlite = self.make_store(embedder), super().make_store(embedder)
        for store in (ours, sqlite):
            store.add_all(self.lines(), assistant_key="mara")
        for query in (
            "What did Ann say about the dragon?",
            "the bridge of house 3",
            "What was seen at night on 8 January 2030?",
            "coins for ale",
            "Who broke the sword?",
        ):
            with self.subTest(query):
                options = {"hearers": ["ann"], "names": ["Ann", "Bob"], "limit": 5}
                here, there = (
                    store.search(Search.of(query, assistant_key="mara", **options))
                    for store in (ours, sqlite)
                )
                self.assertEqual(here[0].text, there[0].text)
                shared = {hit.text for hit in here} & {hit.text for hit in there}
                self.assertGreaterEqual(len(shared), 4)
                likeness = {hit.text: round(hit.cosine, 5) for hit in there}
                for hit in here:
                    if hit.text in likeness:
                        self.assertEqual(round(hit.cosine, 5), likeness[hit.text])

    def test_a_line_is_found_by_the_words_of_the_one_before(self):
        store = self.make_store()
        for number in range(8):
            self.keep(store, f"Cheese number {number}.")
        answer = "Yes, twice, with my old aunt and her donkey."
        self.keep(store, answer, previous="Have you been to Samarkand?")
        self.assertEqual(self.found(store, "Samarkand", limit=1), [answer])

    def test_other_forms_of_a_word_are_found_by_it(self):
        store = self.make_store()
        for number in range(8):
            self.keep(store, f"Cheese number {number}.")
        self.keep(store, "Räven jagade två hönor.")
        self.keep(store, "He stopped counting the stolen ponies.")
        self.assertEqual(
            self.found(store, "a stolen pony", limit=1), ["He stopped counting the stolen ponies."]
        )
        self.assertEqual(self.found(store, "RAVEN", limit=1), ["Räven jagade två hönor."])


class SameTests(PostgresTestCase):
    def test_an_update_to_words_that_are_known_keeps_both(self):
        store = self.make_store()
        one, two = self.keep(store, "One."), self.keep(store, "Two.")
        self.assertTrue(store.update(two, "One.", assistant_key="mara"))
        self.assertEqual(count_kept(store), 2)
        self.assertEqual(
            store.get(two, assistant_key="mara").metadata["history"][0]["text"], "Two."
        )
        self.assertEqual(self.keep(store, "One."), one)

    def test_an_audience_of_many_is_no_trouble(self):
        store = self.make_store()
        many = [f"identity-{number:036}" for number in range(500)]
        kept = self.keep(store, "Known to many.", audience=many)
        self.assertEqual(self.keep(store, "Known to many.", audience=many[::-1]), kept)
        self.assertEqual(self.found(store, "known", hearers=many[:100]), ["Known to many."])
        self.assertEqual(self.found(store, "known", hearers=["ann"]), [])


CHILD = """
import sys
from django.conf import settings
settings.configure(EVENNIA_AI={})
from evennia_ai.semantic.stores.postgres_store import PostgresStore
from tests.semantic.cases import PlainEmbedder
store = PostgresStore(sys.argv[1], PlainEmbedder(), schema=sys.argv[2])
for number in range(40):
    text = f"Tale {number} of the sea."
    print(store.add(text, assistant_key="mara", audience="public").event, flush=True)
"""


class TogetherTests(PostgresTestCase):
    def start_child(self):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, server.dsn, self.schema],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(child.stdout.close)
        return child

    def test_two_processes_make_the_tables_and_keep_the_same_once(self):
        children = [self.start_child() for _ in range(2)]
        events = [line for child in children for line in child.stdout.read().split()]
        self.assertEqual([child.wait(300) for child in children], [0, 0])
        self.assertEqual((events.count("added"), events.count("duplicate")), (40, 40))
        store = self.make_store()
        self.assertEqual(count_kept(store), 40)
        self.assertEqual(self.found(store, "Tale 17", limit=1), ["Tale 17 of the sea."])

    def test_what_another_process_changed_is_found_as_it_is_now(self):
        store, other = self.make_store(), self.make_store()
        id = self.keep(store, "The wizard lives here.")
        self.keep(store, "The witch lives there.")
        self.assertEqual(len(self.found(store, "who lives")), 2)
        other.delete(id, assistant_key="mara")
        self.assertEqual(self.found(store, "who lives"), ["The witch lives there."])
        [left] = store.get_all(assistant_key="mara")
        other.update(left.id, "A dragon rules.", assistant_key="mara")
        self.assertEqual(self.found(store, "dragon rules"), ["A dragon rules."])
        self.keep(other, "A giant rules.")
        self.assertEqual(len(self.found(store, "who rules")), 2)

    def test_who_commits_later_has_the_higher_number(self):
        """Or another process, which has read up to the higher one, would never see the lower."""
        first, second, reader = (self.make_store() for _ in range(3))
        writing = threading.Thread(target=self.keep, args=(second, "Second."), daemon=True)
        with first._transaction():
            self.keep(first, "First.")
            writing.start()
            writing.join(0.2)
            self.assertTrue(writing.is_alive())
            self.assertEqual(self.found(reader, "first second"), [])
        writing.join(10)
        self.assertEqual(len(self.found(reader, "first second")), 2)
        rows = self.query(f"SELECT text FROM {self.schema}.facts ORDER BY n")
        self.assertEqual(rows, [("First.",), ("Second.",)])

    def test_eight_threads_lose_nothing(self):
        store = self.make_store()

        def work(number):
            for tale in range(5):
                self.keep(store, f"Thread {number} tells tale {tale}.", key=f"npc{number}")
                store.search(Search.of("tale", assistant_key=f"npc{number}", hearers=[]))

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(count_kept(store, *(f"npc{number}" for number in range(8))), 40)

    def test_a_batch_is_kept_whole_or_not_at_all(self):
        store = self.make_store()
        items = [NewMemory(text=f"{n}.", audience="public", metadata={}) for n in range(3)]
        with (
            mock.patch(
                "evennia_ai.semantic.ranking.ranked.worth", side_effect=[0.5, 0.5, "no number"]
            ),
            self.assertRaises(psycopg.DataError),
        ):
            store.add_all(items, assistant_key="mara")
        self.assertEqual(count_kept(store), 0)
        self.assertEqual(len(store.add_all(items, assistant_key="mara")), 3)


class RestartTests(PostgresTestCase):
    @tag("scenario")
    def test_what_was_kept_outlives_a_crash_and_the_memory_connects_again(self):
        memory = self.make_memory()
        self.addCleanup(memory.close)
        item = {"assistant_key": "mara", "audience": "public"}
        self.successResultOf(memory.add("Before the storm.", **item))
        server.kill()
        failure = self.failureResultOf(memory.add("In the storm.", **item), MemoryUnavailable)
        self.assertIn(f"the schema {self.schema} of a Postgres", failure.getErrorMessage())
        server.start()
        self.successResultOf(memory.add("After the storm.", **item))
        server.kill()
        server.start()
        # The connection broke unseen; nobody is told.
        hits = self.successResultOf(memory.search("storm", assistant_key="mara", hearers=[]))
        self.assertEqual({hit.text for hit in hits}, {"Before the storm.", "After the storm."})

    def test_a_server_that_is_not_there_makes_memory_unavailable(self):
        memory = self.make_memory(dsn=f"host={server.folder} port=1 user=postgres password=s3cret")
        failed = memory.search("x", assistant_key="mara", hearers=[])
        sentence = self.failureResultOf(failed, MemoryUnavailable).getErrorMessage()
        self.assertNotIn("s3cret", sentence + memory.describe())

    def test_it_closes_and_opens_again(self):
        memory = self.make_memory()
        id = self.successResultOf(memory.add("Open.", assistant_key="mara", audience="public"))
        memory.close()
        kept = self.successResultOf(memory.get(id, assistant_key="mara"))
        self.assertEqual(kept.text, "Open.")
        memory.close()


class SetUpTests(PostgresTestCase):
    def test_what_another_embedder_filled_is_embedded_anew_once(self):
        kept = {self.keep(self.make_store(), f"Well {n}.") for n in range(70)}
        other = PlainEmbedder("other")
        other.dimensions = 64
        opened = self.make_store(other)
        self.assertEqual((opened.made_anew, self.make_store(other).made_anew), (70, 0))
        self.assertEqual(self.found(opened, "Well 42", limit=1), ["Well 42."])
        items = opened.get_all(assistant_key="mara")
        self.assertEqual({item.id for item in items}, kept)

    def test_tables_of_another_version_are_left_alone(self):
        self.make_store()
        self.query(f"UPDATE {self.schema}.about SET value = '99' WHERE key = 'version'")
        with self.assertRaisesRegex(
            ImproperlyConfigured, "another version .*schema 99, this one reads 1"
        ):
            self.make_store()

    def test_a_name_that_would_need_quotation_marks_is_refused(self):
        for name in ("My Schema", "x; DROP TABLE y", "", "Ä"):
            with self.subTest(name), self.assertRaises(ImproperlyConfigured):
                postgres_sql.check_schema(name)

    def test_what_the_dsn_says_of_waiting_holds(self):
        connection = postgres_sql.connect(f"{server.dsn} connect_timeout=2")
        self.addCleanup(connection.close)
        given = connection.info.get_parameters()
        self.assertEqual((given["connect_timeout"], given["tcp_user_timeout"]), ("2", "30000"))


class PgvectorTests(PostgresTestCase):
    """Each in a database without pgvector."""

    def make_database(self, *, owner):
        name = f"bare_{next(SCHEMAS)}"
        if not self.query("SELECT 1 FROM pg_roles WHERE rolname = 'poor'"):
            self.query("CREATE ROLE poor LOGIN")
        self.query(f"CREATE DATABASE {name} OWNER {owner}")
        return f"host={server.folder} user={owner} dbname={name}"

    def refused(self, dsn):
        memory = self.make_memory(dsn=dsn)
        failed = memory.search("x", assistant_key="mara", hearers=[])
        sentence = self.failureResultOf(failed, MemoryUnavailable).getErrorMessage()
        return sentence.removeprefix(f"semantic memory in {memory.place}: ")

    def test_a_user_who_may_not_add_it_is_told_who_may(self):
        dsn = self.make_database(owner="poor")
        self.assertEqual(
            self.refused(dsn),
            f"the database {dsn.rpartition('=')[2]} has no pgvector yet, and its user may not add "
            "it: let a superuser of Postgres run CREATE EXTENSION vector; there.",
        )

    def test_a_server_without_it_is_told_to_get_it(self):
        control = server.extension("vector")
        away = control.with_suffix(".away")
        dsn = self.make_database(owner="postgres")
        control.rename(away)
        self.addCleanup(away.rename, control)
        self.assertIn("a Postgres server without pgvector: install it there", self.refused(dsn))

    def test_a_user_who_may_makes_everything(self):
        dsn = self.make_database(owner="postgres")
        memory = self.make_memory(dsn=dsn)
        self.addCleanup(memory.close)
        self.assertEqual(
            self.successResultOf(memory.search("x", assistant_key="mara", hearers=[])), []
        )


class NearestTests(NearestContract, PostgresTestCase):
    """The nights ask for it, as they link what belongs together."""
