"""Every requirement of the sources is tested, documented or superseded by a decision.

`tests/house/requirements.md` has a line for each: `| J3 | tested | tests/memory/test_journal.py |`. What it
calls tested is named in the docstring of a test in the file that it names.
"""

import ast
import re
import unittest
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = Path(__file__).with_name("requirements.md")

# The sources number their requirements through; R17b was added between two.
IDS = [
    *(f"J{number}" for number in range(1, 80)),
    *(f"D{number}" for number in range(1, 45)),
    *(f"M{number}" for number in range(1, 60)),
    *(f"R{number}" for number in range(1, 21)),
    "R17b",
    *(f"E{number}" for number in range(1, 46)),
]
ROW = re.compile(r"^\| ([JDMRE]\d+b?) \| (tested|documented|superseded by C-\d+) \| (.*) \|$")
NAMED = re.compile(r"\b[JDMRE]\d+b?\b")


def rows():
    """Return {id: (status, where)} of the page."""
    found = (ROW.match(line) for line in PAGE.read_text().splitlines())
    return {match[1]: (match[2], match[3]) for match in found if match}


@cache
def named_in(path):
    """Return the ids that the docstrings of the tests in a file name."""
    tree = ast.parse((ROOT / path).read_text())
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    texts = [ast.get_docstring(test) or "" for test in tests if test.name.startswith("test")]
    return {name for text in texts for name in NAMED.findall(text)}


class RequirementTests(unittest.TestCase):
    def test_every_requirement_has_a_line(self):
        known = rows()
        self.assertEqual([one for one in IDS if one not in known], [])
        self.assertEqual([one for one in known if one not in IDS], [])

    def test_what_is_called_tested_is_named_by_a_test_in_that_file(self):
        wrong = []
        for one, (status, where) in rows().items():
            if status == "tested" and not any(
                one in named_in(path) for path in re.findall(r"tests/[\w/]+\.py", where)
            ):
                wrong.append(f"{one}: {where}")
        self.assertEqual(wrong, [])

    def test_what_is_called_documented_names_a_page_that_exists(self):
        for one, (status, where) in rows().items():
            if status == "documented":
                with self.subTest(one):
                    pages = re.findall(r"docs/[\w-]+\.md|README\.md", where)
                    self.assertTrue(pages)
                    self.assertEqual([page for page in pages if not (ROOT / page).exists()], [])
