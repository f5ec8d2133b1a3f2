"""Whom "he" and "her" stand for in a talk: who was told of last and may be, and nobody else."""

import unittest

from tests.domain.test_free_talk import NOT_KNOWN, asked

RIVER = [
    "A crossing costs two pennies a head.",
    "My husband Osric drowned in the flood eleven years ago.",
    "My son Wat rows the small boat and wants to be a soldier.",
    "Lord Brannoch owns the river and takes a third of what we earn.",
    "Granny Pell lives in the crooked cottage behind the willows and reads palms.",
    "A pedlar called Jessop was found dead on the north bank on Tuesday.",
    "He had a knife in his back, and his pack was gone.",
    "The constable, Master Quill, thinks that bandits did it.",
    "My brother Edric is a monk at Saint Aldhelm and brews mead.",
    "Saint Aldhelm lies two days to the south.",
]
JESSOP = ("Did you hear about the dead man?", f"<{RIVER[5]}")
KVARN = [
    "Kvarnen byggdes av min morfar Anders för sextio år sedan.",
    "Min dotter Lovisa ska gifta sig med smeden i höst.",
    "Smeden heter Jon och är stark som en oxe.",
    "Gamla Brita på mossen botar värk med blodiglar.",
]


def told(text, *before, **changes):
    """Return what is said to Ann by whoever knows the river."""
    return asked(text, *before, lore=RIVER, **changes)


def sagt(text, *before):
    """Return what is said to Ann at the mill."""
    return asked(text, *before, lore=KVARN, language="sv")


class ReferentTests(unittest.TestCase):
    def test_how_somebody_died_is_told_by_what_goes_on_about_them(self):
        self.assertIn("He had a knife in his back", told("how did he die", *JESSOP))

    def test_who_did_it_is_told_by_what_is_said_of_the_deed(self):
        self.assertIn("bandits did it", told("who killed him", *JESSOP))

    def test_a_thing_of_theirs_is_sought_with_whoever_has_one(self):
        before = (*JESSOP, "who killed him", f"<{RIVER[7]}")
        self.assertIn("his pack was gone", told("what was in his pack?", *before))

    def test_she_is_no_man_who_was_told_of_since(self):
        before = ("who reads palms?", f"<{RIVER[4]}", "who owns the river?", f"<{RIVER[3]}")
        self.assertIn("crooked cottage", told("where does she live", *before))

    def test_what_she_asks_is_no_price_of_the_npc(self):
        said = told("what does she charge", "who reads palms?", f"<{RIVER[4]}")
        self.assertIn("I don't know what Pell asks", said)

    def test_what_nobody_told_of_them_is_said_with_their_name(self):
        said = told("how old is he", "any kids?", f"<{RIVER[2]}")
        self.assertTrue(said.startswith(NOT_KNOWN))
        self.assertIn("Wat", said)

    def test_what_somebody_wants_is_told_of_them(self):
        said = told("what does he want to become?", "any kids?", f"<{RIVER[2]}")
        self.assertIn("wants to be a soldier", said)

    def test_a_place_is_nobody(self):
        before = ("where is your brother", f"<{RIVER[8]}", "how far is that?", f"<{RIVER[9]}")
        self.assertIn("brews mead", told("does he brew mead?", *before))

    def test_whoever_was_asked_about_in_vain_has_not_been_seen(self):
        said = told("have you seen him?", "I am looking for my brother Rolf.", "<Is that so?")
        self.assertEqual(said, "I have not seen Rolf, Ann.")

    def test_whom_a_question_names_itself_is_meant(self):
        said = told("is your husband still alive, or did he drown?", "any kids?", f"<{RIVER[2]}")
        self.assertIn("Osric drowned", said)


class SwedishReferentTests(unittest.TestCase):
    def test_hon_and_han_are_told_apart(self):
        before = ("vem ska din dotter gifta sig med?", f"<{KVARN[1]}")
        self.assertIn("Lovisa", sagt("hur gammal är hon", *before))
        self.assertIn("stark som en oxe", sagt("vem är han?", *before))

    def test_henne_is_who_was_told_of(self):
        before = ("vem kan hjälpa mot värk?", f"<{KVARN[3]}")
        self.assertIn("på mossen", sagt("var hittar jag henne", *before))


if __name__ == "__main__":
    unittest.main()
