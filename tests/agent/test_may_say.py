"""What MAY_SAY refuses is spoken by no way, and remembered as said by nobody; staff read it."""

from evennia.commands.cmdset import CmdSet
from evennia.commands.default.general import CmdSay
from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred

from evennia_ai.agent import answer, say_as, trace
from evennia_ai.commands.assistants import formatting_why
from evennia_ai.commands.shown import turns as shown_turns
from evennia_ai.core import volatile
from evennia_ai.experience import turn_decisions
from evennia_ai.memory import journal, persona
from evennia_ai.memory.state import active_assistants, npc_settings
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, words
from tests.agent.test_channels import ChannelTestCase
from tests.agent.test_hearsay import SECRET, HearsayTestCase

HERE = "tests.agent.test_may_say"
BAD = "You are a toad."
EXCUSE = "Say that again?"


class SayCmdSet(CmdSet):
    """The command of a player, for an NPC."""

    def at_cmdset_creation(self):
        self.add(CmdSay())


class Judge:
    """What stands behind the door MAY_SAY: it refuses whatever speaks of toads, and keeps a list."""

    def hold_court(self):
        asked.clear()
        verdicts.clear()
        self.configure(MAY_SAY=f"{HERE}.judge")
        lines = {**answer.EXCUSES, "fallback_lines": [EXCUSE], "thinking_lines": []}
        self.patch(answer, "EXCUSES", lines)

    def asked(self):
        return [said for said, _ in asked]

    def reached(self):
        """Return what reached anybody, without colours."""
        return "\n".join(strip_ansi(text) for _, text in [*self.ann, *self.bob])


class RefusedTests(Judge, MindTestCase):
    def setUp(self):
        super().setUp()
        self.hold_court()

    def assert_unsaid(self, excuse=EXCUSE):
        self.assertNotIn("toad", self.reached())
        told = [text for mine, text in self.remembered() if mine]
        self.assertEqual(told, [excuse] if excuse else [])
        self.assertEqual(
            [one.content for one in journal.entries(self.mara) if "toad" in one.content], []
        )
        [turn] = trace.turns(self.mara.id)
        self.assertEqual(turn.record.refused[0], (BAD, "MAY_SAY refused the words"))
        self.assertNotIn("toad", "\n".join(self.log))

    def test_an_answer_of_a_model_becomes_an_excuse(self):
        minds.script_llm(BAD)
        self.do(self.char1, "say Mara, what am I?")
        self.assertEqual(words(self.bob)[1:], [f'Mara says, "{EXCUSE}"'])
        self.assert_unsaid()
        self.assertEqual(self.pending(), [])

    def test_every_way_to_speak_is_asked_for(self):
        for reply in (call("say", words=BAD), f"(To Char alone:) {BAD}", f"*{BAD}*"):
            with self.subTest(reply):
                volatile.forget_all()
                mind = minds.script_llm(reply)
                self.do(self.char1, "say Mara, well?")
                self.assertNotIn("toad", self.reached())
                self.assertEqual(len(mind.requests), 1)
                [turn] = trace.turns(self.mara.id)
                self.assertEqual([said for said, _ in turn.record.refused], [BAD])

    def test_a_whisper_is_asked_for_with_its_one_hearer(self):
        minds.script_llm(BAD)
        self.do(self.char1, "whisper Mara = What am I?")
        self.assertEqual(asked[0], (BAD, [self.char1]))
        self.assert_unsaid()
        self.assertEqual(self.bob, [])

    def test_aloud_all_are_asked_for_who_hear_it(self):
        minds.script_llm("You are Char.")
        self.do(self.char1, "say Mara, who am I?")
        self.assertEqual(asked, [("You are Char.", [self.char1, self.char2])])

    def test_a_tell(self):
        self.char1.location = self.room2
        self.configure(TELL_RANGE="anywhere")
        minds.script_llm(BAD)
        self.do(self.char1, "tell Mara = What am I?")
        self.assertEqual(asked[0], (BAD, [self.char1]))
        self.assert_unsaid()

    def test_a_stage_direction(self):
        minds.script_llm("*calls Char a toad*")
        self.do(self.char1, "say Mara, what am I?")
        self.assertNotIn("toad", self.reached())

    def test_the_offline_mind(self):
        persona.save_lore(self.mara, [{"text": BAD, "audience": "public"}])
        self.do(self.char1, "say Mara, who is a toad?")
        self.assertIn(BAD, " ".join(self.asked()))
        self.assertNotIn("toad.", self.reached())

    def test_an_excuse_that_is_refused_is_silence(self):
        persona.save_persona(self.mara, {"fallback_lines": ["Ask the toad."]})
        minds.script_llm(BAD)
        self.do(self.char1, "say Mara, what am I?")
        self.assertEqual(self.asked(), [BAD, "Ask the toad."])
        self.assert_unsaid(excuse=None)
        self.assertEqual(self.pending(), [])

    def test_other_words_are_what_is_said_and_remembered(self):
        verdicts[BAD] = "You are a prince."
        minds.script_llm(BAD)
        self.do(self.char1, "say Mara, what am I?")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "You are a prince."')
        self.assertEqual(self.remembered()[-1], (True, "You are a prince."))
        [turn] = trace.turns(self.mara.id)
        self.assertEqual(turn.spoken, ["You are a prince."])
        self.assertEqual(turn.record.refused, [(BAD, "MAY_SAY put other words in their place")])

    def test_a_command_runs_only_as_it_is(self):
        self.configure(ALLOWED_COMMANDS=["say"])
        npc_settings.grant(self.mara, allowed_commands=["say"])
        self.mara.cmdset.add(SayCmdSet, persistent=False)
        minds.script_llm(call("execute_command", command=f"say {BAD}"))
        self.do(self.char1, "say Mara, what am I?")
        self.assertNotIn("toad", self.reached())
        verdicts["say Psst"] = "say Hush"
        minds.script_llm(call("execute_command", command="say Psst"), "Well.")
        self.do(self.char1, "say Mara, and now?")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Well."')
        minds.script_llm(call("execute_command", command="say Hello."), call("noop"))
        self.do(self.char1, "say Mara, and what then?")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Hello."')

    def test_nods_and_thinking_lines_of_the_persona(self):
        persona.save_persona(
            self.mara, {"beats": ["eats a toad."], "thinking_lines": ["{name} thinks of toads."]}
        )
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, what am I?", wait=3)
        self.assertEqual(self.asked(), ["eats a toad.", "{name} thinks of toads."])
        self.assertNotIn("toad", self.reached())

    def test_what_it_mumbles_in_its_sleep(self):
        persona.save_persona(self.mara, {"sleepy_lines": ["Toads…"]})
        sleep_cycle.transition_mode(self.script_of_mara, "sleep", "night", depth="deep")
        self.do(self.char1, "say Mara?")
        self.assertEqual(asked, [("Toads…", [self.char1, self.char2])])
        self.assertNotIn("Toads", self.reached())

    def test_words_of_staff(self):
        reason = self.successResultOf(say_as.speak_for(self.mara, BAD, payer=0))
        self.assertEqual(reason, "MAY_SAY refused the words")
        self.assertEqual(self.reached(), "")

    def test_staff_read_in_the_trace_what_was_refused(self):
        minds.script_llm(BAD)
        self.do(self.char1, "say Mara, what am I?")
        account = shown_turns.account_of(self.mara, trace.turns(self.mara.id), 1)
        shown = strip_ansi(formatting_why.why(account))
        self.assertIn(f"refused    {BAD} (MAY_SAY refused the words)", shown)

    def test_an_answer_that_was_refused_is_no_experience_of_what_went_well(self):
        minds.script_llm(BAD)
        self.do(self.char1, "say Mara, what am I?", wait=2)
        self.assertNotIn("toad", str(turn_decisions.recent(self.script_of_mara)))


class ChannelRefusalTests(Judge, ChannelTestCase):
    def test_nothing_goes_to_a_channel(self):
        self.hold_court()
        minds.script_llm(BAD, ":is a toad.")
        self.assertEqual(self.say("Mara, what am I?"), [f"[Public] Mara: {EXCUSE}"])
        # The third is the account through which minds listen.
        self.assertEqual(asked[0][1][:2], [self.account, self.account2])

    def test_a_pose_on_a_channel_is_asked_for_without_its_mark(self):
        self.hold_court()
        minds.script_llm("*smiles.*")
        self.assertEqual(self.say("Mara, hello!"), ["[Public] Mara smiles."])
        self.assertEqual(self.asked(), ["smiles."])


class GossipRefusalTests(Judge, HearsayTestCase):
    def test_what_is_passed_on(self):
        self.hold_court()
        verdicts[f'Char told me: "{SECRET}"'] = False
        self.let_share("Mara")
        self.assertNotIn("oak", self.reached())
        self.assertEqual(self.entry_of(self.mara).shared, [])


class MeanwhileTests(Judge, MindTestCase):
    """MAY_SAY takes its time, and the world goes on."""

    def setUp(self):
        super().setUp()
        self.hold_court()
        self.thinking = verdicts["Well."] = Deferred()

    def test_who_left_meanwhile_does_not_hear_it(self):
        minds.script_llm("Well.")
        self.do(self.char1, "say Mara, hello?")
        self.char1.location = self.room2
        self.thinking.callback(True)
        self.assertNotIn("Well.", self.reached())

    def test_a_question_waits_until_it_is_answered_and_is_answered_once(self):
        minds.script_llm("Well.")
        self.do(self.char1, "say Mara, hello?")
        self.assertEqual(self.pending(), ["Mara, hello?"])
        self.thinking.callback(True)
        self.wait()
        self.assertEqual(self.pending(), [])
        self.assertEqual(words(self.bob)[1:], ['Mara says, "Well."'])

    def test_while_the_server_stops_nothing_is_said_and_the_question_waits(self):
        minds.script_llm("Well.")
        self.do(self.char1, "say Mara, hello?")
        self.patch(active_assistants, "is_closing", lambda: True)
        self.thinking.callback(True)
        self.assertNotIn("Well.", self.reached())
        self.assertEqual(self.pending(), ["Mara, hello?"])

    def test_who_comes_in_meanwhile_turns_a_secret_into_a_whisper(self):
        self.char2.location = self.room2
        minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        del asked[:]
        minds.script_llm("Well.")
        self.do(self.char1, "say Mara, where does the crown lie?")
        self.char2.location = self.room1
        self.thinking.callback(True)
        self.wait()
        self.assertEqual(words(self.ann, "whisper")[-1], 'Mara whispers: "|nWell.|n"')
        self.assertNotIn("Well.", "".join(text for _, text in self.bob))

    def test_one_that_hangs_makes_silence_and_the_next_question_is_answered(self):
        minds.script_llm("Well.")
        self.do(self.char1, "say Mara, hello?", wait=7)
        self.assertEqual(words(self.bob)[1:], [])
        self.assertEqual(self.pending(), [])
        self.flushLoggedErrors()
        minds.script_llm("Good evening.")
        self.do(self.char1, "say Mara, hello again?")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Good evening."')


asked = []
verdicts = {}


def judge(npc, said, hearers):
    """Stand behind the door MAY_SAY."""
    asked.append((said, sorted(hearers, key=lambda one: one.id)))
    return verdicts.get(said, "toad" not in said.lower())
