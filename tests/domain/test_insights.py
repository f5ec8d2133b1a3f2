"""Tests of insights: their citations, how they are written and read, and which are none."""

import unittest

from evennia_ai.domain.sleeping import insights


class CitationTests(unittest.TestCase):
    def test_the_numbers_are_taken_off_the_end(self):
        """R10: "insight text (because of evidence 1, 5, 3)", and what models make of it."""
        for text, content, numbers in (
            ("insight text (because of evidence 1, 5, 3)", "insight text", [1, 5, 3]),
            ("- Wolves come (because of evidence 2).", "Wolves come.", [2]),
            ("3. Wolves come. (because of evidence 2 and 4)", "Wolves come.", [2, 4]),
            ("Wolves come [1, 2]", "Wolves come", [1, 2]),
            ("Wolves come (evidence #1, #2)", "Wolves come", [1, 2]),
            ("Wolves come (because of entries 12-14)", "Wolves come", [12, 13, 14]),
            ("Wolves come (because of entry 12)", "Wolves come", [12]),
            ("Wolves (grey ones) come", "Wolves (grey ones) come", []),
            ("", "", []),
        ):
            with self.subTest(text):
                self.assertEqual(insights.parse_insight(text), (content, numbers))

    def test_numbers_stand_for_ids(self):
        """R9 R10: from 1 on; what is out of range is passed over."""
        given = [("Wolves come (because of evidence 2, 9)", [1, 0]), ("Bears come", [7])]
        self.assertEqual(
            insights.cited(given, ["a", "b", "c"], limit=5),
            [{"content": "Wolves come", "evidence_ids": ["a", "b"]}],
        )

    def test_what_is_said_twice_counts_once(self):
        given = [("Wolves come.", [1]), ("wolves come", [2]), ("Bears come.", [2])]
        found = insights.cited(given, ["a", "b"], limit=5)
        self.assertEqual([one["content"] for one in found], ["Wolves come.", "Bears come."])
        self.assertEqual(len(insights.cited(given, ["a", "b"], limit=1)), 1)

    def test_an_insight_is_one_line_of_a_bounded_length(self):
        [one] = insights.cited([("Wolves\ncome. " + "x" * 400, [1])], ["a"], limit=5)
        self.assertNotIn("\n", one["content"])
        self.assertLessEqual(len(one["content"]), 300)

    def test_a_huge_range_costs_nothing(self):
        self.assertLess(len(insights.parse_insight("Wolves (because of 1-999999999)")[1]), 2000)


class SelfReferenceTests(unittest.TestCase):
    def test_the_patterns_are_the_union_of_the_sources_as_whole_words(self):
        """R11 J48: decision C-12."""
        self.assertEqual(
            insights.SELF_REFERENCE_PATTERNS,
            (
                r"^I\s+(should|am|tend|need|must|will|have|was|can|could)\b",
                r"(?i)\b(the assistant|my behavior|my approach|myself|my identity)\b",
                r"(?i)\b(i learned|i realized|i discovered|i noticed|i found)\b",
                r"(?i)\b(i will|i need to|i should|i must)\b",
            ),
        )

    def test_what_is_about_the_assistant_is_told(self):
        """J48 J49 R11: each of the words, and the example that is to be rejected."""
        for content in (
            "I should be more patient with players",
            "I tend to talk too much",
            "Guests like my behavior",
            "The assistant was helpful",
            "Today i noticed that Bob lies",
            "As the moon is full, I need to rest",
            "The answer is that I will stay",
            "It says much about myself",
        ):
            with self.subTest(content):
                self.assertTrue(insights.is_self_referential(content))

    def test_what_is_about_the_world_is_not(self):
        """J49: the example that is to be accepted; "Kai will" has no "I will" in it."""
        for content in (
            "Players respond better to patient guidance",
            "Kai will leave the town",
            "Hawaii will be missed",
            "Rabbi must be a name",
            'Anna says "I will marry Bo" to anybody',
            "Bo's motto is ‘I must have it’",
            "Mara's ale is praised by all",
            "Marabel is a thief",
        ):
            with self.subTest(content):
                self.assertFalse(insights.is_self_referential(content, names=["Mara"]))

    def test_its_own_name_is_the_assistant(self):
        self.assertTrue(insights.is_self_referential("Mara is patient", names=["Mara"]))
        self.assertFalse(insights.is_self_referential("Mara is patient", names=[""]))


class RepetitionTests(unittest.TestCase):
    def test_a_piece_of_evidence_over_again_is_no_insight(self):
        said = ["The well has run dry, and the cows are thirsty."]
        for content, expected in (
            ("The well has run dry.", True),
            ("The well has run dry and the cows are thirsty", True),
            ("Cows suffer most from the dry well.", False),
            ("Dry wells mean thirsty cows.", False),
        ):
            with self.subTest(content):
                self.assertEqual(insights.repeats(content, said), expected)
        self.assertFalse(insights.repeats("Anything", []))

    def test_four_words_in_a_row_are_quoted(self):
        said = ["The well has run dry."]
        self.assertTrue(insights.shares_a_run("They say the WELL has run over", said))
        self.assertFalse(insights.shares_a_run("The well has dried", said))
        self.assertFalse(insights.shares_a_run("Run dry", said))


class GossipTests(unittest.TestCase):
    """What one person says of another is no insight."""

    NAMES = ("ann", "bob", "old tom")

    def check(self, content, *evidence):
        return insights.is_gossip(content, evidence, names=self.NAMES)

    def test_what_one_alone_says_of_another_is_gossip(self):
        said = ("Ann is a thief.", "Bob")
        self.assertTrue(self.check("Ann robs travellers", said))
        # Whatever else is cited beside it.
        others = (("It rains.", "Cid"), ("The mill burns.", ""))
        self.assertTrue(self.check("Ann robs travellers", said, *others))
        self.assertTrue(self.check("Travellers fear old Tom", ("Old Tom bites.", "Bob")))
        self.assertTrue(self.check("Ann robs travellers", ("She is a thief.", "Bob")))

    def test_what_several_say_or_what_was_seen_is_none(self):
        said = ("Ann is a thief.", "Bob")
        self.assertFalse(self.check("Ann robs travellers", said, ("Ann took my purse.", "Cid")))
        self.assertFalse(self.check("Ann robs travellers", said, ("Ann steals a coin.", "")))

    def test_what_somebody_says_of_themselves_is_none(self):
        self.assertFalse(self.check("Ann loves tea", ("Ann loves tea.", "Ann")))

    def test_what_names_who_says_so_is_none(self):
        self.assertFalse(self.check("Bob takes Ann for a thief", ("Ann is a thief.", "Bob")))

    def test_what_is_about_nobody_is_none(self):
        self.assertFalse(self.check("Anniversaries matter", ("It is my day.", "Bob")))
        self.assertFalse(insights.is_gossip("Ann is here", [], names=self.NAMES))
        self.assertFalse(self.check("Ann is here"))


class SynthesisTests(unittest.TestCase):
    def test_it_has_a_heading_and_an_insight_a_line(self):
        """R16: "[SYNTHESIS] Reflection on: question summary\\n\\n- insight 1\\n- insight 2..."."""
        written = insights.written(
            ["Why?", "Who\nelse?"], [("Wolves come.", [4, 9]), ("Bears\ncome.", [])]
        )
        self.assertEqual(
            written,
            "[SYNTHESIS] Reflection on: Why? Who else?\n\n"
            "- Wolves come. (because of entries 4, 9)\n- Bears come.",
        )
        self.assertEqual(insights.read(written), [("Wolves come.", [4, 9]), ("Bears come.", [])])

    def test_what_lists_nothing_has_no_insights(self):
        self.assertEqual(insights.read("[SYNTHESIS] The mill matters."), [])
        self.assertEqual(insights.unmarked("[SYNTHESIS] The mill matters."), "The mill matters.")
        self.assertEqual(insights.unmarked("The mill matters."), "The mill matters.")

    def test_long_questions_are_cut(self):
        heading = insights.written(["Why so? " * 100], []).splitlines()[0]
        self.assertLessEqual(len(heading), 330)

    def test_it_was_told_word_for_word_or_in_its_sense(self):
        insight = "Neglect of the well worries the whole town."
        for said, expected in (
            (f"If you ask me: {insight}", True),
            ("The town worries, I think, about the neglect of that well.", True),
            ("The well is deep.", False),
            ("", False),
        ):
            with self.subTest(said):
                self.assertEqual(insights.was_told(insight, said), expected)


if __name__ == "__main__":
    unittest.main()
