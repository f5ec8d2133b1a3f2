"""An NPC that is deleted takes with it what it was told."""

from evennia.typeclasses.attributes import Attribute

from evennia_ai.agent.revising import forgetting
from evennia_ai.experience.base import get_experience
from evennia_ai.semantic import base
from evennia_ai.testing import minds
from tests.audience_paths import LeakTestCase

WORD = "zq00c0ffee"


class DeletedNpcTests(LeakTestCase):
    def setUp(self):
        super().setUp()
        minds.script_llm("I see.", repeat=True)
        self.key = self.script_of_mara.assistant_key
        self.do(self.char1, f"whisper Mara = The crown lies under {WORD}.", wait=3)
        self.assertIn(WORD, self.remembered())
        self.assertTrue(self.mara.delete())
        self.wait(2)

    def remembered(self):
        """Return all that long-term memory and experience hold of the NPC, as text."""
        memories = self.successResultOf(base.get_memory().get_all(assistant_key=self.key))
        return f"{memories}{self.successResultOf(get_experience(self.key).dump())}"

    def test_its_memories_and_its_experience_are_gone(self):
        self.assertNotIn(WORD, self.remembered())

    def test_no_attribute_that_belonged_to_it_stays_behind(self):
        left = [
            one for one in Attribute.objects.all() if WORD in f"{one.db_value} {one.db_strvalue}"
        ]
        self.assertEqual(left, [])

    def test_whoever_asks_all_to_forget_them_is_forgotten_by_those_that_are_no_more_too(self):
        done = forgetting.ask(self.char1)
        self.wait(5)
        self.successResultOf(done)
        self.assertNotIn(WORD, self.remembered())
