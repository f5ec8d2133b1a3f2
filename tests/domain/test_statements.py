"""Tests of what a sentence says of a person."""

import unittest

from evennia_ai.domain import statements

# What somebody says of themselves to Mara: words, and (kind, phrase) of what is read.
OWN = {
    "I love tea.": [("preference", "loves tea")],
    "I never drink coffee": [("preference", "never drinks coffee")],
    "My sister lives in the mill!": [("family", "has a sister who lives in the mill")],
    "My brother Tom died last winter.": [("family", "has a brother Tom who died last winter")],
    "My dog is called Rex.": [("belongings", "has a dog who is called Rex")],
    "I have two brothers and a boat.": [("family", "has two brothers and a boat")],
    "Call me Bo.": [("name", "is called Bo")],
    "I am called Bo Twenty years old.": [("name", "is called Bo Twenty years old")],
    "Well, my name is Anna of Wood.": [("name", "is called Anna of Wood")],
    "I am Tam from Elmstead.": [("name", "is called Tam"), ("origin", "comes from Elmstead")],
    "I am Corvin Pell, a tailor's apprentice, and I lied to you.": [
        ("name", "is called Corvin Pell"),
        ("trait", "is a tailor's apprentice"),
    ],
    "Bertil is my name, and I mend nets.": [
        ("name", "is called Bertil"),
        ("occupation", "mends nets"),
    ],
    "I keep bees behind the mill.": [("occupation", "keeps bees behind the mill")],
    "I keep my promises, and make mistakes.": [],
    "I grow restless. I grow useless at fights.": [],
    "I grew up in Thornby.": [("origin", "comes from Thornby")],
    "I am Swedish.": [],
    "I used to love tea, now I prefer ale.": [
        ("preference", "used to love tea"),
        ("preference", "prefers ale"),
    ],
    "I'm afraid of spiders!": [("fear", "fears spiders")],
    "I don’t like the miller because he cheats.": [("preference", "dislikes the miller")],
    "I can't stand the smell of fish": [("preference", "cannot stand the smell of fish")],
    "I no longer drink ale.": [("preference", "no longer cares for ale")],
    "I don't drink ale anymore.": [("preference", "no longer cares for ale")],
    "I don't love Bo any more.": [("preference", "no longer cares for Bo")],
    "My favourite drink is mead.": [("preference", "favours mead above any other drink")],
    "I prefer tea to coffee.": [("preference", "prefers tea to coffee")],
    "I like tea, but I hate coffee.": [
        ("preference", "likes tea"),
        ("preference", "hates coffee"),
    ],
    "Well, I really hate cats and love dogs.": [
        ("preference", "hates cats"),
        ("preference", "loves dogs"),
    ],
    "Honestly, I detest cabbage, especially boiled.": [("preference", "hates cabbage")],
    "I'd love a cup of tea.": [],
    "I always drink a mug of ale.": [("preference", "often has ale")],
    "I live in the old mill by the river.": [("home", "lives in the old mill by the river")],
    "I come from the north.": [("origin", "comes from the north")],
    "I work as a smith": [("occupation", "works as a smith")],
    "I'm a baker from Riverton": [("trait", "is a baker from Riverton")],
    "I'm married to Tom.": [("trait", "is married to Tom")],
    "I am thirty years old.": [("age", "is thirty years old")],
    "I have two horses": [("belongings", "has two horses")],
    "I own a boat.": [("belongings", "owns a boat")],
    "I want to sail to the islands": [("wish", "wants to sail to the islands")],
    "I want to confess something": [],
    "I am looking for my brother": [("wish", "is looking for their brother")],
    "I want my sword back.": [("wish", "wants their sword back")],
    "I know how to forge a blade": [("skill", "knows how to forge a blade")],
    "I can swim.": [("skill", "can swim")],
    "I can't swim.": [("skill", "cannot swim")],
    "I love my sister very much.": [("preference", "loves their sister")],
    "I love your ale, Mara.": [("preference", "loves Mara's ale")],
    "Mara, I love you.": [],
    # What says nothing that lasts, or nothing about themselves.
    "I love it.": [],
    "What do I like?": [],
    "Do I look as if I like tea?": [],
    "I am tired.": [],
    "I have a question.": [],
    "I am a bit hungry.": [],
    "I'd like a room.": [],
    "I would hate coffee.": [],
    "I saw a wolf in the wood.": [],
    "I want you to leave.": [],
    "Call me later.": [],
    "Bo hates cats.": [],
    "If I love tea, what of it": [],
    "": [],
}

# What is noted of Anna by others.
OTHERS = {
    "Likes tea.": [("preference", "likes tea")],
    "Anna likes tea": [("preference", "likes tea")],
    "She hates coffee": [("preference", "hates coffee")],
    "Anna ordered tea": [("preference", "often has tea")],
    "Asked for tea again.": [("preference", "often has tea")],
    "Anna doesn't like fish.": [("preference", "dislikes fish")],
    "Anna never drinks coffee and loves rain": [
        ("preference", "never drinks coffee"),
        ("preference", "loves rain"),
    ],
    "Her brother works at the mill": [("family", "has a brother who works at the mill")],
    "Is a baker from Riverton": [("trait", "is a baker from Riverton")],
    "Bo hates cats": [],
    "I like tea": [],
    "My sister lives in the mill": [],
}


def told(found):
    return [(one.kind, one.phrase) for one in found]


class OwnWordsTests(unittest.TestCase):
    def test_what_somebody_says_of_themselves(self):
        for words, expected in OWN.items():
            with self.subTest(words):
                found = statements.read(words, name="Anna", is_own=True, listener="Mara")
                self.assertEqual(told(found), expected)

    def test_how_firmly_it_is_said(self):
        for words, strong in (
            ("I love tea.", True),
            ("I like tea.", False),
            ("I really like tea.", True),
            ("I dislike tea.", False),
            ("I hate tea.", True),
        ):
            with self.subTest(words):
                [found] = statements.read(words, is_own=True)
                self.assertEqual(found.is_strong, strong)

    def test_for_against_or_once(self):
        for words, stance, change in (
            ("I like tea.", 1, False),
            ("I dislike tea.", -1, False),
            ("I used to like tea.", 0, True),
            ("Nowadays I hate tea.", -1, True),
            ("I hate tea now.", -1, True),
        ):
            with self.subTest(words):
                [found] = statements.read(words, is_own=True)
                self.assertEqual((found.stance, found.is_change), (stance, change))

    def test_two_ways_of_naming_a_thing_are_one(self):
        for one, other in (
            ("I like the old mill", "I hate mills"),
            ("I like a good story", "I dislike stories"),
            ("I live in the mill", "I live in a tower"),
        ):
            with self.subTest(one):
                [first] = statements.read(one, is_own=True)
                [second] = statements.read(other, is_own=True)
                self.assertEqual(first.key, second.key)

    def test_a_story_is_no_thing(self):
        words = "I love " + " and ".join(["rivers"] * 8)
        self.assertEqual(statements.read(words, is_own=True), [])

    def test_what_players_write_is_cleaned(self):
        [found] = statements.read("I love \x07tea\t from afar.", is_own=True)
        self.assertEqual(found.phrase, "loves tea from afar")


class OfOthersTests(unittest.TestCase):
    def test_what_is_noted_of_somebody(self):
        for words, expected in OTHERS.items():
            with self.subTest(words):
                self.assertEqual(told(statements.read(words, name="Anna")), expected)

    def test_a_name_may_hold_anything(self):
        self.assertEqual(
            told(statements.read("An (na likes tea", name="An (na")), [("preference", "likes tea")]
        )

    def test_what_is_reported_is_marked(self):
        [found] = statements.read("Reportedly hates cats", name="Anna")
        self.assertTrue(found.is_hearsay)

    def test_every_phrase_can_be_read_again(self):
        """A value made of phrases is read back as the same phrases: the rules build on it."""
        for words, expected in [*OWN.items(), *OTHERS.items()]:
            own = words in OWN
            phrases = [phrase for _, phrase in expected]
            value = ", ".join(phrases)
            with self.subTest(words, value=value, own=own):
                again = statements.read(value[:1].upper() + value[1:], name="Anna")
                self.assertEqual([one.kind for one in again], [kind for kind, _ in expected])
                self.assertEqual(len(statements.clauses(value)), len(phrases))


class ObservationTests(unittest.TestCase):
    def read(self, content):
        return told(statements.read_observation(content, name="Anna", listener="Mara"))

    def test_own_words_and_words_of_others_are_told_apart(self):
        own = statements.as_observation("I love tea.")
        self.assertEqual(own, "Says: I love tea.")
        self.assertEqual(self.read(own), [("preference", "loves tea")])
        other = statements.as_observation("Anna hates cats.", by="Cole")
        self.assertEqual(other, "Cole says: Anna hates cats.")
        self.assertEqual(self.read(other), [("preference", "hates cats")])

    def test_the_i_of_others_is_not_the_person(self):
        self.assertEqual(self.read("Cole says: I love cats."), [])
        self.assertEqual(self.read("Anna says: I love cats."), [("preference", "loves cats")])

    def test_whom_sentences_may_be_about(self):
        self.assertEqual(statements.subjects("Bo hates cats."), ["Bo"])
        self.assertEqual(
            statements.subjects("Bo hates cats. Old Tom likes ale."), ["Bo", "Old Tom", "Old"]
        )
        self.assertEqual(statements.subjects("Does Bo hate cats?"), [])


class ThirdPersonTests(unittest.TestCase):
    def test_my_and_your(self):
        for words, expected in (
            ("my boat", "their boat"),
            ("your ale", "Mara's ale"),
            ("you", "Mara"),
            ("the army", "the army"),
        ):
            with self.subTest(words):
                self.assertEqual(statements.third_person(words, "Mara"), expected)
        self.assertEqual(statements.third_person("your ale"), "your ale")
