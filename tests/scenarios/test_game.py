"""A game of one's own: its settings, its logs and its programs, without starting it."""

import subprocess
import sys
import unittest
from unittest import mock

from tests.scenarios.game import Game


class GameTests(unittest.TestCase):
    def setUp(self):
        self.game = Game(TURN_UP=1)
        self.addCleanup(self.game.close)
        (self.game.directory / "server" / "conf").mkdir(parents=True)
        (self.game.directory / "server" / "logs").mkdir()

    def write_log(self, name, text):
        (self.game.directory / "server" / "logs" / f"{name}.log").write_text(text)

    def test_settings_are_written_as_python_and_later_ones_are_added(self):
        self.game.configure(EVENNIA_AI={"LLM": {}})
        written = {}
        exec((self.game.directory / "server/conf/secret_settings.py").read_text(), written)
        self.assertEqual((written["TURN_UP"], written["EVENNIA_AI"]), (1, {"LLM": {}}))
        self.assertEqual(written["TELNET_PORTS"], [self.game.port])

    def test_no_two_services_share_a_port(self):
        settings = self.game.settings
        ports = [self.game.port, *settings["WEBSERVER_PORTS"][0]]
        ports += [settings["WEBSOCKET_CLIENT_PORT"], settings["AMP_PORT"]]
        self.assertEqual(len(set(ports)), 5)

    def test_tracebacks_are_found_in_both_logs(self):
        self.assertEqual(self.game.tracebacks(), [])
        self.write_log("portal", "started\nUnhandled error in Deferred:\n")
        self.write_log("server", "fine\n  Traceback (most recent call last):\n    File\n")
        self.assertEqual(
            self.game.tracebacks(),
            ["Unhandled error in Deferred:", "  Traceback (most recent call last):"],
        )

    def test_a_browser_that_left_before_its_answer_came_is_no_fault_of_the_game(self):
        left = "Request.finish called on a request after its connection was lost"
        begins = "\tTraceback (most recent call last):\n"
        proxy = '\t  File "/lib/twisted/web/proxy.py", line 82, in end\n\t    finish()\n'
        own = '\t  File "/lib/ours/views.py", line 82, in end\n\t    finish()\n'
        self.write_log("portal", f"on\n{begins}{proxy}\tRuntimeError: {left}; use it\n")
        self.assertEqual(self.game.tracebacks(), [])
        self.write_log("portal", f"{begins}{own}\tRuntimeError: {left}\n")
        self.assertEqual(len(self.game.tracebacks()), 1)
        self.write_log("portal", f"{begins}{own}\tE: x\n{begins}{proxy}\tRuntimeError: {left}\n")
        self.assertEqual(len(self.game.tracebacks()), 1)

    def test_a_program_that_does_not_stop_by_itself_is_killed(self):
        pidfile = f"--pidfile={self.game.directory}/server/server.pid"
        lines = "import time; print('on', flush=True); time.sleep(60)"
        program = subprocess.Popen([sys.executable, "-c", lines, pidfile], stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.kill)
        # From now on /proc has it under its own name.
        program.stdout.readline()
        with mock.patch("tests.scenarios.game.STOP_SECONDS", 0.3):
            self.game.close()
        self.assertEqual(program.wait(30), -9)
        self.assertFalse(self.game.directory.exists())
