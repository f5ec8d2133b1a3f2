"""What a worker does with an answer that the database does not take."""

import asyncio
import contextlib
import unittest
from importlib.util import find_spec
from types import SimpleNamespace
from unittest import SkipTest, mock

from evennia_ai.workers import worker


class FullDisk:
    """A pool of connections of which the first tries find the disk full."""

    def __init__(self, tries):
        self.tries = tries

    @contextlib.asynccontextmanager
    async def connection(self):
        import psycopg

        self.tries -= 1
        if self.tries >= 0:
            raise psycopg.errors.DiskFull("could not extend file")
        yield "a connection"


class LetGo:
    """A queue that is closed after some looks at it, as that of a worker that stops."""

    def __init__(self, pool, looks):
        self._pool, self._looks = pool, looks

    @property
    def pool(self):
        import procrastinate.exceptions

        self._looks -= 1
        if self._looks < 0:
            raise procrastinate.exceptions.AppNotOpen
        return self._pool


class StoredTests(unittest.TestCase):
    def setUp(self):
        if find_spec("procrastinate") is None:
            raise SkipTest("needs procrastinate")
        self.enterContext(mock.patch.object(worker, "AGAIN_SECONDS", 0.0))

    def store(self, connector):
        async def use(connection):
            return f"kept by {connection}"

        working = worker.Worker.__new__(worker.Worker)
        return asyncio.run(working._stored(SimpleNamespace(connector=connector), use))

    def test_an_answer_is_kept_however_long_the_disk_is_full_and_the_log_says_once_that_it_waits(
        self,
    ):
        told = []
        self.enterContext(mock.patch.object(worker.logger, "log_warn", told.append))
        self.assertEqual(self.store(SimpleNamespace(pool=FullDisk(500))), "kept by a connection")
        waits = "evennia_ai: a worker waits for the database (could not extend file)."
        self.assertEqual(told, [waits])

    def test_a_worker_that_has_let_go_of_the_queue_waits_for_nothing(self):
        import procrastinate.exceptions

        with self.assertRaises(procrastinate.exceptions.AppNotOpen):
            self.store(LetGo(FullDisk(500), looks=3))
