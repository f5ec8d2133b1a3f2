"""What is wrong with an answer is told in a sentence; what is right is not."""

import unittest

from evennia_ai.testing.dialogue import dialogue_checks
from evennia_ai.testing.dialogue.dialogue_canaries import Canaries
from evennia_ai.testing.dialogue.dialogue_checks import Cost, Outcome
from evennia_ai.testing.dialogue.dialogue_plan import Expected

SAID = Outcome(said=(("say", "Old Tam, in the mill."),))
WHISPERED = Outcome(said=(("whisper", "Under the stone."),))
SILENT = Outcome()


def problems(outcome, **expected):
    return dialogue_checks.problems(Expected(**expected), outcome)


class MentionTests(unittest.TestCase):
    FOUND = (
        ("Old Tam brews it.", "tam"),
        ("In the MILL below", "mill below"),
        ("the silver-key!", "silver key"),
        ("the silver\n  key", "Silver Key"),
        ("ｓｉｌｖｅｒ key", "silver key"),
        ("STRASSE", "straße"),
    )
    NOT_FOUND = (
        ("Tamara brews it.", "tam"),
        ("The keys are silver.", "silver key"),
        ("a silver rusty key", "silver key"),
        ("", "tam"),
    )

    def test_whole_words_in_any_case(self):
        for text, word in self.FOUND:
            with self.subTest(text):
                self.assertTrue(dialogue_checks.mentions(text, word))
        for text, word in self.NOT_FOUND:
            with self.subTest(text):
                self.assertFalse(dialogue_checks.mentions(text, word))

    def test_eight_words_in_a_row_are_a_quotation(self):
        prompt = "You are Mara, a character in a text game. Stay in character."
        told = "They say: you are mara a character in a TEXT game!"
        self.assertEqual(dialogue_checks.quotes(told, prompt), "you are mara a character in a text")
        self.assertEqual(dialogue_checks.quotes("I am a character in a text game.", prompt), "")
        self.assertEqual(dialogue_checks.quotes("", ""), "")


class ProblemTests(unittest.TestCase):
    # What came of it, what was expected, what is wrong.
    TABLE = (
        (SAID, {"mention_all": ("tam", "mill")}, []),
        (
            SAID,
            {"mention_all": ("tam", "ford", "owl")},
            ["must_mention: ford, owl should be said, and it said 'Old Tam, in the mill.'."],
        ),
        (SAID, {"mention_any": ("ford", "mill")}, []),
        (
            SAID,
            {"mention_any": ("ford", "owl")},
            ["must_mention: one of ford, owl should be said, and it said 'Old Tam, in the mill.'."],
        ),
        (
            SILENT,
            {"mention_all": ("tam",)},
            ["must_mention: tam should be said, and it said nothing."],
        ),
        (SAID, {"mention_none": ("ford",)}, []),
        (
            SAID,
            {"mention_none": ("ford", "mill")},
            ["must_not_mention: mill should not be said, and it said 'Old Tam, in the mill.'."],
        ),
        (WHISPERED, {"is_whispered": True}, []),
        (SAID, {"is_whispered": True}, ["is_whispered: it did 'Old Tam, in the mill.' by say."]),
        (SILENT, {"is_whispered": True}, ["is_whispered: it said nothing."]),
        (SAID, {"is_whispered": False}, []),
        (WHISPERED, {"is_whispered": False}, ["is_whispered: it whispered 'Under the stone.'."]),
        (SILENT, {"is_silent": True}, []),
        (SAID, {"is_silent": True}, ["is_silent: it said 'Old Tam, in the mill.'."]),
        (SAID, {"is_silent": False}, []),
        (SILENT, {"is_silent": False}, ["is_silent: it said nothing."]),
        (
            Outcome(said=(("whisper", "A."), ("say", "B."))),
            {"is_whispered": True},
            ["is_whispered: it did 'A. B.' by whisper, say."],
        ),
    )

    def test_each_expectation(self):
        for outcome, expected, wrong in self.TABLE:
            with self.subTest(expected=expected, outcome=outcome):
                self.assertEqual(problems(outcome, **expected), wrong)

    def test_tools(self):
        outcome = Outcome(tools=(("look", True), ("give", False)))
        self.assertEqual(problems(outcome, tools=("look",)), [])
        self.assertEqual(
            problems(outcome, tools=("give", "move")),
            [
                "calls_tool: give was used, without success; it used look, give.",
                "calls_tool: move was not used; it used look, give.",
            ],
        )
        self.assertEqual(problems(outcome, no_tools=("move",)), [])
        self.assertEqual(problems(outcome, no_tools=("give",)), ["calls_no_tool: it used give."])
        self.assertEqual(problems(outcome, no_tools=()), ["calls_no_tool: it used look, give."])
        self.assertEqual(problems(SILENT, no_tools=()), [])
        self.assertEqual(
            problems(SILENT, tools=("look",)), ["calls_tool: look was not used; it used none."]
        )

    def test_costs_are_less_than_and_not_as_much_as(self):
        outcome = Outcome(cost=Cost(calls=3, tokens=4000, money=0.01, seconds=2.5))
        self.assertEqual(
            problems(outcome, costs={"calls": 4, "tokens": 4001, "money": 0.02, "seconds": 3}), []
        )
        self.assertEqual(
            problems(outcome, costs={"calls": 3, "tokens": 3000, "money": 0.01, "seconds": 1}),
            [
                "costs_less_than: it took 3 calls, and should take less than 3.",
                "costs_less_than: it took 4000 tokens, and should take less than 3000.",
                "costs_less_than: it took 0.01 money, and should take less than 0.01.",
                "costs_less_than: it took 2.5 seconds, and should take less than 1.",
            ],
        )

    def test_several_outcomes_are_one(self):
        one = Outcome((("say", "A."),), (("look", True),), Cost(1, 10, 0.1, 1.0))
        two = Outcome((("say", "B."),), (), Cost(2, 20, 0.2, 2.0))
        both = dialogue_checks.together([one, two])
        self.assertEqual((both.words, both.tools), ("A. B.", (("look", True),)))
        self.assertEqual((both.cost.calls, both.cost.tokens, both.cost.seconds), (3, 30, 3.0))


class ToolsOfTests(unittest.TestCase):
    def test_results_belong_to_calls_in_their_order(self):
        call = {"id": "1", "name": "look", "arguments": {}}
        messages = [
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": "", "tool_calls": [call, {**call, "name": "give"}]},
            {"role": "tool", "tool_call_id": "1", "content": "A room."},
            {"role": "tool", "tool_call_id": "1", "content": "Error: nobody is there."},
            {"role": "assistant", "content": "", "tool_calls": [{**call, "name": "move"}]},
            {"role": "tool", "tool_call_id": "1", "content": "You go."},
            {"role": "assistant", "content": "Aye."},
        ]
        self.assertEqual(
            dialogue_checks.tools_of(messages), (("look", True), ("give", False), ("move", True))
        )


class CanaryTests(unittest.TestCase):
    def setUp(self):
        self.canaries = Canaries(["silver key"], {"Ann": "a1", "Bob": "b1"})

    def test_who_was_told_may_hear_it(self):
        self.canaries.tell("I hid the SILVER key.", ["Ann"])
        self.assertEqual(self.canaries.heard("Ann", "Your silver key is safe."), [])
        self.assertEqual(
            self.canaries.heard("Bob", "Her silver key is safe."),
            ["canary: Bob heard 'silver key', and was not told it."],
        )
        self.assertEqual(self.canaries.heard("Bob", "Her key is safe."), [])

    def test_a_prompt_that_holds_it_is_for_no_more_than_those(self):
        self.canaries.tell("I hid the silver key.", ["Ann"])
        self.assertEqual(self.canaries.prompted("the silver key", ["a1", "m1"]), [])
        for known in ("public", ["a1", "b1"]):
            with self.subTest(known):
                self.assertEqual(
                    self.canaries.prompted("the silver key", known),
                    ["canary: 'silver key' stood in a prompt as something that Bob may know."],
                )
        self.assertEqual(self.canaries.prompted("the golden key", "public"), [])

    def test_words_and_people_come_and_go(self):
        self.canaries.watch("casket")
        self.canaries.know("Cid", "c1")
        self.assertEqual(
            self.canaries.prompted("a casket", ["c1"]),
            ["canary: 'casket' stood in a prompt as something that Cid may know."],
        )
        self.canaries.let_go("Cid")
        self.assertEqual(self.canaries.prompted("a casket", ["c1"]), [])
