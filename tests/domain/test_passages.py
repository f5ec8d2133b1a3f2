"""What was said in one talk stands together in a prompt."""

from unittest import TestCase

from evennia_ai.domain.memories import passages
from evennia_ai.domain.memories.remembered import Remembered


def said(text, moment, by="Ann", **more):
    timestamp = f"2026-03-01T{moment}:00Z"
    fields = {"by": by, "kind": "said", "audience": "public", **more}
    return Remembered(text=text, timestamp=timestamp, **fields)


def texts(found):
    return [[item.text for item in one] for one in found]


class PassageTests(TestCase):
    def test_lines_of_one_talk_stand_in_its_order_where_the_best_of_them_stood(self):
        items = [said("b", "10:20"), said("x", "18:00"), said("a", "10:05", by="Bob")]
        self.assertEqual(texts(passages.of(items)), [["a", "b"], ["x"]])

    def test_a_talk_goes_on_for_as_long_as_no_hour_passes_between_its_lines(self):
        items = [said("c", "11:30"), said("a", "10:00"), said("b", "10:50"), said("d", "12:31")]
        self.assertEqual(texts(passages.of(items)), [["a", "b", "c"], ["d"]])

    def test_what_nobody_said_is_a_passage_of_its_own(self):
        lore = Remembered(text="lore", kind="lore", audience="public")
        note = said("note", "10:01", kind="note")
        claim = said("claim", "10:01", claimed_by="Ann")
        items = [lore, note, claim, said("a", "10:00"), lore]
        self.assertEqual(
            texts(passages.of(items)), [["lore"], ["note"], ["claim"], ["a"], ["lore"]]
        )

    def test_of_the_best_as_many_are_taken_as_have_room(self):
        items = [
            Remembered(text=word, audience="public") for word in ("one", "two", "three", "four")
        ]
        self.assertEqual(passages.fill(items, limit=12, size=length), items[:3])
        self.assertEqual(passages.fill(items, limit=2, size=length), items[:1])
        self.assertEqual(passages.fill(items, limit=99, size=length), items)
        self.assertEqual(passages.fill([], limit=99, size=length), [])


def length(items):
    return sum(len(item.text) for item in items)
