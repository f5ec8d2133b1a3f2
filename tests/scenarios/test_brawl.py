"""The brawls of the demo, played without a server; and each of their checks can fail."""

import re
import unittest
from types import SimpleNamespace
from unittest import mock

from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import succeed

from evennia_ai.agent.revising import forget_people
from evennia_ai.core import languages
from evennia_ai.experience import turn_decisions
from tests.agent.cases import MindTestCase
from tests.commands.cases import at_once
from tests.scenarios.demo_brawl import brawl, way_of
from tests.scenarios.stage import StepFailed
from world import tavern


class Seat:
    """Somebody who types and reads as `stage.Player` does, but in the same process."""

    def __init__(self, case, character, heard):
        self.case, self.character, self.heard, self.mark = case, character, heard, len(heard)

    def does(self, line):
        """Type a line, and let time pass until it is answered."""
        self.case.do(self.character, line, wait=2)

    def sees(self, pattern):
        """Return the match of the next line that fits."""
        while self.mark < len(self.heard):
            self.mark += 1
            found = re.search(pattern, strip_ansi(self.heard[self.mark - 1][1]))
            if found:
                return found
        raise StepFailed(f"{self.character.key} did not see {pattern!r}")


class BrawlTests(MindTestCase):
    def setUp(self):
        super().setUp()
        later = mock.patch("evennia.commands.cmdhandler.deferLater", at_once)
        later.start()
        self.addCleanup(later.stop)
        tavern.settle("guard", self.room1)
        self.notes = []

    def play_brawls(self):
        """Play the scene; Char has the place of Ann and of the keeper, Char2 that of Bob."""
        stage = SimpleNamespace(note=self.notes.append, pump=self.wait)
        ann, keeper = (Seat(self, self.char1, self.ann) for _ in range(2))
        bob = Seat(self, self.char2, self.bob)
        brawl(SimpleNamespace(stage=stage, ann=ann, bob=bob, keeper=keeper))

    def ways(self):
        """Return the ways that the guard took, one after the other."""
        head = "his way: "
        return [note.removeprefix(head) for note in self.notes if note.startswith(head)]

    def assert_fails(self, expected, *, ways):
        """Play, and make sure that the scene ends at the check that is meant."""
        with self.assertRaisesRegex(StepFailed, expected):
            self.play_brawls()
        self.assertEqual(self.ways(), ways)

    def test_the_guard_learns_and_forgets(self):
        """D1 D28 D44: what was done, what came of it and how it was rated; nothing is trained."""
        self.play_brawls()
        self.assertEqual(self.ways(), ["warn", "soothe", "soothe", "distract", "warn"])

    def test_it_fails_if_nothing_is_learned(self):
        self.configure(EXPERIENCE={"ENABLED": False})
        self.assert_fails("the guard chose 'warn', not 'soothe'", ways=["warn"])

    def test_it_fails_if_what_comes_of_it_counts_for_nothing(self):
        self.configure(REWARDS=[])
        self.assert_fails("the guard chose 'warn', not 'soothe'", ways=["warn"])

    def test_it_fails_if_a_rating_counts_for_nothing(self):
        self.patch(turn_decisions, "rate", lambda *args, **kwargs: succeed(None))
        self.assert_fails(
            "the guard chose 'soothe', not 'distract'", ways=["warn", "soothe", "soothe"]
        )

    def test_it_fails_if_he_cannot_forget(self):
        self.patch(forget_people, "forget_experience", lambda *args: succeed({"decisions": 6}))
        with self.assertRaisesRegex(StepFailed, "not 'warn'"):
            self.play_brawls()
        self.assertEqual(len(self.ways()), 4)


class WayTests(unittest.TestCase):
    def test_each_line_is_known_by_its_way_whoever_is_meant(self):
        for way, lines in languages.load("en").ways["brawler"].items():
            for line in lines:
                with self.subTest(line):
                    self.assertEqual(way_of(line.format(name="Ann")), way)

    def test_other_lines_are_of_no_way(self):
        self.assertEqual(way_of("Evening, Ann."), "")
