"""A model without tools: what is plainly wished is done by rules, and it is told what happened."""

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai.agent import wishes
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import persona
from evennia_ai.memory.state import assistant, kept_goals
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words
from tests.life.test_running_errands import ErrandTestCase


def script_plain(*replies, **options):
    """Let a model without tools do all jobs."""
    mind = minds.script_llm(*replies, **options)
    mind.profile = "plain"
    return mind


class WishCase:
    def wish(self, line, character=None):
        """Let a player say or whisper something; return what had happened before the model was asked."""
        noted = []

        def fulfil(turn):
            return fulfilled(turn).addCallback(lambda _: noted.extend(turn.happened))

        fulfilled = wishes.fulfil
        self.patch(wishes, "fulfil", fulfil)
        self.mind = script_plain("Well.", repeat=True)
        self.do(character or self.char1, line, wait=3)
        self.patch(wishes, "fulfil", fulfilled)
        return noted


class WishTests(WishCase, MindTestCase):
    def setUp(self):
        super().setUp()
        self.mug = create_object(DefaultObject, key="mug", location=self.mara)
        # Only whom it lets may lead it.
        self.mara.locks.add("lead:id(%s)" % self.char1.id)

    def following(self):
        return assistant.following(self.script_of_mara)

    def test_whoever_says_follow_me_is_followed_until_they_say_stay(self):
        self.assertEqual(self.wish("say Mara, follow me"), ["You follow Char from now on."])
        self.assertEqual(self.following(), self.char1.id)
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Well."')
        self.assertEqual([request.tools for request in self.mind.requests], [()])
        self.assertEqual(self.wish("say Mara, stay here."), ["You follow nobody."])
        self.assertFalse(self.following())

    def test_who_may_not_lead_is_not_followed_and_the_model_is_told_why(self):
        [told] = self.wish("say Mara, follow me!", self.char2)
        self.assertRegex(told, r"^You could not follow: .+\.$")
        self.assertFalse(self.following())

    def test_what_it_carries_it_hands_over(self):
        self.assertEqual(self.wish("whisper Mara = give me the mug"), ["You gave mug to Char."])
        self.assertEqual(self.mug.location, self.char1)

    def test_what_it_does_not_carry_it_could_not_give(self):
        self.mug.location = self.room1
        told = self.wish("say Mara, give me the mug")
        self.assertEqual(told, ["You could not give it: You do not carry mug."])
        self.assertEqual(self.mug.location, self.room1)

    def test_a_question_a_story_and_another_sort_of_gift_are_no_wishes(self):
        for line in (
            "Mara, will you follow me tomorrow?",
            "Mara, did you follow me?",
            "Mara, why should you give me the mug?",
            "Mara, Bob told me to give me the mug.",
            "Mara, give me a reason.",
            "Mara, stay here.",
            "Mara, what a mug!",
        ):
            with self.subTest(line=line):
                self.assertEqual(self.wish(f"say {line}"), [])
        self.assertEqual((self.mug.location, self.following()), (self.mara, None))

    def test_what_a_builder_priced_is_not_given_away(self):
        persona.save_lore(self.mara, ["A mug costs three pence."])
        self.assertEqual(self.wish("say Mara, give me the mug"), [])
        self.assertEqual(self.mug.location, self.mara)

    def test_a_model_with_tools_is_left_to_use_them(self):
        minds.script_llm("Well.", repeat=True)
        self.do(self.char1, "say Mara, follow me")
        self.assertFalse(self.following())

    def test_where_the_model_fails_the_mind_by_rules_says_what_was_done(self):
        mind = script_plain(lambda request: OfflineMind().complete(request))
        self.do(self.char1, "say Mara, follow me", wait=3)
        self.assertEqual(self.following(), self.char1.id)
        self.assertEqual(len(mind.requests), 1)
        self.assertIn("right behind you", words(self.ann)[-1].casefold())


class ErrandWishTests(WishCase, ErrandTestCase):
    def test_a_letter_is_taken_to_whom_it_is_for_and_to_nobody_who_is_not_on_her_list(self):
        self.do(self.char1, "give letter to Mara")
        told = self.wish("say Mara, take this letter to Smith")
        self.assertEqual(told, ["You could not carry that: You carry nothing to them."])
        told = self.wish("say Mara, take this letter to Bertil")
        self.assertEqual(told, ["You will take letter to Bertil, and tell them how it went."])
        self.assertEqual(len(kept_goals.planned(self.script_of_mara)), 1)
