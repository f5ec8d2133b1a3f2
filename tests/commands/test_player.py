from evennia.comms.models import Msg
from evennia.objects.objects import DefaultObject
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred

from evennia_ai.agent.speech import LONGEST_LINE
from evennia_ai.commands.players.player import ListenerCommand
from evennia_ai.llm.base import Completion
from evennia_ai.memory import working_memory
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class TellTests(CommandTestCase):
    def heard_by(self, npc):
        """Return what waits for an answer, as (kind, words, who)."""
        minds.pass_time(self.clock, 0.1)
        waiting = assistant.pending_events(scripts.find(npc))
        return [(event.kind, event.text, event.actor_name) for event in waiting]

    def test_the_words_reach_the_npc_and_are_echoed(self):
        mara = self.mara()
        self.assertEqual(
            self.types("tell mara = Keep my | secret"), 'You tell Mara: "Keep my | secret"'
        )
        self.assertEqual(self.heard_by(mara), [("tell", "Keep my | secret", "Char")])

    def test_nobody_else_hears_it(self):
        self.mara()
        other = minds.make_assistant("Bob", location=self.room1)
        self.types("tell mara = Bob must not know")
        self.assertEqual(self.read[self.char2], [])
        self.assertEqual(self.heard_by(other), [])

    def test_it_is_answered_to_whoever_told_it(self):
        minds.script_llm("I will.")
        self.mara()
        self.types("tell mara = Keep it")
        minds.pass_time(self.clock, 2)
        spoken = [(kind, strip_ansi(text)) for kind, text in self.read[self.char1]]
        self.assertIn(("tell", 'Mara tells you: "I will."'), spoken)
        self.assertEqual(self.read[self.char2], [])

    def test_the_words_may_hold_anything(self):
        minds.script_llm(Deferred())
        mara = self.mara()
        for words in ("a = b", "/me waves", "{you} $You()", '"quoted"', "x" * 500):
            with self.subTest(words[:20]):
                self.types(f"tell mara = {words}")
                self.assertEqual(self.heard_by(mara)[-1], ("tell", words, "Char"))

    def test_no_more_is_read_than_an_npc_would_hear(self):
        """Also of each other command that is about an NPC which listens."""
        mara = self.mara()
        self.types(f"tell mara = {'|' * 20_000}")
        [(_, words, _)] = self.heard_by(mara)
        self.assertLessEqual(len(words), LONGEST_LINE)
        self.assertEqual(
            {command.__name__ for command in ListenerCommand.__subclasses__()},
            {"CmdTell", "CmdRate", "CmdRemember", "CmdReport"},
        )
        for command in ListenerCommand.__subclasses__():
            with self.subTest(command.__name__):
                typed = command()
                typed.args = f"mara = {'x' * 20_000}"
                typed.parse()
                self.assertEqual(len(typed.args), LONGEST_LINE)

    def test_an_alias_or_the_beginning_of_a_name_is_enough(self):
        mara = self.mara()
        mara.aliases.add("innkeeper")
        for name in ("innkeeper", "mar", "MARA"):
            with self.subTest(name):
                self.assertEqual(self.types(f"tell {name} = hi"), 'You tell Mara: "hi"')

    def test_a_mindless_thing_of_the_same_name_does_not_stand_in_the_way(self):
        create_object(DefaultObject, key="Mara", location=self.room1)
        mara = self.mara()
        self.assertEqual(self.types("tell mara = hi"), 'You tell Mara: "hi"')
        self.assertEqual(len(self.heard_by(mara)), 1)

    def test_one_that_is_carried_hears_it(self):
        skull = create_object(DefaultObject, key="skull", location=self.char1)
        scripts.attach(skull)
        self.assertEqual(self.types("tell skull = hi"), 'You tell skull: "hi"')
        self.assertEqual(len(self.heard_by(skull)), 1)

    def test_half_a_command_shows_how_it_is_written(self):
        self.mara()
        for text in (
            "tell",
            "tell mara",
            "tell mara =",
            "tell = words",
            "tell mara =   ",
            "tell =",
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text), "Usage: tell <npc> = <words>")

    def test_it_has_no_switches(self):
        mara = self.mara()
        said = self.types("tell/loud mara = hi")
        self.assertEqual(said, "There is no switch /loud: tell has no switches. Nothing was done.")
        self.assertEqual(self.heard_by(mara), [])

    def test_who_has_no_mind_could_not_hear(self):
        for name, called in {"char2": "Char2", "obj": "Obj", "me": "Char"}.items():
            with self.subTest(name):
                expected = f"{called} has no mind that could hear you."
                self.assertEqual(self.types(f"tell {name} = hi"), expected)

    def test_one_that_is_off_does_not_listen(self):
        mara = self.mara()
        scripts.find(mara).disable()
        expected = "Mara does not listen to what it is told."
        self.assertEqual(self.types("tell mara = hi"), expected)
        self.assertEqual(self.heard_by(mara), [])

    def test_who_is_not_there_is_said(self):
        expected = "There is no 'ghost' here who would listen."
        self.assertEqual(self.types("tell ghost = hi"), expected)
        self.mara()
        self.assertEqual(self.types("tell ghost = hi"), expected)

    def test_a_dbref_reaches_no_further_than_a_name(self):
        away = minds.make_assistant("Zoe", location=self.room2)
        self.types(f"tell #{away.id} = hi")
        self.assertEqual(self.heard_by(away), [])

    def test_of_two_the_number_decides(self):
        twins = [minds.make_assistant("Twin", location=self.room1) for _ in range(2)]
        said = self.types("tell twin = hi")
        self.assertIn("Twin-1", said)
        self.assertEqual([self.heard_by(twin) for twin in twins], [[], []])
        self.types("tell twin-2 = hi")
        self.assertEqual(sorted(len(self.heard_by(twin)) for twin in twins), [0, 1])

    def test_anybody_may_use_it(self):
        self.account2.permissions.clear()
        self.account2.permissions.add("Guest")
        mara = self.mara()
        self.assertEqual(self.types("tell mara = hi", by=self.char2), 'You tell Mara: "hi"')
        self.assertEqual(self.heard_by(mara), [("tell", "hi", "Char2")])

    def test_somebody_nowhere_finds_nobody(self):
        self.mara()
        self.char1.location = None
        expected = "There is no 'mara' here who would listen."
        self.assertEqual(self.types("tell mara = hi"), expected)

    def test_whoever_plays_the_npc_reads_it(self):
        mara = self.mara()
        self.account.puppet_object(self.session, mara)
        read = minds.listen(mara)
        self.types("tell mara = hi", by=self.char2)
        self.assertIn(("tell", 'Char2 tells you: "hi"'), read)

    def test_while_every_mind_is_halted_it_is_only_remembered(self):
        self.addCleanup(active_assistants.halt, halted=False)
        mara = self.mara()
        active_assistants.halt()
        self.types("tell mara = hi")
        minds.pass_time(self.clock, 2)
        self.assertEqual(self.heard_by(mara), [])
        kept = working_memory.lines_with(mara, self.char1)
        self.assertEqual([line.text for line in kept], ["hi"])

    def test_the_npc_may_be_gone_before_it_answers(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        mara = self.mara()
        self.types("tell mara = hi")
        minds.pass_time(self.clock, 1)
        mara.delete()
        thinking.callback(Completion("Hello."))
        minds.pass_time(self.clock, 1)
        self.assertFalse([text for _, text in self.read[self.char1] if "Hello." in text])


class RangeTests(CommandTestCase):
    def create_cast(self):
        super().create_cast()
        self.zoe = minds.make_assistant("Zoe", location=self.room2)

    def test_one_in_another_room_is_out_of_reach(self):
        expected = "There is no 'zoe' here who would listen."
        self.assertEqual(self.types("tell zoe = hi"), expected)

    def test_anywhere_reaches_every_room(self):
        with self.settings_ai(TELL_RANGE="anywhere"):
            self.assertEqual(self.types("tell zoe = hi"), 'You tell Zoe: "hi"')
            minds.pass_time(self.clock, 0.1)
            self.assertEqual(len(assistant.pending_events(scripts.find(self.zoe))), 1)

    def test_the_one_who_is_here_comes_before_one_elsewhere(self):
        near = minds.make_assistant("Zoe", location=self.room1)
        with self.settings_ai(TELL_RANGE="anywhere"):
            self.types("tell zoe = hi")
        minds.pass_time(self.clock, 0.1)
        waiting = [len(assistant.pending_events(scripts.find(npc))) for npc in (near, self.zoe)]
        self.assertEqual(waiting, [1, 0])

    def test_anywhere_does_not_reach_who_may_not_be_seen(self):
        self.zoe.locks.add("view:false()")
        with self.settings_ai(TELL_RANGE="anywhere"):
            said = self.types("tell zoe = hi", by=self.char2)
        self.assertEqual(said, "There is no 'zoe' here who would listen.")


class PageTests(CommandTestCase):
    def test_evennias_page_is_not_lost_to_a_command_that_shares_its_alias(self):
        self.types("page TestAccount2 = hi")
        [message] = Msg.objects.all()
        self.assertEqual((message.message, message.receivers), ("hi", [self.account2]))
