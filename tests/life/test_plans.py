"""Plans: goals with steps by their builder or by a mind, gone one after the other, given up with a reason."""

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object
from msgspec import structs

from evennia_ai.agent.revising import forgetting
from evennia_ai.core import words as core_words
from evennia_ai.core.records import Event
from evennia_ai.domain.choices import plan_rules
from evennia_ai.experience.base import experience_of
from evennia_ai.life import occasions, running_errands
from evennia_ai.memory import identity, journal, kinds, persona, plans, repository
from evennia_ai.memory.state import assistant, kept_goals
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from evennia_ai.typeclasses import scripts
from tests.agent.cases import call, words
from tests.life.cases import DayTestCase

FLOUR = "Fetch flour: go Market > take flour > give flour to Bertil > tell Bertil: Here it is."


class PlanTestCase(DayTestCase):
    """Mara is in the inn, flour lies in the market, and Bertil stands in the square."""

    routine = ()

    def setUp(self):
        super().setUp()
        self.got = minds.listen(self.bertil)

    def create_cast(self):
        super().create_cast()
        self.bertil = minds.make_assistant("Bertil", location=self.square)
        self.flour = create_object(DefaultObject, key="sack of flour", location=self.market)

    def plans(self, *lines, **fields):
        self.gives(self.mara, plans=list(lines), **fields)

    def sets(self, text, **known):
        return plans.set_goal(self.mara, self.script_of_mara, text, **known)

    def leave(self):
        """Let the players go where they hear nothing, and nobody talks any more."""
        away = self.make_room("Away")
        self.char1.location = self.char2.location = away
        self.wait(120)

    def goal(self):
        return kept_goals.goals(self.script_of_mara)[-1]


class BuilderTests(PlanTestCase):
    def test_a_goal_that_its_builder_planned_is_reached_step_by_step(self):
        self.plans(FLOUR)
        self.leave()
        self.sets("Fetch flour")
        been = self.ticks(12)
        self.assertEqual(been[:3], ["Lane", "Square", "Market"])
        self.assertIs(self.flour.location, self.bertil)
        self.assertIn("Here it is.", " ".join(map(str, self.got)))
        self.assertEqual(been[-1], "Inn")
        self.assertEqual(
            (self.goal().status, self.goal().milestones),
            (
                "done",
                [
                    "went to Market after 3 rooms",
                    "took flour",
                    "gave flour to Bertil after 1 rooms",
                    "told Bertil",
                ],
            ),
        )
        noted = [one.content for one in journal.entries(self.mara) if "errand" in one.tags]
        self.assertEqual(noted, ["Mara set out to fetch flour, and did so."])

    def test_how_it_went_is_noted_in_the_language_of_the_game(self):
        self.leave()
        self.addCleanup(core_words.Game.speaks, core_words.Game.language)
        core_words.Game.speaks("de")
        self.sets("Mehl holen: go Market > take flour")
        self.ticks(9)
        self.sets("Salz holen: go Market > take salt")
        for _ in range(400):
            self.ticks(seconds=30)
        noted = [one.content for one in journal.entries(self.mara) if "errand" in one.tags]
        self.assertEqual(
            noted,
            [
                "Mara hatte einen Plan: Mehl holen, und das gelang.",
                "Mara hatte einen Plan: Salz holen, und daraus wurde nichts.",
            ],
        )

    def test_how_far_it_is_shows_on_the_way(self):
        self.plans(FLOUR)
        self.leave()
        self.sets("Fetch flour")
        self.ticks(4)
        # The first of four, and the way back is a step as well.
        self.assertEqual(self.goal().progress, 20.0)

    def test_a_goal_that_is_one_step_by_its_words_needs_no_plan(self):
        self.leave()
        self.sets("go to the market.")
        self.ticks(8)
        self.assertEqual(self.goal().milestones, ["went to Market after 3 rooms"])
        self.assertIs(self.mara.location, self.inn)

    def test_a_goal_in_other_words_stays_one_without_steps(self):
        self.sets("Find out who stole the bell")
        self.assertEqual(self.goal().plan, [])
        self.ticks(3)
        self.assertEqual(self.goal().status, "open")

    def test_a_week_may_be_waited(self):
        self.sets("X: go Inn > wait 7d")
        self.assertIn("wait", [step.act for step in self.goal().plan])

    def test_what_names_nobody_or_nowhere_is_no_plan(self):
        for text, why in (
            ("X: go Nowhere > take flour", 'there is no place "Nowhere" to go to.'),
            ("X: go Inn > tell Zed: hello", 'step 2: there is nobody "Zed" whom you know.'),
            ("X: go Inn > ask Bertil: well?", "step 2: only players are asked; tell others."),
            ("X: go Inn > dance wildly", '"dance wildly" is no step'),
            ("X: go Inn > wait 8d", '"wait 8d": at most a week is waited.'),
        ):
            with self.subTest(text), self.assertRaisesRegex(ValueError, why.replace("?", "\\?")):
                self.sets(text)
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_a_goal_it_is_at_is_not_begun_twice(self):
        self.plans(FLOUR)
        self.sets("Fetch flour")
        with self.assertRaises(ValueError):
            self.sets("fetch flour")

    def test_what_is_not_there_is_looked_for_again_later_and_then_given_up(self):
        self.flour.location = None
        self.plans(FLOUR)
        self.leave()
        self.sets("Fetch flour")
        self.ticks(10)
        self.assertEqual(self.goal().plan[0].tries, 1)
        for _ in range(400):
            self.ticks(seconds=30)
        self.assertEqual(self.goal().status, "abandoned")
        self.assertEqual(self.goal().milestones[-1], "gave up: it was not there to be taken")
        self.assertIs(self.mara.location, self.inn)

    def test_what_a_lock_keeps_from_it_it_does_not_take(self):
        self.flour.locks.add("get:false()")
        self.plans(FLOUR)
        self.leave()
        self.sets("Fetch flour")
        self.ticks(10)
        self.assertIs(self.flour.location, self.market)

    def test_what_somebody_sent_it_with_it_does_not_use_for_a_plan(self):
        self.plans(
            "Treat Bertil: give flour to Bertil", errands=["things: flour", "to: Cid, Bertil"]
        )
        self.flour.location = self.char1
        self.do(self.char1, "give sack of flour to Mara")
        self.leave()
        self.sets("Treat Bertil")
        self.ticks(6)
        self.assertIs(self.flour.location, self.mara)
        self.assertEqual(self.goal().milestones, ["gave up: it was gone"])

    def test_a_player_is_told_as_they_come_by_and_asked_for_an_answer(self):
        self.sets("Ask Char: ask Char: Will you sing tonight? > wait 10m > tell Char: Splendid.")
        self.leave()
        self.ticks(5)
        self.assertEqual(self.goal().milestones, [])
        self.char1.location = self.inn
        self.ann.clear()
        self.ticks(2)
        self.assertEqual(words(self.ann), ['Mara says, "Will you sing tonight?"'])
        self.assertEqual(self.goal().plan[0].act, "hear")
        self.do(self.char1, "say I will, Mara.", wait=3)
        self.ticks(2)
        self.assertEqual(self.goal().milestones[:2], ["told Char", "heard an answer from Char"])
        self.assertEqual(self.goal().plan[0].act, "wait")
        self.wait(600)
        self.ticks(1)
        self.assertEqual(self.goal().milestones[2], "waited")

    def test_who_does_not_want_to_be_spoken_to_is_not(self):
        self.sets("Greet: tell Char: Good news!")
        assistant.be_quiet_for(self.mara, self.char1)
        self.ann.clear()
        self.ticks(5, seconds=30)
        self.assertEqual(words(self.ann), [])
        assistant.be_quiet_for(self.mara, self.char1, quiet=False)
        self.ticks(2, seconds=30)
        self.assertEqual(words(self.ann), ['Mara says, "Good news!"'])

    def test_a_goal_in_confidence_is_whispered_before_others(self):
        known = sorted([self.first, identity.identity_of(self.mara)])
        self.sets("Warn: tell Char: The thief is here.", audience=known)
        self.wait(120)
        self.ann.clear()
        self.bob.clear()
        self.ticks(3, seconds=30)
        self.assertIn("The thief is here.", str(self.ann))
        self.assertNotIn("The thief is here.", str(self.bob))

    def test_by_a_trigger_it_sets_out_each_morning(self):
        self.plans(FLOUR, triggers=["time [at 07:00]: goal Fetch flour"])
        self.leave()
        self.ticks(1)
        self.at(7.1)
        self.ticks(12)
        self.assertIs(self.flour.location, self.bertil)

    def test_an_errand_comes_first(self):
        self.plans(FLOUR, errands=["things: letter", "to: Bertil"])
        self.sets("Fetch flour")
        letter = create_object(DefaultObject, key="letter", location=self.char1)
        self.do(self.char1, "give letter to Mara")
        self.do(self.char1, "say Mara, take this letter to Bertil.", wait=3)
        self.leave()
        been = self.ticks(20)
        self.assertIs(letter.location, self.bertil)
        self.assertIs(self.flour.location, self.bertil)
        self.assertEqual(been[1], "Square")


class ModelTests(PlanTestCase):
    def setUp(self):
        super().setUp()
        self.gives(self.mara, errands=["things: flour", "to: Bertil"])
        self.goal_id = self.sets("Help Bertil to bake").id
        self.leave()

    def thinks(self, *steps):
        """Let a model plan the goal as it thinks alone; return what the tool answered."""
        mind = minds.script_llm(
            [call("plan_goal", goal_id=self.goal_id, steps=list(steps))], [call("noop")], "."
        )
        event: Event = occasions.quiet_hour(self.mara)
        assistant.add_pending(self.script_of_mara, event, limit=20)
        self.ticks(1)
        self.wait(10)
        return str(mind.requests[-1].messages)

    def test_a_mind_plans_a_goal_with_what_is_there_and_goes_the_steps(self):
        answer = self.thinks("go to the Market", "take flour", "give flour to Bertil")
        self.assertIn("You go by yourself to goal 1, in 3 steps.", answer)
        self.ticks(12)
        self.assertIs(self.flour.location, self.bertil)
        self.assertEqual(self.goal().status, "done")

    def test_a_mind_is_shown_what_a_step_may_be(self):
        shown = registry.all_tools()["plan_goal"].schema()
        self.assertIn("tell <person>: <words>", str(shown))

    def test_a_place_has_its_article_or_not(self):
        self.market.key = "The Market"
        for step in ("go The Market", "go to the Market"):
            with self.subTest(step):
                [found] = plans.bound(self.mara, plan_rules.read_steps([step]))
                self.assertEqual(found.called.lower(), "the market")

    def test_what_it_may_not_use_and_whom_it_does_not_know_it_cannot_plan(self):
        for step, why in (
            ("take crown", "is nothing that you may carry"),
            ("give flour to Char2", 'nobody "Char2" whom you know'),
            ("go Moon", 'there is no place "Moon"'),
            ("tell Char2: hello", 'nobody "Char2" whom you know'),
            ("kill Bertil", '"kill Bertil" is no step'),
        ):
            with self.subTest(step):
                self.assertIn(why, self.thinks(step).replace("\\'", "'"))
        self.assertEqual(self.goal().plan, [])

    def test_without_a_word_being_said_it_plans_by_itself_and_sees_how_the_like_went_before(self):
        """D34: nothing but ticks, where nobody watches."""
        self.configure(OCCASIONS={"reflect": 24})
        steps = ["go to the Market", "take flour", "give flour to Bertil"]
        plan = call("plan_goal", goal_id=self.goal_id, steps=steps)
        mind = minds.script_llm(plan, call("noop"), repeat=True)
        self.ticks(14)
        self.assertEqual({request.job for request in mind.requests}, {"reflect"})
        self.assertIn("Help Bertil to bake", mind.requests[0].messages[-1]["content"])
        self.assertEqual(self.goal().status, "done")
        self.sets("Help Bertil to bake again")
        mind = minds.script_llm(call("noop"), repeat=True)
        self.wait(3600)
        self.ticks(1)
        prompt = mind.requests[0].messages[-1]["content"]
        self.assertIn("Help Bertil to bake again", prompt)
        self.assertIn("took flour", prompt)


SECRET = "The silver key lies under the hearthstone."


class ConfidenceTests(PlanTestCase):
    """What Mara plans as Char whispers to her is for the two of them; Char2 stands beside them."""

    def setUp(self):
        super().setUp()
        self.configure(ALL_TOOLS=True)
        self.gives(self.mara, errands=["things: flour", "to: Bertil"])
        self.do(self.char1, "say Good morning, Mara.", wait=3)
        self.do(self.char2, "say Good morning, Mara.", wait=3)
        self.flour.location = self.inn
        self.known = sorted([self.first, identity.identity_of(self.mara)])

    def whispers(self, *steps, words=SECRET, title=""):
        """Let Char whisper, and a model plan these steps, for a goal of that title if there is none yet."""
        goal_id = len(kept_goals.goals(self.script_of_mara)) + bool(title)
        calls = [call("add_goal", title=title)] if title else []
        plan = call("plan_goal", goal_id=goal_id, steps=list(steps))
        minds.script_llm(*calls, plan, "Of course.", "Hm.")
        self.do(self.char1, f"whisper Mara = {words}", wait=3)
        self.assertTrue(self.goal().plan)
        self.wait(120)
        self.ann.clear()
        self.bob.clear()

    def test_a_plan_that_was_made_in_a_whisper_is_not_told_to_another(self):
        for title in ("", "Help Char"):
            with self.subTest(title):
                self.sets("Be a good host")
                self.whispers(f"tell Char2: {SECRET}", title=title)
                self.ticks(6, seconds=30)
                self.assertEqual((self.bob, self.ann), ([], []))
                self.assertEqual(self.goal().audience, self.known)

    def test_whoever_whispered_is_told_in_a_whisper_even_alone(self):
        self.sets("Be a good host")
        self.whispers(f"tell Char: {SECRET}")
        self.char2.location = self.lane
        self.ticks(3, seconds=30)
        self.assertEqual(self.ann, [("whisper", f'Mara whispers: "|n{SECRET}|n"')])

    def test_what_was_planned_in_a_whisper_is_not_done_before_another(self):
        self.whispers("take flour", title="Bake for Char")
        self.ticks(2)
        self.assertIs(self.flour.location, self.inn)
        self.assertTrue(running_errands.is_held(self.mara, self.goal()))
        self.char2.location = self.lane
        self.ticks(3, seconds=30)
        self.assertIs(self.flour.location, self.mara)

    def test_one_who_never_leaves_is_not_waited_for_all_day(self):
        self.whispers("take flour", title="Bake for Char")
        self.ticks(400, seconds=30)
        self.assertEqual(
            self.goal().milestones, ["gave up: somebody was there who may not know of it"]
        )
        self.assertIs(self.flour.location, self.inn)

    def test_what_came_of_it_is_a_secret(self):
        self.char2.location = self.lane
        self.whispers("take flour", title="Bake for Char")
        self.ticks(6)
        [noted] = [one for one in journal.entries(self.mara) if "errand" in one.tags]
        self.assertEqual(noted.content, "Mara set out to bake for Char, and did so.")
        self.assertEqual(noted.audience, self.known)
        self.assertIn(self.first, {source.by for source in noted.sources})
        self.assertIn("secret", noted.tags)

    def test_steps_of_which_nobody_kept_who_may_know_are_done_before_nobody(self):
        self.sets("Greet: tell Char: Good news!")
        kept = [structs.replace(self.goal(), plan_audience=[])]
        repository.save(self.script_of_mara, kinds.GOALS, kept)
        self.wait(120)
        self.ann.clear()
        self.ticks(6, seconds=30)
        self.assertEqual(self.ann, [])

    def test_whoever_is_forgotten_takes_along_what_was_planned_in_words_of_the_mind(self):
        self.char2.location = self.lane
        self.whispers("take flour", title="Look after the fireplace")
        self.ticks(6)
        self.assertEqual(self.goal().status, "done")
        self.whispers("wait 7d", words="And beware of the dog.", title="Watch the yard")
        self.sets("Find out who waters the ale")
        target = forgetting.person(self.mara, self.char1)
        forgotten = forgetting.forget(self.mara, self.script_of_mara, target)
        self.wait(5)
        self.successResultOf(forgotten)
        left = [one.title for one in kept_goals.goals(self.script_of_mara)]
        self.assertEqual(left, ["Find out who waters the ale"])
        self.assertNotIn("fireplace", str(journal.entries(self.mara)))
        gone = experience_of(self.script_of_mara, self.mara).dump()
        self.wait(1)
        self.assertEqual(self.successResultOf(gone)["trajectories"], [])


class FileTests(PlanTestCase):
    def test_a_persona_keeps_plans_that_can_be_read_and_leaves_out_others(self):
        self.plans(FLOUR, "nonsense")
        [plan] = plans.plans_of(self.mara)
        self.assertEqual((plan.title, len(plan.steps)), ("Fetch flour", 4))
        self.assertEqual(persona.load_persona(self.mara)["plans"], [FLOUR, "nonsense"])

    def test_a_crash_between_the_giving_and_its_note_gives_nothing_twice(self):
        self.plans(FLOUR)
        self.leave()
        self.sets("Fetch flour")
        self.ticks(4)
        second = create_object(DefaultObject, key="sack of flour", location=self.mara)
        self.ticks(1)
        goal = self.goal()
        while goal.plan[0].act != "give" or not goal.plan[0].thing:
            self.ticks(1)
            before, goal = goal, self.goal()
            if goal.plan[0].act == "tell":
                # Killed before it was noted.
                [give] = [step for step in before.plan if step.act == "give"]
                held = next(one for one in (self.flour, second) if one.location == self.bertil)
                key = identity.identity_of(held)
                give = type(give)(
                    act="give",
                    called="flour",
                    person=give.person,
                    person_id=give.person_id,
                    thing=key,
                    thing_id=held.id,
                )
                kept_goals.keep_plan(self.script_of_mara, goal.id, [give, *goal.plan])
                break
        self.ticks(10)
        there = [one for one in (self.flour, second) if one.location == self.bertil]
        self.assertEqual(len(there), 1)
        self.assertFalse(running_errands.live(scripts.find(self.mara), self.mara))
