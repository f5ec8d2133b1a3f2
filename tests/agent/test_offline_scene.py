"""A short scene without any model: the offline mind at work through all the rest."""

from evennia_ai import tick
from tests.agent.cases import MindTestCase


class OfflineSceneTests(MindTestCase):
    lore = ("The cellar was bricked up after the flood.", "The ale is brewed by old Tam.")

    def answer(self, command, character=None):
        """Return how Mara answers what somebody types, as (type, text)."""
        self.ann.clear()
        self.bob.clear()
        self.do(character or self.char1, command, wait=2)
        heard = self.bob if character is self.char2 else self.ann
        [reply] = [(kind, text) for kind, text in heard if text.startswith("Mara")]
        return reply

    def test_a_scene(self):
        kind, text = self.answer("say Hello Mara")
        self.assertEqual(kind, "say")
        self.assertIn("Char", text)
        self.assertIn("old Tam", self.answer("say Who brews the ale?")[1])
        self.answer("say Mara, the bridge to the north is broken.")
        kind, text = self.answer("say Mara, what do you know about the bridge?", self.char2)
        self.assertEqual(kind, "say")
        self.assertIn("The bridge to the north is broken.", text)
        self.assertIn("Char", text)

        self.assertEqual(self.answer("whisper Mara = I hid the key under the oak.")[0], "whisper")
        self.assertEqual(self.bob, [])
        kind, text = self.answer("say Mara, where is the key?")
        self.assertEqual(kind, "whisper")
        self.assertIn("under the oak", text)
        kind, text = self.answer("say Mara, where is the key?", self.char2)
        self.assertNotIn("oak", f"{text} {self.ann} {self.bob}")

        self.assertEqual(self.answer("pose smiles at Mara")[0], "pose")
        self.assertIn("Mara", self.answer("say Mara, what is your name?")[1])
        self.assertEqual(self.answer("say Goodbye, Mara")[0], "say")
        self.assertEqual((self.log, self.pending()), ([], []))

    def test_she_follows_who_asks_her_to(self):
        tick.run_tick(self.script_of_mara)
        self.answer("say Mara, follow me")
        self.char1.execute_cmd("out")
        self.wait(2)
        self.assertIs(self.mara.location, self.room2)

    def test_of_somebody_it_knows_who_came_in_hidden_it_tells_nobody(self):
        self.answer("say Hello Mara", self.char2)
        self.char2.move_to(self.room2)
        self.wait(86_400)
        self.char2.locks.add("view:false()")
        self.char2.move_to(self.room1, quiet=True)
        tick.run_tick(self.script_of_mara)
        self.assertNotIn("Char2", self.answer("say Mara, who was here today?")[1])

    def test_a_player_who_is_not_spoken_of_is_not_answered(self):
        self.do(self.char1, "say Hello Mara", wait=2)
        self.bob.clear()
        self.do(self.char2, "say What a rain today.", wait=2)
        self.assertEqual([text for _, text in self.bob if text.startswith("Mara")], [])
