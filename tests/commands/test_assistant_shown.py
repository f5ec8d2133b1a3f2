from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import Deferred

from evennia_ai import conf
from evennia_ai.commands.assistants import asking
from evennia_ai.commands.shown import npcs
from evennia_ai.llm import base
from evennia_ai.llm.wrappers.breaker import Breaker
from evennia_ai.memory import journal, persona
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.commands.cases import CommandTestCase


class StatusTests(CommandTestCase):
    def line(self, label, text="@assistant Mara", *, by=None):
        """Return what the status says under a label."""
        lines = [line.strip() for line in self.types(text, by=by).splitlines()]
        [found] = [line for line in lines if line.startswith(label)]
        return found.removeprefix(label).strip()

    def test_it_tells_where_and_how_an_assistant_is(self):
        mara = self.mara()
        said = self.types("@assistant Mara").splitlines()
        self.assertEqual(
            [" ".join(line.split()) for line in said],
            [
                f"Mara(#{mara.id})",
                "where Room",
                "switch on",
                "mode awake",
                "mind offline: answers from memory, does not converse freely",
                "now at rest",
                "waiting nothing",
                "ticks every 5 s",
                "so far nothing",
                "talks with nobody here",
                "channels none",
            ],
        )

    def test_an_assistant_that_is_off_does_not_tick(self):
        scripts.find(self.mara()).disable()
        self.assertEqual(self.line("switch"), "off")
        self.assertEqual(self.line("ticks"), "not while it is off")

    def test_it_tells_that_one_thinks_and_what_waits(self):
        minds.script_llm(Deferred())
        self.mara()
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 3)
        self.assertEqual(self.line("now"), "thinking")
        self.assertEqual(self.line("waiting"), "1 event, the oldest for 2 s")

    def test_it_tells_with_whom_one_talks_and_what_came_of_it(self):
        self.mara()
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 3)
        self.assertEqual(self.line("so far"), "1 turn")
        self.assertEqual(self.line("talks with"), "Char (2 lines, the last 2 s ago)")

    def test_no_name_that_a_player_has_is_a_link_for_staff(self):
        self.mara()
        self.char1.key = "Ann|lcquit|ltclick|le"
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 3)
        self.read[self.char1].clear()
        self.char1.execute_cmd("@assistant Mara")
        self.assertNotIn("|lc", str(self.read[self.char1]))

    def test_who_has_left_is_not_talked_with(self):
        self.mara()
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 3)
        mara = AssistantCharacter.objects.get()
        mara.location = self.room2
        self.assertEqual(self.line("talks with", f"@assistant #{mara.id}"), "nobody here")

    def test_it_counts_what_went_wrong(self):
        mind = scripts.find(self.mara())
        for counter in ("turns", "turns", "excuses", "failures", "failures"):
            assistant.count(mind, counter)
        self.assertEqual(self.line("so far"), "2 turns, 1 excuse, 2 failures")

    def test_it_tells_that_every_mind_is_halted(self):
        self.mara()
        active_assistants.halt()
        self.addCleanup(active_assistants.halt, halted=False)
        self.assertEqual(self.line("switch"), "on, but every mind is halted")

    def test_it_tells_who_plays_the_body(self):
        mara = self.mara()
        self.account.puppet_object(self.session, mara)
        said = self.line("switch", by=self.as_staff("Admin"))
        self.assertEqual(said, "on, but silent while TestAccount plays it")

    def test_a_body_that_was_reset_remembers(self):
        mara = self.mara()
        persona.save_persona(mara, "A host.")
        journal.add_entry(mara, "It rains.")
        before = self.types("@assistant Mara")
        mara.db.desc = "A broad woman."
        # As `typeclass/reset` does.
        mara.attributes.clear()
        self.assertIsNone(mara.db.desc)
        self.assertEqual(self.types("@assistant Mara"), before)
        self.assertEqual([one.content for one in journal.entries(mara)], ["It rains."])
        self.assertEqual(persona.load_persona(mara)["description"], "A host.")


class DescribeMindTests(CommandTestCase):
    class Model:
        name, is_model = "gpt-x", True

    def test_a_model_is_called_by_its_name(self):
        base.install("default", self.Model())
        self.assertEqual(npcs.describe_mind(), "model gpt-x")

    def test_a_model_that_is_left_alone_is_degraded(self):
        breaker = Breaker(self.Model(), alias="default")
        base.install("default", breaker)
        self.assertEqual(npcs.describe_mind(), "model gpt-x")
        breaker._opened_at = self.clock.seconds()
        self.assertEqual(
            npcs.describe_mind(),
            "degraded: model gpt-x fails, the offline mind answers",
        )

    def test_settings_that_name_no_mind_are_said_and_no_error(self):
        with self.settings_ai(LLM={"default": {"BACKEND": "no.such.Mind"}}):
            self.assertTrue(npcs.describe_mind().startswith("none: EVENNIA_AI names"))
            with self.assertRaises(ImproperlyConfigured):
                base.get_alias("default")
        with self.settings_ai(LLM={"default": {**conf.get("LLM")["default"], "OPTIONS": {"x": 1}}}):
            self.assertTrue(npcs.describe_mind().startswith("none: "))


class ListTests(CommandTestCase):
    def rows(self, text):
        return [" ".join(line.split()) for line in self.types(text).splitlines()]

    def test_it_shows_each_assistant_in_order_of_names(self):
        zoe = minds.make_assistant("zoe", location=self.room2)
        mara = self.mara()
        scripts.find(zoe).disable()
        for text in ("@assistant", "@assistant *"):
            with self.subTest(text):
                header, _, *rows = self.rows(text)
                self.assertEqual(header, "Name Where On Mode Waiting Turns")
                self.assertEqual(
                    rows,
                    [f"Mara(#{mara.id}) Room on awake 0 0", f"zoe(#{zoe.id}) Room2 off awake 0 0"],
                )

    def test_without_any_it_tells_how_to_make_one(self):
        expected = (
            "There is no assistant yet. Make one with: @assistant/create <name> = <who it is>"
        )
        self.assertEqual(self.types("@assistant"), expected)

    def test_it_finds_part_of_a_name(self):
        self.mara()
        zoe = minds.make_assistant("Zoe", location=self.room2)
        self.assertEqual(self.rows("@assistant oe*")[2:], [f"Zoe(#{zoe.id}) Room2 on awake 0 0"])
        said = self.types("@assistant xyz*")
        self.assertEqual(said, "No assistant has 'xyz' in its name.")

    def test_it_stops_where_nobody_reads_on(self):
        for number in range(3):
            minds.make_assistant(f"Guard {number}", location=self.room1)
        self.patch(asking, "LIST_LENGTH", 2)
        rows = self.rows("@assistant")
        self.assertEqual(len(rows), 5)
        self.assertEqual(rows[-1], "… and 1 more: @assistant <part of a name>*")

    def test_it_begins_with_a_halt_that_is_on(self):
        self.mara()
        active_assistants.halt()
        self.addCleanup(active_assistants.halt, halted=False)
        expected = "Every mind is halted. @aiadmin/resume lets them go on."
        self.assertEqual(self.rows("@assistant")[0], expected)

    def test_a_mind_without_a_body_is_left_out(self):
        script = scripts.find(self.mara())
        script.obj = None
        script.save()
        self.assertIn("There is no assistant yet.", self.types("@assistant"))
