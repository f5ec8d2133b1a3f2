"""Builders look at what assistants remember."""

from evennia_ai.agent.prompting import recall_sources
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class ViewTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.find(self.npc)
        self.name = f"Mara(#{self.npc.id})"
        self.ann, self.bob = identity.identity_of(self.char1), identity.identity_of(self.char2)
        self.own = identity.identity_of(self.npc)

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def know(self):
        """Let Mara know Char and Char2."""
        for obj in (self.char1, self.char2):
            entity_profiles.create_entity_profile(self.npc, obj)

    def refused_to_strangers(self, *commands):
        """Each says the same to builders who do not control Mara."""
        builder = self.as_staff("Builder")
        for command in commands:
            with self.subTest(command):
                said = self.types(command, by=builder)
                self.assertIn("You may not change the mind of", said)


class JournalTests(ViewTestCase):
    def setUp(self):
        super().setUp()
        self.know()
        told = {"source_type": "direct", "source_entity": "Char", "source_id": self.ann}
        journal.add_entry(
            self.npc,
            "The crown |rlies|n here.",
            importance=7,
            audience=[self.ann, self.own],
            **told,
        )
        journal.add_entry(self.npc, "It rains.", importance=2, tags=["weather"])

    def test_it_shows_the_newest_first_with_source_weight_and_ears(self):
        day = journal.entries(self.npc)[0].timestamp[:16].replace("T", " ")
        self.assertEqual(
            self.types("@aimemory/journal Mara").splitlines(),
            [
                f"[2] {day}, importance 2 (manual), observation, known to all, tags weather",
                "    It rains.",
                f"[1] {day}, importance 7 (manual), told by Char, for Char, Mara",
                "    The crown |rlies|n here.",
            ],
        )

    def test_filters_choose(self):
        for rhs, expected in (
            ("importance>=5", "[1]"),
            ("tag=weather", "[2]"),
            ("who=char", "[1]"),
            ("rain", "[2]"),
            ("rain, days=1", "[2]"),
        ):
            with self.subTest(rhs):
                said = self.types(f"@aimemory/journal Mara = {rhs}")
                self.assertEqual([line[:3] for line in said.splitlines()[::2]], [expected])

    def test_nothing_that_fits_is_said_so(self):
        said = self.types("@aimemory/journal Mara = tag=gold")
        self.assertEqual(said, "None of its 2 entries fits.")

    def test_a_wrong_filter_is_one_sentence(self):
        said = self.types("@aimemory/journal Mara = tags=gold")
        self.assertEqual(
            said, "There is no filter 'tags'; there are words, tag=…, who=…, importance>=…, days=…."
        )

    def test_half_a_command_shows_how_it_is_written(self):
        said = self.types("@aimemory/journal")
        self.assertEqual(said, "Usage: @aimemory/journal <npc> [= <filter>, …]")

    def test_a_long_journal_is_paged(self):
        for number in range(250):
            journal.add_entry(self.npc, f"Day {number}.")
        said = self.types("@aimemory/journal Mara")
        self.assertIn("[252]", said)
        self.assertNotIn("[200]", said)
        self.assertIn("[1/", said.splitlines()[-1])

    def test_only_who_controls_it_may(self):
        self.refused_to_strangers(
            "@aimemory/journal Mara",
            "@aimemory/profile Mara = Char",
            "@aimemory/search Mara = crown",
        )


class ProfileTests(ViewTestCase):
    def test_it_shows_what_is_known_and_how_somebody_is_regarded(self):
        self.know()
        entity_profiles.add_entity_observation(
            self.npc, self.char2, "Char2 limps.", audience=[self.bob, self.own]
        )
        entity_profiles.update_relationship(self.npc, self.char2, 0.1, "helped")
        lines = self.types("@aimemory/profile Mara = Char2").splitlines()
        self.assertEqual(lines[0], "Char2 (player)")
        self.assertEqual(lines[1], "  regard     stranger (0.10), dealt with 1 time")
        self.assertEqual(lines[3], "  noticed")
        self.assertTrue(lines[4].endswith(" Char2 limps. (direct, for Char2, Mara)"), lines[4])
        self.assertEqual(lines[5], "  lately")
        self.assertTrue(lines[6].endswith(" +0.10 helped"), lines[6])

    def test_one_whom_it_does_not_know_is_said_so(self):
        said = self.types("@aimemory/profile Mara = Char2")
        self.assertEqual(said, f"{self.name} knows nothing of Char2.")

    def test_nobody_is_said_so(self):
        said = self.types("@aimemory/profile Mara = Nobody")
        self.assertEqual(said, f"There is no 'Nobody' whom {self.name} knows or whom you can see.")

    def test_half_a_command_shows_how_it_is_written(self):
        for text in ("@aimemory/profile", "@aimemory/profile Mara", "@aimemory/profile Mara ="):
            with self.subTest(text):
                self.assertEqual(
                    self.types(text), "Usage: @aimemory/profile <npc> = <who> [hostile/open]"
                )

    def test_one_of_many_of_a_name_is_asked_for_by_identity(self):
        for who in ("uuid-1", "uuid-2"):
            entity_profiles.create_entity_profile(self.npc, who, name="Tom")
        said = self.types("@aimemory/profile Mara = Tom")
        self.assertEqual(said, f"{self.name} knows 2 of that name: uuid-1, uuid-2.")
        self.assertIn("Tom", self.types("@aimemory/profile Mara = uuid-2"))


class SearchTests(ViewTestCase):
    def setUp(self):
        super().setUp()
        self.know()
        journal.add_entry(
            self.npc,
            "The crown lies under the mill.",
            source_type="direct",
            source_entity="Char",
            source_id=self.ann,
            audience=[self.ann, self.own],
        )

    def test_staff_see_what_it_has_whoever_may_know_it(self):
        first, second = self.types_and_waits(
            "@aimemory/search Mara = where is the crown?"
        ).splitlines()
        self.assertRegex(first, r"^1\. [01]\.\d\d said from Char, \d.*, for Char, Mara$")
        self.assertEqual(second, "     The crown lies under the mill.")

    def test_as_somebody_it_finds_what_they_may_know(self):
        """The words of Char are told to Char alone."""
        as_char = self.types_and_waits("@aimemory/search Mara = where is the crown? /as Char")
        self.assertIn("The crown lies under the mill.", as_char)
        as_other = self.types_and_waits("@aimemory/search Mara = where is the crown? /as Char2")
        self.assertEqual(as_other, "Nothing comes to mind.")

    def test_nothing_is_changed_by_it(self):
        before = journal.version(self.npc)
        self.types_and_waits("@aimemory/search Mara = where is the crown? /as Char")
        self.assertEqual(journal.version(self.npc), before)

    def test_half_a_command_shows_how_it_is_written(self):
        for text in ("", " Mara", " Mara =", " Mara = /as Char"):
            with self.subTest(text):
                self.assertEqual(
                    self.types(f"@aimemory/search{text}"),
                    "Usage: @aimemory/search <npc> = <question> [/as <who>]",
                )

    def test_as_nobody_is_said_so(self):
        said = self.types_and_waits("@aimemory/search Mara = crown /as Nobody")
        self.assertIn("There is no 'Nobody'", said)


class AboutTests(ViewTestCase):
    def test_it_is_what_is_lasting_then_what_was_last(self):
        self.know()
        entity_profiles.add_entity_observation(
            self.npc, self.char1, "Char limps.", audience="public"
        )
        self.clock.advance(60)
        journal.add_entry(
            self.npc,
            "I sell salt.",
            source_id=self.ann,
            source_entity="Char",
            source_type="direct",
        )
        found = recall_sources.about(self.npc, self.ann)
        self.assertEqual(
            [(one.kind, one.text) for one in found],
            [("said", "I sell salt."), ("journal", "Char limps.")],
        )
        self.assertEqual(recall_sources.about(self.npc, ""), [])
