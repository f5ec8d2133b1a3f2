"""A day in German and one in Swedish with an NPC that has no model, in a game of that language."""

from datetime import timedelta

from django.test import override_settings, tag
from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai import scheduling, tick
from evennia_ai.core import languages, words
from evennia_ai.domain.offline import scene
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.sleep import sleep_cycle, waking
from tests.agent.cases import MindTestCase

LORE = (
    "Das Bier kostet zwei Pfennige.",
    "Ein Zimmer für die Nacht kostet einen Silbergroschen.",
    "Mara wohnt über der Schankstube.",
    "Die alte Mühle am Fluss brannte im letzten Winter ab.",
    "Der Müller versteckte den Schatz im Brunnen.",
    "Der Schmied heißt Konrad und arbeitet in der Schmiede am Tor.",
    "Im Wald jagen Wölfe.",
    "Die Fähre legt bei Sonnenaufgang ab.",
)
# What Char says, and what stands in the answer.
DAY = (
    ("Guten Tag, Mara!", "greet_stranger"),
    ("Mara, wie geht es dir?", "how"),
    ("Mara wer bist du?", "Ich bin Mara"),
    ("Mara, was kostet ein Bier?", "Das Bier kostet zwei Pfennige."),
    ("Mara, wie viel kosten die Zimmer?", "Ein Zimmer für die Nacht kostet einen Silbergroschen."),
    ("Mara, wann brannten die Mühlen?", "im letzten Winter"),
    ("Mara, wo liegt der Schatz?", "im Brunnen"),
    ("Mara, wer versteckte die Schätze?", "Der Müller"),
    ("Mara, wie heißt der Schmied?", "Konrad"),
    ("Mara, wann legt die Fähre ab?", "bei Sonnenaufgang"),
    ("Mara, wer ist hier?", "Char2"),
    ("Mara, wo ist Char2?", "Char2"),
    ("Mara, was verkaufst du?", "Das Bier kostet zwei Pfennige."),
    ("Mara, wer ist der König von Norland?", "unknown"),
    ("Mara, meine Mutter wohnt in Eschental.", "Char"),
    ("Mara, wo wohnt meine Mutter?", "Eschental"),
    ("Mara, gib mir ein Bier.", "Das Bier kostet zwei Pfennige."),
    ("Danke Mara", "thanks"),
    ("Auf Wiedersehen, Mara.", "farewell"),
)
NEXT_DAY = (
    ("Guten Morgen, Mara!", "greet_known"),
    ("Mara, wo wohnt meine Mutter?", "Eschental"),
    ("Mara, kennst du mich?", "remember_yes"),
)


SWEDISH_LORE = (
    "En sejdel öl kostar tre kopparmynt.",
    "Ett rum för natten kostar två silvermynt.",
    "Idag serveras linssoppa med fläsk.",
    "Vägen norrut går över Kråkpasset till Högsten.",
    "På Kråkpasset blev två handelsmän överfallna av rövare.",
    "Maras man Otto stupade i kriget.",
)
SWEDISH_DAY = (
    ("God dag, Mara!", "greet_stranger"),
    ("Mara, hur är läget?", "how"),
    ("Va kostar en öl?", "tre kopparmynt"),
    ("Mara, vem är Otto?", "Maras man Otto stupade i kriget."),
    ("Mara, min syster heter Lena.", "Char"),
    ("Mara, vad heter min syster?", "Lena"),
    ("Mara, jag tappade min ring på stranden.", "Char"),
    ("Tack Mara, ha det bra!", "thanks"),
    ("Nu måste jag sticka, vi ses, Mara!", "farewell"),
)
SWEDISH_NEXT_DAY = (
    ("God morgon Mara!", "greet_known"),
    ("Mara, kommer du ihåg mig?", "remember_yes"),
)


class DayTestCase(MindTestCase):
    language = ""

    def setUp(self):
        spoken = override_settings(LANGUAGE_CODE=self.language)
        spoken.enable()
        self.addCleanup(spoken.disable)
        self.addCleanup(words.Game.speaks, words.Game.language)
        words.Game.speaks(self.language)
        super().setUp()

    def answer(self, command, character=None):
        """Return how Mara answers what somebody types, as (type, text)."""
        self.ann.clear()
        self.bob.clear()
        self.do(character or self.char1, command, wait=2)
        heard = self.bob if character is self.char2 else self.ann
        return next(((kind, text) for kind, text in heard if text.startswith("Mara")), ("", ""))

    def assert_said(self, answer, expected):
        """Say that an answer has these words, or is a line of this phrase."""
        lines = languages.load(self.language).phrases.get(expected) or [expected]
        spoken = [line.replace("{name}", "Char") for line in lines]
        self.assertTrue(any(line in answer for line in spoken), f"{answer!r} is no {expected!r}")

    def live(self, day):
        """Say each line of a day, and check its answer."""
        for said, expected in day:
            with self.subTest(said):
                kind, text = self.answer(f"say {said}")
                self.assertEqual(kind, "say")
                self.assert_said(text, expected)

    def sleep_a_night(self):
        morning = scheduling.now() + timedelta(hours=8)
        asleep = sleep_cycle.transition_mode(
            self.script_of_mara, ASLEEP, "it is night", wake_at=morning
        )
        self.assertTrue(asleep)
        for _ in range(10):
            tick.run_tick(self.script_of_mara)
            self.wait(2)
        # Who says good morning now does not do so in the midst of talk.
        self.wait(scene.TALKING)
        self.assertTrue(waking.perform_wake_transition(self.script_of_mara, "it is morning"))


@tag("scenario")
class GermanDayTests(DayTestCase):
    language = "de"
    lore = LORE

    def test_a_day(self):
        self.live(DAY)
        kind, _ = self.answer("whisper Mara = Ich habe den Schlüssel unter der Eiche vergraben.")
        self.assertEqual((kind, self.bob), ("whisper", []))
        kind, text = self.answer("say Mara, wo liegt der Schlüssel?")
        self.assertEqual(kind, "whisper")
        self.assertIn("unter der Eiche", text)
        _, text = self.answer("say Mara, wo liegt der Schlüssel?", self.char2)
        self.assertNotIn("Eiche", f"{text} {self.ann} {self.bob}")
        apple = create_object(DefaultObject, key="roter Apfel", location=self.char1)
        self.do(self.char1, f"give #{apple.id} to Mara", wait=2)
        _, text = self.answer("say Mara, was habe ich dir gegeben?")
        self.assertIn("Char", text)
        self.sleep_a_night()
        self.live(NEXT_DAY)


@tag("scenario")
class SwedishDayTests(DayTestCase):
    language = "sv"
    lore = SWEDISH_LORE

    def test_a_day(self):
        self.live(SWEDISH_DAY)
        self.sleep_a_night()
        self.live(SWEDISH_NEXT_DAY)
