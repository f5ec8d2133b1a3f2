"""What the commands show of memories, as text."""

import unittest
from datetime import datetime, timezone

from evennia.utils.ansi import strip_ansi
from msgspec import structs

from evennia_ai.commands import changes
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.shown import words
from evennia_ai.core.records import Change
from evennia_ai.domain.memories import profile, relationship
from evennia_ai.domain.memories.remembered import Remembered
from tests.domain.entries import entry
from tests.domain.profiles import fact

NAMES = {"uuid-ann": "Ann", "uuid-mara": "Mara"}
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def shown(text):
    return strip_ansi(text).splitlines()


class AudienceTests(unittest.TestCase):
    def test_it_is_said_in_names(self):
        for known, expected in (
            ("public", "known to all"),
            (["uuid-mara", "uuid-ann"], "for Ann, Mara"),
            (["uuid-ann", "uuid-x"], "for Ann, somebody"),
            ([], "for nobody"),
        ):
            with self.subTest(known):
                self.assertEqual(words.known_to(known, NAMES), expected)


class JournalTests(unittest.TestCase):
    def entry(self, **fields):
        told = {"source_type": "environmental", "source_entity": "Ann", "importance": 4}
        return entry(id=3, timestamp="2026-01-01T12:34:56.000Z", **{**told, **fields})

    def lines(self, *entries, **kwargs):
        return shown(memory_format.journal(entries, names=NAMES, **{"size": 1, **kwargs}))

    def test_an_entry_is_two_lines(self):
        self.assertEqual(
            self.lines(self.entry()),
            [
                "[3] 2026-01-01 12:34, importance 4 (heuristic), overheard from Ann, known to all",
                "    It rains.",
            ],
        )

    def test_marks_and_tags_stand_at_the_end(self):
        [first, _] = self.lines(
            self.entry(pinned=True, consolidated=True, tags=["a", "b"], source_entity="")
        )
        self.assertTrue(
            first.endswith("environmental, known to all, tags a, b, pinned, consolidated"), first
        )

    def test_a_long_entry_is_cut_and_stays_one_line(self):
        [_, text] = self.lines(self.entry(content="word\n" * 200))
        self.assertLessEqual(len(text), 304)
        self.assertTrue(text.endswith("…"))

    def test_how_many_more_there_are_is_said(self):
        self.assertEqual(
            self.lines(self.entry(), more=7)[-1],
            "… and 7 more that fit; say more of what you look for.",
        )

    def test_none_is_said(self):
        self.assertEqual(self.lines(), ["None of its 1 entry fits."])

    def test_markup_of_players_is_shown_as_it_is(self):
        text = memory_format.journal([self.entry(content="|rred|n")], names={}, size=1)
        self.assertIn("||rred||n", text)


class ProfileTests(unittest.TestCase):
    def test_all_of_it_is_shown(self):
        change = Change(delta=-0.1, reason=None, timestamp="2026-01-01T12:00:00.000Z")
        brother = fact("has a brother", type="family", derived_from=[1, 2])
        known = structs.replace(
            profile.new("uuid-ann", now=NOON),
            name="Ann",
            entity_type="player",
            disposition=-0.5,
            relationship=structs.replace(relationship.new(), history=[change] * 7),
            attributes=[brother, structs.replace(brother, superseded_by=1, derived_from=[])],
        )
        told = {
            "known": known,
            "facts": [(one, "known to all") for one in known.attributes],
            "noticed": [],
        }
        self.assertEqual(
            shown(memory_format.profile(told)),
            [
                "Ann (player)",
                "  regard     stranger (0.00), dealt with 0 times",
                "  last met   2026-01-01 12:00",
                "  disposed   -0.50",
                "  known",
                "    family: has a brother (known to all, from 2 seen)",
                "    family: has a brother (known to all) (no longer)",
                "  lately",
                *["    2026-01-01 12:00 -0.10"] * 5,
            ],
        )


class FoundTests(unittest.TestCase):
    def test_score_source_and_ears_are_shown(self):
        one = Remembered(text="It rains.", kind="said", by="Ann", audience=["uuid-ann"], score=0.5)
        two = structs.replace(one, by="", timestamp="2026-01-01T12:00:00.000Z")
        self.assertEqual(
            shown(memory_format.found([one, two], names=NAMES)),
            [
                "1. 0.50 said from Ann, for Ann",
                "     It rains.",
                "2. 0.50 said, 2026-01-01 12:00, for Ann",
                "     It rains.",
            ],
        )
        self.assertEqual(memory_format.found([], names={}), "Nothing comes to mind.")


class ForgottenTests(unittest.TestCase):
    def test_what_is_many_is_counted(self):
        for counts, expected in (
            ({}, "nothing"),
            ({"entries": 1}, "1 entry"),
            ({"entries": 2, "memories": 1, "people": 0, "links": 5}, "2 entries, 1 memory"),
            ({"people": 1, "decisions": 3}, "1 profile, 3 decisions"),
        ):
            with self.subTest(counts):
                self.assertEqual(changes.forgotten(counts), expected)
