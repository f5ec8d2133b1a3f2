"""Tests of what the public names give of those who are known: plain data, in the shape of the sources."""

from evennia_ai import api
from evennia_ai.memory import identity
from evennia_ai.memory.people import entity_profiles, plain_profiles
from tests.memory.test_entity_profiles import NOON, ProfileTestCase


class PublicTests(ProfileTestCase):
    def test_a_profile_has_the_shape_of_the_source(self):
        """E6 E7 E8 E9 E43: the keys of source 004, and plain values."""
        own = identity.identity_of(self.char1)
        api.add_entity_observation(
            self.npc, "ann", "Has a cat.", "told", audience="public", told_by=own, now=NOON
        )
        entity_profiles.update_relationship(self.npc, "ann", 0.05, "helpful_response", now=NOON)
        known = api.get_entity_profile(self.npc, "ann")
        [noticed] = known["observations"]
        self.assertEqual((noticed["content"], noticed["told_by"]), ("Has a cat.", own))
        self.assertEqual(
            known["relationship"]["history"],
            [
                {
                    "delta": 0.05,
                    "reason": "helpful_response",
                    "timestamp": "2024-03-01T12:00:00.000Z",
                }
            ],
        )
        self.assertEqual(known["relationship"]["state"], "stranger")

    def test_an_observation_is_given_back_as_it_is_kept(self):
        kept = api.add_entity_observation(
            self.npc, "ann", "Likes tea.", audience=["b", "a"], event_id="e1", now=NOON
        )
        self.assertEqual(kept, api.get_entity_profile(self.npc, "ann")["observations"][0])
        self.assertEqual(
            kept,
            {
                "id": 1,
                "content": "Likes tea.",
                "source": "direct",
                "source_word": "direct",
                "source_trust": 0.9,
                "told_by": "",
                "timestamp": "2024-03-01T12:00:00.000Z",
                "audience": ["a", "b"],
                "sources": [["e1", "", ["a", "b"]]],
                "event_id": "e1",
                "consolidated": False,
            },
        )

    def test_somebody_can_be_made_known(self):
        known = api.create_entity_profile(self.npc, "tom", name="Tom", entity_type="npc", now=NOON)
        self.assertEqual((known["entity_id"], known["name"]), ("tom", "Tom"))
        self.assertEqual(
            (known["entity_type"], known["created"]), ("npc", known["last_interaction"])
        )
        self.assertEqual(known, api.get_entity_profile(self.npc, "tom"))


class MappingTests(ProfileTestCase):
    def test_all_profiles_are_a_mapping_by_identity(self):
        """E2 E5 M7: permanent, per entity; the mapping behind `npc.entity_profiles`."""
        known = plain_profiles.EntityProfiles(self.npc)
        self.assertEqual((len(known), list(known)), (0, []))
        self.observe("some-uuid", "Is tall.")
        self.observe(self.char2, "Likes tea.")
        own = identity.identity_of(self.char2)
        self.assertEqual(list(known), sorted([own, "some-uuid"]))
        self.assertEqual(known[self.char2]["name"], "Char2")
        self.assertIn(self.char2.dbref, known)
        self.assertNotIn("nobody", known)
        self.assertNotIn("", known)
        self.assertEqual(dict(known.items()), {key: known[key] for key in known})
        self.assertEqual([one["entity_id"] for one in known.values()], list(known))
        self.assertEqual(repr(known), "<profiles of 2 entities>")
        with self.assertRaises(KeyError):
            known["nobody"]

    def test_it_is_read_only(self):
        known = plain_profiles.EntityProfiles(self.npc)
        with self.assertRaises(TypeError):
            known["x"] = {}
