"""Nothing but words is spoken: what a model wrote that is none is asked for again, and then rules answer."""

import shutil
import tempfile
from pathlib import Path

from evennia_ai.llm import base
from evennia_ai.llm.ledger import Ledger
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers.tape import Tape
from evennia_ai.models import LedgerEntry
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, words

LOOK = '{"name": "look", "arguments": {"target": "Char"}}'
LINE = "Mara, who makes the beer you pour here?"


class OnlyWordsTests(MindTestCase):
    lore = ("Old Tam makes the beer you pour here.",)

    def ask(self, *replies, line=LINE):
        """Let Char ask; return the mind and what Mara said aloud."""
        mind = minds.script_llm(*replies)
        self.do(self.char1, f"say {line}", wait=3)
        return mind, words(self.bob)[1:]

    def test_a_call_in_the_text_is_used_and_not_said(self):
        mind, said = self.ask(LOOK, "I see you, Char.")
        self.assertEqual(said, ['Mara says, "I see you, Char."'])
        asked, result = mind.requests[1].messages[-2:]
        self.assertEqual((asked["role"], asked["content"]), ("assistant", ""))
        [used] = asked["tool_calls"]
        self.assertEqual((used["name"], used["arguments"]), ("look", {"target": "Char"}))
        self.assertEqual((result["role"], result["tool_call_id"]), ("tool", used["id"]))

    def test_its_arguments_are_checked_as_of_any_call(self):
        mind, said = self.ask('{"name": "look", "arguments": {"at": 3}}', "Hm.")
        self.assertIn("Error:", mind.requests[1].messages[-1]["content"])
        self.assertEqual(said, ['Mara says, "Hm."'])

    def test_where_no_tools_are_offered_it_is_asked_again_for_words(self):
        self.configure(TOOL_MODULES=[])
        mind, said = self.ask(LOOK, "Old Tam does.")
        self.assertEqual(said, ['Mara says, "Old Tam does."'])
        self.assertEqual(len(mind.requests), 2)

    def test_it_is_asked_the_same_again_without_tools_and_calmer(self):
        for number, broken in enumerate(
            (LINE, "<think>Hm.</think>", '{"mood": "glad"}', f"Hm. {LOOK}")
        ):
            with self.subTest(broken):
                self.bob.clear()
                mind, said = self.ask(broken, f"Old Tam, {number}.")
                self.assertEqual(said, [f'Mara says, "Old Tam, {number}."'])
                first, second = mind.requests
                self.assertEqual(second.messages, first.messages)
                self.assertEqual((first.temperature, second.temperature), (None, 0.2))
                self.assertEqual((bool(first.tools), second.tools), (True, ()))

    def test_if_that_is_broken_too_rules_answer(self):
        mind, said = self.ask(LINE, f'"Char" says: "{LINE}"')
        self.assertEqual(len(mind.requests), 2)
        self.assertEqual(said, ['Mara says, "Old Tam makes the beer you pour here."'])
        self.assertIn("rules answer for the model: it has nothing to say", self.log[-1])

    def test_nothing_broken_is_remembered_or_shown_again(self):
        self.ask("Char: And me?", LOOK)
        told = f"{self.remembered()}"
        self.assertNotIn("And me?", told)
        self.assertNotIn("arguments", told)
        mind, _ = self.ask("Aye.", line="Mara, are you sure of that?")
        shown = f"{mind.requests[0].messages}"
        self.assertNotIn("And me?", shown)
        self.assertNotIn("arguments", shown)

    def test_what_it_did_before_its_words_broke_stands(self):
        mind, said = self.ask(call("look", target="Char"), LINE, "Old Tam does.")
        self.assertEqual(said, ['Mara says, "Old Tam does."'])
        self.assertEqual(mind.requests[2].messages, mind.requests[1].messages)
        self.assertEqual(mind.requests[2].messages[-1]["role"], "tool")

    def test_broken_words_beside_a_call_are_dropped(self):
        asked = base.Completion(LINE, tool_calls=(call("look", target="Char"),))
        mind, said = self.ask(asked, "Old Tam does.")
        self.assertEqual(said, ['Mara says, "Old Tam does."'])
        self.assertEqual(mind.requests[1].messages[-2]["content"], "")
        self.assertNotIn("Not said yet", mind.requests[1].messages[-1]["content"])

    def test_in_the_ledger_and_on_a_tape_it_is_one_more_request(self):
        folder = Path(tempfile.mkdtemp(prefix="evennia-ai-tape-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        file, mind = folder / "mara.jsonl", ScriptedMind([LINE, "Old Tam does."])
        base.install("default", Ledger(Tape(mind, file=file, is_recording=True)))
        self.do(self.char1, f"say {LINE}", wait=3)
        self.assertEqual(LedgerEntry.objects.filter(job="reply").count(), 2)
        played = Tape(file=file, is_recording=False)
        answers = [self.outcome(played.complete(one)).text for one in mind.requests]
        self.assertEqual(answers, [LINE, "Old Tam does."])
