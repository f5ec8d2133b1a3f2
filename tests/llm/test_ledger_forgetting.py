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
        gone, kept = self.note(prompt="I sell salt.", answer="Aye."), self.note(prompt="It rains.")
        count = ledger.forget_words(7, is_gone=lambda entry: "salt" in entry.prompt)
        self.assertEqual(count, 1)
        self.assertEqual(self.words(gone), ("", "", 10))
        self.assertEqual(self.words(kept), ("It rains.", "", 10))

    def test_errors_go_which_an_earlier_version_wrote_words_into(self):
        gone, kept = self.note(error="the model declines: I sell salt."), self.note(error="late")
        ledger.forget_words(7, is_gone=lambda entry: "salt" in entry.error)
        errors = [LedgerEntry.objects.get(id=one).error for one in (gone, kept)]
        self.assertEqual(errors, ["", "late"])

    def test_other_assistants_keep_theirs(self):
        other = self.note(assistant_id=8, prompt="I sell salt.")
        self.assertEqual(ledger.forget_words(7, is_gone=lambda entry: True), 0)
        self.assertEqual(self.words(other)[0], "I sell salt.")

    def test_calls_without_words_are_not_even_looked_at(self):
        self.note()
        ledger.forget_words(7, is_gone=lambda entry: self.fail("it has none"))

    def test_many_are_emptied(self):
        self.patch(ledger, "UPDATED_AT_ONCE", 2)
        for _ in range(5):
            self.note(prompt="I sell salt.")
        self.assertEqual(ledger.forget_words(7, is_gone=lambda entry: True), 5)
        self.assertEqual(LedgerEntry.objects.exclude(prompt="").count(), 0)
