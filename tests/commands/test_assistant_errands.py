"""`@assistant/errands`, and `@assistant/persona <npc>/errands`: what an NPC carries for players."""

from evennia_ai.core.records import Source, Step
from evennia_ai.memory import identity
from evennia_ai.memory.state import kept_goals
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class ErrandsTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()
        for name in ("Bertil", "Cid"):
            minds.make_assistant(name, location=self.room1)

    def write(self, lines="things: letter; to: Bertil; if: perm(Player)"):
        return self.types(f"@assistant/persona Mara/errands = {lines}")

    def test_it_is_written_line_by_line_and_refused_whole_with_the_line_and_the_reason(self):
        self.assertEqual(self.write(), f"You write the errands of {self.name}.")
        self.assertEqual(
            self.types("@assistant/errands Mara"), f"{self.name} carries letter to Bertil."
        )
        self.assertIn("Line 4: 'gold: 5' is written otherwise", self.write("gold: 5"))
        self.assertIn("is no lock string", self.write("things: x; to: Cid; if: nonsense"))
        self.assertEqual(
            self.types("@assistant/errands Mara"), f"{self.name} carries letter to Bertil."
        )

    def test_a_line_of_the_same_key_takes_the_place_of_the_first(self):
        self.write("things: letter; to: Bertil")
        self.assertEqual(
            self.write("to: Cid").splitlines(),
            [
                f"The errands of {self.name}, with + what is new:",
                "  1. things: letter",
                "+ 2. to: Cid",
                "It was: to: Bertil",
            ],
        )

    def test_somebody_who_is_not_in_the_game_is_refused_as_it_is_written(self):
        self.assertEqual(
            self.write("things: letter; to: Bertil, Zorro"),
            "Line 2: there is nobody called 'Zorro' in the game. Nothing was done.",
        )
        self.assertIn("There is no line to", self.write("things: letter"))

    def test_without_a_list_it_runs_none(self):
        said = self.types("@assistant/errands Mara")
        self.assertEqual(said, f"{self.name} runs no errands; its persona has no `errands`.")

    def test_each_errand_is_shown_with_what_was_done_and_what_comes_next(self):
        self.write()
        step = Step(act="tell", person_id=self.char1.id)
        who = identity.identity_of(self.char1)
        kept_goals.add_goal(
            scripts.find(self.npc), "Bring |rletter to Bertil", plan=[step], said_by=who
        )
        self.assertEqual(
            self.types("@assistant/errands Mara").splitlines()[1:],
            [" 1. Bring |rletter to Bertil for Char: waits to tell how it went"],
        )

    def test_of_a_step_that_waits_it_is_shown_that_somebody_is_there_who_may_not_know(self):
        script, who = scripts.find(self.npc), identity.identity_of(self.char1)
        goal = kept_goals.add_goal(script, "Warn")
        step = Step(act="tell", person=who, person_id=self.char1.id, words="Run!")
        kept_goals.set_plan(script, goal.id, [step], sources=[Source("1", "", [])])
        self.assertEqual(
            self.types("@assistant/errands Mara").splitlines()[1:],
            [" 1. Warn: is to tell Char something (somebody was there who may not know of it)"],
        )

    def test_what_is_dropped_is_over_and_what_is_none_is_told(self):
        step = Step(act="tell", person_id=self.char1.id)
        kept_goals.add_goal(scripts.find(self.npc), "Bring letter to Bertil", plan=[step])
        said = self.types("@assistant/goal Mara/1 = abandoned")
        self.assertIn("goes by itself", said)
        said = self.types("@assistant/errands Mara/1 = drop")
        self.assertEqual(said, f"{self.name} gives up errand 1, and gives back what it has of it.")
        [goal] = kept_goals.goals(scripts.find(self.npc))
        self.assertEqual(goal.status, "done")
        said = self.types("@assistant/errands Mara/1 = drop")
        self.assertIn("'1' is none of its errands", said)
