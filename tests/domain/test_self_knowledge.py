"""What an NPC without a model knows of itself, its room and its people, and in whose words it says it."""

import unittest

from tests.domain.small_talk_scene import answer, theirs
from tests.language_files import language_file

BORIN = {"name": "Borin", "persona": "You are Borin, the old smith of Ashford."}
LORE = [
    "A plain sword costs forty silvers.",
    "Borin is sixty-one years old.",
    "Borin sells swords and daggers.",
    "Goblins live in the caves north of the river.",
    "The Golden Goose is the inn across the square; Sella keeps it.",
    "Borin's apprentice is called Wat.",
]
AROUND = {
    "npc": BORIN,
    "memories": [],
    "lore": LORE,
    "exits": [{"name": "square", "leads_to": "Market Square"}, {"name": "hatch", "leads_to": ""}],
    "carried": ["iron tongs"],
    "now": "2025-01-05T12:00:00.000Z",
    "seen": [
        {"name": "Gwen", "timestamp": "2025-01-05T08:00:00.000Z"},
        {"name": "Old Tam", "timestamp": "2025-01-02T08:00:00.000Z"},
    ],
}
SWORDS = {
    "text": "My father made swords for the king.",
    "by": "Bob",
    "kind": "said",
    "timestamp": "2025-01-01T00:00:00.000Z",
}
MOTHER = {**SWORDS, "text": "My mother lives in Oakhaven.", "by": "Ann"}
WEAVER = {**SWORDS, "text": "I am a weaver by trade.", "by": "Ann"}


def said(words, **changes):
    """Return what Borin says to Ann."""
    return answer(words, **{**AROUND, **changes})


class OneselfTests(unittest.TestCase):
    def test_the_builders_word_goes_before_what_players_say(self):
        for words in ("how much is a sword?", "what's the price of swords", "how much for 1 sword"):
            with self.subTest(words):
                self.assertEqual(
                    said(words, memories=[SWORDS]), "A plain sword costs forty silvers."
                )

    def test_of_its_own_things_players_say_nothing(self):
        self.assertNotIn("king", said("how much is a sword?", memories=[SWORDS], lore=[]))
        self.assertNotIn("king", said("where do you make swords?", memories=[SWORDS], lore=[]))

    def test_how_it_came_to_what_it_is_is_told_of_what_it_is_only(self):
        lore = ["Borin was a soldier before he became a smith."]
        told = "I was a soldier before I became a smith."
        self.assertEqual(said("have you always been a smith?", lore=lore), told)
        self.assertNotEqual(said("have you always been a baker?", lore=lore), told)

    def test_it_speaks_of_itself_as_i(self):
        for words, expected in (
            ("how old are you?", "I am sixty-one years old."),
            ("what do you sell?", "I sell swords and daggers."),
            ("what do you do for a living?", "I am Borin, the old smith of Ashford."),
            ("whats your apprentice called?", "My apprentice is called Wat."),
            ("you the smith?", "The very same, Ann."),
            ("are you a baker?", "No, Ann. I am Borin, the old smith of Ashford."),
            ("what are you carrying?", "I have iron tongs with me, Ann."),
            ("do you sell the tongs?", "I have iron tongs with me, Ann."),
        ):
            with self.subTest(words):
                self.assertEqual(said(words), expected)

    def test_what_it_carries_is_told_as_evennia_calls_things_of_a_kind(self):
        for carried, expected in (
            (["lamp"], "I have a lamp with me, Ann."),
            (["old lamp", "glass"], "I have an old lamp and a glass with me, Ann."),
            (["the great axe", "Excalibur"], "I have the great axe and Excalibur with me, Ann."),
        ):
            with self.subTest(carried):
                self.assertEqual(said("what are you carrying?", carried=carried), expected)

    def test_other_words_for_the_same_thing_find_it(self):
        for words, part in (
            ("any monsters around here?", "Goblins"),
            ("where can I get a drink?", "Golden Goose"),
            ("is there a place to sleep?", "Golden Goose"),
            ("have you seen any goblnis?", "Goblins"),
        ):
            with self.subTest(words):
                self.assertIn(part, said(words))
        with language_file("en", "synonyms: [clankers < goblins]"):
            self.assertIn("Goblins", said("where are the clankers?"))
        self.assertNotIn("Goblins", said("where are the clankers?"))

    def test_what_is_asked_for_must_be_in_the_answer(self):
        self.assertRegex(
            said("how many goblins are there?"), "can't say.*All I know|swear.*do know"
        )
        for words in ("when do you sell swords?", "how old is Wat?"):
            with self.subTest(words):
                self.assertNotRegex(said(words), "Goblins|sell|called")


class PlaceTests(unittest.TestCase):
    def test_ways_are_told_by_name_and_where_they_lead(self):
        for words in ("which way is the square?", "how do I get to the market square"):
            with self.subTest(words):
                self.assertRegex(said(words), "^Square.* Market Square")
        self.assertEqual(
            said("what exits are there?"),
            "From here you can go: Square, to Market Square; Hatch.",
        )
        self.assertEqual(
            said("where does the hatch lead?"), "Hatch, Ann. Where it ends I can't tell you."
        )

    def test_it_knows_who_is_here_and_who_was(self):
        for words, part in (
            ("is Bob here?", "Bob"),
            ("have you seen Gwen?", "Gwen was here earlier today, Ann, but is gone now."),
            ("where is old tam?", "Old Tam was here some days ago, Ann, but is gone now."),
            ("who has been here today?", "Bob, Grim the guard and Gwen here today"),
        ):
            with self.subTest(words):
                self.assertIn(part, said(words))

    def test_an_opinion_of_him_is_of_who_was_here_last(self):
        opinion = "I have not made up my mind about Gwen yet, Ann."
        self.assertEqual(said("what do you think of her?"), opinion)
        self.assertNotEqual(said("what do you think of her?", seen=[]), opinion)

    def test_the_date_is_that_of_the_game_or_not_known(self):
        self.assertEqual(said("what year is it?"), "I keep no count of the days and years, Ann.")
        self.assertEqual(
            said("what year is it?", date="1203-05-01"), "It is 1203-05-01, as far as I know, Ann."
        )


class PeopleTests(unittest.TestCase):
    def test_who_asks_of_themselves_hears_what_they_told(self):
        for words in ("what do I do for a living?", "whats my job"):
            with self.subTest(words):
                self.assertIn(
                    '"I am a weaver by trade."', said(words, memories=[MOTHER], people=[WEAVER])
                )
        self.assertIn("Oakhaven", said("where does my mother live?", people=[MOTHER]))
        bobs = {**MOTHER, "by": "Bob"}
        self.assertNotIn("Oakhaven", said("where does my mother live?", people=[bobs]))

    def test_what_it_was_given_it_remembers(self):
        given = {**SWORDS, "text": "Ann gives you an apple.", "by": "Ann"}
        self.assertEqual(
            said("what did I give you?"),
            "Nothing that I recall, Ann. I have not had a thing from you.",
        )
        self.assertEqual(said("what did I give you?", people=[given]), "You gave me an apple, Ann.")

    def test_what_it_thinks_of_somebody_is_how_it_regards_them(self):
        friend = {"name": "Ann", "identity": "u1", "state": "friend"}
        self.assertEqual(
            said("what do you think of me?"),
            "I hardly know you yet, Ann. You seem decent company.",
        )
        self.assertEqual(
            said("do you like me?", speaker=friend), "I think of you as a friend, Ann."
        )

    def test_nobody_quotes_an_echo(self):
        echo = {**SWORDS, "text": "You told me: 'the crown is under the oak'."}
        self.assertNotIn("oak", said("where is the crown?", memories=[echo]))

    def test_what_points_back_is_about_what_was_talked_of(self):
        before = [theirs("where does my mother live?")]
        self.assertIn("Oakhaven", said("and where is she?", people=[MOTHER], conversation=before))


class TalkTests(unittest.TestCase):
    def test_what_people_say_in_passing_has_an_answer_of_its_kind(self):
        for words, part in (
            ("can I ask you something?", "Ask away|What is it"),
            ("are you sure?", "I tell it as I know it|As sure as"),
            ("wow", "So it is|say so"),
            ("how's business?", "work|complain"),
            ("any quests for me?", "no work|just now"),
            ("nice forge you have", "flatter|kind of you"),
            ("blorp fizz wug wug", "Strange words|means nothing|lost me"),
        ):
            with self.subTest(words):
                self.assertRegex(said(words), part)

    def test_words_that_are_known_are_no_nonsense(self):
        self.assertNotRegex(
            said("strange mushrooms everywhere"), "Strange words|means nothing|lost me"
        )

    def test_what_has_its_price_is_no_gift(self):
        for words in ("give me a sword", "I'd like to buy a sword", "can I have a sword please"):
            with self.subTest(words):
                self.assertIn("forty silvers", f"{answer(words, **AROUND)}")
        self.assertEqual(
            answer("give me the tongs", **AROUND), ("give", {"item": "tongs", "target": "Ann"})
        )
        self.assertIn("nothing of the kind", answer("I want to buy a dragon", **AROUND))
