"""`@assistant/test`: a dialogue is played beside the game, and its builder is told how it goes."""

import shutil
import tempfile
from pathlib import Path

from django.test import override_settings
from evennia.objects.models import ObjectDB
from evennia.utils import logger
from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.commands.assistants import assistant_test
from evennia_ai.core import volatile
from evennia_ai.memory.state import active_assistants
from evennia_ai.testing import minds
from evennia_ai.testing.dialogue import dialogue_stage
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase

STEPS = """\
people: {Ann: {}}
dialogue:
  - Ann: Bertil, when is the gate barred?
    must_mention: midnight
  - Ann: Bertil, who is the captain?
    must_mention: [Ysolde, "|rred|n"]
"""


class TestSwitchTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.game = Path(tempfile.mkdtemp(prefix="evennia-ai-game-"))
        self.addCleanup(shutil.rmtree, self.game, ignore_errors=True)
        self.addCleanup(volatile.forget_all)
        (self.game / "world" / "dialogues").mkdir(parents=True)
        changed = override_settings(GAME_DIR=str(self.game))
        changed.enable()
        self.addCleanup(changed.disable)
        self.clock.advance(1_900_000_000)
        self.npc = minds.make_assistant(
            "Bertil",
            location=self.room1,
            lore=["The gate is barred at midnight.", "The captain is called Ysolde."],
        )
        self.write(f"npc: Bertil\n{STEPS}")

    def write(self, text, name="guard.yaml"):
        (self.game / "world" / "dialogues" / name).write_text(text)

    def shown(self, text="@assistant/test guard", *, by=None, seconds=20):
        """Return what is shown from the command to the end."""
        self.types(text, by=by)
        minds.pass_time(self.clock, seconds)
        return [strip_ansi(line) for _, line in self.read[by or self.char1]]

    def test_each_step_is_shown_and_then_the_sum(self):
        shown = self.shown()
        self.assertEqual(shown[0], "guard.yaml is being played with a double of Bertil.")
        self.assertEqual(shown[1], "ok 1 - line 4: Ann says: Bertil, when is the gate barred?")
        self.assertRegex(
            shown[2],
            r"^not ok 2 - line 6: .*\n    # must_mention: \|rred\|n should be said, and it said "
            r"'The captain is called Ysolde",
        )
        self.assertRegex(
            shown[3],
            r"^guard\.yaml: FAILED, 1 of 2 steps, Bertil thinking with offline; no model was asked, ",
        )

    def test_it_returns_at_once_and_the_game_goes_on_meanwhile(self):
        self.assertNotIn("ok 1", self.types("@assistant/test guard"))
        minds.pass_time(self.clock, 0.2)
        self.read[self.char1].clear()
        self.types("say Bertil, when is the gate barred?")
        minds.pass_time(self.clock, 20)
        said = [line for _, line in self.read[self.char1]]
        self.assertEqual(len([line for line in said if "Bertil says" in line]), 1)

    def test_the_npc_and_its_room_notice_nothing_and_nothing_is_left(self):
        watching = minds.listen(self.npc)
        before = ObjectDB.objects.count()
        self.shown()
        self.assertEqual(watching, [])
        self.assertEqual(ObjectDB.objects.count(), before)

    def test_it_leaves_a_line_for_staff(self):
        lines = []
        self.patch(logger, "log_sec", lines.append)
        self.shown()
        self.assertIn(
            f"evennia_ai: Char(#{self.char1.id}) tests the double of Bertil with guard.yaml.", lines
        )

    def test_it_counts_for_the_npc_and_for_whoever_tests_it(self):
        mind = minds.script_llm("Midnight.", "Ysolde.")
        key = scripts.find(self.npc).assistant_key
        self.shown()
        callers = [request.caller for request in mind.requests]
        self.assertEqual([caller.assistant_key for caller in callers], [key, key])
        self.assertEqual([caller.player_id for caller in callers], [self.account.id] * 2)
        self.assertNotIn(self.npc.id, [caller.assistant_id for caller in callers])

    def test_one_at_a_time(self):
        self.patch(logger, "log_warn", lambda message: None)
        minds.script_llm(Deferred(), "Aye.", "No.", "So?")
        self.types("@assistant/test guard")
        self.assertEqual(
            self.types("@assistant/test guard"),
            "Another dialogue is being played; try again when it is over. Nothing was played.",
        )
        minds.pass_time(self.clock, 60)
        self.assertIn("is being played with", self.shown()[0])

    def test_what_is_wrong_with_the_file_is_told(self):
        self.write("npc: Bertil\npeeple: {}\n")
        self.assertEqual(
            self.shown(),
            [
                "guard.yaml, line 1: there is nothing to play: it needs dialogue, a list of steps.\n"
                "guard.yaml, line 2: there is no key 'peeple'; did you mean people?",
                "The dialogue was not played to its end.",
            ],
        )

    def test_files_lie_in_one_folder(self):
        (self.game / "secret.yaml").write_text(f"npc: Bertil\n{STEPS}")
        for name, sentence in (
            ("nobody", "There is no file nobody in world/dialogues."),
            (
                "../../secret.yaml",
                "'../../secret.yaml' is not the name of a file in world/dialogues.",
            ),
        ):
            with self.subTest(name):
                self.assertEqual(self.shown(f"@assistant/test {name}")[0], sentence)

    def test_time_is_not_put_forward_in_a_game(self):
        self.write(f"npc: Bertil\n{STEPS}  - after: 2 hours\n")
        self.assertEqual(
            self.shown()[0],
            "guard.yaml, line 8: time cannot be put forward in a game that others play; a shell can: "
            "evennia ai_test guard.yaml",
        )

    def test_settings_of_a_file_are_not_those_of_a_game(self):
        self.write(f"settings: {{MAX_STEPS: 2}}\nnpc: Bertil\n{STEPS}")
        self.assertEqual(
            self.shown()[0],
            "guard.yaml has settings of its own, which a game that others play has not; a shell can: "
            "evennia ai_test guard.yaml",
        )

    def test_misuse_is_told(self):
        for text in ("@assistant/test", "@assistant/test guard = now"):
            with self.subTest(text):
                self.assertEqual(self.types(text), "Usage: @assistant/test <file>")

    def test_nobody_is_tested_while_all_are_halted(self):
        active_assistants.halt()
        self.addCleanup(active_assistants.halt, halted=False)
        self.assertEqual(
            self.types("@assistant/test guard"),
            "Every mind is halted; nobody would answer. Nothing was played.",
        )

    def test_players_have_no_such_switch_and_builders_test_only_their_own(self):
        self.assertIn("is not available", self.types("@assistant/test guard", by=self.char2))
        builder = self.as_staff("Builder")
        self.npc.locks.add("control:id(0);edit:id(0)")
        self.assertIn("there is no assistant called Bertil", self.shown(by=builder)[0])
        self.npc.locks.add(f"control:id({builder.id})")
        self.assertIn("is being played with a double of Bertil", self.shown(by=builder)[0])

    def test_no_tag_makes_it_delete_what_no_dialogue_made(self):
        others = (self.npc, self.char1, self.room2)
        builder = self.as_staff("Builder")
        builder.location = self.room1
        own = minds.make_assistant("Ned", location=self.room1)
        self.write(f"npc: Ned\n{STEPS}")
        for one in others:
            one.locks.add("control:false();edit:false();delete:false()")
            one.tags.add("dialogue", category="evennia_ai_test")
        own.locks.add(f"control:id({builder.id})")
        self.assertIn("is being played with a double of Ned", self.shown(by=builder)[0])
        self.assertEqual([one for one in others if not one.pk], [])

    def test_a_whole_mind_is_for_admins(self):
        self.write(f"npc: Bertil\nmind: bertil.json\n{STEPS}")
        sentence = "only admins may let a whole mind speak."
        builder = self.as_staff("Builder")
        self.assertEqual(self.shown(by=builder)[0], sentence)
        self.assertNotEqual(self.shown()[0], sentence)
        self.npc.locks.add(f"control:id({builder.id})")
        self.write(f"npc: Bertil\nseed:\n  npcs:\n    - name: Bertil\n{STEPS}")
        self.assertIn("is being played with a double of Bertil", self.shown(by=builder)[-4:][0])

    def test_a_bug_is_told_and_logged(self):
        self.patch(dialogue_stage, "sweep", lambda: 1 / 0)
        self.assertEqual(
            self.shown(),
            ["The dialogue could not be played; the server log has the traceback."],
        )
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertFalse(scheduling.is_under_way(assistant_test.PLAYING))
