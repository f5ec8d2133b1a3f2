"""A database that restarts under a game: nobody waits for it, and it is connected anew."""

import queue
import threading
import time
import unittest
from unittest import SkipTest, mock

from django.db import (
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    transaction,
)
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.utils import ConnectionHandler
from django.test import tag
from twisted.internet import reactor

from evennia_ai.core import volatile
from evennia_ai.workers import database
from tests.semantic import postgres_server

SECONDS = 60


class AnsweringTests(unittest.TestCase):
    def test_whatever_is_open_and_usable_is_left_as_it_is(self):
        for opened, usable, is_lost in (
            ("a socket", True, False),
            ("a socket", False, True),
            (None, True, True),
        ):
            with self.subTest(opened=opened, usable=usable):
                self.addCleanup(volatile.forget_all)
                known = mock.Mock(alias="default", connection=opened, in_atomic_block=False)
                known.is_usable.return_value = usable
                opening = mock.patch.object(database.loop_thread.DaemonThreads, "submit")
                with opening, mock.patch.object(database, "connections") as all_known:
                    all_known.all.return_value = [known]
                    self.assertEqual(database.mend(), is_lost)
                volatile.forget_all()


class OpeningTests(unittest.TestCase):
    def test_a_database_that_can_only_be_read_is_connected_to(self):
        for error in (InternalError("in a read-only transaction"), ProgrammingError("no table")):
            with (
                self.subTest(error),
                mock.patch.object(database.whole_minds, "warm_up", side_effect=error),
                mock.patch.object(database, "connections") as known,
            ):
                made = database._open("default")
                self.assertIs(made, known.create_connection.return_value)


@tag("scenario")
class RestartTests(unittest.TestCase):
    def setUp(self):
        if not postgres_server.is_there():
            raise SkipTest(postgres_server.MISSING)
        self.server = postgres_server.PostgresServer()
        self.addCleanup(self.server.close)
        values = {"ENGINE": "django.db.backends.postgresql", "USER": "postgres", "NAME": "postgres"}
        self.known = ConnectionHandler({"default": {**values, "HOST": str(self.server.folder)}})
        self.addCleanup(lambda: self.known["default"].close())
        self.enterContext(mock.patch.object(database, "connections", self.known))
        self.handed = queue.Queue()
        hand_over = mock.patch.object(
            reactor, "callFromThread", lambda soon, *call: self.handed.put(call), create=True
        )
        self.enterContext(hand_over)
        self.addCleanup(volatile.forget_all)

    def ask(self):
        with self.known["default"].cursor() as cursor:
            cursor.execute("SELECT 1")
            return cursor.fetchone()

    def test_statements_fail_at_once_until_a_thread_has_connected_anew(self):
        self.assertEqual((self.ask(), database.mend()), ((1,), False))
        self.server.kill()
        for _ in range(2):
            begun = time.monotonic()
            with self.assertRaises((OperationalError, InterfaceError)):
                self.ask()
            # To whoever is told of it, in one tick after the other.
            self.assertTrue(database.mend())
            self.assertLess(time.monotonic() - begun, 0.2)
        self.assertTrue(self.handed.empty())
        self.server.start()
        replace, *given = self.handed.get(timeout=SECONDS)
        replace(*given)
        self.assertEqual((self.ask(), database.mend()), ((1,), False))
        self.assertTrue(self.handed.empty())

    def test_also_where_django_dropped_the_connection_inside_of_a_transaction(self):
        connected = []
        connect = DatabaseWrapper.get_new_connection

        def noted(wrapper, parameters):
            connected.append(threading.current_thread() is threading.main_thread())
            return connect(wrapper, parameters)

        self.ask()
        database.guard()
        # On purpose, as Evennia does each seven hours.
        self.known["default"].close()
        self.assertEqual(self.ask(), (1,))
        self.enterContext(mock.patch.object(DatabaseWrapper, "get_new_connection", noted))
        # The second time over the connection that a thread has made.
        for _ in range(2):
            self.enterContext(mock.patch.object(transaction, "connections", self.known))
            with self.assertRaises(OperationalError), transaction.atomic():
                self.server.kill()
                self.ask()
            self.server.start()
            for _ in range(2):
                with self.assertRaisesRegex(OperationalError, "is lost"):
                    self.ask()
            replace, *given = self.handed.get(timeout=SECONDS)
            replace(*given)
            self.assertEqual(self.ask(), (1,))
        # Never in this thread, which would wait for a machine that is away.
        self.assertEqual(set(connected), {False})
        self.assertTrue(self.handed.empty())
