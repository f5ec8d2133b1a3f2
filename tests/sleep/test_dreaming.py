"""Tests of dreaming: memories that are alike are linked, and what is gone is cut off."""

import inspect
import shutil
import tempfile
from unittest import mock

from django.db import DatabaseError

from evennia_ai.memory import identity, links
from evennia_ai.semantic import base, mem0, memory_thread
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import dreaming
from tests.memory_double import MemoryDouble
from tests.semantic.cases import PLAIN
from tests.sleep.cases import SleepTestCase

NOTHING = {"processed": 0, "links": 0, "swept": 0}


class DreamTestCase(SleepTestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        self.key = identity.identity_of(self.npc)
        self.memory = self.make_memory()
        base.install("default", self.memory)

    def make_memory(self):
        memory = MemoryDouble()
        memory.scale = {"relevant": 0.2, "alike": 0.5}
        return memory

    def remember(self, text, *, audience="public", **metadata):
        """Keep a memory and return its id; each is a minute newer than the last."""
        self.clock.advance(60)
        return self.successResultOf(
            self.memory.add(text, assistant_key=self.key, audience=audience, metadata=metadata)
        )

    def dream(self, **options):
        return self.successResultOf(dreaming.run_dreaming_tick(self.script, self.npc, **options))

    def prune(self):
        return self.outcome(dreaming.prune_orphaned_memory_links(self.script))

    def linked(self):
        """Return {id: [ids]} of all links."""
        return {
            memory: [link.id for link in kept.linked_to]
            for memory, kept in links.memory_links(self.script).items()
        }


class LinkTests(DreamTestCase):
    def test_five_memories_a_tick_the_newest_first(self):
        """M26 M40: the signature of the source, and five of those that were not looked at."""
        signature = inspect.signature(dreaming.run_dreaming_tick)
        self.assertEqual(str(signature), "(script: 'Any', character: 'Any', batch_size: 'int' = 5)")
        ids = [self.remember(f"River {number} floods.") for number in range(7)]
        self.assertEqual(self.dream()["processed"], 5)
        self.assertEqual(set(self.linked()), set(ids[2:]))
        self.assertEqual(self.dream()["processed"], 2)
        self.assertEqual(self.dream(), NOTHING)
        self.assertEqual(set(self.linked()), set(ids))

    def test_memories_that_are_alike_are_linked_both_ways(self):
        """M41 M42: {"linked_to": [{"id", "score"}], "processed_at"} by the id of the memory."""
        mill = self.remember("The old mill burned.")
        again = self.remember("The old mill burned down.")
        rain = self.remember("It rains upon the moor.")
        self.assertEqual(self.dream()["processed"], 3)
        self.assertEqual(self.linked(), {mill: [again], again: [mill], rain: []})
        kept = self.script.memory_links[mill]
        self.assertEqual(kept["processed_at"], "2030-03-17T17:49:40.000Z")
        [link] = kept["linked_to"]
        self.assertTrue(0.5 <= link["score"] <= 1, link)

    def test_the_threshold_is_that_of_the_embedder_else_that_of_the_source(self):
        """M41 C-23: 0.7 where nothing was measured."""
        for scale, one, another, expected in (
            ({"alike": 0.2}, "The old mill burned.", "The new mill of the miller stands.", True),
            ({"alike": 0.9}, "The old mill burned.", "The new mill of the miller stands.", False),
            # Alike by 0.68, and by 0.701.
            ({}, "Rain floods the mill and the bridge.", "Rain floods the old mill.", False),
            (
                {},
                "The old mill by the river burned down.",
                "The old mill and the bakery burned down.",
                True,
            ),
        ):
            with self.subTest(scale, one=one):
                self.memory.facts.clear()
                self.memory.scale = scale
                first, second = self.remember(one), self.remember(another)
                self.dream()
                self.assertEqual(second in self.linked()[first], expected)

    def test_a_whisper_leads_to_what_all_know_and_never_the_other_way(self):
        """C-44."""
        whisper = [self.key, "ann"]
        secret = self.remember("The old mill hides gold.", audience=whisper)
        known = self.remember("The old mill hides nothing.")
        other = self.remember("The old mill hides gold, too.", audience=[self.key, "bo"])
        self.dream()
        self.assertEqual(self.linked(), {secret: [known], known: [], other: [known]})

    def test_what_is_new_finds_what_is_old(self):
        first = self.remember("The old mill burned.")
        self.dream()
        second = self.remember("The old mill burned down.")
        self.assertEqual(self.dream()["processed"], 1)
        self.assertEqual(self.linked(), {first: [second], second: [first]})

    def test_another_assistant_has_links_of_its_own(self):
        self.successResultOf(
            self.memory.add("The mill burned.", assistant_key="other", audience="public")
        )
        mine = self.remember("The mill burned.")
        self.dream()
        self.assertEqual(self.linked(), {mine: []})

    def test_a_memory_that_cannot_be_read_is_an_error_and_no_end(self):
        self.remember("The old mill burned.")
        self.memory.fail_with = MemoryUnavailable("it is closed")
        self.assertEqual(self.dream(), {**NOTHING, "error": "it is closed"})
        self.memory.fail_with = None
        self.assertEqual(self.dream()["processed"], 1)


class SweepTests(DreamTestCase):
    def setUp(self):
        super().setUp()
        self.patch(dreaming, "PAGE", 4)
        self.patch(dreaming, "LOOKS", 2)

    def test_old_memories_that_were_never_looked_at_are_found_in_the_end(self):
        ids = [self.remember(f"River {number} floods.") for number in range(30)]
        ticks = 0
        while any(self.dream().values()):
            ticks += 1
            self.assertLess(ticks, 30)
        self.assertEqual(set(self.linked()), set(ids))

    def test_what_a_killed_server_did_not_get_to_is_found_in_the_same_night(self):
        ids = [self.remember(f"River {number} floods.") for number in range(30)]
        for _ in range(4):
            self.dream()
            with mock.patch.object(links, "save_links", side_effect=DatabaseError("killed")):
                dreamt = dreaming.run_dreaming_tick(self.script, self.npc)
                self.failureResultOf(dreamt, DatabaseError)
        while any(self.dream().values()):
            pass
        self.assertEqual(set(self.linked()), set(ids))

    def test_it_rests_when_all_is_linked(self):
        for number in range(10):
            self.remember(f"River {number} floods.")
        while any(self.dream().values()):
            pass
        asked = []
        get_all = self.memory.get_all
        self.patch(
            self.memory, "get_all", lambda **kwargs: asked.append(kwargs) or get_all(**kwargs)
        )
        self.assertEqual(self.dream(), NOTHING)
        self.assertEqual([one.get("offset", 0) for one in asked], [0])

    def test_what_is_imported_with_old_dates_is_found_once_something_new_is_there(self):
        for number in range(10):
            self.remember(f"River {number} floods.")
        while any(self.dream().values()):
            pass
        old = self.remember("The old war.", timestamp="1990-01-01T00:00:00.000Z")
        self.remember("River 11 floods.")
        while any(self.dream().values()):
            pass
        self.assertIn(old, self.linked())


class ManyTests(DreamTestCase):
    """A mind keeps the links of the newest memories."""

    def setUp(self):
        super().setUp()
        self.patch(dreaming, "LINKED", 6)
        self.patch(dreaming, "PAGE", 2)

    def test_the_links_of_old_memories_go_and_what_leads_to_them_stays(self):
        old = [self.remember(f"The old mill burned {number}.") for number in range(2)]
        while any(self.dream().values()):
            pass
        new = [self.remember(f"The old mill burned again {number}.") for number in range(6)]
        while any(self.dream().values()):
            pass
        self.assertEqual(self.prune()["removed"], 2)
        self.assertEqual(self.prune(), {"removed": 0})
        linked = self.linked()
        self.assertEqual(set(linked), set(new))
        self.assertTrue({one for found in linked.values() for one in found} & set(old))

    def test_what_was_old_from_the_first_is_not_looked_at(self):
        ids = [self.remember(f"River {number} floods.") for number in range(30)]
        while any(self.dream().values()):
            pass
        self.assertEqual(set(self.linked()), set(ids[-6:]))


class PruneTests(DreamTestCase):
    def test_links_to_what_is_gone_are_cut(self):
        """M27: as a memory and as a target."""
        mill = self.remember("The old mill burned.")
        again = self.remember("The old mill burned down.")
        self.dream()
        self.successResultOf(self.memory.delete(mill, assistant_key=self.key))
        self.assertEqual(self.prune(), {"removed": 2})
        self.assertEqual(self.linked(), {again: []})
        self.assertEqual(self.prune(), {"removed": 0})

    def test_nothing_is_cut_when_memory_is_off_or_out_of_reach(self):
        mill = self.remember("The old mill burned.")
        self.dream()
        self.memory.fail_with = MemoryUnavailable("it is closed")
        self.assertEqual(self.prune(), {"removed": 0, "error": "it is closed"})
        base.install("default", base.Off())
        self.assertEqual(self.prune(), {"removed": 0})
        self.assertEqual(self.linked(), {mill: []})

    def test_pages_that_a_killed_server_did_not_clear_are_cleared_in_the_same_round(self):
        for number in range(20):
            links.save_links(self.script, {f"gone {number}": []})
        self.patch(dreaming, "CHECKED", 5)
        with mock.patch.object(links, "remove_links", side_effect=DatabaseError("killed")):
            pruning = dreaming.prune_orphaned_memory_links(self.script)
            self.failureResultOf(pruning, DatabaseError)
        self.assertEqual(sum(self.prune()["removed"] for _ in range(4)), 20)

    def test_it_goes_through_them_some_at_a_time(self):
        self.patch(dreaming, "CHECKED", 5)
        ids = [self.remember(f"River {number} floods.") for number in range(20)]
        while any(self.dream().values()):
            pass
        for one in ids:
            self.successResultOf(self.memory.delete(one, assistant_key=self.key))
        # Which of them stand on one page is left to chance.
        removed = list(iter(lambda: self.prune()["removed"], 0))
        self.assertGreaterEqual(len(removed), 2)
        self.assertEqual(self.linked(), {})


class StoredTests(DreamTestCase):
    """On the real store, whose scale is known once it was used."""

    def make_memory(self):
        folder = tempfile.mkdtemp(prefix="evennia-ai-dreams-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        self.addCleanup(base.reset)
        return mem0.Mem0Memory(path=f"{folder}/memory.db3", embedder=PLAIN)

    def test_alike_memories_are_linked(self):
        mill = self.remember("The old mill burned to the ground.")
        again = self.remember("Tom saw how the mill burned at night.")
        rain = self.remember("Rain falls.")
        self.dream()
        self.assertEqual(self.linked(), {mill: [again], again: [mill], rain: []})

    def test_lines_that_begin_with_her_name_are_not_linked_for_that(self):
        self.memory.close()
        self.memory = mem0.Mem0Memory(path=str(self.memory.path))
        base.install("default", self.memory)
        self.npc.key = "Mara"
        for line in (
            "Mara, the bridge is closed.",
            "Mara, my daughter sings.",
            "Mara, wool is dear.",
            "Mara, a comet fell.",
            "Mara, pay the baker.",
            "Mara, my boot leaks.",
        ):
            self.remember(line, speaker="Ann")
        while self.dream()["processed"]:
            pass
        self.assertEqual(list(self.linked().values()), [[]] * 6)
