"""What players say that is no plain question, or is one after something else, answered without a model."""

import unittest

from evennia_ai.core import languages, words
from evennia_ai.domain.offline import persons, utterances
from tests.domain.small_talk_scene import answer, own, theirs

WEAVER = {
    "name": "Ilka",
    "persona": "Ilka weaves carpets by the north wall. She secretly spies for the duke.",
    "background": "She grew up among herders. A fever took her hearing. Nobody knows of her child.",
}
LORE = (
    "A small carpet costs nine silvers.",
    "My uncle Benno taught me to weave.",
    "Pedlars come through the gap on foggy mornings.",
    "The bridge fell eleven years ago, and all but one drowned.",
    "Only a piper called Lark was pulled out alive.",
    "Wool is dear since the sheep died.",
    "Baron Hugo owns the town.",
    "The north gate leads to the moor.",
    "There is a goat called Tuft who comes to my door for barley.",
)


def said(text, **changes):
    return answer(text, **{"npc": WEAVER, "lore": list(LORE), "memories": [], **changes})


def is_phrase(reply, *keys):
    lines = (line for key in keys for line in languages.phrase("en", key))
    return reply in [line.replace("{name}", "Ann") for line in lines]


class OwnTests(unittest.TestCase):
    def test_what_its_persona_tells_is_told_when_it_is_asked_of_itself(self):
        self.assertIn("I weave carpets by the north wall.", said("what do you do here"))
        self.assertIn("I grew up among herders.", said("where did you grow up?"))
        self.assertIn("A fever took my hearing.", said("what happened to your hearing?"))

    def test_a_persona_that_speaks_to_the_npc_is_said_by_it(self):
        npc = {"name": "Ilka", "persona": "You are Ilka, a weaver. You hate goblins and your loom."}
        self.assertIn("I hate goblins and my loom.", said("do you hate goblins?", npc=npc))

    def test_what_is_meant_to_be_a_secret_is_not_told(self):
        for asked in ("do you spy for somebody?", "are you a spy?", "do you have a child?"):
            with self.subTest(asked):
                self.assertNotRegex(said(asked), "spy for|spies|of my child")

    def test_a_secret_is_not_owned_to_either(self):
        for written, asked in (
            ("Ilka is secretly a spy for the duke.", "are you a spy?"),
            ("Ilka is a smuggler, but nobody knows.", "are you a smuggler?"),
            ("In truth Ilka is a witch.", "are you a witch?"),
            ("Do not reveal that Ilka is the heir of Ravenhall.", "are you the heir of Ravenhall?"),
            ("Unknown to all, Ilka is a nun.", "are you a nun?"),
            ("Only the priest knows that Ilka is a thief.", "are you a thief?"),
            ("She doesn't want anyone to know that Ilka is a poet.", "are you a poet?"),
        ):
            npc = {"name": "Ilka", "persona": f"Ilka weaves carpets. {written}"}
            with self.subTest(written):
                self.assertFalse(is_phrase(said(asked, npc=npc), "yes_self"))
                # Nor is it what it is, where nothing else is written.
                alone = {**npc, "persona": written}
                self.assertNotRegex(
                    said("who are you?", npc=alone), "spy|smugg|witch|heir|nun|thie|poet"
                )

    def test_a_secret_is_one_in_each_language(self):
        self.addCleanup(words.Game.speaks, words.Game.language)
        for language, secrets in (
            ("en", ("In reality she is a witch.", "She is actually a witch.")),
            (
                "de",
                (
                    "Insgeheim ist sie eine Hexe.",
                    "In Wirklichkeit ist sie eine Hexe.",
                    "Sie gibt vor, arm zu sein.",
                    "Sie spricht nie von ihrem Bruder.",
                    "Nur der Priester weiß, dass sie stahl.",
                ),
            ),
            (
                "sv",
                (
                    "I själva verket är hon häxa.",
                    "Egentligen är hon häxa.",
                    "Hon talar aldrig om sin bror.",
                    "Bara prästen vet att hon stal.",
                ),
            ),
        ):
            words.Game.speaks(language)
            for secret in secrets:
                with self.subTest(secret):
                    self.assertEqual(persons.open_sentences(f"Ilka. {secret}"), ["Ilka."])

    def test_nor_is_what_comes_after_a_secret(self):
        persona = "Ilka weaves carpets. She has a secret. She poisoned old Tam."
        npc = {"name": "Ilka", "persona": persona, "background": "She grew up among herders."}
        self.assertNotIn("poisoned", said("did you poison old Tam?", npc=npc))
        self.assertIn("I weave carpets.", said("what do you do here", npc=npc))
        self.assertIn("I grew up among herders.", said("where did you grow up?", npc=npc))

    def test_what_the_persona_tells_is_no_news(self):
        self.assertNotIn("herders", said("any news?", lore=[]))


class BesideTests(unittest.TestCase):
    def test_a_question_after_an_exclamation_is_answered(self):
        for asked in (
            "oh sorry, how much is a small carpet",
            "lol ok, who taught you",
            "thanks, who is the owner of the town?",
            "cool. got any carpets",
            "doesn't wool cost much?",
        ):
            with self.subTest(asked):
                self.assertEqual(utterances.classify(asked).kind, "question")
        self.assertIn("nine silvers", said("oh sorry, how much is a small carpet"))

    def test_an_exclamation_alone_asks_nothing(self):
        for text, kind in (("sorry, my fault", "sorry"), ("thanks, Ilka", "thanks")):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text, names=["Ilka"]).kind, kind)

    def test_what_asks_nothing_is_answered_as_what_it_is(self):
        for text, *keys in (
            ("sounds expensive", "wonder"),
            ("aww cute", "wonder"),
            ("must have been hard", "wonder"),
            ("ok i'll take it", "yes"),
            ("just kidding", "sorry"),
            ("relax, i won't tell anyone", "sorry"),
            ("i could report you to the baron", "threatened"),
            ("i'll pay you to look away", "offer"),
            ("maybe i can help you with the loom", "offer"),
            ("i brought you some thread", "gift"),
            ("heres five coppers", "gift"),
            ("youre lying", "doubt"),
        ):
            with self.subTest(text):
                self.assertTrue(is_phrase(said(text), *keys), said(text))

    def test_what_is_only_begun_alike_keeps_its_sense(self):
        for text, kind in (
            ("look around", "request"),
            ("so why", "question"),
            ("i have a question for you", "chat"),
            ("poor people live there", "statement"),
            ("i got you wrong, it seems to me", "statement"),
        ):
            with self.subTest(text):
                self.assertEqual(utterances.classify(text).kind, kind)
        self.assertFalse(is_phrase(said("i have a message for you"), "gift"))


class KindTests(unittest.TestCase):
    def test_why_a_thing_is_dear_is_told_by_no_price(self):
        self.assertIn("the sheep died", said("why is wool so expensive?"))

    def test_when_and_how_long_ago_are_told_by_their_times(self):
        self.assertIn("foggy mornings", said("when do the pedlars come?"))
        before = [theirs("what happened to the bridge?"), own(LORE[3])]
        self.assertIn("eleven years ago", said("how long ago was that", conversation=before))

    def test_who_survived_is_told_by_who_is_alive(self):
        self.assertIn("Lark", said("did anyone survive?"))

    def test_what_leads_somewhere_rules_nothing(self):
        told = said("who rules this town?")
        self.assertIn("Hugo", told)
        self.assertNotIn("gate", said("who is the ruler?", lore=[LORE[7]]))

    def test_what_is_behind_a_way_out_is_told_by_where_it_leads(self):
        ways = [{"name": "hatch", "leads_to": "The Cellar"}]
        self.assertIn("The Cellar", said("what is down that hatch?", exits=ways))

    def test_what_is_not_known_is_said_by_what_was_asked(self):
        for text, key in (
            ("who built the moon?", "unknown_who"),
            ("where is the sunken crown?", "unknown_where"),
            ("when does the comet fall?", "unknown_when"),
            ("how much is an elephant?", "unknown_price"),
            ("how many stars are there?", "unknown_number"),
            ("why do birds sing?", "unknown_why"),
            ("can i paint the moon?", "unknown_leave"),
            ("do you trust comets?", "unknown_self"),
        ):
            with self.subTest(text):
                self.assertTrue(is_phrase(said(text), key), said(text))

    def test_the_builders_own_line_comes_before_any_of_them(self):
        npc = {**WEAVER, "unknown_lines": ["Ask the wind."]}
        self.assertEqual(said("who built the moon?", npc=npc), "Ask the wind.")


class TopicTests(unittest.TestCase):
    def test_who_he_is_is_not_told_by_a_question_of_him(self):
        lore = [
            "The bench may not be used, because it was my brother's.",
            "My brother Aldo was lost in the snow, and nobody found him.",
            "Only a piper called Lark was pulled out alive.",
        ]
        before = [
            theirs("i'm sorry about your brother"),
            own("Kind words, Ann. Thank you."),
            theirs("how did he die"),
        ]
        self.assertIn("Aldo", said("how did he die", lore=lore, conversation=before[:2]))
        told = said("did they ever find him?", lore=lore, conversation=before)
        self.assertIn("Aldo", told)
        self.assertNotIn("Lark", told)

    def test_what_somebody_has_heard_of_is_told_of(self):
        self.assertIn("foggy", said("i've heard there are pedlars around"))
        self.assertTrue(is_phrase(said("i've heard there are dragons"), "statement"))

    def test_what_is_told_of_another_is_not_told_of_him(self):
        lore = ["My wife Elin drowned six years ago.", "My uncle Sten taught me to row."]
        before = [
            theirs("are you married?"),
            own(lore[0]),
            theirs("who taught you to row?"),
            own(lore[1]),
        ]
        self.assertNotIn("Elin", said("is he still alive?", lore=lore, conversation=before))


class FormTests(unittest.TestCase):
    def test_why_something_is_worn_is_not_told_by_what_is_carried(self):
        told = said("why do you wear a ring", carried=["ring"])
        self.assertNotIn("with me", told)

    def test_a_price_that_hardly_fits_is_not_told_of_what_somebody_would_buy(self):
        lore = ["Stabling costs two coppers a night.", "A stranger left a white horse here."]
        self.assertNotIn("coppers", said("can i buy the white horse?", lore=lore))

    def test_who_would_have_it_opened_is_not_told_what_else_was_opened(self):
        lore = ["Three graves were opened at night."]
        self.assertNotIn("graves", said("open it for me", lore=lore))

    def test_what_is_up_a_ladder_is_no_greeting(self):
        ways = [{"name": "ladder", "leads_to": "The Hayloft"}]
        self.assertIn("The Hayloft", said("what is up the ladder", exits=ways))
        self.assertTrue(is_phrase(said("what's up"), "how"))

    def test_a_remark_with_not_in_it_corrects_nothing(self):
        before = [theirs("how much is a carpet?"), own(LORE[0])]
        self.assertTrue(is_phrase(said("thats not a lot", conversation=before), "wonder"))

    def test_who_is_off_is_bidden_farewell(self):
        for text in ("right, gotta run. see ya", "ok, see you later", "i have to go"):
            with self.subTest(text):
                self.assertTrue(is_phrase(said(text), "farewell"), said(text))

    def test_of_the_twins_is_not_told_what_a_horse_does(self):
        lore = [
            "Gorm's men are called the Twins.",
            "My horse is Thunder, who bites everybody but me.",
        ]
        before = [theirs("who are gorm's men?"), own(lore[0])]
        told = said("are they dangerous", lore=lore, conversation=before)
        self.assertNotIn("Thunder", told)


class GermanAndSwedishTests(unittest.TestCase):
    def test_a_loaf_of_a_kind_is_a_loaf_and_money_is_told_by_its_coins(self):
        lore = [
            "Der Vogt bekommt sein Brot umsonst.",
            "Ein Roggenbrot kostet drei Pfennige.",
            "Der Müller schuldet mir zwölf Silberlinge.",
        ]
        npc = {"name": "Ilka", "persona": "Ilka ist Bäckerin. Sie hasst Katzen.", "language": "de"}
        for asked, expected in (
            ("was kostet ein brot", "drei Pfennige"),
            ("Wer schuldet dir Geld?", "zwölf Silberlinge"),
            ("magst du Katzen oder hasst du Katzen?", "Ich hasse Katzen."),
            ("entschuldige, was kostet ein brot", "drei Pfennige"),
        ):
            with self.subTest(asked), languages.reading("de"):
                self.assertIn(expected, said(asked, npc=npc, lore=lore))

    def test_what_asks_nothing_is_answered_as_what_it_is(self):
        for code, text, key in (
            ("de", "schade", "wonder"),
            ("de", "war nur spaß", "sorry"),
            ("de", "ich könnte mal mit ihm reden", "offer"),
            ("de", "na gut, ich nehm eins", "yes"),
            ("sv", "så sorgligt", "wonder"),
            ("sv", "jag skojade bara", "sorry"),
            ("sv", "jag kan hjälpa dig", "offer"),
            ("sv", "jag ska berätta för fogden", "threatened"),
            ("sv", "jag har med mig en fisk till dig", "gift"),
            ("sv", "okej jag tar det", "yes"),
        ):
            with self.subTest(text), languages.reading(code):
                npc = {"name": "Ilka", "persona": "Ilka.", "language": code}
                lines = [one.replace("{name}", "Ann") for one in languages.phrase(code, key)]
                self.assertIn(said(text, npc=npc, lore=[]), lines)


class GoingOnTests(unittest.TestCase):
    """What a bored player asks next, of the same thing or of another."""

    exits = [
        {"name": "north", "leads_to": "The Willow Road"},
        {"name": "door", "leads_to": "The Lane"},
        {"name": "down", "leads_to": "The Cellar"},
    ]

    def test_where_a_way_goes_is_told_by_its_direction(self):
        for asked, place in (
            ("what is to the north?", "The Willow Road"),
            ("where does the north door lead?", "The Willow Road"),
            ("and down?", "The Cellar"),
            ("whats down there", "The Cellar"),
            ("what is behind that door?", "The Lane"),
        ):
            with self.subTest(asked):
                self.assertIn(place, said(asked, lore=[], exits=self.exits))

    def test_what_was_written_of_a_place_goes_before_where_it_is(self):
        lore = ["In the cellar lives a troll."]
        exits = [{"name": "cellar", "leads_to": "The Dark Hole"}]
        self.assertIn("troll", said("what is in the cellar?", lore=lore, exits=exits))

    def test_what_was_just_told_does_not_answer_something_else(self):
        told = [theirs("who owns the town?"), own("Baron Hugo owns the town.")]
        for asked in ("do you want to be with him?", "why don't you ask him?"):
            with self.subTest(asked):
                self.assertNotIn("owns the town", said(asked, conversation=told))
        self.assertIn("owns the town", said("who is the owner?", conversation=told))

    def test_nothing_is_said_to_be_put_right_that_is_not(self):
        correction = "No wait, she is a dyer."
        self.assertFalse(is_phrase(said(correction), "corrected"))
        self.assertTrue(is_phrase(said(correction, corrected=True), "corrected"))

    def test_who_is_sorry_for_a_loss_excuses_nothing(self):
        self.assertTrue(is_phrase(said("I heard you lost a brother. I'm sorry."), "condole"))
        self.assertTrue(is_phrase(said("I broke it. I'm sorry."), "sorry"))

    def test_whom_it_is_called_by_it_is(self):
        self.assertTrue(is_phrase(said("are you Ilka?"), "yes_self"))

    def test_what_it_thinks_of_somebody_is_not_what_they_said(self):
        elves = {"text": "I hate elves.", "by": "Bob", "kind": "said"}
        for asked in ("do you like Bob?", "is Bob your friend?"):
            with self.subTest(asked):
                self.assertTrue(
                    is_phrase(said(asked, memories=[elves]).replace("Bob", "{by}"), "opinion_none")
                )

    def test_who_needs_a_thing_is_told_its_price_first(self):
        lore = ["Eleven carpets burned last year.", *LORE]
        self.assertIn("nine silvers", said("i need a carpet", lore=lore))
