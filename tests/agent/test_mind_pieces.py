"""A mind that is put into an NPC piece by piece: the game goes on meanwhile, and a crash leaves nothing."""

from unittest.mock import patch

from evennia_ai import scheduling
from evennia_ai.agent.revising import mind_transfer
from evennia_ai.memory import journal, journal_pages, kinds, links, persona, repository
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.storage import pages
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.test_mind_transfer import TransferTestCase
from tests.domain import entries


class CrashTests(TransferTestCase):
    """The server dies while a mind is put into an NPC: at the next start it is as blank as before."""

    def setUp(self):
        super().setUp()
        self.live()
        self.mind = self.take()
        self.bea = minds.make_assistant("Bea", location=self.room2)
        persona.save_lore(self.bea, ["The river is cold."])

    def crash(self, *, after):
        """Let the server die after so many slices."""
        script = scripts.find(self.bea)
        script.disable()
        with patch.object(mind_transfer, "PIECE", 1):
            given = mind_transfer.give_mind(self.bea, script, self.mind)
            for _ in range(after):
                self.next_slice()
        self.assertFalse(given.called, "it was over before")
        scheduling.set_clock(self.clock)

    def next_slice(self):
        function, args = scheduling._state.queue.popleft()
        function(*args)

    def restart(self):
        self.done(mind_transfer.take_back_halves())

    def test_what_is_there_by_half_is_taken_back(self):
        seen = set()
        for slices in range(1, 6):
            with self.subTest(slices):
                self.crash(after=slices)
                self.assertFalse(self.is_blank(self.bea))
                seen.update(
                    kind.name
                    for kind in (kinds.JOURNAL, kinds.PROFILES, kinds.CONVERSATIONS)
                    if repository.keys(self.bea, kind)
                )
                self.restart()
                self.assertTrue(self.is_blank(self.bea))
                self.assertEqual(links.memory_links(scripts.find(self.bea)), {})
                self.assertEqual(repository.keys(self.bea, kinds.NAMES), [])
                self.assertEqual(self.lore_of_bea(), ["The river is cold."])
        # The crashes were at different places.
        self.assertLessEqual({"journal", "profiles"}, seen)

    def lore_of_bea(self):
        return [fact.text for fact in persona.load_lore(self.bea)]

    def test_after_it_the_same_mind_can_be_given(self):
        self.crash(after=3)
        self.restart()
        self.give(self.mind, self.bea)
        self.assertEqual(
            [one.content for one in journal.entries(self.bea)],
            [one["content"] for one in self.mind["journal"]["entries"]],
        )

    def test_what_was_put_in_whole_stays(self):
        self.give(self.mind, self.bea)
        self.restart()
        self.assertFalse(self.is_blank(self.bea))
        self.assertEqual(len(journal.entries(self.bea)), len(self.mind["journal"]["entries"]))

    def test_whoever_was_given_nothing_keeps_what_it_knows(self):
        self.restart()
        self.assertEqual(self.take()["journal"], self.mind["journal"])

    def test_where_memory_cannot_be_reached_nothing_is_taken_from_what_comes_later(self):
        self.crash(after=3)
        error = MemoryUnavailable("the file is locked.")
        with patch.object(base.get_memory(), "delete_scope", side_effect=error):
            self.failed(mind_transfer.take_back_halves(), MemoryUnavailable)
        journal.add_entry(self.bea, "It rains.")
        self.restart()
        self.assertEqual([one.content for one in journal.entries(self.bea)], ["It rains."])


class SliceTests(TransferTestCase):
    """However long a life was, the game goes on while it is written and read."""

    ENTRIES = 700

    def setUp(self):
        super().setUp()
        for number in range(40):
            who = f"{number:08x}-0000-4000-8000-000000000000"
            entity_profiles.create_entity_profile(self.mara, who, name=f"P{number}")
        flat = {**journal.journal(self.mara), "max_entries": 10_000}
        entry = pages.plain(entries.entry())
        flat["entries"] = [
            {**entry, "id": number, "content": f"Day {number}."}
            for number in range(1, self.ENTRIES + 1)
        ]
        head, laid = journal_pages.laid_out(flat)
        rows = {(kinds.JOURNAL, key): page for key, page in laid.items()}
        repository.save_all(self.mara, {(kinds.JOURNAL_HEAD, ""): head, **rows})

    def watched(self, name):
        """Note how many Attributes each call of `repository` reads or writes at once."""
        counts, function = [], getattr(repository, name)

        def counted(obj, what, **kwargs):
            result = function(obj, what, **kwargs)
            counts.append(len(what if result is None else result))
            return result

        self.patch(repository, name, counted)
        return counts

    def test_no_more_than_a_few_attributes_are_read_at_once(self):
        counts = self.watched("load_all")
        mind = self.take()
        self.assertEqual(len(mind["journal"]["entries"]), self.ENTRIES)
        self.assertEqual(len(mind["profiles"]), 40)
        self.assertGreater(len(counts), 10)
        self.assertLessEqual(max(counts), mind_transfer.PIECE)

    def test_no_more_than_a_few_attributes_are_written_at_once(self):
        mind = self.take()
        bea = minds.make_assistant("Bea", location=self.room2)
        counts = self.watched("save_all")
        self.give(mind, bea)
        self.assertEqual(journal.size(bea), self.ENTRIES)
        self.assertGreater(len(counts), 10)
        self.assertLessEqual(max(counts), mind_transfer.PIECE)

    def test_between_two_pieces_others_get_their_turn(self):
        mind = self.take()
        bea = minds.make_assistant("Bea", location=self.room2)
        breaths, breath = [], scheduling.yield_to_reactor
        self.patch(scheduling, "yield_to_reactor", lambda: breaths.append(1) or breath())
        self.give(mind, bea)
        # 11 pages, 40 people and the index of their names.
        self.assertGreaterEqual(len(breaths), 13)

    def test_what_is_noted_meanwhile_has_no_id_of_the_file(self):
        taking = mind_transfer.take_mind(self.mara, self.script_of_mara)
        journal.add_entry(self.mara, "It rains.")
        mind = self.done(taking)
        self.assertEqual(len(mind["journal"]["entries"]), self.ENTRIES)
        self.assertEqual(mind["journal"]["entry_count"], self.ENTRIES)
