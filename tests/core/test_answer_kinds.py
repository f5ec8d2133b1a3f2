from django.test import SimpleTestCase

from evennia_ai.core.answer_kinds import is_likely, wanted

# (question, the kind that it asks for, a line that holds such a thing, one that does not)
ASKED = (
    ("When did the mill burn down?", "when", "It burned down last winter.", "It burned down."),
    ("How many wolves were there?", "count", "There were seven of them.", "The wolves were grey."),
    ("How long did you wait?", "duration", "I stood there for two hours.", "I stood there."),
    ("Who stole the bread?", "person", "It was Greta, I think.", "It was a thief, I think."),
    ("Where did you buy the horse?", "place", "I bought it from Oakhaven.", "I bought it cheaply."),
    ("Where is the key?", "place", "I hid it under the oak.", "I lost it again."),
    ("What is the horse called?", "name", "We call him Thunder.", "We call him often."),
    ("What colour is the boat?", "colour", "It is painted blue.", "It is painted well."),
    ("När brann kvarnen?", "when", "Den brann i vintras, på morgonen.", "Den brann ner."),
)


class AnswerKindTests(SimpleTestCase):
    def test_a_question_asks_for_a_kind_of_thing_that_some_lines_hold(self):
        for question, kind, holds, does_not in ASKED:
            with self.subTest(question):
                self.assertEqual(wanted(question), kind)
                self.assertTrue(is_likely(kind, holds))
                self.assertFalse(is_likely(kind, does_not))

    def test_the_names_of_those_who_talk_are_no_answer(self):
        self.assertFalse(is_likely("person", "I told Ann that it was him.", called={"ann"}))
        self.assertFalse(is_likely("person", "It was in Ann's house.", called={"ann"}))

    def test_the_first_word_of_a_sentence_is_a_name_only_if_it_carries_meaning(self):
        self.assertFalse(is_likely("person", "He did it. They saw it!"))
        self.assertTrue(is_likely("person", "He did it. Skorvald saw it!"))

    def test_a_day_is_no_name(self):
        self.assertFalse(is_likely("person", "It was on a Monday."))

    def test_what_is_asked_about_in_general_wants_no_kind(self):
        self.assertEqual(wanted("What happened at the mill?"), "")
