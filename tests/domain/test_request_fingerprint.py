"""What of a request counts on a tape, and what is told where it does not fit."""

import unittest
import uuid

from hypothesis import given
from hypothesis import strategies as st

from evennia_ai.domain.model_text import request_fingerprint

SAY = {"name": "say", "description": "Say it.", "parameters": {"type": "object"}}


def asked(*contents, job="reply", tools=(SAY,), schema=None):
    messages = [
        {"role": "system" if number == 0 else "user", "content": content}
        for number, content in enumerate(contents)
    ]
    return request_fingerprint.normal(job, messages, tools, schema)


def key(*contents, **fields):
    return request_fingerprint.key(asked(*contents, **fields))


class KeyTests(unittest.TestCase):
    SAME = (
        ("It is evening, 19:30.", "It is morning, 08:05."),
        ("At 19:30:05 it rang.", "At 7:30 it rang."),
        ("2026-11-22T03:59:09Z: it rang.", "2027-01-01T00:00:00+01:00: it rang."),
        ("Noted on 2026-11-22.", "Noted on 2027-01-01."),
        ("Bob came 2 hours ago.", "Bob came 31 minutes ago."),
        ("Bob came an hour ago.", "Bob came 3 days ago."),
        (f"About {uuid.UUID(int=1)}.", f"About {uuid.UUID(int=2)}."),
        ("Event " + "a" * 32, "Event " + "b" * 32),
        ("You see a mug (#12).", "You see a mug (#4711)."),
    )
    OTHER = (
        ("Bob waits for 2 hours.", "Bob waits for 3 hours."),
        ("A bed costs 3 coppers.", "A bed costs 4 coppers."),
        ("#1 gave it to #2.", "#1 gave it to #1."),
        (f"{uuid.UUID(int=1)} {uuid.UUID(int=2)}", f"{uuid.UUID(int=1)} {uuid.UUID(int=1)}"),
    )

    def test_times_and_ids_do_not_count(self):
        for one, two in self.SAME:
            with self.subTest(one):
                self.assertEqual(key("You are Mara.", one), key("You are Mara.", two))

    def test_everything_else_does(self):
        for one, two in self.OTHER:
            with self.subTest(one):
                self.assertNotEqual(key("You are Mara.", one), key("You are Mara.", two))

    def test_job_tools_and_schema_count(self):
        other = {**SAY, "description": "Say it aloud."}
        keys = {
            key("Hi."),
            key("Hi.", job="score"),
            key("Hi.", tools=()),
            key("Hi.", tools=(other,)),
            key("Hi.", schema={"type": "object"}),
        }
        self.assertEqual(len(keys), 5)

    def test_the_same_object_has_the_same_name_in_all_messages(self):
        one, two = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
        self.assertEqual(
            [message["content"] for message in asked(f"{one} {two}", f"{two}")["messages"]],
            ["<id 1> <id 2>", "<id 2>"],
        )

    def test_calls_of_tools_count_by_name_and_arguments_and_not_by_id(self):
        def used(call_id, words):
            call = {"id": call_id, "name": "say", "arguments": {"words": words}}
            return request_fingerprint.key(
                request_fingerprint.normal(
                    "reply",
                    [
                        {"role": "assistant", "content": "", "tool_calls": [call]},
                        {"role": "tool", "content": "Done.", "tool_call_id": call_id},
                    ],
                )
            )

        self.assertEqual(used("call_1", "Hi."), used("call_x", "Hi."))
        self.assertNotEqual(used("call_1", "Hi."), used("call_1", "Ho."))

    @given(st.lists(st.text(), min_size=1, max_size=3))
    def test_any_words_have_one_key(self, contents):
        self.assertEqual(key(*contents), key(*contents))
        self.assertNotEqual(key(*contents), key(*contents, "and more"))


class DifferenceTests(unittest.TestCase):
    def difference(self, now, *recorded):
        return request_fingerprint.difference(now, recorded)

    def test_the_first_line_that_differs_is_shown(self):
        before = asked("You are Mara.\nYou are warm.", "Hello.")
        now = asked("You are Mara.\nYou are cold.", "Hello.")
        self.assertEqual(
            self.difference(now, before),
            "message 1 (system) says 'You are cold.', and on the tape 'You are warm.'.",
        )

    def test_the_nearest_request_is_the_one_to_compare_with(self):
        near = asked("You are Mara.", "Bob: Hello.\nBob: Are you there?")
        far = asked("You are Bertil.", "Bob: Hello.\nBob: Are you here?")
        now = asked("You are Mara.", "Bob: Hello.\nBob: Are you here?")
        self.assertEqual(
            self.difference(now, far, near),
            "message 2 (user) says 'Bob: Are you here?', and on the tape 'Bob: Are you there?'.",
        )

    def test_a_message_more_or_less_is_told(self):
        short, long = asked("You are Mara."), asked("You are Mara.", "Hello.")
        self.assertEqual(self.difference(long, short), "message 2 (user) is new: 'Hello.'.")
        self.assertEqual(
            self.difference(short, long), "message 2 of the tape is not there any more."
        )

    def test_tools_are_told_by_name(self):
        def tool(name, words=""):
            return {"name": name, "description": words}

        before = asked("Hi.", tools=(tool("say"), tool("look"), tool("give", "Give it.")))
        now = asked("Hi.", tools=(tool("say"), tool("move"), tool("give", "Give a thing.")))
        self.assertEqual(
            self.difference(now, before),
            "the tools differ: move (new); look (gone); give (changed).",
        )

    def test_a_schema_is_told(self):
        self.assertEqual(
            self.difference(asked("Hi.", schema={"a": 1}), asked("Hi.")),
            "the schema of the answer differs.",
        )

    def test_a_job_that_was_never_asked_for_is_told(self):
        sentence = "it has no answer for the job score."
        self.assertEqual(self.difference(asked("Hi.", job="score"), asked("Hi.")), sentence)
        self.assertEqual(self.difference(asked("Hi.", job="score")), sentence)
