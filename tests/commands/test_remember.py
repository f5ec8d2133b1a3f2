"""Players see what NPCs remember of them, put it right, have it forgotten, and opt out."""

from evennia_ai.agent import ingest
from evennia_ai.agent.hearing import perception
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.semantic import base, journal_sync
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class RememberTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.find(self.npc)
        self.ann, self.bob = identity.identity_of(self.char1), identity.identity_of(self.char2)
        self.own = identity.identity_of(self.npc)

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def tell(self, content, *, who=None, name="Char", source_type="direct", **fields):
        return journal.add_entry(
            self.npc,
            content,
            source_type=source_type,
            source_id=who or self.ann,
            source_entity=name,
            **fields,
        )

    def fact(self, value, *, known="public"):
        entity_profiles.create_entity_profile(self.npc, self.char1)
        with repository.edit(self.npc, kinds.PROFILES, self.ann, default=dict) as profile:
            profile.attributes.append(
                {
                    "id": len(profile.attributes) + 1,
                    "type": "family",
                    "value": value,
                    "source": "consolidation",
                    "created": "2026-01-01T00:00:00.000Z",
                    "evidence": [],
                    "superseded_by": None,
                    "audience": known,
                    "sources": [["game"]],
                    "told_by": [self.ann],
                }
            )

    def facts(self):
        known = entity_profiles.find_profile(self.npc, self.ann)
        return [(one.value, one.superseded_by) for one in known.attributes]


class ShowTests(RememberTestCase):
    def test_a_stranger_hears_that_nothing_is_known(self):
        self.assertEqual(
            self.types("remember mara").splitlines(),
            [
                "Mara hardly knows you.",
                "Mara remembers 0 lines of your talk, and 0 things that you said.",
            ],
        )

    def test_it_shows_what_is_known_of_whoever_asks(self):
        self.fact("has a brother")
        self.tell("I sell |rsalt|n.")
        self.tell("I sell pepper.", who=self.bob, name="Char2")
        entity_profiles.add_entity_observation(
            self.npc, self.char1, "Char limps.", audience="public"
        )
        for _ in range(3):
            entity_profiles.update_relationship(self.npc, self.char1, 0.1)
            self.clock.advance(90000)
        self.assertEqual(
            self.types("remember mara").splitlines(),
            [
                "Mara knows you a little.",
                "Mara knows of you:",
                "  Char has a brother.",
                "Mara has noticed:",
                "  Char limps.",
                "You told Mara, lately:",
                "  I sell |rsalt|n.",
                "Mara remembers 0 lines of your talk, and 1 thing that you said.",
            ],
        )

    def test_what_they_said_to_others_is_heard_and_not_told(self):
        self.tell("I sell salt.")
        self.tell("Bertil, bring me an ale.", source_type="environmental")
        self.assertEqual(
            self.types("remember mara").splitlines()[1:5],
            [
                "You told Mara, lately:",
                "  I sell salt.",
                "Mara heard you say, lately:",
                "  Bertil, bring me an ale.",
            ],
        )

    def test_what_they_did_is_noticed_and_not_told(self):
        seen = {"source_id": self.ann, "source_entity": "Char"}
        for number in range(7):
            journal.add_entry(self.npc, f"Char rang bell {number}.", tags=["trigger"], **seen)
        self.tell("I sell salt.")
        journal.add_entry(self.npc, "Char gives Mara an eel.", tags=["give"], **seen)
        journal.add_entry(self.npc, "Char saw it.", audience=[self.own], **seen)
        said = self.types("remember mara").splitlines()
        told = said.index("You told Mara, lately:")
        self.assertIn("  Char gives Mara an eel.", said[:told])
        self.assertIn("  Char rang bell 6.", said[:told])
        self.assertNotIn("  Char saw it.", said)
        self.assertEqual(
            said[told + 1 :],
            [
                "  I sell salt.",
                "Mara remembers 0 lines of your talk, and 1 thing that you said.",
            ],
        )

    def test_what_is_not_for_them_is_not_shown(self):
        self.fact("is watched by the guard", known=[self.bob, self.own])
        entity_profiles.add_entity_observation(
            self.npc, self.char1, "Char stole it.", audience=[self.bob, self.own]
        )
        said = self.types("remember mara")
        self.assertNotIn("guard", said)
        self.assertNotIn("stole", said)

    def test_misuse_is_one_sentence(self):
        for text, said in (
            ("remember", "Usage: remember <npc>"),
            ("remember Nobody", "There is no 'Nobody' here who would listen."),
            ("remember/correct Mara", CORRECT),
            ("remember/correct Mara = wrong", CORRECT),
            ("remember/correct Mara = wrong |", CORRECT),
            ("remember/correct Mara = | right", CORRECT),
            ("remember/forget", "Usage: remember/forget <npc> or all"),
            (
                "remember/opt",
                "/opt may be /optin or /optout: remember has /correct, /forget, /optin, /optout, /quiet, /talk. "
                "Nothing was done.",
            ),
            (
                "remember/burn Mara",
                "There is no switch /burn: remember has /correct, /forget, /optin, /optout, /quiet, /talk. "
                "Nothing was done.",
            ),
            (f"remember/correct Mara = a | {'x' * 201}", "Say it in 200 letters."),
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text), said)


CORRECT = "Usage: remember/correct <npc> = <what is wrong> | <what is right>"


class CorrectTests(RememberTestCase):
    def test_a_fact_gives_way_to_the_right_one(self):
        self.fact("has a brother")
        said = self.types("remember/correct Mara = a brother | has a sister")
        self.assertEqual(said, "Mara knows better now.")
        self.assertEqual(self.facts(), [("has a brother", 2), ("has a sister", None)])
        right = entity_profiles.find_profile(self.npc, self.ann).attributes[1]
        self.assertEqual(
            (right.source, right.told_by, right.audience),
            ("correction", [self.ann], "public"),
        )

    def test_all_that_it_changed_is_told_and_three_of_it_named(self):
        for number in (1, 2, 3):
            self.tell(f"{number}: I sell salt.")
        self.tell("I sell fish.")
        self.tell("I sell salt.")
        said = self.types("remember/correct Mara = I sell salt. | I sell pepper.")
        self.assertEqual(
            said,
            "Mara knows better now of 4 things: 'I sell salt.', '3: I sell salt.', "
            "'2: I sell salt.', …",
        )

    def test_of_two_things_both_are_named(self):
        self.tell("They say that I sell salt.")
        self.tell("I sell salt.")
        said = self.types("remember/correct Mara = i sell salt | I sell pepper.")
        self.assertEqual(
            said,
            "Mara knows better now of 2 things: 'I sell salt.', 'They say that I sell salt.'.",
        )

    def test_what_was_noticed_is_written_anew(self):
        entity_profiles.add_entity_observation(
            self.npc, self.char1, "Char limps.", audience=[self.ann, self.own]
        )
        self.types("remember/correct Mara = limps | Char dances.")
        [one] = entity_profiles.find_profile(self.npc, self.ann).observations
        self.assertEqual(
            (one.content, one.said_by, one.audience),
            ("Char dances.", self.ann, sorted([self.ann, self.own])),
        )

    def test_what_they_told_is_corrected_in_long_term_memory_too(self):
        entry = self.tell("I sell salt.")
        self.successResultOf(
            journal_sync.add_entry(base.get_memory(), entry, assistant_key=self.own)
        )
        said = self.types("remember/correct Mara = selling salt | I sell pepper.")
        self.assertEqual(said, "Mara knows better now.")
        self.assertEqual(journal.get_entry(self.npc, entry.id).content, "I sell pepper.")
        [kept] = self.successResultOf(base.get_memory().get_all(assistant_key=self.own))
        self.assertEqual(kept.text, "I sell pepper.")
        self.assertEqual([past["text"] for past in kept.metadata["history"]], ["I sell salt."])

    def test_what_others_said_cannot_be_changed(self):
        self.tell("Char is a thief.", who=self.bob, name="Char2")
        said = self.types("remember/correct Mara = thief | Char is a saint.")
        self.assertEqual(said, "Mara knows nothing like 'thief' of you or from you.")

    def test_what_is_not_for_them_cannot_be_sounded_out(self):
        self.fact("is watched", known=[self.bob, self.own])
        said = self.types("remember/correct Mara = watched | is free")
        self.assertEqual(said, "Mara knows nothing like 'watched' of you or from you.")

    def test_a_correction_that_says_nothing_is_refused(self):
        self.fact("has a brother")
        said = self.types("remember/correct Mara = brother | ...")
        self.assertEqual(said, "A correction says what is right.")

    def test_it_leaves_a_line_for_staff_without_the_words(self):
        self.fact("has a brother")
        lines = " ".join(self.logged("remember/correct Mara = brother | has a sister"))
        who, whom = f"Char(#{self.char1.id})", f"Mara(#{self.npc.id})"
        self.assertIn(f"{who} corrected what is known of them by {whom}.", lines)
        self.assertNotIn("sister", lines)


class ForgetTests(RememberTestCase):
    def setUp(self):
        super().setUp()
        self.tom = minds.make_assistant("Tom", location=self.room2)
        self.tell("I sell salt.")
        journal.add_entry(self.tom, "I sell salt.", source_id=self.ann)

    def forget(self, whom, answer="y"):
        question = self.types(f"remember/forget {whom}")
        said = self.types_and_waits(answer)
        return question, said, "\n".join(text for _, text in self.read[self.char1])

    def test_one_npc_forgets(self):
        question, said, _ = self.forget("mara")
        self.assertEqual(
            question, "Shall Mara forget you and all that you told them, for good? [y/N]"
        )
        self.assertEqual(said, "You are forgotten: Mara will know you no more.")
        self.assertEqual(journal.entries(self.npc), [])
        self.assertEqual(len(journal.entries(self.tom)), 1)

    def test_all_forget(self):
        _, _, read = self.forget("all")
        self.assertIn("You are forgotten: everybody will know you no more.", read)
        self.assertEqual((journal.entries(self.npc), journal.entries(self.tom)), ([], []))

    def test_without_a_yes_nothing_is_done(self):
        _, said, _ = self.forget("all", "n")
        self.assertEqual(said, "Nothing was done.")
        self.assertEqual(len(journal.entries(self.npc)), 1)

    def test_it_leaves_a_line_for_staff(self):
        self.types("remember/forget mara")
        lines = " ".join(self.logged("y"))
        self.assertIn(f"asked to be forgotten by Mara(#{self.npc.id}).", lines)


class OptOutTests(RememberTestCase):
    def hear(self, words):
        perception.perceive(self.npc, "say", words, self.char1)
        minds.pass_time(self.clock, 0.2)

    def test_who_opted_out_is_remembered_for_their_visit_only(self):
        said = self.types("remember/optout")
        self.assertIn("Nobody will remember you for longer than you are in the game.", said)
        self.hear("I sell salt and pepper.")
        self.assertEqual(journal.entries(self.npc), [])
        self.assertEqual(len(working_memory.lines_with(self.npc, self.ann)), 1)
        self.assertIn(
            "this goes when you leave the game, but for what was noted", self.types("remember mara")
        )
        self.account.unpuppet_all()
        ingest.forget_departed_guests(self.npc, self.mind)
        self.assertEqual(working_memory.lines_with(self.npc, self.ann), [])

    def test_after_the_next_visit_only_what_was_noted_before_is_left(self):
        self.tell("I sell salt.")
        entity_profiles.add_entity_observation(self.npc, self.ann, "Char limps.", audience="public")
        said = self.types("remember/optout")
        self.assertIn(
            "forgets, when you leave, also who you were to it and your talk of before", said
        )
        self.assertIn("What it noted of your words until now stays", said)
        self.hear("Good evening.")
        self.account.unpuppet_all()
        ingest.forget_departed_guests(self.npc, self.mind)
        self.assertIsNone(entity_profiles.find_profile(self.npc, self.ann))
        self.assertEqual(working_memory.lines_with(self.npc, self.ann), [])
        self.assertEqual([one.content for one in journal.entries(self.npc)], ["I sell salt."])

    def test_it_can_be_taken_back(self):
        self.types("remember/optout")
        self.assertEqual(self.types("remember/optin"), "You will be remembered as everybody else.")
        self.hear("I sell salt and pepper.")
        self.assertEqual(len(journal.entries(self.npc)), 1)

    def test_twice_is_said_so(self):
        self.assertEqual(
            self.types("remember/optin"), "You are remembered as everybody else already."
        )
        self.types("remember/optout")
        self.assertEqual(
            self.types("remember/optout"),
            "You are not remembered already. remember/forget all, or remember/optin, changes that.",
        )

    def test_a_guest_need_not(self):
        self.account.permissions.add("Guest")
        said = self.types("remember/optout")
        self.assertEqual(said, "You are a guest, and are forgotten when you leave anyway.")
        self.assertFalse(accounts.is_opted_out(self.char1))

    def test_what_is_noticed_of_one_who_is_away_does_not_stay(self):
        self.types("remember/optout")
        self.account.unpuppet_all()
        entity_profiles.add_entity_observation(self.npc, self.ann, "Char limps.", audience="public")
        self.assertEqual(assistant.guests(self.mind), {self.ann: self.char1.id})
        ingest.forget_departed_guests(self.npc, self.mind)
        self.assertIsNone(entity_profiles.find_profile(self.npc, self.ann))

    def test_it_leaves_a_line_for_staff(self):
        lines = " ".join(self.logged("remember/optout"))
        self.assertIn(f"Char(#{self.char1.id}) does not want to be remembered.", lines)
        lines = " ".join(self.logged("remember/optin"))
        self.assertIn(f"Char(#{self.char1.id}) wants to be remembered again.", lines)
