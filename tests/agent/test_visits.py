"""Whoever opted out, or is a guest, is in nothing that outlives their visit, whatever a model writes."""

from twisted.internet.defer import Deferred

from evennia_ai import tick
from evennia_ai.agent import answer, ingest, turns
from evennia_ai.llm.base import Completion, ToolCall
from evennia_ai.memory import journal
from evennia_ai.memory.people import accounts
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.scripts import AssistantScript
from tests.scenarios.test_forgetting import ForgettingTestCase

TOKEN = "zq00c0ffee"
# What a model writes into each argument that is text and names nobody.
WORDS = f"Char2 sleeps in the attic of {TOKEN}."
NAMES = ("entity_id", "target", "item", "exit", "who", "name")


def arguments_for(tool):
    """Return arguments with the words wherever a tool takes text."""
    given = {}
    for name, schema in tool.schema()["parameters"]["properties"].items():
        if "enum" in schema:
            given[name] = schema["enum"][0]
        elif schema["type"] == "string":
            given[name] = "Char" if name in NAMES else WORDS
        elif schema["type"] == "array":
            given[name] = [WORDS]
        elif name in tool.schema()["parameters"].get("required", ()):
            given[name] = 0.05 if schema["type"] == "number" else 60
    return given


class VisitTests(ForgettingTestCase):
    def setUp(self):
        super().setUp()
        self.configure(ALL_TOOLS=True, CONTEXT_TOKENS=20_000, MAX_STEPS=4)
        self.patch(answer, "SIMILARITY", 2)
        self.assertTrue(accounts.opt_out(self.char2))

    def use_all(self, speaker, words, *names):
        """Let somebody speak once for each tool (all of them), and Mara's model use it then."""
        tools = registry.all_tools()
        for name in names or tools:
            tool = tools[name]
            call = ToolCall(f"1-{name}", name, arguments_for(tool))
            minds.script_llm(Completion(tool_calls=(call,)), "I see.", repeat=True)
            self.do(speaker, f"say Mara, {words}", wait=4)

    def leave(self):
        self.account2.unpuppet_object(self.session2)
        self.char2.location = None
        self.wait(1)
        for _ in range(3):
            tick.run_tick(self.script_of_mara)
            self.wait(1)

    def kept(self):
        """Return where the words are; bytes of what is deleted are the business of forgetting."""
        return {place for place in self.found(TOKEN) if not place.startswith("bytes")}

    def test_no_tool_keeps_what_is_made_of_their_words(self):
        self.use_all(self.char2, WORDS)
        self.leave()
        self.assertEqual(self.kept(), set())

    def test_nor_in_a_turn_with_somebody_else_while_they_are_there(self):
        minds.script_llm("I see.", repeat=True)
        self.do(self.char2, f"say Mara, {WORDS}", wait=3)
        self.use_all(self.char1, "what do you think?")
        self.leave()
        self.assertEqual(self.kept(), set())

    def test_an_answer_that_comes_when_they_have_left_is_not_kept_either(self):
        for left in ("offline", "deleted"):
            with self.subTest(left):
                thinking = Deferred()
                call = ToolCall("1", "store_memory", {"content": WORDS})
                minds.script_llm(thinking, "I see.", repeat=True)
                self.do(self.char2, f"say Mara, {WORDS}", wait=2)
                self.leave()
                if left == "deleted":
                    self.char2.delete()
                thinking.callback(Completion(WORDS, tool_calls=(call,)))
                self.wait(3)
                tick.run_tick(self.script_of_mara)
                self.assertEqual(self.kept(), set())
                if left == "offline":
                    self.puppet(self.char2, self.account2, self.session2)
                    self.char2.location = self.room1

    def test_a_mind_that_is_switched_off_does_not_wait_for_them_to_leave(self):
        for switch_off in (AssistantScript.disable, lambda mind: scripts.detach(mind.obj)):
            with self.subTest(switch_off.__name__):
                self.script_of_mara.enable()
                minds.script_llm("I see.", repeat=True)
                self.do(self.char2, f"say Mara, {WORDS}", wait=2)
                turns.hold(self.script_of_mara.id)
                self.do(self.char2, f"say Mara, {WORDS} It is so.", wait=2)
                self.assertNotEqual(self.kept(), set())
                switch_off(self.script_of_mara)
                turns.release(self.script_of_mara.id)
                self.assertEqual(self.kept(), set())

    def test_a_note_to_a_rating_is_not_kept(self):
        minds.script_llm("I see.", repeat=True)
        self.do(self.char2, "say Mara, how are you?", wait=3)
        self.do(self.char2, f"rate Mara = 3 {WORDS}", wait=2)
        self.leave()
        self.assertEqual(self.kept(), set())

    def test_when_they_have_left_it_goes_on_as_before(self):
        self.do(self.char2, f"say Mara, {WORDS}", wait=3)
        self.leave()
        call = ToolCall("1", "store_memory", {"content": "Char sells salt."})
        minds.script_llm(Completion(tool_calls=(call,)), "I see.", repeat=True)
        self.do(self.char1, "say Mara, I sell salt.", wait=4)
        self.assertIn("memory.db3 table facts", self.found("Char sells salt"))

    def test_the_mind_is_told_why(self):
        call = ToolCall("1", "store_memory", {"content": WORDS})
        mind = minds.script_llm(Completion(tool_calls=(call,)), "I see.", repeat=True)
        self.do(self.char2, f"say Mara, {WORDS}", wait=4)
        self.assertIn("remembered for this visit only", str(mind.requests[-1].messages))

    def test_a_guest_is_a_visitor_too(self):
        self.assertTrue(accounts.opt_in(self.char2))
        self.account2.permissions.add("Guest")
        keeping = ("store_memory", "add_journal_entry", "update_entity_observation")
        self.use_all(self.char2, WORDS, *keeping, "add_pending_action", "add_goal")
        self.leave()
        self.assertEqual(self.kept(), set())
        self.assertEqual(journal.entries(self.mara), [])
        self.assertIsNone(ingest.forget_departed_guests(self.mara, self.script_of_mara))
