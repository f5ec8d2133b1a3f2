"""Tests of what is known of somebody: shape, sources, limits, and who may know it."""

import unittest
from datetime import datetime, timezone

import msgspec
from msgspec import structs

from evennia_ai.domain.memories import profile, relationship
from tests.domain.profiles import fact

NOON = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
NOON_TEXT = "2024-03-01T12:00:00.000Z"
TRUST = {"direct": 0.9, "observation": 0.8, "inference": 0.6, "environmental": 0.3}


def noticed(content="Likes tea.", source="direct", *, about="ann", audience="public", **fields):
    return profile.observation(
        content, source, about=about, audience=audience, trust=TRUST, now=NOON, **fields
    )


def known_with(*observations):
    known = structs.replace(profile.new("ann", now=NOON), name="Ann", entity_type="player")
    for one in observations:
        known, _ = profile.with_observation(known, one)
    return known


class NewTests(unittest.TestCase):
    def test_a_profile_has_the_fields_of_the_sources(self):
        """E6 E7 E8 M12 C-3 C-4 C-45: every key of a new profile, with its identity inside."""
        known = profile.new("ann", now=NOON)
        self.assertEqual(
            msgspec.to_builtins(known),
            {
                "entity_id": "ann",
                "entity_type": "object",
                "name": "",
                "dbref": "",
                "created": NOON_TEXT,
                "last_interaction": NOON_TEXT,
                "attributes": [],
                "observations": [],
                "observation_count": 0,
                "relationship": {
                    "state": "stranger",
                    "favorability": 0.0,
                    "interaction_count": 0,
                    "last_delta": 0.0,
                    "history": [],
                },
                "disposition": None,
                "today": {"date": "2024-03-01", "delta": 0.0},
            },
        )

    def test_an_entity_is_one_of_three(self):
        """E1 E6: players, NPCs and objects."""
        self.assertEqual(profile.ENTITY_TYPES, ("player", "npc", "object"))


class ObservationTests(unittest.TestCase):
    def test_an_observation_has_the_fields_of_the_source_and_more(self):
        """E8: content, source, timestamp; besides who may know it and whom it is from."""
        one = noticed("Has  a\ncat.", told_by="ann", event_id="e1", audience=["me", "ann"])
        self.assertEqual(
            msgspec.to_builtins(one),
            {
                "id": 0,
                "content": "Has a cat.",
                "source": "direct",
                "source_word": "direct",
                "source_trust": 0.9,
                "told_by": "ann",
                "timestamp": NOON_TEXT,
                "audience": ["ann", "me"],
                "sources": [["e1", "ann", ["ann", "me"]]],
                "event_id": "e1",
                "consolidated": False,
            },
        )

    def test_each_word_for_a_source_becomes_one_of_the_journals(self):
        """E8 C-8: direct, inferred and told, and the journal's own words; the word is kept."""
        for word, kind, trust in [
            ("direct", "direct", 0.9),
            ("told", "direct", 0.9),
            ("hearsay", "direct", 0.6),
            ("inferred", "inference", 0.6),
            ("inference", "inference", 0.6),
            ("observation", "observation", 0.8),
            ("environmental", "environmental", 0.3),
        ]:
            with self.subTest(word=word):
                one = noticed(source=word)
                self.assertEqual(
                    (one.source, one.source_word, one.source_trust), (kind, word, trust)
                )

    def test_what_is_told_about_somebody_else_is_hearsay(self):
        """C-8: trust 0.6, whatever the mind calls it; one's own conclusions are one's own."""
        for source, told_by, trust in [
            ("told", "bob", 0.6),
            ("direct", "bob", 0.6),
            ("told", "ann", 0.9),
            ("observation", "bob", 0.6),
            ("environmental", "bob", 0.3),
        ]:
            with self.subTest(source=source, told_by=told_by):
                self.assertEqual(noticed(source=source, told_by=told_by).source_trust, trust)

    def test_empty_words_and_unknown_sources_are_errors(self):
        for content, source in [("", "direct"), (" \n", "direct"), ("x", "dreamt")]:
            with self.subTest(content=content, source=source), self.assertRaises(ValueError):
                noticed(content, source)

    def test_a_long_one_is_cut(self):
        content = noticed("x" * 501).content
        self.assertEqual((len(content), content[-2:]), (500, "x…"))
        self.assertEqual(noticed("x" * 500).content, "x" * 500)


class AddingTests(unittest.TestCase):
    def test_each_gets_a_number_that_is_never_used_again(self):
        known = known_with(noticed("a"), noticed("b"))
        known = structs.replace(known, observations=[])
        known, third = profile.with_observation(known, noticed("c"))
        self.assertEqual((third.id, known.observation_count), (3, 3))

    def test_the_input_is_left_alone(self):
        known = known_with()
        profile.with_observation(known, noticed())
        self.assertEqual(known.observations, [])

    def test_the_same_words_in_one_event_count_once(self):
        known = known_with(noticed(event_id="e1"))
        again, kept = profile.with_observation(known, noticed(event_id="e1"))
        self.assertEqual((again, kept.id), (known, 1))
        self.assertEqual(
            len(known_with(noticed(event_id="1"), noticed(event_id="2")).observations), 2
        )
        self.assertEqual(len(known_with(noticed(), noticed()).observations), 2)


class CapTests(unittest.TestCase):
    def capped(self, limit, *, consolidated=()):
        observations = [
            structs.replace(noticed(str(number)), id=number, consolidated=number in consolidated)
            for number in range(1, 6)
        ]
        kept, dropped = profile.capped(observations, limit=limit)
        return [one.id for one in kept], [one.id for one in dropped]

    def test_under_the_limit_nothing_goes(self):
        self.assertEqual(self.capped(5), ([1, 2, 3, 4, 5], []))

    def test_the_oldest_goes(self):
        self.assertEqual(self.capped(3), ([3, 4, 5], [1, 2]))

    def test_whoever_told_most_of_somebody_makes_room(self):
        told = [
            structs.replace(
                noticed(str(number)), id=number, said_by="ann" if number == 1 else "bob"
            )
            for number in range(1, 6)
        ]
        kept, dropped = profile.capped(told, limit=3)
        self.assertEqual([one.id for one in kept], [1, 4, 5])
        self.assertEqual([one.id for one in dropped], [2, 3])

    def test_what_has_become_lasting_knowledge_goes_before_the_oldest(self):
        self.assertEqual(self.capped(3, consolidated=(2, 4, 5)), ([1, 3, 5], [2, 4]))
        self.assertEqual(self.capped(2, consolidated=(4,)), ([3, 5], [4, 1, 2][0:1] + [1, 2]))


class AudienceTests(unittest.TestCase):
    def setUp(self):
        known = known_with(
            noticed("open"), noticed("secret", audience=["ann", "me"]), noticed("lost", audience=[])
        )
        facts = [
            fact("open"),
            fact("secret", audience=["ann", "me"]),
            fact("old", superseded_by=0),
        ]
        self.known = structs.replace(known, attributes=facts)

    def told(self, *hearers):
        told = profile.select_tellable(self.known, hearers)
        return (
            [one.content for one in told.observations],
            [one.value for one in told.attributes],
        )

    def test_only_what_all_hearers_may_know_is_told(self):
        self.assertEqual(self.told("ann"), (["open", "secret"], ["open", "secret"]))
        self.assertEqual(self.told("ann", "bob"), (["open"], ["open"]))
        self.assertEqual(self.told("bob"), (["open"], ["open"]))

    def test_reasons_for_a_change_of_heart_are_told_to_nobody(self):
        regard = relationship.apply_delta(relationship.new(), 0.1, now=NOON, reason="the murder")
        known = structs.replace(self.known, relationship=regard)
        self.assertNotIn("murder", str(profile.select_tellable(known, ["ann"])))

    def test_who_may_know_all_of_it_is_who_may_know_each_part(self):
        self.assertEqual(profile.audience_of(known_with()), "public")
        told = profile.select_tellable(self.known, ["ann"])
        self.assertEqual(profile.audience_of(told), ["ann", "me"])
