import unittest
from collections import Counter

from tests.benchmarks import make_recall_data, recall

LINES = [
    {"id": 1, "text": "Ann: Who brews the ale?", "speaker": "Ann", "timestamp": "2030-01-01"},
    {"id": 2, "text": "Bo: Old Tam, by the mill.", "speaker": "Bo", "timestamp": "2030-01-01"},
    {"id": 3, "text": "Ann: The wolf ate a sheep.", "speaker": "Ann", "timestamp": "2030-03-01"},
]
QUESTIONS = [
    {"text": "What did the wolf eat?", "evidence": [3], "category": "single fact"},
    {"text": "Who makes Ann's beer?", "evidence": [1, 2], "category": "several entries"},
    {"text": "Nobody can know this?", "evidence": [99], "category": "single fact"},
]


class ResultTests(unittest.TestCase):
    def test_recall_is_the_share_of_the_evidence(self):
        result = recall.Result(1)
        result.found({"evidence": ["1", "2"], "category": "a"}, ["2", "3", "1"], 0.002)
        result.found({"evidence": ["4"], "category": "b"}, ["1"], 0.004)
        figures = result.as_dict()
        self.assertEqual(
            [figures[f"recall@{limit}"] for limit in (1, 5, 10, 25)], [0.25, 0.5, 0.5, 0.5]
        )
        self.assertEqual(figures["mrr"], 0.5)
        self.assertEqual(figures["by_category"]["a"]["recall@5"], 1.0)
        self.assertEqual(figures["by_category"]["b"]["questions"], 1)
        self.assertEqual(figures["search_ms"], {"p50": 4.0, "p95": 4.0})


class ReadingTests(unittest.TestCase):
    TIMES = (
        ("2023-05-08T13:56:00Z", "2023-05-08T13:56:00.000000Z"),
        ("2023-05-08 13:56", "2023-05-08T13:56:00.000000Z"),
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000000Z"),
        (1683554160, "2023-05-08T13:56:00.000000Z"),
        ("long ago", "1970-01-01T00:00:07.000000Z"),
        (None, "1970-01-01T00:00:07.000000Z"),
    )

    def test_times_are_read_as_files_write_them(self):
        for written, expected in self.TIMES:
            with self.subTest(written):
                self.assertEqual(recall._iso(written, 7), expected)

    def test_questions_without_evidence_are_left_out(self):
        read = recall.answerable({"memories": LINES, "questions": QUESTIONS})
        self.assertEqual([one["evidence"] for one in read["questions"]], [["3"], ["1", "2"]])


class PreviousTests(unittest.TestCase):
    def test_a_line_has_the_one_before_it_in_the_same_talk(self):
        lines = recall.answerable({"memories": LINES, "questions": []})["memories"]
        self.assertEqual(recall._before(lines[0], None), "")
        self.assertEqual(recall._before(lines[1], lines[0]), "Ann: Who brews the ale?")
        self.assertEqual(recall._before(lines[2], lines[1]), "")


class DataTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.splits = {split: make_recall_data.make(split) for split in ("develop", "report")}

    def test_there_are_some_hundred_questions_of_each_kind_of_world(self):
        counts = Counter(
            question["category"]
            for conversations in self.splits.values()
            for conversation in conversations
            for question in conversation["questions"]
        )
        self.assertGreater(counts.total(), 300)
        self.assertEqual(
            set(counts),
            {
                "single fact",
                "several entries",
                "time",
                "judgement",
                "change of mind",
                "never said",
            },
        )

    def test_nothing_is_both_tuned_on_and_reported(self):
        develop, report = (
            {
                question["text"]
                for conversation in self.splits[split]
                for question in conversation["questions"]
            }
            for split in ("develop", "report")
        )
        self.assertEqual(develop & report, set())

    def test_each_evidence_is_a_line_in_order_of_time(self):
        for conversations in self.splits.values():
            for conversation in conversations:
                times = [line["timestamp"] for line in conversation["memories"]]
                self.assertEqual(times, sorted(times))
                ids = {line["id"] for line in conversation["memories"]}
                for question in conversation["questions"]:
                    self.assertTrue(ids.issuperset(question["evidence"]), question)

    def test_it_is_the_same_each_time(self):
        self.assertEqual(make_recall_data.make("report"), self.splits["report"])
