"""Builders seed persona and lore, admins carry whole minds from NPC to NPC."""

import json
import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import fail

from evennia_ai.commands.aimemory import memory_format
from evennia_ai.domain.files.seed_files import Change
from evennia_ai.lifecycle import store_handlers
from evennia_ai.memory import identity, journal, persona
from evennia_ai.memory.seeds import mind_folders
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase

SEED = """\
name: Mara
persona:
  description: She |rkeeps|n the inn.
lore:
  - A bed costs three coppers.
"""
NOTHING = "Nothing was done."


class FilesTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-files-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        folders = {"seeds": str(self.folder / "seeds"), "minds": str(self.folder / "minds")}
        self.patch(mind_folders, "FOLDERS", folders)
        (self.folder / "seeds").mkdir()
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def types(self, text, *, by=None):
        """Return what is read in the next second: files and minds are read and written in slices."""
        super().types(text, by=by)
        minds.pass_time(self.clock, 1)
        return "\n".join(strip_ansi(message) for _, message in self.read[by or self.char1])

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / "seeds" / name).write_bytes(data)

    def builder(self, *npcs):
        """Return char2 as a builder who controls these NPCs."""
        builder = self.as_staff("Builder")
        for npc in npcs:
            npc.locks.add(f"control:id({builder.id})")
        return builder

    def lore(self, npc=None):
        return [fact.text for fact in persona.load_lore(npc or self.npc)]


class SeedTests(FilesTestCase):
    def setUp(self):
        super().setUp()
        self.write("mara.yaml", SEED)

    def test_dry_it_shows_what_would_change_and_does_not(self):
        said = self.types("@aimemory/seed mara = dry")
        self.assertEqual(
            said.splitlines()[:4],
            [
                "mara.yaml would change:",
                self.name,
                "  + description: She |rkeeps|n the inn.",
                "  + lore: A bed costs three coppers.",
            ],
        )
        self.assertEqual(self.lore(), [])

    def test_it_asks_and_writes(self):
        said = self.types("@aimemory/seed mara")
        self.assertIn("  + lore: A bed costs three coppers.", said)
        self.assertIn("Write this, from mara.yaml? [y/N]", said)
        self.assertEqual(self.lore(), [])
        self.assertEqual(self.types("y"), f"Done: {self.name}.")
        self.assertEqual(self.lore(), ["A bed costs three coppers."])
        said = self.types("@aimemory/seed mara")
        self.assertEqual(said, "mara.yaml: all is as it says already.")

    def test_a_tag_lets_nobody_in_on_what_the_npcs_of_others_share(self):
        """A builder can tag an NPC of theirs: who seeds must control all whom the file concerns."""
        self.write("inn.yaml", "lore:\n  - {scope: inn, facts: [The well is deep.]}\n")
        self.npc.tags.add("inn")
        self.types("@aimemory/seed inn")
        self.types("y")
        self.assertEqual(self.lore(), ["The well is deep."])
        rat = minds.make_assistant("Rat", location=self.room1)
        rat.tags.add("inn")
        builder = self.builder(rat)
        said = self.types("@aimemory/seed inn", by=builder)
        self.assertIn("inn.yaml: you may not change the mind of Mara", said)
        self.types("y", by=builder)
        self.assertEqual(self.lore(rat), [])
        self.npc.locks.add(f"control:id({builder.id})")
        self.types("@aimemory/seed inn", by=builder)
        self.types("y", by=builder)
        self.assertEqual(self.lore(rat), ["The well is deep."])

    def test_of_a_long_difference_the_first_thirty_lines_stand_above_the_question(self):
        facts = "".join(f"      - Bed {number} is free.\n" for number in range(40))
        self.write("beds.yaml", f"npcs:\n  - name: Mara\n    lore:\n{facts}")
        lines = self.types("@aimemory/seed beds").splitlines()
        self.assertEqual(
            lines[29:],
            [
                "  + lore: Bed 28 is free.",
                "… and 11 more lines.",
                "Write this, from beds.yaml? [y/N]",
            ],
        )
        self.assertEqual(self.types("no"), NOTHING)

    def test_any_other_answer_writes_nothing(self):
        self.types("@aimemory/seed mara")
        self.assertEqual(self.types("hm"), NOTHING)
        self.assertEqual(self.lore(), [])

    def test_what_was_not_shown_is_not_written(self):
        self.types("@aimemory/seed mara")
        self.write("mara.yaml", "name: Mara\nlore: [Something else.]")
        said = self.types("y")
        self.assertEqual(said, f"The file or the assistants have changed meanwhile. {NOTHING}")
        self.assertEqual(self.lore(), [])

    def test_it_leaves_a_line_for_staff(self):
        self.types("@aimemory/seed mara")
        [line] = [one for one in self.logged("y") if "seeded" in one]
        self.assertIn(f"Char(#{self.char1.id}) seeded from mara.yaml {self.name}.", line)

    def test_one_bad_line_and_nothing_is_done(self):
        bertil = minds.make_assistant("Bertil", location=self.room1)
        self.write(
            "all.yaml", "npcs:\n  - name: Bertil\n    lore: [x]\n  - name: Mara\n    lore: [1]\n"
        )
        said = self.types("@aimemory/seed all")
        self.assertEqual(
            said, f"all.yaml: Mara: lore: '1' is no text; put quotes around it. {NOTHING}"
        )
        self.assertEqual(self.lore(bertil), [])

    def test_misuse_is_one_sentence(self):
        usage = "Usage: @aimemory/seed <file> [= dry]"
        for typed, sentence in (
            ("@aimemory/seed", usage),
            ("@aimemory/seed mara = wet", usage),
            ("@aimemory/seed none", f"There is no file none in {self.folder}/seeds. {NOTHING}"),
            (
                "@aimemory/seed ../minds/x",
                f"'../minds/x' is not the name of a file in {self.folder}/seeds. {NOTHING}",
            ),
        ):
            with self.subTest(typed):
                self.assertEqual(self.types(typed), sentence)

    def test_a_builder_seeds_only_whom_they_control(self):
        builder = self.builder()
        said = self.types("@aimemory/seed mara", by=builder)
        self.assertIn("you may not change the mind of Mara", said)
        self.npc.locks.add(f"control:id({builder.id})")
        self.assertIn("Write this", self.types("@aimemory/seed mara", by=builder))


class ExportTests(FilesTestCase):
    def setUp(self):
        super().setUp()
        journal.add_entry(self.npc, "Ann hid the key.", audience=["ann"])
        persona.save_lore(self.npc, ["The well is deep."])

    def export(self, more=""):
        return self.types(f"@aimemory/export Mara{more}")

    def test_it_writes_the_whole_mind_and_says_what_that_means(self):
        said = self.export(" = mara")
        self.assertEqual(
            said,
            f"{self.folder}/minds/mara.json holds the mind now: 1 entry of the journal, 1 fact of "
            "lore. It tells every secret that was told; keep it where only staff can read it.",
        )
        document = json.loads((self.folder / "minds" / "mara.json").read_text())
        self.assertEqual(document["mind"]["journal"]["entries"][0]["content"], "Ann hid the key.")

    def test_without_a_name_the_file_has_that_of_the_npc(self):
        self.assertIn(f"/mara-{self.npc.id}.json holds", self.export())

    def test_it_writes_over_another_only_if_told_to(self):
        self.export(" = mara")
        said = self.export(" = mara")
        self.assertTrue(
            said.strip().endswith("/minds/mara.json is there already. Write over it? [y/N]"), said
        )
        self.assertEqual(self.types("n"), NOTHING)
        self.export(" = mara")
        self.assertIn("holds the mind now", self.types("y"))

    def test_it_leaves_a_line_for_staff_without_what_is_in_it(self):
        lines = self.logged("@aimemory/export Mara = mara")
        [line] = [one for one in lines if "exported" in one]
        self.assertIn(f"exported to mara.json the mind of {self.name}.", line)
        self.assertNotIn("key", "\n".join(lines))

    def test_only_admins_may(self):
        said = self.types("@aimemory/export Mara", by=self.builder(self.npc))
        self.assertIn("There is no switch /export", said)
        self.assertFalse((self.folder / "minds").exists())

    def test_a_memory_that_cannot_be_read_is_said(self):
        broken = fail(MemoryUnavailable("the file is locked."))
        with patch.object(base.get_memory(), "get_all", return_value=broken):
            self.assertEqual(self.export(" = mara"), f"the file is locked. {NOTHING}")

    def test_a_bad_name_is_refused(self):
        self.assertIn("is not the name of a file", self.export(" = ../../x"))


class ImportTests(FilesTestCase):
    def setUp(self):
        super().setUp()
        journal.add_entry(
            self.npc, "Ann hid the key.", audience=["ann", identity.identity_of(self.npc)]
        )
        persona.save_lore(self.npc, ["The well is deep."])
        self.types("@aimemory/export Mara = mara")
        self.bea = minds.make_assistant("Bea", location=self.room1)
        self.bea_name = f"Bea(#{self.bea.id})"

    def test_it_asks_and_gives_the_mind_to_one_that_is_blank(self):
        said = self.types("@aimemory/import Bea = mara")
        self.assertEqual(
            said.strip(),
            f"Put this into {self.bea_name}: 1 entry of the journal, 1 fact of lore? Its persona and "
            "lore are replaced. [y/N]",
        )
        said = self.types("y")
        self.assertEqual(
            said, f"{self.bea_name} has it now: 1 entry of the journal, 1 fact of lore."
        )
        [entry] = journal.entries(self.bea)
        self.assertEqual(entry.audience, sorted(["ann", identity.identity_of(self.bea)]))
        self.assertEqual(self.lore(self.bea), ["The well is deep."])
        self.assertTrue(scripts.find(self.bea).enabled)

    def test_one_that_was_off_stays_off(self):
        scripts.find(self.bea).disable()
        self.types("@aimemory/import Bea = mara")
        self.types("y")
        self.assertEqual(len(journal.entries(self.bea)), 1)
        self.assertFalse(scripts.find(self.bea).enabled)

    def test_any_other_answer_does_nothing(self):
        self.types("@aimemory/import Bea = mara")
        self.assertEqual(self.types("no"), NOTHING)
        self.assertEqual(journal.entries(self.bea), [])

    def test_it_leaves_a_line_for_staff(self):
        self.types("@aimemory/import Bea = mara")
        [line] = [one for one in self.logged("y") if "imported" in one]
        self.assertIn(f"imported a mind into {self.bea_name}.", line)

    def test_whoever_remembers_something_is_left_alone(self):
        said = self.types("@aimemory/import Mara = mara")
        self.assertEqual(
            said,
            f"{self.name} remembers something. Let it forget that first: @aimemory/forget Mara = all",
        )

    def test_what_it_noted_while_the_question_stood_is_not_written_over(self):
        self.types("@aimemory/import Bea = mara")
        journal.add_entry(self.bea, "It rains.")
        self.assertEqual(self.types("y"), f"It has noted something meanwhile. {NOTHING}")
        self.assertEqual([entry.content for entry in journal.entries(self.bea)], ["It rains."])
        self.assertTrue(scripts.find(self.bea).enabled)

    def test_one_that_thinks_is_let_finish(self):
        self.types("@aimemory/import Bea = mara")
        with patch("evennia_ai.agent.turns.is_running", return_value=True):
            said = self.types("y")
        expected = f"{self.bea_name} is about to answer somebody. Try again in a moment."
        self.assertEqual((said, journal.entries(self.bea)), (expected, []))

    def test_one_that_is_gone_when_the_answer_comes_is_not_missed(self):
        self.types("@aimemory/import Bea = mara")
        self.bea.delete()
        self.assertEqual(self.types("y"), NOTHING)

    def test_a_failure_leaves_it_blank_and_on(self):
        self.types("@aimemory/import Bea = mara")
        error = MemoryUnavailable("the disk is full.")
        with patch.object(store_handlers.LongTerm, "restore", side_effect=error):
            self.assertEqual(self.types("y"), f"the disk is full. {NOTHING}")
        self.assertEqual((journal.entries(self.bea), self.lore(self.bea)), ([], []))
        self.assertTrue(scripts.find(self.bea).enabled)

    def test_a_builder_may_not_plant_or_read_what_was_whispered(self):
        said = self.types("@aimemory/import Bea = mara", by=self.builder(self.bea))
        self.assertIn("There is no switch", said)

    def test_misuse_is_one_sentence(self):
        usage = "Usage: @aimemory/import <npc> = <file>"
        (self.folder / "minds" / "cut.json").write_text("{")
        for typed, sentence in (
            ("@aimemory/import Bea", usage),
            ("@aimemory/import = mara", usage),
            (
                "@aimemory/import Bea = none",
                f"There is no file none in {self.folder}/minds. {NOTHING}",
            ),
        ):
            with self.subTest(typed):
                self.assertEqual(self.types(typed), sentence)
        self.assertRegex(
            self.types("@aimemory/import Bea = cut"), r"^cut\.json: it is no JSON .*done\.$"
        )

    def test_a_file_that_was_changed_is_refused(self):
        path = self.folder / "minds" / "mara.json"
        path.write_text(path.read_text().replace("Ann hid the key.", "Bob hid the key."))
        said = self.types("@aimemory/import Bea = mara")
        expected = "mara.json: it was changed after it was exported: its hash does not fit."
        self.assertEqual(said, f"{expected} {NOTHING}")


class FormatTests(FilesTestCase):
    def test_long_differences_are_cut(self):
        changes = [Change("+", "lore", "", f"{number} " + "x" * 80) for number in range(40)]
        text = memory_format.differences([("Mara", changes)])
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()[1:]), text)

    def test_an_npc_that_only_changes_hands_is_named(self):
        text = memory_format.differences([("Mara", [])])
        self.assertEqual(text, "|cMara|n\n  nothing but whose words they are")

    def test_a_whole_mind_is_counted(self):
        mind = {
            "journal": {"entries": [1, 2]},
            "memories": [1],
            "profiles": {"a": 1, "b": 2},
            "conversations": {"a": 1},
            "lore": [],
            "goals": [1, 2],
            "experience": {"decisions": [1]},
        }
        self.assertEqual(
            memory_format.contents(mind),
            "2 entries of the journal, 1 memory, 2 people or things, 1 conversation, 2 goals, "
            "1 decision",
        )
        empty = {**mind, "journal": {"entries": []}, "memories": [], "profiles": {}}
        empty |= {"conversations": {}, "goals": [], "experience": {"decisions": []}}
        self.assertEqual(memory_format.contents(empty), "nothing")
