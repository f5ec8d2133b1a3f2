"""Tests of who may know what."""

import unittest

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.domain import audience
from tests.domain.entries import entry

people = some.sampled_from(["ann", "bob", "cyd", "dot", "me"])
groups = some.lists(people, max_size=5)
audiences = some.one_of(some.just("public"), groups)


class MayKnowTests(unittest.TestCase):
    def test_everybody_in_earshot_must_be_among_those_who_may_know(self):
        for known, hearers, expected in (
            ("public", [], True),
            ("public", ["ann", "bob"], True),
            (["ann", "me"], ["ann"], True),
            (["ann", "me"], ["ann", "bob"], False),
            (["ann", "me"], ["bob"], False),
            # Nobody hears it, so nobody learns it.
            (["ann"], [], True),
            ([], [], True),
            ([], ["ann"], False),
            # A name that contains the other's is somebody else.
            (["annabel"], ["ann"], False),
        ):
            with self.subTest(known=known, hearers=hearers):
                self.assertIs(audience.may_know(known, hearers), expected)

    @given(audiences, groups, people)
    def test_another_hearer_never_makes_a_thing_tellable(self, known, hearers, newcomer):
        if audience.may_know(known, [*hearers, newcomer]):
            self.assertTrue(audience.may_know(known, hearers))

    @given(groups, groups, people)
    def test_letting_one_more_know_never_hides_it(self, known, hearers, confidant):
        if audience.may_know(known, hearers):
            self.assertTrue(audience.may_know([*known, confidant], hearers))

    def test_records_and_plain_data_are_asked_alike(self):
        items = [entry(audience=["ann"]), {"audience": ["ann"]}, entry(), {"audience": ["bob"]}]
        self.assertEqual(audience.select_tellable(items, ["ann"]), items[:3])
        self.assertEqual(audience.select_open_to(items, "public"), [items[2]])
        self.assertEqual(
            audience.divided(items),
            [("public", [items[2]]), (["ann"], items[:2]), (["bob"], items[3:])],
        )

    @given(some.lists(some.builds(dict, audience=audiences), max_size=6), groups)
    def test_what_may_be_told_is_selected_in_its_order(self, items, hearers):
        # An iterator, which can be gone through only once.
        told = audience.select_tellable(items, iter(hearers))
        self.assertEqual(
            told, [item for item in items if audience.may_know(item["audience"], hearers)]
        )

    def test_a_thing_without_an_audience_is_an_error_and_not_public(self):
        with self.assertRaises(KeyError):
            audience.select_tellable([{"text": "the key is under the oak"}], ["ann"])


class IntersectionTests(unittest.TestCase):
    def test_who_may_know_what_was_concluded(self):
        for parts, expected in (
            ([], "public"),
            (["public"], "public"),
            (["public", "public"], "public"),
            (["public", ["bob", "ann"]], ["ann", "bob"]),
            ([["ann", "bob"], ["bob", "cyd"]], ["bob"]),
            ([["ann"], ["bob"]], []),
            # Nobody is not everybody.
            ([[], "public"], []),
            ([["ann", "ann"]], ["ann"]),
        ):
            with self.subTest(parts=parts):
                self.assertEqual(audience.intersection(parts), expected)

    @given(some.lists(audiences, max_size=5), groups)
    def test_it_is_never_wider_than_any_of_its_parts(self, parts, hearers):
        if audience.may_know(audience.intersection(parts), hearers):
            for part in parts:
                self.assertTrue(audience.may_know(part, hearers))

    @given(some.lists(audiences, max_size=5), groups)
    def test_it_is_no_narrower_than_all_parts_together(self, parts, hearers):
        if all(audience.may_know(part, hearers) for part in parts):
            self.assertTrue(audience.may_know(audience.intersection(parts), hearers))

    @given(
        some.lists(audiences, max_size=5).flatmap(
            lambda x: some.tuples(some.just(x), some.permutations(x))
        )
    )
    def test_order_does_not_matter(self, pair):
        parts, shuffled = pair
        self.assertEqual(audience.intersection(parts), audience.intersection(shuffled))

    @given(audiences, audiences, audiences)
    def test_step_by_step_is_the_same_as_at_once(self, one, two, three):
        steps = audience.intersection([audience.intersection([one, two]), three])
        self.assertEqual(steps, audience.intersection([one, two, three]))


class DividedTests(unittest.TestCase):
    def test_what_one_mind_may_see_together_is_one_group_the_public_first(self):
        items = [
            {"id": 1, "audience": ["ann", "me"]},
            {"id": 2, "audience": "public"},
            {"id": 3, "audience": ["bob", "me"]},
            {"id": 4, "audience": ["me", "bob"]},
        ]
        divided = [
            (known, [item["id"] for item in group]) for known, group in audience.divided(items)
        ]
        self.assertEqual(divided, [("public", [2]), (["bob", "me"], [3, 4]), (["ann", "me"], [1])])

    def test_an_audience_may_see_what_is_open_to_all_of_it(self):
        items = [
            {"id": 1, "audience": ["ann", "me"]},
            {"id": 2, "audience": "public"},
            {"id": 3, "audience": ["ann", "bob", "me"]},
        ]
        for known, expected in (
            ("public", [2]),
            (["ann", "me"], [1, 2, 3]),
            (["bob", "me"], [2, 3]),
            (["cyd"], [2]),
        ):
            with self.subTest(known=known):
                found = audience.select_open_to(items, known)
                self.assertEqual([item["id"] for item in found], expected)

    @given(some.lists(audiences))
    def test_every_item_is_in_one_group_and_may_be_seen_by_all_of_its_audience(self, known):
        items = [{"id": number, "audience": one} for number, one in enumerate(known)]
        groups = audience.divided(items)
        self.assertEqual(
            sorted(item["id"] for _, group in groups for item in group), list(range(len(items)))
        )
        for who, group in groups:
            self.assertEqual(audience.intersection([one["audience"] for one in group]), who)


class OfSpeechTests(unittest.TestCase):
    def of_speech(self, kind, *, public, speaker="ann", present=("bob",)):
        return audience.of_speech(
            kind, speaker=speaker, listener="me", present=present, public=public
        )

    def test_who_may_know_what_was_said(self):
        for kind, public, expected in (
            ("say", True, "public"),
            ("pose", True, "public"),
            ("say", False, ["ann", "bob", "me"]),
            ("pose", False, ["ann", "bob", "me"]),
            # A whisper stays between the two even where talk is public, whoever is present.
            ("whisper", True, ["ann", "me"]),
            ("whisper", False, ["ann", "me"]),
            ("tell", True, ["ann", "me"]),
            ("tell", False, ["ann", "me"]),
        ):
            with self.subTest(kind=kind, public=public):
                self.assertEqual(self.of_speech(kind, public=public), expected)

    def test_the_speaker_is_counted_once_though_present(self):
        present = ["bob", "ann", "me", "bob"]
        self.assertEqual(self.of_speech("say", public=False, present=present), ["ann", "bob", "me"])

    def test_whoever_has_no_identity_is_in_no_audience(self):
        for kind, expected in (("tell", ["me"]), ("attacked", ["bob", "me"])):
            with self.subTest(kind=kind):
                known = self.of_speech(kind, public=False, speaker="", present=["bob", ""])
                self.assertEqual(known, expected)
                self.assertFalse(audience.may_know(known, [""]))
