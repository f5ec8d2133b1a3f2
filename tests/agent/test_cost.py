"""What a turn asks of the database: counts, which are the same on every machine."""

import re
import sys
from copy import deepcopy
from unittest.mock import patch

from django.db import connection
from django.test.utils import CaptureQueriesContext

from evennia_ai import conf
from evennia_ai.experience import base as experience
from evennia_ai.llm import base
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from tests.agent.cases import MindTestCase, words

# What begins and ends a transaction; in a test it is a savepoint.
FRAMES = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")


class CostTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm(
            "Good day to you.",
            "It is a fine day.",
            "The mill stands by the river.",
            "It rained yesterday.",
            "Snow is to come.",
        )
        # With its budget, its ledger and whatever else the settings wrap around a model.
        wrapped = self.mind
        for path in conf.get("LLM_WRAPPERS"):
            wrapped = conf.load(path)(wrapped, alias="default")
        base.install("default", wrapped)
        # Whoever comes into a game looks around before they say anything.
        self.char1.execute_cmd("look")
        self.char2.execute_cmd("look")
        self.say(self.char1, "Mara, good day, the lake is frozen")
        self.say(self.char1, "Mara, is it not a fine day?")

    def say(self, who, line):
        """Let somebody speak to Mara and wait for the answer; return what the database was asked."""
        with CaptureQueriesContext(connection) as queries:
            self.do(who, f"say {line}", wait=1.5)
        return [one["sql"] for one in queries.captured_queries]

    def test_a_turn_with_somebody_known_asks_ten_questions_at_most(self):
        asked = self.say(self.char1, "Mara, my brother Odo sells red apples at the mill")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "The mill stands by the river."')
        statements = [one for one in asked if not one.startswith(FRAMES)]
        self.assertLessEqual(len(statements), 10, "\n".join(statements))

    def test_which_tools_are_offered_is_worked_out_once_for_a_prompt_and_its_request(self):
        with patch.object(registry, "shown", wraps=registry.shown) as shown:
            self.say(self.char1, "Mara, is the mill far from here?")
        self.assertEqual((shown.call_count, len(self.mind.requests)), (1, 3))

    def test_what_is_heard_is_one_transaction_and_so_is_each_part_of_the_answer(self):
        asked = self.say(self.char1, "Mara, my brother Odo sells red apples at the mill")
        outermost = [one for one in asked if one.startswith("SAVEPOINT")]
        self.assertLessEqual(len(outermost), 8, "\n".join(asked))

    def test_a_first_meeting_asks_twenty_questions_at_most(self):
        asked = self.say(self.char2, "Mara, I am new here and I come from the northern hills")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "The mill stands by the river."')
        statements = [one for one in asked if not one.startswith(FRAMES)]
        self.assertLessEqual(len(statements), 20, "\n".join(statements))

    def test_a_turn_reads_of_its_experience_only_what_it_did_last(self):
        asked = []
        connection = experience._memory("default").file.connection
        connection.set_trace_callback(asked.append)
        self.addCleanup(connection.set_trace_callback, None)
        self.say(self.char1, "Mara, my brother Odo sells red apples at the mill")
        read = [one for one in asked if one.startswith(("SELECT n,", "PRAGMA"))]
        self.assertEqual(read[0], "PRAGMA data_version")
        self.assertRegex(read[1], "FROM decisions WHERE .* AND n > 1 ")
        # Nothing that it did was an example. Then the last was rewarded, and of what it does now
        # it is asked what is to be expected: of what is new since.
        self.assertRegex(read[2], "SELECT n, id, audience, data .* AND id = ")
        self.assertRegex(read[3], "FROM decisions WHERE .* AND n = 2")
        self.assertEqual(read[4], "PRAGMA data_version")
        self.assertEqual(len(read), 5)

    def test_a_turn_copies_nothing_deeply_and_compiles_no_expression(self):
        watched = {deepcopy.__code__: "deepcopy", re._compiler.compile.__code__: "re.compile"}
        called = []

        def note(frame, event, argument):
            if event == "call" and frame.f_code in watched:
                called.append((watched[frame.f_code], frame.f_back.f_code.co_filename))

        # Once more, so that what is compiled once for all has been.
        self.say(self.char1, "Mara, my sister Ida paints boats by the river")
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            self.say(self.char1, "Mara, my brother Odo sells red apples at the mill")
        finally:
            sys.setprofile(before)
        self.assertEqual(called, [])
