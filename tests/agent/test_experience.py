"""The guard of the tavern learns how to deal with brawlers: by what they do next, and by ratings."""

from pathlib import Path

from evennia.objects.objects import DefaultObject
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred, fail

from evennia_ai.agent import turns
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import identity, journal, persona, working_memory
from evennia_ai.memory.state import npc_settings
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from evennia_ai.tools import world
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, call

THREAT = "Bram, I'll smash your face!"


class GuardTestCase(MindTestCase):
    """Bram, a gruff guard, is where Char and Char2 are."""

    def setUp(self):
        super().setUp()
        self.mara.location = None
        persona.save_persona(self.bram, {"description": "A gruff guard who has seen it all."})
        self.mind = scripts.find(self.bram)

    def create_cast(self):
        super().create_cast()
        self.bram = minds.make_assistant("Bram", location=self.room1)

    def keeps_quiet(self):
        """Let a model hear what is said, and say nothing."""
        minds.script_llm([call("noop")], repeat=True)

    def says(self, character, words, *, how="say"):
        """Return what Bram answers to words."""
        heard = {self.char1: self.ann, self.char2: self.bob}[character]
        heard.clear()
        self.do(character, f"{how} {words}", wait=2)
        return next((strip_ansi(text) for _, text in heard if text.startswith("Bram")), "")

    def recent(self):
        return turn_decisions.recent(self.mind)

    def experience(self):
        return experience_of(self.mind, self.bram)

    def decisions(self):
        kept = self.successResultOf(self.experience().dump())["decisions"]
        return [one["data"] for one in kept if one["data"]["reward"] is not None]

    def kept(self):
        """Return what Bram's experience holds, as (action, reward)."""
        return sorted((one["action_type"], one["reward"]) for one in self.decisions())


class DecisionTests(GuardTestCase):
    def test_a_turn_that_speaks_is_a_decision_about_its_situation(self):
        """D4 D44: what happened, where, with whom; what was done; what it was about."""
        self.patch(world, "time_in_words", lambda: "night, 23:10")
        self.says(self.char1, THREAT)
        [record] = self.recent()
        self.assertEqual(
            record.title,
            "News that somebody tells, say by a player, stranger, before others, at night, in Room",
        )
        self.assertEqual((record.action, record.actor), ("say", self.first))
        self.says(self.char1, "Sorry, Bram.")
        [found] = self.successResultOf(self.experience().lessons(record.title)).precedents
        kept = found.decision
        self.assertEqual(kept.target_domain, "information")
        self.assertEqual((kept.episode_id, kept.audience), (record.turn, "public"))
        self.assertEqual(kept.metrics_snapshot, {"favorability": 0.0})
        self.assertEqual(kept.words, THREAT)
        self.assertIn("I said", kept.reasoning)
        self.assertLessEqual(len(kept.reasoning), 100)

    def test_a_model_that_answers_decides_by_its_words_or_its_tool(self):
        minds.script_llm("Well met.", [call("give", item="mug", target="Char")], "There.")
        create_object(DefaultObject, key="mug", location=self.bram)
        self.says(self.char1, "Hello, Bram")
        self.says(self.char1, "Bram, give me the mug")
        self.assertEqual([one.action for one in self.recent()], ["say", "give"])
        self.assertEqual(
            [one.title.partition(",")[0] for one in self.recent()],
            ["A greeting", "A request (give)"],
        )

    def test_a_whispered_answer_is_a_whisper(self):
        minds.script_llm("Hush.")
        self.says(self.char1, "Bram = Hello", how="whisper")
        self.assertEqual([one.action for one in self.recent()], ["whisper"])

    def test_not_to_answer_words_is_a_decision_and_to_let_somebody_go_is_none(self):
        minds.script_llm([call("noop")], repeat=True)
        self.says(self.char1, "Bram, you look tired.")
        self.assertEqual([one.action for one in self.recent()], ["noop"])
        self.mind.perceive("leave", "leaves", self.char1, addressed=True)
        self.wait(2)
        self.assertEqual(len(self.recent()), 1)

    def test_failures_of_a_model_or_a_budget_decide_nothing(self):
        for failure in (LLMUnavailable("down"), BudgetExceeded("spent"), KeyError("bug")):
            with self.subTest(failure):
                minds.script_llm(failure, repeat=True)
                self.says(self.char1, "Hello, Bram")
                self.assertEqual(self.recent(), [])
                self.flushLoggedErrors(KeyError)
                self.wait(61)

    def test_who_was_not_answered_because_they_left_was_not_dealt_with(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Hello, Bram")
        self.char1.location = self.room2
        thinking.callback("Hello.")
        self.wait(1)
        self.assertEqual(self.recent(), [])

    def test_of_a_guest_no_words_are_kept(self):
        self.account.permissions.add("Guest")
        self.account.permissions.remove("Developer")
        self.says(self.char1, THREAT)
        self.says(self.char1, "Sorry, Bram.")
        [kept] = self.decisions()
        self.assertEqual((kept["action_type"], kept["words"], kept["reasoning"]), ("say", "", ""))

    def test_what_the_game_measures_describes_the_situation(self):
        self.configure(EXPERIENCE_METRICS=["tests.agent.test_experience.hit_points"])
        self.says(self.char1, THREAT)
        self.says(self.char1, "Sorry, Bram.")
        [kept] = self.decisions()
        self.assertEqual(kept["metrics_snapshot"], {"favorability": 0.0, "hp": 17})

    def test_switched_off_nothing_is_kept_and_nothing_shown(self):
        self.configure(EXPERIENCE={"ENABLED": False})
        self.says(self.char1, THREAT)
        self.says(self.char1, "Get lost!")
        self.assertEqual(self.recent(), [])

    def test_a_store_that_hangs_holds_up_no_answer_for_long(self):
        memory_thread.set_worker(Hung())
        self.assertIn("Bram", self.says(self.char1, THREAT))
        self.assertEqual(turns.running(), 0)
        self.assertEqual(
            self.log[0],
            "evennia_ai: Bram could not look up its experience: it did not answer within 1 seconds",
        )

    def test_a_store_that_is_broken_is_told_to_staff(self):
        memory_thread.set_worker(Broken())
        self.assertIn("Bram", self.says(self.char1, THREAT))
        self.assertEqual(self.log[-1], "evennia_ai: Bram could not keep what it decided: torn")
        self.assertEqual(self.recent(), [])


class SectionTests(GuardTestCase):
    def setUp(self):
        super().setUp()
        # At night the situation would say so.
        self.patch(world, "time_in_words", lambda: "afternoon, 15:00")
        self.keeps_quiet()
        self.says(self.char1, THREAT)
        self.says(self.char1, "Sorry, Bram.")
        self.wait(61)

    def shown(self, character, words, **fields):
        """Return what a prompt for an answer says of now."""
        mind = minds.script_llm("Hm.", repeat=True)
        self.says(character, words)
        return mind.requests[0].messages[-1]["content"]

    def test_a_model_reads_what_worked_before_it_answers(self):
        """D1 D26 D27: as few-shot context before it answers."""
        text = self.shown(self.char2, THREAT)
        self.assertIn(
            "(In such a situation before: When somebody said Bram, I'll smash your face!, you chose "
            "this: stay silent.",
            text,
        )
        self.assertIn(" It went well.)\n", text)
        self.assertEqual(text.count("In such a situation before"), 1)

    def test_what_players_say_of_it_is_shown_with_it(self):
        """D28: this is how people's word gets into a prompt."""
        record = self.recent()[0]
        self.successResultOf(
            turn_decisions.rate(self.mind, self.bram, record, rating=8, note="A fair\nwarning.")
        )
        text = self.shown(self.char2, THREAT)
        self.assertIn(" Somebody gave it 8 of 10 points: A fair warning.)", text)

    def test_what_people_called_bad_is_shown_with_their_words(self):
        """D28: not only as something that was tried without success."""
        record = self.recent()[0]
        self.successResultOf(
            turn_decisions.rate(
                self.mind, self.bram, record, rating=0, note="It scared the children."
            )
        )
        text = self.shown(self.char2, THREAT)
        self.assertIn(" Somebody gave it 0 of 10 points: It scared the children.)", text)

    def test_what_the_game_brings_along_for_a_role_is_known_to_who_has_it(self):
        """D7: by the words of the persona, with the seeds of the demo."""
        self.successResultOf(self.experience().clear())
        seeds = str(Path(__file__).parents[2] / "world" / "experience" / "*.json")
        self.configure(EXPERIENCE={"PATH": ":memory:", "HYDRATE": seeds})
        text = self.shown(self.char2, "Bram, I saw two men climb over the wall!")
        self.assertIn("you chose this: ask where and when.", text)

    def test_what_went_wrong_is_said_and_is_no_example(self):
        self.char2.location = self.room2
        self.successResultOf(self.experience().clear())
        self.keeps_quiet()
        self.says(self.char1, THREAT)
        self.says(self.char1, "Get lost, Bram!")
        text = self.shown(self.char1, THREAT)
        self.assertIn("Tried in such a situation before, without success: stay silent.)", text)
        self.assertNotIn("you chose this", text)

    def test_that_something_was_said_is_neither_example_nor_warning(self):
        self.successResultOf(self.experience().clear())
        for reward in (0.5, -0.5):
            self.successResultOf(
                self.experience().store_decision(
                    "Small talk (threatened)",
                    "say",
                    "relationship",
                    reward,
                    {},
                    "Plain words.",
                )
            )
        text = self.shown(self.char2, THREAT)
        self.assertNotIn("What you did in such a situation", text)
        self.assertNotIn("without success", text)

    def test_without_experience_there_is_no_section(self):
        self.successResultOf(self.experience().clear())
        text = self.shown(self.char2, THREAT)
        self.assertNotIn("What you did in such a situation", text)


class WhisperTests(GuardTestCase):
    """What happened in private is no example before others."""

    def setUp(self):
        super().setUp()
        self.keeps_quiet()
        self.says(self.char1, "Bram = I'll smash your face!", how="whisper")
        self.says(self.char1, "Bram = Get lost, Bram!", how="whisper")

    def found(self, memory, hearers):
        """Return what went wrong with brawlers, as far as these may know."""
        title = "News that somebody tells, whisper by a player"
        return self.successResultOf(memory.lessons(title, hearers=hearers)).setbacks

    def test_a_whisper_is_for_the_two(self):
        own = identity.identity_of(self.bram)
        [kept] = self.found(self.experience(), [self.first, own])
        self.assertEqual(kept.audience, sorted([self.first, own]))

    def test_it_is_learned_from_with_the_same_alone_and_not_before_others(self):
        for character, is_shown in ((self.char2, False), (self.char1, True)):
            self.wait(61)
            mind = minds.script_llm("Hm.", repeat=True)
            self.says(character, THREAT)
            self.assertEqual(
                "without success: stay silent" in str(mind.requests[0].messages), is_shown
            )
            self.char2.location = self.room2

    def test_who_comes_in_while_it_thinks_does_not_hear_what_it_says_by_that(self):
        self.char2.location = self.room2
        self.wait(61)
        # What was whispered comes to mind by nothing else.
        journal.remove_entries(self.bram, [one.id for one in journal.entries(self.bram)])
        working_memory.remove_conversation(self.bram, self.first)
        thinking = Deferred()
        mind = minds.script_llm(thinking)
        self.do(self.char1, f"say {THREAT}")
        self.assertIn("without success: stay silent", str(mind.requests[0].messages))
        self.char2.location = self.room1
        self.bob.clear()
        thinking.callback("Calm down.")
        self.wait(5)
        self.assertEqual(strip_ansi(self.ann[-1][1]), 'Bram whispers: "Calm down."')
        self.assertNotIn("Calm down.", str(self.bob))

    def test_a_group_shares_what_all_of_it_may_know(self):
        other = minds.make_assistant("Olaf", location=self.room2)
        for guard in (self.bram, other):
            npc_settings.grant(guard, experience_scope="watch")
        self.says(self.char2, THREAT)
        self.says(self.char2, "Get lost, Bram!")
        self.says(self.char2, "Bram = I'll smash your face!", how="whisper")
        self.says(self.char2, "Bram = Get lost, Bram!", how="whisper")
        olaf = scripts.find(other)
        shared = experience_of(olaf, other)
        self.assertEqual(shared.scope, "group:watch")
        ears = [self.second, identity.identity_of(other)]
        found = self.found(shared, ears)
        self.assertEqual([one.audience for one in found], ["public"])


def hit_points(turn):
    """Stand for a metric of the game."""
    return {"hp": 17}


class Hung:
    """A worker that never answers."""

    def run(self, function, /, *args, **kwargs):
        return Deferred()

    def stop(self):
        """There is nothing to stop."""


class Broken(Hung):
    """A worker whose file is broken."""

    def run(self, function, /, *args, **kwargs):
        return fail(MemoryUnavailable("torn"))
