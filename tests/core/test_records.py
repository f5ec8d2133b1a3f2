"""Tests of the plain records and of their times."""

import unittest
from datetime import datetime, timedelta, timezone

import msgspec
from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.core import records, states, talk

NOON = datetime(2024, 3, 1, 12, 0, 0, tzinfo=timezone.utc)

any_moment = some.datetimes(
    min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29), timezones=some.timezones()
)


def event(kind="say", **fields):
    return records.new_event(kind, "Hello.", event_id="e1", now=NOON, **fields)


class TimeTests(unittest.TestCase):
    def test_times_are_written_in_utc_with_milliseconds_and_a_z(self):
        east = timezone(timedelta(hours=2))
        for moment, expected in (
            (NOON, "2024-03-01T12:00:00.000Z"),
            (datetime(2024, 3, 1, 12, 0, tzinfo=east), "2024-03-01T10:00:00.000Z"),
            # Over midnight, and over the end of a leap February.
            (datetime(2024, 3, 1, 1, 0, tzinfo=east), "2024-02-29T23:00:00.000Z"),
            (datetime(2024, 3, 1, 12, 0, 0, 987_654), "2024-03-01T12:00:00.987Z"),
            (datetime(7, 1, 1), "0007-01-01T00:00:00.000Z"),
        ):
            with self.subTest(moment=moment):
                self.assertEqual(records.format_time(moment), expected)

    def test_text_and_moments_are_read_as_utc(self):
        for written, expected in (
            ("2024-03-01T12:00:00.000Z", NOON),
            ("2024-03-01T12:00:00Z", NOON),
            ("2024-03-01T14:00:00+02:00", NOON),
            # Without a zone it is UTC, whatever the zone of the server.
            ("2024-03-01T12:00:00", NOON),
            ("2024-03-01 12:00", NOON),
            (datetime(2024, 3, 1, 12), NOON),
            (datetime(2024, 3, 1, 13, tzinfo=timezone(timedelta(hours=1))), NOON),
        ):
            with self.subTest(written=written):
                moment = records.parse_time(written)
                self.assertEqual(moment, expected)
                self.assertEqual(moment.utcoffset(), timedelta(0))

    def test_what_is_no_time_is_an_error(self):
        for text in ("", "yesterday", "2024-13-01"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                records.parse_time(text)

    @given(any_moment)
    def test_a_time_comes_back_to_the_millisecond(self, moment):
        read = records.parse_time(records.format_time(moment))
        self.assertLess(abs(read - moment), timedelta(milliseconds=1))
        self.assertEqual(records.format_time(read), records.format_time(moment))

    @given(any_moment, any_moment)
    def test_text_sorts_as_the_moments_do(self, one, other):
        if one <= other:
            self.assertLessEqual(records.format_time(one), records.format_time(other))

    def test_age_is_in_seconds_and_never_negative(self):
        for timestamp, expected in (
            ("2024-03-01T11:59:00.000Z", 60.0),
            ("2024-02-29T12:00:00.000Z", 86_400.0),
            ("2024-03-01T11:59:59.500Z", 0.5),
            ("2024-03-01T12:00:00.000Z", 0.0),
            ("2024-03-01T13:00:00.000Z", 0.0),
        ):
            with self.subTest(timestamp=timestamp):
                self.assertEqual(records.age_seconds(timestamp, now=NOON), expected)
        self.assertEqual(
            records.age_seconds("2024-03-01T11:00:00Z", now=datetime(2024, 3, 1, 12)), 3600.0
        )


class RecordTests(unittest.TestCase):
    def test_none_can_be_changed_by_whoever_was_handed_it(self):
        for one in (*vars(records).values(), *vars(states).values()):
            if isinstance(one, type) and issubclass(one, msgspec.Struct):
                self.assertTrue(one is msgspec.Struct or one.__struct_config__.frozen, one)


class EventTests(unittest.TestCase):
    def test_a_plain_remark_has_every_field(self):
        self.assertEqual(
            msgspec.to_builtins(event()),
            {
                "id": "e1",
                "kind": "say",
                "text": "Hello.",
                "actor": "",
                "actor_id": 0,
                "actor_name": "",
                "addressed": False,
                "private": False,
                "audience": "public",
                "priority": 5,
                "urgent": False,
                "source_type": "observation",
                "source_trust": 0.8,
                "hops": 0,
                "timestamp": "2024-03-01T12:00:00.000Z",
                "location_id": 0,
                "channel": "",
                "rule": "",
            },
        )

    def test_an_event_is_said_by_whoever_is_stored_as_its_actor(self):
        said = event(said_by="ann", audience=["ann"])
        stored = {**msgspec.to_builtins(event()), "actor": "ann", "audience": ["ann"]}
        self.assertEqual(msgspec.convert(stored, records.Event), said)

    def test_an_event_that_does_not_say_who_may_know_it_is_none(self):
        fields = msgspec.to_builtins(event())
        del fields["audience"]
        with self.assertRaisesRegex(ValueError, "audience"):
            msgspec.convert(fields, records.Event)

    def test_whispers_and_tells_are_private_and_nothing_else(self):
        private = {
            kind: records.new_event(kind, "", event_id="e", now=NOON).private
            for kind in ("say", "pose", "whisper", "tell", "give", "arrive", "attacked")
        }
        self.assertEqual([kind for kind, is_so in private.items() if is_so], ["whisper", "tell"])

    def test_fields_replace_the_defaults_and_a_wrong_name_is_an_error(self):
        self.assertEqual(event(priority=9, said_by="ann").priority, 9)
        with self.assertRaisesRegex(ValueError, "^an event has no prioritty, volume\\.$"):
            event(volume=3, prioritty=9)

    def test_a_value_that_could_not_be_read_again_is_an_error(self):
        for field, value in (("priority", "high"), ("hops", 1.5), ("actor_id", None)):
            with self.subTest(field), self.assertRaisesRegex(ValueError, field):
                event(**{field: value})
        self.assertEqual(event(audience=("ann", "mara")).audience, ["ann", "mara"])

    def test_a_turn_is_about_the_most_pressing_event_and_the_first_among_equals(self):
        events = [
            event(priority=3, said_by="a"),
            event(priority=8, said_by="b"),
            event(priority=8, said_by="c"),
        ]
        self.assertEqual(records.main_event(events).said_by, "b")

    def test_one_turn_answers_one_person_on_one_account_for_the_same_ears(self):
        for main, other, expected in (
            (("say", "ann"), ("say", "ann"), True),
            (("say", "ann"), ("say", "bob"), False),
            (("say", "ann"), ("whisper", "ann"), False),
            (("whisper", "ann"), ("say", "ann"), False),
            (("whisper", "ann"), ("whisper", "ann"), True),
            (("whisper", "ann"), ("whisper", "bob"), False),
            # A tell comes from elsewhere: a whisper would not reach there.
            (("whisper", "ann"), ("tell", "ann"), False),
        ):
            with self.subTest(main=main, other=other):
                one, two = (event(kind=kind, said_by=who) for kind, who in (main, other))
                self.assertIs(records.answered_together(one, two), expected)
        # What an NPC says because of one player is no matter of another's.
        by_ann, by_bob = event(said_by="tom", payer=1), event(said_by="tom", payer=2)
        self.assertIs(records.answered_together(by_ann, by_ann), True)
        self.assertIs(records.answered_together(by_ann, by_bob), False)

    def test_whoever_is_answered_must_know_what_else_the_reply_answers(self):
        before = event(said_by="ann", audience=["ann", "mara"])
        for main, other, expected in (
            (event(said_by="ann"), before, True),
            (before, event(said_by="ann", audience=["ann", "bob", "mara"]), True),
            (before, event(said_by="ann", audience=["bob", "mara"]), False),
            (event(), event(audience=["ann"]), False),
            # The game told it of what few may know: it is its own turn.
            (event(audience=["ann"]), event(audience=["ann"]), True),
        ):
            with self.subTest(main=main, other=other):
                self.assertIs(records.answered_together(main, other), expected)

    def test_a_channel_is_answered_apart_from_the_room_and_from_other_channels(self):
        public, trade, room = event(channel="public"), event(channel="trade"), event()
        whispered = event(kind="whisper")
        for main, other, expected in (
            (public, event(channel="public"), True),
            (public, trade, False),
            (public, room, False),
            (room, public, False),
            (public, whispered, False),
            (whispered, public, False),
        ):
            with self.subTest(main=main.channel, other=other.channel):
                self.assertIs(records.answered_together(main, other), expected)

    def test_an_event_becomes_a_line_that_was_heard(self):
        heard = event(said_by="u1", actor_name="Ann", audience=["u1", "me"], addressed=True)
        self.assertEqual(
            msgspec.to_builtins(talk.line_of(heard)),
            {
                "said_by": "u1",
                "audience": ["u1", "me"],
                "role": "user",
                "content": "Hello.",
                "name": "Ann",
                "kind": "say",
                "timestamp": "2024-03-01T12:00:00.000Z",
                "event_id": "e1",
            },
        )
        self.assertFalse(talk.line_of(heard).mine)
        self.assertFalse(talk.line_of(heard).overheard)

    def test_what_was_said_to_somebody_else_is_overheard(self):
        self.assertTrue(talk.line_of(event(said_by="u1", source_type="environmental")).overheard)
