"""Somebody puts right in talk what they said before; afterwards nobody hears the old one."""

from evennia_ai.memory import entity_profiles, journal, working_memory
from tests.agent.cases import MindTestCase, words


class PuttingRightTests(MindTestCase):
    def entries(self):
        return [entry.content for entry in journal.entries(self.mara)]

    def test_what_they_said_becomes_what_they_say_now_wherever_it_is_kept(self):
        self.do(self.char1, "say Mara, my mother lives in Oakhaven.", wait=2)
        entity_profiles.add_entity_observation(
            self.mara,
            self.char1,
            "Says: my mother lives in Oakhaven.",
            audience="public",
            told_by=self.first,
        )
        self.do(self.char1, "say Mara, sorry, she lives in Elmstead, not Oakhaven.", wait=2)
        self.assertEqual(self.entries(), ["Mara, my mother lives in Elmstead."])
        known = entity_profiles.find_profile(self.mara, self.char1)
        self.assertEqual(
            [one.content for one in known.observations], ["Says: my mother lives in Elmstead."]
        )
        lines = [line.text for line in working_memory.lines_with(self.mara, self.first)]
        self.assertNotIn("Oakhaven", f"{lines}")
        self.do(self.char2, "say Mara, where does Char's mother live?", wait=2)
        self.assertIn(
            "my mother lives in Elmstead", words(self.bob)[-1].lower().replace("elm", "Elm")
        )

    def test_words_of_others_stay_as_they_are(self):
        self.do(self.char2, "say Mara, my mother lives in Oakhaven.", wait=2)
        self.do(self.char1, "say Mara, sorry, she lives in Elmstead, not Oakhaven.", wait=2)
        self.assertIn("Mara, my mother lives in Oakhaven.", self.entries())

    def test_what_is_whispered_changes_nothing_that_all_may_know(self):
        self.do(self.char1, "say Mara, my mother lives in Oakhaven.", wait=2)
        self.do(self.char1, "whisper Mara = sorry, she lives in Elmstead, not Oakhaven.", wait=2)
        self.assertIn("Mara, my mother lives in Oakhaven.", self.entries())
