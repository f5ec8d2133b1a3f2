"""What strangers say and ask in free talk: each test is a cause for which an answer was silly once."""

import re
import unittest
from unittest.mock import patch

from msgspec import structs

from evennia_ai.core import languages
from evennia_ai.core.spelling import in_full, spelled_out
from evennia_ai.domain import classification
from evennia_ai.domain.memories.passages import with_sequels
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.offline import questions, utterances
from tests.domain.small_talk_scene import answer, own, theirs

FERRY = [
    "The ferry crosses the river Wend from dawn until dusk.",
    "A crossing costs two coppers for a person.",
    "The road on the far side leads to Castle Dunmore.",
    "Moonwort grows only on Barrow Hill, and must be cut at night.",
    "My teacher was old Agatha, who lies buried behind the chapel.",
    "I never sell nightshade, because the miller's wife died of it.",
    "Feverfew helps against headaches. I sell it for three pennies.",
    "The bees make heather honey, which I trade for candles.",
    "Pike as big as dogs live under the willow.",
    "The bridge at Carrow fell three winters ago.",
]
FYR = [
    "Fyren heter Skarvhällan.",
    "Jag ror folk till fastlandet för en riksdaler.",
    "Skeppet Havsörnen gick på grund i höstas.",
    "På norra sidan finns en grav med runor som ingen kan läsa.",
    "I byn finns en krog.",
]
NOT_KNOWN, VET_INTE = (
    tuple(
        line.partition("{")[0].rstrip(", ")
        for key, lines in languages.load(code).phrases.items()
        if key.startswith("unknown") and key != "unknown_by"
        for line in lines
    )
    for code in ("en", "sv")
)


def asked(text, *before, lore=FERRY, language="en", **changes):
    """Return what is said to Ann, who said some lines before, or heard them (those after "<")."""
    said = [own(line[1:]) if line.startswith("<") else theirs(line) for line in before]
    npc = {"name": "Bree", "persona": "Bree is a ferrywoman.", "language": language}
    return answer(text, npc=npc, lore=lore, conversation=said, **{"memories": [], **changes})


class RequiredTests(unittest.TestCase):
    """What answers a question has what the question asks for."""

    def test_whether_something_is_so_is_not_told_by_another_fact_about_it(self):
        self.assertTrue(asked("is the castle haunted?").startswith(NOT_KNOWN))
        self.assertIn("Castle Dunmore", asked("is the castle on the far side?"))

    def test_what_is_asked_of_it_is_not_told_by_what_was_told_of_it(self):
        before = ("Where does moonwort grow?", f"<{FERRY[3]}")
        self.assertTrue(asked("Is it poisonous?", *before).startswith(NOT_KNOWN))
        self.assertIn("must be cut at night", asked("When should one cut it?", *before))

    def test_what_could_be_said_of_anybody_is_asked_of_whom_was_spoken(self):
        told = asked("Is she still alive?", "Who taught you?", f"<{FERRY[4]}")
        self.assertIn("Agatha", told)

    def test_a_word_that_says_little_in_one_language_may_be_the_thing_in_another(self):
        told = asked("Vad hade skeppet för last?", lore=FYR, language="sv")
        self.assertTrue(told.startswith(VET_INTE), told)

    def test_where_no_sum_is_told_the_price_is_what_it_is_given_for(self):
        self.assertIn("for candles", asked("how much for honey?"))

    def test_an_article_is_no_number(self):
        told = asked("how many wolves are there?", lore=["A wolf took my goat."])
        self.assertTrue(told.startswith(NOT_KNOWN), told)

    def test_when_in_the_middle_does_not_ask_for_a_time(self):
        lore = ["När det är dimma blåser jag i luren."]
        self.assertIn("luren", asked("Vad gör du när det är dimma?", lore=lore, language="sv"))

    def test_how_often_wants_how_often(self):
        lore = ["Olja kommer med båt från Brännö varannan månad.", "Min båt är grön."]
        told = asked("hur ofta kommer oljebåten?", lore=lore, language="sv")
        self.assertIn("varannan månad", told)
        before = ("kommer oljan med båt?", f"<{lore[0]}")
        self.assertIn("varannan månad", asked("hur ofta?", *before, lore=lore, language="sv"))

    def test_whether_something_is_any_good_is_told_by_what_is_known_of_it(self):
        lore = ["Hilda waters her beer."]
        self.assertIn("waters", asked("is the beer any good?", lore=lore))

    def test_who_did_it_is_not_told_by_a_fact_that_names_nobody(self):
        before = ("What happened to the cup?", "<A thief stole the cup.")
        told = asked("who did it?", *before, lore=["A thief stole the cup."])
        self.assertTrue(told.startswith(NOT_KNOWN) or told.endswith("?"), told)

    def test_where_she_lives_is_not_told_by_where_somebody_else_does(self):
        lore = ["Jag bor i en koja.", "Gumman Kerstin bor i Bocksjö."]
        told = asked("var bor hon?", "vem är Kerstin?", f"<{lore[1]}", lore=lore, language="sv")
        self.assertIn("Bocksjö", told)

    def test_danger_is_no_father(self):
        lore = ["Min far brann inne.", "Vargar tog mina får."]
        told = asked("är det farligt i skogen?", lore=lore, language="sv")
        self.assertNotIn("brann", told)

    def test_what_somebody_did_beside_a_question_is_no_thing(self):
        lore = ["Min mor brann inne i sin koja."]
        text = "jag har bränt mig på handen, vad ska jag göra?"
        self.assertNotIn("brann", asked(text, lore=lore, language="sv"))

    def test_swedish_words_for_the_same_are_known(self):
        for text, fact in (
            ("finns det nån läkare här?", "Doktorn i stan är en supare."),
            ("jag mår illa", "Kamomill lugnar magen."),
            ("bor det några fåglar här uppe?", "En falk häckar i tornet."),
            ("får du bra betalt?", "Biskopen ger mig nitton daler om året."),
            ("var får man sig en bägare?", "Gästgiveriet Svanen har det bästa ölet."),
            ("vem har lärt dig allt?", "Min mor lärde mig allt jag kan."),
            ("hur tung är klockan?", "Stora klockan väger fyra ton."),
            ("har du några egna barn?", "Jag har två döttrar, Elsa och Greta."),
            ("jag är jättehungrig", "Min syster Ragnhild bakar bröd."),
        ):
            with self.subTest(text):
                lore = ["Prästen tycker inte om mig.", "Jag har hjälpt trehundra barn.", fact]
                self.assertEqual(asked(text, lore=lore, language="sv"), fact)

    def test_whether_somebody_is_missed_is_not_told_by_where_they_went(self):
        before = ("Har du barn?", "<Vår son Nils rymde till sjöss.")
        told = asked(
            "Saknar du honom?", *before, lore=["Vår son Nils rymde till sjöss."], language="sv"
        )
        self.assertNotIn("till sjöss", told)

    def test_what_somebody_exclaims_asks_nothing(self):
        for text in ("Vad trött man blir av att gå hit!", "usch vad sorgligt"):
            told = asked(text, lore=["Vägen hit är lång."], language="sv")
            self.assertIn(told.replace("Ann", "{name}"), languages.phrase("sv", "wonder"))

    def test_what_happened_lately_is_the_news(self):
        lore = ["The great bell weighs four tons.", "Last Saturday somebody stole the chalice."]
        self.assertEqual(asked("any news?", lore=lore), lore[1])

    def test_who_tells_of_their_need_asks_for_nothing_by_name(self):
        lore = ["I came here as a boy on a barge.", "Two horses went lame on the hill road."]
        for text, expected in (
            ("Please, Bree, my little boy has not come home!", languages.phrase("en", "ails")),
            ("my horse went lame", (lore[1],)),
        ):
            with self.subTest(text):
                told = asked(text, lore=lore).replace("Ann", "{name}")
                self.assertIn(told, expected)

    def test_a_need_may_stand_before_the_question_about_it(self):
        lore = ["Arsenic is a poison that Mistress Quill sells."]
        self.assertEqual(asked("i need some poison, who sells it", lore=lore), lore[0])

    def test_where_one_lives_is_not_told_by_what_was_killed(self):
        lore = ["My dog killed forty rats at the granary.", "I rent a room in Rope Lane."]
        self.assertEqual(asked("where do you live anyway", lore=lore), lore[1])

    def test_who_may_eat_something_does_not_ask_for_wares(self):
        told = asked("can my little girl eat those berries?")
        self.assertTrue(told.startswith(NOT_KNOWN), told)

    def test_what_somebody_does_is_no_ware(self):
        lore = ["Det sägs att en näck bor under kvarnen."]
        told = asked("har du alltid bott här?", lore=lore, language="sv")
        self.assertNotIn("näck", told)

    def test_how_a_way_is_does_not_ask_for_the_ways_out(self):
        told = asked("Är vägen säker?", lore=FYR, language="sv", exits=[{"name": "vägen"}])
        self.assertTrue(told.startswith(VET_INTE), told)

    def test_a_service_is_found_by_its_thing_and_not_by_a_verb(self):
        lore = ["The river took my brother.", FERRY[1]]
        self.assertIn("two coppers", asked("oi boatman, take me across now", lore=lore))

    def test_a_sentence_that_says_it_is_told_with_what_it_speaks_of(self):
        self.assertIn("three pennies", asked("what does feverfew cost?"))

    def test_what_the_builder_wrote_as_i_is_of_the_npc(self):
        lore = ["Wilma kept the mill for ten years.", "I have kept the ferry for twenty years."]
        self.assertIn("twenty", asked("how long have you kept it?", lore=lore))


class ThingTests(unittest.TestCase):
    """The thing that a question is about is found where somebody named it."""

    def test_the_thing_may_stand_beside_the_question(self):
        told = asked("I have had a terrible headache since yesterday, what would you advise?")
        self.assertIn("Feverfew", told)
        self.assertIn("Feverfew", asked("I have a headache. What would you recommend?"))

    def test_what_somebody_tells_beside_another_question_is_no_thing_to_tell_of(self):
        told = asked("I come over the bridge at Carrow, can one swim?")
        self.assertNotIn("fell", told)

    def test_the_thing_may_stand_in_the_sentence_before(self):
        lore = ["The river took my brother Edric.", "My sister keeps geese."]
        text = "I'm sorry to hear about your brother. What happened to him?"
        self.assertIn("Edric", asked(text, "I go to see my sister.", lore=lore))

    def test_who_does_a_thing_is_found_by_the_verb(self):
        lore = ["Master Pell calls me a witch.", FERRY[4]]
        self.assertIn("Agatha", asked("Who taught you all of this?", lore=lore))

    def test_a_word_that_says_little_need_not_be_known(self):
        lore = ["The water is deepest by the third post.", FERRY[0]]
        self.assertIn("third post", asked("whats the deepest part", lore=lore))

    def test_a_price_is_asked_of_what_was_wanted_before(self):
        told = asked("how much you want for that?", "oi boatman, take me across now")
        self.assertIn("two coppers", told)

    def test_a_price_may_be_asked_in_a_roundabout_way(self):
        for text in ("What would a crossing set me back?", "What do I owe you for the crossing?"):
            with self.subTest(text):
                self.assertIn("two coppers", asked(text))
        text = "Jag skulle behöva komma över till fastlandet, vad skulle det gå på?"
        self.assertIn("en riksdaler", asked(text, lore=FYR, language="sv"))

    def test_a_verb_and_a_describing_word_need_not_be_known(self):
        told = asked("Vad står det i runorna?", lore=FYR, language="sv")
        self.assertIn("ingen kan läsa", told)

    def test_what_stands_around_a_question_says_nothing_of_its_thing(self):
        self.assertIn("Pike", asked("I heard there are fish under the willow, is that true?"))
        read = questions.read("Vad hette min morbror nu igen?", language="sv")
        self.assertEqual(read.text, "Vad hette min morbror")

    def test_somebody_who_is_asked_of_is_told_by_the_place_and_else_by_what_they_are(self):
        for text, terms in (
            ("who is the stranger by the well?", ("well",)),
            ("who is that stranger?", ("stranger",)),
        ):
            self.assertEqual(questions.read(text, language="en").terms, terms)

    def test_who_is_called_as_a_thing_is_does_not_stand_for_it(self):
        here = [{"name": name, "identity": name, "kind": "player"} for name in ("Ann", "bed")]
        told = asked("what does a bed cost?", lore=["A room costs five silvers."], present=here)
        self.assertIn("five silvers", told)

    def test_one_kind_of_a_thing_answers_for_it(self):
        self.assertIn("Pike", asked("any fish in here?"))

    def test_a_reason_that_the_builder_wrote_is_told_again(self):
        told = asked("why not", "sell me some nightshade", f"<{FERRY[5]}")
        self.assertIn("the miller's wife died of it", told)

    def test_what_goes_on_about_somebody_is_remembered_with_what_named_them(self):
        def said(text, second, by="Ann", audience="all"):
            stamp = f"2025-01-01T10:00:{second:02}Z"
            return Remembered(text=text, by=by, kind="said", timestamp=stamp, audience=audience)

        uncle, name = said("My uncle keeps a light", 1), said("His name is Sam.", 5)
        joined = structs.replace(uncle, text="My uncle keeps a light. His name is Sam.")
        self.assertEqual(with_sequels([name, uncle]), [name, joined])
        for other in (
            said("His name is Sam.", 5, by="Bob"),
            said("His name is Sam.", 5, audience="Ann"),
            said("Is he well?", 5),
            said("Sam is his name.", 5),
            structs.replace(name, timestamp="2025-01-01T10:05:00Z"),
        ):
            with self.subTest(other):
                self.assertEqual(with_sequels([other, uncle]), [other, uncle])


class RemarkTests(unittest.TestCase):
    """What is no question is not answered as one, nor the other way round."""

    def test_a_verb_before_who_does_it_asks(self):
        for text in ("bits han", "säljer ni fisk", "är prästen full", "brukar det storma"):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, "question")
        for text in ("efter det sov vi", "min bror är snickare", "där ligger han"):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, "statement")

    def test_abuse_is_told_by_its_words_whatever_stands_around_them(self):
        for text in (
            "witch!",
            "you old hag",
            "your well tastes like piss",
            "you stink",
            "du e ful",
            "din gamla häxa",
            "shut up you old hag",
        ):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).topic, "insult")
        for text in ("I saw a pig by the well", "my brother caught a thief", "a witch lives there"):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, "statement")

    def test_who_would_know_is_asked_and_not_told_to_do_something(self):
        for text in ("Would you still know what my son is called?", "kan du säga mig var han bor"):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, "question")

    def test_who_says_how_something_is_asks_nothing(self):
        for text in ("What a quiet place this is.", "Vilken mörk natt!"):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).topic, "wonder")
        for text in ("What a quiet place is this?", "Vilken fyr är det"):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, "question")

    def test_abuse_is_answered_before_what_else_is_wanted(self):
        said = utterances.classify("you old fool, give me the key to the crypt")
        self.assertEqual(said.topic, "insult")

    def test_what_only_describes_is_not_said_back_without_its_thing(self):
        self.assertIn("northern pass", asked("I came over the northern pass."))

    def test_condolences_are_thanked_for(self):
        for text in ("I'm so sorry for your loss.", "Å, jag beklagar sorgen."):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).topic, "condole")

    def test_who_hopes_that_one_is_well_is_told_how_one_is(self):
        self.assertEqual(utterances.classify("I hope the day finds you well.").topic, "how")

    def test_a_noun_in_an_idiom_is_not_said_back(self):
        self.assertNotIn("way", asked("I am on my way to the castle.").casefold())

    def test_words_that_only_answer_are_no_news(self):
        told = [
            {"text": text, "by": "Bob", "kind": "said", "timestamp": "2025-01-01T00:00:00Z"}
            for text in (
                "thats robbery",
                "you get one copper",
                "no candles",
                "Hello Bree, lovely weather for digging!",
            )
        ]
        for text in ("tell me something", "has anything exciting happened here?"):
            with self.subTest(text):
                self.assertIn("The bridge at Carrow fell", asked(text, memories=told))

    def test_something_else_is_more_of_the_news(self):
        told = asked("something else", "tell me something", f"<{FERRY[9]}")
        self.assertIn("The ferry crosses", told)

    def test_short_spellings_are_read(self):
        self.assertEqual(
            spelled_out("im sure ni vet va heter den"), "I'm sure du vet vad heter den"
        )
        self.assertEqual(spelled_out("I am ill, Wat"), "I am ill, Wat")
        self.assertEqual(spelled_out("ill give you one"), "I'll give you one")

    def test_its_expressions_are_made_once_and_for_all(self):
        in_full(spelled_out("im here since u called"))
        # As when a game has hundreds of names that are looked for.
        re.purge()
        with patch("re._compiler.compile", side_effect=AssertionError("made anew")):
            self.assertEqual(
                in_full(spelled_out("im there since u called")), "I am there since you called"
            )

    def test_a_greeting_is_for_the_room_whatever_follows_it(self):
        def is_for_everybody(text):
            return classification.is_for_everybody(
                text, greetings=["hello", "god dag"], everybody=["all"]
            )

        self.assertTrue(is_for_everybody("God dag! Vilken vacker fyr. Vad heter den?"))
        self.assertTrue(is_for_everybody("hello all. what is this place?"))
        self.assertFalse(is_for_everybody("Hello Bob. What is this place?"))
        self.assertFalse(is_for_everybody("God dagning"))
