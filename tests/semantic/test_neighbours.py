"""Tests of what a memory that was found leads to."""

from msgspec import structs

from evennia_ai.core.records import Link
from evennia_ai.memory import links
from evennia_ai.semantic import base
from evennia_ai.semantic.ranking import retrieve
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts
from tests.found_memories import hit
from tests.memory_double import MemoryDouble


class NeighbourTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.script = scripts.find(minds.make_assistant("Mara", location=self.room1))
        self.memory = MemoryDouble()
        base.install("default", self.memory)

    def remember(self, text, *, audience="public"):
        return self.successResultOf(self.memory.add(text, assistant_key="mara", audience=audience))

    def link(self, source, *targets):
        found = [Link(id=id, score=score) for id, score in targets]
        links.save_links(self.script, {source: found})

    def found(self, *hits, hearers=("ann",)):
        memories = [
            structs.replace(
                self.successResultOf(self.memory.get(id, assistant_key="mara")), score=score
            )
            for id, score in hits
        ]
        done = retrieve.with_neighbours(
            self.script, memories, assistant_key="mara", hearers=hearers
        )
        return [(item.text, item.score) for item in self.successResultOf(done)]

    def test_what_is_linked_comes_after_what_was_found(self):
        mill, fire = self.remember("The mill burned."), self.remember("Tom lost his grain.")
        self.link(mill, (fire, 0.5))
        self.assertEqual(
            self.found((mill, 0.5)), [("The mill burned.", 0.5), ("Tom lost his grain.", 0.2)]
        )

    def test_what_was_found_anyway_is_there_once(self):
        mill, fire = self.remember("The mill burned."), self.remember("Tom lost his grain.")
        self.link(mill, (fire, 0.5))
        self.assertEqual(len(self.found((mill, 0.5), (fire, 0.4))), 2)

    def test_what_a_hearer_may_not_know_has_no_part_in_it(self):
        """C-44: whoever may know is asked before the best are chosen."""
        mill = self.remember("The mill burned.", audience=["mara", "ann", "bo"])
        secret = self.remember("Tom set fire to it.", audience=["mara", "ann"])
        rain = self.remember("It rained that day.")
        self.link(mill, (secret, 0.9), (rain, 0.5))
        self.patch(retrieve, "BROUGHT", 1)
        self.assertEqual(
            [text for text, _ in self.found((mill, 1.0), hearers=["bo"])],
            ["The mill burned.", "It rained that day."],
        )
        self.assertEqual(
            [text for text, _ in self.found((mill, 1.0), hearers=["ann"])],
            ["The mill burned.", "Tom set fire to it."],
        )

    def test_what_is_gone_is_passed_over(self):
        mill, rain = self.remember("The mill burned."), self.remember("It rained that day.")
        self.link(mill, ("gone", 0.9), (rain, 0.5))
        self.assertEqual([text for text, _ in self.found((mill, 1.0))][1:], ["It rained that day."])

    def test_a_link_is_for_the_ears_of_what_it_is_from(self):
        mill, rain = self.remember("The mill burned."), self.remember("It rained that day.")
        link = Link(id=rain, score=0.9, audience=["bo"])
        links.save_links(self.script, {mill: [link]})
        self.assertEqual(len(self.found((mill, 1.0))), 1)
        self.assertEqual(len(self.found((mill, 1.0), hearers=["bo"])), 2)

    def test_without_links_it_asks_nothing(self):
        mill = self.remember("The mill burned.")
        self.patch(self.memory, "get", lambda *args, **kwargs: self.fail("asked"))
        hits = [hit(mill, score=0.5)]
        done = retrieve.with_neighbours(self.script, hits, assistant_key="mara", hearers=["ann"])
        self.assertEqual(self.successResultOf(done), hits)
