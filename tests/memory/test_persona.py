"""Tests of what a builder wrote of an NPC."""

from evennia import create_object
from evennia.prototypes.spawner import spawn
from twisted.logger import capturedLogs

from evennia_ai.core.records import Lore
from evennia_ai.memory import kinds, persona, repository, routine
from evennia_ai.memory.storage import pages
from evennia_ai.testing import AITestCase
from evennia_ai.typeclasses import scripts
from tests.llm import logs

EMPTY = {
    "description": "",
    "background": "",
    "notes": "",
    "manner": "",
    "language": "",
    "zone": "",
    "model": "",
    "greeting_lines": [],
    "farewell_lines": [],
    "unknown_lines": [],
    "thinking_lines": [],
    "fallback_lines": [],
    "sleepy_lines": [],
    "beats": [],
    "routine": [],
    "triggers": [],
    "errands": [],
    "plans": [],
}


class PersonaTests(AITestCase):
    def test_without_a_persona_every_key_is_empty(self):
        self.assertEqual(persona.load_persona(self.char1), EMPTY)
        persona.load_persona(self.char1)["beats"].append("nods")
        self.assertEqual(persona.load_persona(self.char1), EMPTY)

    def test_a_text_is_the_description(self):
        persona.save_persona(self.char1, "A gruff smith.")
        self.assertEqual(
            persona.load_persona(self.char1), {**EMPTY, "description": "A gruff smith."}
        )

    def test_a_dict_fills_the_keys_that_it_has(self):
        written = {"background": "Born here.", "greeting_lines": ["Aye?", "Well met."]}
        persona.save_persona(self.char1, written)
        self.assertEqual(persona.load_persona(self.char1), {**EMPTY, **written})

    def test_one_line_by_itself_is_a_line_of_its_day_too(self):
        persona.save_persona(self.char1, {"routine": "06:00 Room: sweeps"})
        self.assertEqual([one.doing for one in routine.slots_of(self.char1)], ["sweeps"])
        persona.save_persona(self.char1, {"fallback_lines": "", "beats": " "})
        self.assertEqual(persona.load_persona(self.char1), EMPTY)

    def test_a_manner_may_be_told_by_relationship(self):
        persona.save_persona(self.char1, {"manner": {"friend": "warm"}})
        self.assertEqual(persona.load_persona(self.char1)["manner"], {"friend": "warm"})

    def test_an_unknown_key_is_an_error_and_nothing_is_written(self):
        persona.save_persona(self.char1, "A smith.")
        with self.assertRaisesRegex(ValueError, "^A persona has no backgruond, mood\\.$"):
            persona.save_persona(self.char1, {"mood": "x", "backgruond": "y", "notes": "z"})
        self.assertEqual(persona.load_persona(self.char1)["description"], "A smith.")

    def test_a_new_persona_replaces_the_old_one(self):
        persona.save_persona(self.char1, {"notes": "old", "background": "old"})
        persona.save_persona(self.char1, {"notes": "new"})
        self.assertEqual(persona.load_persona(self.char1), {**EMPTY, "notes": "new"})

    def test_what_a_builder_set_by_hand_is_read_as_it_was_meant(self):
        for written, expected in (
            ("A smith.", {"description": "A smith."}),
            ({"greeting_lines": "Aye?"}, {"greeting_lines": ["Aye?"]}),
            ({"greeting_lines": ("Aye?", "Well?")}, {"greeting_lines": ["Aye?", "Well?"]}),
            ({"notes": None, "beats": None}, {}),
            # Saving would refuse this one; reading must not break the NPC.
            ({"mood": "sour", "notes": "short"}, {"notes": "short"}),
            (None, {}),
            ("", {}),
            (12, {"description": "12"}),
        ):
            with self.subTest(written=written):
                repository.remove(self.char1, kinds.PERSONA)
                self.char1.db.ai_persona = written
                persona.take_up(self.char1)
                self.assertEqual(persona.load_persona(self.char1), {**EMPTY, **expected})

    def test_what_cannot_be_read_of_it_stays_and_keeps_nobody_from_having_a_mind(self):
        secret = {"text": "The key is under the oak.", "audience": "Ann"}
        for key, written in (
            ("ai_persona", {(1, 2): "x"}),
            ("ai_persona", "\ud800"),
            ("ai_lore", 2j),
            ("ai_lore", {"fact": "Iron is scarce."}),
            ("ai_lore", ["Iron is scarce.", ["So is coal."]]),
            ("ai_lore", ["Iron is scarce.", {"text": None}]),
            ("ai_lore", ["Iron is scarce.", "\ud800"]),
            # Whoever slips over who may know it has not told everybody.
            ("ai_lore", [secret]),
        ):
            with self.subTest(key=key, written=written):
                ned = create_object(key="Ned")
                ned.attributes.add(key, written)
                with capturedLogs() as captured:
                    self.assertTrue(scripts.attach(ned))
                self.assertEqual(persona.load_persona(ned), EMPTY)
                self.assertEqual(persona.load_lore(ned), [])
                self.assertTrue(ned.attributes.has(key))
                [line] = [one for one in logs.lines(captured) if "cannot be read" in one]
                self.assertIn(f"{key} of Ned(#{ned.id})", line)

    def test_a_number_is_a_fact_in_words(self):
        self.char1.db.ai_lore = [12, "Iron is scarce."]
        persona.take_up(self.char1)
        self.assertEqual(
            [fact.text for fact in persona.load_lore(self.char1)], ["12", "Iron is scarce."]
        )

    def test_a_prototype_carries_a_persona(self):
        written = {"description": "A smith.", "beats": ["nods"]}
        [smith] = spawn({"key": "smith", "AI_PERSONA": written, "AI_LORE": ["Iron is scarce."]})
        persona.take_up(smith)
        self.assertEqual(persona.load_persona(smith), {**EMPTY, **written})
        self.assertEqual(persona.load_lore(smith)[0].text, "Iron is scarce.")
        # So that nobody takes them for what the mind reads.
        self.assertFalse(smith.attributes.has("ai_persona") or smith.attributes.has("ai_lore"))

    def test_who_has_a_persona_takes_up_no_other(self):
        persona.save_persona(self.char1, "A smith.")
        self.char1.db.ai_persona = "A baker."
        persona.take_up(self.char1)
        self.assertEqual(persona.load_persona(self.char1)["description"], "A smith.")


class LoreTests(AITestCase):
    def test_a_sentence_is_known_to_all_and_a_dict_may_say_otherwise(self):
        persona.save_lore(
            self.char1,
            ["The ale is old Tam's.", {"text": "The key is under the oak.", "audience": ["ann"]}],
        )
        self.assertEqual(
            persona.load_lore(self.char1),
            [
                Lore(text="The ale is old Tam's.", audience="public"),
                Lore(text="The key is under the oak.", audience=["ann"]),
            ],
        )
        self.assertEqual(
            pages.plain(persona.load_lore(self.char1))[0],
            {"text": "The ale is old Tam's.", "audience": "public"},
        )

    def test_without_lore_it_knows_nothing(self):
        self.assertEqual(persona.load_lore(self.char1), [])
        persona.load_lore(self.char1).append("x")
        self.assertEqual(persona.load_lore(self.char1), [])

    def test_a_secret_without_text_is_an_error(self):
        with self.assertRaises(KeyError):
            persona.save_lore(self.char1, [{"audience": ["ann"]}])

    def test_what_a_builder_set_by_hand_is_read_as_it_was_meant(self):
        for written, expected in (
            ("Iron is scarce.", ["Iron is scarce."]),
            (["Iron is scarce.", {"text": "So is coal."}], ["Iron is scarce.", "So is coal."]),
            ({"text": "Iron is scarce."}, ["Iron is scarce."]),
            (None, []),
            ("", []),
        ):
            with self.subTest(written=written):
                repository.remove(self.char1, kinds.LORE)
                self.char1.db.ai_lore = written
                persona.take_up(self.char1)
                facts = persona.load_lore(self.char1)
                self.assertEqual([fact.text for fact in facts], expected)
