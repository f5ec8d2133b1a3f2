"""Tests of who may hear what a journal holds, whichever way it is asked, the cache included."""

from twisted.internet.defer import Deferred

from evennia_ai.memory import journal as journals
from evennia_ai.tools import journal_tools, registry
from tests.found_memories import hit
from tests.tools.test_journal_tools import JournalToolTestCase


class AudienceTests(JournalToolTestCase):
    SECRET = "The crown lies in the well."
    TOOLS = (
        (journal_tools.SearchJournal, {"query": "crown"}),
        (journal_tools.ReviewJournal, {"synthesis": "All is well.", "save_as_entry": False}),
        (journal_tools.SearchEpisodicMemory, {"query": "crown"}),
    )

    def result(self, tool, arguments):
        result = self.use(tool, **arguments)
        return self.successResultOf(result) if isinstance(result, Deferred) else result

    def test_what_somebody_in_earshot_may_not_know_is_not_shown(self):
        self.note(self.SECRET, audience=["ann", "bob"])
        self.memory.found = [hit("m1", cosine=1.0, entry_id=1)]
        for tool, arguments in self.TOOLS:
            with self.subTest(tool=tool.name):
                self.assertNotIn(self.SECRET, self.result(tool, arguments))
                self.assertEqual(self.turn.audience, "public")

    def test_it_is_shown_where_all_may_know_and_the_turn_notes_it(self):
        self.note(self.SECRET, audience=["ann", "bob"])
        self.turn.hearers = frozenset({"ann"})
        for tool, arguments in self.TOOLS:
            with self.subTest(tool=tool.name):
                self.turn.audience = "public"
                self.assertIn(self.SECRET, self.result(tool, arguments))
                self.assertEqual(self.turn.audience, ["ann", "bob"])

    def test_what_is_concluded_from_a_secret_is_one(self):
        self.note(self.SECRET, audience=["ann", "bob"])
        self.turn.hearers = frozenset({"ann"})
        self.use(journal_tools.ReviewJournal, synthesis="Somebody hides things.")
        self.assertEqual(journals.entries(self.npc)[1].audience, ["ann", "bob"])


class CacheTests(JournalToolTestCase):
    def ask(self):
        """Search through the cache, as the loop does."""
        tool, arguments = journal_tools.SearchJournal(), {"query": "goat"}
        asked = {"assistant": "bob", "hearers": self.turn.hearers, "turn": self.turn}
        known = registry.results().get(tool, arguments, **asked)
        if known is not None:
            return "kept", known
        result = self.successResultOf(tool.execute(self.turn, **arguments))
        registry.results().put(tool, arguments, result, **asked)
        return "new", result

    def test_a_write_is_seen_at_once(self):
        """J58: kept for 300 seconds, but not over a change of the journal."""
        self.note("A goat.")
        self.assertEqual([self.ask()[0] for _ in range(2)], ["new", "kept"])
        self.note("Another goat.")
        self.assertEqual(self.ask()[0], "new")
        journals.edit_entry(self.npc, 1, content="A cow.")
        self.assertNotIn("A goat.", self.ask()[1])
        journals.remove_entries(self.npc, [2])
        self.assertEqual(self.ask()[1], 'You find nothing on "goat".')
        self.clock.advance(299)
        self.assertEqual(self.ask()[0], "kept")
        self.clock.advance(1)
        self.assertEqual(self.ask()[0], "new")

    def test_a_kept_secret_is_noted_by_the_turn_that_hears_it(self):
        self.note("A goat.", audience=["ann", "bob"])
        self.turn.hearers = frozenset({"ann"})
        self.ask()
        self.turn.audience = "public"
        self.assertEqual(self.ask()[0], "kept")
        self.assertEqual(self.turn.audience, ["ann", "bob"])

    def test_without_a_turn_nothing_is_kept(self):
        tool, asked = journal_tools.SearchJournal(), {"assistant": "bob", "hearers": []}
        registry.results().put(tool, {}, "old", **asked)
        self.assertIsNone(registry.results().get(tool, {}, **asked))
