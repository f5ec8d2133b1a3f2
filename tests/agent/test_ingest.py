"""What of a moment stays: in the journal, in what is known of somebody, in long-term memory."""

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object

from evennia_ai import api
from evennia_ai.agent import ingest
from evennia_ai.agent.revising import forgetting, making_room
from evennia_ai.core import words as core_words
from evennia_ai.domain.sleeping.reflection_rules import is_evidence
from evennia_ai.memory import identity, journal, lookup, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, reflection_state
from evennia_ai.semantic.base import get_memory
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call


class JournalTests(MindTestCase):
    def said(self, command):
        """Let Char do something and return the journal's contents after it."""
        self.char1.execute_cmd(command)
        self.wait(0.2)
        return [entry.content for entry in journal.entries(self.mara)]

    def test_what_somebody_tells_is_noted_word_for_word_with_its_source(self):
        minds.script_llm("Really?")
        self.said("say Mara, the northern bridge was washed away.")
        [entry] = journal.entries(self.mara)
        self.assertEqual(entry.content, "Mara, the northern bridge was washed away.")
        self.assertEqual(
            (entry.source_type, entry.source_trust, entry.source_entity),
            ("direct", 0.9, "Char"),
        )
        self.assertEqual((entry.said_by, entry.audience), (self.first, "public"))
        self.assertEqual((entry.importance_method, entry.tags), ("heuristic", ["say"]))

    def test_what_is_overheard_is_believed_less(self):
        self.char1.execute_cmd("say The northern bridge was washed away.")
        self.wait(0.2)
        [entry] = journal.entries(self.mara)
        self.assertEqual((entry.source_type, entry.source_trust), ("environmental", 0.3))

    def test_questions_and_small_talk_are_not_noted(self):
        minds.script_llm("Hello.", repeat=True)
        for words in ("Hello, Mara!", "Where is the mill?", "Hm.", "Thank you, Mara."):
            with self.subTest(words):
                self.assertEqual(self.said(f"say {words}"), [])

    def test_a_whisper_is_noted_for_the_two_alone(self):
        minds.script_llm("I see.")
        self.said("whisper Mara = I hid the silver key under the oak.")
        [entry] = journal.entries(self.mara)
        own = identity.identity_of(self.mara)
        self.assertEqual(entry.audience, sorted([self.first, own]))

    def test_a_gift_is_noted_with_who_gave_it(self):
        minds.script_llm("Thank you.")
        mug = create_object("evennia.objects.objects.DefaultObject", "mug", location=self.char1)
        self.assertEqual(mug.location, self.char1)
        [content] = self.said("give mug to Mara")
        self.assertEqual(content, "Char gives you a mug")

    def test_what_it_gave_away_is_noted_in_the_language_of_the_game(self):
        create_object("evennia.objects.objects.DefaultObject", "Krug", location=self.mara)
        minds.script_llm([call("give", item="Krug", target="Char")], "Bitte sehr.")
        self.addCleanup(core_words.Game.speaks, core_words.Game.language)
        core_words.Game.speaks("de")
        self.do(self.char1, "say Mara, gib mir den Krug!", wait=2)
        noted = [entry.content for entry in journal.entries(self.mara) if "give" in entry.tags]
        self.assertEqual(noted, ["Mara gab Char Krug"])

    def test_what_it_gave_away_comes_to_mind_and_goes_with_who_has_it(self):
        mug = create_object("evennia.objects.objects.DefaultObject", "mug", location=self.mara)
        minds.script_llm([call("give", item="mug", target="Char")], "It is yours again.")
        self.do(self.char1, "say Mara, may I have my mug back?", wait=2)
        self.assertEqual(mug.location, self.char1)
        [entry] = journal.entries(self.mara)
        self.assertEqual(entry.content, "Mara gives a mug to Char")
        self.wait(86_400)
        # What stands in the conversation is not told twice.
        working_memory.remove_conversation(self.mara, self.first)
        llm = minds.script_llm("You have it.")
        self.do(self.char1, "say Mara, who has got the mug?", wait=2)
        shown = llm.requests[0].messages[-1]["content"]
        self.assertIn("(You did 2 days ago: Mara gives a mug to Char)", shown)
        who = forgetting.person(self.mara, self.char1)
        self.outcome(forgetting.forget(self.mara, self.script_of_mara, who))
        self.assertEqual(journal.entries(self.mara), [])

    def test_what_is_noted_adds_up_to_a_reflection(self):
        minds.script_llm("Really?")
        self.said("say Mara, the northern bridge was washed away.")
        [entry] = journal.entries(self.mara)
        state = reflection_state.reflection_state(self.script_of_mara)
        self.assertEqual(state.cumulative_importance, entry.importance)
        self.assertEqual(state.entries_since_reflection, (entry.id,))


class FloodTests(MindTestCase):
    """Repetitions and small talk must not crowd out news."""

    def says(self, *lines, by=None):
        minds.script_llm("Hm.", repeat=True)
        for line in lines:
            self.do(by or self.char1, f"say Mara, {line}", wait=3)

    def noted(self):
        return [(entry.content, entry.said_by) for entry in journal.entries(self.mara)]

    def test_the_same_words_of_one_person_are_noted_once_in_an_hour(self):
        line = "the northern bridge was washed away."
        self.says(line, "The NORTHERN bridge  was washed away.", line)
        self.assertEqual(self.noted(), [(f"Mara, {line}", self.first)])
        self.says(line, by=self.char2)
        self.assertEqual(len(self.noted()), 2)
        self.clock.advance(3600)
        self.says(line)
        self.assertEqual(len(self.noted()), 3)

    def test_what_was_whispered_is_noted_anew_once_it_is_said_aloud(self):
        minds.script_llm("Hm.", repeat=True)
        self.do(self.char1, "whisper Mara = The duke owes the miller nine silver.", wait=3)
        self.do(self.char1, "say The duke owes the miller nine silver.", wait=3)
        self.assertEqual(
            [entry.audience == "public" for entry in journal.entries(self.mara)], [False, True]
        )

    def test_small_talk_hardly_matters(self):
        self.says("thx mate, many thanks!", "gimme a beer please!", "you ugly old hag, I hate you!")
        self.says("the northern bridge was washed away.")
        rated = [entry.importance for entry in journal.entries(self.mara)]
        self.assertLessEqual(max(rated[:-1], default=0), 3)
        self.assertGreater(rated[-1], 3)

    def test_a_short_answer_to_another_question_is_something_else(self):
        minds.script_llm("Hm.", repeat=True)
        answer = "Not before next spring, the mason told me."
        for asked in ("Has the northern bridge been repaired?", "And the mill of the duke?"):
            self.do(self.char2, f"say {asked}", wait=3)
            self.do(self.char1, f"say {answer}", wait=3)
        self.assertEqual(self.noted(), [(answer, self.first)] * 2)

    def test_a_word_that_answers_another_is_noted(self):
        minds.script_llm("Hm.", repeat=True)
        self.do(self.char1, "say Sweden!", wait=3)
        self.do(self.char2, "say Where are you from?", wait=3)
        self.do(self.char1, "say Sweden!", wait=3)
        self.assertEqual(self.noted(), [("Sweden!", self.first)])

    def test_what_happens_twice_is_noted_twice(self):
        minds.script_llm("Hm.", repeat=True)
        for _ in range(2):
            api.perceive(self.mara, "attacked", "hits you with an iron bar.", by=self.char1)
            self.wait(3)
        self.assertEqual(self.noted(), [("Char hits you with an iron bar.", self.first)] * 2)

    def test_what_is_said_again_is_safe_to_let_go(self):
        line = "the northern bridge was washed away."
        self.says(line, line)
        said = [one for one in working_memory.lines_with(self.mara, self.first) if not one.mine]
        self.assertEqual([one.extracted for one in said], [False, True])


class CopyTests(MindTestCase):
    def copied(self):
        key = self.script_of_mara.assistant_key
        return self.successResultOf(get_memory().get_all(assistant_key=key))

    def note(self):
        self.char1.execute_cmd("say The northern bridge was washed away.")
        self.wait(0.2)

    def test_the_question_that_it_answers_goes_with_whoever_asked_it(self):
        """Also where their line has left the talk."""
        self.do(self.char2, "say The ferry was late today, by an hour.", wait=2)
        self.do(self.char2, "say Has the marzipan bridge of Quillmark been mended?", wait=2)
        self.do(self.char1, "say Not before next spring.", wait=2)
        key = self.script_of_mara.assistant_key
        self.outcome(making_room.keep(key, self.mara.id, journal.entries(self.mara)))
        asked = {one.text: one.question for one in self.copied()}
        self.assertIn("Quillmark", asked["Not before next spring."])
        working_memory.remove_conversation(self.mara, self.second)
        who = forgetting.person(self.mara, self.char2)
        self.outcome(forgetting.forget(self.mara, self.script_of_mara, who))
        [left] = self.copied()
        self.assertEqual(left.text, "Not before next spring.")
        self.assertNotIn("Quillmark", f"{left}")
        self.assertNotIn(self.second, f"{left.metadata}")

    def test_it_stays_in_the_journal_until_sleep(self):
        self.note()
        self.assertEqual(self.copied(), [])
        self.assertEqual(len(journal.entries(self.mara)), 1)


class NotedTests(MindTestCase):
    def test_what_a_game_notes_counts_like_what_is_heard(self):
        """J70: towards a reflection, and for sleep."""
        entry = api.add_entry(self.mara, "The bridge fell.", importance=7)
        state = reflection_state.reflection_state(self.script_of_mara)
        self.assertEqual(state.entries_since_reflection, (entry.id,))
        self.assertEqual(state.cumulative_importance, 7)
        self.assertEqual(journal.count(self.mara, "ready"), 1)
        bare = create_object(DefaultCharacter, key="Post")
        self.assertEqual(api.add_entry(bare, "It rains.").id, 1)


class FamiliarityTests(MindTestCase):
    def talk(self, words):
        self.char1.execute_cmd(f"say {words}")
        self.wait(2)

    def regard(self):
        known = entity_profiles.find_profile(self.mara, self.char1).relationship
        return known.favorability, known.interaction_count

    def test_meeting_makes_familiar_and_talking_on_only_counts(self):
        minds.script_llm("Good day.", "Quite so.", "Indeed it is.")
        self.talk("Hello, Mara!")
        self.assertEqual(self.regard(), (0.02, 1))
        self.talk("What a day, Mara.")
        self.assertEqual(self.regard(), (0.02, 2))
        self.clock.advance(ingest.MEETING_SECONDS + 1)
        self.talk("Hello again, Mara!")
        self.assertEqual(self.regard(), (0.04, 3))

    def test_praise_and_insults_move_the_offline_mind(self):
        self.talk("Mara, you are wonderful.")
        self.assertEqual(self.regard()[0], 0.05)
        self.talk("You are a fool, Mara.")
        self.assertEqual(self.regard()[0], 0.0)


class EchoTests(MindTestCase):
    """What other assistants say to others is remembered, and not reflected upon."""

    def setUp(self):
        super().setUp()
        self.bertil = minds.make_assistant("Bertil", location=self.room1)
        minds.script_llm("The gate is shut because of the wolves.", repeat=True)

    def noted(self):
        return [(entry.source_entity, entry.tags) for entry in journal.entries(self.mara)]

    def test_what_a_guard_answers_somebody_is_an_echo(self):
        self.do(self.char1, "say Bertil, I wonder why the gate is shut.")
        self.assertEqual(self.noted(), [("Char", ["say"]), ("Bertil", ["say", "echo"])])

    def test_what_he_tells_her_herself_is_none(self):
        self.bertil.execute_cmd("say Mara, the gate is shut because of the wolves.")
        self.wait()
        self.assertEqual(self.noted(), [("Bertil", ["say"])])


class RumourTests(MindTestCase):
    """J21 M10 R7: what nobody told her is a rumour: it is told as one, and she concludes nothing from it."""

    def setUp(self):
        super().setUp()
        self.llm = minds.script_llm("Hm.", repeat=True)

    def evidence(self):
        return [one.source_entity for one in journal.entries(self.mara) if is_evidence(one)]

    def test_what_was_only_overheard_stands_so_in_the_prompt(self):
        self.do(self.char2, "say The duke hid the crown in the well.")
        # What still stands in the conversation is no memory.
        self.char2.location = self.room2
        self.do(self.char1, "say Mara, where did the duke hide the crown?")
        prompt = f"{self.llm.requests[-1].messages}"
        self.assertIn("You overheard just now from Char2: ", prompt)
        self.assertNotIn("Char2 told you", prompt)
        self.assertNotIn("Char2", self.evidence())

    def test_what_she_was_told_does_not(self):
        self.do(self.char2, "say Mara, the duke hid the crown in the well.")
        self.char2.location = self.room2
        self.do(self.char1, "say Mara, where did the duke hide the crown?")
        prompt = f"{self.llm.requests[-1].messages}"
        self.assertIn("'Char2: Mara, the duke", prompt)
        self.assertNotIn("verheard from", prompt)
        self.assertIn("Char2", self.evidence())


class GuestTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.patch(self.account, "is_typeclass", lambda path, exact=False: True)
        minds.script_llm("Welcome.", repeat=True)
        self.char1.execute_cmd("say Mara, I hid a silver key under the oak.")
        self.wait(2)

    def test_what_a_guest_says_is_remembered_for_the_visit_and_not_noted(self):
        self.assertEqual(journal.entries(self.mara), [])
        self.assertEqual(len(working_memory.lines_with(self.mara, self.first)), 2)
        self.assertEqual(assistant.guests(self.script_of_mara), {self.first: self.char1.id})
        ingest.forget_departed_guests(self.mara, self.script_of_mara)
        self.assertEqual(len(working_memory.lines_with(self.mara, self.first)), 2)

    def test_a_guest_who_left_is_forgotten(self):
        self.account.unpuppet_object(self.session)
        ingest.forget_departed_guests(self.mara, self.script_of_mara)
        self.assertEqual(working_memory.lines_with(self.mara, self.first), [])
        self.assertIsNone(entity_profiles.find_profile(self.mara, self.first))
        self.assertEqual(assistant.guests(self.script_of_mara), {})

    def test_what_another_assistant_repeated_of_a_guest_goes_with_them(self):
        """Also what it said when they had gone to another room, and what it said of others stays."""
        bertil = minds.make_assistant("Bertil", location=self.room1)
        minds.script_llm("You hid a silver key under the oak, you say.", repeat=True)
        self.do(self.char1, "say Mara, I hid a silver key under the oak.", wait=2)
        self.assertEqual(journal.entries(bertil), [])
        self.char1.location = self.room2
        self.mara.execute_cmd("say The baron owns a grey mule.")
        self.wait(2)
        minds.script_llm("A silver key lies under the oak.")
        self.do(self.char2, "say Mara, what is new?", wait=2)
        self.assertEqual(len(journal.entries(bertil)), 2)
        self.account.unpuppet_object(self.session)
        ingest.forget_departed_guests(bertil, lookup.mind_of(bertil))
        kept = [entry.content for entry in journal.entries(bertil)]
        self.assertEqual(kept, ["The baron owns a grey mule."])
        self.assertNotIn("silver key", f"{list(working_memory.all_lines(bertil))}")

    def test_that_the_account_counts_as_a_guest_is_what_the_test_needs(self):
        self.assertTrue(identity.is_guest(self.char1))
