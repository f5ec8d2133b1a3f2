"""Questions that go on about the last answer: of "her", of another thing, of who said so."""

import unittest

from tests.domain.small_talk_scene import answer, own, theirs

LORE = (
    "A plain sword costs forty silvers.",
    "A horseshoe costs two coppers.",
    "Mayor Elsbeth rules Ashford with a firm hand.",
    "Joan lives across the lane.",
    "Feverfew helps against headaches. I sell it for three pennies a bundle.",
    "Comfrey salve mends bruises and costs a shilling.",
    "The constable buys a sleeping draught every week.",
)
DORA = {"text": "My sister Dora is a dyer in Stowbridge.", "by": "Wren", "kind": "said"}


def after(*talk, asked, by=DORA):
    """Return the answer to what is asked after some talk, which Ann begins."""
    lines = [own(one) if place % 2 else theirs(one) for place, one in enumerate(talk)]
    memories = [{**by, "timestamp": "2025-01-02T00:00:00Z"}]
    return answer(asked, lore=list(LORE), memories=memories, conversation=lines)


class SomebodyTests(unittest.TestCase):
    """ "She" is whom the last answer was about, whatever else somebody lives at."""

    def test_it_is_whom_was_told_of_last(self):
        talk = ("what does Dora do?", 'Wren told me: "My sister Dora is a dyer in Stowbridge."')
        self.assertIn("My sister Dora", after(*talk, asked="where does she live?"))
        talk = ("how much is a sword?", LORE[0], "who rules this town?", LORE[2])
        self.assertIn("Elsbeth", after(*talk, asked="what is she like?"))

    def test_what_he_buys_is_not_what_the_npc_sells(self):
        self.assertIn("draught", after("who is the constable?", LORE[6], asked="what does he buy?"))

    def test_a_verb_alone_is_no_answer(self):
        self.assertNotIn("Joan", after(asked="where does the mayor live?"))
        self.assertIn("Comfrey", after(asked="what helps against bruises?"))

    def test_what_somebody_does_is_told_by_what_is_known_of_them(self):
        joan = ("who lives across the lane?", LORE[3])
        self.assertIn("Joan lives", after(*joan, asked="what does she do?"))
        said = {"text": "My cousin Tilda sells ink in the lane.", "by": "Wren", "kind": "said"}
        for asked in ("what does Tilda do?", "what does Tilda sell?"):
            with self.subTest(asked):
                self.assertIn('"My cousin Tilda', after(asked=asked, by=said))
        told = 'I only heard Wren say: "I am Wren, a map maker."'
        seeks = {"text": "I am looking for a book of maps.", "by": "Wren", "kind": "said"}
        asked = "what is she looking for?"
        self.assertIn("book of maps", after("who is Wren?", told, asked=asked, by=seeks))

    def test_what_was_overheard_stays_so(self):
        told = 'I only heard Wren say: "My sister Dora is a dyer in Stowbridge."'
        overheard = {**DORA, "heard": "overheard"}
        said = after("what does Dora do?", told, asked="where does she live?", by=overheard)
        self.assertNotIn("told me", said)
        self.assertIn("Dora", said)

    def test_a_trait_is_told_by_other_words_for_it(self):
        talk = ("who rules this town?", LORE[2])
        self.assertIn("firm hand", after(*talk, asked="is she strict?"))


class PriceTests(unittest.TestCase):
    def test_which_is_the_cheapest_is_told_by_the_prices(self):
        said = after(asked="which is the cheapest?")
        self.assertIn(LORE[0], said)
        self.assertIn(LORE[1], said)

    def test_who_asks_for_less_haggles(self):
        self.assertNotIn("forty", after(asked="that is too dear, make it cheaper!"))


class LeaveTests(unittest.TestCase):
    def test_what_is_forbidden_is_told_to_who_asks_for_leave(self):
        lore = ["Candles are forbidden in the library because of the fire."]
        self.assertIn("forbidden", answer("may I light a candle?", lore=lore, memories=[]))


class NewsTests(unittest.TestCase):
    def test_who_asks_what_was_seen_is_told_what_is_new(self):
        lantern = {"text": "I saw a lantern at the point.", "by": "Cid", "kind": "said"}
        asked = "has anybody seen something odd lately?"
        self.assertIn("a lantern", after(asked=asked, by=lantern))


class SameOfAnotherTests(unittest.TestCase):
    """What was asked of one thing is asked of the other."""

    def test_a_price_is_asked_of_the_next_thing_too(self):
        for asked in ("and a horseshoe?", "what about a horseshoe?", "and the horseshoe?"):
            with self.subTest(asked):
                said = after("how much is a sword?", LORE[0], asked=asked)
                self.assertEqual(said.count("costs"), 1)
                self.assertIn(LORE[1], said)
        said = after("how much is a sword?", LORE[0], asked="and the feverfew?")
        self.assertIn("three pennies", said)


class SourceTests(unittest.TestCase):
    def test_who_told_it_is_told_with_the_words(self):
        talk = ("what does Dora do?", 'As I said, Ann: Wren told me: "My sister Dora is a dyer."')
        for asked in ("who told you that?", "who said so?"):
            with self.subTest(asked):
                said = after(*talk, asked=asked)
                self.assertIn('Wren told me: "My sister Dora is a dyer."', said)
                self.assertEqual(said.count("Ann"), said.count("Ann:"))
