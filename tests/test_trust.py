"""docs/trust.md and docs/players.md promise nothing without a test that would fail if the promise were broken."""

import re
import unittest
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "trust.md"
# What is said to players is as true.
PAGES = (PAGE, ROOT / "docs" / "players.md")

# A promise is an item of a list; the lines below it, each in backticks, are its tests.
ITEM = re.compile(r"^- (.+?)(?=^- |^#|\Z)", re.M | re.S)
NAMED = re.compile(r"^  `(tests/[\w/]+\.py)::(\w+)\.(\w+)`$", re.M)


def promises(text):
    """Return {sentence: [(path, class, test)]} of a page."""
    return {
        " ".join(NAMED.sub("", item).split()): NAMED.findall(item) for item in ITEM.findall(text)
    }


def wrong_with(text):
    """Return what is wrong with the promises of a page, a sentence each."""
    for sentence, tests in promises(text).items():
        if not re.fullmatch(r"[A-Z][^.`]*(\.\w[^.`]*)*(`[^`]+`[^.`]*)*\.", sentence):
            yield f"{sentence!r} is not one sentence with its tests below it."
        if not tests:
            yield f"{sentence!r} has no test."
        for path, group, name in tests:
            if name not in tests_in(path).get(group, ()):
                yield f"There is no {path}::{group}.{name}."


@cache
def tests_in(path):
    """Return {class: names of its tests} of a file, {} if there is no such file.

    What a decorator skips is no test.
    """
    if not (ROOT / path).exists():
        return {}
    module = import_module(path.removesuffix(".py").replace("/", "."))
    return {
        name: [
            test for test in unittest.defaultTestLoader.getTestCaseNames(case) if is_run(case, test)
        ]
        for name, case in vars(module).items()
        if isinstance(case, type) and issubclass(case, unittest.TestCase)
    }


def is_run(case, test):
    """Return whether no decorator skips a test."""
    return not any(getattr(one, "__unittest_skip__", False) for one in (case, getattr(case, test)))


class TrustTests(unittest.TestCase):
    def test_each_promise_is_one_sentence_and_names_tests_that_exist(self):
        for page in PAGES:
            with self.subTest(page.name):
                self.assertEqual(list(wrong_with(page.read_text("utf-8"))), [])

    def test_players_are_told_what_is_kept_who_sees_it_and_how_it_goes(self):
        subjects = PAGES[1].read_text("utf-8").split("\n## ")[1:]
        self.assertEqual([len(promises(subject)) for subject in subjects], [5, 7, 6, 6, 5, 0])

    def test_each_subject_has_promises(self):
        subjects = PAGE.read_text("utf-8").split("\n## ")[1:]
        self.assertEqual(len(subjects), 9)
        for subject in subjects:
            with self.subTest(subject.partition("\n")[0]):
                self.assertGreaterEqual(len(promises(subject)), 5)


class CheckTests(unittest.TestCase):
    """What the page is held against can fail."""

    HERE = "tests/test_trust.py::CheckTests.test_a_page_in_order_has_nothing_wrong_with_it"

    def wrong(self, text):
        return list(wrong_with(text))

    def test_a_page_in_order_has_nothing_wrong_with_it(self):
        page = f"# Trust\n\n- It holds,\n  also over a line.\n  `{self.HERE}`\n\n## More\n"
        self.assertEqual(
            promises(page),
            {
                "It holds, also over a line.": [
                    (
                        "tests/test_trust.py",
                        "CheckTests",
                        "test_a_page_in_order_has_nothing_wrong_with_it",
                    )
                ]
            },
        )
        self.assertEqual(self.wrong(page), [])

    def test_a_promise_without_a_test_is_found(self):
        self.assertEqual(self.wrong("- It holds.\n"), ["'It holds.' has no test."])

    def test_a_test_that_does_not_exist_is_found(self):
        for name in (
            self.HERE + "_any_more",
            self.HERE.replace("CheckTests", "NoTests"),
            self.HERE.replace("test_trust.py", "test_none.py"),
        ):
            self.assertEqual(self.wrong(f"- It holds.\n  `{name}`\n"), [f"There is no {name}."])

    def test_a_test_that_is_written_otherwise_is_no_test(self):
        for line in ("  see `tests/test_trust.py`", f"  {self.HERE}"):
            self.assertIn("is not one sentence", self.wrong(f"- It holds.\n{line}\n")[0])

    def test_two_sentences_are_two_promises(self):
        page = f"- It holds. It always will.\n  `{self.HERE}`\n"
        self.assertIn("is not one sentence", self.wrong(page)[0])

    def test_a_test_that_is_skipped_is_none(self):
        class Some(unittest.TestCase):
            def test_one(self):
                """Runs."""

            @unittest.skip("not now")
            def test_two(self):
                """Is skipped."""

        self.assertTrue(is_run(Some, "test_one"))
        self.assertFalse(is_run(Some, "test_two"))
        self.assertFalse(is_run(unittest.skip("at all")(Some), "test_one"))
