from evennia_ai.llm import ledger
from evennia_ai.models import LedgerEntry
from evennia_ai.testing import AITestCase


class ForgetWordsTests(AITestCase):
    def note(self, *, assistant_id=7, player_id=3, prompt="", answer="", error=""):
        return LedgerEntry.objects.create(
            created="2026-01-01T00:00:00Z",
            alias="default",
            job="reply",
            assistant_id=assistant_id,
            player_id=player_id,
            prompt_tokens=10,
            outcome="ok",
            prompt=prompt,
            answer=answer,
            error=error,
        ).id

    def words(self, entry_id):
        entry = LedgerEntry.objects.get(id=entry_id)
        return entry.prompt, entry.answer, entry.prompt_tokens

    def test_the_words_go_and_the_cost_stays(self):
        gone = self.note(prompt="I sell salt.", answer="Aye.")
        self.assertEqual(ledger.forget_words(7), 1)
        self.assertEqual(self.words(gone), ("", "", 10))

    def test_other_assistants_keep_theirs(self):
        other = self.note(assistant_id=8, prompt="I sell salt.")
        self.assertEqual(ledger.forget_words(7), 0)
        self.assertEqual(self.words(other)[0], "I sell salt.")
