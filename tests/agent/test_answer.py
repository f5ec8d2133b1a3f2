"""What comes out: clean lines, not twice the same, a sign of life while one waits."""

from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred

from evennia_ai.agent import answer
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.memory import persona
from evennia_ai.memory.state import assistant
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words

PONDERINGS = ("Mara ponders.", "Mara tilts their head, thinking.", "Mara considers this.")


class CleaningTests(MindTestCase):
    def answer(self, text):
        """Return what the room hears when the model writes `text`."""
        minds.script_llm(text)
        self.bob.clear()
        self.do(self.char1, "say Mara, hello")
        return [line for line in self.bob if "Char says" not in line[1]]

    def test_plain_words_are_said(self):
        self.assertEqual(self.answer("Hello."), [("say", 'Mara says, "Hello."')])

    def test_thinking_labels_and_quotes_are_taken_off(self):
        text = '<think>He wants ale.</think>Mara: "An ale?"'
        self.assertEqual(self.answer(text), [("say", 'Mara says, "An ale?"')])

    def test_what_a_model_goes_on_to_write_for_a_player_is_not_said(self):
        self.assertEqual(
            self.answer("Good evening.\nChar: And me?\nMara: You, too."),
            [("say", 'Mara says, "Good evening."')],
        )

    def test_nor_is_it_done_or_whispered(self):
        for more in (
            "Char: *draws a sword* And me?",
            "Char: And me?\n*draws a sword*",
            "Char: And me?\n(To Char alone:) You too.",
            "(To Char2 alone:)\nChar: And me?\n*draws a sword*",
            "Char (to Char2 alone): hush",
        ):
            self.assertEqual(
                self.answer(f"*nods* Good evening.\n{more}"),
                [("pose", "Mara nods"), ("say", 'Mara says, "Good evening."')],
            )

    def test_words_that_a_model_puts_into_json_are_said(self):
        self.assertEqual(self.answer('{"say": "An ale?"}'), [("say", 'Mara says, "An ale?"')])

    def test_three_lines_at_most_are_said_in_one_breath(self):
        self.assertEqual(self.answer("1.\n2.\n\n3.\n4."), [("say", 'Mara says, "1. 2. 3."')])

    def test_a_line_in_asterisks_beside_words_is_done_before_them(self):
        self.assertEqual(
            self.answer("*wipes her hands*\nAn ale it is."),
            [("pose", "Mara wipes her hands"), ("say", 'Mara says, "An ale it is."')],
        )

    def test_what_is_done_between_the_words_is_done_too(self):
        self.assertEqual(
            self.answer("*She nods* An ale it is. *wipes a mug* Anything *else*, Char?"),
            [
                ("pose", "Mara nods, wipes a mug"),
                ("say", 'Mara says, "An ale it is. Anything else, Char?"'),
            ],
        )

    def test_what_is_for_one_alone_is_whispered_to_them(self):
        for written in (
            "An ale it is. (To Char2 alone:) Mind the step.",
            'An ale it is.\n(To "Char2" alone): "Mind the step."',
            "(Till Char2:) Mind the step.",
        ):
            with self.subTest(written):
                self.ann.clear()
                heard = self.answer(written)
                self.assertEqual(heard[-1][0], "whisper")
                self.assertEqual(strip_ansi(heard[-1][1]), 'Mara whispers: "Mind the step."')
                self.assertNotIn("step", str(words(self.ann, "whisper") + words(self.ann)))
        self.assertEqual(heard[:-1], [])

    def test_what_is_for_one_who_is_not_there_is_for_whoever_speaks(self):
        self.ann.clear()
        self.assertEqual(self.answer("(To Hubert alone:) Mind the step."), [])
        [whispered] = words(self.ann, "whisper")
        self.assertEqual(strip_ansi(whispered), 'Mara whispers: "Mind the step."')

    def test_no_way_to_write_the_mark_of_a_whisper_has_its_words_said_or_posed_aloud(self):
        for written in (
            "Well met.\n(To Char2 alone:)\nMind the step.",
            "Well met. (To Char2 alone: Mind the step.)",
            "Well met. [To Char2 alone: Mind the step.]",
            "Well met. (To Char2 alone) Mind the step.",
            "Well met.\n*(To Char2 alone: Mind the step.)*",
            "Well met. *to Char2 alone* Mind the step.",
            "Well met.\n**(To Char2 alone:)** Mind the step.",
            "Well met.\nTo Char2 alone: Mind the step.",
            "Well met.\nMara (To Char2 alone:) Mind the step.",
            "Well met. (To Char2 (the smith) alone:) Mind the step.",
            "Well met. (To Ch\u200bar2 alone:) Mind the step.",
            "Well met. (To Char2 alone, quietly:) Mind the step.",
            "Well met. (To Char2 alone:)\n*leans over to whisper of the step* Mind the step.",
        ):
            with self.subTest(written):
                self.ann.clear()
                heard = self.answer(written)
                others = [strip_ansi(line) for kind, line in heard if kind != "whisper"]
                self.assertEqual(others, ['Mara says, "Well met."'])
                self.assertNotIn("step", str(words(self.ann)))
                whispered = [*words(self.bob, "whisper"), *words(self.ann, "whisper")]
                self.assertEqual(
                    [strip_ansi(line) for line in whispered], ['Mara whispers: "Mind the step."']
                )

    def test_a_whisper_goes_to_whoever_is_named_and_to_nobody_whose_name_is_part_of_it(self):
        for name in ("Alone", "Al", "To", "Hub"):
            with self.subTest(name):
                self.char2.key = name
                self.ann.clear()
                self.assertEqual(self.answer("(To Hubert alone:) Mind the step."), [])
                [whispered] = words(self.ann, "whisper")
                self.assertEqual(strip_ansi(whispered), 'Mara whispers: "Mind the step."')

    def test_a_name_that_looks_like_the_mark_is_a_name(self):
        self.char2.key = "Alone"
        for written in ('(To "Alone" alone:) Mind the step.', "(To Alone alone:) Mind the step."):
            with self.subTest(written):
                [(kind, line)] = self.answer(written)
                self.assertEqual(
                    (kind, strip_ansi(line)), ("whisper", 'Mara whispers: "Mind the step."')
                )

    def test_brackets_that_name_nobody_are_said(self):
        text = "(the usual price:) two pence."
        self.assertEqual(self.answer(text), [("say", f'Mara says, "{text}"')])

    def test_a_line_in_asterisks_is_done(self):
        self.assertEqual(self.answer("*smiles warmly*"), [("pose", "Mara smiles warmly")])

    def test_a_very_long_line_is_cut_at_a_sentence(self):
        [(_, line)] = self.answer("A long story. " * 500)
        self.assertEqual(line[-14:], 'A long story."')
        self.assertLess(len(line), 520)

    def test_what_was_said_is_remembered_as_hers(self):
        self.answer("Hello.")
        self.assertEqual(self.remembered(), [(False, "Mara, hello"), (True, "Hello.")])


class RepetitionTests(MindTestCase):
    def setUp(self):
        super().setUp()
        minds.script_llm("The ale is two coins a mug.")
        self.do(self.char1, "say Mara, what is the ale?")

    def test_nearly_the_same_answer_is_thought_over_once(self):
        mind = minds.script_llm("The ale is two coins a mug!", "Still two coins, friend.")
        self.do(self.char1, "say Mara, what is the ale?")
        self.assertEqual(len(mind.requests), 2)
        last = mind.requests[1].messages[-1]
        self.assertEqual(last["role"], "user")
        self.assertIn("The ale is two coins a mug!", last["content"])
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Still two coins, friend."')

    def test_for_a_model_that_knows_only_one_sentence_rules_answer(self):
        persona.save_lore(self.mara, ["The ale is brewed by old Tam."])
        mind = minds.script_llm("The ale is two coins a mug.", "The ale is two coins a mug.")
        self.do(self.char1, "say Mara, who brews the ale?")
        self.assertEqual(len(mind.requests), 2)
        self.assertEqual(words(self.ann)[-1], 'Mara says, "The ale is brewed by old Tam."')

    def test_to_another_player_the_same_may_be_said(self):
        mind = minds.script_llm("The ale is two coins a mug.")
        self.do(self.char2, "say Mara, what is the ale?")
        self.assertEqual(len(mind.requests), 1)
        self.assertEqual(words(self.bob)[-1], 'Mara says, "The ale is two coins a mug."')


class WaitingTests(MindTestCase):
    def thinking(self):
        """Return the thinking lines that the two players saw."""
        return words(self.ann, "thinking"), words(self.bob, "thinking")

    def test_who_waits_longer_than_two_seconds_sees_it_think(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello", wait=2.0)
        self.assertEqual(self.thinking(), ([], []))
        self.wait(1)
        [line], others = self.thinking()
        self.assertIn(line, PONDERINGS)
        self.assertEqual(others, [])

    def test_a_quick_answer_needs_no_such_line(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, hello")
        thinking.callback("Hello.")
        self.wait(5)
        self.assertEqual(self.thinking(), ([], []))

    def test_it_is_shown_once_in_half_a_minute(self):
        self.configure(TURN_DEADLINE=5)
        minds.script_llm(*(Deferred() for _ in range(3)))
        self.do(self.char1, "say Mara, hello", wait=8)
        self.do(self.char1, "say Mara, hello?", wait=8)
        self.assertEqual(len(self.thinking()[0]), 1)
        self.wait(20)
        self.do(self.char1, "say Mara, hello!", wait=8)
        self.assertEqual(len(self.thinking()[0]), 2)

    def test_each_npc_may_have_lines_of_its_own(self):
        persona.save_persona(self.mara, {"thinking_lines": ["{name} polishes a mug."]})
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello", wait=4)
        self.assertEqual(self.thinking()[0], ["Mara polishes a mug."])

    def test_no_lines_no_sign(self):
        self.patch(answer, "EXCUSES", {"thinking_lines": []})
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello", wait=5)
        self.assertEqual(self.thinking(), ([], []))

    def test_who_left_meanwhile_sees_nothing(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello")
        self.char1.move_to(self.room2)
        self.wait(5)
        self.assertEqual(self.thinking(), ([], []))

    def test_the_builders_beat_shows_at_once_and_to_the_speaker_alone(self):
        persona.save_persona(self.mara, {"beats": ["looks |yup|n {at} you."]})
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello", wait=0.2)
        self.assertEqual(words(self.ann, "pose"), ["Mara looks ||yup||n {{at} you."])
        self.assertEqual(words(self.bob, "pose"), [])

    def test_whoever_is_read_to_is_shown_no_beat_and_that_an_answer_is_coming(self):
        persona.save_persona(self.mara, {"beats": ["looks up."]})
        minds.script_llm(Deferred())
        self.session.protocol_flags["SCREENREADER"] = True
        self.addCleanup(self.session.protocol_flags.pop, "SCREENREADER")
        self.do(self.char1, "say Mara, hello", wait=5)
        self.assertEqual(words(self.ann, "pose"), [])
        self.assertEqual(len(self.thinking()[0]), 1)

    def test_an_excuse_differs_from_the_last_one(self):
        minds.script_llm(*(LLMUnavailable("down") for _ in range(3)))
        for _ in range(3):
            self.do(self.char1, "say Mara, hello")
        excuses = [line for line in words(self.ann) if line.startswith("Mara says")]
        self.assertEqual(len(set(excuses)), 3)
        counted = assistant.counters(self.script_of_mara)
        self.assertEqual(counted.get("failures", 0), 0)
