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
    "said elsewhere": (Situation("say", far=True, named=True), "context"),
    "assistants talked enough": (
        Situation("say", from_assistant=True, exchange_allowed=False, named=True),
        "context",
    ),
    "assistants talk with a model only": (
        Situation("say", from_assistant=True, by_rules=True, named=True),
        "context",
    ),
    "only listens there": (
        Situation("channel", followed_channel="listen", named=True, from_assistant=True),
        "context",
    ),
    "an assistant spoke to it": (
        Situation("whisper", from_assistant=True, named=True),
        "cross_talk",
    ),
    "spoken to alone": (Situation("tell"), "direct_message"),
    "given something": (Situation("give"), "direct_addressing"),
    "named": (Situation("say", named=True, other_named=True), "direct_addressing"),
    "somebody else named": (
        Situation("say", other_named=True, engaged=True, responder=True),
        "context",
    ),
    "in conversation": (
        Situation("say", engaged=True, responder=True, for_everybody=True),
        "conversation",
    ),
    "everybody greeted": (Situation("say", for_everybody=True, responder=True), "everybody"),
    "the room asked": (Situation("say", asks_room=True, responder=True), "everybody"),
    "followed channel": (
        Situation("channel", followed_channel="answer", responder=True),
        "conversation",
    ),
    "chatty": (Situation("arrive", talkative="chatty", responder=True), "everybody"),
    "room talk": (Situation("say"), "context"),
}

situations = some.builds(
    Situation,
    kind=some.sampled_from(["say", "pose", "whisper", "tell", "give", "arrive", "channel", "x"]),
    talkative=some.sampled_from(["never", "addressed", "chatty"]),
    followed_channel=some.sampled_from(["", "listen", "named", "answer"]),
)


class RuleTests(unittest.TestCase):
    def test_each_rule_has_its_case_in_the_order_of_the_table(self):
        self.assertEqual([rule.name for rule in classification.RULES], list(DECIDED))

    def test_each_rule_decides_its_case(self):
        for name, (situation, verdict) in DECIDED.items():
            with self.subTest(rule=name):
                self.assertEqual(classification.classify(situation), (verdict, name))

    def test_an_earlier_rule_holds_over_a_later_one_that_fits_as_well(self):
        fitting = {rule.name: rule.fits for rule in classification.RULES}
        for name, shadowed in (
            ("disabled", "own words"),
            ("own words", "never talks"),
            ("never talks", "spoken to alone"),
            ("assistants talked enough", "named"),
            ("only listens there", "an assistant spoke to it"),
            ("only listens there", "named"),
            ("an assistant spoke to it", "spoken to alone"),
            ("named", "somebody else named"),
            ("somebody else named", "room talk"),
            ("in conversation", "everybody greeted"),
        ):
            situation, _ = DECIDED[name]
            with self.subTest(rule=name, shadowed=shadowed):
                self.assertTrue(fitting[name](situation))
                self.assertTrue(fitting[shadowed](situation))

    def test_what_looks_alike_and_is_something_else(self):
        for situation, expected in (
            # A pose continues no conversation and greets nobody, but it may name somebody.
            (Situation("pose", engaged=True, responder=True), "context"),
            (Situation("pose", for_everybody=True, responder=True), "context"),
            (Situation("pose", named=True), "direct_addressing"),
            # Engaged, but the speaker's last words went to another: that one is the responder.
            (Situation("say", engaged=True), "context"),
            (Situation("say", for_everybody=True), "context"),
            # What an assistant says to everybody, others leave at that.
            (Situation("say", for_everybody=True, responder=True, from_assistant=True), "context"),
            # A name in a line that was no speech is only a name.
            (Situation("arrive", named=True), "context"),
            (Situation("channel", named=True), "direct_addressing"),
            (Situation("channel", followed_channel="named"), "context"),
            (Situation("channel", followed_channel="named", responder=True), "context"),
            # Another follower answers, or somebody else is meant.
            (Situation("channel", followed_channel="answer"), "context"),
            (
                Situation("channel", followed_channel="answer", responder=True, other_named=True),
                "context",
            ),
            # Assistants answer each other there by name only.
            (
                Situation(
                    "channel", followed_channel="answer", responder=True, from_assistant=True
                ),
                "context",
            ),
            (
                Situation("channel", followed_channel="answer", named=True, from_assistant=True),
                "cross_talk",
            ),
            # Chatty is not nosy: one of several answers, and not to other assistants.
            (Situation("say", talkative="chatty"), "context"),
            (Situation("say", talkative="chatty", responder=True), "everybody"),
            (
                Situation("say", talkative="chatty", responder=True, from_assistant=True),
                "context",
            ),
            # Two assistants in a conversation go on while they may.
            (Situation("say", from_assistant=True, engaged=True, responder=True), "conversation"),
            (Situation("whisper", from_assistant=True), "direct_message"),
            (Situation("whisper", from_assistant=True, exchange_allowed=False), "context"),
            # Another assistant that names somebody else is talk of the room.
            (Situation("say", from_assistant=True, other_named=True), "context"),
            (Situation("attacked", responder=True), "context"),
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


class ClassOfTests(unittest.TestCase):
    def test_the_name_of_a_rule_tells_its_class(self):
        self.assertEqual(classification.class_of("named"), "direct_addressing")
        self.assertEqual(classification.class_of("room talk"), "context")

    def test_what_is_no_rule_has_none(self):
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


class ChooseResponderTests(unittest.TestCase):
    def test_the_last_addressed_answers_else_whose_name_fits_best(self):
        for fits, last, expected in (
            ({"a": 0, "b": 0}, "b", "b"),
            ({"a": 5, "b": 3}, "b", "b"),
            ({"a": 3, "b": 5}, None, "b"),
            # Who was addressed last has gone, or was not meant.
            ({"a": 3, "b": 5}, "c", "b"),
            ({"b": 3, "a": 3}, None, "a"),
            ({}, None, None),
            ({}, "a", None),
        ):
            with self.subTest(fits=fits, last=last):
                chosen = classification.choose_responder(fits, last_addressed=last)
                self.assertEqual(chosen, expected)

    @given(
        some.dictionaries(some.text(max_size=3), some.integers(0, 3), max_size=6),
        some.randoms(use_true_random=False),
        some.none() | some.text(max_size=3),
    )
    def test_everybody_who_asks_gets_the_same_answer(self, fits, random, last):
        shuffled = list(fits.items())
        random.shuffle(shuffled)
        one = classification.choose_responder(fits, last_addressed=last)
        other = classification.choose_responder(dict(shuffled), last_addressed=last)
        self.assertEqual(one, other)
        self.assertTrue(one in fits if fits else one is None)


class IsForEverybodyTests(unittest.TestCase):
    def is_for_everybody(self, text, greetings=("hello", "good", "good morning", "g'day")):
        return classification.is_for_everybody(
            text, greetings=greetings, everybody=["all", "everyone", "y'all"]
        )

    def test_a_greeting_alone_or_with_all_is_for_everybody(self):
        for text in (
            "Hello",
            "hello!",
            "  HELLO, all.",
            "Hello everyone",
            "Hello everyone",
            "Hello, y'all!",
            "Hello, y’all!",
            # "good" is a greeting as well, and must not stand in the way.
            "Good morning",
            "Good morning, everyone",
            "G'day",
            "Hello hello",
            "Good morning, my name is Ann",
        ):
            with self.subTest(text=text):
                self.assertIs(self.is_for_everybody(text), True)

    def test_other_words_are_not(self):
        for text in (
            "",
            "...",
            "all",
            "Hello Bob",
            # Somebody may be called what stands in a greeting.
            "Hello Morning",
            "Hello all, Bob is late",
            "Othello",
            "Helloall",
            "Well hello",
            "Morning good",
        ):
            with self.subTest(text=text):
                self.assertIs(self.is_for_everybody(text), False)

    def test_a_question_is_if_it_asks_for_anybody_or_nobody_else_is_there(self):
        self.assertIs(self.is_for_everybody("Can anybody tell me the way?"), True)
        self.assertIs(self.is_for_everybody("Rough night. Who am I talking to?"), False)
        alone = {"greetings": ("hello",), "everybody": ["all"], "only_minds": True}
        asked = "Rough night. Who am I talking to?"
        self.assertIs(classification.is_for_everybody(asked, **alone), True)
        self.assertIs(classification.is_for_everybody("Rough night.", **alone), False)

    def test_a_greeting_of_no_words_greets_nobody(self):
        self.assertIs(self.is_for_everybody("all", greetings=("", "!")), False)
        self.assertIs(self.is_for_everybody("hello", greetings=()), False)


class CalledTests(unittest.TestCase):
    def test_who_is_spoken_to_is_called_and_who_is_spoken_of_is_not(self):
        for words in (
            "Bob, come here",
            "hey bob!",
            "Bob?",
            "what is it, Bob?",
            "Bob what is it",
            "thanks Bob",
            "tack Bob",
        ):
            with self.subTest(words):
                self.assertTrue(classification.is_called(words, ["Bob"]))
        for words in ("is Bob here?", "what did bob say", "Bob lives in Lund", "I saw Bobby, too"):
            with self.subTest(words):
                self.assertFalse(classification.is_called(words, ["Bob"]))

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
