"""What players of a German and a Swedish game say as they write it, and what an NPC without a model answers."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.memories import confidence
from evennia_ai.domain.offline import corrections, questions, small_talk, utterances
from evennia_ai.domain.sleeping import offline_reflection, summary

LORE = {
    "de": (
        "Ein Zimmer für die Nacht kostet zwei Silberlinge.",
        "Heute gibt es Linseneintopf mit Speck.",
        "Die Straße nach Norden führt über den Krähenpass nach Hohenfels.",
        "Auf dem Krähenpass wurden zwei Händler von Räubern überfallen.",
        "Greta ist in Falkenried geboren.",
        "Gretas Mann Otto ist im Krieg gefallen.",
        "Früher war Greta Hebamme in Brunnthal.",
        "Die alte Hedwig wohnt am Waldrand und verkauft Heiltränke.",
        "Im Keller spukt es angeblich.",
    ),
    "sv": (
        "Ett rum för natten kostar två silvermynt.",
        "Idag serveras linssoppa med fläsk.",
        "Vägen norrut går över Kråkpasset till Högsten.",
        "På Kråkpasset blev två handelsmän överfallna av rövare.",
        "Den gamla Hedvig bor vid skogsbrynet och säljer helande drycker.",
        "Det spökar i källaren.",
        "En dolk kostar fjorton silvermynt.",
        "Gretas syster Anna bor i Hamn.",
    ),
}
# What Anna has said, what she says now, and what of the answer matters: words, or a phrase.
TALK = {
    "de": (
        ("", "Wie gehts?", "how"),
        ("", "Was gibts heute zu essen?", "Linseneintopf"),
        ("", "Erzähl mal was über den Keller", "spukt"),
        ("", "Wo kommst du her?", "Ich bin in Falkenried geboren."),
        ("", "Hast du einen Mann?", "Mein Mann Otto ist im Krieg gefallen."),
        ("", "Du bist echt ein netter Kerl.", "praise"),
        ("", "Du bist eine dumme alte Kuh!", "insult"),
        ("", "du dumme alte Kuh, gib mir mein Geld", "insult"),
        ("", "Du verdammter alter Narr!", "insult"),
        ("", "Super, danke dir vielmals!", "thanks"),
        ("", "Warst du früher Hebamme?", "Früher war ich Hebamme in Brunnthal."),
        ("", "Kommst du mit in den Garten?", "follow_no"),
        ("", "Muss jetzt heim zu Gerda.", "farewell"),
        ("Meine Frau heißt Gerda.", "Wie heißt nochmal meine Frau?", "Meine Frau heißt Gerda."),
        ("", "Soll ich dir was vom Markt mitbringen?", "work"),
        ("", "Gut geschlafen?", "how"),
        ("", "na wie läufts?", "how"),
        ("", "Wer ist hier im Krieg gefallen?", "Otto"),
        ("", "Moin Greta, da bin ich wieder", "greet_stranger"),
        ("", "Das glaub ich nicht, du spinnst ja", "doubt"),
        ("", "Ich brauch dringend einen Heiltrank, mein Bruder ist krank.", "Hedwig"),
        ("", "Ist der Weg nach Norden sicher?", "Krähenpass nach Hohenfels. Auf dem Krähenpass"),
        ("", "Ich hab den Schlüssel gestohlen. Sag es niemandem!", "secret"),
        ("", "Versprichst du mir, auf Lena zu achten?", "promise_no"),
        ("Ich such meine Schwester Lena.", "weißt du noch wen ich suche?", "Schwester Lena"),
        ("Ich such meine Schwester Lena.", "wie heißt meine Schwester?", "Schwester Lena"),
        ("Mein Bruder ist krank.", "wie geht es meinem Bruder?", "Mein Bruder ist krank."),
    ),
    "sv": (
        ("", "Hur är läget?", "how"),
        ("", "Vad finns det att äta idag?", "linssoppa"),
        ("", "Stämmer det att det spökar här?", "källaren"),
        ("", "Det tror jag inte på, du är ju galen", "doubt"),
        ("", "Jag behöver en helande dryck, min bror är sjuk.", "Hedvig"),
        ("", "Är vägen norrut säker?", "Kråkpasset till Högsten. På Kråkpasset"),
        ("", "Jag har stulit nyckeln. Säg det inte till någon!", "secret"),
        ("", "Lovar du att se efter Lena?", "promise_no"),
        ("", "Påminn mig om tio minuter om middagen", "remind_no"),
        ("", "Va kostar en dolk?", "fjorton silvermynt"),
        ("", "Var bor din syster?", "Min syster Anna bor i Hamn."),
        ("", "Nu måste jag sticka, vi ses!", "farewell"),
        ("", "Kommer du ihåg mig?", "remember_no"),
        ("Jag behöver hjälp, min bror är sjuk.", "hur är det med min bror?", "min bror är sjuk"),
    ),
}


def scene(language, said, text):
    """Return the context in which Anna says something to Greta, and had said something before."""
    event = {"kind": "say", "text": text, "actor_name": "Anna"}
    memories = [{"text": one, "by": "", "kind": "lore"} for one in LORE[language]]
    memories += [{"text": said, "by": "Anna", "kind": "said"}] if said else []
    npc = {"name": "Greta", "language": language}
    return {"npc": npc, "event": event, "speaker": {"name": "Anna"}, "memories": memories}


# What was said in a day: by whom, what.
DAY = {
    "de": (
        ("Bernd", "Räuber haben mich am Krähenpass überfallen."),
        ("Anna", "Am Krähenpass habe ich Räuber gesehen."),
        ("Anna", "Die Brücke ist kaputt."),
        ("Clara", "Die Brücke ist wieder repariert."),
        ("Bernd", "Clara hat mich bestohlen!"),
    ),
    "sv": (
        ("Bernd", "Rövare överföll mig vid Kråkpasset."),
        ("Anna", "Jag såg rövare vid Kråkpasset."),
        ("Anna", "Min bro är trasig."),
        ("Anna", "Min bro är lagad nu."),
        ("Bernd", "Jag är arg, för Clara har stulit från mig!"),
        ("Clara", "Jag vet inte vad Bernd talar om."),
    ),
}


class QuestionTests(unittest.TestCase):
    def test_how_far_it_is_to_a_place_goes_on_about_nothing(self):
        for code, text, points_back in (
            ("de", "Wie weit ist es noch bis zum Meer?", False),
            ("de", "Wie weit ist es?", True),
            ("de", "Gehört es zum Hof?", True),
            ("sv", "Hur långt är det kvar till havet?", False),
            ("sv", "Hur långt bort är det?", True),
            ("sv", "Är det till höger?", True),
        ):
            with self.subTest(text), languages.reading(code):
                asked = questions.read(text, language=code)
                self.assertIs(asked.points_back, points_back)


class NightTests(unittest.TestCase):
    def test_conclusions_questions_and_summaries_are_in_the_language(self):
        for language, insight, question, opening in (
            (
                "de",
                "Beim Thema Brücke erzählen Anna und Clara nicht dasselbe.",
                "Warum kommen mehrere auf das Thema Brücke?",
                "Anna und Greta sprachen miteinander, und es ging um Krähenpass, Brücke und Räuber. ",
            ),
            (
                "sv",
                "Något måste ha ändrats i ämnet Annas bro sedan Anna först tog upp det.",
                "Varför tar flera upp ämnet Kråkpasset?",
                "Anna och Greta talades vid om Kråkpasset, bro och Clara. ",
            ),
        ):
            items = [
                {"number": number, "text": text, "by": by, "timestamp": "2025-01-01T00:00:00Z"}
                for number, (by, text) in enumerate(DAY[language])
            ]
            lines = [
                {"name": by, "text": text, "kind": "say", "mine": False}
                for by, text in DAY[language]
            ]
            with self.subTest(language), languages.reading(language):
                concluded = offline_reflection.conclude({"items": items, "count": 9})["insights"]
                self.assertIn(insight, [one["insight"] for one in concluded])
                asked = offline_reflection.ask({"items": items, "count": 1})["questions"]
                self.assertEqual(asked, [question])
                said = summary.summarise(lines, person="Anna", npc="Greta", limit=300)
                self.assertTrue(said.startswith(opening), said)
                self.assertNotIn("said", said)


class TalkTests(unittest.TestCase):
    def test_lines_are_answered_as_they_are_meant(self):
        for language, lines in TALK.items():
            for said, text, expected in lines:
                phrases = languages.load(language).phrases.get(expected, [expected])
                with self.subTest(text), languages.reading(language):
                    answer = small_talk.respond(scene(language, said, text), tools=()).text
                    meant = [one.replace("{name}", "Anna") for one in phrases]
                    self.assertTrue(any(one in answer for one in meant), answer)

    def test_one_is_what_has_just_been_priced(self):
        for language, told, text, expected in (
            ("de", LORE["de"][0], "Ok dann nehm ich eins", "trade"),
            ("sv", LORE["sv"][0], "Okej, då tar jag ett", "trade"),
        ):
            talk = [{"name": "Anna", "text": "?"}, {"name": "Greta", "text": told, "mine": True}]
            with self.subTest(text), languages.reading(language):
                context = {**scene(language, "", text), "conversation": talk}
                answer = small_talk.respond(context, tools=()).text
                phrases = languages.load(language).phrases[expected]
                self.assertIn(answer, [one.replace("{name}", "Anna") for one in phrases])

    def test_what_is_wrong_may_be_said_first(self):
        for language, before, said, expected in (
            (
                "de",
                "Ich hab meinen Ring am Strand verloren.",
                "Quatsch, nicht am Strand, auf dem Markt.",
                "Ich hab meinen Ring auf dem Markt verloren.",
            ),
            (
                "sv",
                "Jag tappade min ring på stranden.",
                "Nej förresten, inte på stranden, på torget.",
                "Jag tappade min ring på torget.",
            ),
            (
                "en",
                "I lost my ring at the beach.",
                "No, not at the beach, in the market.",
                "I lost my ring in the market.",
            ),
        ):
            with self.subTest(said), languages.reading(language):
                self.assertEqual(corrections.applied(before, corrections.read(said)), expected)

    def test_what_was_a_lie_is_read_in_each_language(self):
        for language, said in (
            ("de", "Das war gelogen. Gerda ist meine Schwester."),
            ("sv", "Det var inte sant."),
            ("en", "That was a lie."),
        ):
            with self.subTest(said), languages.reading(language):
                self.assertTrue(corrections.taken_back(said).is_lie)

    def test_not_a_word_of_it_puts_nothing_right(self):
        for language, said in (
            ("de", "Ich schmuggle Salz. Nein, kein Wort zu Bo!"),
            ("sv", "Jag smugglar salt. Inte ett ord till Bo!"),
            ("en", "I smuggle salt. Not a word to Bo!"),
        ):
            with self.subTest(said), languages.reading(language):
                self.assertIsNone(corrections.read(said))

    def test_who_asks_for_silence_about_what_they_tell_means_nothing_else(self):
        with languages.reading("de"):
            self.assertTrue(confidence.is_bare("Sag es niemandem!"))
            self.assertFalse(confidence.is_bare("Ich stahl den Ring. Sag es niemandem!"))


class AbuseTests(unittest.TestCase):
    def test_who_says_that_somebody_is_not_dumb_insults_nobody(self):
        with languages.reading("de"):
            for line in (
                "Du bist nicht dumm.",
                "Du bist keine dumme alte Kuh.",
                "Du bist kein Narr.",
            ):
                with self.subTest(line):
                    self.assertNotEqual(utterances.classify(line).topic, "insult")
