"""Tests of the links between memories, as they are stored."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from evennia_ai.core.records import Link
from evennia_ai.core.states import LinksProgress
from evennia_ai.domain.sleeping import link_rules as linking
from evennia_ai.memory import kinds, links, repository
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts
from tests.found_memories import hit


def link(id, score=0.9, audience="public"):
    return Link(id=id, score=score, audience=audience)


class LinkTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        self.script = scripts.find(minds.make_assistant("Mara", location=self.room1))

    def stored(self):
        return own_attributes.rows(self.script).filter(db_category="memory_links")


class SaveTests(LinkTestCase):
    def test_a_memory_keeps_its_links_and_when_they_were_looked_for(self):
        """M42 M59: the shape of the source, on the script."""
        links.save_links(self.script, {"m1": [link("m2", 0.82)]})
        expected = {
            "m1": {
                "linked_to": [{"id": "m2", "score": 0.82}],
                "processed_at": "2030-03-17T17:46:40.000Z",
            }
        }
        self.assertEqual(self.script.memory_links, expected)

    def test_a_link_of_the_night_is_stored_as_ever_if_it_is_for_everybody(self):
        found = linking.select_links(hit("m1"), [hit("m2", cosine=0.82)], threshold=0.7)
        links.save_links(self.script, {"m1": found})
        [text] = self.stored().values_list("db_strvalue", flat=True)
        self.assertIn('"linked_to":[{"id":"m2","score":0.82}]', text)

    def test_a_link_that_is_not_for_everybody_says_for_whom(self):
        whispered = link("m2", audience=["ann", "me"])
        links.save_links(self.script, {"m1": [whispered]})
        self.assertEqual(
            self.script.memory_links["m1"]["linked_to"],
            [{"id": "m2", "score": 0.9, "audience": ["ann", "me"]}],
        )
        own_attributes.drop_cached(self.script)
        self.assertEqual(links.linked(self.script, ["m1"]), {"m1": [whispered]})

    def test_what_is_returned_is_detached(self):
        links.save_links(self.script, {"m1": [link("m2")]})
        links.memory_links(self.script)["m1"].linked_to.clear()
        links.linked(self.script, ["m1"])["m1"].clear()
        self.assertEqual(links.linked(self.script, ["m1"]), {"m1": [link("m2")]})

    def test_a_memory_without_links_was_looked_at_all_the_same(self):
        links.save_links(self.script, {"m1": []})
        self.assertEqual(links.linked(self.script, ["m1", "m2"]), {"m1": []})

    def test_the_way_back_is_added_to_what_was_looked_at_before(self):
        links.save_links(self.script, {"m1": [link("m0", 0.5)]})
        back = [("m1", link("m2", 0.8)), ("unknown", link("m2", 0.8))]
        links.save_links(self.script, {"m2": [link("m1", 0.8)]}, back=back)
        self.assertEqual(
            links.linked(self.script, ["m1", "m2", "unknown"]),
            {"m1": [link("m2", 0.8), link("m0", 0.5)], "m2": [link("m1", 0.8)]},
        )

    def test_the_page_of_a_neighbour_that_was_not_looked_at_is_not_made(self):
        neighbours = [f"n{number}" for number in range(5)]
        found = {"m1": [link(one) for one in neighbours]}
        own_attributes.drop_cached(self.script)
        with CaptureQueriesContext(connection) as queries:
            links.save_links(self.script, found, back=[(one, link("m1")) for one in neighbours])
        asked = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
        self.assertEqual(len(asked), 1, asked)
        self.assertEqual(self.stored().count(), 1)
        self.assertEqual(links.next_pages(self.script, memories=1)[1], {"m1": neighbours})

    def test_many_are_found_by_one_question_to_the_database(self):
        links.save_links(self.script, {f"memory {number}": [link("m2")] for number in range(60)})
        names = [f"memory {number}" for number in range(50)]
        with self.assertNumQueries(1):
            found = links.linked(self.script, [*names, "memory 99"])
        self.assertEqual(found, {name: [link("m2")] for name in names})

    def test_as_many_memories_as_have_links_lie_on_few_small_pages(self):
        found = {f"memory {number}": [link("m2")] for number in range(500)}
        links.save_links(self.script, found)
        pages = [len(page) for page in repository.load_all(self.script, kinds.LINKS).values()]
        self.assertEqual((sum(pages), len(pages)), (500, 16))
        self.assertLess(max(pages), 50)
        self.assertEqual(len(self.script.memory_links), 500)


class PruneTests(LinkTestCase):
    def setUp(self):
        super().setUp()
        for number in range(40):
            links.save_links(self.script, {f"m{number}": [link("a"), link("b")]})

    def test_pages_take_turns(self):
        seen = set()
        for _ in range(4):
            pages, kept = links.next_pages(self.script, memories=10)
            self.assertGreaterEqual(len(kept), 10)
            self.assertEqual(set(map(tuple, kept.values())), {("a", "b")})
            seen |= kept.keys()
            links.note_progress(self.script, page=pages[-1])
        self.assertEqual(len(seen), 40)

    def test_fewer_than_asked_for_are_each_there_once(self):
        links.note_progress(self.script, page="8")
        pages, kept = links.next_pages(self.script, memories=100)
        self.assertEqual((len(kept), len(set(pages))), (40, len(pages)))

    def test_what_is_gone_goes_as_memory_and_as_target(self):
        pages, _ = links.next_pages(self.script, memories=100)
        removed = links.remove_links(self.script, pages, {"m1", "m2", "b"})
        self.assertEqual(removed, 2 + 38)
        self.assertEqual(len(self.script.memory_links), 38)
        self.assertEqual(links.linked(self.script, ["m1", "m3"]), {"m3": [link("a")]})

    def test_an_empty_page_is_no_more(self):
        pages, kept = links.next_pages(self.script, memories=100)
        links.remove_links(self.script, pages, set(kept))
        self.assertEqual(self.stored().count(), 0)
        self.assertEqual(links.next_pages(self.script, memories=100), ([], {}))

    def test_progress_is_kept_on_the_script(self):
        links.note_progress(self.script, offset=50)
        links.note_progress(self.script, page="0a")
        noted = LinksProgress(offset=50, page="0a")
        self.assertEqual(links.progress(self.script), noted)
        own_attributes.drop_cached(self.script)
        self.assertEqual(links.progress(self.script), noted)
