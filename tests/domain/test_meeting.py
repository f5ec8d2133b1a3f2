"""An answer meets what is asked: the deed, the place, the reason, and who does it; orders and asides are none of it."""

import unittest

from evennia_ai.core import answer_kinds, languages
from evennia_ai.domain.offline import utterances
from tests.domain.small_talk_scene import answer, own, theirs

QUAY = [
    "The crossing costs two coppers for a man.",
    "Goran's wife Maren mends nets.",
    "Their daughter Isa ran away last winter.",
    "Baron Lusk hates dogs and lives at Greyhall.",
    "Nobody crosses when the river is in flood.",
    "Smugglers cross at night by the shallows.",
    "The quay is watched by Sergeant Bolt, who sleeps most of the night.",
    "The old mare is called Nan and pulls the cart.",
]
OL = [
    "En kanna öl kostar tre kopparmynt.",
    "Det finns troll i skogen norr om byn.",
    "Svampen i skogen är giftig.",
]
GORAN = {"name": "Goran", "persona": "Goran is a ferryman.", "language": "en"}
RUNA = {"name": "Runa", "persona": "Runa är bryggare.", "language": "sv"}


def said(text, *before, npc=GORAN, lore=QUAY, told=()):
    """Return the answer to a line after some talk, which the speaker begins."""
    lines = [own(one) if place % 2 else theirs(one) for place, one in enumerate(before)]
    memories = [{"text": one, "by": "Ann", "kind": "said"} for one in told]
    return answer(text, npc=npc, lore=list(lore), memories=memories, conversation=lines)


def lines(key, code="en", **slots):
    """Return what a phrase may say to Ann."""
    filled = languages.load(code).phrases[key]
    for slot, value in {"name": "Ann", **slots}.items():
        filled = [one.replace(f"{{{slot}}}", value) for one in filled]
    return filled


class MeetingTests(unittest.TestCase):
    def test_leave_is_not_told_by_who_else_does_it(self):
        for asked in ("can I fish here?", "can I sleep here?"):
            with self.subTest(asked):
                self.assertIn(said(asked), lines("unknown_leave"))

    def test_what_is_poisonous_may_not_be_eaten(self):
        told = said("kan man äta svampen?", npc=RUNA, lore=OL)
        self.assertEqual(told, "Svampen i skogen är giftig.")

    def test_a_reason_for_one_thing_is_none_for_another(self):
        self.assertIn(said("why did the chicken cross the river?"), lines("unknown_why"))

    def test_where_one_sleeps_in_a_village_is_not_told_by_what_is_near_it(self):
        self.assertIn(
            said("var kan man sova i byn?", npc=RUNA, lore=OL), lines("unknown_where", "sv")
        )

    def test_whom_the_npc_hates_is_not_told_by_whom_somebody_hates(self):
        before = ("who lives at Greyhall?", QUAY[3])
        self.assertIn(said("do you hate him?", *before), lines("unknown_self_of", by="Baron Lusk"))

    def test_several_are_not_her(self):
        before = ("how do I cross at night?", QUAY[5])
        self.assertNotIn("Smugglers", said("does she owe me something?", *before))

    def test_a_mare_is_no_he(self):
        before = ("do you have a mare?", QUAY[7])
        self.assertNotIn("Nan", said("was he married before?", *before))

    def test_what_somebody_did_is_no_trade_of_theirs(self):
        lore = [*QUAY, "The wizard Malvus poisoned a well."]
        told = ("I work for the wizard Malvus.",)
        before = ("who do I work for?", 'You told me: "I work for the wizard Malvus."')
        self.assertIn("poisoned", said("what did he do?", *before, lore=lore, told=told))

    def test_their_daughter_is_the_npcs_own(self):
        told = said("do you have any children?")
        self.assertEqual(told, "My daughter Isa ran away last winter.")

    def test_what_somebody_owes_is_told_by_what_they_told(self):
        told = ("I owe Widow Tamsin nine coppers.",)
        self.assertIn("Widow Tamsin", said("do I owe money to anyone?", told=told))


class AsideTests(unittest.TestCase):
    def test_an_order_gets_what_was_priced(self):
        before = ("vad kostar en öl?", OL[0])
        for wish in ("två kannor då, tack", "en öl, tack"):
            with self.subTest(wish):
                agreed = lines("trade_agreed", "sv")
                self.assertIn(said(wish, *before, npc=RUNA, lore=OL), agreed)

    def test_how_long_it_takes_is_told_of_the_only_work_that_is_known(self):
        lore = [*QUAY, "Goran needs four days to build a boat."]
        self.assertEqual(
            said("how long does that take?", lore=lore), "I need four days to build a boat."
        )
        several = [*lore, "Goran needs two weeks to build a ferry."]
        self.assertIn("couldn't tell", said("how long does that take?", lore=several))

    def test_what_asks_without_a_mark_is_a_question(self):
        for text in (
            "has maddock been here",
            "can't you just glue it",
            "won't they bite me",
            "you seen red marten lately",
        ):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, "question")
        for text in ("has been a long day", "you got me"):
            with self.subTest(text):
                self.assertNotEqual(utterances.classify(text).kind, "question")

    def test_a_question_behind_what_somebody_needs_is_about_that(self):
        fear = "Ghouls fear the sound of a silver bell."
        lore = [*QUAY, fear]
        self.assertEqual(
            said("I need something against ghouls. Do you know anything?", lore=lore), fear
        )
        told = ("I need something against ghouls. Do you know anything?", fear)
        self.assertNotIn("Ghouls", said("ok I'll take one. how much?", *told, lore=lore))

    def test_what_somebody_else_did_to_them_is_not_asked_of_the_npc(self):
        lore = [*QUAY, "Abel Groat drowned in his own millpond."]
        before = ("how did Abel Groat die?", "Abel Groat drowned in his own millpond.")
        told = said("do you think somebody killed him?", *before, lore=lore)
        self.assertNotIn(told, lines("unknown_self_of", by="Abel Groat"))

    def test_a_persona_in_a_row_is_told_as_ones_own(self):
        persona = "Dora is fifty, sober, has a dry wit, and never cries."
        npc = {"name": "Dora", "persona": persona, "language": "en"}
        self.assertIn(
            "sober, have a dry wit, and never cry", said("who are you?", npc=npc, lore=[])
        )

    def test_a_silver_bell_is_no_price(self):
        self.assertFalse(
            answer_kinds.is_of_type("price", "Ghouls fear the sound of a silver bell.")
        )
        for text in ("It costs a silver a day.", "A silver, or two coppers.", "a gold piece"):
            with self.subTest(text):
                self.assertTrue(answer_kinds.is_of_type("price", text))

    def test_a_foreign_word_is_not_said_back(self):
        words = said("min far är fiskare och min mor är död")
        self.assertNotIn("far", words.lower())

    def test_who_is_asked_along_with_a_reason_is_asked_along(self):
        self.assertEqual(said("come with me, you know the way")[0], "follow")
        self.assertNotEqual(said("I saw it, come with me")[0], "follow")

    def test_a_question_behind_an_outcry_is_one(self):
        for outcry in ("ugh", "eww,", "psst!", "whoa"):
            with self.subTest(outcry):
                self.assertIn(said(f"{outcry} what is that smell"), lines("unknown"))

    def test_what_tells_nothing_is_not_thanked_for(self):
        self.assertIn(said("liar liar pants on fire"), lines("aside"))
        self.assertIn(said("they burned Norham again"), lines("statement"))

    def test_money_is_no_ware(self):
        self.assertEqual(said("give me all your money")[0], "give")

    def test_abuse_is_heard_behind_other_words(self):
        self.assertIn(said("you are the most boring man I ever met"), lines("insult"))
        self.assertNotIn(said("you are not boring"), lines("insult"))

    def test_somebody_who_is_paid_back_is_no_thing(self):
        self.assertNotIn("back", said("I paid her back this morning.").casefold())

    def test_what_was_told_is_asked_for_in_many_words(self):
        told = ("I sold my boat last week.",)
        for asked in ("what have I told you?", "do you remember what I told you?"):
            with self.subTest(asked):
                self.assertIn("I sold my boat", said(asked, told=told))
        sagt = said("minns du vad jag berättade?", npc=RUNA, lore=OL, told=("Jag har en båt.",))
        self.assertIn("Jag har en båt", sagt)

    def test_a_question_is_not_answered_twice(self):
        told = ("I am looking for my brother Emil.",)
        again = said("what is my brother called? do you remember?", told=told)
        self.assertEqual(again.count("Emil"), 1)

    def test_a_healer_is_sorry_for_who_is_ill(self):
        wynn = {"name": "Wynn", "persona": "Wynn is a healer.", "language": "en"}
        pity = [f"{one} I am a healer." for one in lines("ails_helped")]
        self.assertIn(said("I have a headache.", npc=wynn), pity)
