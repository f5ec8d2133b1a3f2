"""Somebody asks what an assistant knows of them: it answers from what it has of just them."""

from evennia_ai.agent.revising import forgetting
from evennia_ai.memory import journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.semantic import base
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, seen_by


class AboutMeTests(MindTestCase):
    def answer(self, command, character=None):
        """Return how Mara answers what somebody types, as (type, text)."""
        self.ann.clear(), self.bob.clear()
        self.do(character or self.char1, command, wait=2)
        heard = self.bob if character is self.char2 else self.ann
        [reply] = [(kind, text) for kind, text in heard if text.startswith("Mara")]
        return reply

    def test_without_a_model_it_tells_what_they_told(self):
        self.do(self.char1, "say Mara, I sell salt and pepper at the market.", wait=2)
        self.do(self.char2, "say Mara, I shoe horses by the river.", wait=2)
        kind, text = self.answer("say Mara, what do you know about me?")
        self.assertEqual(kind, "say")
        self.assertIn("I sell salt and pepper at the market.", text)
        self.assertNotIn("horses", text)
        _, text = self.answer("say Mara, what do you remember about me?", self.char2)
        self.assertIn("I shoe horses by the river.", text)
        self.assertNotIn("salt", text)

    def test_what_was_whispered_is_whispered_back(self):
        self.do(self.char1, "whisper Mara = I stole the silver spoons.", wait=2)
        kind, text = self.answer("say Mara, what do you know about me?")
        self.assertEqual(kind, "whisper")
        self.assertIn("I stole the silver spoons.", text)
        self.assertNotIn("spoons", f"{self.bob}")

    def test_what_was_noticed_by_others_is_not_told_them(self):
        secret = "Char is watched by the guard."
        known = [self.second, self.script_of_mara.assistant_key]
        entity_profiles.add_entity_observation(self.mara, self.char1, secret, audience=known)
        _, text = self.answer("say Mara, what do you know about me?")
        self.assertNotIn("guard", text)

    def test_a_model_is_shown_it_whatever_the_words(self):
        """No word of the question fits what is known."""
        entity_profiles.add_entity_observation(
            self.mara, self.char1, "Limps a bit.", audience="public"
        )
        journal.add_entry(self.mara, "Salt is dear.", source_id=self.first, source_entity="Char")
        mind = minds.script_llm("You sell salt.", repeat=True)
        self.do(self.char1, "say Mara, what do you know about me?", wait=2)
        shown = [item["text"] for item in mind.requests[-1].context["memories"]]
        self.assertEqual(sorted(shown), ["Limps a bit.", "Salt is dear."])
        self.assertIn("Salt is dear.", seen_by(mind))

    def test_nothing_known_is_said_so(self):
        _, text = self.answer("say Mara, what do you know about me?")
        self.assertIn("Char", text)
        self.assertEqual(self.successResultOf(base.get_memory().get_all(assistant_key="x")), [])

    def test_who_was_forgotten_is_not_known(self):
        self.do(self.char1, "say Mara, I sell salt and pepper at the market.", wait=2)
        target = forgetting.person(self.mara, self.char1)
        done = forgetting.forget(self.mara, self.script_of_mara, target)
        self.wait(2)
        self.assertEqual(self.successResultOf(done)["entries"], 1)
        _, text = self.answer("say Mara, what do you know about me?")
        self.assertNotIn("salt", text)
