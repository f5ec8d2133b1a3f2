"""An NPC on its way through a real server, which is reloaded, stopped, and killed by kill -9 meanwhile."""

import time
import unittest

from django.test import tag

from tests.benchmarks.link import MeasuredGame

ROOMS = 40
# Seconds within which somebody who walks has gone some rooms.
PATIENCE = 60.0
MIND = {
    "LLM": {"default": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}},
    "TICK_RATE": 1,
}


@tag("scenario")
class KillTests(unittest.TestCase):
    def test_it_arrives_whatever_happens_to_the_server_and_takes_no_step_twice(self):
        with MeasuredGame(
            constants={"evennia_ai.memory.routine.JITTER": 0}, EVENNIA_AI=MIND
        ) as game:
            game.call("inside_walk.build", rooms=ROOMS)
            self.walk(game, 4)
            game.fresh_server()
            self.walk(game, 4)
            for _ in range(2):
                game.start_anew(crash=True)
                self.walk(game, 4)
            game.start_anew()
            self.walk(game, 4)
            bodies, rooms, state = self.walk(game, ROOMS)
            self.assertEqual((bodies, state), ([ROOMS - 1], "there"))
            # The step during which it was killed may have been noted or not.
            missing = sorted(set(range(ROOMS)) - set(rooms))
            self.assertEqual(rooms, sorted(set(rooms)))
            self.assertLessEqual(len(missing), 2, missing)
            self.assertEqual(game.tracebacks(), [])
            self.assertFalse(game.said("finds no way"))

    def walk(self, game, count):
        """Wait until it has gone on by so many rooms, or has arrived; return what is there then."""
        bodies, rooms, state = self.look(game)
        goal, until = bodies[0] + count, time.monotonic() + PATIENCE
        while bodies[0] < goal and state != "there":
            self.assertLess(time.monotonic(), until, f"it stays at {bodies[0]}, {state}")
            time.sleep(0.2)
            bodies, rooms, state = self.look(game)
        return bodies, rooms, state

    def look(self, game):
        bodies, rooms, state = game.call("inside_walk.look")
        self.assertEqual(len(bodies), 1)
        return bodies, rooms, state
