"""Tests that a question counts as answered only where whoever asked it heard the answer."""

from twisted.internet.defer import Deferred

from evennia_ai.llm.base import Completion
from evennia_ai.memory import journal
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, words

SECRET = "The crown lies under the oak."


class UnheardTests(MindTestCase):
    """While Mara thinks about what Char asked, Char2 asks something aloud."""

    def while_thinking(self, *replies):
        """Let Char2 ask before the first reply; the others follow. Return the mind."""
        thinking = Deferred()
        mind = minds.script_llm(thinking, *replies)
        self.do(self.char1, "say Mara, where does the crown lie?")
        self.char2.location = self.room1
        self.do(self.char2, "say Mara, what is there to eat?", wait=0.1)
        thinking.callback(Completion(tool_calls=(call("look"),)))
        self.wait(5)
        return mind

    def said_to_both(self):
        return [text for text in words(self.bob) if text.startswith("Mara")]

    def test_a_question_that_was_asked_meanwhile_is_answered_by_itself(self):
        mind = self.while_thinking("No idea.", "Stew.")
        self.assertEqual(self.said_to_both(), ['Mara says, "No idea."', 'Mara says, "Stew."'])
        self.assertEqual((len(mind.requests), self.pending()), (3, []))

    def test_if_the_answer_is_not_for_all_it_is_answered_by_itself(self):
        minds.script_llm("I shall keep it.")
        self.do(self.char1, f"whisper Mara = {SECRET}")
        # Alone with her, what Char trusted her with may go into the prompt of open talk.
        self.char2.location = self.room2
        mind = self.while_thinking("Under the oak.", "Stew.")
        self.assertEqual(words(self.ann, "whisper")[-1], 'Mara whispers: "|nUnder the oak.|n"')
        self.assertEqual(self.said_to_both(), ['Mara says, "Stew."'])
        self.assertEqual((len(mind.requests), self.pending()), (3, []))
        self.assertNotIn(SECRET, str(mind.requests[-1].messages))

    def test_if_she_chooses_to_whisper_it_is_answered_by_itself(self):
        mind = self.while_thinking("(To Char alone:) I cannot say.", "Stew.")
        self.assertEqual(words(self.ann, "whisper"), ['Mara whispers: "|nI cannot say.|n"'])
        self.assertEqual(self.said_to_both(), ['Mara says, "Stew."'])
        self.assertEqual((len(mind.requests), self.pending()), (3, []))

    def test_if_she_tells_something_on_it_is_answered_by_itself(self):
        journal.add_entry(self.mara, "The crown was sold.")
        mind = self.while_thinking(call("share", about="the crown", target="Char"), "Stew.")
        self.assertEqual(words(self.ann, "whisper"), ['Mara whispers: "|nThe crown was sold.|n"'])
        self.assertEqual(self.said_to_both(), ['Mara says, "Stew."'])
        self.assertEqual((len(mind.requests), self.pending()), (3, []))
