"""What players, staff and the books see of a model that fails in every way that is known."""

import sys
from dataclasses import dataclass
from unittest import mock

from django.test import tag
from twisted.logger import capturedLogs

from evennia_ai.commands.cmdsets import AssistantCmdSet
from evennia_ai.llm import ledger
from evennia_ai.llm.wrappers import breaker
from evennia_ai.testing import minds
from tests import ledger_rows
from tests import model_steps as steps
from tests.llm import bad_steps, logs
from tests.model_server import ModelServer
from tests.scenarios import model_cases
from tests.scenarios.model_cases import DEADLINE, DELAY, EXCUSE, KEY, ModelTestCase

QUESTION = "Mara, who brews the ale?"
GOOD = "Old Tam does, behind the mill."

# Seconds beyond the deadline: the last look at the clock, and a busy machine.
SLACK = 3.0


def setUpModule():
    model_cases.import_client()


def nowhere():
    """Return the address of a server that is there no more."""
    with ModelServer() as gone:
        return gone.base_url


@dataclass
class Row:
    """One fault: what the server does, and what comes of it.

    `cause` is what staff read (none where an answer came all the same), `outcomes` are those of the
    ledger, one for each request, `failures` what the breaker counts, `back` what the model reads
    of its own mistake.
    """

    name: str
    script: tuple
    cause: str
    outcomes: tuple
    failures: int = 1
    said: str = EXCUSE
    back: str = ""


def fault(name, *script, cause, outcomes):
    """Return the row of a fault after which no answer comes."""
    return Row(name, script, cause, outcomes)


def survived(name, *script, outcomes=("ok",), back=""):
    """Return the row of a fault in spite of which an answer comes."""
    return Row(name, script, "", outcomes, failures=0, said=GOOD, back=back)


GONE, BAD = "LLMUnavailable", "LLMBadReply"
# Two faults in a row, for those where it is tried again.
TABLE = (
    fault(
        "connection refused",
        cause="LLMUnavailable: scripted cannot be reached: ConnectError",
        outcomes=(GONE, GONE),
    ),
    fault(
        "401 that quotes the key",
        steps.status(401, f"Incorrect API key provided: {KEY}"),
        cause="LLMAuthError: scripted does not accept the API key: 401",
        outcomes=("LLMAuthError",),
    ),
    fault(
        "404 model",
        steps.status(404, "The model `scripted` does not exist"),
        cause="LLMRefused: scripted: no such model, or a wrong base_url: 404",
        outcomes=("LLMRefused",),
    ),
    fault(
        "429, to ask again when the turn is over",
        steps.status(429, retry_after="20"),
        cause="LLMUnavailable: scripted is not available: 429",
        outcomes=(GONE,),
    ),
    survived(
        "429, to ask again at once",
        steps.status(429, retry_after_ms="100"),
        steps.text(GOOD),
        outcomes=(GONE, "ok"),
    ),
    fault(
        "500",
        steps.status(500),
        steps.status(500),
        cause="LLMUnavailable: scripted is not available: 500",
        outcomes=(GONE, GONE),
    ),
    fault(
        "hang",
        bad_steps.hang(),
        cause="LLMTimeout: scripted did not answer within 3 seconds",
        outcomes=("LLMTimeout",),
    ),
    fault(
        "a byte a second",
        bad_steps.drip(interval=1.0),
        cause="LLMTimeout: scripted did not answer within 3 seconds",
        outcomes=("LLMTimeout",),
    ),
    fault(
        "dropped connection",
        bad_steps.drop(),
        bad_steps.drop(),
        cause="LLMUnavailable: scripted cannot be reached",
        outcomes=(GONE, GONE),
    ),
    fault(
        "HTML",
        bad_steps.html(),
        bad_steps.html(),
        cause="LLMBadReply: the answer is not JSON; does base_url end in /v1?",
        outcomes=(BAD, BAD),
    ),
    fault(
        "empty body",
        bad_steps.empty(),
        bad_steps.empty(),
        cause="LLMBadReply: the answer is not JSON",
        outcomes=(BAD, BAD),
    ),
    fault(
        "an error with status 200",
        bad_steps.error_in_200(),
        bad_steps.error_in_200(),
        cause="LLMUnavailable: an error came as an answer",
        outcomes=(GONE, GONE),
    ),
    fault(
        "choices: null",
        bad_steps.no_choices(),
        bad_steps.no_choices(),
        cause="LLMBadReply: the answer has no choices",
        outcomes=(BAD, BAD),
    ),
    fault(
        "10 MB",
        bad_steps.huge(),
        bad_steps.huge(),
        cause="LLMBadReply: the answer is larger than 1000000 bytes",
        outcomes=(BAD, BAD),
    ),
    survived("tool arguments as an object", steps.tools(("say", steps.raw({"words": GOOD})))),
    survived(
        "tool arguments that nobody can read",
        steps.tools(("say", "Old Tam")),
        steps.tools(("say", {"words": GOOD})),
        outcomes=("ok", "ok"),
        back="Error: The arguments are not a JSON object (7 characters).",
    ),
    survived("tool arguments that can be mended", steps.tools(("say", "{words: '%s'" % GOOD))),
    survived(
        "unknown tool",
        steps.tools(("shout", {"words": GOOD})),
        steps.text(GOOD),
        outcomes=("ok", "ok"),
        back='Error: There is no tool "shout"',
    ),
    survived("no usage", steps.message(content=GOOD, usage=False)),
)


@tag("scenario")
class FaultTableTests(ModelTestCase):
    def test_whatever_the_model_does_mara_answers_in_time_and_staff_know_why(self):
        for row in TABLE:
            options = {} if row.script else {"base_url": nowhere()}
            with (
                self.subTest(row.name),
                self.mara() as mara,
                self.model(row.script, **options) as server,
            ):
                self.play(row, mara, server)

    def play(self, row, mara, server):
        with capturedLogs() as captured:
            self.say(QUESTION)
            spoken, took = self.wait_for_answer()
            ledger.flush()
        self.check_room(row, spoken, took)
        self.check_memory(mara)
        self.check_staff(row, mara, captured)
        state = breaker.states()["default"]
        self.assertEqual((state["state"], state["failures"]), ("closed", row.failures))
        self.check_books(row, mara, server)

    def check_room(self, row, spoken, took):
        self.assertEqual(spoken, [f'Mara says, "{row.said}"'])
        self.assertGreater(took, DELAY)
        self.assertLess(took, DELAY + DEADLINE + SLACK)
        # Players never see why.
        self.assertEqual([kind for kind, _ in self.heard], ["say", "say"])

    def check_memory(self, mara):
        self.assertEqual(self.kept_lines(mara), [QUESTION])
        self.assertEqual(self.pending(mara), [])

    def check_staff(self, row, mara, captured):
        told = logs.lines(captured)
        begin = f"evennia_ai: Mara(#{mara.id}): no answer: {row.cause}"
        self.assertEqual([line[: len(begin)] for line in told], [begin] if row.cause else [])
        self.assertNotIn(KEY, str(captured))

    def check_books(self, row, mara, server):
        entries = ledger_rows.recent(mara.id)
        self.assertEqual(tuple(entry["outcome"] for entry in reversed(entries)), row.outcomes)
        for entry in entries:
            self.assertEqual(entry["error"] == "", entry["outcome"] == "ok")
            self.assertNotIn(KEY, str(entry))
        if row.script:
            # Each request is one row, and none was made that the table does not know.
            self.assertEqual(len(server.requests), len(row.outcomes))
        if row.back:
            last = server.requests[-1].body["messages"][-1]
            self.assertEqual((last["role"], last["content"][: len(row.back)]), ("tool", row.back))

    def test_a_client_that_is_not_installed_is_named_to_staff(self):
        absent = mock.patch.dict(sys.modules, {"openai": None})
        with self.mara(), self.model([]), capturedLogs() as captured, absent:
            self.say(QUESTION)
            self.assertEqual(self.wait_for_answer()[0], [f'Mara says, "{EXCUSE}"'])
        [told] = logs.lines(captured)
        self.assertIn("LLMRefused: the client of scripted is not installed: ", told)
        self.assertIn("openai", told)

    def test_without_the_repair_broken_arguments_go_back_to_the_model(self):
        script = [steps.tools(("say", "{words: 'Aye'")), steps.text(GOOD)]
        absent = mock.patch.dict(sys.modules, {"json_repair": None})
        with self.mara(), self.model(script) as server, absent:
            self.say(QUESTION)
            self.assertEqual(self.wait_for_answer()[0], [f'Mara says, "{GOOD}"'])
        result = server.requests[-1].body["messages"][-1]
        self.assertEqual(
            result["content"], "Error: The arguments are not a JSON object (13 characters)."
        )


class DegradedTests(ModelTestCase):
    """A model that is down for a while: the offline mind answers until it is back."""

    def setUp(self):
        super().setUp()
        self.char1.cmdset.add(AssistantCmdSet)
        self.faults, self.reply = True, GOOD

    def answer(self, body):
        return steps.status(503) if self.faults else steps.text(self.reply)

    def ask(self, words=QUESTION):
        self.say(words)
        return self.wait_for_answer()[0]

    def status(self):
        del self.heard[:]
        self.char1.execute_cmd("@assistant Mara")
        return "\n".join(text for _, text in self.heard)

    def down(self, server):
        """Let the model fail five times; forget what was asked."""
        self.assertEqual([self.ask() for _ in range(5)], [[f'Mara says, "{EXCUSE}"']] * 5)
        server.requests.clear()

    def test_after_five_failures_the_offline_mind_answers_until_the_model_is_back(self):
        with self.mara(), self.model(self.answer) as server, capturedLogs() as captured:
            self.assertIn("model scripted", self.status())
            self.down(server)
            self.assertEqual(breaker.states()["default"]["state"], "open")
            self.assertIn("degraded: model scripted fails", self.status())
            # From the lore, and without a request.
            self.assertEqual(
                self.ask(), ['Mara says, "The ale is brewed by old Tam behind the mill."']
            )
            self.assertEqual(len(server.requests), 0)
            self.faults = False
            minds.pass_time(self.clock, 30)
            self.assertEqual(breaker.states()["default"]["state"], "half-open")
            self.assertEqual(self.ask(), [f'Mara says, "{GOOD}"'])
            self.assertEqual(len(server.requests), 1)
            self.assertEqual(breaker.states()["default"]["state"], "closed")
            self.assertNotIn("degraded", self.status())
        told = [line for line in logs.lines(captured) if "no answer" not in line]
        self.assertEqual(len(told), 2, told)
        self.assertIn("the model 'default' failed 5 times in a row", told[0])
        self.assertEqual(told[1], "evennia_ai: the model 'default' answers again.")

    def test_a_trial_that_fails_leaves_it_alone_for_as_long_again(self):
        with self.mara(), self.model(self.answer) as server:
            self.down(server)
            minds.pass_time(self.clock, 30)
            # The trial is a whole call, with its second attempt.
            self.assertEqual(self.ask(), [f'Mara says, "{EXCUSE}"'])
            self.assertEqual(len(server.requests), 2)
            minds.pass_time(self.clock, 15)
            self.assertNotEqual(self.ask(), [f'Mara says, "{EXCUSE}"'])
            self.assertEqual(len(server.requests), 2)
            self.assertEqual(breaker.states()["default"]["state"], "open")
