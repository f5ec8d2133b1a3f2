"""What extensions may rely on: the small print of docs/extending.md."""

from django.core import checks as levels

from evennia_ai import checks
from evennia_ai.agent import answer, trace
from evennia_ai.experience import turn_decisions
from evennia_ai.memory import working_memory
from evennia_ai.testing import AITestCase, minds
from tests.agent.cases import MindTestCase

HERE = "tests.test_extending"
SHOUT = "Char shouts: MARA, TWO ALES!"


class SpeechTypeTests(MindTestCase):
    """A way of talking that only this game has."""

    def setUp(self):
        super().setUp()
        self.configure(SPEECH_TYPES={"shout": f"{HERE}.words_of_shout"})
        self.mind = minds.script_llm("At once!", repeat=True)

    def shout(self, *, kind="shout"):
        self.mara.msg((SHOUT, {"type": kind}), from_obj=self.char1)
        self.wait(2)

    def test_its_words_are_found_by_its_own_hook_and_answered_as_if_they_were_said(self):
        self.shout()
        self.assertEqual(
            self.remembered(), [(False, "MARA, TWO ALES! (shout)"), (True, "At once!")]
        )
        [line] = [line for line in working_memory.all_lines(self.mara) if not line.mine]
        self.assertEqual(line.kind, "say")
        self.assertEqual(self.mind.requests[0].context["event"]["source_type"], "direct")

    def test_the_other_types_keep_their_hook(self):
        self.do(self.char1, "say Mara, one ale.", wait=2)
        self.assertEqual(self.remembered()[0], (False, "Mara, one ale."))

    def test_a_shout_from_the_next_room_is_remembered_and_no_mind_is_asked(self):
        self.char1.location = self.room2
        self.shout()
        self.assertEqual(self.remembered(), [(False, "MARA, TWO ALES! (shout)")])
        self.assertEqual(self.mind.requests, [])
        [(_, rule)] = trace.passed(self.mara.id)
        self.assertEqual(rule, "said elsewhere")

    def test_what_is_said_in_the_next_room_by_a_pose_is_seen_as_before(self):
        self.char1.location = self.room2
        self.mara.msg(("Char waves at Mara.", {"type": "pose"}), from_obj=self.char1)
        self.wait(0.2)
        self.assertEqual(self.pending(), ["Char waves at Mara."])

    def test_a_type_that_nobody_listed_or_that_is_no_text_passes_by(self):
        for kind in ("yell", ["shout"], {"shout": 1}, 7):
            with self.subTest(kind=kind):
                self.shout(kind=kind)
                self.assertEqual(self.remembered(), [])

    def test_an_error_in_a_hook_loses_the_line_for_one_and_surfaces(self):
        self.configure(SPEECH_TYPES={"shout": f"{HERE}.broken"})
        with self.assertRaises(ZeroDivisionError):
            self.shout()
        minds.script_llm("At once!")
        self.do(self.char1, "say Mara, one ale.", wait=2)
        self.assertEqual(self.remembered(), [(False, "Mara, one ale."), (True, "At once!")])


class SectionTests(MindTestCase):
    def test_a_section_that_has_the_name_of_ours_takes_nothing_away(self):
        self.configure(CONTEXT_SECTIONS=[..., f"{HERE}.place"])
        mind = minds.script_llm("Well.")
        self.do(self.char1, "say Mara, hello", wait=2)
        system, now = (message["content"] for message in mind.requests[0].messages)
        self.assertIn("(The tide is out.)", now)
        self.assertIn("You are in Room.", system)
        self.assertEqual(mind.requests[0].context["place"], "Room")
        [turn] = trace.turns(self.mara.id)
        self.assertIn("place", turn.record.sections)
        self.assertEqual(turn.record.sections[f"{HERE}.place"], ["The tide is out."])

    def test_an_error_in_a_section_ends_the_turn_in_a_line_of_its_own(self):
        self.configure(CONTEXT_SECTIONS=[..., f"{HERE}.broken"])
        mind = minds.script_llm("Well.")
        self.do(self.char1, "say Mara, hello", wait=2)
        self.assertEqual((mind.requests, self.pending()), ([], []))
        [_, (is_hers, line)] = self.remembered()
        self.assertTrue(is_hers)
        self.assertIn(line, answer.EXCUSES["fallback_lines"])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)


class RewardTests(MindTestCase):
    def test_after_an_error_in_a_reward_a_decision_goes_without(self):
        self.configure(REWARDS=[f"{HERE}.broken"])
        minds.script_llm("Sit down.", "I see.")
        self.do(self.char1, "say Mara, hello", wait=2)
        self.do(self.char1, "say Mara, thank you", wait=2)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        kept = turn_decisions.recent(self.script_of_mara)
        # She answers all the same, and what she does then is kept.
        self.assertEqual([(one.settled, one.reward) for one in kept], [(True, 0.0), (False, 0.0)])
        self.assertIn((True, "I see."), self.remembered())


class CheckTests(AITestCase):
    def found(self, types):
        """Return (level, sentence) of what is wrong with SPEECH_TYPES."""
        with self.settings_ai(SPEECH_TYPES=types):
            found = [one for one in checks.problems() if "SPEECH_TYPES" in one.sentence]
        return [(one.level, one.sentence) for one in found]

    def test_a_type_of_speech_names_what_finds_its_words(self):
        self.assertEqual(self.found({"shout": f"{HERE}.words_of_shout"}), [])
        [(level, sentence)] = self.found({"shout": f"{HERE}.whisper"})
        self.assertEqual(level, levels.ERROR)
        self.assertIn("names 'tests.test_extending.whisper'", sentence)
        self.assertIn("which is not text", self.found({"shout": None})[0][1])
        self.assertIn("must be a dict", self.found(["shout"])[0][1])


def words_of_shout(npc, text, type, from_obj):
    """Stand in SPEECH_TYPES."""
    return f"{text.partition(' shouts: ')[2]} ({type})"


def place(turn):
    """Stand in CONTEXT_SECTIONS, under a name of ours."""
    return "The tide is out."


def broken(*args):
    """Stand behind any door, and fail."""
    return 1 / 0
