"""A mind out of its NPC and into one that remembers nothing: the same answers to the same questions."""

import json
import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

from django.db import DatabaseError
from evennia.utils.create import create_object

from evennia_ai.agent.revising import forgetting, mind_archive, mind_transfer
from evennia_ai.core.records import Link, Reminder
from evennia_ai.domain.files import mind_file
from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.experience import base as experience
from evennia_ai.experience.base import experience_of
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.lifecycle import store_handlers
from evennia_ai.memory import identity, journal, kinds, links, persona, repository, working_memory
from evennia_ai.memory.people import accounts, entity_backlog, entity_profiles
from evennia_ai.memory.seeds import mind_folders
from evennia_ai.memory.state import assistant, kept_goals, npc_settings, reflection_state
from evennia_ai.memory.storage import pages
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.agent.cases import MindTestCase
from tests.domain.lines import OF_THE_GAME

EMBEDDER = "evennia_ai.semantic.embedders.sentences.SentenceEmbedder"
SECRET = "I hid the key under the oak."
RAID = "The raid begins at dawn."
# Who asks how, and what.
QUESTIONS = (
    (1, "say Mara, where is the key?"),
    (2, "say Mara, where is the key?"),
    (2, "whisper Mara = What did Char tell you of a key?"),
    (1, "say Mara, who brews the ale?"),
    (2, "say Mara, what do you know about the bridge?"),
    (2, "say Mara, what grows in the abbey garden?"),
    (1, "say Mara, who sleeps in the north tower?"),
    (1, "say Mara, do you know me?"),
)


class TransferTestCase(MindTestCase):
    """Long-term memory and experience are files, as in a game."""

    lore = ("The ale is brewed by old Tam.", "The cellar was bricked up after the flood.")

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-minds-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        options = {"path": str(self.folder / "memory.db3"), "embedder": EMBEDDER}
        backend = "evennia_ai.semantic.mem0.Mem0Memory"
        self.configure(
            SEMANTIC={"default": {"BACKEND": backend, "OPTIONS": options}},
            EXPERIENCE={
                "ENABLED": True,
                "PATH": str(self.folder / "experience.db3"),
                "HYDRATE": "",
                "DECISIONS": 2000,
            },
        )
        self.patch(
            mind_folders,
            "FOLDERS",
            {"seeds": str(self.folder), "minds": str(self.folder / "minds")},
        )
        self.addCleanup(base.reset)
        self.addCleanup(experience.reset)

    def done(self, deferred):
        """Return what a Deferred fires with, once its slices are done."""
        for _ in range(50):
            if deferred.called:
                break
            self.wait(0.2)
        return self.successResultOf(deferred)

    def failed(self, deferred, error):
        """Return the error that a Deferred fails with, once its slices are done."""
        for _ in range(50):
            if deferred.called:
                break
            self.wait(0.2)
        return self.failureResultOf(deferred, error).value

    def live(self):
        """Let Mara have something in each store."""
        self.do(self.char1, "say Hello Mara", wait=2)
        self.do(self.char1, "say The bridge to the north is broken.", wait=2)
        self.do(self.char1, f"whisper Mara = {SECRET}", wait=2)
        key, both = identity.identity_of(self.mara), sorted([self.first, self.own])
        memory = base.get_memory()
        ids = [
            self.done(memory.add(text, assistant_key=key, audience=known, metadata=about))
            for text, known, about in (
                ("Sage grows in the abbey garden.", "public", {"source_trust": 0.9}),
                ("The bishop sleeps in the north tower.", both, {"speaker": "Char"}),
            )
        ]
        links.save_links(self.script_of_mara, {ids[0]: [Link(id=ids[1], score=0.5)]})
        entity_profiles.update_relationship(self.mara, self.char1, 0.1, "kept a promise")
        for number in range(5):
            entity_profiles.add_entity_observation(
                self.mara, self.char1, f"Char wears {number} rings.", audience=both
            )
        kept_goals.add_goal(self.script_of_mara, "Mend the roof", audience=both)
        reminder = Reminder(
            sources=OF_THE_GAME, due="2031-01-01T00:00:00.000Z", text="Bake.", audience="public"
        )
        assistant.add_reminder(self.script_of_mara, reminder)
        npc_settings.choose_for_mind(
            self.script_of_mara, sleep_schedule={"enabled": True, "sleep_start_hour": 3}
        )
        npc_settings.choose(self.mara, talkative="chatty")
        own = experience_of(self.script_of_mara, self.mara)
        self.done(
            own.store_decision(
                "A drunkard shouts", "warn", "relationship", 0.5, {}, "Loud.", episode_id="e1"
            )
        )
        self.done(own.store_trajectory("roof", "nails", 0.7, {"milestones_hit": [], "steps": 2}))
        self.done(own.store_feedback(OutcomeFeedback("e1", overall_effectiveness=8)))
        self.done(own.store_feedback(OutcomeFeedback("e1", overall_effectiveness=9)))

    @property
    def own(self):
        return identity.identity_of(self.mara)

    def take(self, npc=None):
        npc = npc or self.mara
        return self.done(mind_transfer.take_mind(npc, scripts.find(npc)))

    def give(self, mind, npc):
        """Put a mind into an NPC, which is switched off meanwhile."""
        script = scripts.find(npc)
        script.disable()
        self.done(mind_transfer.give_mind(npc, script, mind))
        script.enable()

    def is_blank(self, npc):
        return self.done(mind_transfer.is_blank(npc, scripts.find(npc)))

    def answers(self):
        """Return what both players read after each question."""
        found = []
        for number, question in QUESTIONS:
            self.ann.clear()
            self.bob.clear()
            self.do(self.char1 if number == 1 else self.char2, question, wait=2)
            found.append((question, list(self.ann), list(self.bob)))
            # Nobody is engaged any more: each question stands for itself.
            self.wait(90)
        return found


class TransferTests(TransferTestCase):
    def test_after_export_wiping_and_import_the_same_questions_have_the_same_answers(self):
        self.live()
        script = self.script_of_mara
        exported = self.done(mind_archive.export(self.mara, script, "mara.json"))
        moment = self.clock.seconds()
        before = self.answers()
        told = json.dumps(before)
        for words in (
            "under the oak",
            "old Tam",
            "bridge to the north is broken",
            "Sage",
            "bishop",
        ):
            self.assertIn(words, told)
        self.done(forgetting.forget_everything(self.mara, script))
        self.assertTrue(self.is_blank(self.mara))
        persona.save_lore(self.mara, [])
        self.assertNotIn("under the oak", json.dumps(self.answers()))
        self.done(forgetting.forget_everything(self.mara, script))
        read = self.done(mind_archive.read("mara"))
        self.assertEqual(read, exported)
        self.give(read, self.mara)
        # At the same moment, and with nobody in conversation: after a restart.
        minds.forget_all()
        self.clock.rightNow = moment
        self.assertEqual(self.answers(), before)

    def test_a_whispered_secret_is_kept_by_the_new_owner_of_the_mind(self):
        self.live()
        mind = self.take()
        self.mara.location = None
        bea = minds.make_assistant("Bea", location=self.room1)
        self.give(mind, bea)
        self.ann.clear()
        self.bob.clear()
        self.do(self.char2, "say Bea, where is the key?", wait=2)
        self.assertNotIn("oak", f"{self.ann} {self.bob}")
        self.wait(90)
        self.do(self.char1, "say Bea, where is the key?", wait=2)
        self.assertTrue([text for kind, text in self.ann if kind == "whisper" and "oak" in text])
        self.assertNotIn("oak", f"{self.bob}")

    def test_everything_is_as_it_was_but_whose_it_is(self):
        self.live()
        mind = self.take()
        bea = minds.make_assistant("Bea", location=self.room2)
        self.give(mind, bea)
        again = self.take(bea)
        wanted = mind_file.handed_over(mind, identity.identity_of(bea))
        self.maxDiff = None
        ids = {
            one["id"]: other["id"]
            for one, other in zip(wanted["memories"], again["memories"], strict=True)
        }
        self.assertEqual(len(ids), 2)
        wanted["links"] = pages.plain(mind_file.with_memory_ids(wanted, ids))
        self.assertEqual(len(wanted["links"]), 1)
        for one in wanted["memories"]:
            one["id"] = ids[one["id"]]
            one["metadata"].setdefault("timestamp", one["created"])
        for key, value in wanted.items():
            with self.subTest(key):
                self.assertEqual(again[key], value)
        self.assertEqual(npc_settings.talkative(bea), "chatty")
        self.assertEqual(again["experience"]["feedback"][0]["overall_effectiveness"], 9)

    def test_what_is_kept_beside_the_memories_fits_them(self):
        self.live()
        mind = self.take()
        bea = minds.make_assistant("Bea", location=self.room2)
        self.give(mind, bea)
        self.assertEqual(entity_profiles.find_by_name(bea, "char"), [self.first])
        self.assertEqual(entity_backlog.ripe(bea), entity_backlog.ripe(self.mara))
        self.assertEqual(entity_backlog.ripe(bea), [self.first])
        entry = journal.add_entry(bea, "It rains.")
        self.assertEqual(entry.id, mind["journal"]["entry_count"] + 1)
        self.assertEqual(
            reflection_state.reflection_state(scripts.find(bea)).cumulative_importance,
            mind["reflection"]["cumulative_importance"],
        )

    def test_what_was_said_on_a_channel_is_repeated_on_none_of_another_game(self):
        journal.add_entry(self.mara, RAID, audience=["channel:2"])
        bea = minds.make_assistant("Bea", location=self.room2)
        self.give(self.take(), bea)
        [entry] = journal.entries(bea)
        self.assertEqual((entry.content, entry.audience), (RAID, ["channel:elsewhere"]))

    def test_a_promise_is_kept_to_whom_it_was_made_and_to_nobody_of_the_same_number(self):
        promised = {"due": "2030-01-01T00:00:00.000Z", "audience": [self.first]}
        for said_by, text in ((self.first, "Wake Char."), ("uuid-ann", "Tell Ann of the key.")):
            reminder = Reminder(
                sources=OF_THE_GAME,
                **promised,
                text=text,
                said_by=said_by,
                actor_id=self.char1.id,
                payer=7,
            )
            assistant.add_reminder(self.script_of_mara, reminder)
        bea = minds.make_assistant("Bea", location=self.room2)
        self.give(self.take(), bea)
        self.assertEqual(
            [(one.text, one.actor_id, one.payer) for one in assistant.reminders(scripts.find(bea))],
            [("Wake Char.", self.char1.id, 7), ("Tell Ann of the key.", 0, 0)],
        )

    def test_who_is_remembered_for_their_visit_only_is_in_no_file(self):
        accounts.opt_out(self.char2)
        self.do(self.char2, f"whisper Mara = {RAID}", wait=2)
        self.assertIn(RAID, str(working_memory.all_lines(self.mara)))
        mind = self.done(mind_transfer.take_mind(self.mara, self.script_of_mara))
        self.assertNotIn(RAID, json.dumps(mind))
        self.assertNotIn(self.second, mind["profiles"])

    def test_it_hands_on_no_rights(self):
        self.live()
        npc_settings.grant(self.mara, allowed_commands=["open"])
        npc_settings.grant(self.mara, experience_scope="")
        mind = self.take()
        bea = create_object(AssistantCharacter, key="Bea", location=self.room2)
        scripts.attach(bea)
        self.give(mind, bea)
        self.assertEqual(npc_settings.allowed_commands(bea), [])
        self.assertNotIn("allowed_commands", json.dumps(mind))

    def test_the_experience_of_a_group_stays_with_the_group(self):
        npc_settings.grant(self.mara, experience_scope="guards")
        own = experience_of(self.script_of_mara, self.mara)
        self.done(own.store_decision("A thief", "chase", "quest", 0.5, {}, "Fast."))
        mind = self.take()
        self.assertEqual(mind["experience"]["decisions"], [])
        self.assertTrue(self.is_blank(self.mara))
        self.give(mind, self.mara)
        self.assertEqual(self.done(own.get_stats())["total_memories"], 1)

    def test_ten_thousand_entries_take_more_than_one_page_of_everything(self):
        key = identity.identity_of(self.mara)
        items = [
            NewMemory(text=f"Word {number} of many.", audience="public", metadata={})
            for number in range(store_handlers.PAGE + 7)
        ]
        self.done(base.get_memory().add_all(items, assistant_key=key))
        for number in range(130):
            journal.add_entry(self.mara, f"Day {number}.", importance=9)
        mind = self.take()
        self.assertEqual(len(mind["memories"]), store_handlers.PAGE + 7)
        bea = minds.make_assistant("Bea", location=self.room2)
        self.give(mind, bea)
        self.assertEqual(journal.entries(bea), journal.entries(self.mara))
        texts = [one["text"] for one in self.take(bea)["memories"]]
        self.assertEqual(texts, [one["text"] for one in mind["memories"]])


class FailureTests(TransferTestCase):
    """Whatever goes wrong, the NPC remembers as little as before."""

    def setUp(self):
        super().setUp()
        self.live()
        self.mind = self.take()
        self.bea = minds.make_assistant("Bea", location=self.room2)

    def refused(self, error):
        script = scripts.find(self.bea)
        return self.failed(mind_transfer.give_mind(self.bea, script, self.mind), error)

    def assert_nothing_was_kept(self):
        self.assertTrue(self.is_blank(self.bea))
        self.assertEqual(persona.load_lore(self.bea), [])
        self.assertEqual(links.memory_links(scripts.find(self.bea)), {})
        self.assertEqual(repository.keys(self.bea, kinds.NAMES), [])

    def test_a_memory_that_cannot_be_kept(self):
        error = MemoryUnavailable("the file is locked.")
        with patch.object(store_handlers.LongTerm, "restore", side_effect=error):
            self.assertIs(self.refused(MemoryUnavailable), error)
        self.assert_nothing_was_kept()

    def test_a_database_that_refuses_in_the_middle(self):
        with patch.object(links, "save_links", side_effect=DatabaseError("full")):
            self.refused(DatabaseError)
        self.assert_nothing_was_kept()

    def test_a_database_that_refuses_when_half_of_the_people_are_written(self):
        save_all, asked = repository.save_all, []

        def full(obj, values, **kwargs):
            asked.append(len(values))
            if len(asked) == 4:
                raise DatabaseError("full")
            return save_all(obj, values, **kwargs)

        with (
            patch.object(mind_transfer, "PIECE", 1),
            patch.object(repository, "save_all", full),
        ):
            self.refused(DatabaseError)
        self.assertGreater(len(asked), 4)
        self.assert_nothing_was_kept()
        self.assertFalse(repository.load(self.bea, kinds.UNFINISHED))

    def test_an_npc_that_goes_meanwhile_takes_nothing_along(self):
        script = scripts.find(self.bea)
        key = identity.identity_of(self.bea)
        given = mind_transfer.give_mind(self.bea, script, self.mind)
        self.bea.delete()
        self.failed(given, ValueError)
        left = self.done(base.get_memory().get_all(assistant_key=key))
        self.assertEqual(left, [])

    def test_only_one_mind_at_a_time(self):
        script = scripts.find(self.bea)
        first = mind_transfer.give_mind(self.bea, script, self.mind)
        second = mind_transfer.give_mind(self.bea, script, self.mind)
        error = self.failed(second, ValueError)
        self.assertEqual(str(error), "A mind is being put into it already.")
        self.done(first)
        self.assertEqual(len(self.take(self.bea)["memories"]), 2)

    def test_a_page_of_memories_that_cannot_be_kept_after_another_was(self):
        memory, asked = base.get_memory(), []
        add_all = memory.add_all

        def once(items, **kwargs):
            asked.append(items)
            if len(asked) > 1:
                raise MemoryUnavailable("the disk is full.")
            return add_all(items, **kwargs)

        with patch.object(store_handlers, "PAGE", 1), patch.object(memory, "add_all", once):
            self.refused(MemoryUnavailable)
        self.assertEqual(len(asked), 2)
        self.assert_nothing_was_kept()

    def test_whoever_remembers_anything_is_not_blank(self):
        self.assertTrue(self.is_blank(self.bea))
        script = scripts.find(self.bea)
        key = identity.identity_of(self.bea)
        for remember in (
            lambda: journal.add_entry(self.bea, "It rains."),
            lambda: entity_profiles.create_entity_profile(self.bea, self.char1),
            lambda: working_memory.add_conversation_message(self.bea, self.char1, "Hi.", "user"),
            lambda: kept_goals.add_goal(script, "Mend the roof"),
            lambda: assistant.add_reminder(
                script,
                Reminder(
                    sources=OF_THE_GAME, due="2031-01-01T00:00:00.000Z", text="", audience="public"
                ),
            ),
            lambda: self.done(
                base.get_memory().add("It rains.", assistant_key=key, audience="public")
            ),
            lambda: self.done(
                experience_of(script, self.bea).store_decision("A", "b", "trade", 0.1, {}, "c")
            ),
        ):
            remember()
            self.assertFalse(self.is_blank(self.bea))
            self.done(forgetting.forget_everything(self.bea, script))
            self.assertTrue(self.is_blank(self.bea))


class ArchiveTests(TransferTestCase):
    """The folders of the game."""

    def refused(self, file):
        return str(self.failed(mind_archive.read(file), ValueError))

    def write(self, name, text):
        folder = self.folder / "minds"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    def test_what_is_exported_can_only_be_read_by_the_server(self):
        self.done(mind_archive.export(self.mara, self.script_of_mara, "mara.json"))
        path = self.folder / "minds" / "mara.json"
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertEqual([one.name for one in path.parent.iterdir()], ["mara.json"])

    def test_what_is_wrong_is_one_sentence_with_the_file(self):
        self.write("bad.json", "{")
        self.write("list.json", "[1]")
        self.write("old.json", json.dumps({"format": "evennia_ai.mind", "version": 9}))
        self.assertRegex(self.refused("bad"), r"^bad\.json: it is no JSON \(.*\)\.$")
        self.assertEqual(
            self.refused("list"),
            "list.json: it is no mind that was exported here.",
        )
        self.assertEqual(
            self.refused("old"), "old.json: it is of version 9; this game reads version 1."
        )
        self.assertEqual(self.refused("none"), f"There is no file none in {self.folder}/minds.")
        self.assertEqual(
            self.refused("../x"), f"'../x' is not the name of a file in {self.folder}/minds."
        )
