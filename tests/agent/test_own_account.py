"""A model may say how it went about an answer, and why: nobody hears it, and its experience is told by it."""

from evennia_ai.domain.choices import approaches
from evennia_ai.domain.model_text import own_account
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import working_memory
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, seen_by, words

CALM = "Sit down, friend.\napproach: calm him; reason: he is drunk and armed"


class SplitTests(MindTestCase):
    def test_ways_in_which_models_write_it(self):
        for text, said, approach, reason in (
            (CALM, "Sit down, friend.", "calm him", "he is drunk and armed"),
            ("Sit.\n(Approach: calm him; reason: drunk.)", "Sit.", "calm him", "drunk"),
            ("Sit. approach: calm him; reason: drunk", "Sit.", "calm him", "drunk"),
            ("Sit.\n**Approach:** Calm Him\n**Reason:** drunk", "Sit.", "calm him", "drunk"),
            ("Sit.\napproach: calm him", "Sit.", "calm him", ""),
            ("Sit.\napproach: none", "Sit.", "", ""),
            ("Sit.\nreason: drunk", "Sit.", "", "drunk"),
            ("approach: warn\nSit.\napproach: calm", "Sit.", "calm", ""),
        ):
            with self.subTest(text):
                self.assertEqual(own_account.split(text), (said, (approach, reason)))

    def test_words_that_only_look_like_it_are_said(self):
        for text in (
            "My approach: never trust a miller.",
            "Reason: none.",
            "The verdict stands.\nReason: theft of a goat.",
            "Good evening.\n\nSit.",
        ):
            with self.subTest(text):
                self.assertEqual(own_account.split(text), (text, ("", "")))

    def test_long_ones_are_cut(self):
        _, account = own_account.split(f"approach: {'calm ' * 99}; reason: {'drunk ' * 99}")
        self.assertLessEqual(len(account.approach), 40)
        self.assertLessEqual(len(account.reason), 100)


class SameTests(MindTestCase):
    def test_other_words_for_one_way_are_the_same(self):
        for one, other in (
            ("calm him", "calm him down"),
            ("calm_him", "try to calm her"),
            ("call the guard", "summon the guards"),
            ("bargain", "negotiate the price"),
            ("lugna honom", "lugna ner honom"),
        ):
            with self.subTest(one):
                self.assertTrue(approaches.is_same(one, other))

    def test_other_ways_are_not(self):
        for one, other in (
            ("calm him", "threaten him"),
            ("refuse", "ignore him"),
            ("say", "say nothing"),
            ("call the guard", "threaten him"),
        ):
            with self.subTest(one):
                self.assertFalse(approaches.is_same(one, other))


class PlayTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.kept = experience_of(self.script_of_mara, self.mara)

    def insulted(
        self, *answers, line="say Mara, you are a fool and a thief!", by=None, repeat=False
    ):
        mind = minds.script_llm(*answers, repeat=repeat)
        self.do(by or self.char1, line, wait=3)
        return mind

    def decisions(self):
        kept = self.outcome(self.kept.dump())["decisions"]
        return [(one["data"]["action_type"], one["data"]["reasoning"]) for one in kept]

    def test_nobody_hears_it_and_it_is_kept_as_no_words(self):
        self.insulted(CALM)
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Sit down, friend."')
        own = [line.text for line in working_memory.lines_with(self.mara, self.first) if line.mine]
        self.assertEqual(own, ["Sit down, friend."])

    def test_it_is_what_was_decided_and_why(self):
        self.insulted(CALM)
        self.assertEqual(self.decisions(), [("calm him", "he is drunk and armed")])

    def test_the_next_time_it_is_called_as_before(self):
        self.insulted(CALM)
        self.wait(60)
        self.insulted("Hush.\napproach: calm him down; reason: he shouts")
        self.assertEqual([action for action, _ in self.decisions()], ["calm him", "calm him"])

    def test_but_not_by_words_that_others_may_not_know(self):
        self.insulted(
            "Hush.\napproach: hide the crown; reason: x",
            line="whisper Mara = You are a fool, you thief!",
        )
        self.wait(60)
        self.insulted("Hush.\napproach: hide crown; reason: y", by=self.char2)
        self.assertEqual(
            [action for action, _ in self.decisions()], ["hide the crown", "hide crown"]
        )

    def test_it_is_asked_for_where_there_is_a_choice_and_nowhere_else(self):
        asked = "approach: <in a few words>; reason: <why>"
        self.assertIn(asked, seen_by(self.insulted(CALM)))
        self.wait(60)
        self.assertNotIn(asked, seen_by(self.insulted("Noon.", line="say Mara, when is noon?")))

    def test_beside_a_tool_it_is_not_said_either(self):
        self.insulted(
            call("emote", action="frowns", text=""), "Well.\napproach: frown; reason: he is rude"
        )
        for heard in (self.ann, self.bob):
            self.assertEqual(words(heard)[-1], 'Mara says, "Well."')
            self.assertNotIn("he is rude", f"{heard}")

    def test_the_next_prompt_shows_approach_and_reason_once_it_went_well(self):
        self.insulted(CALM)
        [one] = self.outcome(self.kept.dump())["decisions"]
        self.outcome(self.kept.set_reward(one["id"], 0.8))
        self.wait(60)
        shown = seen_by(self.insulted("Hm."))
        self.assertIn("CALM HIM", shown)
        self.assertIn("he is drunk and armed", shown)

    def test_what_failed_on_one_day_the_next_days_prompt_says(self):
        """Free sentences, a scripted model, a night between: what it tried stands there as what went wrong."""
        self.insulted(
            "Out, or I call the watch!\napproach: threaten him; reason: he insults my guests",
            line="say Mara, this ale of yours is swill and you are a cheat!",
        )
        self.insulted("Hm.", line="say Mara, how dare you, you lying old hag!")
        self.wait(86_400)
        mind = self.insulted("Peace.", line="say Mara, now your stew is swill, you cheat!")
        self.assertIn(
            'Tried in such a situation before, without success: "threaten him"', seen_by(mind)
        )

    def test_free_sentences_of_two_days_teach_it_what_to_try_and_what_not(self):
        """A scripted model; nothing of what is said is known to the rules: checked by the prompt of the second day."""
        for line, answer, thanks in (
            (
                "say Mara, a dragon has burned the mill of Ostrey!",
                "Nonsense.\napproach: laugh at it; reason: dragons are for children",
                "say You are a useless old hag, get lost!",
            ),
            (
                "say Mara, my horse limps since the ford.",
                "Bring it here.\napproach: look at the hoof; reason: a stone is soon out",
                "say Thank you, Mara, you are wonderful!",
            ),
        ):
            self.insulted(answer, line=line, repeat=True)
            self.wait(5)
            self.insulted("Hm.", line=thanks, repeat=True)
            self.wait(61)
        self.wait(86_400)
        shown = seen_by(
            self.insulted("Well.", line="say Mara, the dragon is back at the mill!", repeat=True)
        )
        self.assertIn('Tried in such a situation before, without success: "laugh at it"', shown)
        # That both are news, told by a stranger in the same room, makes a lame horse no dragon.
        self.assertNotIn("look at the hoof", shown)
        self.wait(60)
        shown = seen_by(
            self.insulted("Well.", line="say Mara, now my other horse limps.", repeat=True)
        )
        self.assertIn(
            '- When somebody said "Mara, my horse limps since the ford.", you chose this: "look at the hoof".',
            shown,
        )
        self.assertIn("a stone is soon out", shown)
        self.assertIn("It went well.", shown)
        self.assertNotIn("laugh at it", shown)
        self.assertNotIn("dragons are for children", shown)
