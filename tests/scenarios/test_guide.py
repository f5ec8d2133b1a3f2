"""The guides show what a real server says; and what plays them notices when they do not."""

import socket
import unittest
from unittest import mock

from django.test import tag

from tests.scenarios import guide, guided
from tests.scenarios.guide import Step
from tests.scenarios.stage import Player, Stage, StepFailed
from tests.scenarios.telnet import Connection

PAGE = """# A page

In `world/minds/mara.yaml`:

```yaml
name: Mara
```

```transcript
Ann > say Hello
You say, "Hello"
[a while later]
…
Bob > 
```

    Ann > look

```
Ann > look
```
"""


@tag("scenario")
class GuideTests(unittest.TestCase):
    """Each takes a game of its own, since a page begins with a new one."""

    def test_a_builders_first_hour_is_as_the_page_says(self):
        self.assertEqual(guided.play("docs/builders.md"), [])

    def test_what_admins_do_is_as_the_page_says(self):
        self.assertEqual(guided.play("docs/admins.md"), [])


class ReadTests(unittest.TestCase):
    def test_only_transcripts_are_played(self):
        self.assertEqual(
            guide.steps(PAGE),
            [
                Step(10, "Ann", "say Hello", ['You say, "Hello"']),
                Step(12, "", "a while later", ["…"]),
                Step(14, "Bob", "", []),
            ],
        )

    def test_a_note_is_nothing_that_is_typed(self):
        self.assertEqual([step.is_note for step in guide.steps(PAGE)], [False, True, False])

    def test_a_file_of_the_game_is_found_with_what_is_in_it(self):
        self.assertEqual(guide.files(PAGE), [("world/minds/mara.yaml", "name: Mara\n")])


class FitsTests(unittest.TestCase):
    def test_all_lines_count_in_their_order(self):
        shown = ["One.", "Two (2)."]
        self.assertTrue(guide.fits(shown, ["One.", "Two (2)."]))
        for seen in (["One."], ["Two (2).", "One."], ["One.", "Two (2).", "Three."], ["One.", "T"]):
            self.assertFalse(guide.fits(shown, seen), seen)
        self.assertTrue(guide.fits([], []))
        self.assertFalse(guide.fits([], ["One."]))

    def test_dots_stand_for_some_of_a_line_or_for_any_lines(self):
        self.assertTrue(guide.fits(["… s ago, …"], ["12 s ago, Mara"]))
        self.assertFalse(guide.fits(["… s ago"], ["12 min ago"]))
        self.assertFalse(guide.fits(["a … c"], ["a b", "b c"]))
        for seen in (["One."], ["One.", "Two."], ["One.", "Two.", "Three."]):
            self.assertTrue(guide.fits(["One.", "…"], seen))
        self.assertFalse(guide.fits(["One.", "…", "Four."], ["One.", "Two."]))

    def test_what_is_drawn_around_a_menu_does_not_count(self):
        self.assertTrue(guide.fits(["Who?"], ["_____", "Who?", "_____"]))


class PlayTests(unittest.TestCase):
    """A player whose game says what the test lets it say."""

    def setUp(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        stage = Stage(server.getsockname()[1], write=lambda line: None)
        self.ann = Player("Ann", Connection(stage.port), stage)
        stage.players.append(self.ann)
        self.game, _ = server.accept()
        self.addCleanup(self.game.close)
        self.addCleanup(stage.leave)
        self.ann.connection.ask_back = lambda mark: self.say(f"Echo returns: ('{mark}',), {{}}")
        self.noted = []

    def say(self, *lines):
        self.game.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def play(self, transcript, then=guide.play):
        text = f"```transcript\n{transcript}```\n"
        around = {"players": {"Ann": self.ann}, "notes": {"later": lambda: self.say(*self.noted)}}
        return then("page.md", text, **around) if then is guide.play else then(text, **around)

    def answering(self, *lines):
        """Let the game say something as soon as Ann has typed."""
        typed = self.ann.sends

        def sends(line):
            typed(line)
            self.say(*lines)

        self.ann.sends = sends

    def test_what_is_shown_and_seen_passes(self):
        self.answering("It rains.", "12 s ago")
        self.play("Ann > look\nIt rains.\n… s ago\n")
        self.assertEqual(self.game.recv(100), b"look\r\n")

    def test_what_was_seen_before_does_not_count(self):
        self.say("Thunder.")
        self.answering("It rains.")
        self.play("Ann > look\nIt rains.\n")

    def test_another_line_fails_with_the_place_and_both(self):
        self.answering("It snows.")
        with self.patience(0.2), self.assertRaises(StepFailed) as failed:
            self.play("Ann > look\nIt rains.\n")
        self.assertEqual(
            str(failed.exception),
            "page.md:2: Ann > look\nThe page shows\n  It rains.\nAnn saw\n  It snows.",
        )

    def test_one_line_too_many_fails_and_so_does_one_too_few(self):
        self.answering("It rains.", "It pours.")
        with self.patience(0.2), self.assertRaises(StepFailed):
            self.play("Ann > look\nIt rains.\n")
        with self.patience(0.2), self.assertRaises(StepFailed):
            self.play("Ann > look\nIt rains.\nIt pours.\nIt hails.\n")

    def test_what_is_missing_doubled_wrong_or_in_another_order_fails(self):
        page = ['You say, "Who?"', "Mara ponders.", 'Mara says, "Tam."']
        question, pause, answer = page
        self.assert_seen(page, page)
        for seen in (
            [question, pause],
            [pause, answer],
            [question, question, pause, answer],
            [question, pause, answer, answer],
            [question, pause, 'Mara says, "Tim."'],
            [answer, question, pause],
            [question, answer, pause],
        ):
            with self.subTest(seen), self.patience(0.1), self.assertRaises(StepFailed):
                self.assert_seen(page, seen)

    def test_a_line_that_comes_late_to_the_step_before_is_not_taken_for_one_of_this(self):
        def late(mark):
            self.say("Bob arrives.", f"Echo returns: ('{mark}',), {{}}")
            self.ann.connection.ask_back = on_time

        on_time, self.ann.connection.ask_back = self.ann.connection.ask_back, late
        self.assert_seen(["It rains."], ["It rains."])

    def assert_seen(self, page, seen):
        """Let a page show some lines while the game says others; raises StepFailed."""
        with mock.patch.object(self.ann, "sends", lambda line: self.say(*seen)):
            self.play("\n".join(["Ann > look", *page, ""]))

    def test_a_note_is_carried_out_and_one_that_nobody_knows_fails(self):
        self.noted = ["Night falls."]
        self.play("[later]\n")
        self.assertTrue(self.ann.stage.pump(10, until=lambda: self.ann.saw("Night falls")))
        with self.assertRaises(KeyError):
            self.play("[never]\n")

    def test_what_differs_is_written_and_what_fits_stays(self):
        self.answering("Mara(#12), 3 s ago", "It rains.", "2026-01-02 03:04 a note")
        with self.patience(0.2, then=0.2):
            page = self.play("Ann > look\nIt …\nIt snows.\nAnn > look\n…\n", then=guide.record)
        self.assertEqual(
            page,
            "```transcript\nAnn > look\nMara(#…), … ago\nIt …\n… a note\nAnn > look\n…\n```\n",
        )

    def patience(self, seconds, *, then=0.1):
        return mock.patch.multiple(guide, PATIENCE=seconds, SETTLED=then, WRITTEN=then)
