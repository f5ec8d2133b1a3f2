"""Two questions in one breath, questions that go on about what was said, trouble, wishes, and talk that goes on."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.offline import telling, utterances
from evennia_ai.domain.offline.voice import READ_LENGTH, Scene
from tests.domain.small_talk_scene import answer, own, theirs

BAKERY = [
    "A rye loaf costs three coppers.",
    "A honey cake costs five coppers.",
    "The healer Ingrid tends the sick in the white house by the bridge.",
    "Captain Voss guards the east gate.",
    "The well in the square is poisoned since the spring.",
]
BRYGGAN = ["En korg sill kostar fyra kopparmynt.", "Prästen Arvid botar sjuka i kapellet."]
MARTA = {"name": "Marta", "persona": "You are Marta, a baker.", "language": "en"}
TORSTEN = {
    "name": "Torsten",
    "persona": "Du är Torsten, en fiskare. Din hustru heter Gerda och ni har tre söner.",
    "language": "sv",
}


def asked(text, *before, npc=MARTA, lore=BAKERY, **changes):
    """Return what is said to Ann, who said some lines before, or heard them (those after "<")."""
    said = [own(line[1:]) if line.startswith("<") else theirs(line) for line in before]
    return answer(text, npc=npc, lore=lore, conversation=said, **{"memories": [], **changes})


def says_one_of(said, phrase, code="en"):
    """Return whether something is a line of a phrase, said to Ann."""
    lines = languages.phrase(code, phrase)
    return said in [line.replace("{name}", "Ann") for line in lines]


class BreathTests(unittest.TestCase):
    def test_two_questions_that_one_sentence_joins_are_both_answered(self):
        self.assertEqual(
            asked("who are you and what does a rye loaf cost?"),
            "I am Marta, a baker. A rye loaf costs three coppers.",
        )
        self.assertEqual(
            asked("vem är du och vad kostar en korg sill?", npc=TORSTEN, lore=BRYGGAN),
            "Jag är Torsten, en fiskare. En korg sill kostar fyra kopparmynt.",
        )

    def test_what_answers_both_is_said_once(self):
        self.assertEqual(
            asked("how much is a rye loaf and what does the rye loaf cost?"),
            "A rye loaf costs three coppers.",
        )

    def test_an_and_within_one_question_parts_nothing(self):
        said = utterances.questions("what do you know of the well and the gate?")
        self.assertEqual([one.text for one in said], ["what do you know of the well and the gate"])


class MeantTests(unittest.TestCase):
    def test_what_was_asked_is_asked_again_of_what_was_meant(self):
        for line in ("sorry, I meant the rye loaf", "no, the rye loaf", "I mean a rye loaf"):
            with self.subTest(line):
                before = ("how much is a honey cake?", "<A honey cake costs five coppers.")
                self.assertEqual(asked(line, *before), "A rye loaf costs three coppers.")
        before = ("vad kostar en ål?", "<Det priset vet jag inte, Ann.")
        said = asked("nej, jag menade en korg sill", *before, npc=TORSTEN, lore=BRYGGAN)
        self.assertEqual(said, "En korg sill kostar fyra kopparmynt.")

    def test_who_was_meant_is_told_of_where_the_question_named_nobody(self):
        before = ("who is the captain?", "<Captain Voss guards the east gate.", "where is he?")
        self.assertIn("The healer Ingrid", asked("no, I mean the healer", *before))

    def test_what_is_put_right_of_what_they_told_is_no_question(self):
        said = asked("no, I meant snakes", "what am I afraid of?", corrected=True)
        self.assertTrue(says_one_of(said, "corrected"))


class FollowingTests(unittest.TestCase):
    def test_and_another_thing_is_asked_of_as_the_thing_before_even_where_that_was_it(self):
        told = "<A rye loaf costs three coppers."
        for before in ("how much is a rye loaf?", "what does it cost?"):
            with self.subTest(before):
                self.assertEqual(asked("and a honey cake?", before, told), BAKERY[1])

    def test_who_did_what_somebody_did_is_asked_by_who_alone(self):
        self.assertEqual(asked("Somebody guards the east gate, I hear. Who?"), BAKERY[3])

    def test_i_do_not_know_changes_nothing_of_what_is_talked_of(self):
        lore = ["The old baker Hal fell ill in the winter.", "The fair began in the spring."]
        before = ("who was baker before?", f"<{lore[0]}", "did he like it?", "<I couldn't say.")
        self.assertIn("in the winter", asked("when?", *before, lore=lore))

    def test_what_is_named_beside_a_question_comes_before_what_was_told_last(self):
        lore = ["A troll lives under the stone bridge.", "The fair is held in the square."]
        before = ("where is the fair held?", f"<{lore[1]}")
        self.assertEqual(asked("I heard of a troll. Where is it?", *before, lore=lore), lore[0])

    def test_how_somebody_looks_is_told_by_their_looks_or_not_at_all(self):
        lore = ["The thief is a tall woman called Sable.", "Sable fears the sea."]
        before = ("who is the thief?", f"<{lore[0]}")
        self.assertIn("a tall woman", asked("what does she look like?", *before, lore=lore))
        before = ("who fears the sea?", f"<{lore[1]}")
        self.assertNotIn("fears", asked("what does she look like?", *before, lore=lore[1:]))

    def test_a_name_is_told_where_it_only_stands_even_that_of_a_month(self):
        lore = ["Torstens dotter Maj gifte sig med mjölnaren i våras."]
        before = ("har du barn?", "<Min dotter Maj gifte sig med mjölnaren i våras.")
        said = asked("vad heter hon?", *before, npc=TORSTEN, lore=lore)
        self.assertIn("Min dotter Maj", said)

    def test_several_at_the_beginning_of_a_sentence_are_nobodys_name(self):
        lore = ["Bandits robbed the mill at Crow Ford."]
        before = ("is the way safe?", f"<{lore[0]}")
        self.assertNotIn("Bandits", asked("what is his name?", *before, lore=lore))


class DoneToThemTests(unittest.TestCase):
    def test_what_was_done_to_the_npc_is_told_as_done_to_me(self):
        cases = {
            "Holger är skyldig Torsten sex silver.": "Holger är skyldig mig sex silver.",
            "Rika Agda lurade Torsten på en ko.": "Rika Agda lurade mig på en ko.",
            "Agda är arg på Torsten för kon.": "Agda är arg på mig för kon.",
            "I våras kom Torsten till byn.": "I våras kom jag till byn.",
            "I mars gifte sig Torsten med Ulla.": "I mars gifte jag mig med Ulla.",
            # Where the verb comes first, they did it.
            "En dag hittade Torsten en ring.": "En dag hittade jag en ring.",
            "I vinter hjälpte Torsten prästen.": "I vinter hjälpte jag prästen.",
            "Sillen säljer Torsten på torget.": "Sillen säljer Torsten på torget.",
        }
        for written, said in cases.items():
            with self.subTest(written):
                self.assertEqual(telling.in_first_person(Scene({"npc": TORSTEN}), written), said)
        scene = Scene({"npc": MARTA})
        cases = {
            "The miller lent Marta forty silvers.": "The miller lent me forty silvers.",
            "Old Ned sold Marta the mill.": "Old Ned sold me the mill.",
            "Last year Marta lost her son at sea.": "Last year I lost her son at sea.",
            "Ten years ago Marta left the mill.": "Ten years ago I left the mill.",
            "Marta set out to go to the mill, and did so.": "I set out to go to the mill, and did so.",
        }
        for written, said in cases.items():
            with self.subTest(written):
                self.assertEqual(telling.in_first_person(scene, written), said)
        greta = {"name": "Greta", "language": "de"}
        cases = {
            "Greta gab Björn Messer": "Ich gab Björn Messer",
            "Greta hatte einen Plan: Mehl holen, und das gelang.": "Ich hatte einen Plan: Mehl holen, und das gelang.",
        }
        for written, said in cases.items():
            with self.subTest(written):
                self.assertEqual(telling.in_first_person(Scene({"npc": greta}), written), said)


class TroubleTests(unittest.TestCase):
    def test_who_asks_help_for_somebody_ill_hears_who_heals(self):
        said = asked("can you help my sister? She is ill.")
        self.assertEqual(said, BAKERY[2])
        said = asked("kan du hjälpa min syster? Hon är sjuk.", npc=TORSTEN, lore=BRYGGAN)
        self.assertEqual(said, "Prästen Arvid botar sjuka i kapellet.")

    def test_trouble_is_met_with_pity_where_nothing_helps(self):
        self.assertTrue(says_one_of(asked("I lost my purse and my way"), "ails"))
        said = asked("jag har tappat bort min katt", npc=TORSTEN, lore=BRYGGAN)
        self.assertTrue(says_one_of(said, "ails", "sv"))

    def test_a_good_wish_is_returned_and_tells_nothing(self):
        self.assertTrue(says_one_of(asked("good luck with the baking!"), "wish"))
        said = asked("lycka till med fisket!", npc=TORSTEN, lore=BRYGGAN)
        self.assertTrue(says_one_of(said, "wish", "sv"))

    def test_who_wishes_a_good_day_leaves(self):
        self.assertTrue(says_one_of(asked("have a nice day, bye"), "farewell"))
        self.assertTrue(says_one_of(asked("thank you, have a good evening!"), "farewell"))

    def test_a_fact_that_only_begins_with_a_deed_is_not_told_of_a_thing(self):
        said = asked("is the water in the well safe?", lore=["Marta opens at dawn.", BAKERY[4]])
        self.assertNotIn("dawn", said)


class TalkingTests(unittest.TestCase):
    def greeted(self, then):
        line = {**own("A rye loaf costs three coppers."), "timestamp": then}
        spoken = {**theirs("how much is a loaf?"), "timestamp": then}
        changes = {"conversation": [spoken, line], "now": "2025-06-01T12:00:00Z"}
        return answer("hi", npc=MARTA, speaker={"name": "Ann", "state": "friend"}, **changes)

    def test_a_friend_is_welcomed_back_but_not_in_the_midst_of_talk(self):
        self.assertTrue(says_one_of(self.greeted("2025-06-01T11:59:30Z"), "hello_friend"))
        self.assertTrue(says_one_of(self.greeted("2025-06-01T09:00:00Z"), "greet_friend"))


class LongSpeechTests(unittest.TestCase):
    def test_of_a_long_speech_the_end_is_read(self):
        told = "The road was long and the rain was cold. " * 50
        scene = Scene({"event": {"kind": "say", "text": f"{told}What does a rye loaf cost?"}})
        self.assertLessEqual(len(scene.text), READ_LENGTH)
        self.assertTrue(scene.text.startswith("The road was long"))
        self.assertEqual(asked(f"{told}What does a rye loaf cost?"), BAKERY[0])


class PersonaTests(unittest.TestCase):
    def test_what_a_persona_says_to_you_after_and_is_said_by_oneself(self):
        said = asked("har du barn?", npc=TORSTEN, lore=BRYGGAN)
        self.assertEqual(said, "Min hustru heter Gerda och vi har tre söner.")
