"""Tests of what an event is to an assistant."""

import unicodedata
import unittest

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.domain import classification
from evennia_ai.domain.classification import Situation

# rule → a situation that it decides, and the verdict
DECIDED = {
    "disabled": (Situation("say", enabled=False, own=True), "ignore"),
    "own words": (Situation("say", own=True, talkative="never"), "ignore"),
    "never talks": (Situation("whisper", talkative="never"), "context"),
    "said elsewhere": (Situation("say", far=True, addressed="named"), "context"),
    "assistants talked enough": (
        Situation("say", from_assistant=True, exchange_allowed=False, addressed="named"),
        "context",
    ),
    "assistants talk with a good model only": (
        Situation("say", from_assistant=True, by_rules=True, addressed="named"),
        "context",
    ),
    "only listens there": (
        Situation("channel", followed_channel="listen", addressed="named", from_assistant=True),
        "context",
    ),
    "an assistant spoke to it": (
        Situation("whisper", from_assistant=True, addressed="named"),
        "cross_talk",
    ),
    "spoken to alone": (Situation("tell"), "direct_message"),
    "named": (Situation("say", addressed="named"), "direct_addressing"),
    "in conversation": (Situation("say", addressed="in conversation"), "conversation"),
    "followed channel": (Situation("channel", addressed="followed channel"), "conversation"),
    "everybody greeted": (Situation("say", addressed="everybody greeted"), "everybody"),
    "chatty": (Situation("say", addressed="chatty"), "everybody"),
    "somebody else named": (Situation("say", addressed="somebody else named"), "context"),
    "room talk": (Situation("say"), "context"),
}

situations = some.builds(
    Situation,
    kind=some.sampled_from(["say", "pose", "whisper", "tell", "channel", "x"]),
    addressed=some.sampled_from(sorted(classification.ADDRESSED)),
    talkative=some.sampled_from(["never", "addressed", "chatty"]),
    followed_channel=some.sampled_from(["", "listen", "named", "answer"]),
)


class RuleTests(unittest.TestCase):
    def test_each_rule_decides_its_case(self):
        rules = [name for name, _, _ in classification.RULES]
        self.assertEqual([*rules, *classification.ADDRESSED], list(DECIDED))
        for name, (situation, verdict) in DECIDED.items():
            with self.subTest(rule=name):
                self.assertEqual(classification.classify(situation), (verdict, name))
                self.assertEqual(classification.class_of(name), verdict)

    def test_two_assistants_answer_each_other_only_while_they_may(self):
        for situation, expected in (
            (Situation("whisper", from_assistant=True), "direct_message"),
            (Situation("whisper", from_assistant=True, exchange_allowed=False), "context"),
            (Situation("say", from_assistant=True), "context"),
        ):
            with self.subTest(situation=situation):
                self.assertEqual(classification.classify(situation)[0], expected)

    def test_every_class_has_its_urgency(self):
        self.assertEqual(
            classification.PRIORITIES,
            {
                "direct_message": 9,
                "direct_addressing": 8,
                "conversation": 6,
                "everybody": 5,
                "cross_talk": 3,
                "context": 1,
                "ignore": 0,
            },
        )
        self.assertEqual(
            classification.ANSWERED, classification.PRIORITIES.keys() - {"context", "ignore"}
        )

    @given(situations)
    def test_every_situation_is_decided_and_who_is_off_or_silent_answers_nothing(self, situation):
        verdict, _ = classification.classify(situation)
        self.assertIn(verdict, classification.PRIORITIES)
        silent = not situation.enabled or situation.own or situation.talkative == "never"
        if silent or (situation.from_assistant and not situation.exchange_allowed):
            self.assertNotIn(verdict, classification.ANSWERED)

    def test_what_is_no_rule_has_no_class(self):
        self.assertEqual(classification.class_of(""), "")


class NameFitTests(unittest.TestCase):
    def test_names_are_found_as_whole_words(self):
        for text, names, expected in (
            ("Hello Bob", ["Bob"], 3),
            ("BOB!", ["bob"], 3),
            ("bob's ale, please", ["Bob"], 3),
            ("Where is Bob’s ale?", ["Bob"], 3),
            ("(Bob)", ["Bob"], 3),
            ("*Bob*", ["Bob"], 3),
            ("apples are bobbing", ["Bob"], 0),
            ("kebob", ["Bob"], 0),
            ("bob_2", ["Bob"], 0),
            ("", ["Bob"], 0),
            ("Bob", [], 0),
            ("Bob", [""], 0),
            # The longest name that is found counts.
            ("old bob the smith", ["Bob", "Bob the Smith", "smith"], 13),
            ("the smith", ["Bob", "Bob the Smith", "smith"], 5),
        ):
            with self.subTest(text=text, names=names):
                self.assertEqual(classification.name_fit(text, names), expected)

    def test_names_of_other_alphabets_and_with_marks(self):
        for text, names, expected in (
            ("grüß dich, JÜRGEN", ["Jürgen"], 6),
            ("Jürgens", ["Jürgen"], 0),
            ("strasse", ["Straße"], 6),
            ("O'Brien, ale!", ["O'Brien"], 7),
            ("O’Brien, ale!", ["O'Brien"], 7),
            ("O'Brien, ale!", ["O’Brien"], 7),
            ("Brienne", ["O'Brien"], 0),
            ("Здравствуй, Иван", ["Иван"], 4),
            ("Jean-Luc, come", ["Jean-Luc"], 8),
        ):
            with self.subTest(text=text, names=names):
                self.assertEqual(classification.name_fit(text, names), expected)

    def test_an_accent_may_be_written_as_a_letter_of_its_own(self):
        apart = unicodedata.normalize("NFD", "Zoë und Jürgen")
        self.assertEqual(classification.name_fit(apart, ["Jürgen"]), 6)
        self.assertEqual(classification.name_fit(apart, ["Zoe"]), 0)

    def test_a_name_is_no_pattern(self):
        for text, name, expected in (
            ("hello R.O.B.", "R.O.B.", 6),
            ("hello RxOxBx", "R.O.B.", 0),
            ("what is (.*)?", "(.*)", 4),
            ("anything", ".*", 0),
            ("a [guard] stands", "[guard]", 7),
            ("C++ and C#", "C++", 3),
            ("oh no", "(", 0),
            ("back\\slash", "back\\slash", 10),
        ):
            with self.subTest(text=text, name=name):
                self.assertEqual(classification.name_fit(text, [name]), expected)

    def test_a_word_that_everybody_uses_names_nobody_in_passing(self):
        for text, name, expected in (
            ("and do you have soup?", "You", 0),
            ("Will you have soup?", "Will", 0),
            ("I may stay", "May", 0),
            ("Will, an ale!", "Will", 4),
            ("an ale, will", "Will", 4),
            ("You!", "You", 3),
            ("Good evening Will", "Will", 4),
            ("good evening will", "Will", 0),
            ("I will go", "will", 0),
            ("I will go with Will Scarlet", "Will Scarlet", 12),
        ):
            with self.subTest(text=text, name=name):
                self.assertEqual(classification.name_fit(text, [name]), expected)

    @given(some.text(), some.text())
    def test_no_name_and_no_words_break_it(self, text, name):
        fit = classification.name_fit(text, [name])
        self.assertIn(fit, (0, len(name)))


class IsForEverybodyTests(unittest.TestCase):
    def test_a_greeting_alone_or_with_all_is_for_everybody(self):
        for text in (
            "Hello",
            "  HELLO, all.",
            "Hello everyone",
            "Good morning, folks",
            "Hello hello",
        ):
            with self.subTest(text=text):
                self.assertTrue(classification.is_for_everybody(text))

    def test_other_words_are_not(self):
        for text in ("", "...", "all", "Hello Bob", "Hello Morning", "Othello", "Well hello"):
            with self.subTest(text=text):
                self.assertFalse(classification.is_for_everybody(text))

    def test_where_players_talk_a_greeting_has_to_name_all(self):
        self.assertFalse(classification.is_for_everybody("yo", is_quiet=False))
        self.assertTrue(classification.is_for_everybody("Hello all", is_quiet=False))
        self.assertFalse(classification.is_for_everybody("anyone got a rope?", is_quiet=False))

    def test_a_question_is_if_it_asks_for_anybody_or_nobody_else_is_there(self):
        self.assertTrue(classification.is_for_everybody("Can anybody tell me the way?"))
        asked = "Rough night. Who am I talking to?"
        self.assertFalse(classification.is_for_everybody(asked))
        self.assertTrue(classification.is_for_everybody(asked, only_minds=True))
        self.assertFalse(classification.is_for_everybody("Rough night.", only_minds=True))


class FormTests(unittest.TestCase):
    def test_a_question_needs_no_question_mark(self):
        for text in ("where is it", "and how much is it", "whats in the stew", "so is it far"):
            with self.subTest(text):
                self.assertTrue(classification.is_question(text))
        self.assertFalse(classification.is_question("I know where it is"))

    def test_the_form_of_some_lines_fits_a_player(self):
        for text in (
            "yeah. you should visit",
            "ok see you there",
            "shall we?",
            "want to go there?",
        ):
            with self.subTest(text):
                self.assertTrue(classification.is_for_player(text, ["Mara"]))
        for text in ("hes grumpy", "Mara is grumpy", "is Mara always like that?", "lol", ":)"):
            with self.subTest(text):
                self.assertTrue(classification.is_for_player(text, ["Mara"]))
        for text in ("ok ill have that", "do you have beds?", "ok thank you", "really?"):
            with self.subTest(text):
                self.assertFalse(classification.is_for_player(text, ["Mara"]))


class CalledTests(unittest.TestCase):
    def test_who_is_spoken_to_is_called_and_who_is_spoken_of_is_not(self):
        for words in (
            "Bob, come here",
            "hey bob!",
            "Bob?",
            "what is it, Bob?",
            "Bob what is it",
            "thanks Bob",
            "bob another one please",
            "bob is there a ferry?",
            "so bob, whats new",
            "Listen, Bob, come here",
            "whats in the stew bob?",
        ):
            with self.subTest(words):
                self.assertTrue(classification.is_called(words, ["Bob"]))
        for words in (
            "is Bob here?",
            "what did bob say",
            "Bob lives in Lund",
            "I saw Bobby, too",
            "Bob tells the best stories",
            "thats Bob, he used to row",
            "ask Bob about the mill first",
            "has anyone seen Bob?",
            "do you know Bob?",
        ):
            with self.subTest(words):
                self.assertFalse(classification.is_called(words, ["Bob"]))

    def test_a_drawn_out_name_is_a_call(self):
        self.assertTrue(classification.is_called("besss another one please", ["Bess"]))

    def test_a_common_noun_is_a_call_only_where_nothing_else_can_be_meant(self):
        for words, names in (
            ("monk, open the gate", ["monk"]),
            ("monk what is it", ["monk"]),
            ("hey monk!", ["monk"]),
            ("what is it, tall guard?", ["a tall guard", "tall guard"]),
        ):
            with self.subTest(words):
                self.assertTrue(classification.is_called(words, names))
        for words in (
            "give me a bed.",
            "a bed, please",
            "bed, please",
            "a bed and a meal",
            "bed?",
            "where can I get me a bed?",
        ):
            with self.subTest(words):
                self.assertFalse(classification.is_called(words, ["a bed", "bed"]))
