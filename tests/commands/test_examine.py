from evennia_ai.memory import identity, journal_pages, kinds, repository
from evennia_ai.testing import minds
from tests.commands.cases import CommandTestCase
from tests.domain.entries import entry


class ExamineTests(CommandTestCase):
    def fill(self, npc, *, entries=2000, people=100):
        """Give an NPC so many entries and people it knows, past the code that would take its time."""
        identity.identity_of(npc)
        numbered = (entry(f"Day {number}.", id=number) for number in range(1, entries + 1))
        head, pages = journal_pages._tallied(journal_pages.load_head(npc), numbered)
        journal_pages._save(npc, head, pages)
        for number in range(people):
            who = f"uuid-{number}"
            repository.save(npc, kinds.PROFILES, {"name": "x"}, who)
            repository.save(npc, kinds.CONVERSATIONS, {"messages": []}, who)

    def test_an_npc_with_thousands_of_entries_stays_under_forty_lines(self):
        npc = self.mara()
        self.fill(npc)
        npc.db.desc = "An innkeeper."
        self.types("@examine Mara")
        minds.pass_time(self.clock, 1)
        said = "\n".join(text for _, text in self.read[self.char1])
        self.assertLess(len(said.splitlines()), 40)
        self.assertIn("desc|n=An innkeeper.", said)
        self.assertIn("Attributes of its mind; @aimemory shows what it remembers.)", said)
        self.assertNotIn("Day 1.", said)

    def test_a_page_is_for_developers(self):
        npc = self.mara()
        self.fill(npc, entries=3, people=0)
        builder = self.as_staff("Builder")
        said = self.types("@examine Mara/p00000", by=builder)
        self.assertIn("Attribute Mara/p00000: only developers may read it.", said)
        self.assertNotIn("Day 1.", said)
        self.assertIn("Day 1.", self.types("@examine Mara/p00000"))

    def test_other_things_look_as_ever(self):
        self.obj1.db.colour = "red"
        self.types("@examine Obj")
        said = "\n".join(text for _, text in self.read[self.char1])
        self.assertIn("colour|n=red", said)
        self.assertNotIn("remembers", said)
