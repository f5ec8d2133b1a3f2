"""The day's budget in Postgres: many who ask at once fill a cap and never pass it."""

import importlib.util
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import SkipTest

from django.test import tag

from evennia_ai.llm.wrappers import budget
from tests.semantic import postgres_server

MISSING = "needs the wheel pgserver and procrastinate"
# Of 4 x 200 calls of 100 tokens, 300 fit.
ASKERS, CALLS, TOKENS, CAP = 4, 200, 100, 30_000
MADE = "INSERT INTO evennia_ai_budget (scope, day, tokens, money, warned) VALUES (%s, '2026-01-02', 0, 0, 0)"


@tag("scenario")
class BudgetRowsTests(unittest.TestCase):
    def test_askers_at_once_fill_the_cap_and_nobody_pays_where_another_scope_refuses(self):
        if not (postgres_server.is_there() and importlib.util.find_spec("procrastinate")):
            raise SkipTest(MISSING)
        from tests.workers.town import Town

        town = Town()
        self.addCleanup(town.close)
        town.query(MADE, "server")
        for number in range(ASKERS):
            town.query(MADE, f"assistant:{number}")
        with ThreadPoolExecutor(ASKERS) as askers:
            reserved = list(askers.map(lambda number: self.ask(town, number), range(ASKERS)))
        rows = dict(town.query("SELECT scope, tokens FROM evennia_ai_budget"))
        own = [rows[f"assistant:{number}"] for number in range(ASKERS)]
        self.assertEqual(rows["server"], CAP)
        self.assertEqual(own, [count * TOKENS for count in reserved])
        self.assertEqual(sum(own), CAP)
        # Neither stood by while the others spent everything.
        self.assertGreater(min(own), 0)

    def ask(self, town, number):
        """Reserve so often; return how often it was given."""
        import psycopg

        statement = budget._ADD.format(
            table="evennia_ai_budget", rows=" OR ".join([budget._ROW] * 2), lock=" FOR UPDATE"
        )
        rows = ["server", CAP - TOKENS, 0, f"assistant:{number}", CAP, 0]
        given = 0
        with psycopg.connect(**town.values, autocommit=True) as connection:
            for _ in range(CALLS):
                values = [TOKENS, TOKENS, 0, 0, "2026-01-02", *rows, 2]
                given += connection.execute(statement, values).rowcount == 2
        return given
