"""An NPC that carries letters through a real server, which dies of kill -9 at any moment of walk and giving."""

import random
import time
import unittest

from django.test import tag

from tests.benchmarks.link import MeasuredGame

ROOMS, LETTERS, SEED = 4, 8, 19
# Seconds within which one letter is brought.
PATIENCE = 90.0
MIND = {
    "LLM": {"default": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}},
    "TICK_RATE": 1,
}


@tag("scenario")
class KillTests(unittest.TestCase):
    def test_each_letter_is_brought_once_whenever_the_server_dies(self):
        chance = random.Random(SEED)
        with MeasuredGame(EVENNIA_AI=MIND) as game:
            game.call("inside_errand.build", rooms=ROOMS)
            for number in range(LETTERS):
                game.call("inside_errand.send", number=number)
                time.sleep(chance.uniform(0.0, ROOMS + 1.0))
                game.start_anew(crash=True)
                self.wait(game, number)
            holders, _, goals = game.call("inside_errand.look")
            brought = [[f"letter {number}", "Bertil"] for number in range(LETTERS)]
            self.assertEqual(holders, brought)
            self.assertEqual({status for _, status, _, _ in goals}, {"done"})
            given = [[one for one in reached if "gave" in one] for *_, reached in goals]
            self.assertEqual([len(one) for one in given], [1] * LETTERS)
            self.assertEqual(game.tracebacks(), [])

    def wait(self, game, number):
        """Wait until all is brought and told, and she is back."""
        until = time.monotonic() + PATIENCE
        while True:
            holders, place, goals = game.call("inside_errand.look")
            self.assertEqual(len(holders), number + 1)
            if place == "Step 0" and all(status != "open" for _, status, _, _ in goals):
                return
            self.assertLess(time.monotonic(), until, f"{holders} {place} {goals}")
            time.sleep(0.3)
