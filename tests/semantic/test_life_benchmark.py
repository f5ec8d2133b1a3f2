import unittest

from tests.benchmarks import life

LINES = [
    {"id": "1", "text": "Ann: Who brews the ale?", "speaker": "Ann", "session": 1},
    {"id": "2", "text": "Old Tam, by the mill.", "speaker": "Bo", "session": 1},
    {"id": "3", "text": 'Ann: The "wolf" ate a sheep.', "speaker": "Ann", "session": 2},
    {"id": "4", "text": "Bo: Again?", "speaker": "Bo", "session": 2},
]


class FiguresTests(unittest.TestCase):
    def test_recall_is_the_mean_share_of_the_evidence(self):
        figures = life.Figures()
        figures.add({"evidence": ["1", "2"], "category": "a"}, {"2", "9"})
        figures.add({"evidence": ["3"], "category": "b"}, {"3"})
        self.assertEqual((figures.share(), figures.share("multi")), (0.75, 0.5))
        self.assertEqual(figures.by_category(), {"a": 0.5, "b": 1.0})
        self.assertEqual(figures.spread(), 0.49)


class ReadingTests(unittest.TestCase):
    def test_a_session_is_a_number_or_a_day(self):
        days = [
            {"id": day, "text": "", "speaker": "", "timestamp": f"2030-01-0{day}T08:00:00Z"}
            for day in (1, 1, 2)
        ]
        for lines, sizes in ((LINES, [2, 2]), (days, [2, 1])):
            self.assertEqual([len(one) for one in life._sessions(lines)], sizes)

    def test_a_line_counts_only_as_a_whole_and_whoever_said_it(self):
        ids = {'the "wolf" ate a sheep.': ["3"], "tam": ["2"]}
        shown = '(You remember: Ann told you: The "wolf" ate a sheep.)\nOld Tam: Tam, yes'
        self.assertEqual(life._ids_in(shown, ids), {"3"})


class KeptTests(unittest.TestCase):
    def test_questions_and_greetings_count_only_where_they_are_evidence(self):
        class Life:
            def kept(self):
                return [], ["Old Tam, by the mill."]

        ids = {"who brews the ale?": ["1"], "old tam, by the mill.": ["2"]}
        self.assertEqual(life.kept_share(Life(), ids), 0.5)
        self.assertEqual(life.kept_share(Life(), ids, among={"2"}), 1.0)
        self.assertEqual(life.kept_share(Life(), ids, among={"1", "2"}), 0.5)
        self.assertEqual(life.kept_share(Life(), ids, among=set()), 1.0)
