"""Tests of which memories are linked, and where a link may lead."""

import unittest

from evennia_ai.core.records import Link
from evennia_ai.domain.sleeping import link_rules
from tests.found_memories import hit


def like(id, cosine, audience="public"):
    return hit(id, cosine=cosine, audience=audience)


PUBLIC = hit("m")
WHISPER = hit("m", audience=["ann", "me"])


class MayLeadTests(unittest.TestCase):
    def test_never_to_what_the_one_who_knows_the_first_may_not_know(self):
        for source, target, may in (
            ("public", "public", True),
            ("public", ["ann", "me"], False),
            (["ann", "me"], "public", True),
            (["ann", "me"], ["ann", "me"], True),
            (["ann", "me"], ["ann", "bo", "me"], True),
            (["ann", "bo", "me"], ["ann", "me"], False),
            ([], "public", True),
        ):
            with self.subTest(source=source, target=target):
                self.assertEqual(link_rules.may_lead(source, target), may)


class SelectTests(unittest.TestCase):
    def test_what_is_alike_enough_the_most_alike_first(self):
        """M41: a similarity of the threshold is enough."""
        hits = [like("a", 0.7), like("b", 0.95), like("c", 0.69), like("m", 1.0)]
        self.assertEqual(
            link_rules.select_links(PUBLIC, hits, threshold=0.7),
            [Link(id="b", score=0.95), Link(id="a", score=0.7)],
        )

    def test_five_at_most(self):
        hits = [like(str(number), 0.9 + number / 100) for number in range(9)]
        found = link_rules.select_links(PUBLIC, hits, threshold=0.5)
        self.assertEqual([one.id for one in found], ["8", "7", "6", "5", "4"])

    def test_none_leads_out_of_its_audience(self):
        hits = [like("open", 0.9), like("secret", 0.9, ["ann", "me"])]
        [found] = link_rules.select_links(PUBLIC, hits, threshold=0.5)
        self.assertEqual(found.id, "open")
        found = link_rules.select_links(WHISPER, hits, threshold=0.5)
        self.assertEqual(
            [(one.id, one.audience) for one in found],
            [(one, ["ann", "me"]) for one in ("open", "secret")],
        )

    def test_the_way_back_is_for_those_who_may_go_it(self):
        hits = [like("open", 0.9), like("secret", 0.8, ["ann", "me"]), like("other", 0.1)]
        chosen = link_rules.select_links(WHISPER, hits, threshold=0.5)
        self.assertEqual(
            link_rules.back_links(WHISPER, hits, chosen),
            [("secret", Link(id="m", score=0.8, audience=["ann", "me"]))],
        )
        chosen = link_rules.select_links(PUBLIC, hits, threshold=0.5)
        self.assertEqual(
            link_rules.back_links(PUBLIC, hits, chosen), [("open", Link(id="m", score=0.9))]
        )


class ListTests(unittest.TestCase):
    def test_one_more_pushes_out_the_weakest(self):
        five = [Link(id=str(number), score=number / 10) for number in range(1, 6)]
        more = link_rules.with_link(five, Link(id="x", score=0.45))
        self.assertEqual([one.id for one in more], ["5", "x", "4", "3", "2"])
        self.assertEqual(link_rules.with_link(more, Link(id="y", score=0.05)), more)

    def test_the_same_one_is_there_once(self):
        first = link_rules.with_link([], Link(id="x", score=0.5))
        self.assertEqual(
            link_rules.with_link(first, Link(id="x", score=0.6)), [Link(id="x", score=0.6)]
        )

    def test_what_is_gone_is_left_out(self):
        both = [Link(id="a", score=0.9), Link(id="b", score=0.8)]
        self.assertEqual(link_rules.without(both, {"a"}), both[1:])


class NeighbourTests(unittest.TestCase):
    def test_what_the_hits_lead_to_by_how_good_they_are(self):
        hits = [hit("a", score=0.9), hit("b", score=0.5)]
        lead_to = {
            "a": [Link(id="b", score=0.9), Link(id="x", score=0.5)],
            "b": [Link(id="x", score=1.0), Link(id="y", score=0.5)],
        }
        self.assertEqual(link_rules.neighbours(hits, lead_to, limit=5), [("x", 0.4), ("y", 0.2)])
        self.assertEqual(link_rules.neighbours(hits, lead_to, limit=1), [("x", 0.4)])
        self.assertEqual(link_rules.neighbours(hits, {}, limit=5), [])
