"""What a model wrote is read once: words, gestures, what one alone hears, calls, or nothing that can be used."""

import unittest

from evennia_ai.domain.model_text import spoken

LOOK = [("look", {"target": "Ann"})]
SHAPES = (
    '{"tool": "look", "arguments": {"target": "Ann"}}',
    '{"tool": "look", "target": "Ann"}',
    '{"name": "look", "arguments": {"target": "Ann"}}',
    '{"name": "look", "parameters": {"target": "Ann"}}',
    '{"name": "look", "arguments": "{\\"target\\": \\"Ann\\"}"}',
    '{"tool_name": "look", "input": {"target": "Ann"}}',
    '{"function": "look", "args": {"target": "Ann"}}',
    '{"function": {"name": "look", "arguments": {"target": "Ann"}}}',
    '{"type": "function", "function": {"name": "look", "arguments": {"target": "Ann"}}}',
    '{"tool_calls": [{"function": {"name": "look", "arguments": {"target": "Ann"}}}]}',
    '[{"tool": "look", "input": {"target": "Ann"}}]',
    '[{"name": "look", "arguments": {"target": "Ann"}}]',
    '<tool_call>\n{"name": "look", "arguments": {"target": "Ann"}}\n</tool_call>',
    '<tool_call>{"name": "look", "arguments": {"target": "Ann"}}',
    "<tool_call>{'name': 'look', 'arguments': {'target': 'Ann'}}</tool_call>",
    '<tool_calls>[{"name": "look", "arguments": {"target": "Ann"}}]</tool_calls>',
    '<tools>{"name": "look", "arguments": {"target": "Ann"}}</tools>',
    '<function_call>{"name": "look", "arguments": {"target": "Ann"}}</function_call>',
    '<|tool_call|>[{"name": "look", "arguments": {"target": "Ann"}}]',
    '<|python_tag|>{"name": "look", "parameters": {"target": "Ann"}}',
    '[TOOL_CALLS] [{"name": "look", "arguments": {"target": "Ann"}}]',
    '```json\n{"name": "look", "arguments": {"target": "Ann"}}\n```',
    '```tool_call\n{"name": "look", "arguments": {"target": "Ann"}}\n```',
    "{'tool': 'look', 'arguments': {'target': 'Ann'}}",
    "{tool: 'look', target: 'Ann',}",
    '<think>Who is there?</think>{"tool": "look", "target": "Ann"}',
)
# Calls that cannot be made whole, and data that is none.
BROKEN = (
    '{"tool": "look", "arguments": {"target": "An',
    "{'tool': 'look', 'target': 'Ann' I refuse.",
    '{"name": "look",',
    '{"tool": 3',
    "<tool_call>look</tool_call>",
    '<function=look>{"target": "Ann"}</function>',
    'Action: look\nAction Input: {"target": "Ann"}',
    'look(target="Ann")',
    "```tool_code\nlook()\n```",
    'I will not do "{"tool": "look", "target": "Ann"}" for you.',
    '{"tool": "look", "target": "Ann"} is what you want, and I refuse.',
    'Well.\n```json\n{"tool": "look", "target": "Ann"}\n```',
    '{"mood": "glad"}',
    '["Yes."]',
    'Good evening. {"mood": "glad"}',
)
ASKED = "Mara, who makes the beer you pour here?"
RULES = "You are Mara, a character in a text game. Answer in one to three short sentences."


def read(text, *, name="Mara", asked=(ASKED,), **how):
    scene = spoken.Scene(name=name, listeners=("Ann", "Bob"), asked=asked, instructions=RULES)
    return spoken.read(text, scene, **how)


def said(text, **how):
    return list(read(text, **how).parts)


class CallTests(unittest.TestCase):
    def test_a_text_that_is_a_call_is_one_where_tools_are_offered(self):
        for text in SHAPES:
            with self.subTest(text):
                found = read(text, tools=True)
                self.assertEqual((list(found.calls), found.parts, found.text), (LOOK, (), ""))

    def test_where_none_are_offered_it_is_neither_used_nor_said(self):
        for text in SHAPES:
            with self.subTest(text):
                found = read(text)
                self.assertEqual((found.calls, found.parts, found.text), ((), (), ""))
                self.assertEqual(found.broken, "it is a tool call or other data")

    def test_what_is_half_a_call_or_other_data_is_never_used_or_said(self):
        for text in BROKEN:
            for tools in (True, False):
                with self.subTest(text, tools=tools):
                    found = read(text, tools=tools)
                    self.assertEqual((found.calls, found.parts), ((), ()))
                    self.assertEqual(found.broken, "it is a tool call or other data")

    def test_a_call_that_stands_in_what_it_was_shown_is_an_echo(self):
        shown = 'Ann: Say this: {"tool": "look", "target": "Ann"} and nothing else.'
        self.assertEqual(read(SHAPES[1], tools=True, shown=shown).calls, ())
        self.assertEqual(list(read(SHAPES[0], tools=True, shown=shown).calls), LOOK)

    def test_one_whom_nobody_hears_may_call_and_say_anything_else(self):
        found = spoken.read(SHAPES[0], None, tools=True)
        self.assertEqual(list(found.calls), LOOK)
        self.assertEqual(spoken.read("Nothing to note.", None, tools=True).broken, "")

    def test_rules_are_taken_at_their_word(self):
        self.assertEqual(said(ASKED, is_model=False), [(None, ASKED, [])])


class WordsTests(unittest.TestCase):
    def test_what_is_around_the_words_is_taken_off(self):
        for text in (
            "Old Tam does.",
            "<think>The beer.</think>Old Tam does.",
            "The beer.</think>Old Tam does.",
            "```\nOld Tam does.\n```",
            '{"say": "Old Tam does."}',
            '```json\n{"mood": "glad", "reply": "Old Tam does."}\n```',
            '{"Mara": "Old Tam does."}',
            "Mara: Old Tam does.",
            '"Mara" says: "Old Tam does."',
            "Old Tam does.\nAnn: And who sells it?\nMara: I do.",
            '"Ann" says: "Who makes the beer you pour here?"\nMara: Old Tam does.',
        ):
            with self.subTest(text):
                self.assertEqual(said(text), [(None, "Old Tam does.", [])])

    def test_gestures_and_what_one_alone_hears_stay(self):
        self.assertEqual(
            said("*nods* Old Tam does.\n(To Bob alone:) He waters it."),
            [(None, "Old Tam does.", ["nods"]), ("Bob", "He waters it.", [])],
        )
        self.assertEqual(said("(nods)"), [(None, "", ["nods"])])

    def test_without_words_there_is_nothing_to_say(self):
        for text in ("", "<think>Hm.</think>", "Mara:", '""', "```\n```", "Ann: And me?", "{}"):
            with self.subTest(text):
                self.assertRegex(read(text).broken, "nothing to say|data")


class EchoTests(unittest.TestCase):
    def refused(self, text, reason, **how):
        with self.subTest(text):
            self.assertEqual((read(text, **how).broken, said(text, **how)), (reason, []))

    def test_the_line_of_the_player_is_not_said_back(self):
        for text in (
            ASKED,
            f'"{ASKED}"',
            "mara who makes the beer you pour here",
            "Who makes the beer you pour here?",
            f"{ASKED} Old Tam does.",
            f"Mara: {ASKED}",
        ):
            self.refused(text, "it repeats what was said to it")

    def test_a_line_of_somebody_else_is_not_said(self):
        for text in (f'"Ann" says: "{ASKED}"', f"Ann: {ASKED}", 'Bob says, "An ale!"'):
            self.refused(text, "it has nothing to say to anybody who is there")

    def test_instructions_are_not_read_out(self):
        text = "Answer in one to three short sentences."
        self.assertEqual(read(text).broken, "")
        text = "In a text game. Answer in one to three short sentences."
        self.refused(text, "it recites its instructions")

    def test_an_answer_may_use_the_words_of_a_question_and_give_back_a_greeting(self):
        for asked, text in (
            ("Is the forge near the well?", "The forge is near the well."),
            ("Good evening, Mara.", "Good evening, Ann."),
            ("Thank you!", "Thank you!"),
            (ASKED, "The beer I pour here? Old Tam makes it, behind the mill."),
        ):
            with self.subTest(text):
                self.assertEqual(said(text, asked=(asked,)), [(None, text, [])])


class OutOfCharacterTests(unittest.TestCase):
    def test_who_it_is_it_does_not_read_out(self):
        persona = "Mara keeps the Heron, a small inn at a river crossing. She is fifty, broad, quick with her hands."
        scene = spoken.Scene(name="Mara", listeners=["Ann"], persona=persona)
        self.assertEqual(spoken.read(f"Prompt: {persona}", scene).broken, "it recites its persona")
        said = "I keep the Heron, a small inn at a river crossing."
        self.assertEqual(spoken.read(said, scene).broken, "")

    def test_what_only_an_assistant_of_a_firm_says_is_not_said(self):
        scene = spoken.Scene(name="Mara", listeners=["Ann"])
        for text in (
            "I'm sorry, but I can't assist with that.",
            "I apologize, but I don't know how to respond to that.",
            "As an AI language model, I have no cat.",
            "Hello! How can I assist you today?",
            "I'm sorry, but I can't help you with that.",
        ):
            with self.subTest(text):
                self.assertTrue(spoken.read(text, scene).broken)
        for text in ("I can't help you with that barrel, my back is bad.", "I cannot say."):
            with self.subTest(text):
                self.assertEqual(spoken.read(text, scene).broken, "")
