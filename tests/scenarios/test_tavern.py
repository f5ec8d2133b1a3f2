"""The demo's tavern can be built, and the minds in it know what their files say."""

from unittest import mock

from evennia.utils.search import search_object

from evennia_ai import api
from evennia_ai.testing import AITestCase, minds
from world import tavern


class TavernTests(AITestCase):
    def setUp(self):
        super().setUp()
        minds.forget_all()

    def build(self):
        with mock.patch.object(tavern, "LIMBO", self.room1.id):
            tavern.build()

    def named(self, key):
        [found] = search_object(key, exact=True)
        return found

    def test_every_room_can_be_left_the_way_that_one_came(self):
        self.build()
        self.assertEqual(self.room1.key, "The Common Room")
        ways = {way.key: way for way in self.room1.exits if way.key in ("kitchen", "yard")}
        self.assertEqual(ways.keys(), {"kitchen", "yard"})
        for way in ways.values():
            [back] = way.destination.exits
            self.assertEqual(back.destination, self.room1)
            self.assertTrue(way.destination.db.desc)

    def test_two_have_a_mind_and_the_mirror_has_none(self):
        self.build()
        for name in ("Mara", "Bertil"):
            npc = self.named(name)
            self.assertTrue(npc.assistant.enabled, name)
            self.assertEqual(npc.location, self.room1)
            self.assertGreaterEqual(len(api.load_lore(npc)), 5)
            persona = api.load_persona(npc)
            self.assertTrue(persona["greeting_lines"] and persona["fallback_lines"])
        self.assertIsNone(api.find(self.named("mirror")))

    def test_the_innkeeper_answers_with_what_her_file_says(self):
        tavern.settle("innkeeper", self.room1)
        heard = minds.listen(self.char1)
        self.char1.execute_cmd("say Mara, what does a bed cost?")
        minds.pass_time(self.clock, 2)
        [answer] = [text for _, text in heard if text.startswith("Mara says")]
        self.assertIn("A bed costs three coppers a night, and breakfast is one more.", answer)

    def test_only_what_is_meant_to_be_taken_can_be_taken(self):
        self.build()
        self.assertTrue(self.named("mug").access(self.char2, "get"))
        self.assertFalse(self.named("mirror").access(self.char2, "get"))
