"""Builders pin what matters, and let assistants forget."""

from evennia_ai.agent import turns
from evennia_ai.agent.revising import correcting
from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.test_experience import Broken
from tests.commands.cases import CommandTestCase
from tests.domain.decided import decision


class ChangeTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"
        self.bob = identity.identity_of(self.char2)
        self.clock.advance(1)

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def contents(self):
        return [entry.content for entry in journal.entries(self.npc)]

    def asked(self, text, answer):
        """Return what is read after a command and the answer to its question."""
        question = self.types(text)
        return question, self.types_and_waits(answer)


class PinTests(ChangeTestCase):
    def test_an_entry_is_pinned_and_let_loose(self):
        journal.add_entry(self.npc, "It rains.")
        said = self.types("@aimemory/pin Mara = 1")
        self.assertEqual(said, f"Entry 1 of {self.name} is pinned now. It is never let go.")
        self.assertTrue(journal.get_entry(self.npc, 1).pinned)
        self.assertEqual(self.types("@aimemory/pin Mara = 1"), "Entry 1 is pinned already.")
        said = self.types("@aimemory/pin Mara = 1 off")
        self.assertEqual(
            said, f"Entry 1 of {self.name} is not pinned now. It may be let go, as any other."
        )
        self.assertFalse(journal.get_entry(self.npc, 1).pinned)

    def test_a_pinned_entry_is_never_evicted(self):
        journal.add_entry(self.npc, "It rains.", importance=1)
        self.types("@aimemory/pin Mara = 1")
        journal.set_max_entries(self.npc, 2)
        for number in range(5):
            journal.add_entry(self.npc, f"Day {number}.", importance=1)
        self.assertEqual(self.contents(), ["It rains.", "Day 4."])

    def test_misuse_is_one_sentence(self):
        for text, said in (
            ("@aimemory/pin", "Usage: @aimemory/pin <npc> = <number of an entry> [off]"),
            ("@aimemory/pin Mara", "Usage: @aimemory/pin <npc> = <number of an entry> [off]"),
            ("@aimemory/pin Mara = x", "Usage: @aimemory/pin <npc> = <number of an entry> [off]"),
            (
                "@aimemory/pin Mara = 1 on",
                "Usage: @aimemory/pin <npc> = <number of an entry> [off]",
            ),
            ("@aimemory/pin Mara = 9", f"{self.name} has no entry 9."),
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text), said)

    def test_it_leaves_a_line_for_staff(self):
        journal.add_entry(self.npc, "It rains.")
        lines = " ".join(self.logged("@aimemory/pin Mara = 1"))
        self.assertIn(f"pinned entry 1 of {self.name}.", lines)

    def test_only_who_controls_it_may(self):
        journal.add_entry(self.npc, "It rains.")
        builder = self.as_staff("Builder")
        for command in ("pin Mara = 1", "pin Mara = 1 off", "forget Mara = 1", "forget Mara = all"):
            said = self.types(f"@aimemory/{command}", by=builder)
            self.assertIn("You may not change the mind of", said)
        self.assertEqual(self.contents(), ["It rains."])


class CorrectTests(ChangeTestCase):
    def setUp(self):
        super().setUp()
        self.char2.key = "Bob"
        entity_profiles.add_entity_observation(
            self.npc, self.char2, "limps a little", audience="public"
        )

    def noticed(self):
        known = entity_profiles.find_profile(self.npc, self.char2)
        return [(one.content, one.said_by) for one in known.observations]

    def test_what_it_noticed_of_somebody_is_put_right_and_is_nobody_s_word(self):
        question, said = self.asked("@aimemory/correct Mara = Bob | limps | Walks well.", "y")
        self.assertEqual(
            question, f"Let {self.name} know 'Walks well.' instead of 'limps a little'? [y/N]"
        )
        self.assertEqual(said, f"{self.name} knows better now.")
        self.assertEqual(self.noticed(), [("Walks well.", "")])

    def test_or_forgotten_and_kept_if_that_was_not_meant(self):
        question, said = self.asked("@aimemory/correct Mara = Bob | limps | nothing", "n")
        self.assertEqual(question, f"Let {self.name} forget 'limps a little'? [y/N]")
        self.assertEqual((said, len(self.noticed())), ("Nothing was done.", 1))
        _, said = self.asked("@aimemory/correct Mara = Bob | limps | nothing", "y")
        self.assertEqual((said, self.noticed()), (f"{self.name} has forgotten it.", []))

    def test_what_was_changed_while_the_question_stood_stands(self):
        question = self.types("@aimemory/correct Mara = Bob | limps | Walks well.")
        self.assertIn("[y/N]", question)
        [chosen] = correcting.known_of(self.npc, self.bob)
        correcting.correct_known(self.npc, self.bob, chosen, "Dances.")
        said = self.types_and_waits("y")
        self.assertEqual(said, "Somebody has changed it meanwhile. Nothing was done.")
        self.assertEqual(self.noticed(), [("Dances.", "")])

    def test_misuse_is_one_sentence(self):
        usage = "Usage: @aimemory/correct <npc> = <who> | <what is wrong> | <what is right>/nothing"
        for text, said in (
            ("Mara = Bob | limps", usage),
            ("Mara = Bob | | x", usage),
            ("Mara = Bob | crown | x", f"{self.name} knows nothing like 'crown' of them."),
        ):
            with self.subTest(text):
                self.assertEqual(self.types(f"@aimemory/correct {text}"), said)


class ForgetTests(ChangeTestCase):
    def setUp(self):
        super().setUp()
        entity_profiles.create_entity_profile(self.npc, self.char2)
        journal.add_entry(self.npc, "It rains.")
        journal.add_entry(self.npc, "I sell salt.", source_id=self.bob, source_entity="Char2")
        journal.add_entry(self.npc, "So it is wet.", source_type="inference", evidence=[1])

    def test_an_entry_goes_with_what_rests_on_it(self):
        question, said = self.asked("@aimemory/forget Mara = 1", "y")
        self.assertEqual(
            question, f"Let {self.name} forget entry 1 and what rests on it for good? [y/N]"
        )
        self.assertEqual(
            said, f"{self.name} has forgotten entry 1 and what rests on it: 2 entries."
        )
        self.assertEqual(self.contents(), ["I sell salt."])

    def test_a_person_goes_with_what_they_told(self):
        _, said = self.asked("@aimemory/forget Mara = Char2", "yes")
        self.assertEqual(
            said, f"{self.name} has forgotten Char2, and what they told: 1 entry, 1 profile."
        )
        self.assertEqual(self.contents(), ["It rains.", "So it is wet."])
        self.assertIsNone(entity_profiles.find_profile(self.npc, self.bob))

    def test_somebody_who_is_only_known_can_be_forgotten(self):
        entity_profiles.create_entity_profile(self.npc, "uuid-tom", name="Tom")
        _, said = self.asked("@aimemory/forget Mara = Tom", "y")
        self.assertEqual(said, f"{self.name} has forgotten Tom, and what they told: 1 profile.")

    def test_everything_goes(self):
        question, said = self.asked("@aimemory/forget Mara = all", "y")
        self.assertIn("forget everything that it remembers for good?", question)
        self.assertEqual(said, f"{self.name} has forgotten everything that it remembers.")
        self.assertEqual(self.contents(), [])

    def test_without_a_yes_nothing_is_done(self):
        for answer in ("n", "", "maybe"):
            with self.subTest(answer):
                _, said = self.asked("@aimemory/forget Mara = all", answer or " ")
                self.assertEqual(said, "Nothing was done.")
        self.assertEqual(len(self.contents()), 3)

    def test_one_that_is_gone_meanwhile_forgets_nothing(self):
        self.types("@aimemory/forget Mara = all")
        self.npc.delete()
        self.assertEqual(self.types("y"), "Nothing was done.")

    def test_misuse_is_one_sentence(self):
        usage = "Usage: @aimemory/forget <npc> = <number of an entry>/<who>/experience/all"
        for text, said in (
            ("@aimemory/forget", usage),
            ("@aimemory/forget Mara", usage),
            ("@aimemory/forget Mara =", usage),
            ("@aimemory/forget Mara = 9", f"{self.name} has no entry 9."),
            (
                "@aimemory/forget Mara = Nobody",
                f"There is no 'Nobody' whom {self.name} knows or whom you can see.",
            ),
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text), said)

    def test_it_leaves_a_line_for_staff_without_the_words(self):
        self.types("@aimemory/forget Mara = Char2")
        lines = " ".join(self.logged("y"))
        self.assertIn(f"let somebody be forgotten by {self.name}.", lines)
        self.assertNotIn("salt", lines)


class EditTests(ChangeTestCase):
    """An entry in other words: asked first, and nothing of the old ones is left."""

    def setUp(self):
        super().setUp()
        journal.add_entry(self.npc, "The ferry sails at dawn.", source_id=self.bob)
        journal.add_entry(self.npc, "So one rises early.", source_type="inference", evidence=[1])

    def test_it_says_something_else_and_what_rests_on_it_goes(self):
        question, said = self.asked("@aimemory/edit Mara = 1 The ferry sails at noon.", "y")
        self.assertEqual(
            question,
            f'Let entry 1 of {self.name} say "The ferry sails at noon.", and what rests on it be '
            "forgotten? [y/N]",
        )
        self.assertEqual(
            said, f"{self.name} has changed entry 1, and forgotten what it was: 1 entry."
        )
        [kept] = journal.entries(self.npc)
        self.assertEqual((kept.id, kept.content), (1, "The ferry sails at noon."))
        self.assertEqual(
            (kept.said_by, kept.audience, kept.consolidated), (self.bob, "public", False)
        )

    def test_without_a_yes_nothing_is_done(self):
        _, said = self.asked("@aimemory/edit Mara = 1 The ferry sails at noon.", "n")
        self.assertEqual(said, "Nothing was done.")
        self.assertEqual(len(self.contents()), 2)

    def test_misuse_is_one_sentence(self):
        usage = "Usage: @aimemory/edit <npc> = <number of an entry> <words>"
        for text, said in (
            ("@aimemory/edit", usage),
            ("@aimemory/edit Mara", usage),
            ("@aimemory/edit Mara = x y", usage),
            ("@aimemory/edit Mara = 9 Oh.", f"{self.name} has no entry 9."),
            ("@aimemory/edit Mara = 1", "An entry says something."),
            ("@aimemory/edit Mara = 1 The ferry sails at dawn.", "Entry 1 says that already."),
            (f"@aimemory/edit Mara = 1 {'no ' * 400}", "An entry has up to 1000 characters."),
        ):
            with self.subTest(text[:40]):
                self.assertEqual(self.types(text), said)

    def test_it_leaves_a_line_for_staff_without_the_words(self):
        self.types("@aimemory/edit Mara = 1 The ferry sails at noon.")
        lines = " ".join(self.logged("y"))
        minds.pass_time(self.clock, 5)
        self.assertIn(f"wrote anew entry 1 of {self.name}.", lines)
        self.assertNotIn("noon", lines)

    def test_one_that_is_gone_meanwhile_is_said_to_be(self):
        self.types("@aimemory/edit Mara = 1 The ferry sails at noon.")
        journal.remove_entries(self.npc, [1])
        self.assertEqual(self.types_and_waits("y"), f"{self.name} has no entry 1 any more.")

    def test_only_who_controls_it_may(self):
        builder = self.as_staff("Builder")
        for command in ("edit Mara = 1 No.", "narrow Mara = 1 nobody"):
            said = self.types(f"@aimemory/{command}", by=builder)
            self.assertIn("You may not change the mind of", said)
        self.assertEqual(self.contents()[0], "The ferry sails at dawn.")


class NarrowTests(ChangeTestCase):
    """Who may know an entry becomes fewer, never more."""

    def setUp(self):
        super().setUp()
        self.own = identity.identity_of(self.npc)
        journal.add_entry(self.npc, "The ferry sails at dawn.")
        entity_profiles.create_entity_profile(self.npc, self.char2)

    def known(self, entry_id=1):
        return journal.get_entry(self.npc, entry_id).audience

    def test_it_is_for_those_who_are_named_and_then_for_nobody(self):
        question, said = self.asked("@aimemory/narrow Mara = 1 Char2", "y")
        self.assertEqual(
            question,
            f"Let entry 1 of {self.name} be for Char2, Mara, and what rests on it be forgotten? [y/N]",
        )
        self.assertEqual(
            said, f"{self.name} has changed entry 1, and forgotten what it was: nothing."
        )
        self.assertEqual(self.known(), sorted([self.bob, self.own]))
        question, _ = self.asked("@aimemory/narrow Mara = 1 nobody", "y")
        self.assertIn("be for nobody, and", question)
        self.assertEqual(self.known(), [])

    def test_nobody_is_added(self):
        journal.add_entry(self.npc, "It leaks.", audience=[self.bob, self.own])
        for names in ("Char", "Char2, Char"):
            said = self.types(f"@aimemory/narrow Mara = 2 {names}")
            self.assertEqual(
                said, "Who may know entry 2 can become fewer, and nobody who may not know it now."
            )
        said = self.types("@aimemory/narrow Mara = 2 Char2")
        self.assertEqual(said, "Entry 2 is for nobody else already.")

    def test_whoever_was_shut_out_while_the_question_stood_stays_so(self):
        self.types("@aimemory/narrow Mara = 1 Char2, Char")
        journal.edit_entry(self.npc, 1, audience=[self.bob])
        self.types_and_waits("y")
        self.assertEqual(self.known(), [self.bob])

    def test_misuse_is_one_sentence(self):
        usage = "Usage: @aimemory/narrow <npc> = <number of an entry> nobody/<who>, …"
        for text, said in (
            ("@aimemory/narrow", usage),
            ("@aimemory/narrow Mara = 1", usage),
            ("@aimemory/narrow Mara = 9 nobody", f"{self.name} has no entry 9."),
            (
                "@aimemory/narrow Mara = 1 Char2, Nemo",
                f"There is no 'Nemo' whom {self.name} knows or whom you can see.",
            ),
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text), said)
        self.assertEqual(self.known(), "public")


class ForgetExperienceTests(ChangeTestCase):
    """What was learned by doing goes alone, and what is remembered stays."""

    def setUp(self):
        super().setUp()
        journal.add_entry(self.npc, "It rains.")
        self.learn(self.npc)

    def learn(self, npc):
        """Let an NPC have tried two things, one of which can still be rated."""
        mind = scripts.find(npc)
        for action in ("warn", "soothe"):
            self.successResultOf(
                experience_of(mind, npc).store_decision("A brawl", action, "quest", 0.6, {}, "")
            )
        turn_decisions.keep_decision(mind, decision(settled=True))

    def known(self, npc=None):
        """Return how many decisions are kept of an NPC (Mara)."""
        npc = npc or self.npc
        stats = self.successResultOf(experience_of(scripts.find(npc), npc).get_stats())
        return stats["total_memories"]

    def test_it_goes_and_nothing_else_does(self):
        question, said = self.asked("@aimemory/forget Mara = experience", "y")
        self.assertEqual(
            question, f"Let {self.name} forget what it has learned by doing for good? [y/N]"
        )
        self.assertEqual(
            said, f"{self.name} has forgotten what it has learned by doing: 2 decisions."
        )
        self.assertEqual(self.known(), 0)
        self.assertEqual(turn_decisions.recent(scripts.find(self.npc)), [])
        self.assertEqual(self.contents(), ["It rains."])

    def test_without_a_yes_nothing_is_done(self):
        _, said = self.asked("@aimemory/forget Mara = Experience", "n")
        self.assertEqual(said, "Nothing was done.")
        self.assertEqual(self.known(), 2)
        self.assertEqual(len(turn_decisions.recent(scripts.find(self.npc))), 1)

    def test_it_leaves_a_line_for_staff(self):
        self.types("@aimemory/forget Mara = experience")
        lines = " ".join(self.logged("y"))
        self.assertIn(f"let its experience be forgotten by {self.name}.", lines)
        self.assertIn(f"#{self.npc.id} forgot 2 decisions.", lines)

    def test_a_group_forgets_together_and_only_for_admins(self):
        npc_settings.grant(self.npc, experience_scope="Watch")
        self.learn(self.npc)
        builder = self.as_staff("Builder")
        self.npc.locks.add("control:all()")
        said = self.types("@aimemory/forget Mara = experience", by=builder)
        self.assertIn("shares its experience with the group 'watch'; only admins", said)
        self.assertEqual(self.known(), 2)
        _, said = self.asked("@aimemory/forget Mara = experience", "y")
        self.assertEqual(
            said,
            f"{self.name} has forgotten what the group 'watch' has learned by doing: 2 decisions.",
        )
        self.assertEqual(self.known(), 0)
        npc_settings.grant(self.npc, experience_scope=None)
        self.assertEqual(self.known(), 2)

    def test_it_waits_for_a_turn_that_would_keep_what_it_does(self):
        running = [True]
        self.patch(turns, "is_running", lambda script_id: running[0])
        self.types("@aimemory/forget Mara = experience")
        self.types("y")
        self.clock.advance(1)
        self.assertEqual(self.known(), 2)
        running[:] = [False]
        self.clock.advance(1)
        self.assertEqual(self.known(), 0)

    def test_of_one_that_is_gone_before_its_turn_is_over_nothing_is_left(self):
        running = [True]
        self.patch(turns, "is_running", lambda script_id: running[0])
        self.types("@aimemory/forget Mara = experience")
        self.types("y")
        experience = experience_of(scripts.find(self.npc), self.npc)
        self.npc.delete()
        running[:] = [False]
        self.clock.advance(1)
        self.assertEqual(self.successResultOf(experience.get_stats())["total_memories"], 0)

    def test_what_cannot_be_reached_is_to_be_done_again(self):
        memory_thread.set_worker(Broken())
        self.addCleanup(memory_thread.set_worker, None)
        _, said = self.asked("@aimemory/forget Mara = experience", "y")
        self.assertEqual(said, f"{self.name} has not forgotten all of it: torn Do it once more.")
        self.assertEqual(len(turn_decisions.recent(scripts.find(self.npc))), 1)
