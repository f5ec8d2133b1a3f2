"""How a line is worded: the tables of the languages, slots that are filled once, variety."""

import re
import unittest

from hypothesis import given
from hypothesis import strategies as st

from evennia_ai.core import languages
from evennia_ai.domain.offline import mind
from evennia_ai.domain.offline import scene as scenes
from evennia_ai.domain.offline.scene import Scene
from tests.domain.small_talk_scene import BREE, own, scene, theirs


def seen(text="hello", **changes):
    """Return the scene at the inn as the mind sees it."""
    return Scene(scene(text, **changes))


def phrases():
    """Return the phrases of each language."""
    return {code: languages.load(code).phrases for code in languages.codes()}


class PhraseTests(unittest.TestCase):
    def test_every_language_has_every_phrase(self):
        for language, table in phrases().items():
            with self.subTest(language):
                self.assertEqual(set(table), set(phrases()["en"]))

    def test_phrases_mean_the_same_slots_in_every_language(self):
        for key, lines in phrases()["en"].items():
            slots = {slot for line in lines for slot in re.findall(r"\{(\w+)\}", line)}
            for language, table in phrases().items():
                with self.subTest(f"{language} {key}"):
                    found = {slot for line in table[key] for slot in re.findall(r"\{(\w+)\}", line)}
                    self.assertEqual(found, slots)

    def test_phrases_are_plain_lines(self):
        for language, table in phrases().items():
            for key, lines in table.items():
                with self.subTest(f"{language} {key}"):
                    self.assertIsInstance(lines, tuple)
                    self.assertEqual(len(set(lines)), len(lines))
                    for line in lines:
                        self.assertEqual(line, line.strip())
                        self.assertLess(len(line), 110)

    def test_what_a_player_may_say_has_a_phrase(self):
        topics = {topic for kind, topic, _ in languages.sorts(("en", "sv")) if kind == "chat"}
        kinds = {"farewell", "thanks", "sorry", "introduction", "statement", "empty"}
        self.assertEqual((topics | kinds) - set(phrases()["en"]), set())

    def test_every_gesture_that_can_be_asked_for_has_a_pose(self):
        rows = [
            pattern.pattern
            for _, topic, pattern in languages.sorts(("en", "sv"))
            if topic == "gesture"
        ]
        words = [
            word for row in rows for word in row.split("(?P<item>")[1].split(")")[0].split("|")
        ]
        self.assertEqual(len(words), 22)
        for word in words:
            with self.subTest(word):
                self.assertRegex(mind.respond(scene(word), tools=()).text, r"^\*.+\*$")


class FillTests(unittest.TestCase):
    def test_slots_are_filled_in_one_pass(self):
        found = seen(speaker={"name": "{text}"}).fill("{name}: {text} {npc}", text="{name} {by}")
        self.assertEqual(found, "{text}: {name} {by} Bree")

    def test_other_braces_are_left_alone(self):
        self.assertEqual(seen().fill("{a} {0} {} {{name}}"), "{a} {0} {} {Ann}")

    def test_a_slot_at_the_beginning_begins_a_sentence(self):
        self.assertEqual(seen().fill("{text} came.", text="the fox"), "The fox came.")
        self.assertEqual(seen().fill("came {text}", text="the fox"), "came the fox")

    @given(st.text(max_size=60), st.text(max_size=60))
    def test_any_template_and_any_words_can_be_filled(self, line, words):
        self.assertIsInstance(seen().fill(line, text=words), str)

    def test_own_lines_come_before_ours(self):
        found = seen(npc={**BREE, "farewell_lines": ["Shoo, {name}!"]})
        self.assertEqual(found.line("farewell", own="farewell_lines"), "Shoo, Ann!")

    def test_own_lines_that_are_none_are_not_used(self):
        for lines in (None, [], ["  "], "Shoo!", {"a": 1}):
            with self.subTest(lines):
                found = seen(npc={**BREE, "farewell_lines": lines})
                self.assertIn(
                    found.line("farewell", own="farewell_lines"),
                    [
                        "Farewell, Ann. Mind the road.",
                        "Until next time, Ann.",
                        "Take care of yourself, Ann.",
                    ],
                )


class PickTests(unittest.TestCase):
    LINES = ("One.", "Two.", "Three.")

    def test_the_choice_is_the_same_for_the_same_talk(self):
        self.assertEqual(seen()._pick("x", self.LINES), seen()._pick("x", self.LINES))

    def test_recent_lines_are_not_chosen(self):
        for first in self.LINES:
            for second in self.LINES:
                found = seen(conversation=[own(first), own(second)])._pick("x", self.LINES)
                self.assertNotIn(found, (first, second))

    def test_when_all_were_said_it_is_at_least_not_the_last(self):
        said = [own(line) for line in self.LINES]
        self.assertIn(seen(conversation=said)._pick("x", self.LINES), ("One.", "Two."))

    def test_a_single_line_is_what_there_is(self):
        self.assertEqual(seen(conversation=[own("One.")])._pick("x", ["One."]), "One.")


class SceneTests(unittest.TestCase):
    def test_names_are_cleaned_and_cut(self):
        self.assertEqual(seen(speaker={"name": "A\x1bn\nn"}).name, "An n")
        self.assertLessEqual(len(seen(speaker={"name": "x" * 500}).name), scenes.NAME_LENGTH)

    def test_the_name_comes_from_the_event_where_the_speaker_is_unknown(self):
        self.assertEqual(seen(speaker={}).name, "Ann")
        self.assertEqual(Scene({}).name, "friend")
        self.assertEqual(Scene({"npc": {"language": "sv"}}).name, "vän")

    def test_an_npc_is_called_by_parts_of_its_name(self):
        found = Scene({"npc": {"name": "Grim the Guard"}})
        self.assertEqual(found.own_names, ("Grim the Guard", "Grim", "Guard"))
        self.assertEqual(Scene({}).own_names, ())

    def test_what_is_heard_now_is_not_yet_conversation(self):
        found = seen("hi", conversation=[theirs("a"), own("b"), theirs("hi")])
        self.assertEqual([line["text"] for line in found.conversation], ["a", "b"])

    def test_lines_of_others_stay_in_the_conversation(self):
        found = seen("looking good", conversation=[theirs("look", name="Bob")])
        self.assertEqual(len(found.conversation), 1)

    def test_events_of_others_are_not_the_speakers_words(self):
        mine = scene("follow me")["event"]
        other = {**mine, "actor": "u9", "actor_name": "Bob", "text": "attack!"}
        self.assertEqual(seen("follow me", events=[other, mine]).text, "follow me")

    def test_the_place_is_a_text_or_has_a_name(self):
        self.assertEqual(seen(place="A yard").place, "A yard")
        self.assertEqual(seen(place={"name": "A yard"}).place, "A yard")
        self.assertEqual(seen(place=None).place, "")

    def test_the_language_is_one_that_there_is(self):
        for given_language, expected in [
            ("sv", "sv"),
            ("sv-SE", "sv"),
            ("SV", "sv"),
            ("de", "de"),
            ("nl", "en"),
            ("nl", "en"),
            (None, "en"),
        ]:
            with self.subTest(given_language):
                self.assertEqual(Scene({"npc": {"language": given_language}}).language, expected)

    def test_names_are_listed_as_they_are_spoken(self):
        self.assertEqual(seen().listed(["Ann"]), "Ann")
        self.assertEqual(seen().listed(["Ann", "Bob", "Carl"]), "Ann, Bob and Carl")

    def test_people_are_the_same_by_name_or_part_of_it(self):
        for one, other, expected in [
            ("Ann", "ann", True),
            ("Grim", "Grim the guard", True),
            ("Grim the guard", "Grim", False),
            ("An", "Ann", False),
            ("", "", False),
            (None, "Ann", False),
        ]:
            with self.subTest(f"{one} {other}"):
                self.assertEqual(scenes.is_same(one, other), expected)

    def test_quoted_words_fit_between_quotation_marks(self):
        self.assertEqual(scenes.quoted('"Say "boo"\n now"'), "Say 'boo' now")
        self.assertLessEqual(len(scenes.quoted("word " * 200)), scenes.QUOTE_LENGTH)
