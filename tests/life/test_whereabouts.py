"""What an NPC says of its day and of others', by rules and to a model, from one source."""

from evennia.objects.objects import DefaultRoom
from evennia.utils.create import create_object

from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import routine
from evennia_ai.testing import minds
from tests.agent.cases import words
from tests.life.cases import DayTestCase


class AskedTests(DayTestCase):
    def setUp(self):
        super().setUp()
        self.tom = minds.make_assistant("Tom", location=self.inn)
        base.install("default", OfflineMind())

    def asked(self, line):
        """Return what somebody says to Char."""
        self.ann.clear()
        self.do(self.char1, f"say {line}", wait=3)
        return words(self.ann)[-1]

    def test_she_says_what_she_does(self):
        self.assertRegex(self.asked("Mara, what are you doing?"), "I knead dough")

    def test_on_her_way_she_says_where_to(self):
        self.at(13)
        self.ticks()
        self.char1.location = self.mara.location
        self.assertIn("on my way, Char. To Market.", self.asked("Mara, what are you doing?"))
        self.assertIn("To Market.", self.asked("Mara, where are you going?"))

    def test_she_says_when_she_is_back(self):
        self.at(13)
        self.ticks(3)
        self.char1.location = self.market
        self.assertIn("22:00", self.asked("Mara, when will you be back?"))
        self.at(6)
        self.wait(60)
        self.ticks(3)
        self.char1.location = self.inn
        self.assertIn("until 13:00", self.asked("Mara, how long will you be here?"))

    def test_who_lives_there_says_where_she_should_be_and_when_she_is_back(self):
        self.at(13)
        self.ticks(3)
        self.assertRegex(self.asked("Tom, where is Mara?"), "Mara.*Market")
        self.assertIn("Back at 22:00", self.asked("Tom, when will Mara be back?"))

    def test_what_is_somebodys_or_what_they_do_is_no_question_for_them(self):
        self.at(13)
        self.ticks(3)
        for line in (
            "where is Mara's hammer?",
            "where is Mara hiding all the gold?",
            "when will Mara's brother be back?",
            "when will the ferry be back?",
        ):
            with self.subTest(line):
                said = self.asked(f"Tom, {line}")
                self.assertNotRegex(said, "Market|22:00")
        self.assertIn("Market", self.asked("Tom, where is Mara right now?"))

    def test_when_something_else_is_back_is_no_question_of_her_day(self):
        self.assertNotIn("13:00", self.asked("Mara, when will the ferry be back?"))

    def test_who_lives_elsewhere_does_not_know_her_day(self):
        self.at(13)
        self.ticks(3)
        far = create_object(DefaultRoom, key="Far")
        self.tom.home = far
        self.tom.location = self.char1.location = far
        self.assertNotIn("Market", self.asked("Tom, where is Mara?"))

    def test_who_is_here_is_here(self):
        self.assertRegex(self.asked("Tom, where is Mara?"), "Mara is (right )?here")

    def test_who_has_no_routine_says_what_it_said_before(self):
        self.assertNotIn("{", self.asked("Tom, what are you doing?"))
        self.assertNotIn("I knead", self.asked("Tom, what are you doing?"))


class PromptTests(DayTestCase):
    def prompt(self, line, npc="Mara", answer="Well."):
        mind = minds.script_llm(answer)
        self.do(self.char1, f"say {npc}, {line}", wait=2)
        return mind.requests[0].messages[-1]["content"]

    def test_a_model_is_told_the_same(self):
        told = self.prompt("good day.")
        self.assertIn("(What you do now: kneads dough)\n(From 13:00 on you are in Market.)", told)

    def test_what_comes_earlier_in_the_day_comes_tomorrow(self):
        self.at(13)
        self.gives(self.mara, "06:00 Market: buys eels", "12:00 Inn: kneads dough")
        told = self.prompt("good day.")
        self.assertIn("From 06:00 tomorrow on you are in", told)

    def test_who_is_late_goes_today_and_after_midnight_the_morning_is_today(self):
        self.patch(routine, "JITTER", 60)
        for hour, shown in ((13, "From 13:00 on"), (1, "From 06:00 on")):
            with self.subTest(hour):
                self.at(hour)
                self.gives(
                    self.mara,
                    "06:00 Inn: kneads dough",
                    "13:00 Market: buys eels",
                    "22:00 Lane: walks",
                )
                self.assertIn(shown, self.prompt("good day.", answer=shown))

    def test_of_others_only_if_it_is_asked(self):
        minds.make_assistant("Tom", location=self.inn)
        self.at(13)
        self.ticks(3)
        told = self.prompt("where is Mara?", "Tom")
        self.assertIn("(Mara should be in Market at this hour, and come here at 22:00.)", told)
        self.wait(60)
        self.assertNotIn("should be in", self.prompt("Mara is a fine cook.", "Tom", "That she is."))
