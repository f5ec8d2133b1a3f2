"""`@assistant/lore`: what an NPC knows from its builder, and who may know it from the NPC."""

from evennia_ai.core.records import Lore
from evennia_ai.domain.files import seed_files
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, kinds, persona, repository
from evennia_ai.testing import minds
from tests.commands.cases import CommandTestCase

BRIDGE, KING = "The bridge is old.", "The king is dead."


class LoreTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def kept(self):
        """Return the texts of the lore with their audiences."""
        return [(fact.text, fact.audience) for fact in persona.load_lore(self.npc)]

    def asked(self, question):
        """Return what Mara, without a model, answers Char."""
        base.install("default", OfflineMind())
        self.types(f"tell mara = {question}")
        minds.pass_time(self.clock, 2)
        return "\n".join(text for _, text in self.read[self.char1])

    def test_a_fact_and_a_condition_that_are_written_over_are_shown(self):
        self.types("@assistant/lore Mara = The bridge is old.")
        said = self.types("@assistant/lore Mara/1 = The bridge is new.")
        self.assertTrue(said.endswith("The bridge is new.\nIt was: The bridge is old."), said)
        self.types("@assistant/lore/audience Mara/1 = if tag(friend)")
        said = self.types("@assistant/lore/audience Mara/1 = if tag(foe)")
        self.assertTrue(said.endswith("\nIt was: told if tag(friend)"), said)

    def test_a_new_fact_may_say_at_once_for_whom_it_is(self):
        said = self.types("@assistant/lore Mara = The king is dead. /for nobody")
        self.assertEqual(said, f"Fact 1 of {self.name} (for nobody): The king is dead.")
        self.types("@assistant/lore Mara = The bridge is old. /for if tag(mason)")
        self.assertEqual(self.kept(), [("The king is dead.", []), ("The bridge is old.", [])])
        self.assertEqual(
            self.types("@assistant/lore Mara = I owe Tam. /for ghost"),
            f"There is no 'ghost' whom {self.name} knows or whom you can see.",
        )
        self.assertEqual(len(self.kept()), 2)

    def test_facts_are_added_seen_and_written_anew(self):
        self.assertEqual(
            self.types("@assistant/lore mara"),
            f"{self.name} has no lore; @assistant/lore Mara = <fact> adds some.",
        )
        self.assertEqual(
            self.types("@assistant/lore mara = The bridge = old."),
            f"Fact 1 of {self.name} (known to all): The bridge = old.\n"
            "Everybody who asks may hear it; @assistant/lore/audience Mara/1 = nobody, or names, "
            "changes that.",
        )
        self.types(f"@assistant/lore mara = {KING}")
        self.types(f"@assistant/lore mara/1 = {BRIDGE}")
        self.assertEqual(
            self.types("@assistant/lore mara"),
            f"What {self.name} knows from its builder:\n"
            f"  1. {BRIDGE} (known to all)\n  2. {KING} (known to all)",
        )

    def test_what_is_added_is_told(self):
        self.types(f"@assistant/lore mara = {BRIDGE}")
        self.assertIn(BRIDGE, self.asked("What do you know of the bridge?"))

    def test_a_fact_for_one_is_told_to_nobody_else(self):
        self.types(f"@assistant/lore mara = {KING}")
        self.assertEqual(
            self.types("@assistant/lore/audience mara/1 = Char2"),
            f"Fact 1 of {self.name} is for Char2, Mara now.\nIt was: known to all",
        )
        ears = sorted([identity.identity_of(self.npc), identity.identity_of(self.char2)])
        self.assertEqual(self.kept(), [(KING, ears)])
        self.assertNotIn(KING, self.asked("What do you know of the king?"))
        self.types("@assistant/lore/audience mara/1 = Char2, me")
        self.assertIn(KING, self.asked("What do you know of the king?"))

    def test_it_may_be_for_somebody_who_is_elsewhere(self):
        persona.save_lore(self.npc, [KING])
        self.char2.location = self.room2
        self.types("@assistant/lore/audience mara/1 = Char2")
        ears = sorted([identity.identity_of(self.npc), identity.identity_of(self.char2)])
        self.assertEqual(self.kept(), [(KING, ears)])

    def test_new_words_keep_their_audience(self):
        persona.save_lore(self.npc, [Lore(text=KING, audience=[])])
        self.types(f"@assistant/lore mara/1 = {BRIDGE}")
        self.assertEqual(self.kept(), [(BRIDGE, [])])
        self.types("@assistant/lore/audience mara/1 = all")
        self.assertEqual(self.kept(), [(BRIDGE, "public")])

    def test_a_name_that_nobody_has_changes_nothing(self):
        persona.save_lore(self.npc, [KING])
        self.assertEqual(
            self.types("@assistant/lore/audience mara/1 = Char2, ghost"),
            f"There is no 'ghost' whom {self.name} knows or whom you can see.",
        )
        self.assertEqual(self.kept(), [(KING, "public")])

    def test_what_is_taken_away_is_asked_about(self):
        persona.save_lore(self.npc, [BRIDGE, KING])
        for answer, left in (("n", [BRIDGE, KING]), ("y", [KING])):
            with self.subTest(answer):
                question = self.types("@assistant/lore mara/1 =")
                self.assertEqual(question, f"Take this from {self.name}: {BRIDGE} [y/N]")
                self.types(answer)
                self.assertEqual([text for text, _ in self.kept()], left)

    def test_another_fact_in_that_place_stays(self):
        persona.save_lore(self.npc, [BRIDGE, KING])
        self.types("@assistant/lore mara/1 =")
        persona.save_lore(self.npc, [KING])
        self.assertEqual(self.types("y"), "Nothing was done.")
        self.assertEqual(self.kept(), [(KING, "public")])

    def test_a_fact_of_a_file_says_so(self):
        persona.save_lore(self.npc, [KING])
        mark = seed_files.fingerprint(Lore(text=KING, audience="public"))
        repository.save(self.npc, kinds.SEEDED, {"inn.yaml": {"persona": [], "lore": [mark]}})
        self.assertIn(f"{KING} (known to all, from inn.yaml)", self.types("@assistant/lore mara"))
        self.assertIn(
            "It was from inn.yaml, which writes it anew when it is next read.",
            self.types(f"@assistant/lore mara/1 = {BRIDGE}"),
        )

    def test_a_builder_who_may_not_edit_it_sees_and_changes_nothing(self):
        persona.save_lore(self.npc, [KING])
        builder = self.as_staff("Builder")
        refused = "You may not change the mind of Mara"
        for text in ("mara", "mara = x", "mara/1 = x", "mara/1 ="):
            with self.subTest(text):
                self.assertIn(refused, self.types(f"@assistant/lore {text}", by=builder))
        self.assertIn(refused, self.types("@assistant/lore/audience mara/1 = all", by=builder))
        self.assertEqual(self.kept(), [(KING, "public")])

    def test_what_is_typed_is_shown_as_it_is(self):
        said = self.types("@assistant/lore mara = A |rred|n $You() bridge.")
        self.assertIn("A |rred|n $You() bridge.", said)


class MovingTests(CommandTestCase):
    def test_a_builder_moves_the_npc_that_they_made(self):
        builder = self.as_staff("Builder")
        self.types("@assistant/create Mara", by=builder)
        self.types(f"@tel Mara = #{self.room2.id}", by=builder)
        mara = self.char2.search("Mara", global_search=True)
        self.assertEqual(mara.location, self.room2)
