"""A builder without rights on an NPC gets nothing out of its mind and nothing into it, whatever they type."""

import re
import tempfile
import unittest
from pathlib import Path

import evennia
from django.test import tag

from tests.scenarios import hostile_attempts, hostile_web
from tests.scenarios.game import ROOT
from tests.scenarios.hostile_builder import (
    BUILDER,
    PASSWORD,
    UNGUARDED,
    HostileGame,
    changes,
    shown_secrets,
)
from tests.scenarios.stage import StepFailed

# Characters of what was shown that a failure repeats; the file has all of it.
REPEATED = 3000


class HostileTestCase(unittest.TestCase):
    """All attempts in one game: what one of them changed is no fault of the next."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.game = cls.enterClassContext(HostileGame(**cls.settings))
        cls.game.play()
        cls.addClassCleanup(cls.game.stage.leave)
        cls.failed = False
        cls.addClassCleanup(cls.keep_transcript)

    @classmethod
    def keep_transcript(cls):
        """Write down what happened, if anything went wrong."""
        if cls.failed:
            with tempfile.NamedTemporaryFile(
                "w", suffix="-hostile-builder.txt", delete=False
            ) as file:
                file.write("\n".join(cls.game.transcript))
            print(f"All that was typed and shown: {Path(file.name)}")

    def check(self, name, typed, shown, before, *, sees="", tells=""):
        """Say what an attempt got out of the mind or into it."""
        problems = self.problems(typed, shown, before, tells)
        with self.subTest(name):
            type(self).failed |= bool(problems)
            self.assertEqual(problems, [], f"\n{shown[:REPEATED]}")
            self.assertIsNotNone(re.search(sees, shown), f"{sees!r} was not seen:\n{shown}")

    def problems(self, typed, shown, before, tells=""):
        """Return what an attempt got out of the mind or into it; then all is put back."""
        problems = [f"shown: {word}" for word in shown_secrets(self.game.secrets, typed, shown)]
        problems += [f"told: {found}" for found in re.findall(tells, shown) if found]
        problems += self.changed(before)
        self.game.tidy()
        return problems

    def changed(self, before):
        """Return what is not as it was; then all is put back, for the next attempt."""
        try:
            found = changes(before, self.game.mind())
        except StepFailed:
            found = ["the mind cannot be read any more"]
        if found:
            self.game.rewind()
        return found


@tag("scenario")
class HostileBuilderTests(HostileTestCase):
    """With our guards, as in the demo game."""

    def test_stock_commands_neither_show_nor_change_a_mind(self):
        kept = self.game.mind()
        for attempt in hostile_attempts.ALL:
            typed, shown = self.game.types(attempt)
            self.check(attempt.name, typed, shown, kept, sees=attempt.sees, tells=attempt.tells)

    def test_the_rest_api_neither_shows_nor_changes_a_mind(self):
        kept = self.game.mind()
        for call in hostile_web.CALLS:
            for numbers in self.numbers(call.data):
                sent, shown = self.web().call(call, **numbers)
                self.game.note(call.name, sent, shown)
                self.check(f"REST: {call.name}", sent, shown, kept, sees="^[234]")

    def test_pages_for_staff_neither_show_nor_change_a_mind(self):
        kept = self.game.mind()
        for submit in hostile_web.SUBMITS:
            web = self.web()
            web.enter()
            [numbers] = self.numbers(submit.fields)
            sent, shown = web.submit(submit, **numbers)
            self.game.note(submit.name, sent, shown)
            self.check(f"page: {submit.name}", sent, shown, kept, sees="^[234]")

    def test_nothing_of_it_comes_to_light_at_the_next_start(self):
        kept = self.game.mind()
        for attempt in hostile_attempts.COPYING:
            self.game.types(attempt)
        self.game.restart()
        self.check("a restart", [], "", kept)

    def web(self):
        """Return the builder at the web pages."""
        port = self.game.settings["WEBSERVER_PORTS"][0][0]
        return hostile_web.Web(port, BUILDER, PASSWORD)

    def numbers(self, data):
        """Return what stands for the names in braces: once, or for each Attribute."""
        tag = min((one[2] for one in self.game.store.tags()), default=0)
        numbers = {**self.game.ids, "tag": tag}
        if "{attr}" not in f"{data}":
            return [numbers]
        return [{**numbers, "attr": key} for key in self.game.keys["attr"]]


@tag("scenario")
class UnguardedBuilderTests(HostileTestCase):
    """Without our guards, as a game may choose."""

    settings = UNGUARDED

    def test_what_is_open_is_exactly_what_the_page_says(self):
        kept = self.game.mind()
        found = [
            attempt.name
            for attempt in hostile_attempts.ALL
            if self.problems(*self.game.types(attempt), kept, attempt.tells)
        ]
        expected = dict(hostile_attempts.OPEN)
        # Evennia 5 gives `$search` an argument that it does not take, so that it fails in each prototype.
        if not evennia.__version__.startswith("5."):
            expected |= hostile_attempts.OPEN_IN_EVENNIA_6
        self.assertCountEqual(found, expected)
        page = " ".join((ROOT / "docs" / "trust.md").read_text(encoding="utf-8").split())
        for sentence in (*hostile_attempts.OPEN.values(), hostile_attempts.SEARCH_TELLS):
            self.assertIn(f"- {sentence}", page)
