"""What counts as putting something right, and what an earlier sentence says then."""

import unittest

from evennia_ai.domain.offline import corrections

RIGHT = (
    (
        "On Friday I will bring you twelve sacks.",
        "And it is thirteen sacks, not twelve: I counted wrong.",
        "On Friday I will bring you thirteen sacks.",
    ),
    (
        "I was born in Thornby, and I look for the mill.",
        "Sorry, I said it wrong: I was born in Harrow, not in Thornby.",
        "I was born in Harrow, and I look for the mill.",
    ),
    ("My mother lives in Oakhaven.", "Sorry, she lives in Elmstead, not Oakhaven.", "My mother lives in Elmstead."),
    ("My mother lives in Oakhaven.", "no wait, she lives in Fernhill now", "My mother lives in Fernhill."),
    ("I am afraid of spiders.", "no, I meant snakes, not spiders", "I am afraid of snakes."),
    ("I work as a carpenter.", "actually I'm a mason now, not a carpenter", "I'm a mason now."),
    ("Min bror Erik är snickare.", "nej förlåt, han är fiskare", "Min bror Erik är fiskare."),
    ("I am a weaver.", "Wait, I am a dyer", "I am a dyer."),
    ("My boy is called Per, he is four.", "No, I meant he is five!", "My boy is called Per, he is five."),
    ("Jag kommer från Mariestad.", "Förlåt, jag sade fel förut: jag kommer från Hjo, inte Mariestad", "Jag kommer från Hjo."),
    ("We sail on Thursday for Porto.", "I was wrong: we sail on Saturday, not on Thursday", "We sail on Saturday for Porto."),
    ("My sister Mina sells candles there.", "Actually my sister Mina sells honey, not candles", "My sister Mina sells honey there."),
    ("My cousin Marvin lives in Marrow.", "I said Marvin but its Martin", "My cousin Martin lives in Marrow."),
    ("Ada is the cook of the inn.", "No wait, Ada isn't the cook, she's the carpenter", "Ada is the carpenter of the inn."),
    ("My brother Dale is sick.", "He isn't my brother actually. He's my uncle.", "My uncle Dale is sick."),
    ("My sister Nell is a weaver in Highmoor.", "no wait she's a dyer", "My sister Nell is a dyer in Highmoor."),
    ("I bought this ring for ten shillings.", "Actually it was twelve.", "I bought this ring for twelve shillings."),
    ("I paid her six pennies.", "No wait, it was two shillings.", "I paid her two shillings."),
    ("I have three cows.", "no, it was four cows", "I have four cows."),
    ("I lost my dog Rex by the river.", "no wait, his name is Rolf, not Rex", "I lost my dog Rolf by the river."),
    ("Jag är bagare.", "Nej vänta, jag är inte bagare, jag är konditor.", "Jag är konditor."),
    ("Min kusin Lars bor i Lund.", "Jag sa Lars men han heter Lasse", "Min kusin Lasse bor i Lund."),
    ("I lost my dog Pepper near the mill.", "Actually Pepper is a cat, not a dog.", "I lost my cat Pepper near the mill."),
    ("I will be back on Monday with my sister.", "oh sorry i meant Tuesday", "I will be back on Tuesday with my sister."),
    ("I'll bring you six hens on friday", "wait, make that eight", "I'll bring you eight hens on friday"),
    ("Jag reser på fredag.", "nej förlåt, jag menade söndag", "Jag reser på söndag."),
    ("My dog is called Rex.", "sorry, I meant Rolf", "My dog is called Rolf."),
)  # fmt: skip
NOT = (
    ("I never was in Harrow.", "No, I come from Brem, not from Harrow."),
    ("I met Tom.", "I mean Yes."),
    ("I met Tom.", "I mean Hello."),
    ("I met Tom.", "I mean Please."),
    ("I met Tom.", "I mean Sorry."),
    ("I met Tom.", "I mean She."),
    ("Jag träffade Tom.", "jag menar Nej"),
    ("We sail on Monday or Friday.", "sorry, I meant Tuesday"),
    ("I met Ann at the well.", "No, Sir"),
    ("I met Ann at the well.", "oh sorry, I meant the soup"),
    ("I am a weaver.", "sorry, I didn't mean that"),
    ("I am a weaver.", "Sorry, I am late"),
    ("I like you.", "no, I don't like you"),
    ("I am scared of ghosts.", "im not scared of ghosts"),
    ("Bob is the cook.", "Ada isn't the cook, she's the carpenter"),
    ("I have three cows and two pigs.", "no, it was four"),
    ("My mother lives in Oakhaven.", "My sister lives in Elmstead."),
    ("My mother lives in Oakhaven.", "does she live in Elmstead, not Oakhaven?"),
    ("I come from Lund.", "Oh, I come from Lund, not Malmö"),
    ("Jag är fiskare.", "förlåt, det var dumt av mig"),
    ("I live in Oakhaven.", "I live in Elmstead now, not in Oakhaven any more"),
    ("Jag bor i Hjo.", "Jag bor i Lund nu, inte i Hjo längre"),
    ("Ich wohne in Lund.", "Ich wohne jetzt in Hjo, nicht mehr in Lund"),
)


# What is taken back, what was said before, and whether that is what is meant.
TAKEN_BACK = (
    ("It is true. I am no lord, and I lied to you.", "I am Lord Corvin of Vell.", True),
    ("I am no smith.", "My smith made this knife.", False),
    ("I'm not a lord", "The lord lives in Vell.", False),
    ("I was never in Holt.", "I come from Holt.", True),
    ("I lied about my mother.", "My mother lives in Oakhaven.", True),
    ("I lied about my mother.", "The mother of Ann lives in Oakhaven.", False),
    ("That was a lie.", "I paid the toll.", True),
    ("That was a lie.", "The toll is high.", False),
    ("Jag är ingen riddare.", "Jag är riddare från Hjo.", True),
    ("I am no lord.", "I am not a lord.", False),
    ("I am no lord.", "Well then, I lied to you: I am no lord.", False),
)


class CorrectionTests(unittest.TestCase):
    def test_an_earlier_sentence_says_what_is_right(self):
        for before, words, after in RIGHT:
            with self.subTest(words):
                self.assertEqual(corrections.applied(before, corrections.read(words)), after)

    def test_what_somebody_takes_back_is_what_they_said_of_themselves(self):
        for words, before, expected in TAKEN_BACK:
            with self.subTest(words, before=before):
                taken = corrections.taken_back(words)
                self.assertEqual(corrections.is_meant(before, taken), expected)
        for words in (
            "Are you no lord?",
            "The toll is high.",
            "I lied down.",
            "I lied: the pearl is made of glass.",
        ):
            with self.subTest(words):
                self.assertIsNone(corrections.taken_back(words))

    def test_what_puts_nothing_right_changes_nothing(self):
        for before, words in NOT:
            with self.subTest(words):
                found = corrections.read(words)
                self.assertEqual(found and corrections.applied(before, found) or "", "")
