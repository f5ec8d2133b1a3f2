"""Tests of which lines of a prompt go when it is too long."""

import unittest
from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.domain.model_text import prompt_budget, tokens

# Each line, with its break, is 36 characters: 10 tokens.
NINE = "x" * 34
LINES = {name: [f"{number}{NINE}" for number in (1, 2, 3)] for name in "megc"}
SECTIONS = {
    "instructions": f"i{NINE}",
    "persona": [f"p{NINE}", f"p{NINE}"],
    "memories": LINES["m"],
    "experience": LINES["e"],
    "goals": LINES["g"],
    "conversation": LINES["c"],
    "event": f"v{NINE}",
}
CUTTABLE = ("memories", "experience", "goals", "conversation")

sections = some.dictionaries(
    some.sampled_from(list(SECTIONS)),
    some.text(max_size=30) | some.lists(some.text(max_size=30), max_size=8),
)


def size(fitted):
    parts = (part if isinstance(part, str) else "\n".join(part) for part in fitted.values())
    return sum(map(tokens.estimate, parts))


class FitTests(unittest.TestCase):
    def left(self, limit):
        """Return the first characters of the lines that are left of what may be cut."""
        fitted = prompt_budget.fit(SECTIONS, limit=limit)
        return ["".join(line[0] for line in fitted[name]) for name in CUTTABLE]

    def test_memories_go_first_then_experience_then_goals_then_conversation(self):
        """The least fitting memory is the last one; of a conversation the oldest line is first."""
        for limit, expected in (
            (160, ["123", "123", "123", "123"]),
            (159, ["12", "123", "123", "123"]),
            (140, ["1", "123", "123", "123"]),
            (130, ["", "123", "123", "123"]),
            (129, ["", "12", "123", "123"]),
            (100, ["", "", "123", "123"]),
            (99, ["", "", "12", "123"]),
            (70, ["", "", "", "123"]),
            (69, ["", "", "", "23"]),
            (50, ["", "", "", "3"]),
            (40, ["", "", "", ""]),
            (0, ["", "", "", ""]),
        ):
            with self.subTest(limit=limit):
                self.assertEqual(self.left(limit), expected)

    def test_the_others_are_never_touched(self):
        fitted = prompt_budget.fit(SECTIONS, limit=0)
        kept = {name: part for name, part in fitted.items() if name not in CUTTABLE}
        self.assertEqual(
            kept, {name: SECTIONS[name] for name in ("instructions", "persona", "event")}
        )
        self.assertEqual(list(fitted), list(SECTIONS))

    def test_a_section_that_is_one_text_is_not_cut(self):
        fitted = prompt_budget.fit({"memories": "one text", "event": "x"}, limit=0)
        self.assertEqual(fitted, {"memories": "one text", "event": "x"})

    def test_what_was_given_is_left_alone(self):
        before = deepcopy(SECTIONS)
        fitted = prompt_budget.fit(SECTIONS, limit=0)
        fitted["persona"].append("more")
        self.assertEqual(SECTIONS, before)

    def test_many_short_lines_do_not_slip_through(self):
        """Rounded one by one, short lines seem to save more than they do; so do their breaks."""
        for line in ("ab", "abc"):
            fitted = prompt_budget.fit({"conversation": [line] * 100}, limit=20)
            with self.subTest(line=line):
                self.assertLessEqual(size(fitted), 20)
                self.assertTrue(fitted["conversation"])

    @given(sections, some.integers(0, 60))
    def test_it_fits_or_there_is_nothing_left_to_cut(self, given_sections, limit):
        fitted = prompt_budget.fit(given_sections, limit=limit)
        left = [name for name in CUTTABLE if isinstance(fitted.get(name), list) and fitted[name]]
        self.assertTrue(size(fitted) <= limit or not left)
