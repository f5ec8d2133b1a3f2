"""Tests of looking back without a model: questions, and conclusions in words of their own."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.sleeping import insights, offline_reflection

TOWN = (
    ("Anna", "The well in the square has run dry.", 1),
    ("Bo", "Someone has poisoned the well!", 1),
    ("Carl", "I saw lights at the well last night.", 2),
    ("Anna", "The well smells of rotten eggs.", 2),
    ("Anna", "Mara, the well is still dry.", 3),
    ("Bo", "I need money to pay the baker.", 2),
    ("Bo", "Money is all that the baker thinks of.", 3),
    ("Carl", "Bo owes me ten coins and I will never forgive him.", 3),
)


def items(*lines):
    """Return remarks of (by, text, day) as a mind is given them."""
    return [
        {"number": number, "text": text, "by": by, "timestamp": f"2030-01-{day:02d}T10:00:00Z"}
        for number, (by, text, day) in enumerate(lines, 1)
    ]


class Case(unittest.TestCase):
    def conclude(self, *lines, count=5, **changes):
        given = [{**one, **changes.get(f"item{one['number']}", {})} for one in items(*lines)]
        context = {"items": given, "count": count, "own_names": ["Mara"]}
        return [
            (one["insight"], one["evidence"])
            for one in offline_reflection.conclude(context)["insights"]
        ]

    def ask(self, *lines, count=3):
        context = {"items": items(*lines), "count": count, "own_names": ["Mara"]}
        return offline_reflection.ask(context)["questions"]


class QuestionTests(Case):
    def test_it_asks_about_what_came_up_most(self):
        self.assertEqual(
            self.ask(*TOWN),
            [
                "What is going on with the well?",
                "What does Bo want with the baker?",
                "What brings Anna here?",
            ],
        )

    def test_there_is_always_something_to_ask(self):
        self.assertEqual(self.ask(), list(languages.load("en").wonders["general"]))
        self.assertEqual(len(self.ask(*TOWN, count=7)), 7)
        self.assertEqual(self.ask(*TOWN, count=0), [])


class ConclusionTests(Case):
    def test_a_town_and_its_well(self):
        """Each conclusion with its evidence; of each kind and subject one comes first."""
        self.assertEqual(
            self.conclude(*TOWN),
            [
                (
                    "Of three people who talked about the well, Anna had the most to tell.",
                    [1, 2, 3, 4, 5],
                ),
                ("Carl and Bo appear to be at odds.", [8]),
                ("Trouble is in the air: Anna and Bo had some to report.", [1, 2, 5]),
                ("Day after day Anna has brought up the well.", [1, 4, 5]),
                ("Sooner or later Bo ends up talking about the baker.", [6, 7]),
            ],
        )

    def test_no_four_words_are_borrowed(self):
        lines = [
            ("Anna", "Two different people brought up the well, they say.", 1),
            ("Bo", "Anna and Bo each had something to tell about the well.", 1),
            ("Bo", "A good deal of the talk here turns on the well.", 1),
        ]
        texts = [text for _, text, _ in lines]
        said = self.conclude(*lines)
        self.assertTrue(said)
        for text, _ in said:
            self.assertFalse(insights.shares_a_run(text, texts), text)

    def test_of_itself_it_concludes_nothing(self):
        lines = [("Anna", "We all like Mara very much.", 1), ("Bo", "Ask Mara about the ale.", 1)]
        self.assertEqual([text for text, _ in self.conclude(*lines) if "Mara" in text], [])

    def test_of_nothing_and_of_one_remark_nothing_follows(self):
        self.assertEqual(self.conclude(), [])
        self.assertEqual(self.conclude(("Anna", "The well is deep.", 1)), [])

    def test_it_rests_on_what_is_its_own(self):
        lines = [("Anna", "The well is dry.", 1), ("Bo", "The well is deep.", 1)]
        lines += [("Anna", "The mill is old.", 1), ("Bo", "The mill stands still.", 1)]
        background = {f"item{number}": {"own": number == 3} for number in range(1, 5)}
        said = self.conclude(*lines, **background)
        self.assertEqual([3 in numbers for _, numbers in said], [True] * len(said))
        self.assertTrue(said)

    def test_it_says_as_much_as_is_wanted_and_nothing_twice(self):
        self.assertEqual(len(self.conclude(*TOWN, count=2)), 2)
        said = [text for text, _ in self.conclude(*TOWN, count=20)]
        self.assertEqual(len(said), len(set(said)))

    def test_at_most_six_remarks_are_cited(self):
        lines = [
            ("Anna" if one % 2 else "Bo", f"The well is {one} yards deep.", 1) for one in range(9)
        ]
        self.assertEqual(max(len(numbers) for _, numbers in self.conclude(*lines)), 6)

    def test_words_of_players_do_no_harm(self):
        said = self.conclude(
            ("{name}", "The {subject} of the well {0} %s", 1), ("Bo\x07\n", "The well {", 1)
        )
        self.assertTrue(any("the well" in text for text, _ in said))
        self.assertNotIn("\x07", str(said))


class WordingTests(unittest.TestCase):
    def test_every_kind_of_thought_has_words(self):
        slots = dict.fromkeys("Count count subject other people name others".split(), "X")
        for code in languages.codes():
            for field in ("thoughts", "wonders", "labels"):
                known = getattr(languages.load("en"), field)
                self.assertEqual(set(getattr(languages.load(code), field)), set(known))
            thoughts = languages.load(code).thoughts
            self.assertEqual(len(thoughts), 14)
            for kind, lines in thoughts.items():
                self.assertGreater(len(lines), 1, kind)
                for line in lines:
                    said = line.format(**slots)
                    self.assertTrue(said.endswith("."), said)
                    with languages.reading(code):
                        self.assertFalse(insights.is_self_referential(said), said)


if __name__ == "__main__":
    unittest.main()
