"""Tests of which words become a summary."""

import unittest

import msgspec

from evennia_ai.domain.sleeping import compaction_rules
from tests.domain.lines import OF_THE_GAME, line


def message(text, *, role="user", second=0, **fields):
    named = "Mara" if role == "assistant" else "Anna"
    moment = f"2024-03-01T12:00:{second:02}.000Z"
    return line(text, **{"role": role, "name": named, "timestamp": moment, **fields})


def summary(text, *, second=0, audience="public"):
    return message(
        text,
        role="system",
        kind="summary",
        second=second,
        audience=audience,
        sources=OF_THE_GAME,
    )


def texts(messages):
    return [one.text for one in messages]


class SizeTests(unittest.TestCase):
    def test_tokens_are_counted_with_who_speaks(self):
        """M47: count_conversation_tokens. 4 for the message, 3 for "Anna: Hello."."""
        self.assertEqual(compaction_rules.count_tokens([message("Hello.")]), 8)
        self.assertEqual(compaction_rules.count_tokens([message("Hello.")] * 3), 24)
        self.assertEqual(compaction_rules.count_tokens([]), 0)

    def test_a_bare_chat_message_is_counted_too(self):
        chat = [{"role": "assistant", "content": None, "tool_calls": [{"id": "1", "name": "noop"}]}]
        self.assertEqual(compaction_rules.count_tokens(chat), 14)

    def test_what_is_nearest_to_its_limit_counts(self):
        lines = [message("Hello.")] * 10
        self.assertEqual(compaction_rules.fill(lines, token_limit=160, line_limit=100), 0.5)
        self.assertEqual(compaction_rules.fill(lines, token_limit=1600, line_limit=20), 0.5)

    def test_a_summary_takes_tokens_but_no_line(self):
        lines = [summary("Hello."), message("Hello.")]
        self.assertEqual(compaction_rules.fill(lines, token_limit=32, line_limit=100), 0.5)
        self.assertEqual(compaction_rules.fill(lines, token_limit=3200, line_limit=2), 0.5)

    def test_without_room_everything_is_too_much(self):
        self.assertEqual(
            compaction_rules.fill([message("Hello.")], token_limit=0, line_limit=0), 8.0
        )


class SplitTests(unittest.TestCase):
    def split(self, messages, preserve):
        return tuple(map(texts, compaction_rules.split(messages, preserve)))

    def test_the_newest_stay(self):
        """M45 M47: to_compact and to_preserve."""
        lines = [message(str(number)) for number in range(4)]
        for preserve, expected in (
            (2, (["0", "1"], ["2", "3"])),
            (4, ([], ["0", "1", "2", "3"])),
            (9, ([], ["0", "1", "2", "3"])),
            (0, (["0", "1", "2", "3"], [])),
            (-1, (["0", "1", "2", "3"], [])),
        ):
            with self.subTest(preserve=preserve):
                self.assertEqual(self.split(lines, preserve), expected)

    def test_a_question_keeps_its_answer(self):
        lines = [
            message("Good day."),
            message("Where is the key?"),
            message("Under the oak.", role="assistant"),
            message("Thanks."),
        ]
        self.assertEqual(
            self.split(lines, 2)[1], ["Where is the key?", "Under the oak.", "Thanks."]
        )

    def test_two_questions_of_one_person_are_no_answer(self):
        lines = [message("Where is the key?"), message("Or the oak?")]
        self.assertEqual(self.split(lines, 1), (["Where is the key?"], ["Or the oak?"]))


class PlanTests(unittest.TestCase):
    def plan(self, messages, *, preserve=1, fewest=1):
        planned = compaction_rules.plan(messages, preserve=preserve, fewest=fewest)
        return [(known, texts(lines)) for known, lines in planned]

    def test_each_audience_is_summed_up_apart(self):
        """C-44: what a whisper said is in no summary but for the two."""
        lines = [
            message("open 1"),
            message("secret", audience=["anna", "mara"]),
            message("open 2"),
            message("new"),
        ]
        self.assertEqual(
            self.plan(lines), [("public", ["open 1", "open 2"]), (["anna", "mara"], ["secret"])]
        )

    def test_an_earlier_summary_goes_into_the_next_for_the_same_ears(self):
        lines = [
            summary("before"),
            summary("before, secret", audience=["mara", "anna"]),
            message("secret", audience=["anna", "mara"]),
            message("new"),
        ]
        self.assertEqual(self.plan(lines), [(["anna", "mara"], ["before, secret", "secret"])])

    def test_a_few_old_lines_are_not_worth_it(self):
        lines = [message(str(number)) for number in range(6)]
        self.assertEqual(self.plan(lines, fewest=6), [])
        self.assertEqual(len(self.plan(lines, fewest=5)), 1)

    def test_summaries_alone_are_not_summed_up_again(self):
        self.assertEqual(self.plan([summary("a"), summary("b"), message("new")]), [])
        self.assertEqual(self.plan([summary("a")], preserve=0), [])


class ReplacedTests(unittest.TestCase):
    OLD = [message("a", second=1), message("b", second=2)]

    def replaced(self, messages, compacted, text="short"):
        mark = compaction_rules.summary_of(
            compacted, text, audience="public", name="Anna", who="ann"
        )
        kept = compaction_rules.replaced(messages, compacted, mark)
        return None if kept is None else texts(kept)

    def test_a_summary_stands_before_what_is_kept(self):
        """M45: [summary_marker] + preserved."""
        self.assertEqual(
            self.replaced([*self.OLD, message("c", second=3)], self.OLD), ["short", "c"]
        )

    def test_the_mark_of_a_summary(self):
        mark = compaction_rules.summary_of(
            self.OLD, "short", audience=["anna", "mara"], name="Anna", who="ann"
        )
        self.assertEqual(
            msgspec.to_builtins(mark),
            {
                "role": "system",
                "content": "short",
                "name": "Anna",
                "kind": "summary",
                "audience": ["anna", "mara"],
                "timestamp": "2024-03-01T12:00:02.000Z",
                "event_id": "",
                "said_by": "ann",
                "sources": [["", "", "public"]],
            },
        )

    def test_lines_are_found_by_what_they_are(self):
        meanwhile = [message("b", second=2), message("new", second=9)]
        self.assertEqual(self.replaced(meanwhile, self.OLD), ["short", "new"])

    def test_of_two_equal_lines_one_goes_where_one_was_summed_up(self):
        twice = [message("a", second=1)] * 2
        self.assertEqual(self.replaced(twice, twice[:1]), ["short", "a"])

    def test_lines_that_are_gone_are_not_replaced(self):
        self.assertIsNone(self.replaced([message("c", second=3)], self.OLD))
        self.assertIsNone(self.replaced([], self.OLD))

    def test_the_earlier_summary_gives_way(self):
        before = summary("before", second=1)
        other = summary("for others", second=0, audience=["bo", "mara"])
        self.assertEqual(
            self.replaced([other, before, *self.OLD], [before, *self.OLD]), ["for others", "short"]
        )

    def test_of_many_summaries_the_newest_stay(self):
        many = [summary(str(second), second=second, audience=[f"{second}"]) for second in range(9)]
        late = [message("late", second=30)]
        self.assertEqual(
            self.replaced([*many, *late], late), ["2", "3", "4", "5", "6", "7", "8", "short"]
        )


class SafeTests(unittest.TestCase):
    def test_what_may_go(self):
        noted = {"e1", ""}
        for expected, said in (
            (False, message("The well is poisoned.")),
            (False, message("The well is poisoned.", event_id="e2")),
            (False, message("My brother left home. Did you see him?")),
            (True, message("The well is poisoned.", event_id="e1")),
            (True, message("The well is poisoned.", extracted=True)),
            (True, message("Is the well poisoned?")),
            (True, message("Good day to you.")),
            (True, message("I will guard the well.", role="assistant")),
            (True, message("arrives from the north gate", kind="arrive")),
            (True, summary("Anna said that the well is poisoned.")),
        ):
            with self.subTest(said.text, role=said.role):
                self.assertIs(compaction_rules.is_safe(said, noted=noted), expected)

    def test_what_tells_something(self):
        told = compaction_rules.statements(
            "Hello! Good evening! Good evening, Mara! The mill burned down. Who did it? Bob carried a torch."
        )
        self.assertEqual(told, ["The mill burned down.", "Bob carried a torch."])
