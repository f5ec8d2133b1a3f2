"""Who said something is told by who they are, whoever bears their name by now."""

from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words


class TakenNameTests(MindTestCase):
    """Char tells something and takes another name; then Char2 takes that of Char."""

    def setUp(self):
        super().setUp()
        self.do(self.char1, "say Mara, my sister is called Ilse.", wait=3)
        self.char1.key, self.char2.key = "Old", "Char"

    def asked(self, character):
        """Return what Mara says to somebody who asks for their sister."""
        heard = minds.listen(character)
        self.do(character, "say Mara, what is my sister called?", wait=3)
        return words(heard)[-1]

    def test_who_takes_a_name_has_not_said_what_was_said_under_it(self):
        self.assertNotIn("You told me", self.asked(self.char2))

    def test_who_has_a_new_name_has_said_it_still(self):
        self.assertIn("You told me", self.asked(self.char1))

    def test_a_model_reads_so_as_well(self):
        mind = minds.script_llm("Hm.", repeat=True)
        self.asked(self.char2)
        self.assertIn("Another Char: ", mind.requests[0].messages[-1]["content"])
        self.asked(self.char1)
        self.assertIn("Old: Mara", mind.requests[-1].messages[-1]["content"])
        self.assertNotIn("Another", mind.requests[-1].messages[-1]["content"])
