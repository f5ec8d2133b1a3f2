"""`@aimemory/rumour`: who knows something, the first first, and through whom."""

from datetime import timedelta
from types import SimpleNamespace

from twisted.internet.defer import succeed

from evennia_ai import scheduling
from evennia_ai.commands.aimemory import rumours
from evennia_ai.core.records import format_time
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import knowers
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from evennia_ai.testing.semantic import MemoryDouble
from tests.commands.cases import CommandTestCase

NEWS = "The old bridge fell into the river."


class RumourTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.long_term = MemoryDouble()
        base.install("default", self.long_term)
        self.addCleanup(base.reset)

    def create_cast(self):
        super().create_cast()
        self.npc, self.bertil = self.mara(), minds.make_assistant("Bertil", location=self.room2)

    def learns(self, npc, text=NEWS, *, days_ago=0, **fields):
        when = format_time(scheduling.now() - timedelta(days=days_ago))
        given = {"source_type": "observation", "audience": "public", "now": when}
        return journal.add_entry(npc, text, **{**given, **fields})

    def follows(self, words="bridge fallen river", **options):
        return self.types_and_waits(f"@aimemory/rumour {words}", **options).splitlines()


class WhoKnowsTests(RumourTestCase):
    def test_the_first_stands_first_with_whom_the_others_have_it_from(self):
        mara = {"identity": identity.identity_of(self.npc), "name": "Mara"}
        cid = minds.make_assistant("Cid", location=self.room2)
        self.learns(
            cid,
            source_type="direct",
            source_entity="Bertil",
            source_id=identity.identity_of(self.bertil),
            source_trust=0.2,
            chain=[mara],
        )
        self.learns(
            self.bertil,
            source_type="direct",
            source_entity="Mara",
            source_id=mara["identity"],
            source_trust=0.4,
            days_ago=1,
        )
        self.learns(self.npc, days_ago=2)
        found = [line for line in self.follows("the bridge") if not line.startswith("    ")]
        self.assertRegex(found[0], r"^[\d-]+ [\d:]+, Mara\(#\d+\), believed 0\.80, known to all$")
        self.assertRegex(found[1], r"Bertil\(#\d+\), from Mara, believed 0\.40, known to all$")
        self.assertRegex(
            found[2],
            r"Cid\(#\d+\), from Bertil, who had it from Mara, believed 0\.20, known to all$",
        )
        self.assertEqual(len(found), 3)

    def test_the_words_stand_below(self):
        self.learns(self.npc)
        self.assertEqual(self.follows()[1], f"    {NEWS}")

    def test_other_forms_of_the_words_are_found_and_half_of_them_are_not(self):
        self.learns(self.npc)
        self.assertEqual(len(self.follows("bridges rivers")), 2)
        self.assertEqual(self.follows("bridge tower"), ["None of 2 NPCs knows of it."])

    def test_what_only_long_term_memory_has_is_found_and_what_both_have_stands_once(self):
        self.learns(self.npc)
        for npc in (self.npc, self.bertil):
            self.outcome(
                self.long_term.add(
                    NEWS,
                    assistant_key=identity.identity_of(npc),
                    audience="public",
                    metadata={"speaker": "Ann", "source_id": "ann", "source_trust": 0.45},
                )
            )
        found = [line for line in self.follows() if not line.startswith("    ")]
        self.assertEqual(len(found), 2)
        self.assertRegex(found[0], r"Bertil\(#\d+\), from Ann, believed 0\.45, known to all$")

    def test_a_line_of_a_thousand_words_is_asked_for(self):
        self.learns(self.npc)
        found = self.follows(" ".join(f"word{number}" for number in range(1_500)))
        self.assertEqual(found, ["None of 2 NPCs knows of it."])

    def test_the_game_goes_on_while_journals_are_looked_through(self):
        self.patch(rumours, "NPCS_AT_ONCE", 1)
        self.learns(self.bertil)
        done = []

        def asked(likely, ids):
            done.append("asked")
            scheduling.call_soon(done.append, "the game goes on")
            return knowers.who_noted(likely, ids)

        self.patch(rumours, "knowers", SimpleNamespace(who_noted=asked))
        self.assertEqual(len(self.follows()), 2)
        self.assertEqual(done, ["asked", "the game goes on"] * 2)

    def test_what_others_keep_of_the_same_words_drowns_nobody(self):
        self.patch(rumours, "KEPT", 2)
        keys = [*map(identity.identity_of, (self.npc, self.bertil))]
        other = [
            Memory(id=str(n), text=NEWS, audience="public", metadata={}, created="")
            for n in range(2)
        ]
        kept = {keys[0]: other}
        self.long_term.who_keeps = lambda likely, limit: succeed(kept)
        self.long_term.add(NEWS, assistant_key=keys[1], audience="public")
        self.assertIn("Bertil", " ".join(self.follows()))

    def test_without_long_term_memory_it_says_so_and_shows_the_journals(self):
        self.learns(self.npc)
        self.patch(self.long_term, "search", self._gone)
        *found, last = self.follows()
        self.assertEqual(len(found), 2)
        self.assertEqual(last, "Long-term memory cannot be asked: the disk is gone")

    def _gone(self, *_, **__):
        raise MemoryUnavailable("the disk is gone")

    def test_what_was_taken_back_is_not_shown(self):
        self.learns(self.npc, tags=["taken back"])
        self.assertEqual(self.follows(), ["None of 2 NPCs knows of it."])

    def test_markup_is_shown_as_it_is(self):
        self.learns(self.npc, "The |rbridge|n fell.")
        self.assertEqual(self.follows("fell")[1], "    The |rbridge|n fell.")

    def test_words_that_tell_nothing_show_how_it_is_written(self):
        for words in ("", "the of", "?!"):
            with self.subTest(words):
                said = self.types(f"@aimemory/rumour {words}")
                self.assertEqual(said, "Usage: @aimemory/rumour <some words of it>")


class WhoMayTests(RumourTestCase):
    def test_a_builder_sees_what_their_own_npcs_know(self):
        self.learns(self.npc)
        self.learns(self.bertil)
        self.account.is_superuser = False
        self.account.permissions.clear()
        self.account.permissions.add("Builder")
        self.bertil.locks.add(f"control:id({self.char1.id})")
        found = self.follows()
        self.assertEqual(len(found), 2)
        self.assertIn("Bertil", found[0])
