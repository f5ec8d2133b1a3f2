"""Tests of seeds on NPCs: who is meant, and all of it or nothing."""

import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

from django.db import DatabaseError
from evennia.utils.create import create_object

from evennia_ai.memory import kinds, persona, repository
from evennia_ai.memory.seeds import mind_folders, seeding
from evennia_ai.testing import AITestCase
from evennia_ai.typeclasses.characters import AssistantCharacter

MARA = """\
name: Mara
persona:
  description: She keeps the inn.
  greeting_lines: ["Welcome, {name}."]
lore:
  - A bed costs three coppers.
"""
TAVERN = """\
npcs:
  - name: bertil
    persona:
      manner: Laconic.
lore:
  - scope: tavern
    facts:
      - The well is forty feet deep.
"""


class SeedingTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-seeds-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.patch(mind_folders, "FOLDERS", {"seeds": str(self.folder)})
        self.mara, self.bertil = self.make("Mara"), self.make("Bertil")
        self.npcs = [self.mara, self.bertil]

    def make(self, key):
        npc = create_object(AssistantCharacter, key=key, location=self.room1)
        npc.tags.add("tavern")
        return npc

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def seed(self, name):
        """Seed a file; return whose mind that changed, and how."""
        file, planned = seeding.read(name, self.npcs)
        seeding.apply(file, planned)
        return [(one.npc.key, [change.sign for change in one.plan.changes]) for one in planned]

    def refused(self, text):
        self.write("bad.yaml", text)
        with self.assertRaises(ValueError) as caught:
            seeding.read("bad", self.npcs)
        return str(caught.exception)

    def lore(self, npc):
        return [fact.text for fact in persona.load_lore(npc)]

    def test_one_npc_is_seeded_once(self):
        self.write("mara.yaml", MARA)
        self.assertEqual(self.seed("mara"), [("Mara", ["+", "+", "+"])])
        self.assertEqual(persona.load_persona(self.mara)["description"], "She keeps the inn.")
        self.assertEqual(self.lore(self.mara), ["A bed costs three coppers."])
        self.assertEqual((self.lore(self.bertil), self.seed("mara")), ([], []))

    def test_a_scope_is_for_all_who_are_tagged_so(self):
        self.write("tavern.yaml", TAVERN)
        self.assertEqual(self.seed("tavern.yaml"), [("Bertil", ["+", "+"]), ("Mara", ["+"])])
        for npc in self.npcs:
            self.assertEqual(self.lore(npc), ["The well is forty feet deep."])

    def test_files_share_an_npc_and_take_back_only_their_own(self):
        persona.save_lore(self.mara, ["By hand."])
        self.write("mara.yaml", MARA)
        self.write("tavern.yaml", TAVERN)
        self.seed("mara")
        self.seed("tavern")
        self.write("mara.yaml", "name: Mara\n")
        self.assertEqual(self.seed("mara"), [("Mara", ["-", "-", "-"])])
        self.assertEqual(self.lore(self.mara), ["By hand.", "The well is forty feet deep."])
        self.assertEqual(persona.load_persona(self.mara)["description"], "")
        self.assertEqual(list(repository.load(self.mara, kinds.SEEDED)), ["tavern.yaml"])

    def test_whoever_is_not_in_the_file_any_more_gives_back_what_was_from_it(self):
        self.write("tavern.yaml", TAVERN)
        self.seed("tavern")
        self.mara.tags.remove("tavern")
        self.assertEqual(self.seed("tavern"), [("Mara", ["-"])])
        self.assertEqual((self.lore(self.mara), len(self.lore(self.bertil))), ([], 1))

    def test_a_file_that_says_what_is_there_owns_it_from_then_on(self):
        persona.save_lore(self.mara, ["A bed costs three coppers."])
        self.write("mara.yaml", "name: Mara\nlore: [A bed costs three coppers.]")
        self.assertEqual(self.seed("mara"), [("Mara", [])])
        self.write("mara.yaml", "name: Mara")
        self.assertEqual(self.seed("mara"), [("Mara", ["-"])])

    def test_one_of_two_with_a_name_is_meant_by_its_number(self):
        other = self.make("Mara")
        self.npcs.append(other)
        said = self.refused("name: Mara")
        numbers = f"'#{self.mara.id}', '#{other.id}'"
        self.assertEqual(said, f"bad.yaml: 2 assistants are called Mara; write one of {numbers}.")
        self.write("other.yaml", f"name: '#{other.id}'\nlore: [x]")
        self.seed("other")
        self.assertEqual((self.lore(self.mara), self.lore(other)), ([], ["x"]))

    def test_what_is_wrong_is_one_sentence_with_the_file_and_the_npc(self):
        for text, sentence in (
            ("name: Nobody", "bad.yaml: there is no assistant called Nobody."),
            (
                "lore:\n  - scope: mill\n    facts: [x]",
                "bad.yaml: no assistant is tagged mill: tag <npc> = mill",
            ),
            (
                "name: Mara\nlore: [yes]",
                "bad.yaml: Mara: lore: 'True' is no text; put quotes around it.",
            ),
            ("a: 1\na: 2", "bad.yaml: line 2: 'a' stands here twice."),
            (
                'name: Mara\nroutine:\n  - {at: "06:00", place: room}\n  - {at: noon, place: room}',
                "bad.yaml: Mara: routine, line 4: 'noon room' is written otherwise than "
                '"13:00 market: buys eels [unless raining]".',
            ),
            (
                'name: Mara\nroutine:\n  - at: "06:00"\n    place: castle',
                "bad.yaml: Mara: routine, line 3: there is no room called or tagged 'castle'.",
            ),
            (
                'name: Mara\nroutine: [{at: "06:00", place: room, if: sunny}]',
                "bad.yaml: Mara: routine, line 2: 'sunny' is neither one of FACTS nor a lock string.",
            ),
            (
                "name: Mara\ntriggers:\n  - on: bell\n    do: {sing: x}",
                "bad.yaml: Mara: triggers, line 3: 'sing' cannot be done; there is say, emote, occasion, "
                "thought, memory, goal.",
            ),
            (
                "name: Mara\ntriggers:\n  - {on: bell, do: {say: x, emote: y}}",
                "bad.yaml: Mara: triggers, line 3: do has one of the keys say, emote, occasion, "
                "thought, memory, goal.",
            ),
            (
                "name: Mara\npersona: {model: dear}",
                "bad.yaml: Mara: model: 'dear' is no model that an NPC may have; the setting NPC_MODELS "
                "lists none.",
            ),
            (
                "name: Mara\ntriggers:\n  - {on: hour, if: tag(thief), do: {say: x}}",
                "bad.yaml: Mara: triggers, line 3: nobody causes hour: there is nobody to ask an if of.",
            ),
            (
                "name: Mara\ntriggers:\n  - {on: time, at: noon, do: {say: x}}",
                "bad.yaml: Mara: triggers, line 3: at 'noon' is no time of day, such as 13:00.",
            ),
            (
                "name: Mara\ntriggers:\n  - {on: bell, do: {goal: 'catch {name}'}}",
                "bad.yaml: Mara: triggers, line 3: a goal is not of whoever caused it: it names nobody "
                "by {name}.",
            ),
            (
                "name: Mara\ntriggers:\n  - on: bell\n    do: {say: x}\n    if: thief(1)",
                "bad.yaml: Mara: triggers, line 3: 'thief(1)' is no lock string such as perm(Builder).",
            ),
            (
                "name: Mara\nlore: [{text: x, if: initiated(2)}]",
                "bad.yaml: Mara: lore: 'initiated(2)' is no lock string such as perm(Builder).",
            ),
            (
                "name: Mara\nlore: [{text: x, if: tag(a), audience: public}]",
                "bad.yaml: Mara: lore: a fact has an audience, or an if.",
            ),
            (
                'name: Mara\nroutine: [{at: "06:00", where: room}]',
                "bad.yaml: Mara: routine, line 2: there is no 'where'; there is at, place, doing, "
                "sleep, if, unless.",
            ),
            (
                'name: Mara\nroutine: [{at: "06:00", sleep: 1}]',
                "bad.yaml: Mara: routine, line 2: sleep is true or false.",
            ),
        ):
            with self.subTest(sentence):
                self.assertEqual(self.refused(text), sentence)

    def test_a_day_is_written_with_the_rest_and_taken_back_with_it(self):
        self.room1.tags.add("town")
        day = "routine:\n  - {at: 13:00, place: Room, doing: bakes, unless: perm(Admin)}\n"
        day += '  - {at: "22:00", sleep: true}\nzone: town\n'
        self.write("mara.yaml", f"{MARA}{day}")
        self.assertEqual(self.seed("mara"), [("Mara", ["+", "+", "+", "+", "+"])])
        written = persona.load_persona(self.mara)
        self.assertEqual(
            written["routine"], ["13:00 Room: bakes [unless perm(Admin)]", "22:00 [sleep]"]
        )
        self.assertEqual(written["zone"], "town")
        self.write("mara.yaml", MARA)
        self.assertEqual(self.seed("mara"), [("Mara", ["-", "-"])])
        self.assertEqual(persona.load_persona(self.mara)["routine"], [])

    def test_triggers_are_written_with_the_rest(self):
        text = 'triggers:\n  - {on: bell, if: tag(thief), every: 10m, do: {say: "Stop, thief!"}}\n'
        self.write("mara.yaml", f"{MARA}{text}")
        self.seed("mara")
        written = persona.load_persona(self.mara)["triggers"]
        self.assertEqual(written, ["bell [if tag(thief)] [every 10m]: say Stop, thief!"])

    def test_a_fact_on_a_condition_is_for_nobody_else(self):
        self.write("mara.yaml", "name: Mara\nlore: [{text: The key., if: tag(thief)}]")
        self.seed("mara")
        [fact] = persona.load_lore(self.mara)
        self.assertEqual((fact.text, fact.audience, fact.only_if), ("The key.", [], "tag(thief)"))

    def test_the_seeds_of_the_demo_can_be_read(self):
        self.patch(mind_folders, "FOLDERS", {"seeds": "world/minds"})
        for name in ("innkeeper", "guard"):
            _, planned = seeding.read(name, self.npcs)
            self.assertEqual(len(planned), 1)

    def test_a_failure_in_the_middle_leaves_everything_as_it_was(self):
        self.write("tavern.yaml", TAVERN)
        file, planned = seeding.read("tavern", self.npcs)
        save_lore, seen = persona.save_lore, []

        def fails_at_the_second(npc, facts):
            seen.append(npc)
            if len(seen) > 1:
                raise DatabaseError("full")
            save_lore(npc, facts)

        failing = patch.object(persona, "save_lore", fails_at_the_second)
        with failing, self.assertRaises(DatabaseError):
            seeding.apply(file, planned)
        self.assertEqual(len(seen), 2)
        for npc in self.npcs:
            self.assertEqual(self.lore(npc), [])
            self.assertEqual(persona.load_persona(npc)["manner"], "")
            self.assertIsNone(repository.load(npc, kinds.SEEDED))
