"""The page on which staff look for who knows something: the memories of their NPCs alone."""

from evennia_ai.memory import identity, journal
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing.semantic import MemoryDouble
from evennia_ai.web import memories_views
from tests.web.cases import PageTestCase

KNOWS = "/ai/knows/"


class KnowsTests(PageTestCase):
    def setUp(self):
        super().setUp()
        self.long_term = MemoryDouble()
        base.install("default", self.long_term)
        self.addCleanup(base.reset)
        self.tova = self.npc("Tova", f"id({self.char1.id})")
        self.zeno = self.npc("Zeno", "false()")

    def learns(self, npc, words, **fields):
        journal.add_entry(npc, words, **{"source_type": "observation", **fields})

    def looks(self, words):
        return self.posts(KNOWS, 200, words=words)

    def test_who_knows_is_shown_with_whom_they_have_it_from_and_who_may_know(self):
        self.learns(
            self.mara,
            "The old bridge fell into the river.",
            source_type="direct",
            source_entity="Ann",
            source_id="id-of-ann",
            source_trust=0.4,
            audience=["id-of-ann"],
        )
        self.learns(self.tova, "The bridges are falling.")
        page = self.looks("fallen bridge")
        for words in (
            f'<a href="/ai/npc/{self.mara.id}/memories/"><bdi>Mara (#{self.mara.id})</bdi></a>',
            "The old bridge fell into the river.",
            "<bdi>Ann</bdi>",
            "40 %",
            "The bridges are falling.",
            "its own eyes or thoughts",
            "2 memories of 2 NPCs",
        ):
            self.assertIn(words, page)

    def test_what_somebody_elses_npc_knows_is_not_told(self):
        self.learns(self.zeno, "The crown lies in the well.")
        self.assertIn("None of your 2 NPCs knows of it.", self.looks("crown"))
        self.as_builder()
        self.assertIn("You control no NPC", self.looks("crown"))
        self.account2.permissions.clear()
        self.posts(KNOWS, 403, words="crown")
        self.assertNotIn("crown", self.page(KNOWS, status=403))

    def test_all_are_asked_some_at_a_time(self):
        self.patch(memories_views, "ASKED_AT_ONCE", 1)
        for npc in (self.mara, self.tova):
            self.learns(npc, "The ferry sank.")
        self.assertIn("2 memories of 2 NPCs", self.looks("ferry"))

    def test_what_is_kept_for_good_counts_too_and_that_it_is_away_is_said(self):
        own = identity.identity_of(self.mara)
        self.long_term.add("The mill burned down.", assistant_key=own, audience="public")
        self.assertIn("The mill burned down.", self.looks("burned mill"))
        self.long_term.fail_with = MemoryUnavailable("its file is broken.")
        self.learns(self.tova, "The mill is burning.")
        page = self.looks("burned mill")
        self.assertIn("The mill is burning.", page)
        self.assertIn("its file is broken.", page)

    def test_words_that_tell_nothing_find_nothing(self):
        self.learns(self.mara, "The mill burned down.")
        self.assertIn("Name a word that tells more", self.looks("the"))
        self.assertNotIn("burned", self.looks("  "))
        self.assertNotIn("burned", self.page(f"{KNOWS}?words=burned"))

    def test_hostile_words_are_text(self):
        self.learns(self.mara, "<script>alert(1)</script> |lcquit|lt mill |le")
        page = self.looks("<script>mill")
        self.assertNotIn("<script>", page)
        self.assertIn("&lt;script&gt;alert(1)", self.looks("mill"))
