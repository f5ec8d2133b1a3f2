"""The checks of the demo can fail: each is shown a player who saw the wrong thing."""

import socket
import threading
import unittest
from functools import partial
from unittest import mock

from tests.scenarios import stage
from tests.scenarios.stage import Player, Stage, StepFailed
from tests.scenarios.telnet import Connection


class StageTests(unittest.TestCase):
    def setUp(self):
        self.transcript = []
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        self.stage = Stage(server.getsockname()[1], write=self.transcript.append)
        self.games = {}
        for name in ("Ann", "Bob"):
            player = Player(name, Connection(self.stage.port), self.stage)
            self.stage.players.append(player)
            self.games[name], _ = server.accept()
            self.addCleanup(self.games[name].close)
            player.connection.ask_back = partial(self.send_back, name)
        self.addCleanup(self.stage.leave)
        self.ann, self.bob = self.stage.players
        self.stage.begin_step()

    def send_back(self, name, mark):
        self.show(f"Echo returns: ('{mark}',), {{}}", name)

    def show(self, text, *names):
        for name in names:
            self.games[name].sendall(text.encode() + b"\r\n")

    def test_what_is_seen_is_told_with_who_saw_it(self):
        self.ann.does("say Hello")
        self.show("Mara nods.", "Ann", "Bob")
        self.ann.sees("nods")
        self.assertEqual(
            self.transcript, ["           Ann > say Hello", "      Ann, Bob | Mara nods."]
        )
        self.assertEqual(self.games["Ann"].recv(100), b"say Hello\r\n")

    def test_a_line_is_awaited_once(self):
        self.show("Mara nods.", "Ann")
        self.assertEqual(self.ann.sees(r"Mara (\w+)", seconds=10)[1], "nods")
        with self.assertRaisesRegex(StepFailed, "Ann did not see 'nods' within 0.1 s"):
            self.ann.sees("nods", seconds=0.1)

    def test_what_somebody_else_sees_does_not_count(self):
        self.show("Mara nods.", "Bob")
        with self.assertRaises(StepFailed):
            self.ann.sees("nods", seconds=0.1)

    def test_what_should_not_be_seen_is_noticed_whenever_it_came_in_the_step(self):
        self.show("It is under the hearthstone.\r\nMara nods.", "Bob")
        self.bob.sees("nods", seconds=10)
        with self.assertRaisesRegex(StepFailed, "Bob saw what should not be seen"):
            self.bob.never_saw("hearthstone")
        self.ann.never_saw("hearthstone")

    def test_what_was_seen_in_the_step_before_is_forgotten(self):
        self.show("Mara nods.", "Ann")
        self.ann.sees("nods", seconds=10)
        self.stage.begin_step()
        self.ann.never_saw("nods")

    def test_what_is_still_on_its_way_is_taken_in_first(self):
        slow = threading.Timer(0.2, self.show, ["Mara nods.\r\nEcho returns: ('2',), {}", "Ann"])
        self.addCleanup(slow.join)
        self.ann.connection.ask_back = lambda mark: slow.start()
        self.ann.catches_up()
        self.assertEqual(self.ann.seen, ["Mara nods."])

    def test_a_game_that_says_nothing_any_more_is_noticed(self):
        self.ann.connection.ask_back = lambda mark: None
        with mock.patch.object(stage, "PATIENCE", 0.1), self.assertRaisesRegex(StepFailed, "Ann"):
            self.ann.catches_up()

    def test_twice_is_not_once_and_neither_is_never(self):
        self.show("Mara nods.", "Ann")
        self.ann.saw_once("nods", seconds=0.1)
        self.show("Mara nods.", "Ann")
        with self.assertRaisesRegex(StepFailed, "2 times instead of once"):
            self.ann.saw_once("nods", seconds=0.1)
        with self.assertRaisesRegex(StepFailed, "0 times instead of once"):
            self.bob.saw_once("nods", seconds=0)

    def test_what_staff_see_is_told_only_while_they_act(self):
        self.bob.is_staff = True
        self.stage.begin_step()
        self.show("Mara nods.", "Bob")
        self.bob.sees("nods", seconds=10)
        self.bob.does("look")
        self.show("A mirror.", "Bob")
        self.bob.sees("mirror", seconds=10)
        self.assertEqual(self.transcript, ["           Bob > look", "           Bob | A mirror."])
