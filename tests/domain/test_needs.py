"""Who tells of a need hears of who helps; and what is asked in one language of what is written in another."""

import unittest

from tests.domain.small_talk_scene import answer, own, theirs

VILLAGE = [
    "A horse may cross for four pennies.",
    "Sim the smith is at the end of Mill Road.",
    "Old Agnes sets bones and sells herbs.",
    "The Heron Inn has clean beds and watery soup.",
    "The stone bridge at Cray fell in the spring.",
    "The chandler sells rope and oil.",
]
BY = [
    "Bron över Skurån är stängd.",
    "Gästgiveriet ligger vid torget.",
    "Min man är fiskare.",
    "The old mine is haunted.",
]
WILFA = {"name": "Wilfa", "persona": "Wilfa runs the ferry.", "language": "en"}
RAGNA = {"name": "Ragna", "persona": "Ragna är väverska.", "language": "sv"}


def asked(text, *before, npc=WILFA, lore=VILLAGE, **changes):
    """Return what is said to Ann, who said some lines before, or heard them (those after "<")."""
    said = [own(line[1:]) if line.startswith("<") else theirs(line) for line in before]
    return answer(text, npc=npc, lore=lore, conversation=said, **{"memories": [], **changes})


class NeedTests(unittest.TestCase):
    def test_who_tells_of_a_need_hears_of_who_helps(self):
        for said, helps in [
            ("my horse lost a shoe", VILLAGE[1]),
            ("I think I broke my arm.", VILLAGE[2]),
            ("i could do with something to eat", VILLAGE[3]),
            ("my lamp's run dry", VILLAGE[5]),
        ]:
            with self.subTest(said):
                self.assertEqual(asked(said), helps)

    def test_who_can_help_says_what_they_are(self):
        smith = {"name": "Ragna", "persona": "Ragna is a gruff smith.", "language": "en"}
        self.assertEqual(asked("my axe is dull", npc=smith), "I am a gruff smith.")

    def test_a_need_beside_a_question_counts(self):
        self.assertEqual(asked("his shoe came off. Know anyone?"), VILLAGE[1])

    def test_what_is_no_need_or_of_the_listener_is_none(self):
        for said in ("I bought new shoes", "you broke your arm", "it was me who broke the window"):
            with self.subTest(said):
                self.assertNotIn(asked(said), VILLAGE)

    def test_hungry_in_swedish_is_sent_to_the_inn_and_to_no_fisher(self):
        said = asked("jag är så jävla hungrig", npc=RAGNA, lore=BY)
        self.assertEqual(said, BY[1])


class WonderTests(unittest.TestCase):
    def test_who_tells_that_they_do_not_know_asks(self):
        for said, known in [
            ("I can't find the smith.", VILLAGE[1]),
            ("no idea where to get something to eat", VILLAGE[3]),
            ("you must know a healer", VILLAGE[2]),
        ]:
            with self.subTest(said):
                self.assertEqual(asked(said), known)
        said = asked("ingen aning om var man får mat", npc=RAGNA, lore=BY)
        self.assertEqual(said, BY[1])

    def test_who_does_not_know_what_to_do_is_told_nothing(self):
        self.assertNotIn(asked("I don't know what to do"), VILLAGE)


class PastTests(unittest.TestCase):
    LORE = (
        "I took over the ferry when Hal drowned.",
        "I have never been further than Cray.",
        "I live by the river.",
    )

    def test_how_the_npc_came_to_its_work_is_told(self):
        for said in (
            "you always done this job?",
            "what did you do before you had the ferry?",
        ):
            with self.subTest(said):
                self.assertEqual(asked(said, lore=self.LORE), self.LORE[0])

    def test_how_far_it_has_been_is_told(self):
        self.assertEqual(asked("you ever been to the capital", lore=self.LORE), self.LORE[1])

    def test_where_it_has_lived_is_not_told_by_its_work(self):
        self.assertNotEqual(asked("have you always lived here?", lore=self.LORE), self.LORE[0])


class PriceTests(unittest.TestCase):
    def test_what_it_costs_to_bury_her_is_no_price_of_hers(self):
        mother = {"text": "My mother Ellen died.", "by": "Ann", "kind": "said"}
        grave = ["A plain grave is five shillings."]
        before = ("My mother Ellen died.",)
        said = asked("what would it cost to bury her?", *before, lore=grave, memories=[mother])
        self.assertEqual(said, grave[0])


class LeaveTests(unittest.TestCase):
    def test_what_has_fallen_tells_whether_it_may_be_taken(self):
        self.assertEqual(asked("can i take the bridge at Cray instead?"), VILLAGE[4])


class OtherLanguageTests(unittest.TestCase):
    def test_swedish_finds_what_is_written_in_english(self):
        self.assertEqual(asked("spökar det i gruvan?", npc=RAGNA, lore=BY), BY[3])
        self.assertEqual(asked("kan man gå över bron?"), VILLAGE[4])

    def test_english_finds_what_is_written_in_swedish(self):
        self.assertEqual(asked("is there an inn here?", npc=RAGNA, lore=BY), BY[1])

    def test_a_word_of_both_languages_is_read_in_the_one_that_is_spoken(self):
        said = asked("where is your barn?", lore=["My child sleeps in the loft."])
        self.assertNotIn("child", said)


class GoingOnTests(unittest.TestCase):
    BACK = {
        "text": "I will be back on Monday with my sister Ylva.",
        "by": "Ann",
        "kind": "said",
        "timestamp": "2025-01-03T00:00:00Z",
    }

    def test_when_and_with_whom_is_told_by_what_they_said(self):
        told = 'You told me: "I will be back on Monday with my sister Ylva."'
        self.assertIn(told[9:], asked("when am i coming back?", memories=[self.BACK]))
        said = asked("and who with?", f"<{told}", memories=[self.BACK])
        self.assertIn(told, said)

    def test_why_there_is_told_by_the_reason(self):
        lore = ["I sleep in the loft because it is dry."]
        said = asked("why there of all places", "where do you sleep?", f"<{lore[0]}", lore=lore)
        self.assertEqual(said, f"As I said, Ann: {lore[0]}")

    def test_he_is_who_was_quoted(self):
        pell = {"by": "Pell", "kind": "said", "timestamp": "2025-01-03T00:00:00Z"}
        known = [
            {**pell, "text": "My name is Pell and I'm a baker from Dunmere."},
            {**pell, "text": "I think I broke my arm."},
        ]
        said = asked(
            "where's he from?", '<I have it from Pell: "I think I broke my arm."', memories=known
        )
        self.assertIn("from Dunmere", said)

    def test_liking_is_told_with_what_goes_on_about_whom(self):
        lore = ["My grandson Tuck wants to be a soldier. I think him a fool."]
        self.assertEqual(asked("do you like your grandson?", lore=lore), lore[0])


class DeedTests(unittest.TestCase):
    KICK = {
        "text": "*kicks Wilfa's cat*",
        "by": "Dain",
        "kind": "said",
        "timestamp": "2025-01-03T00:00:00Z",
    }

    def test_who_strikes_the_npc_is_not_thought_well_of(self):
        bad = "I can't say that I think well of Dain, Ann."
        for said in ("what do you think of Dain?", "what do you think of that Dain fellow?"):
            with self.subTest(said):
                self.assertEqual(asked(said, memories=[self.KICK]), bad)

    def test_who_struck_it_hears_so(self):
        mine = {**self.KICK, "by": "Ann"}
        self.assertEqual(
            asked("what do you think of me?", memories=[mine]),
            "I can't say that I think well of you, Ann.",
        )

    def test_who_strikes_something_else_is_no_enemy(self):
        drum = {**self.KICK, "text": "*hits the drum*"}
        self.assertEqual(
            asked("what do you think of Dain?", memories=[drum]),
            "I have not made up my mind about Dain yet, Ann.",
        )


if __name__ == "__main__":
    unittest.main()
