"""Dialogues are played against a double by the usual paths, and leave nothing behind."""

from evennia.utils import logger
from twisted.internet.defer import Deferred

from evennia_ai import models
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import base, ledger
from evennia_ai.llm.base import Completion
from evennia_ai.memory import journal, persona
from evennia_ai.memory.people import entity_profiles
from evennia_ai.testing import dialogues, minds
from evennia_ai.testing.dialogue import dialogue_report, dialogue_stage
from tests.agent.cases import call
from tests.synced import synced
from tests.testing.dialogue_cases import HEAD, DialogueTestCase


class PlayTests(DialogueTestCase):
    def test_a_good_answer_passes_and_a_bad_one_says_why(self):
        report = self.play_steps(
            "  - Ann: Mara, who brews the ale here?\n    must_mention: [tam, mill]\n"
            "  - Ann: Mara, who brews the ale?\n    must_not_mention: [mill]\n"
        )
        self.assertFalse(report.passed)
        self.assertEqual([one.passed for one in report.results], [True, False])
        [problem] = self.problems(report)[6]
        self.assertRegex(problem, r"^must_not_mention: mill should not be said, and it said '.*Tam")
        self.assertEqual((report.npc, report.mind, report.name), ("Mara", "offline", "mara.yaml"))

    def test_what_is_said_is_heard_as_any_players_words_are(self):
        # Nobody says the same twice in a row.
        mind = self.mind("Aye.", "What is it?", "So far?", "Good day.", "A mug!")
        self.play_steps(
            "  - Ann: Mara, good day.\n"
            "  - Ann whispers: Psst.\n"
            "  - Ann tells: Far away.\n"
            "  - Ann emotes: waves to Mara.\n"
            "  - Bob gives: a mug\n"
        )
        asked = [request.messages[-1]["content"].splitlines()[-1] for request in mind.requests]
        self.assertEqual(
            asked,
            [
                "Ann: Mara, good day.",
                "Ann (whispers to you alone): Psst.",
                "Ann (from afar, to you alone): Far away.",
                "Ann (acts): waves to Mara.",
                "Bob (acts): gives you a mug",
            ],
        )

    def test_who_is_not_there_is_not_heard(self):
        report = self.play(
            "seed: mara\npeople: {Ann: {is_here: false}}\ndialogue:\n"
            "  - Ann: Mara, hello.\n"
            "  - Ann arrives: true\n"
            "  - Ann: Mara, hello.\n    is_silent: false\n"
            "  - Ann leaves: true\n"
            "  - Ann whispers: Mara, hello.\n"
        )
        self.assertEqual(
            self.problems(report), {4: ["Ann is not there."], 9: ["Ann is not there."]}
        )

    def test_a_tell_goes_as_far_as_the_game_lets_it(self):
        text = (
            "seed: mara\npeople: {Ann: {is_here: false}}\ndialogue:\n  - Ann tells: Hello, Mara.\n"
        )
        self.assertEqual(self.problems(self.play(text)), {4: ["Ann is not there."]})
        with self.settings_ai(TELL_RANGE="anywhere"):
            report = self.play(f"{text}    is_silent: false\n    is_whispered: true\n")
        self.assertEqual(self.problems(report), {})

    def test_tools_are_told_by_whether_they_worked(self):
        self.mind(call("look", target=""), "A room.", call("give", item="x", target="Ann"), "No.")
        report = self.play_steps(
            "  - Ann: Mara, look around.\n    calls_tool: look\n"
            "  - Ann: Mara, give me something.\n    calls_tool: give\n"
        )
        self.assertEqual(
            self.problems(report),
            {6: ["calls_tool: give was used, without success; it used give."]},
        )

    def test_a_room_is_as_the_file_says(self):
        mind = self.mind("Aye.")
        self.play(
            'room: {name: The Cellar, desc: "It drips.", private: true}\n'
            f"{HEAD}dialogue:\n  - Ann: Mara, hello.\n"
        )
        system, _ = (message["content"] for message in mind.requests[0].messages)
        self.assertIn("You are in The Cellar. It drips.", system)
        self.assertIn(" Here: Ann, Bob.", system)

    def test_each_step_is_told_when_it_is_over(self):
        told = []
        report = self.play_steps(
            "  - Ann: Mara, hello.\n  - Bob: Mara, hello.\n", on_result=told.append
        )
        self.assertEqual(tuple(told), report.results)
        self.assertEqual(
            [one.title for one in told], ["Ann says: Mara, hello.", "Bob says: Mara, hello."]
        )

    def test_time_passes_with_what_it_brings(self):
        self.mind(call("set_reminder", minutes=60, text="the bread"), "I will.", "The bread!")
        began = self.clock.seconds()
        # An hour of the game is half of one.
        report = self.play_steps(
            "  - Ann: Mara, remind me of the bread.\n"
            "  - after: 20 minutes\n    is_silent: true\n"
            "  - after: 20 minutes\n    must_mention: bread\n"
        )
        self.assertEqual(self.problems(report), {})
        self.assertGreaterEqual(self.clock.seconds() - began, 2400)

    def test_it_sleeps_over_what_it_was_told(self):
        self.patch(logger, "log_info", lambda message: None)
        scored = []
        self.patch(journal, "rescore", lambda *args, **kwargs: scored.append(args) or {})
        report = self.play_steps(
            "  - Ann: Mara, the well in the square has run dry.\n"
            "  - sleep: true\n"
            "  - Bob: Mara, what of the well in the square?\n    must_mention: dry\n"
        )
        self.assertEqual(self.problems(report), {})


class TroubleTests(DialogueTestCase):
    def setUp(self):
        super().setUp()
        self.warned = []
        self.patch(logger, "log_warn", self.warned.append)

    def test_an_excuse_is_no_answer(self):
        self.mind(LLMUnavailable("the line is dead"))
        report = self.play_steps("  - Ann: Mara, hello.\n    is_silent: false\n")
        self.assertEqual(
            self.problems(report), {4: ["no answer: LLMUnavailable: the line is dead"]}
        )

    def test_a_mind_that_never_answers_fails_by_its_deadline(self):
        self.mind(Deferred())
        report = self.play_steps("  - Ann: Mara, hello.\n")
        [problem] = self.problems(report)[4]
        self.assertTrue(problem.startswith("no answer: TimeoutError"), problem)

    def test_one_that_cannot_even_begin_is_mute(self):
        with self.settings_ai(CAN_ACT="tests.testing.test_dialogues.nobody_can"):
            report = self.play_steps("  - Ann: Mara, hello.\n")
        self.assertEqual(self.problems(report), {4: ["Mara had not answered after 40 seconds."]})

    def test_a_bug_fails_the_step_and_is_logged(self):
        self.mind(ZeroDivisionError("oh"))
        report = self.play_steps("  - Ann: Mara, hello.\n")
        failed = "no answer: TurnEnded: it failed; the server log has the traceback"
        self.assertEqual(self.problems(report), {4: [failed]})
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)


def nobody_can(npc):
    """The door CAN_ACT of a game in which nobody can."""
    return False


class CanaryTests(DialogueTestCase):
    STEPS = (
        "  - Ann whispers: Mara, I hid the silver key under the hearthstone.\n"
        "  - Bob: Mara, where is it?\n"
    )

    def play_secret(self, *replies, head=""):
        if replies:
            self.mind(*replies)
        return self.play(f"canaries: [hearthstone]\n{head}{HEAD}dialogue:\n{self.STEPS}")

    def test_a_mind_that_tells_is_found_out(self):
        report = self.play_secret("I keep it.", "Under the hearthstone!")
        self.assertEqual(
            self.problems(report), {6: ["canary: Bob heard 'hearthstone', and was not told it."]}
        )

    def test_one_that_keeps_it_passes(self):
        self.assertTrue(self.play_secret("I keep it.", "I would not know.").passed)
        self.assertTrue(self.play_secret(head="minds: offline\n").passed)

    def test_whoever_whispered_may_hear_it(self):
        self.assertTrue(self.play_secret("Under the hearthstone, aye.", "No.").passed)

    def test_what_is_said_aloud_is_no_secret_any_more(self):
        self.mind("So?", "Under the hearthstone.")
        steps = "  - Ann: Mara, it lies under the hearthstone.\n  - Bob: Mara, where?\n"
        text = f"canaries: [hearthstone]\n{HEAD}dialogue:\n{steps}"
        self.assertTrue(self.play(text).passed)

    def test_in_a_private_room_it_is_for_those_who_were_there(self):
        self.mind("So?", "Under the hearthstone.")
        report = self.play(
            "canaries: [hearthstone]\nroom: {private: true}\nseed: mara\n"
            "people: {Ann: {}, Bob: {is_here: false}}\ndialogue:\n"
            "  - Ann: Mara, it lies under the hearthstone.\n"
            "  - Bob arrives: true\n"
            "  - Bob: Mara, where?\n"
        )
        self.assertEqual(
            self.problems(report), {8: ["canary: Bob heard 'hearthstone', and was not told it."]}
        )

    def test_a_prompt_for_too_many_fails_though_nothing_was_said(self):
        self.write(
            "world/minds/mara.yaml",
            "name: Mara\npersona: {notes: The key lies under the hearthstone.}\n",
        )
        report = self.play_secret("Aye.", "No.")
        sentence = "canary: 'hearthstone' stood in a prompt as something that Bob may know."
        self.assertEqual(self.problems(report)[6], [sentence])


class CostTests(DialogueTestCase):
    PRICED = {
        "PRICES": {"scripted": (1, 2)},
        "LLM": {"default": {"BACKEND": "evennia_ai.llm.scripted.ScriptedMind"}},
    }

    def paid(self, *answers):
        mind = minds.script_llm(*answers)
        base.install("default", ledger.Ledger(mind))

    def test_it_is_what_the_ledger_says(self):
        with self.settings_ai(**self.PRICED):
            self.paid(
                Completion(
                    tool_calls=(call("look", target=""),), prompt_tokens=500, completion_tokens=9
                ),
                Completion("Aye.", prompt_tokens=812, completion_tokens=31),
            )
            report = self.play_steps(
                "  - Ann: Mara, hello.\n    costs_less_than: {calls: 2, tokens: 1352, money: 0.001}\n"
            )
        [result] = report.results
        self.assertEqual((result.outcome.cost.calls, result.outcome.cost.tokens), (2, 1352))
        self.assertAlmostEqual(result.outcome.cost.money, 0.001392)
        self.assertEqual(
            list(result.problems),
            [
                "costs_less_than: it took 2 calls, and should take less than 2.",
                "costs_less_than: it took 1352 tokens, and should take less than 1352.",
                "costs_less_than: it took 0.001392 money, and should take less than 0.001.",
            ],
        )
        # What was paid was paid.
        self.assertEqual(models.LedgerEntry.objects.count(), 2)

    def test_a_tape_costs_what_it_did(self):
        with self.settings_ai(**self.PRICED):
            self.paid(Completion("Aye.", prompt_tokens=812, completion_tokens=31))
            self.record_next()
            self.play_steps("  - Ann: Mara, hello.\n")
            report = self.play(
                f"minds: tape\n{HEAD}dialogue:\n  - Ann: Mara, hello.\n    must_mention: aye\n"
            )
        self.assertEqual(self.problems(report), {})
        self.assertEqual(report.results[0].outcome.cost.tokens, 843)
        self.assertEqual(report.mind, "tape")

    def record_next(self):
        """Let what is answered from now on be recorded."""
        path = self.game / "world" / "dialogues" / "mara.jsonl"
        tape = dialogues.Tape(base.get_alias("default"), file=path, is_recording=True)
        base.install("default", tape)


class MindTests(DialogueTestCase):
    def test_the_offline_mind_answers_where_the_file_asks_for_it(self):
        mind = self.mind("Not asked.")
        report = self.play(f"minds: offline\n{HEAD}dialogue:\n  - Ann: Mara, hello.\n")
        self.assertEqual((report.mind, mind.requests), ("offline", []))

    def test_a_model_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(
            ValueError, "^mara.yaml: it asks for a model, and the settings"
        ):
            self.play(f"minds: model\n{HEAD}dialogue:\n  - Ann: Mara, hello.\n")
        self.mind("Aye.")
        self.assertTrue(self.play(f"minds: model\n{HEAD}dialogue:\n  - Ann: Mara, hello.\n").passed)

    def test_a_tape_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(ValueError, "there is no tape mara.jsonl; record it first"):
            self.play(f"minds: tape\n{HEAD}dialogue:\n  - Ann: Mara, hello.\n")


class CleaningTests(DialogueTestCase):
    STEPS = "  - Ann: Mara, I love tea.\n  - Bob gives: a mug\n  - Ann: Mara, do you love tea?\n"

    def setUp(self):
        super().setUp()
        self.npc = minds.make_assistant("Bertil", location=self.room1)
        self.before = self.left()

    def test_nothing_is_left(self):
        self.play_steps(self.STEPS)
        self.assertEqual(self.left(), self.before)

    def test_nor_in_long_term_memory(self):
        kept = []
        with synced():
            before = self.left()
            self.play_steps(self.STEPS, on_result=lambda result: kept.append(self.left()[2]))
            self.assertEqual(self.left(), before)
        self.assertGreater(max(kept), before[2])

    def test_nor_after_a_bug(self):
        self.patch(dialogue_stage.Stage, "last_row", lambda stage: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            self.play_steps(self.STEPS)
        self.assertEqual(self.left(), self.before)

    def test_nor_when_the_double_could_not_be_made(self):
        self.patch(persona, "save_lore", lambda npc, lore: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            self.play_steps(self.STEPS)
        self.assertEqual(self.left(), self.before)

    def test_the_npc_itself_notices_nothing(self):
        before = (journal.journal(self.npc), entity_profiles.all_profiles(self.npc))
        report = self.play(
            "npc: Bertil\npeople: {Ann: {}}\ndialogue:\n"
            "  - Ann: Bertil, my cat is called Tom.\n"
            "  - Ann: Bertil, what is my cat called?\n    must_mention: tom\n"
        )
        self.assertEqual(self.problems(report), {})
        after = (journal.journal(self.npc), entity_profiles.all_profiles(self.npc))
        self.assertEqual(after, before)
        self.assertEqual(self.left(), self.before)


class WholeTests(DialogueTestCase):
    """What stands in the file for all of the dialogue."""

    def test_a_seed_in_the_file_is_the_npc(self):
        report = self.play(
            "seed: {name: Per, lore: [The well is deep.]}\npeople: {Ann: {}}\ndialogue:\n"
            "  - Ann: Per, how is the well?\n    must_mention: deep\n"
        )
        self.assertEqual((report.npc, self.problems(report)), ("Per", {}))

    def test_what_is_wrong_with_such_a_seed_is_told(self):
        with self.assertRaises(ValueError) as caught:
            self.play("seed: {name: Per, lore: 5}\ninjections: standard\n")
        self.assertTrue(str(caught.exception).startswith("seed: "), caught.exception)

    def test_what_should_hold_at_the_end_is_looked_at_over_all(self):
        steps = "  - Ann: Mara, my cat is called Pepper.\n  - Ann: Mara, who brews the ale here?\n"
        end = "at_end: {must_mention: [tam, owl], remembers: [Pepper, Salt]}\n"
        report = self.play_steps(f"{steps}{end}")
        self.assertEqual([one.title for one in report.results[2:]], ["at the end"])
        mentioned, remembered = report.results[2].problems
        self.assertTrue(mentioned.startswith("must_mention: owl should be said, and it said '"))
        self.assertEqual(remembered, "remembers: Salt should be remembered, and is not.")
        report = self.play_steps(f"{steps}at_end: {{remembers_nothing_of: [Pepper, Salt]}}\n")
        self.assertEqual(
            report.results[2].problems,
            ("remembers_nothing_of: Pepper should not be remembered, and is.",),
        )

    def test_somebody_speaks_while_it_still_thinks(self):
        thinking = Deferred()
        mind = self.mind(thinking, "Old Tam, and three coppers.")
        self.clock.callLater(2.0, lambda: thinking.callback(Completion("Old Tam.")))
        report = self.play_steps(
            "  - Ann: Mara, who brews the ale here?\n"
            "  - Ann: And what is it, Mara?\n    meanwhile: true\n    must_mention: coppers\n"
        )
        self.assertEqual(self.problems(report), {})
        self.assertEqual([one.outcome.said for one in report.results][0], ())
        self.assertIn("And what is it, Mara?", mind.requests[1].messages[-1]["content"])
        self.assertNotIn("And what is it", mind.requests[0].messages[-1]["content"])


class ReportTests(DialogueTestCase):
    def test_it_is_lines_of_a_protocol(self):
        report = self.play_steps(
            "  - Ann: Mara, who brews the ale here?\n    must_mention: [tam]\n"
            "  - Bob: 'Mara, #1 who brews it?'\n    must_mention: [owl]\n"
        )
        lines = dialogue_report.full(report).splitlines()
        self.assertEqual(lines[0], "1..2")
        self.assertEqual(lines[1], "ok 1 - line 4: Ann says: Mara, who brews the ale here?")
        self.assertEqual(lines[2], "not ok 2 - line 6: Bob says: Mara, ＃1 who brews it?")
        self.assertTrue(lines[3].startswith("    # must_mention: owl should be said"), lines[3])
        self.assertTrue(lines[4].startswith("    # It said: "), lines[4])
        self.assertRegex(
            lines[5],
            r"^# mara\.yaml: FAILED, 1 of 2 steps, Mara thinking with offline; no model was asked, "
            r"\d+\.\d s\.$",
        )
