"""A pose shows what its player wrote: an NPC tells it as that player's account and concludes nothing about others."""

from evennia_ai.agent.hearing import perception
from evennia_ai.agent.revising import forgetting
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import reflection_state
from evennia_ai.sleep import people_noticed
from evennia_ai.testing import minds
from evennia_ai.tools import journal_tools
from tests.agent.cases import MindTestCase, call, words

POISON = ':nods. Char2 says, "I poisoned the old miller."'


class PoseTestCase(MindTestCase):
    """Without a model; Char2 is known by name."""

    def setUp(self):
        super().setUp()
        base.install("default", OfflineMind())
        self.do(self.char2, "say Mara, good morning.", wait=2)

    def answer(self, question):
        self.bob.clear()
        self.do(self.char2, f"say Mara, {question}", wait=3)
        return words(self.bob)[-1]

    def sleeps(self):
        for _ in range(200):
            entries, _ = people_noticed.note_from_journal(self.mara)
            if not entries:
                break

    def known_of(self, who):
        known = entity_profiles.find_profile(self.mara, who)
        return known.observations + known.attributes if known else []

    def entry(self):
        return journal.entries(self.mara)[-1]


class ToldTests(PoseTestCase):
    def test_what_a_pose_says_of_another_is_told_as_its_players_word(self):
        self.do(self.char1, ":laughs. Char2 killed the king last night.", wait=2)
        answer = self.answer("who killed the king?")
        self.assertEqual(
            answer,
            'Mara says, "I have it from Char: "Char laughs. Char2 killed the king last night.""',
        )

    def test_words_put_into_anothers_mouth_are_told_as_its_players_word(self):
        self.do(self.char1, POISON, wait=2)
        answer = self.answer("who poisoned the old miller?")
        self.assertEqual(
            answer,
            'Mara says, "Char told me: "Char nods. Char2 says, \'I poisoned the old miller.""',
        )

    def test_the_player_is_its_teller_and_it_is_believed_as_hearsay(self):
        self.do(self.char1, POISON, wait=2)
        entry = self.entry()
        self.assertEqual(
            (entry.content, entry.said_by, entry.source_entity),
            ('Char nods. Char2 says, "I poisoned the old miller."', self.first, "Char"),
        )
        self.assertEqual((entry.source_type, entry.source_trust), ("observation", 0.6))

    def test_a_model_reads_whose_account_it_is(self):
        self.do(self.char1, POISON, wait=2)
        # What they said with each other is long ago.
        working_memory.remove_conversation(self.mara, self.first)
        self.wait(4000)
        mind = minds.script_llm("Hm.", repeat=True)
        self.do(self.char2, "say Mara, who poisoned the miller?", wait=3)
        read = mind.requests[0].messages[-1]["content"]
        # An hour ago may be yesterday.
        account = r"\(By Char's own account (earlier today|yesterday): Char nods\. Char2 says"
        self.assertRegex(read, account)
        self.assertNotIn("You saw", read)

    def test_what_somebody_really_gives_is_seen(self):
        self.obj1.key = "loaf"
        self.obj1.location = self.char1
        self.do(self.char1, "give loaf to Mara", wait=2)
        self.assertEqual(
            self.answer("who gave you a loaf?"), 'Mara says, "Char gave me a loaf, Char2."'
        )

    def test_what_the_game_reports_is_seen(self):
        perception.perceive(self.mara, "duel", "beat Olle in a duel.", self.char1, addressed=False)
        self.wait()
        entry = self.entry()
        self.assertEqual((entry.content, entry.source_trust), ("Char beat Olle in a duel.", 0.8))
        self.assertNotIn("from Char", self.answer("who beat Olle in a duel?"))

    def test_what_is_posed_on_a_channel_is_its_players_word(self):
        event = {"kind": "channel", "text": "*laughs. Char2 killed the king.*"}
        perception.perceive(self.mara, *event.values(), self.char1, addressed=False)
        self.wait()
        self.assertEqual(self.entry().source_type, "environmental")

    def test_who_reads_the_journal_sees_whose_pose_it_was(self):
        self.do(self.char1, POISON, wait=2)
        self.assertEqual(journal_tools.origin(self.entry()), "posed by")


class NightTests(PoseTestCase):
    def test_a_hundred_poses_make_no_fact_of_another(self):
        for number in range(100):
            self.do(self.char1, f":nods. Char2 hates tea and loves ale number {number}.", wait=0.2)
        self.sleeps()
        self.assertEqual(self.known_of(self.second), [])

    def test_what_a_pose_says_of_its_player_is_their_own_claim(self):
        self.do(self.char1, ":hates tea, loves murder and nods to Mara.", wait=2)
        self.do(self.char1, ":smiles. Char hates tea.", wait=2)
        self.sleeps()
        self.assertEqual({one.said_by for one in self.known_of(self.first)}, {self.first})

    def test_nothing_is_concluded_from_a_pose(self):
        before = reflection_state.reflection_state(self.script_of_mara).entries_since_reflection
        self.do(self.char1, ":nods. Char2 killed the old king in the tower.", wait=2)
        after = reflection_state.reflection_state(self.script_of_mara).entries_since_reflection
        self.assertEqual((after, self.entry().tags), (before, ["pose"]))

    def test_a_note_on_a_pose_has_its_player_as_the_teller(self):
        self.configure(ALL_TOOLS=True)
        noted = call(
            "update_entity_observation", entity_id="Char2", content="Char2 poisoned the miller."
        )
        minds.script_llm(noted, "Dear me!", "Hm.", repeat=True)
        self.do(self.char1, ":bows to Mara. Char2 poisoned the miller.", wait=3)
        [observation] = self.known_of(self.second)
        self.assertEqual((observation.said_by, observation.source_trust), (self.first, 0.6))


class NameTests(PoseTestCase):
    """Names that are sentences."""

    def setUp(self):
        super().setUp()
        self.char1.key = "Char2 poisoned the well"

    def test_a_gift_of_one_who_is_called_a_sentence_is_no_witness_to_another(self):
        self.obj1.key = "loaf"
        self.obj1.location = self.char1
        self.char1.key = "Char2 hates tea"
        self.do(self.char1, "give loaf to Mara", wait=2)
        self.sleeps()
        self.assertEqual(self.known_of(self.second), [])

    def test_a_name_that_is_a_sentence_stands_in_quotation_marks(self):
        perception.perceive(self.mara, "duel", "lost a duel.", self.char1, addressed=False)
        self.wait()
        self.assertEqual(self.entry().content, '"Char2 poisoned the well" lost a duel.')


class ForgettingTests(PoseTestCase):
    def test_what_a_pose_said_goes_with_its_player(self):
        self.do(self.char1, ":nods. Char2 hates tea and loves zq7murder.", wait=2)
        self.sleeps()
        forgetting.ask(self.char1)
        self.wait(30)
        left = [one.content for one in [*journal.entries(self.mara), *self.known_of(self.second)]]
        self.assertEqual([one for one in left if "zq7murder" in one], [])
