"""Languages as files: ours, those of a game, and what is said of a file that is wrong."""

import re
import tempfile
import unittest
from pathlib import Path

import yaml

from evennia_ai.core import language_faults, languages
from evennia_ai.domain.offline import mind, reading

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"


def said(text, language, **context):
    """Return what an NPC of a language answers to Ann."""
    npc = {"name": "Mara", "language": language}
    event = {"kind": "say", "text": text, "actor_name": "Ann"}
    scene = {"npc": npc, "event": event, "speaker": {"name": "Ann"}, **context}
    with languages.reading(language):
        return mind.respond(scene, tools=()).text


class OurFilesTests(unittest.TestCase):
    def test_they_are_read_where_yaml_is_without_its_library_in_c(self):
        folder = Path(languages.__file__).parents[1] / "languages"
        names = {
            path.stem: yaml.load(path.read_text("utf-8"), yaml.SafeLoader)["name"]
            for path in folder.glob("*.yaml")
        }
        self.assertEqual(names, {"de": "German", "en": "English", "sv": "Swedish"})


class OwnFileTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(languages.use, {})
        self.file = Path(folder.name) / "own.yaml"

    def use(self, code, text):
        self.file.write_text(text, "utf-8")
        languages.use({code: self.file})

    def test_the_language_of_the_guide_is_spoken(self):
        self.use("nl", re.search(r"```yaml\n(name: Dutch.*?)```", PAGE.read_text("utf-8"), re.S)[1])
        lore = ["Het bier kost twee stuivers.", "De smid woont naast de molen."]
        self.assertEqual(list(language_faults.faults(self.file, "nl")), [])
        for text, expected in (
            ("Goedendag!", "Goedendag, Ann. Wat brengt je hier?"),
            ("Wat kosten de bieren?", "Het bier kost twee stuivers."),
            ("Waar woont de smid?", "De smid woont naast de molen."),
            ("Wie is de koning?", "Daar weet ik niets van, Ann."),
            ("Dank je, Mara.", "Graag gedaan, Ann."),
            ("Tot ziens, Mara.", "Tot ziens, Ann."),
        ):
            with self.subTest(text):
                self.assertEqual(said(text, "nl", lore=lore), expected)

    def test_a_file_of_a_language_that_we_have_adds_to_it(self):
        self.use("en", "phrases:\n  farewell: ['Fare well on all roads, {name}.']\n")
        self.assertEqual(said("Goodbye!", "en"), "Fare well on all roads, Ann.")
        self.assertIn("{name}", languages.phrase("en", "sorry")[0])

    def test_what_is_wrong_is_one_sentence_with_file_and_key(self):
        for text, expected in (
            ("phrases: {hello: 1}", "at phrases: Expected `array`, got `int`."),
            ("phrases: [a", "is no YAML: "),
            ("greetings: []", "Object contains unknown field `greetings`."),
            ("patterns: {tone: {glad: ['(a']}}", "patterns.tone.glad is no expression: "),
            ("phrases: {helo: [Hi]}", "phrases has 'helo', which nothing reads."),
            ("patterns: {questons: {why: [waarom]}}", "patterns has 'questons', which nothing"),
            ("patterns: {wants: {wy: [waarom]}}", "patterns has 'wants.wy', which nothing"),
            ("words: {ranking: {wy: waarom}}", "words has 'ranking"),
            ("utterances: [{fairwell: [dag]}]", "utterances has 'fairwell', which nothing reads."),
            ("utterances: [{farewell: ['(dag']}]", "utterances 'farewell' is no expression: "),
            ("states: [['(kapot', heel]]", "states '(kapot' is no expression: "),
        ):
            with self.subTest(text):
                self.use("nl", text)
                [fault] = language_faults.faults(self.file, "nl")
                self.assertTrue(fault.startswith(str(self.file)), fault)
                self.assertIn(expected, fault)


class SwedishTests(unittest.TestCase):
    def test_times_seasons_and_weather_are_named_in_swedish(self):
        for told, expected in (
            ("morning, 07:30", "morgon, 07:30"),
            ("Winter, snow", "vinter, snö"),
            ("late morning", "förmiddag"),
        ):
            found = said("Vad är klockan?", "sv", time=told)
            self.assertEqual(found, f"Det är {expected}, Ann.")

    def test_what_people_say_when_they_meet_is_a_greeting(self):
        for text in ("Hej!", "Hejsan", "Tjena", "God kväll", "God kväll, Mara!"):
            with self.subTest(text):
                self.assertEqual(reading.classify(text, names=("Mara",)).kind, "greeting")
