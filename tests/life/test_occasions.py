"""NPCs speak first where there is a reason, somebody who watches, and room for it; nobody pays who did not ask."""

from evennia_ai import tick
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import working_memory
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words


class OccasionTestCase(MindTestCase):
    lore = ("The well is forty feet deep.", "A wolf came down to the ford last winter.")

    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm("I have a thing for you.", repeat=True)
        self.ticks()

    def ticks(self, seconds=5):
        for session in (self.session, self.session2):
            session.cmd_last_visible = self.clock.seconds()
        tick.run_tick(self.script_of_mara)
        self.wait(seconds)

    def promises(self, character, action="mend your pot", audience="public"):
        who = self.first if character is self.char1 else self.second
        working_memory.add_pending_action(self.mara, who, action, 5, audience=audience)

    def comes_in(self, character, *, after=60):
        character.location = None
        self.ticks()
        self.wait(after)
        character.location = self.room1
        self.ticks()

    def said(self, heard=None):
        return words(self.ann if heard is None else heard)


class MetTests(OccasionTestCase):
    def test_who_was_promised_something_is_spoken_to_as_they_come_in(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual(self.said(), ['Mara says, "I have a thing for you."'])
        told = self.mind.requests[0].messages[-1]["content"]
        self.assertIn('You meant to do this, and may say so: "mend your pot"', told)

    def test_who_was_promised_nothing_is_not(self):
        self.promises(self.char1)
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])

    def test_nobody_pays_for_it_but_the_npc(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual([request.caller.player_id for request in self.mind.requests], [0])

    def test_by_rules_she_says_what_she_promised(self):
        base.install("default", OfflineMind())
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual(len(self.said()), 1)
        self.assertRegex(self.said()[0], "I promised you, Char2: .mend your pot")

    def test_what_was_promised_in_confidence_is_whispered(self):
        self.promises(self.char2, audience=[self.second])
        self.comes_in(self.char2)
        self.assertEqual(words(self.ann, "whisper"), [])
        self.assertEqual(self.said(), [])
        self.assertEqual(len(words(self.bob, "whisper")), 1)

    def test_while_others_talk_she_does_not_interrupt(self):
        self.promises(self.char2)
        self.char2.location = None
        self.ticks()
        self.wait(60)
        self.char2.location = self.room1
        self.do(self.char1, "say Tom, you see, I never liked him.", wait=0.5)
        self.ticks()
        self.assertEqual(self.mind.requests, [])

    def test_to_one_player_so_often_and_no_oftener(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.comes_in(self.char2)
        self.assertEqual(len(self.mind.requests), 1)

    def test_the_same_line_is_never_said_twice_also_after_a_restart(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        minds.forget_all()
        self.mind = minds.script_llm("I have a thing for you.", repeat=True)
        self.ticks()
        self.comes_in(self.char2, after=1000)
        self.assertTrue(self.mind.requests)
        self.assertEqual(len(self.said()), 1)

    def test_who_wants_quiet_has_it(self):
        self.promises(self.char2)
        self.do(self.char2, "remember/quiet Mara")
        self.assertIn("does not speak to you first any more", self.bob[-1][1])
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])
        self.do(self.char2, "remember/talk Mara")
        self.comes_in(self.char2)
        self.assertEqual(len(self.mind.requests), 1)

    def test_whose_builder_says_never_says_nothing(self):
        self.promises(self.char2)
        npc_settings.choose(self.mara, talkative="never")
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])

    def test_a_model_that_fails_says_nothing_of_it(self):
        self.mind = minds.script_llm("", repeat=True)
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual(self.said(), [])
        self.assertEqual(assistant.pending_events(self.script_of_mara), [])


class WelcomeTests(OccasionTestCase):
    def test_one_of_several_chatty_ones_welcomes_who_comes_in_and_nobody_pays(self):
        for name in ("Tom", "Kat"):
            minds.make_assistant(name, location=self.room1)
        npcs = [one for one in self.room1.contents if one.key in ("Mara", "Tom", "Kat")]
        for npc in npcs:
            npc_settings.choose(npc, talkative="chatty")
        self.char2.location = None
        for npc in npcs:
            tick.run_tick(npc.scripts.all()[0])
        self.wait(60)
        self.char2.location = self.room1
        for npc in npcs:
            tick.run_tick(npc.scripts.all()[0])
        self.wait(3)
        self.assertEqual([request.caller.player_id for request in self.mind.requests], [0])


class QuietTests(OccasionTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose(self.mara, talkative="chatty")

    def test_a_chatty_one_breaks_the_silence_once_in_a_while(self):
        base.install("default", OfflineMind())
        for _ in range(400):
            self.ticks(15)
        told = self.said()
        # Then all that she knows is told.
        self.assertRegex(told[0], "wolf")
        self.assertRegex(told[1], "well")
        self.assertEqual(len(told), len(set(told)))
        self.assertEqual(len(told), 2)

    def test_where_nobody_watches_no_model_is_asked(self):
        for _ in range(80):
            tick.run_tick(self.script_of_mara)
            self.wait(15)
        early = len(self.mind.requests)
        self.char1.location = self.char2.location = None
        for _ in range(80):
            self.ticks(15)
        self.assertLessEqual(early, 1)
        self.assertEqual(len(self.mind.requests), early)

    def test_a_room_hears_so_many_lines_an_hour(self):
        self.configure(OCCASIONS={"room": 1, "pair": 10})
        self.mind = minds.script_llm(*(f"Line {n}." for n in range(50)))
        for _ in range(120):
            self.ticks(15)
        self.assertEqual(len(self.mind.requests), 1)

    def test_why_says_that_it_was_by_itself(self):
        for _ in range(25):
            self.ticks(15)
        self.char1.permissions.add("Developer")
        self.ann.clear()
        self.do(self.char1, "@assistant/why Mara")
        self.assertIn("by itself: quiet", "".join(text for _, text in self.ann))
