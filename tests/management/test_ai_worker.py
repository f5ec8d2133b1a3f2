"""How a worker steps back before the game."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from evennia_ai.management.commands import ai_worker


def step_back():
    """Step back once more; return the niceness of this process."""
    ai_worker._step_back()
    return os.getpriority(os.PRIO_PROCESS, 0)


class NicenessTests(unittest.TestCase):
    def test_a_worker_that_starts_anew_steps_back_no_further(self):
        usual = max(10, os.getpriority(os.PRIO_PROCESS, 0))
        with tempfile.TemporaryDirectory() as folder:
            self.enterContext(mock.patch.object(ai_worker, "SESSION", Path(folder) / "autogroup"))
            # A process cannot take it back, hence a child.
            child = os.fork()
            if not child:
                os._exit([step_back(), step_back()] != [usual, usual])
            _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
