"""Tests of what is kept of a conversation and what of it may be shown."""

import unittest
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as some
from msgspec import structs

from evennia_ai.core.records import new_event
from evennia_ai.domain.memories import conversation
from tests.domain.lines import line


class NewestTests(unittest.TestCase):
    @given(some.lists(some.integers()), some.integers(0, 5))
    def test_the_newest_are_the_end_of_the_list(self, lines, limit):
        newest = conversation.newest(lines, limit)
        self.assertEqual(len(newest), min(limit, len(lines)))
        self.assertEqual(lines[len(lines) - len(newest) :], newest)


class NewestLinesTests(unittest.TestCase):
    def test_summaries_stay_beside_the_newest_lines(self):
        lines = [line("1"), line("short", kind="summary"), line("2"), line("3")]
        for limit, expected in ((9, ["1", "short", "2", "3"]), (1, ["short", "3"]), (0, ["short"])):
            with self.subTest(limit=limit):
                kept = conversation.newest_lines(lines, limit)
                self.assertEqual([one.text for one in kept], expected)


class MergedTests(unittest.TestCase):
    def said(self, second, text, *, mine=False):
        when = f"2024-03-01T12:{second // 60:02}:{second % 60:02}.000Z"
        return line(text, timestamp=when, role="assistant" if mine else "user")

    def merged(self, *talks):
        return [one.text for one in conversation.merged(talks)]

    def test_who_speaks_at_once_is_answered_one_after_the_other(self):
        ann = [self.said(0, "The toll?"), self.said(9, "A copper.", mine=True)]
        bob = [self.said(1, "The time?"), self.said(5, "Noon.", mine=True)]
        expected = ["The toll?", "A copper.", "The time?", "Noon."]
        self.assertEqual(self.merged(ann, bob), expected)
        self.assertEqual(self.merged(bob, ann), expected)

    def test_what_it_says_much_later_unasked_stands_where_it_was_said(self):
        ann = [self.said(0, "The toll?"), self.said(121, "Ann, wait!", mine=True)]
        bob = [self.said(60, "The time?"), self.said(62, "Noon.", mine=True)]
        self.assertEqual(self.merged(ann, bob), ["The toll?", "The time?", "Noon.", "Ann, wait!"])


class SelectRecentTests(unittest.TestCase):
    LINES = [
        line("open 1"),
        line("for ann", audience=["ann", "me"]),
        line("for bob", audience=["bob", "me"]),
        line("open 2"),
    ]

    def select(self, hearers, limit=10):
        chosen = conversation.select_recent(self.LINES, hearers=hearers, limit=limit)
        return [one.text for one in chosen]

    def test_only_what_everybody_in_earshot_may_know(self):
        for hearers, expected in (
            (["ann"], ["open 1", "for ann", "open 2"]),
            (["bob"], ["open 1", "for bob", "open 2"]),
            (["ann", "bob"], ["open 1", "open 2"]),
            (["stranger"], ["open 1", "open 2"]),
        ):
            with self.subTest(hearers=hearers):
                self.assertEqual(self.select(hearers), expected)

    def test_the_limit_counts_what_may_be_known(self):
        """A stranger's whispers must not push out what the hearer may know."""
        self.assertEqual(self.select(["ann"], limit=2), ["for ann", "open 2"])
        self.assertEqual(self.select(["ann", "bob"], limit=2), ["open 1", "open 2"])
        self.assertEqual(self.select(["ann"], limit=0), [])


class WorthKeepingTests(unittest.TestCase):
    def worth(self, text, kind="say", *, asked=""):
        event = new_event(kind, text, event_id="1", now=datetime(2030, 1, 1))
        return conversation.is_worth_keeping(event, names=["Mara"], asked=lambda: asked)

    def test_what_tells_something_is_kept(self):
        for text in (
            "My brother drowned at the ferry.",
            "My brother drowned at the ferry. Do you know how?",
            "Hello Mara! The bridge is down.",
            "They tell me the bridge is down.",
            "How was the race in Saltmere with your sister and her mule?",
            "Mara, min bror drunknade vid färjan.",
        ):
            with self.subTest(text=text):
                self.assertTrue(self.worth(text))

    def test_a_short_sentence_about_somebody_is_kept(self):
        for text in (
            "I'm vegan.",
            "She left me.",
            "Guess what? I'm pregnant!",
            "My sister? She's a judge.",
            "Thank you! It was my birthday.",
            "Jag är vegan.",
        ):
            with self.subTest(text=text):
                self.assertTrue(self.worth(text))

    def test_a_question_that_tells_of_whoever_asks_is_kept(self):
        for text in (
            "I lost my ring, have you seen it?",
            "Do you remember my cat Luna?",
            "Is it odd that I collect spoons?",
            "Can you believe I quit smoking?",
        ):
            with self.subTest(text=text):
                self.assertTrue(self.worth(text))

    def test_a_word_is_kept_where_it_answers_a_question(self):
        for asked, text in (
            ("What's your dog called?", "Rex."),
            ("When is the wedding?", "In May."),
            ("Where are you from?", "Sweden!"),
            ("Did you sell the house?", "We did, yes."),
            ("Vad heter hunden?", "Karo."),
        ):
            with self.subTest(text=text):
                self.assertTrue(self.worth(text, asked=asked))
                self.assertFalse(self.worth(text))
        for text in ("Yes.", "Haha, no.", "Thanks!", "I see.", "Is that so?"):
            with self.subTest(text=text):
                self.assertFalse(self.worth(text, asked="What's your dog called?"))

    def test_questions_requests_for_words_and_small_talk_are_not(self):
        for text in (
            "Who brews the ale here?",
            "Is the bridge safe? Or the old ferry?",
            "Tell me about my brother, Mara.",
            "Mara, tell me about my brother.",
            "Please show me the silver key.",
            "Mara, berätta för mig om min bror.",
            "Hello!",
            "Good evening everybody!",
            "Bye, see you tomorrow",
            "Mara.",
            "Mara, may I have my mug back?",
            "I see. That's great!",
        ):
            with self.subTest(text=text):
                self.assertFalse(self.worth(text))

    def test_coming_and_going_is_not_and_what_happens_is(self):
        for kind, expected in (("arrive", False), ("leave", False), ("give", True), ("pose", True)):
            with self.subTest(kind=kind):
                self.assertIs(self.worth("The old knight bows deeply.", kind), expected)


class RecentTests(unittest.TestCase):
    def test_they_do_not_begin_with_an_answer_to_what_is_left_out(self):
        lines = [line("Who are you?"), line("Mara.", mine=True), line("And the ale?")]
        found = conversation.select_recent(lines, hearers=[], limit=2)
        self.assertEqual([one.text for one in found], ["And the ale?"])
        greeting = lines[1:]
        self.assertEqual(conversation.select_recent(greeting, hearers=[], limit=2), greeting)

    def test_who_came_back_or_left_again_between_two_lines_is_not_told_of(self):
        def move(kind, who):
            return line("", kind=kind, said_by=who)

        said = line("Good evening.")
        for run, expected in (
            ([("leave", "ann"), ("arrive", "ann")], []),
            ([("arrive", "ann"), ("leave", "bob"), ("leave", "ann")], [("leave", "bob")]),
            ([("arrive", "ann"), ("arrive", "ann")], [("arrive", "ann")]),
        ):
            with self.subTest(run):
                lines = [said, *(move(*one) for one in run), said]
                told = [
                    (one.kind, one.said_by) for one in conversation.without_detours(lines)[1:-1]
                ]
                self.assertEqual(told, expected)
        apart = [move("leave", "ann"), said, move("arrive", "ann")]
        self.assertEqual(conversation.without_detours(apart), apart)


class NarratedTests(unittest.TestCase):
    def test_a_deed_names_its_doer_once(self):
        now = datetime.fromisoformat("2030-01-01T10:00:00+00:00")
        for kind, text, expected in (
            ("pose", "raises an eyebrow.", "Bertil raises an eyebrow."),
            ("pose", "Bertil raises an eyebrow.", "Bertil raises an eyebrow."),
            ("pose", "* bertil raises an eyebrow.", "* bertil raises an eyebrow."),
            ("pose", "sees how Bertila yawns.", "Bertil sees how Bertila yawns."),
            ("give", "gives you a mug", "Bertil gives you a mug"),
            ("say", "Evening.", "Evening."),
        ):
            with self.subTest(text):
                event = new_event(kind, text, event_id="1", now=now, actor_name="Bertil")
                self.assertEqual(conversation.narrated(event), expected)


class QuestionBeforeTests(unittest.TestCase):
    """An answer is to be found by the words of its question, too."""

    ASKED = line("Have you been to Samarkand?", mine=True, timestamp="2030-01-01T10:00:00.000000Z")
    ANSWER = line("Twice, with my uncle.", event_id="told", timestamp="2030-01-01T10:01:00.000000Z")

    def before(self, *, known_to="public", event_id="told", **changes):
        lines = [structs.replace(self.ASKED, **changes), self.ANSWER]
        found = conversation.question_before(lines, event_id, audience=known_to)
        return found.text if found else ""

    def test_it_is_what_was_asked_just_before(self):
        self.assertEqual(self.before(), "Have you been to Samarkand?")
        self.assertEqual(self.before(text='"Have you?"'), '"Have you?"')

    def test_whoever_may_know_the_answer_may_know_the_question(self):
        for asked, answered, expected in (
            ("public", ["ann"], "Have you been to Samarkand?"),
            (["ann", "bob"], ["ann"], "Have you been to Samarkand?"),
            (["ann"], ["ann", "bob"], ""),
            (["ann"], "public", ""),
        ):
            with self.subTest(asked=asked, answered=answered):
                self.assertEqual(self.before(known_to=answered, audience=asked), expected)

    def test_a_remark_a_summary_or_the_same_voice_asked_nothing(self):
        for changes in (
            {"text": "I have been to Samarkand."},
            {"kind": "summary"},
            {"role": "user"},
            {"timestamp": "2030-01-01T09:58:59.000000Z"},
        ):
            with self.subTest(changes=changes):
                self.assertEqual(self.before(**changes), "")
        self.assertEqual(self.before(timestamp="2030-01-01T09:59:00.000000Z"), self.ASKED.text)

    def test_it_may_be_what_another_asked(self):
        self.assertEqual(self.before(role="user", said_by="bob"), "Have you been to Samarkand?")

    def test_without_the_line_there_is_no_question(self):
        for event_id in ("", "else"):
            with self.subTest(event_id=event_id):
                self.assertEqual(self.before(event_id=event_id), "")
        alone = conversation.question_before([self.ANSWER], "told", audience="public")
        self.assertIsNone(alone)
        self.assertIsNone(conversation.question_before([], "told", audience="public"))
