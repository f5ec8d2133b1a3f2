"""Tests of what was just said, with whom."""

import uuid

from django.db import connection
from django.test.utils import CaptureQueriesContext
from evennia.typeclasses.attributes import Attribute

from evennia_ai.storage import attributes, identity, working_memory
from evennia_ai.testing import AITestCase


def line(text, *, second=0, mine=False, kind="say", audience="public", name="Ann"):
    return {
        "actor": "",
        "name": name,
        "text": text,
        "kind": kind,
        "mine": mine,
        "audience": audience,
        "timestamp": f"2024-03-01T12:00:{second:02}.000Z",
    }


class WorkingMemoryTestCase(AITestCase):
    def add(self, entity, text, **fields):
        event_id = fields.pop("event_id", "")
        working_memory.add_line(self.char1, entity, line(text, **fields), event_id=event_id)

    def texts(self, lines):
        return [one["text"] for one in lines]

    def stored(self):
        return Attribute.objects.filter(objectdb=self.char1, db_category="working_memory")


class ConversationTests(WorkingMemoryTestCase):
    def test_a_conversation_has_the_shape_of_the_source(self):
        self.add(self.char2, "Hello.", second=1, event_id="e1")
        self.add(self.char2, "Good day.", second=2, mine=True, name="Mara", audience=["ann", "me"])
        self.assertEqual(
            working_memory.get_conversation_context(self.char1, self.char2),
            {
                "topic": "",
                "started": "2024-03-01T12:00:01.000Z",
                "last_message": "2024-03-01T12:00:02.000Z",
                "messages": [
                    {
                        "role": "user",
                        "content": "Hello.",
                        "name": "Ann",
                        "kind": "say",
                        "audience": "public",
                        "timestamp": "2024-03-01T12:00:01.000Z",
                        "event_id": "e1",
                    },
                    {
                        "role": "assistant",
                        "content": "Good day.",
                        "name": "Mara",
                        "kind": "say",
                        "audience": ["ann", "me"],
                        "timestamp": "2024-03-01T12:00:02.000Z",
                        "event_id": "",
                    },
                ],
                "pending_actions": [],
                "context": {"mentioned_items": [], "unresolved_questions": []},
            },
        )

    def test_with_a_stranger_there_is_no_conversation(self):
        self.assertIsNone(working_memory.get_conversation_context(self.char1, self.char2))
        self.assertEqual(working_memory.lines_with(self.char1, self.char2), [])
        self.assertEqual(working_memory.all_lines(self.char1), [])
        self.assertEqual(self.stored().count(), 0)

    def test_changing_what_was_read_changes_nothing(self):
        self.add(self.char2, "Hello.")
        working_memory.get_conversation_context(self.char1, self.char2)["messages"].clear()
        working_memory.lines_with(self.char1, self.char2)[0]["text"] = "changed"
        self.assertEqual(self.texts(working_memory.all_lines(self.char1)), ["Hello."])

    def test_what_else_a_conversation_holds_stays(self):
        self.add(self.char2, "Hello.")
        key = identity.identity_of(self.char2)
        with attributes.edit(self.char1, key, category="working_memory") as conversation:
            conversation["topic"] = "ale"
            conversation["pending_actions"].append("bring ale")
        self.add(self.char2, "Well?", second=5)
        kept = working_memory.get_conversation_context(self.char1, self.char2)
        self.assertEqual((kept["topic"], kept["pending_actions"]), ("ale", ["bring ale"]))
        self.assertEqual(kept["started"], "2024-03-01T12:00:00.000Z")


class LineTests(WorkingMemoryTestCase):
    def test_a_line_comes_back_as_it_was_with_who_it_was_exchanged_with(self):
        whispered = {"kind": "whisper", "audience": ["ann", "me"], "second": 3}
        self.add(self.char2, "Psst.", event_id="e7", **whispered)
        self.assertEqual(
            working_memory.lines_with(self.char1, self.char2),
            [
                {
                    **line("Psst.", **whispered),
                    "actor": identity.identity_of(self.char2),
                    "event_id": "e7",
                }
            ],
        )

    def test_only_the_newest_lines_of_a_person_are_kept(self):
        with self.settings_ai(CONVERSATION_LINES=3):
            for number in range(5):
                self.add(self.char2, str(number), second=number)
            self.add(self.obj1, "other", second=9)
            self.assertEqual(
                self.texts(working_memory.lines_with(self.char1, self.char2)), ["2", "3", "4"]
            )
            self.assertEqual(len(working_memory.all_lines(self.char1)), 4)

    def test_a_limit_of_none_keeps_none(self):
        with self.settings_ai(CONVERSATION_LINES=0):
            self.add(self.char2, "Hello.")
            self.assertEqual(working_memory.all_lines(self.char1), [])

    def test_each_person_is_one_attribute_whatever_is_said(self):
        for number in range(4):
            self.add(self.char2, str(number))
            self.add(self.obj1, str(number))
        keys = sorted(self.stored().values_list("db_key", flat=True))
        expected = sorted(map(identity.identity_of, (self.char2, self.obj1)))
        self.assertEqual(keys, expected)

    def test_the_same_person_is_found_by_object_dbref_and_uuid(self):
        own = identity.identity_of(self.char2)
        self.add(self.char2, "object")
        self.add(self.char2.dbref, "dbref")
        self.add(own, "uuid")
        self.add(own.upper(), "UUID")
        for entity in (self.char2, self.char2.dbref, own, own.upper()):
            with self.subTest(entity=entity):
                self.assertEqual(
                    self.texts(working_memory.lines_with(self.char1, entity)),
                    ["object", "dbref", "uuid", "UUID"],
                )
        self.assertEqual({one["actor"] for one in working_memory.all_lines(self.char1)}, {own})

    def test_the_lines_of_all_are_in_the_order_of_time(self):
        self.add(self.char2, "b", second=2)
        self.add(self.obj1, "a", second=1)
        self.add(self.obj1, "c", second=3)
        self.add(self.char2, "d", second=4)
        self.assertEqual(self.texts(working_memory.all_lines(self.char1)), ["a", "b", "c", "d"])

    def test_two_lines_of_one_moment_stay_in_their_order(self):
        for text in ("first", "second", "third"):
            self.add(self.char2, text)
        self.assertEqual(
            self.texts(working_memory.all_lines(self.char1)), ["first", "second", "third"]
        )

    def test_one_does_not_know_what_another_heard(self):
        self.add(self.char2, "Hello.")
        self.assertEqual(working_memory.all_lines(self.char2), [])
        self.assertEqual(working_memory.all_lines(self.obj1), [])

    def test_a_line_costs_one_write_in_a_crowd_of_acquaintances(self):
        for _ in range(100):
            self.add(str(uuid.uuid4()), "Hello.")
        self.add(self.char2, "Hello.")
        with CaptureQueriesContext(connection) as queries:
            self.add(self.char2, "Again.")
        statements = [query["sql"].split()[0] for query in queries.captured_queries]
        self.assertEqual(statements, ["SAVEPOINT", "UPDATE", "RELEASE"])
        with self.assertNumQueries(1):
            self.assertEqual(len(working_memory.all_lines(self.char1)), 102)
