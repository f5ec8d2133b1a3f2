"""The ratchet notices what grew, and lets one room be built at a time."""

import tempfile
import unittest
from pathlib import Path

from tests.house import ratchet

LANDED = """\
# Why.
[landed]
package_lines = 2
package_statements = 2
language_lines = 1
test_lines = 1
"""


class RatchetTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("evennia_ai/talk.py", "a = 1\nb = 2\n")
        self.write("evennia_ai/languages/en.yaml", "hello: Hello.\n")
        self.write("tests/test_talk.py", "a = 1\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def excess(self, text=LANDED):
        landed, room = ratchet.read_landed(text)
        return ratchet.find_excess(landed, ratchet.count_sizes(self.root, room))

    def test_a_house_of_the_landed_size_is_fine(self):
        self.assertEqual(self.excess(), [])

    def test_an_added_line_is_named_with_its_number(self):
        self.write("evennia_ai/talk.py", "a = 1\nb = 2\n\n")
        self.assertEqual(self.excess(), ["package_lines: 3, 1 more than the 2 that landed"])

    def test_packing_statements_into_a_line_does_not_pay(self):
        self.write("evennia_ai/talk.py", "a = 1; c = 3\nb = 2; d = 4\n")
        self.assertEqual(self.excess(), ["package_statements: 4, 2 more than the 2 that landed"])

    def test_language_files_and_tests_are_counted(self):
        self.write("evennia_ai/languages/sv.yml", "hello: Hej.\n")
        self.write("tests/data/lines.py", "\n")
        self.assertEqual(
            self.excess(),
            [
                "language_lines: 2, 1 more than the 1 that landed",
                "test_lines: 2, 1 more than the 1 that landed",
            ],
        )

    def test_the_room_under_construction_is_not_counted(self):
        self.write("evennia_ai/mind/__init__.py", "a = 1\n")
        construction = '[under_construction]\nroom = "evennia_ai/mind"\nissue = "One Mind"\n'
        self.assertEqual(self.excess(LANDED + construction), [])

    def test_a_room_without_its_issue_is_refused(self):
        with self.assertRaisesRegex(ValueError, "one room and the issue"):
            self.excess(LANDED + '[under_construction]\nroom = "evennia_ai/mind"\n')

    def test_sizes_are_lowered_and_never_raised(self):
        text = ratchet.lower_landed(LANDED, {"package_lines": 1, "test_lines": 5})
        self.assertEqual(text, LANDED.replace("package_lines = 2", "package_lines = 1"))
