"""What holds of conversations that are summed up, whatever was said in them."""

import time
import unittest

from hypothesis import example, given
from hypothesis import strategies as some

from evennia_ai.domain.model_text import reply, tokens
from evennia_ai.domain.sleeping import compaction_rules, summary
from tests.domain.lines import line

AUDIENCES = some.sampled_from(["public", ["ann", "mara"], ["mara", "ann"], ["bo", "mara"]])
CONTENTS = some.sampled_from(
    [
        "The miller sold a sack of grain.",
        "Who stole the silver bell?",
        "Bo did.",
        "I will bring you the key tomorrow.",
        "",
        "{npc} |r \0 雪",
        "…",
        'She said: "The bridge is broken." And left.',
    ]
)


def _line(**fields):
    # Nobody said it.
    of_a_summary = {"role": "system", "event_id": ""} if fields["kind"] == "summary" else {}
    return line(**{**fields, **of_a_summary})


MESSAGES = some.lists(
    some.builds(
        _line,
        role=some.sampled_from(["user", "assistant"]),
        text=CONTENTS | some.text(max_size=20),
        name=some.sampled_from(["Anna", "Mara", "Bo {x}"]),
        kind=some.sampled_from(["say", "whisper", "pose", "tell", "arrive", "summary"]),
        audience=AUDIENCES,
        event_id=some.sampled_from(["", "one", "two"]),
        timestamp=some.sampled_from(["2024-03-01T12:00:00", "2024-03-02T12:00:00"]),
    ),
    max_size=14,
)


def keys(messages):
    return sorted(map(compaction_rules.key_of, messages))


class SplitTests(unittest.TestCase):
    @given(MESSAGES, some.integers(-2, 14))
    def test_no_line_is_lost_or_doubled_and_enough_stay(self, messages, preserve):
        old, kept = compaction_rules.split(messages, preserve)
        self.assertEqual(old + kept, messages)
        self.assertGreaterEqual(len(kept), min(max(preserve, 0), len(messages)))

    @given(MESSAGES, some.integers(1, 200), some.integers(0, 20))
    def test_how_full_it_is_grows_with_each_line(self, messages, token_limit, line_limit):
        fills = [
            compaction_rules.fill(messages[:end], token_limit=token_limit, line_limit=line_limit)
            for end in range(len(messages) + 1)
        ]
        self.assertEqual(fills, sorted(fills))
        self.assertEqual(fills[0], 0)


class PlanTests(unittest.TestCase):
    @given(MESSAGES, some.integers(0, 6), some.integers(0, 4))
    def test_each_group_is_of_one_audience_and_no_line_is_in_two(self, messages, preserve, fewest):
        planned = compaction_rules.plan(messages, preserve=preserve, fewest=fewest)
        for known, lines in planned:
            self.assertTrue(all(set(one.audience) == set(known) for one in lines), known)
            self.assertTrue(any(one.kind != "summary" for one in lines))
        went = [id(one) for _, lines in planned for one in lines]
        self.assertEqual(len(went), len(set(went)))
        old, _ = compaction_rules.split(
            [one for one in messages if one.kind != "summary"], preserve
        )
        lines = [one for _, group in planned for one in group if one.kind != "summary"]
        enough = len(old) >= max(1, fewest)
        self.assertEqual(keys(lines), keys(old) if enough else [])

    @given(MESSAGES, MESSAGES, some.integers(0, 4))
    def test_a_summary_takes_the_place_of_its_lines_and_of_no_other(self, messages, later, keep):
        """Also where others came or went while the mind was thinking."""
        for known, lines in compaction_rules.plan(messages, preserve=keep, fewest=1):
            mark = compaction_rules.summary_of(
                lines, "In short.", audience=known, name="Anna", who="ann"
            )
            now = [*messages, *later]
            after = compaction_rules.replaced(now, lines, mark)
            self.assertIn(mark, after)
            spoken = [one for one in after if one.kind != "summary"]
            before = [one for one in now if one.kind != "summary"]
            gone = [one for one in lines if one.kind != "summary"]
            self.assertEqual(keys([*spoken, *gone]), keys(before))
            self.assertLessEqual(
                sum(one.kind == "summary" for one in after), compaction_rules.MAX_SUMMARIES
            )

    def test_of_more_summaries_than_fit_the_one_just_made_stays(self):
        old = [line(kind="say", text="Rain.", timestamp="2024-03-01T12:00:00")]
        newer = [
            line(kind="summary", role="system", text=f"{number}.", timestamp="2024-03-02T12:00:00")
            for number in range(8)
        ]
        mark = compaction_rules.summary_of(
            old, "In short.", audience="public", name="Anna", who="ann"
        )
        after = compaction_rules.replaced([*old, *newer], old, mark)
        self.assertEqual([one.text for one in after][:2], ["In short.", "1."])
        self.assertEqual(len(after), 8)

    @given(MESSAGES)
    def test_what_is_gone_already_is_not_replaced(self, messages):
        for known, lines in compaction_rules.plan(messages, preserve=0, fewest=1):
            mark = compaction_rules.summary_of(
                lines, "In short.", audience=known, name="Anna", who="ann"
            )
            self.assertIsNone(compaction_rules.replaced([], lines, mark))
            left = compaction_rules.replaced(messages, lines, mark)
            if not any(key in keys(left) for key in keys(lines)):
                self.assertIsNone(compaction_rules.replaced(left, lines, mark))


LINES = some.lists(
    some.fixed_dictionaries(
        {
            "name": some.sampled_from(["Anna", "Bo", "{x}"]),
            "text": CONTENTS | some.text(max_size=60),
            "kind": some.sampled_from(["say", "whisper", "pose", "tell", "thought", "summary"]),
            "mine": some.booleans(),
        }
    ),
    max_size=10,
)


class SummaryTests(unittest.TestCase):
    @given(LINES, some.sampled_from(["Anna", "", "(", "{x}"]), some.integers(40, 200))
    def test_a_summary_is_within_its_limit(self, lines, person, limit):
        text = summary.summarise(lines, person=person, npc="Mara", limit=limit)
        self.assertTrue(text.startswith(f"{person} and Mara talked"))
        self.assertLessEqual(tokens.estimate(text), limit)

    @given(LINES)
    @example([{"name": "Anna", "text": 'A "red" cow.', "kind": "say", "mine": False}] * 2)
    def test_a_fact_says_who_said_it_and_is_there_once(self, lines):
        found = summary.facts(lines, npc="Mara")
        self.assertLessEqual(len(found), 10)
        self.assertEqual(len(found), len(set(found)))
        others = [line for line in lines if not line["mine"] and line["kind"] != "summary"]
        for fact in found:
            self.assertTrue(
                any(fact.startswith(line["name"]) or line["kind"] == "pose" for line in others)
            )
            self.assertNotIn("\n", fact)

    @given(some.text(max_size=900) | some.lists(CONTENTS, max_size=60).map(" ".join))
    def test_what_is_shortened_is_short_and_the_beginning(self, text):
        short = summary.shortened(text, 50)
        plain = reply.printable(text, max_length=10_000)
        self.assertTrue(plain.startswith(short))
        self.assertLessEqual(tokens.estimate(short), 50)
        self.assertEqual(summary.shortened(short, 50), short)

    def test_another_script_is_cut_by_what_it_takes(self):
        """A sign of Chinese takes more than a letter of English does."""
        short = summary.shortened("雪雪雪 " * 500, 50)
        self.assertLessEqual(tokens.estimate(short), 50)
        self.assertGreater(tokens.estimate(short), 30)

    def test_what_nobody_can_read_or_store_is_left_out(self):
        self.assertEqual(
            summary.shortened("The \x1bwell\ud800 is\0 dry.\n\nAll of it.", 50),
            "The well is dry. All of it.",
        )

    def test_the_words_of_a_model_that_cannot_stop_are_cut_at_once(self):
        started = time.process_time()
        for text in ("." * 60_000 + "x", "a " * 60_000, "a" * 90_000, '."' * 30_000, " " * 90_000):
            self.assertLessEqual(tokens.estimate(summary.shortened(text, 200)), 200)
            summary.told(text, person="Anna", npc="Mara")
        # It took a minute when each of the stops was tried with all that follow.
        self.assertLess(time.process_time() - started, 3)

    @given(CONTENTS | some.text(max_size=60))
    def test_what_tells_nothing_may_go(self, text):
        safe = compaction_rules.is_safe(line(text), noted={""})
        self.assertEqual(safe, not compaction_rules.statements(text), text)
