"""What holds of what a mind without a model asks and concludes, and of what it takes from one with."""

import math
import string
import time
import unittest

from hypothesis import example, given
from hypothesis import strategies as some

from evennia_ai.core import languages
from evennia_ai.core.states import ReflectionState
from evennia_ai.domain.memories import subjects
from evennia_ai.domain.sleeping import (
    insight_rules,
    insights,
    offline_reflection,
    rating_rules,
    reflection_rules,
)
from tests.domain.entries import entry as noted

NAMES = ["Anna", "Bo", "Old Tom", "{name}", "", "é", "Mara"]
TEXTS = some.sampled_from(
    [
        "The well in the square is dry again.",
        "The well is full.",
        "Bo stole my silver ring.",
        "I am looking for the silver ring.",
        "Wolves attacked the mill by the lake.",
        "The mill by the lake burned down.",
        "Anna helped me with the mill.",
        "My brother waits at the mill.",
        "Nobody trusts the miller.",
        "{subject} and {other} %s",
        "|rthe |xwell",
        "雪の井戸",
        "the the the",
        "",
    ]
)
ITEMS = some.lists(
    some.fixed_dictionaries(
        {"number": some.integers(1, 12), "text": TEXTS | some.text(max_size=40)},
        optional={
            "by": some.sampled_from(NAMES) | some.none(),
            "timestamp": some.sampled_from(["2024-03-01T12", "2024-03-02", "", None]),
            "tags": some.sampled_from([[], ["give"], None, ["GIVE", 7]]),
            "own": some.booleans(),
        },
    ),
    max_size=9,
    unique_by=lambda item: item["number"],
)


class PonderingTests(unittest.TestCase):
    @given(ITEMS, some.integers(0, 6))
    def test_each_conclusion_cites_what_there_is_and_borrows_no_words(self, items, count):
        context = {"items": items, "count": count, "own_names": ["Mara"]}
        found = offline_reflection.conclude(context)["insights"]
        self.assertLessEqual(len(found), count)
        numbers = {item["number"] for item in items}
        own = {item["number"] for item in items if item.get("own", True)}
        for one in found:
            self.assertTrue(one["evidence"] and set(one["evidence"]) <= numbers)
            self.assertLessEqual(len(set(one["evidence"])), offline_reflection.CITED)
            texts = [item["text"] for item in items]
            self.assertFalse(insights.shares_a_run(one["insight"], texts), one)
            self.assertFalse(insights.is_self_referential(one["insight"], names=["Mara"]), one)
            unfilled = [name for name in ("{people}", "{count}", "{others}") if name in str(one)]
            self.assertEqual(unfilled, [])
        said = [one["insight"] for one in found]
        self.assertEqual(len(said), len(set(said)))
        for one in found:
            self.assertTrue(own & set(one["evidence"]), one)

    @given(ITEMS, some.integers(0, 6))
    def test_there_are_as_many_questions_as_wanted_and_none_twice(self, items, count):
        asked = offline_reflection.ask({"items": items, "count": count, "own_names": ["Mara"]})[
            "questions"
        ]
        self.assertLessEqual(len(asked), count)
        self.assertGreaterEqual(
            len(asked), min(count, len(languages.load("en").wonders["general"]))
        )
        self.assertEqual(len(asked), len(set(asked)))
        self.assertTrue(all(one.endswith("?") for one in asked), asked)

    def test_of_many_remarks_those_are_cited_that_it_may_rest_on(self):
        """What rests on the background alone, as far as one can see, would be thrown away."""
        items = [
            {"number": number, "text": "The well is dry.", "by": f"Guest {number}", "own": False}
            for number in range(1, 9)
        ]
        items.append({"number": 9, "text": "The well smells.", "by": "Zed", "own": True})
        [one] = offline_reflection.conclude({"items": items, "count": 1})["insights"]
        self.assertIn(9, one["evidence"])
        self.assertEqual(len(one["evidence"]), offline_reflection.CITED)

    @given(ITEMS)
    def test_the_same_remarks_lead_to_the_same_thoughts(self, items):
        """A night that is done again after a crash concludes what it would have."""
        context = {"items": items, "count": 5}
        self.assertEqual(offline_reflection.conclude(context), offline_reflection.conclude(context))

    def test_each_kind_of_thought_has_only_slots_that_it_fills(self):
        known = {"subject", "other", "name", "others", "people", "count", "Count"}
        for kind, lines in languages.load("en").thoughts.items():
            for line in lines:
                slots = {slot for _, slot, _, _ in string.Formatter().parse(line) if slot}
                self.assertTrue(slots <= known, (kind, line))


class SubjectTests(unittest.TestCase):
    @given(ITEMS)
    def test_a_subject_is_in_each_of_its_remarks(self, items):
        remarks = subjects.read_remarks(items)
        for subject in subjects.find(remarks):
            self.assertTrue(subject.label and subject.remarks)
            for remark in subject.remarks:
                self.assertIn(subject.stem, remark.stems)
                self.assertIn(remark, remarks)
            self.assertNotIn("", subject.tellers)

    @given(some.lists(some.text(max_size=12), min_size=1, max_size=14))
    def test_names_are_listed_in_one_line_of_four(self, names):
        told = insight_rules.listed(names)
        self.assertIn(names[0], told)
        self.assertLessEqual(told.count(", ") - sum(name.count(", ") for name in names), 3)


LINE = some.text(
    some.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=40
)


class InsightTests(unittest.TestCase):
    @given(LINE, some.lists(some.integers(1, 10**8), min_size=1, max_size=6, unique=True))
    @example("A sum of (1, 2) (because of 3)", [7])
    @example("- 1. dashed", [7, 9])
    def test_what_is_written_is_read_again(self, content, ids):
        whole = insights.written(["Why?", "- 9. (because of entry 9)"], [(content, ids)])
        plain = " ".join(content.split())
        [(text, cited)] = insights.read(whole)
        self.assertEqual(cited, ids)
        self.assertEqual(text, plain)

    @given(some.lists(some.tuples(some.text(max_size=30), some.lists(some.integers()))))
    def test_nothing_stands_that_cites_nothing(self, given_):
        ids = ["7", "8", "9"]
        found = insights.cited(given_, ids, limit=4)
        self.assertLessEqual(len(found), 4)
        for one in found:
            self.assertTrue(one["content"].strip())
            self.assertTrue(one["evidence_ids"] and set(one["evidence_ids"]) <= set(ids))

    def test_a_citation_that_no_mind_could_mean_is_none(self):
        for text in (
            f"The mill burned ({'9' * 5000})",
            f"The mill burned (1-{'9' * 5000})",
            "The mill burned (because of evidence 99999999999999999999)",
            "The mill burned (0)",
            "The mill burned (²)",
        ):
            with self.subTest(text[:60]):
                self.assertEqual(insights.cited([(text, [])], ["7"], limit=1), [])

    def test_a_line_of_any_length_is_read_at_once(self):
        started = time.process_time()
        for text in ("The mill" + " " * 90_000 + "burned (1)", "(" * 90_000, "(1," * 30_000):
            insights.cited([(text, [1])], ["7"], limit=1)
            insights.read(f"- {text}")
        self.assertLess(time.process_time() - started, 2)

    @given(LINE, LINE)
    def test_what_was_said_word_for_word_was_told(self, content, around):
        if any(map(str.isalnum, content)):
            self.assertTrue(insights.was_told(content, f"{around} {content} {around}"))


ANYTHING = (
    some.none()
    | some.booleans()
    | some.integers()
    | some.integers(10**300, 10**320)
    | some.floats()
    | some.text(max_size=6)
    | some.sampled_from(["7", " 7/10 ", "7.6", "-3", "1e9", "٧", "nan", "7/10/10", "9" * 5000])
    | some.lists(some.integers(), max_size=1)
)


class RatingTests(unittest.TestCase):
    @given(some.lists(some.fixed_dictionaries({}, optional={"id": ANYTHING, "score": ANYTHING})))
    def test_a_score_is_a_whole_number_on_the_scale(self, answers):
        for answer in answers:
            score = rating_rules.score_of(answer.get("score"))
            if score is not None:
                self.assertIs(type(score), int)
                self.assertIn(score, range(1, 11))

    @given(
        some.lists(some.integers(), max_size=12),
        some.integers(1, 5),
        some.integers(0, 40),
    )
    def test_however_often_it_failed_each_gets_its_turn(self, waiting, size, failures):
        entries = [{"id": number} for number in waiting]
        asked = rating_rules.batch(entries, size=size, failures=failures)
        self.assertEqual(bool(asked), bool(entries))
        self.assertLessEqual(len(asked), size)
        turns = [
            entry["id"]
            for times in range(failures, failures + 10 * len(entries))
            for entry in rating_rules.batch(entries, size=size, failures=times)
        ]
        self.assertEqual(set(turns), set(waiting))

    @given(some.lists(TEXTS | some.text(max_size=30), max_size=6), some.integers(1, 10))
    def test_rules_rate_everything_once_on_the_scale(self, contents, importance):
        entries = [
            {
                "id": number,
                "content": content,
                "importance": importance,
                "audience": "public" if number % 2 else ["ann"],
                "source_trust": number / 10,
            }
            for number, content in enumerate(contents)
        ]
        rated = rating_rules.rate(entries)
        self.assertEqual(list(rated), list(range(len(contents))))
        self.assertTrue(all(score in range(1, 11) for score in rated.values()))


class WindowTests(unittest.TestCase):
    ENTRIES = some.lists(
        some.fixed_dictionaries(
            {
                "importance": some.integers(1, 10),
                "audience": some.sampled_from(["public", ["ann"], ["bo", "ann"], []]),
            }
        ),
        max_size=12,
    ).map(
        lambda given: [
            noted(id=number, timestamp=f"2024-03-{number:02}", **fields)
            for number, fields in enumerate(given, 1)
        ]
    )

    @given(ENTRIES, some.sets(some.integers(0, 14)), some.integers(0, 3))
    def test_each_group_is_for_its_ears_alone_and_nobodys_is_left_out(self, entries, ids, private):
        window = reflection_rules.select_window(entries, ids)
        self.assertEqual([one.id for one in window], sorted(one.id for one in window))
        groups = reflection_rules.plan_groups(window, private=private)
        self.assertLessEqual(sum(known != "public" for known, _ in groups), private)
        for known, items in groups:
            self.assertTrue(known)
            self.assertTrue(all(set(item.audience) == set(known) for item in items))

    @given(ENTRIES, some.lists(some.integers(1, 10), max_size=5))
    def test_the_sum_is_that_of_what_waits_and_never_more_than_was_added(self, entries, scores):
        state = ReflectionState(threshold=10)
        for entry in entries:
            state = reflection_rules.add(state, entry.importance, entry.id)
        for entry_id, score in enumerate(scores, 100):
            self.assertEqual(reflection_rules.adjust(state, score, entry_id), state)
        total = sum(entry.importance for entry in entries)
        self.assertTrue(math.isclose(state.cumulative_importance, total))
        self.assertEqual(reflection_rules.due(state), total >= 10)
