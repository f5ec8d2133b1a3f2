"""Tests of what a conversation was about, by rules."""

import unittest

from evennia_ai.domain.model_text import tokens
from evennia_ai.domain.sleeping import summary


def line(text, *, name="Anna", kind="say"):
    return {"name": name, "text": text, "kind": kind, "mine": name == "Mara"}


TALK = [
    line("Hello Mara, how are you?"),
    line("Well, thank you.", name="Mara"),
    line("The old mill burned down."),
    line("Who did it?", name="Mara"),
    line("I saw Bob near the mill. Do you know him?"),
    line("The wolves killed three sheep.", kind="whisper"),
    line("I will keep the brass key safe.", name="Mara"),
    line("Nobody stole the lantern from your cellar.", name="Mara"),
    line("(thought, but did not say: I will leave the lantern here)", name="Mara", kind="thought"),
]


class SummariseTests(unittest.TestCase):
    def summarise(self, lines, limit=200):
        return summary.summarise(lines, person="Anna", npc="Mara", limit=limit)

    def test_who_talked_about_what_and_who_said_it(self):
        self.assertEqual(
            self.summarise(TALK[:7]),
            "Anna and Mara talked about the old mill, Bob and the wolves. "
            "Anna said that the old mill burned down. "
            'Anna said: "I saw Bob near the mill". '
            "Anna whispered that the wolves killed three sheep. "
            'Mara said: "I will keep the brass key safe".',
        )

    def test_of_its_own_words_only_promises_are_kept(self):
        told = self.summarise(TALK)
        self.assertNotIn("cellar", told)
        self.assertNotIn("thought", told)

    def test_a_word_before_a_noun_belongs_to_it_only_where_it_tells_something_of_it(self):
        for words, topics in (
            ("The old mill burned down.", "the old mill"),
            ("The old and tired met at the mill.", "the mill"),
        ):
            told = self.summarise([line(words)])
            self.assertEqual(told.partition(".")[0], f"Anna and Mara talked about {topics}")

    def test_small_talk_leaves_nothing_to_tell(self):
        self.assertEqual(self.summarise(TALK[:2]), "Anna and Mara talked.")
        self.assertEqual(self.summarise([]), "Anna and Mara talked.")

    def test_of_many_insults_one_is_told(self):
        rude = [line(f"You {word} old hag, I hate you.") for word in ("ugly", "stupid", "filthy")]
        self.assertEqual(
            self.summarise([*rude, line("The old mill burned down.")]).partition(". ")[2],
            'Anna said: "You ugly old hag, I hate you". Anna said that the old mill burned down.',
        )

    def test_what_somebody_who_is_rude_tells_besides_is_told(self):
        rude = line("You ugly old hag, I hate you.")
        told = line("Get lost, you filthy hag! The old mill burned down.")
        self.assertIn("the old mill burned down", self.summarise([rude, told]))
        earlier = line(self.summarise([line("Get lost, hag!"), told]), kind="summary")
        self.assertIn("the old mill burned down", self.summarise([rude, earlier]))

    def test_it_is_as_short_as_asked_and_keeps_what_tells_most(self):
        dull = [line(f"The {word} stood near the door.") for word in ("chair", "table", "bench")]
        told = self.summarise([*dull, line("A secret war brings danger to the quest!")], limit=50)
        self.assertLessEqual(tokens.estimate(told), 50)
        self.assertIn("A secret war brings danger", told.replace("a secret", "A secret"))

    def test_a_thing_said_twice_is_told_once(self):
        told = self.summarise([line("The mill burned down."), line("Yes, the mill burned down!")])
        self.assertEqual(told.count("burned"), 1)

    def test_an_earlier_summary_is_taken_up_whole(self):
        before = self.summarise(TALK[:5])
        told = self.summarise([line(before, kind="summary"), line("The bridge in Riverton fell.")])
        self.assertEqual(
            told,
            "Anna and Mara talked about the bridge and Riverton. "
            "Anna said that the old mill burned down. "
            'Anna said: "I saw Bob near the mill". '
            "Anna said that the bridge in Riverton fell.",
        )

    def test_again_and_again_it_does_not_grow(self):
        told = ""
        for number in range(30):
            fresh = line(f"The guard number{number} took the purse number{number} from the stall.")
            told = self.summarise([line(told, kind="summary"), fresh], limit=120)
        self.assertLessEqual(tokens.estimate(told), 120)


class ToldTests(unittest.TestCase):
    def test_that_they_talked_is_left_out_where_there_is_more(self):
        for text, expected in (
            (
                "Anna and Mara talked about the well. Anna said that it is dry.",
                "Anna said that it is dry.",
            ),
            ("Anna and Mara talked.", "Anna and Mara talked."),
            ("Anna knows a well.", "Anna knows a well."),
        ):
            with self.subTest(text):
                self.assertEqual(summary.told(text, person="Anna", npc="Mara"), expected)


class ReportTests(unittest.TestCase):
    def test_indirect_speech_only_where_it_means_the_same(self):
        for said, expected in (
            ("The well is dry.", "Anna said that the well is dry."),
            ("There are wolves in the woods!", "Anna said that there are wolves in the woods."),
            ("I hid the key.", 'Anna said: "I hid the key".'),
            ("The market is closed today.", 'Anna said: "The market is closed today".'),
            ("Wolves came down.", 'Anna said: "Wolves came down".'),
            ('He cried "help" at night.', "Anna said: \"He cried 'help' at night\"."),
            ("Brunnen är torr.", 'Anna said: "Brunnen är torr".'),
            ("Nobody", 'Anna said: "Nobody".'),
        ):
            with self.subTest(said):
                self.assertEqual(summary.reported(line(said), said, npc="Mara"), expected)

    def test_a_namesake_is_not_the_assistant(self):
        said = {**line("I promise you gold.", name="Mara"), "mine": False}
        told = summary.reported(said, "I promise you gold.", npc="Mara")
        self.assertEqual(told, 'Another Mara said: "I promise you gold".')

    def test_how_it_was_said(self):
        for kind, expected in (
            ("whisper", "Anna whispered that the well is dry."),
            ("tell", "Anna told Mara that the well is dry."),
            ("channel", "Anna said on the channel that the well is dry."),
            ("pose", "Anna said that the well is dry."),
        ):
            with self.subTest(kind):
                said = line("The well is dry", kind=kind)
                self.assertEqual(summary.reported(said, "The well is dry", npc="Mara"), expected)

    def test_a_pose_is_reported_as_it_stands_if_it_begins_with_its_player(self):
        for text, expected in (
            ("Anna waves.", "Anna waves."),
            ("Annabel robbed the king.", 'Anna said: "Annabel robbed the king".'),
        ):
            with self.subTest(text):
                said = line(text, kind="pose")
                self.assertEqual(summary.reported(said, text, npc="Mara"), expected)


class FactTests(unittest.TestCase):
    def facts(self, *lines):
        return summary.facts(lines, npc="Mara")

    def test_facts_are_what_others_said_with_their_names(self):
        """M11 M46: of the world and its people, in the third person."""
        self.assertEqual(
            self.facts(*TALK),
            [
                "Anna said that the old mill burned down.",
                'Anna said: "I saw Bob near the mill".',
                "Anna whispered that the wolves killed three sheep.",
            ],
        )

    def test_another_number_is_another_fact(self):
        self.assertEqual(
            self.facts(
                line("The brewer sold 12 barrels of dark ale."),
                line("The brewer sold 13 barrels of dark ale."),
                line("The brewer sold 13 barrels of dark ale!"),
            ),
            [
                "Anna said that the brewer sold 12 barrels of dark ale.",
                "Anna said that the brewer sold 13 barrels of dark ale.",
            ],
        )

    def test_nothing_is_a_fact_about_the_assistant(self):
        """M11: never assistant actions, personality or opinions about its role."""
        for said in (
            "Mara is the best cook in town.",
            "You always serve cold soup.",
            "Mara, you are a witch and a liar.",
            "The assistant helped the old guard.",
            "Your soup tastes of dirty socks.",
        ):
            with self.subTest(said):
                self.assertEqual(self.facts(line(said)), [])

    def test_who_is_called_is_not_whom_it_is_about(self):
        self.assertEqual(
            self.facts(line("Mara, the bridge has fallen.")),
            ["Anna said that the bridge has fallen."],
        )

    def test_there_are_not_more_than_anybody_needs(self):
        lines = [line(f"The smith{number} forged a blade{number}.") for number in range(15)]
        self.assertEqual(len(self.facts(*lines)), 10)

    def test_a_summary_holds_no_new_fact(self):
        self.assertEqual(self.facts(line("Anna said that the well is dry.", kind="summary")), [])


class ShortenedTests(unittest.TestCase):
    def test_whole_sentences_are_kept(self):
        text = 'Anna said: "The mill burned." Mara agreed. They parted as friends.'
        self.assertEqual(summary.shortened(text, 13), 'Anna said: "The mill burned." Mara agreed.')
        self.assertEqual(summary.shortened(text, 100), text)

    def test_what_has_no_end_is_cut_at_a_word(self):
        self.assertEqual(summary.shortened("word " * 50, 5), "word word word")
        self.assertEqual(summary.shortened("  ", 5), "")
