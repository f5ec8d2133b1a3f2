"""Whoever asks to be forgotten is: their words are in no Attribute, no column, no file and no log.

The same search finds them in each of these places before.
"""

import shutil
import sqlite3
import tempfile
from pathlib import Path

import msgspec
from django.db import connection
from evennia.typeclasses.attributes import Attribute
from evennia.utils.create import create_object
from msgspec import structs
from twisted.internet.defer import Deferred
from twisted.logger import globalLogPublisher, textFileLogObserver

from evennia_ai import scheduling
from evennia_ai.agent.revising import forgetting
from evennia_ai.core import records
from evennia_ai.core.records import Link
from evennia_ai.experience import base as experience
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.memory import (
    identity,
    journal,
    kinds,
    links,
    persona,
    repository,
    working_memory,
)
from evennia_ai.memory.people import entity_profiles, reports
from evennia_ai.memory.state import assistant, kept_goals, reflection_state
from evennia_ai.memory.storage import own_attributes
from evennia_ai.models import LedgerEntry, Report
from evennia_ai.semantic import base
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.agent.cases import MindTestCase
from tests.domain import lines
from tests.domain.lines import OF_THE_GAME
from tests.synced import sync

TOKEN = "zq7crowberry"
SECRET = f"The old king keeps {TOKEN} wine under the stairs"
EMBEDDER = "evennia_ai.semantic.embedders.adler32.Adler32Embedder"
# Where the words are looked for in the files of SQLite.
SUFFIXES = ("", "-wal", "-journal")


class ForgettingTestCase(MindTestCase):
    """Long-term memory by mem0 and experience are files; a log is written to a third."""

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-forgetting-"))
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
        sync(self)
        self.addCleanup(base.reset)
        self.addCleanup(experience.reset)
        log = (self.folder / "server.log").open("w")
        self.addCleanup(log.close)
        observer = textFileLogObserver(log)
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)
        self.logfile = log

    def found(self, words=TOKEN):
        """Return where words stand: Attributes, columns of the game's tables and of both files, bytes."""
        return {
            *self._in_attributes(words),
            *self._in_game(words),
            *self._in_files(words),
        }

    def forgotten(self, deferred):
        """Return what a Deferred of forgetting fires with, once its slices are done."""
        for _ in range(50):
            if deferred.called:
                break
            self.wait(0.2)
        return self.successResultOf(deferred)

    def _in_attributes(self, words):
        for attribute in Attribute.objects.all():
            if words in repr((attribute.db_value, attribute.db_strvalue)):
                yield f"Attribute {attribute.db_category}"
        cached = [
            attribute
            for obj in (self.mara, self.script_of_mara)
            for held in (obj.attributes.backend._cache, own_attributes.of(obj).held)
            for attribute in held.values()
            if attribute is not None
        ]
        for attribute in cached:
            # With what was read of it, which lies beside it.
            if words in repr(vars(attribute)):
                yield f"Attribute {attribute.db_category} (cached)"

    def _in_game(self, words):
        with connection.cursor() as cursor:
            for table in connection.introspection.table_names():
                if words in repr(cursor.execute(f'SELECT * FROM "{table}"').fetchall()):
                    yield f"game table {table}"
        if words.encode() in connection.connection.serialize():
            yield "bytes of the game's database"

    def _in_files(self, words):
        self.logfile.flush()
        for name in ("memory.db3", "experience.db3"):
            file = sqlite3.connect(self.folder / name)
            tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for [table] in tables:
                if words in repr(file.execute(f'SELECT * FROM "{table}"').fetchall()):
                    yield f"{name} table {table}"
            file.close()
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and words.encode() in path.read_bytes():
                yield f"bytes of {path.name}"


class PlantedTestCase(ForgettingTestCase):
    """Char told Mara a secret, and she made much of it; Char2 only ever spoke of the weather."""

    def setUp(self):
        super().setUp()
        self.key = self.script_of_mara.assistant_key
        self.memory = base.get_memory()
        self.plant_talk()
        self.plant_conclusions()
        self.plant_people()
        self.plant_plans()
        self.plant_experience()
        self.wait(1)

    def plant_talk(self):
        """Whispered by Char; told on to Char2 by Mara, who wonders at it."""
        mind = minds.script_llm(f"I see: {TOKEN} wine.", "Hm.", "Hm.")
        self.do(self.char1, f"whisper Mara = {SECRET}", wait=3)
        self.do(self.char2, "say Mara, the weather is fine and the road is dry", wait=3)
        self.assertGreater(len(mind.requests), 0)
        theirs = self.secret_of(self.first).origins
        self.said(self.second, f"Somebody hides {TOKEN} wine.", mine=True, sources=theirs)
        self.said(self.second, "The hens lay well this year.", mine=True)
        self.said(
            self.second,
            f"They talked of {TOKEN}. The hens lay well.",
            kind="summary",
            sources=theirs,
        )

    def secret_of(self, who):
        [secret] = [one for one in journal.entries(self.mara) if TOKEN in one.content]
        return secret

    def said(self, who, text, *, mine=False, kind="say", sources=OF_THE_GAME):
        line = lines.line(
            said_by=identity.identity_of(self.mara) if mine else who,
            name="Mara" if mine else "Char2",
            text=text,
            kind=kind,
            mine=mine,
            audience="public",
            timestamp=records.format_time(scheduling.now()),
            sources=sources,
        )
        working_memory.add_line(self.mara, who, line)

    def plant_conclusions(self):
        secret = self.secret_of(self.first)
        [other] = [one for one in journal.entries(self.mara) if "road" in one.content]
        self.secret, self.other = secret, other
        content = (
            f"[SYNTHESIS] Reflection on: What of {TOKEN}?\n\n"
            f"- Kings hoard {TOKEN} wine (because of entry {secret.id})\n"
            f"- Dry roads bring guests (because of entry {other.id})"
        )
        tags = ["synthesis", "meta_learning", "reflection"]
        evidence = [secret.id, other.id]
        self.insight = journal.add_entry(
            self.mara, content, tags=tags, source_type="inference", evidence=evidence
        )
        content = f"[SYNTHESIS] Char2 said that hens lay. Mara told of {TOKEN}."
        tags = ["synthesis", "compaction"]
        self.summary = journal.add_entry(
            self.mara,
            content,
            tags=tags,
            source_type="inference",
            source_id=self.second,
            sources=[*secret.origins, *other.origins],
        )
        # What Char2 said after it carries the line before, and superseded it.
        about = {"speaker": "Char2", "source_id": self.second, "previous": SECRET}
        about["previous_sources"] = msgspec.to_builtins(secret.origins)
        after = self.add_memory("That is a fine cellar.", **about)
        [told] = [one for one in self.kept() if one.metadata.get("entry_id") == secret.id]
        found = {
            told.id: [Link(id=after, score=0.9)],
            after: [Link(id=told.id, score=0.9)],
        }
        links.save_links(self.script_of_mara, found)
        superseded = self.add_memory(
            f"There is {TOKEN} in it.", speaker="Char", source_id=self.first
        )
        self.successResultOf(
            self.memory.update(
                superseded,
                "There is nothing in the well.",
                assistant_key=self.key,
                metadata={"speaker": "Char2", "source_id": self.second},
            )
        )

    def add_memory(self, text, **about):
        added = self.memory.add(text, assistant_key=self.key, audience="public", metadata=about)
        return self.successResultOf(added)

    def kept(self):
        return self.successResultOf(self.memory.get_all(assistant_key=self.key, limit=100))

    def plant_people(self):
        for about, told_by in ((self.char1, ""), (self.char2, self.first)):
            entity_profiles.add_entity_observation(
                self.mara, about, f"They like {TOKEN}.", "told", audience="public", told_by=told_by
            )
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "They keep hens.", audience="public", told_by=self.second
        )
        entity_profiles.update_relationship(
            self.mara, self.char2, 0.1, f"spoke of {TOKEN}", sources=self.secret.origins
        )

    def plant_plans(self):
        assistant.add_reminder(
            self.script_of_mara,
            records.Reminder(
                sources=OF_THE_GAME,
                due="2040-01-01T00:00:00.000Z",
                text=f"fetch {TOKEN}",
                said_by=self.first,
                actor_id=self.char1.id,
                actor_name="Char",
                audience="public",
            ),
        )
        kept_goals.add_goal(
            self.script_of_mara, f"Find the {TOKEN} wine", sources=self.secret.origins
        )
        kept_goals.add_goal(self.script_of_mara, "Count the hens")
        event = records.new_event(
            "say", SECRET, event_id="1", now=scheduling.now(), said_by=self.first
        )
        assistant.add_pending(self.script_of_mara, event, limit=50)

    def plant_experience(self):
        kept = experience.get_experience(self.key)
        for source, words in ((self.first, SECRET), (self.second, "It rains.")):
            stored = kept.store_decision(
                words, "say", "talk", 0.5, {}, words, episode_id=words, source_id=source
            )
            self.successResultOf(stored)
            self.successResultOf(
                kept.store_feedback(OutcomeFeedback(words, unexpected_effects=words))
            )
        for account_id, who in ((self.account.id, self.first), (self.account2.id, self.second)):
            reports.add(
                reports.Reported(
                    npc_id=self.mara.id,
                    npc_name="Mara",
                    account_id=account_id,
                    reporter="somebody",
                    reporter_identity=who,
                    moment=who,
                    said=f"say: {SECRET}",
                    trace=SECRET,
                    note=SECRET if who == self.first else "Rude.",
                    concerned=[self.first],
                )
            )
        for player, words in ((self.account.id, SECRET), (self.account2.id, f"Is it {TOKEN}?")):
            LedgerEntry.objects.create(
                created=scheduling.now(),
                alias="default",
                job="reply",
                assistant_id=self.mara.id,
                player_id=player,
                outcome="ok",
                prompt=words,
                answer=words,
                error=words,
            )


class ForgetPersonTests(PlantedTestCase):
    KINDS = ("conversations", "goals", "journal", "pending_events", "profiles", "reminders")

    def forget(self):
        return self.forgotten(
            forgetting.forget(
                self.mara, self.script_of_mara, forgetting.person(self.mara, self.char1)
            )
        )

    def test_their_words_are_everywhere_before_and_nowhere_afterwards(self):
        self.assertEqual(
            self.found(),
            {
                *(f"Attribute {kind}" for kind in self.KINDS),
                *(f"Attribute {kind} (cached)" for kind in self.KINDS),
                "game table typeclasses_attribute",
                "game table evennia_ai_ledgerentry",
                "game table evennia_ai_report",
                "bytes of the game's database",
                "memory.db3 table facts",
                "bytes of memory.db3-wal",
                "experience.db3 table decisions",
                "experience.db3 table feedback",
                "bytes of experience.db3-wal",
            },
        )
        self.forget()
        self.assertEqual(self.found(), set())

    def test_what_others_said_stays(self):
        self.forget()
        contents = [entry.content for entry in journal.entries(self.mara)]
        self.assertIn("the weather is fine and the road is dry", " ".join(contents))
        self.assertEqual(
            {one.text for one in self.kept()} & {"That is a fine cellar."},
            {"That is a fine cellar."},
        )
        lines = [text for _, text in self.remembered(self.second)]
        self.assertIn("The hens lay well this year.", lines)
        self.assertEqual(
            [goal.title for goal in kept_goals.goals(self.script_of_mara)], ["Count the hens"]
        )
        known = entity_profiles.find_profile(self.mara, self.second)
        self.assertEqual([one.content for one in known.observations], ["They keep hens."])
        self.assertGreater(known.relationship.favorability, 0)

    def test_what_was_concluded_goes_whole_and_what_is_left_is_thought_of_anew(self):
        reflection_state.reset_reflection_state(self.script_of_mara)
        self.forget()
        self.assertIsNone(journal.get_entry(self.mara, self.insight.id))
        self.assertIsNone(journal.get_entry(self.mara, self.summary.id))
        waiting = reflection_state.reflection_state(self.script_of_mara)
        self.assertEqual(waiting.entries_since_reflection, (self.other.id,))

    def test_nothing_leads_to_what_is_gone(self):
        self.forget()
        left = links.memory_links(self.script_of_mara)
        self.assertEqual([link for one in left.values() for link in one.linked_to], [])

    def test_the_person_is_a_stranger(self):
        self.forget()
        self.assertIsNone(entity_profiles.find_profile(self.mara, self.first))
        self.assertEqual(self.remembered(), [])

    def test_the_log_says_how_much_and_not_what(self):
        self.forget()
        self.logfile.flush()
        text = (self.folder / "server.log").read_text()
        self.assertIn(f"evennia_ai: #{self.mara.id} forgot", text)
        self.assertNotIn(TOKEN, text)
        self.logfile.write(SECRET)
        self.assertIn("bytes of server.log", self.found())

    def test_the_decisions_with_others_stay(self):
        self.forget()
        stats = self.successResultOf(experience.get_experience(self.key).get_stats())
        self.assertGreaterEqual(stats["total_memories"], 1)
        feedback = experience.get_experience(self.key).retrieve_feedback("It rains.")
        self.assertEqual(self.successResultOf(feedback)["unexpected_effects"], "It rains.")

    def test_it_can_be_done_twice(self):
        self.forget()
        self.forget()
        self.assertEqual(self.found(), set())

    def test_one_entry_goes_with_all_that_was_made_of_it(self):
        done = self.forgotten(
            forgetting.forget_entry(self.mara, self.script_of_mara, self.secret.id)
        )
        self.assertEqual(done["entries"], 3)
        self.assertIsNone(journal.get_entry(self.mara, self.secret.id))
        self.assertIsNone(journal.get_entry(self.mara, self.insight.id))
        self.assertNotIn(SECRET, [one.text for one in self.kept()])
        self.assertNotIn("Attribute memory_links", self.found())
        # Nor is it quoted from the talk in which it was said.
        self.assertNotIn("Attribute working_memory", self.found())
        kept = [line.text for line in working_memory.all_lines(self.mara)]
        self.assertIn("Mara, the weather is fine and the road is dry", kept)
        # Who told it is still known.
        self.assertIsNotNone(entity_profiles.find_profile(self.mara, self.first))

    def test_an_entry_that_is_not_there_is_none(self):
        done = forgetting.forget_entry(self.mara, self.script_of_mara, 99999)
        self.assertIsNone(self.successResultOf(done))

    def test_one_entry_for_fewer_ears_stands_nowhere_else(self):
        """As it was told, noticed and concluded it was for more; what Char told of itself is another entry."""
        told = entity_profiles.find_profile(self.mara, self.first)
        fact = records.EntityAttribute(
            sources=self.secret.origins,
            audience="public",
            derived_from=[],
            id=1,
            type="knows",
            value=f"{TOKEN} wine",
            source="direct",
            created=records.format_time(scheduling.now()),
            superseded_by=None,
            told_by=[self.first],
        )
        repository.save(
            self.mara, kinds.PROFILES, structs.replace(told, attributes=[fact]), self.first
        )
        self.changed(forgetting.narrowed(self.secret, self.mara, []))
        kept = journal.get_entry(self.mara, self.secret.id)
        self.assertEqual(
            (kept.content, kept.audience, kept.cited), (self.secret.content, [], False)
        )
        wider = [
            entry.content
            for entry in journal.entries(self.mara)
            if entry.audience != [] and TOKEN in entry.content
        ]
        self.assertEqual(wider, [])
        self.assertEqual([one.text for one in self.kept() if SECRET in str(one)], [])
        self.assertNotIn(TOKEN, str(working_memory.conversations(self.mara)))
        known = entity_profiles.find_profile(self.mara, self.first)
        self.assertEqual([one.value for one in known.attributes], [])
        self.assertNotIn(TOKEN, str([one for one in known.observations if one.said_by]))

    def test_one_entry_in_other_words_leaves_none_of_the_old_ones(self):
        before = self.found()
        self.assertIn("Attribute journal", before)
        self.changed(forgetting.reworded(self.secret, "The king keeps nothing but dust."))
        kept = journal.get_entry(self.mara, self.secret.id)
        self.assertEqual(kept.content, "The king keeps nothing but dust.")
        self.assertEqual((kept.said_by, kept.audience), (self.first, self.secret.audience))
        for place in ("journal", "journal (cached)", "conversations", "memory_links"):
            self.assertNotIn(f"Attribute {place}", self.found())
        self.assertNotIn(SECRET, str(self.kept()))

    def changed(self, instead):
        return self.forgotten(
            forgetting.change(self.mara, self.script_of_mara, self.secret.id, instead)
        )

    def test_everything_can_be_forgotten(self):
        persona.save_persona(self.mara, "An innkeeper.")
        # What players gave to staff is not the NPC's to forget.
        Report.objects.all().delete()
        self.forgotten(forgetting.forget_everything(self.mara, self.script_of_mara))
        self.assertEqual(self.found(), set())
        self.assertEqual(journal.entries(self.mara), [])
        self.assertEqual(self.kept(), [])
        self.assertEqual(persona.load_persona(self.mara)["description"], "An innkeeper.")


class ForgetEverywhereTests(PlantedTestCase):
    def setUp(self):
        super().setUp()
        # Tom has it from Mara, and is not even on.
        self.tom = minds.make_assistant("Tom", location=self.room2)
        chain = [{"identity": self.first, "name": "Char"}]
        journal.add_entry(self.tom, SECRET, source_id=self.key, chain=chain)
        scripts.find(self.tom).disable()
        # A body whose mind was taken away.
        self.skull = create_object(AssistantCharacter, key="skull", location=self.room2)
        journal.add_entry(self.skull, SECRET, source_id=self.first)
        # Another character of the same player.
        self.alt = create_object(AssistantCharacter, key="Zelda", location=self.room2)
        self.account.characters.add(self.alt)
        journal.add_entry(
            self.tom, f"I drank {TOKEN} myself", source_id=identity.identity_of(self.alt)
        )
        journal.add_entry(self.tom, "Zelda owes me money", source_id=self.second)

    def test_all_that_remember_forget_all_characters_of_a_player(self):
        self.forgotten(forgetting.ask(self.char1))
        self.assertEqual(self.found(), set())
        # What somebody else said of them is somebody else's.
        left = [entry.content for entry in journal.entries(self.tom)]
        self.assertEqual(left, ["Zelda owes me money"])
        self.assertEqual(journal.entries(self.skull), [])

    def test_one_npc_alone_forgets_if_one_alone_is_asked(self):
        self.forgotten(
            forgetting.forget(
                self.mara, self.script_of_mara, forgetting.person(self.mara, self.char1)
            )
        )
        self.assertEqual(len(journal.entries(self.tom)), 3)


class WaitingTests(ForgettingTestCase):
    def test_it_waits_for_a_turn_that_would_write_it_down_again(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, f"say Mara, {SECRET}", wait=1)
        done = forgetting.forget(
            self.mara, self.script_of_mara, forgetting.person(self.mara, self.char1)
        )
        self.wait(2)
        self.assertNoResult(done)
        thinking.callback(f"So there is {TOKEN}.")
        self.forgotten(done)
        self.assertEqual(self.found(), set())

    def test_a_body_that_is_gone_meanwhile_ends_it(self):
        minds.script_llm(Deferred())
        self.do(self.char1, f"say Mara, {SECRET}", wait=1)
        done = forgetting.forget(
            self.mara, self.script_of_mara, forgetting.person(self.mara, self.char1)
        )
        self.mara.delete()
        self.wait(200)
        self.successResultOf(done)

    def test_what_a_game_keeps_on_a_mind_is_not_ours(self):
        """It stays as it is, whatever it says."""
        self.script_of_mara.db.something = {"who": SECRET, "set": {1, 2}}
        journal.add_entry(self.mara, SECRET, source_id=self.first)
        self.forgotten(
            forgetting.forget(
                self.mara, self.script_of_mara, forgetting.person(self.mara, self.char1)
            )
        )
        kept = self.script_of_mara.db.something
        self.assertEqual((kept["who"], sorted(kept["set"])), (SECRET, [1, 2]))
