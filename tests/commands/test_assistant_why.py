"""`@assistant/why`: what a turn heard, knew, used and cost, for those who may change the NPC."""

from evennia.utils import logger
from twisted.internet.defer import Deferred

from evennia_ai.commands import base
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import ledger
from evennia_ai.llm.base import Completion
from evennia_ai.testing import minds
from tests.agent.cases import call
from tests.commands.cases import CommandTestCase


class WhyTestCase(CommandTestCase):
    # Evennia's clock begins with the epoch here; a day long past is a day all the same.
    clock_start = 1_900_000_000.0

    def create_cast(self):
        self.npc = minds.make_assistant(
            "Mara", location=self.room1, lore=["The ferry crosses at noon."]
        )

    def does(self, text, *, by=None):
        """Type a line and let its answer come."""
        self.types(text, by=by)
        minds.pass_time(self.clock, 2)

    def told(self, text="@assistant/why Mara", *, by=None):
        """Return what `why` says, by label: {"heard": ["…"], …}; the title is under ""."""
        shown, label = {}, ""
        title, *lines = self.types(text, by=by).splitlines()
        for line in lines:
            label = line[2:13].strip() or label
            shown.setdefault(label, []).append(line[13:].strip())
        return {"": title, **shown}


class WhyTests(WhyTestCase):
    def test_it_tells_the_whole_of_a_turn(self):
        minds.script_llm(call("look", target=""), "At noon, {dear}.")
        self.does("say Mara, when does the ferry cross?")
        told = self.told()
        expected = f"Mara(#{self.npc.id}), the last turn (1 is kept), 1 s ago, took "
        self.assertTrue(told[""].startswith(expected), told[""])
        self.assertEqual(
            told["heard"],
            ["Char, say: Mara, when does the ferry cross? (named: direct_addressing, priority 8)"],
        )
        self.assertEqual(told["listening"], ["Char"])
        self.assertEqual(told["said"], ["say to Char: At noon, {dear}."])
        self.assertEqual(told["may know"], ["everybody may know what went into it"])
        self.assertEqual(
            told["memories"][0], "1 of 1 looked at, for: Mara, when does the ferry cross?"
        )
        self.assertRegex(
            told["memories"][1],
            r"^[01]\.\d\d lore: The ferry crosses at noon\. \(for everybody\)$",
        )
        self.assertRegex(told["prompt"][0], r"^about \d+ tokens of 3000$")
        self.assertRegex(told["prompt"][1], r"^instructions \d+, .*talk \d+, \d+ tools \d+$")
        self.assertRegex(told["tools"][0], r"^look\(target=''\) → .*Room")
        self.assertEqual(
            told["model"],
            ["scripted, 2 steps; of models, none was asked, and this costs nothing"],
        )

    def test_what_a_model_was_paid_stands_there_attempt_by_attempt(self):
        mind = minds.script_llm(Completion("Aye.", prompt_tokens=812, completion_tokens=31))
        mind.is_model = True
        with self.settings_ai(
            PRICES={"scripted": (1, 2)},
            LLM={"default": {"BACKEND": "evennia_ai.llm.scripted.ScriptedMind"}},
        ):
            minds.base.install("default", ledger.Ledger(mind))
            self.does("say Hello Mara")
            told = self.told()
        self.assertEqual(
            told["model"], ["scripted, 1 step", "scripted (default): 0 ms, 812 + 31 tokens, 0.0009"]
        )

    def test_who_answered_while_a_model_was_left_alone_is_said(self):
        mind = minds.script_llm(Completion("Aye.", is_model=False))
        mind.is_model = True
        self.does("say Mara, is the ferry late?")
        self.assertEqual(
            self.told()["model"],
            [
                "offline in the place of scripted, 1 step; of models, none was asked, and this costs nothing"
            ],
        )

    def test_a_whisper_says_why_it_is_one(self):
        minds.script_llm("I will keep it to myself.", "Under the hearthstone.")
        self.does("whisper Mara = I hid the silver key under the hearthstone.")
        minds.make_assistant("Bertil", location=self.room1)
        self.does("say Mara, where is the silver key that I hid under the hearthstone?")
        told = self.told()
        self.assertEqual(told["said"][0], "whisper to Char: Under the hearthstone.")
        self.assertEqual(
            told["said"][1],
            "whispered, because what came to mind first is not for everybody who was there",
        )
        self.assertEqual(told["may know"], ["Char, Mara may know what went into it"])
        self.assertIn("(for Char, Mara)", "\n".join(told["memories"]))

    def test_a_greeting_was_not_looked_up(self):
        self.does("say Hello Mara")
        self.assertEqual(self.told()["memories"], ["none were looked for: no word told what for"])

    def test_a_turn_under_way_is_shown_as_that(self):
        minds.script_llm(Deferred())
        self.does("say Hello Mara")
        told = self.told()
        self.assertTrue(told[""].endswith("1 s ago, it still thinks"), told[""])
        self.assertEqual(told["said"], ["nothing yet"])

    def test_silence_says_why(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.does("say Hello Mara")
        self.char1.location = self.room2
        thinking.callback(Completion("Too late."))
        minds.pass_time(self.clock, 1)
        told = self.told(f"@assistant/why #{self.npc.id}")
        self.assertEqual(told["said"], ["nothing"])
        self.assertEqual(told["notes"], ["said nothing: Char had left"])

    def test_a_failure_says_where_to_look(self):
        minds.script_llm(LLMUnavailable("the line is dead"))
        self.patch(logger, "log_warn", lambda text: None)
        self.does("say Hello Mara")
        self.assertEqual(self.told()["notes"], ["no answer: LLMUnavailable: the line is dead"])

    def test_what_was_heard_and_ignored_is_told_with_the_rule(self):
        self.does("say Hello Mara")
        self.clock.advance(1200)
        self.does("say It rains.")
        [line] = self.told()["let pass"]
        self.assertRegex(line, r"^\d s ago, Char, say: It rains\. \(room talk\)$")

    def test_players_words_are_shown_as_they_are(self):
        minds.script_llm("Aye.", repeat=True)
        self.does("say Mara, |rred|n $You() {Char}")
        [heard] = self.told()["heard"]
        self.assertIn("$You() {Char}", heard)


class WhichTurnTests(WhyTestCase):
    def test_earlier_turns_are_counted_from_the_last(self):
        minds.script_llm("One.", "Two.", "Three.")
        for word in ("one", "two", "three"):
            self.does(f"say Mara, {word}?")
        self.assertEqual(self.told("@assistant/why Mara = 1")["said"], ["say to Char: Three."])
        self.assertEqual(self.told("@assistant/why Mara = 3")["said"], ["say to Char: One."])
        self.assertIn("turn 3 from the last (3 are kept)", self.told("@ai/why Mara = 3")[""])

    def test_without_a_name_it_is_whoever_thought_last(self):
        minds.make_assistant("Bertil", location=self.room1)
        self.does("say Hello Mara")
        self.does("say Hello Bertil")
        self.assertTrue(self.told("@assistant/why")[""].startswith("Bertil(#"))
        self.assertTrue(self.told("@assistant/why = 1")[""].startswith("Bertil(#"))

    def test_there_may_be_fewer(self):
        self.does("say Hello Mara")
        self.assertEqual(
            self.types("@assistant/why Mara = 2"), f"Only 1 turn is kept of Mara(#{self.npc.id})."
        )

    def test_what_is_no_number_gets_the_usage(self):
        self.does("say Hello Mara")
        usage = "Usage: @assistant/why [<npc>] [= <which, from the last> [prompt]]"
        for text in ("= 0", "= -1", "= x", "= ", "Mara = 1.5"):
            with self.subTest(text):
                self.assertEqual(self.types(f"@assistant/why {text}"), usage)

    def test_after_a_restart_nothing_is_kept_and_that_is_said(self):
        self.does("say Hello Mara")
        minds.forget_all()
        self.assertEqual(
            self.types("@assistant/why Mara"),
            f"Nothing is kept of what Mara(#{self.npc.id}) thought: "
            "it has had no turn since the server started or was reloaded.",
        )
        self.assertEqual(
            self.types("@assistant/why"),
            "No assistant of yours has had a turn since the server started or was reloaded.",
        )

    def test_one_that_never_answered_still_tells_what_it_ignored(self):
        self.does("say It rains.")
        said = self.types("@assistant/why Mara").splitlines()
        self.assertEqual(len(said), 2)
        self.assertIn("(room talk)", said[1])


class WhoMayAskTests(WhyTestCase):
    def test_a_builder_asks_for_what_they_control_only(self):
        builder = self.as_staff("Builder")
        # Evennia shows pages only to those who have a session.
        self.patch(base, "EvMore", lambda caller, text, **_: caller.msg(text))
        self.does("say Hello Mara")
        said = self.types("@assistant/why Mara", by=builder)
        self.assertEqual(
            said, f"You may not change the mind of Mara(#{self.npc.id}): you do not control it."
        )
        said = self.types("@assistant/why", by=builder)
        self.assertTrue(said.startswith("No assistant of yours has had a turn"), said)
        self.npc.locks.add(f"control:id({builder.id})")
        self.assertTrue(self.told(by=builder)[""].startswith("Mara(#"))
        self.assertTrue(self.told("@assistant/why", by=builder)[""].startswith("Mara(#"))

    def test_a_player_has_no_such_command(self):
        self.does("say Hello Mara")
        self.assertIn("is not available", self.types("@assistant/why Mara", by=self.char2))

    def test_one_without_a_mind_has_no_why(self):
        bob = self.mindless()
        self.assertEqual(
            self.types("@assistant/why Bob"),
            f"Bob(#{bob.id}) has no mind; @assistant/attach gives it one.",
        )

    def test_to_ask_leaves_no_line_for_staff(self):
        self.does("say Hello Mara")
        self.assertEqual(self.logged("@assistant/why Mara"), [])


class PageTests(WhyTestCase):
    def test_a_turn_with_much_to_tell_fits_on_a_page(self):
        minds.script_llm(
            *(call("look", target=name) for name in ("Obj", "Char2", "Obj2")),
            "I have seen it all.",
        )
        for number in range(8):
            self.does(f"say The {number}th crown of the king is in tower {number}.")
        self.does("say Mara, where are the crowns of the king and his tower?")
        self.assertLess(len(self.types("@assistant/why Mara").splitlines()), 40)
