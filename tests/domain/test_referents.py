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
    def test_she_is_of_whom_the_last_sentence_of_an_answer_speaks(self):
        lore = [
            "My wife Hester left.",
            "My daughter Clover sells ribbons.",
            "She is never on time.",
        ]
        before = ("Any family?", "<My wife Hester left. My daughter Clover sells ribbons.")
        self.assertIn("never on time", asked("what is she like?", *before, lore=lore))

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
        self.assertIn("I don't know what Granny Pell asks", said)

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

    def test_of_nobody_it_is_asked_back_who_is_meant(self):
        lore = ["A crossing costs two pennies a head."]
        for text in ("where does she live", "what does she charge"):
            said = asked(text, lore=lore)
            self.assertIn(said, ("Whom do you mean, Ann?", "Of whom do you speak, Ann?"))

    def test_of_the_drummer_of_the_king_the_drummer_is_meant(self):
        lore = [
            "King Osmund never came back.",
            "The drummer of the king's band lies under the oak.",
        ]
        said = asked("who is him", "where's the drummer?", f"<{lore[1]}", lore=lore)
        self.assertIn(lore[1], said)

    def test_where_somebody_lives_may_be_told_by_where_they_are_known(self):
        lore = ["Countess Ebba at Nynas is the richest of all.", "She has eleven dogs."]
        said = asked("where does she live", "who is rich?", f"<{lore[0]}", lore=lore)
        self.assertIn("at Nynas", said)

    def test_what_somebody_owes_may_be_told_by_no_sum(self):
        lore = ["My daughter ran off with a fiddler.", "His name was Rafe, and he owes me for ale."]
        before = ("where is your daughter", f"<{lore[0]}", "who is he?", f"<{lore[1]}")
        self.assertIn("owes me for ale", asked("how much does he owe you", *before, lore=lore))

    def test_a_miss_by_name_and_a_mill_owner_are_somebody(self):
        lore = ["Tam is sweet on the schoolteacher, Miss Lark.", "My flour comes from Tam's mill."]
        before = ("who's Tam?", f"<{lore[0]}")
        self.assertIn("Tam", asked("is he married", *before, lore=lore))
        self.assertIn("Miss Lark", asked("how old is she", *before, lore=lore))

    def test_kin_of_whom_nothing_is_told_are_not_told_of(self):
        said = asked("where does your daughter work?", lore=["My sister Ada keeps the Blue Boar."])
        self.assertTrue(said.startswith(NOT_KNOWN))
        self.assertIn("daughter", said)
        said = asked("what is my brother's job?", lore=["My brother Tam is a miller."])
        self.assertIn("You have told me little of your brother", said)

    def test_a_brother_is_told_of_by_his_name(self):
        lore = ["My brother Tam brews the ale.", "Tam lives in Millbrook."]
        self.assertIn("Millbrook", asked("where does your brother live?", lore=lore))


class ThingTests(unittest.TestCase):
    """What "it" stands for, and what names nothing."""

    BRIDGE = [
        "The bridge at Harrowgate fell down last spring.",
        "I built this ferry with my own hands from oak.",
        "A crossing costs two pennies a head, and a horse costs five.",
        "I sell smoked eel at a penny a piece.",
        "The ferry goes from dawn until the lantern is lit at dusk.",
        "The gate was carved by dwarves before the kingdom was founded.",
    ]

    def said(self, text, *before):
        return asked(text, *before, lore=self.BRIDGE)

    def test_who_built_it_is_not_told_of_another_thing(self):
        before = ("can I take the bridge?", f"<{self.BRIDGE[0]}")
        self.assertTrue(self.said("who built it?", *before).startswith(NOT_KNOWN))

    def test_from_what_it_is_asks_of_what_was_told(self):
        before = ("who built the ferry?", f"<{self.BRIDGE[1]}")
        self.assertIn("from oak", self.said("from what", *before))

    def test_and_for_my_horse_asks_for_the_price_again(self):
        before = ("how much to get across?", f"<{self.BRIDGE[2]}")
        self.assertIn("a horse costs five", self.said("and for my horse?", *before))

    def test_two_of_what_was_priced_are_no_sum(self):
        said = self.said("I'll take two", "how much is the eel?", f"<{self.BRIDGE[3]}")
        self.assertIn("trade", said)

    def test_when_one_stops_is_told_by_how_long_it_goes(self):
        self.assertIn("at dusk", self.said("what time do you stop"))

    def test_before_something_is_a_time(self):
        said = self.said("when was that", "who made the gate?", f"<{self.BRIDGE[5]}")
        self.assertIn("before the kingdom was founded", said)

    def test_what_names_nothing_known_is_not_told_by_what_is_near(self):
        lore = ["Nobody may pass after the evening bell.", "He never came back."]
        said = asked("and if I come late?", "when do you close?", lore=lore)
        self.assertTrue(said.startswith(NOT_KNOWN))

    def test_how_it_looks_is_told_by_what_goes_on_about_it(self):
        lore = ["A horse is gone from our field.", "It was black, with a star on its brow."]
        said = asked("what did it look like?", "any horses?", f"<{lore[0]}", lore=lore)
        self.assertIn("black", said)

    def test_who_that_is_asks_of_whom_was_told(self):
        lore = [
            "Nightshade is sold to nobody without a letter from the magistrate.",
            "Magistrate Thorne is a hard man.",
        ]
        before = ("do you have nightshade?", f"<{lore[0]}")
        self.assertIn("Thorne", asked("who's that", *before, lore=lore))
        self.assertNotIn("Nightshade", asked("how old is she?", *before, lore=lore))
        said = asked("have you ever seen him?", *before, lore=lore)
        self.assertEqual(said, "I have not seen Magistrate Thorne, Ann.")

    def test_how_far_asks_of_the_place_that_was_told(self):
        lore = [
            "Mother Agnes runs the orphanage in Millbrook.",
            "Millbrook is an hour to the east.",
        ]
        said = asked("how far", "where is the orphanage?", f"<{lore[0]}", lore=lore)
        self.assertIn("an hour", said)

    def test_a_question_may_follow_what_is_told(self):
        lore = ["Mother Agnes runs the orphanage in Millbrook."]
        self.assertIn("Agnes", asked("i'm an orphan, can anyone help me", lore=lore))

    def test_whence_and_what_one_is_stand_in_an_introduction(self):
        met = {"text": "I am Bea, a weaver from Dunlow.", "by": "Ann", "kind": "said"}
        for text in ("do you remember where I come from?", "what do I do for a living?"):
            self.assertIn("weaver from Dunlow", asked(text, lore=[], memories=[met]))


class SwedishReferentTests(unittest.TestCase):
    def test_hon_and_han_are_told_apart(self):
        before = ("vem ska din dotter gifta sig med?", f"<{KVARN[1]}")
        self.assertIn("Lovisa", sagt("hur gammal är hon", *before))
        self.assertIn("stark som en oxe", sagt("vem är han?", *before))

    def test_henne_is_who_was_told_of(self):
        before = ("vem kan hjälpa mot värk?", f"<{KVARN[3]}")
        self.assertIn("på mossen", sagt("var hittar jag henne", *before))

    def test_man_is_nobody_and_the_beginning_of_a_reply_is_no_name(self):
        lore = ["Prästen Lundell har förbjudit all dans.", "Smeden heter Jon."]
        before = ("vem är prästen?", f"<Hör på, Ann. {lore[0]}", "varför får man inte dansa?")
        self.assertIn("Lundell", asked("var bor han", *before, lore=lore, language="sv"))

    def test_what_goes_on_with_him_tells_of_him(self):
        lore = [
            "Trummisen dränkte sig i dammen i våras.",
            "Han hette Lars och var bara sjutton år.",
            "Prosten ville inte begrava honom på kyrkogården.",
            "Torsten bor i Kvarnby.",
            "Till Kvarnby är det tre timmar till fots.",
        ]
        before = ("vem var trummisen", f"<{lore[0]}")
        for text, wanted in (
            ("hur gammal var han?", "sjutton år"),
            ("var begravdes han?", "kyrkogården"),
        ):
            with self.subTest(text):
                said = asked(text, *before, lore=lore, language="sv")
                self.assertIn(wanted, said)
        said = asked(
            "är det långt dit?", "var bor Torsten?", f"<{lore[3]}", lore=lore, language="sv"
        )
        self.assertIn("tre timmar", said)


if __name__ == "__main__":
    unittest.main()
