"""A correction in words holds: through a night, out of the mind into a file, and back into an empty one."""

import json

from django.test import tag

from evennia_ai.agent.revising import forget_people, mind_archive
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory.state import sleep_state
from evennia_ai.sleep import sleep_cycle, steps
from evennia_ai.testing import minds
from tests.agent.cases import words
from tests.agent.test_mind_transfer import TransferTestCase

# What was told, how it was put right, who asks what, what they hear, and what nobody may hear any more.
TOLD = "say Mara, my sister Nell is a weaver in Highmoor."
CASES = (
    ("say Mara, sorry, she is a dyer, not a weaver.", "a dyer in Highmoor", "weaver"),
    ("say No wait, she's a dyer.", "a dyer in Highmoor", "weaver"),
    ("say I said Nell but it's Mell, Mara.", "sister Mell", "Nell"),
    ("say Mara, Nell isn't a weaver, she's a dyer.", "a dyer in Highmoor", "weaver"),
)
QUESTIONS = (
    "what does Char's sister do?",
    "what did Char tell you?",
    "what do you know about Char?",
)


@tag("scenario")
class CorrectionHoldsTests(TransferTestCase):
    lore = ()

    def setUp(self):
        super().setUp()
        minds.base.install("default", OfflineMind())

    def test_after_sleep_export_and_import_nobody_hears_what_was_put_right(self):
        for correction, right, wrong in CASES:
            with self.subTest(correction):
                self.do(self.char1, TOLD, wait=2)
                self.do(self.char1, correction, wait=2)
                self.sleep()
                exported = self.moved()
                self.assertNotIn(wrong, json.dumps(exported["journal"]))
                heard = self.heard()
                self.assertIn(right, heard)
                self.assertNotIn(wrong, heard)
                self.forget()

    def sleep(self):
        sleep_cycle.transition_mode(self.script_of_mara, "sleep", "a test")
        for _ in range(80):
            self.done(steps.run_sleep_tick(self.script_of_mara, self.mara))
            if sleep_state.done(self.script_of_mara):
                break
            self.wait(60)
        self.assertTrue(sleep_state.done(self.script_of_mara))
        sleep_cycle.transition_mode(self.script_of_mara, "awake", "morning")

    def moved(self):
        """Export the mind, empty it, and bring it back from its file; return what the file holds."""
        self.done(mind_archive.export(self.mara, self.script_of_mara, "mara.json"))
        self.forget()
        read = self.done(mind_archive.read("mara"))
        self.give(read, self.mara)
        minds.forget_all()
        return read

    def forget(self):
        self.done(forget_people.forget_everything(self.mara, self.script_of_mara))

    def heard(self):
        """Return all that both players hear when each asks everything."""
        said = []
        for asker, ears in ((self.char2, self.bob), (self.char1, self.ann)):
            for question in QUESTIONS:
                ears.clear()
                self.do(asker, f"say Mara, {question}", wait=2)
                said += words(ears)
                self.wait(90)
        return " ".join(line for line in said if line.startswith("Mara"))
