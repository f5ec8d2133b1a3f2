"""How what a builder wrote of an NPC comes out of its own mouth."""

import unittest

from tests.domain.small_talk_scene import answer


def told(text, lore, *, language="en"):
    npc = {"name": "Wenna", "persona": "Wenna sells herbs.", "language": language}
    return answer(text, npc=npc, lore=[lore] if isinstance(lore, str) else lore, memories=[])


class LoreWordingTests(unittest.TestCase):
    def test_an_adverb_stands_before_the_verb(self):
        lore = "Wenna never sells arsenic and always keeps a knife."
        self.assertIn("I never sell arsenic and always keep a", told("what about arsenic?", lore))
        lore = "Wenna was a soldier and still limps from it."
        self.assertIn("I was a soldier and still limp from", told("were you a soldier?", lore))
        lore = "Wenna lights eighty lamps and puts them out at dawn."
        self.assertIn(
            "I light eighty lamps and put them out", told("how many lamps are there?", lore)
        )

    def test_a_title_before_the_name_is_not_said(self):
        lore = "Sister Wenna was a silk merchant's daughter before she took the veil."
        wanted = "I was a silk merchant's daughter before I took the veil."
        self.assertIn(wanted, told("who was a merchant's daughter?", lore))

    def test_who_was_taught_says_me(self):
        lore = "Wenna's grandmother taught her to sing in her garden."
        self.assertIn(
            "My grandmother taught me to sing in my garden", told("who taught you?", lore)
        )

    def test_whom_somebody_asks_says_me(self):
        lore = "The queen consults Wenna before every journey and trusts Wenna."
        wanted = "The queen consults me before every journey and trusts me."
        self.assertIn(wanted, told("whom does the queen consult?", lore))
        self.assertIn("On Sundays I sing", told("what of Sundays?", "On Sundays Wenna sings."))

    def test_her_at_the_beginning_is_the_npc(self):
        lore = ["Wenna is a widow.", "Her assistant Joss gathers herbs."]
        self.assertIn("My assistant Joss gathers", told("who gathers your herbs?", lore))
        self.assertIn("I sing on Sundays", told("do you sing?", "She sings on Sundays."))

    def test_her_is_the_npc_after_what_is_of_nobody(self):
        for before in (
            "Spices come up the river from Thorne in spring.",
            "A barrel costs a crown.",
        ):
            with self.subTest(before):
                lore = [before, "His wife Edda keeps the accounts."]
                self.assertIn("My wife Edda", told("who is Edda?", lore))
        for before in ("Old Gaspar is the forester.", "Pip is late."):
            with self.subTest(before):
                lore = [before, "His wife Edda keeps the accounts."]
                self.assertIn("His wife Edda", told("who is Edda?", lore))

    def test_her_may_be_somebody_who_was_spoken_of(self):
        lore = ["Gaspar is the forester.", "His lodge is a hollow oak."]
        self.assertIn("His lodge", told("where is the lodge?", lore))

    def test_her_in_other_languages(self):
        self.assertIn(
            "Min syster Ida", told("vad gör Ida?", "Hennes syster Ida väver.", language="sv")
        )
        self.assertIn("Meine Frau Ida", told("wer ist Ida?", "Seine Frau Ida webt.", language="de"))

    def test_what_happens_if_holds_for_everybody(self):
        lore = "Bribes are punished with twenty lashes."
        self.assertIn("twenty lashes", told("what happens if I bribe you?", lore))
        self.assertIn("twenty lashes", told("what if somebody bribes you?", lore))
