"""An NPC that nobody watches thinks by itself, where the game wants it: of what is public, and saying nothing."""

from evennia_ai import conf
from evennia_ai.agent.revising import forgetting
from evennia_ai.core.records import Step
from evennia_ai.domain import reasons
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import journal
from evennia_ai.memory.state import assistant, kept_goals
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import call, seen_by
from tests.life.test_occasions import OccasionTestCase

HOUR = 3600


class AloneTests(OccasionTestCase):
    def setUp(self):
        super().setUp()
        self.configure(OCCASIONS={"reflect": 2})
        self.mind = minds.script_llm(
            call("add_goal", title="A new rope"), call("noop"), call("noop"), call("noop")
        )
        self.char1.location = self.char2.location = None

    def goals(self):
        return [(one.title, one.audience) for one in kept_goals.goals(self.script_of_mara)]

    def test_of_itself_a_game_wants_none_of_it(self):
        self.configure(OCCASIONS=conf.DEFAULTS["OCCASIONS"])
        for _ in range(50):
            self.ticks(HOUR)
        self.assertEqual(self.mind.requests, [])

    def test_so_often_a_day_it_thinks_and_sets_its_goals(self):
        for _ in range(23):
            self.ticks(HOUR)
        self.assertEqual(self.goals(), [("A new rope", "public")])
        # Two times: a goal and the end of it, and the second time nothing.
        self.assertEqual(len(self.mind.requests), 3)
        self.assertEqual({request.job for request in self.mind.requests}, {"reflect"})
        self.assertEqual({request.caller.player_id for request in self.mind.requests}, {0})
        self.assertEqual(assistant.pending_events(self.script_of_mara), [])

    def test_a_restart_lets_it_think_no_oftener(self):
        self.ticks()
        minds.forget_all()
        mind = minds.script_llm(call("noop"), repeat=True)
        self.ticks(HOUR)
        self.assertEqual(mind.requests, [])

    def test_another_mind_on_the_same_body_thinks_no_oftener(self):
        self.ticks()
        mind = minds.script_llm(call("noop"), repeat=True)
        for _ in range(3):
            scripts.detach(self.mara)
            scripts.attach(self.mara)
            self.script_of_mara = scripts.find(self.mara)
            self.ticks(HOUR)
        self.assertEqual(mind.requests, [])

    def test_it_is_offered_its_journal_and_goals_and_nothing_that_others_notice(self):
        self.ticks()
        offered = {tool["name"] for tool in self.mind.requests[0].tools}
        self.assertLessEqual({"add_journal_entry", "review_journal", "add_goal", "noop"}, offered)
        self.assertEqual(offered & {"say", "give", "go_to", "look", "share", "follow"}, set())
        self.assertLessEqual(len(self.mind.requests), reasons.TABLE[reasons.REFLECT].steps)

    def test_it_is_shown_what_it_noted_lately_that_anybody_may_know_oldest_first(self):
        for number in range(13):
            journal.add_entry(self.mara, content=f"Slate {number} fell.", audience="public")
        journal.add_entry(self.mara, content="Ann owes ten marks.", audience=[self.first])
        self.ticks()
        shown = seen_by(self.mind)
        self.assertLess(shown.index("Slate 1 fell."), shown.index("Slate 12 fell."))
        self.assertNotIn("Slate 0 fell.", shown)
        self.assertNotIn("ten marks", shown)

    def test_it_reads_who_told_it_what(self):
        told = {"content": "The ford is low.", "source_type": "direct", "source_entity": "Ann"}
        journal.add_entry(self.mara, **told, audience="public")
        self.ticks()
        self.assertIn(
            "(You remember: Ann told you just now: The ford is low.)",
            self.mind.requests[0].messages[-1]["content"],
        )

    def test_it_reads_nothing_that_was_taken_back(self):
        journal.add_entry(self.mara, content="Ann brought no hens.", tags=["taken back"])
        self.ticks()
        self.assertNotIn("hens", self.mind.requests[0].messages[-1]["content"])

    def test_it_reads_what_it_concluded_without_the_questions_and_the_marks_of_the_store(self):
        text = "[SYNTHESIS] Reflection on: Who crosses?\n- People fear the ford (because of entries 1, 2)"
        journal.add_entry(self.mara, text, tags=["synthesis"], source_type="inference")
        self.ticks()
        shown = self.mind.requests[0].messages[-1]["content"]
        self.assertIn("(You concluded just now: People fear the ford)", shown)
        self.assertNotIn("Reflection on", shown)

    def test_on_an_errand_it_does_not_think_by_itself(self):
        plan = [Step(act="wait", seconds=3600.0)]
        kept_goals.add_goal(self.script_of_mara, "Bring letter to Tom", plan=plan)
        self.ticks()
        self.assertEqual(self.mind.requests, [])

    def test_what_it_was_told_in_confidence_is_in_no_prompt_of_it(self):
        journal.add_entry(self.mara, content="Ann loves Tom.", audience=[self.first])
        journal.add_entry(self.mara, content="The ford is low.", audience="public")
        self.mind = minds.script_llm(
            call("review_journal", synthesis="All is well."),
            call("search_journal", query="loves Tom"),
            "Done.",
        )
        self.ticks()
        told = self.mind.requests[0].messages[-1]["content"]
        self.assertIn("(You noted just now: The ford is low.)", told)
        self.assertNotIn("Ann loves Tom", seen_by(self.mind))

    def test_who_is_forgotten_is_in_no_note_that_was_made_of_it(self):
        journal.add_entry(
            self.mara, content="Char2 keeps bees.", source_id=self.second, source_entity="Char2"
        )
        self.mind = minds.script_llm(
            call("add_journal_entry", content="The bees of Char2 swarm in May."), "Done."
        )
        self.ticks()
        self.assertEqual(len(journal.entries(self.mara)), 2)
        self.char2.location = self.room1
        forgetting.ask(self.char2)
        self.wait(5)
        self.assertEqual([one.content for one in journal.entries(self.mara)], [])

    def test_what_it_writes_instead_is_said_to_nobody(self):
        self.mind = minds.script_llm("Ah, how lovely.", repeat=True)
        self.ann.clear()
        self.ticks()
        self.assertEqual(len(self.mind.requests), 1)
        self.assertEqual(self.said(), [])
        self.assertEqual(assistant.pending_events(self.script_of_mara), [])

    def test_one_that_never_ends_has_four_steps_and_staff_read_of_no_failure(self):
        self.mind = minds.script_llm(
            *(call("search_journal", query=f"rope {number}") for number in range(9))
        )
        self.ticks()
        self.assertEqual(len(self.mind.requests), 4)
        self.assertEqual([line for line in self.log if "no answer" in line], [])

    def test_where_somebody_watches_it_does_not(self):
        self.char1.location = self.room1
        self.ticks()
        self.assertEqual(self.mind.requests, [])

    def test_without_a_model_nothing_is_asked(self):
        base.install("default", OfflineMind())
        self.ticks()
        self.assertIsNone(assistant.thought_alone(self.mara))

    def test_the_cheap_alias_does_it_where_there_is_one(self):
        cheap = minds.script_llm(call("noop"), repeat=True)
        dear = minds.script_llm(call("noop"), repeat=True)
        self.configure(
            LLM={**conf.get("LLM"), "cheaper": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}}
        )
        base.install("default", dear)
        base.install("cheaper", cheap)
        self.ticks()
        self.assertEqual((len(cheap.requests), len(dear.requests)), (1, 0))
