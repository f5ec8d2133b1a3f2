"""Tests of what an entry of the journal says of people."""

import unittest

from evennia_ai.domain.sleeping import mentions
from tests.domain import entries

NAMES = {
    "anna": ["uuid-anna"],
    "bo": ["uuid-bo"],
    "tom": ["uuid-tom", "uuid-other"],
    "mara": ["me"],
}


def entry(content, **fields):
    told = {"source_type": "direct", "said_by": "uuid-anna", "source_entity": "Anna"}
    return entries.entry(content, **{**told, **fields})


class NoticeTests(unittest.TestCase):
    def notice(self, content, **fields):
        found = mentions.notice(
            entry(content, **fields), names=NAMES, own_key="me", own_name="Mara"
        )
        return [tuple(one) for one in found]

    def test_what_people_say_of_themselves(self):
        self.assertEqual(
            self.notice("Mara, I love tea. The mill burned down. I hate eel."),
            [("uuid-anna", "Says: Mara, I love tea. I hate eel.", "uuid-anna")],
        )

    def test_what_they_say_of_others(self):
        self.assertEqual(
            self.notice("Bo hates cats."), [("uuid-bo", "Anna says: Bo hates cats.", "uuid-anna")]
        )
        self.assertEqual(
            self.notice("I like Bo. Bo likes cats."),
            [
                ("uuid-anna", "Says: I like Bo.", "uuid-anna"),
                ("uuid-bo", "Anna says: Bo likes cats.", "uuid-anna"),
            ],
        )

    def test_what_they_repeat_of_others_is_not_theirs(self):
        self.assertEqual(self.notice('Bo told me: "I love tea. I hate eel."'), [])
        self.assertEqual(self.notice('Bo said: "I love tea. Bo hates cats.'), [])
        self.assertEqual(
            self.notice('I hate eel. Bo said: "I love tea."'),
            [("uuid-anna", "Says: I hate eel.", "uuid-anna")],
        )

    def test_what_says_nothing_of_anybody(self):
        for content in (
            "The mill burned down.",
            "Does Bo hate cats?",
            "Stranger hates cats.",
            "Tom hates cats.",
            "Mara hates cats.",
            "I like " + "very " * 400 + "much rain.",
        ):
            with self.subTest(content):
                self.assertEqual(self.notice(content), [])

    def test_what_was_seen_is_told_by_nobody(self):
        doer = {"said_by": "uuid-bo", "source_entity": "Bo", "source_type": "observation"}
        seen = [("uuid-bo", "Bo orders ale.", "")]
        self.assertEqual(self.notice("Bo orders ale.", **doer), seen)
        # Nobody did it, as the game tells.
        self.assertEqual(self.notice("Bo orders ale.", **{**doer, "said_by": ""}), seen)
        self.assertEqual(self.notice("I love tea.", source_type="observation"), [])

    def test_whoever_acts_is_no_witness_to_others(self):
        for tags in ([], ["pose"], ["give"]):
            with self.subTest(tags):
                self.assertEqual(
                    self.notice("Bo orders ale.", source_type="observation", tags=tags), []
                )

    def test_what_a_pose_says_of_its_player_is_their_own_word(self):
        self.assertEqual(
            self.notice("Anna hates eel.", source_type="observation", tags=["pose"]),
            [("uuid-anna", "Anna hates eel.", "uuid-anna")],
        )

    def test_what_a_mind_notes_of_somebodys_words_is_theirs(self):
        chain = [{"identity": "uuid-anna", "name": "Anna"}]
        noted = {"said_by": "", "source_entity": "", "source_type": "observation"}
        self.assertEqual(
            self.notice("Bo hates cats.", chain=chain, **noted),
            [("uuid-bo", "Bo hates cats.", "uuid-anna")],
        )

    def test_what_is_passed_on_is_of_whoever_said_it_first(self):
        chain = [{"identity": "uuid-bo", "name": "Bo"}]
        self.assertEqual(
            self.notice("I love tea.", chain=chain), [("uuid-bo", "Says: I love tea.", "uuid-anna")]
        )

    def test_an_entry_of_unknown_source_has_no_i(self):
        self.assertEqual(self.notice("I love tea.", said_by=""), [])

    def test_insights_are_no_witnesses(self):
        self.assertEqual(self.notice("Bo hates cats.", tags=["synthesis"]), [])
