"""What is no answer, though it speaks of the same thing; and what is said of one's family, and of the hour."""

import unittest

from evennia_ai.core import languages
from tests.domain.small_talk_scene import answer, own, theirs

PUPPETS = [
    "My puppets are carved of pear wood.",
    "My brother Osk ran away to sea when he was twelve.",
    "Last winter a fire took the sail loft, and two apprentices were burned.",
    "A foreign captain bought seven puppets and paid in old gold.",
    "The sailor Ewan is married to a baker.",
    "The glass eyes come from a blind glassblower in Velm called Mother Ance.",
]
CIRKUS = [
    "Björnen heter Brumme och är elva år gammal.",
    "Min far var präst och vill inte veta av mig.",
    "Någon stal vår kassakista i Mora.",
    "Inträdet kostar två öre.",
]
ASIDES = tuple(line.replace("{name}", "Ann") for line in languages.load("en").phrases["aside"])
DORRIT = {"name": "Dorrit", "persona": "Dorrit is a puppet maker.", "language": "en"}
TYRA = {"name": "Tyra", "persona": "Tyra är björntämjare.", "language": "sv"}


def said(text, *before, npc=DORRIT, lore=PUPPETS):
    """Return the answer to a line after some talk, which the speaker begins."""
    lines = [own(one) if place % 2 else theirs(one) for place, one in enumerate(before)]
    return answer(text, npc=npc, lore=list(lore), conversation=lines, time="evening")


def sagt(text, *before):
    return said(text, *before, npc=TYRA, lore=CIRKUS)


class ToldBeforeTests(unittest.TestCase):
    """What was told a moment ago is told again only to who asks for something else in it."""

    def test_of_somebody_the_same_is_told_once_more_as_all_that_is_known(self):
        for first, told, asked in (
            ("do you have a brother?", PUPPETS[1], "what happened to him?"),
            ("where do you get the eyes?", PUPPETS[5], "how can she make glass if she can't see?"),
        ):
            with self.subTest(asked):
                again = said(asked, first, told)
                self.assertRegex(again, r"(couldn't swear to it|can't say), Ann\. .+: .+")
                self.assertNotRegex(said(asked, first, told, asked, again), told)

    def test_how_he_died_is_told_by_what_came_before_it(self):
        for fact, is_told in (
            ("My brother Osk fell from the mast and died.", True),
            ("My brother Osk died in the winter.", False),
        ):
            told = said("how did he die?", "do you have a brother?", fact, lore=[fact])
            self.assertEqual(told == f"As I said, Ann: {fact}", is_told, told)

    def test_who_did_it_is_not_told_by_what_was_done(self):
        before = ("was anybody hurt in the loft?", PUPPETS[2])
        self.assertNotIn("apprentices", said("who set it on fire?", *before))

    def test_what_else_it_tells_is_told_again(self):
        before = ("did you sell puppets to a captain?", PUPPETS[3])
        self.assertIn("old gold", said("what did he pay with?", *before))

    def test_who_asks_the_same_again_is_told_it_again(self):
        before = ("what wood are the puppets of?", PUPPETS[0])
        self.assertIn("pear wood", said("what wood are the puppets of?", *before))


class EvidenceTests(unittest.TestCase):
    def test_which_is_the_best_is_not_told_by_what_all_are(self):
        self.assertNotIn("pear", said("which of your puppets is the best?"))

    def test_that_a_thing_is_a_bear_does_not_tell_that_it_is_dangerous(self):
        self.assertNotEqual(sagt("är den där björnen farlig?"), CIRKUS[0])

    def test_how_it_was_got_is_not_told_by_its_name(self):
        self.assertNotEqual(sagt("hur fick du tag i björnen?"), CIRKUS[0])

    def test_a_ring_is_not_found_in_a_spring(self):
        self.assertNotIn("spring", said("who has a ring?", lore=["Ewan dug the spring."]))
        self.assertIn("Ewan", said("who is a smith?", lore=["Ewan is a blacksmith."]))

    def test_what_was_there_is_no_question_of_where(self):
        self.assertNotIn("två öre", sagt("hur mycket pengar var det i den?"))

    def test_what_was_heard_is_told_if_it_is_known(self):
        self.assertIn(CIRKUS[2], sagt("jag hörde att ni blivit bestulna"))
        self.assertNotIn("pear", said("I heard your puppets were stolen"))


class FamilyTests(unittest.TestCase):
    def test_kin_that_is_written_is_told(self):
        self.assertIn("Osk", said("do you have any brothers or sisters?"))
        self.assertIn("Osk", said("do you have any family?"))
        self.assertIn("präst", sagt("lever dina föräldrar?"))

    def test_of_what_is_not_written_nothing_is_made_up(self):
        for asked in ("are you married?", "do you have children?", "is he your husband?"):
            with self.subTest(asked):
                self.assertIn(
                    said(asked),
                    ("I keep my family to myself, Ann.", "Of my kin I say little, Ann."),
                )
        self.assertRegex(sagt("har du några barn själv?"), "släkt|familj")
        self.assertRegex(sagt("är du gift?"), "släkt|familj")

    def test_a_widow_is_known_by_what_she_is(self):
        widow = {"name": "Marta", "persona": "Marta is a widow and keeps bees.", "language": "en"}
        self.assertIn("widow", said("are you married?", npc=widow))

    def test_rooms_trade_and_other_people_are_no_question_of_family(self):
        lore = ["I know the widow Marsh.", "I rent single rooms for a penny."]
        self.assertNotIn("Marsh", said("are you married?", lore=lore))
        self.assertNotIn("penny", said("are you married?", lore=lore))
        self.assertIn("penny", said("do you have a single room?", lore=lore))
        self.assertNotIn("family", said("are you engaged in smuggling?", lore=lore))
        self.assertNotIn("släkt", sagt("är du upptagen?"))

    def test_kin_of_which_something_else_is_asked_is_no_question_of_family(self):
        self.assertNotIn("family to myself", said("where does your brother live?"))


class LineTests(unittest.TestCase):
    def test_whether_it_is_late_is_told_by_the_hour(self):
        self.assertEqual(said("is it late?"), ("get_time", {}))
        self.assertEqual(sagt("är det kväll nu?"), ("get_time", {}))

    def test_laughter_behind_a_line_is_left_out(self):
        self.assertEqual(said("looks creepy lol"), said("looks creepy"))

    def test_a_death_in_the_family_is_mourned(self):
        self.assertRegex(said("I had a sister once. She died of the pox."), "sorry|not alone")
        self.assertIn("Tack", sagt("Det var tråkigt att höra."))

    def test_whom_one_calls_mister_is_nobody_who_is_spoken_of(self):
        self.assertNotIn("mister", said("what's his name?", "hey mister", "Hello."))

    def test_what_is_said_of_the_npc_is_no_news(self):
        self.assertIn(said("You should have caught it."), ASIDES)

    def test_thanks_are_no_question(self):
        self.assertRegex(sagt("tack ska du ha"), "Ingen orsak|För all del|stå till")


class OwnKinTests(unittest.TestCase):
    def test_a_father_is_no_mother(self):
        lore = ["My mother lives in Velm and bakes."]
        self.assertIn("Velm", said("is your mother alive?", lore=lore))
        self.assertNotIn("Velm", said("is your father alive?", lore=lore))

    def test_nobody_says_of_their_own_brother_that_they_do_not_know(self):
        before = ("do you have a brother?", PUPPETS[1])
        self.assertRegex(said("do you miss him?", *before) + said("is he rich?", *before), "Osk")
