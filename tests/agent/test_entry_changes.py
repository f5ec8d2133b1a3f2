"""An entry for fewer ears, or in other words: who is told what from then on, and what is kept of it."""

from evennia_ai.agent.revising import forgetting, mind_transfer
from evennia_ai.memory import journal
from evennia_ai.semantic import base
from evennia_ai.sleep import consolidation
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.audience_paths import QUESTION, SECRET, TOKEN, LeakTestCase

OTHER = "The crown lies in the sea."


class ChangedTestCase(LeakTestCase):
    def setUp(self):
        super().setUp()
        self.do(self.char1, f"say Mara, the crown lies under {TOKEN}.", wait=3)
        self.entry = journal.add_entry(self.mara, SECRET, importance=9, source_id=self.first)

    def change(self, instead):
        return self.done(forgetting.change(self.mara, self.script_of_mara, self.entry.id, instead))

    def done(self, deferred):
        for _ in range(50):
            if deferred.called:
                break
            self.wait(0.2)
        return self.successResultOf(deferred)

    def narrow(self):
        for entry in journal.entries(self.mara):
            if TOKEN in entry.content:
                self.entry = entry
                self.change(forgetting.narrowed(entry, self.mara, [self.first]))

    def asked(self, character):
        """Return what a mind is shown when somebody asks."""
        turn = self.turn_of(character, QUESTION)
        return f"{self.built(turn)} {turn.context}"

    def sleep(self):
        """Let sleep rate what waits, and copy it to long-term memory."""
        for entry in journal.entries(self.mara):
            journal.edit_entry(self.mara, entry.id, importance=7)
        done = self.done(consolidation.run_sleep_consolidation(self.script_of_mara, self.mara))
        self.assertEqual(done["waiting"], 0)

    def long_term(self):
        key = self.script_of_mara.assistant_key
        kept = self.successResultOf(base.get_memory().get_all(assistant_key=key))
        return [(one.text, one.audience) for one in kept if "crown" in one.text]


class NarrowedTests(ChangedTestCase):
    def test_who_may_know_it_no_more_is_not_told_and_who_may_is(self):
        self.assertIn(TOKEN, self.asked(self.char2))
        self.narrow()
        self.assertNotIn(TOKEN, self.asked(self.char2))
        self.assertIn(TOKEN, self.asked(self.char1))

    def test_sleep_keeps_it_for_those_alone(self):
        self.narrow()
        self.assertEqual(self.long_term(), [])
        self.sleep()
        self.assertEqual({str(known) for _, known in self.long_term()}, {str(sorted(self.known))})
        self.assertNotIn(TOKEN, self.asked(self.char2))

    def test_it_stays_so_in_another_body(self):
        self.narrow()
        mind = self.done(mind_transfer.take_mind(self.mara, self.script_of_mara))
        bea = minds.make_assistant("Bea", location=self.room1)
        scripts.find(bea).disable()
        self.done(mind_transfer.give_mind(bea, scripts.find(bea), mind))
        known = [one.audience for one in journal.entries(bea) if TOKEN in one.content]
        self.assertTrue(known)
        self.assertTrue(all(self.first in one and self.second not in one for one in known), known)

    def test_what_was_told_to_somebody_meanwhile_stays_theirs(self):
        instead = forgetting.narrowed(self.entry, self.mara, [self.first, self.second])
        journal.edit_entry(self.mara, self.entry.id, audience=[self.first])
        self.change(instead)
        self.assertEqual(journal.get_entry(self.mara, self.entry.id).audience, [self.first])


class RewordedTests(ChangedTestCase):
    def test_the_new_words_come_to_mind_and_the_old_ones_do_not(self):
        for entry in journal.entries(self.mara):
            if TOKEN in entry.content:
                self.entry = entry
                self.change(forgetting.reworded(entry, OTHER))
        shown = self.asked(self.char2)
        self.assertIn(OTHER, shown)
        self.assertNotIn(TOKEN, shown)
        self.sleep()
        self.assertEqual({text for text, _ in self.long_term()}, {OTHER})
        self.assertNotIn(TOKEN, self.asked(self.char1))

    def test_what_it_says_as_before_is_no_trace_of_what_it_said(self):
        journal.add_entry(self.mara, "Crowns are heavy.", source_type="inference")
        self.change(forgetting.reworded(self.entry, OTHER))
        self.assertIn("Crowns are heavy.", [one.content for one in journal.entries(self.mara)])
