"""NPCs speak first where there is a reason, somebody who watches, and room for it; nobody pays who did not ask."""

from evennia.utils.create import create_object

from evennia_ai import rate_limits, tick
from evennia_ai.agent import turns
from evennia_ai.agent.hearing import addressing, presence
from evennia_ai.agent.revising import forgetting
from evennia_ai.core import volatile
from evennia_ai.domain import reasons
from evennia_ai.life import occasions
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import kinds, persona, repository, working_memory
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses.characters import AssistantCharacter
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

    def makes_a_character(self):
        later = create_object(AssistantCharacter, key="Later", location=self.room1)
        later.db.creator_id = self.account2.id
        self.account2.characters.add(later)
        return later

    def said(self, heard=None):
        return words(self.ann if heard is None else heard)


class MetTests(OccasionTestCase):
    def test_who_was_promised_something_is_spoken_to_as_they_come_in(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual(self.said(), ['Mara says, "I have a thing for you."'])
        told = self.mind.requests[0].messages[-1]["content"]
        self.assertIn("You meant to do this, and may say so: mend your pot)", told)

    def test_who_was_promised_nothing_is_not(self):
        self.promises(self.char1)
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])

    def test_nobody_pays_for_it_but_the_npc(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual([request.caller.player_id for request in self.mind.requests], [0])

    def test_who_said_nothing_is_shown_no_beat_also_where_assistants_do_not_talk_together(self):
        self.patch(addressing, "HOPS", 0)
        minds.script_llm("Your pot!")
        persona.save_persona(self.mara, {"beats": ["looks up."]})
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertEqual(self.said(self.bob), ['Mara says, "Your pot!"'])
        self.assertEqual(words(self.bob, "pose"), [])

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

    def test_who_was_spoken_to_answers_without_her_name_and_is_heard(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.wait(5)
        self.mind = minds.script_llm("Here it is.")
        self.do(self.char2, "say What is it?", wait=3)
        self.assertEqual(self.said()[2:], ['Mara says, "Here it is."'])

    def test_what_she_says_of_herself_is_no_silence(self):
        self.promises(self.char2)
        self.comes_in(self.char2)
        self.assertLess(presence.silence(self.room1.id), 5)

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

    def test_who_wants_quiet_has_it_also_as_a_character_that_they_make_later(self):
        self.do(self.char2, "remember/quiet Mara")
        later = self.makes_a_character()
        self.assertTrue(assistant.is_quiet_for(self.mara, later))
        self.do(self.char2, "remember/talk Mara")
        self.assertFalse(assistant.is_quiet_for(self.mara, later))
        self.assertIsNone(repository.load(self.mara, kinds.QUIET_FOR) or None)

    def test_who_is_forgotten_wanted_nothing(self):
        self.do(self.char2, "remember/quiet Mara")
        self.do(self.char1, "remember/quiet Mara")
        # Asked of all: also of one that remembers nothing else.
        forgetting.ask(self.char2)
        self.wait(5)
        self.assertFalse(assistant.is_quiet_for(self.mara, self.char2))
        self.assertTrue(assistant.is_quiet_for(self.mara, self.char1))

    def test_the_next_guest_of_an_account_is_not_who_wanted_quiet(self):
        self.account2.permissions.clear()
        self.account2.permissions.add("Guest")
        self.do(self.char2, "remember/quiet Mara")
        later = self.makes_a_character()
        self.assertTrue(assistant.is_quiet_for(self.mara, self.char2))
        self.assertFalse(assistant.is_quiet_for(self.mara, later))

    def test_what_was_promised_is_said_once_the_others_have_done_talking(self):
        self.promises(self.char2)
        self.char2.location = None
        self.ticks()
        self.wait(60)
        self.char2.location = self.room1
        self.do(self.char1, "say Tom, you see, I never liked him.", wait=0.5)
        self.ticks()
        self.assertEqual(self.mind.requests, [])
        self.wait(20)
        self.ticks()
        self.assertEqual(len(self.mind.requests), 1)

    def test_after_two_minutes_nobody_has_just_come_in(self):
        self.promises(self.char2)
        self.char2.location = None
        self.ticks()
        self.wait(60)
        self.char2.location = self.room1
        self.do(self.char1, "say Tom, you see, I never liked him.", wait=0.5)
        self.ticks()
        self.wait(120)
        self.ticks()
        self.assertEqual(self.mind.requests, [])

    def test_one_who_is_hidden_is_not_spoken_to(self):
        self.promises(self.char2)
        self.char2.locks.add("view:false()")
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])

    def test_of_two_who_come_in_the_second_is_spoken_to_where_the_first_may_not_be(self):
        for one in (self.char1, self.char2):
            self.promises(one)
        self.do(self.char1, "remember/quiet Mara")
        self.char1.location = None
        self.comes_in(self.char2)
        self.assertEqual(len(self.mind.requests), 1)

    def test_to_somebody_whose_line_dropped_nothing_is_said(self):
        self.promises(self.char2)
        self.patch(turns, "DELAY", 2.0)
        self.char2.location = None
        self.ticks()
        self.wait(60)
        self.char2.location = self.room1
        self.ticks(0.5)
        self.account2.unpuppet_object(self.session2)
        self.char2.location = self.room1
        self.wait(5)
        self.assertEqual(self.said(), [])

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

    def test_of_several_one_speaks_and_the_others_wait(self):
        minds.make_assistant("Tom", location=self.room1)
        [tom] = [one for one in self.room1.contents if one.key == "Tom"]
        who = self.second
        for npc in (self.mara, tom):
            working_memory.add_pending_action(npc, who, "mend your pot", 5, audience="public")
        npcs = [npc.scripts.all()[0] for npc in (self.mara, tom)]
        self.char2.location = None
        for script in npcs:
            tick.run_tick(script)
        self.wait(60)
        self.char2.location = self.room1
        self.session2.cmd_last_visible = self.clock.seconds()
        for script in npcs:
            tick.run_tick(script)
        self.wait(3)
        self.assertEqual(len(self.mind.requests), 1)


class GreetingTests(OccasionTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose(self.mara, talkative="chatty")
        self.allows()

    def allows(self, **settings):
        self.configure(**settings)
        self.mind = minds.script_llm(*(f"Welcome {n}." for n in range(50)))

    def test_who_walks_in_and_out_is_greeted_once_in_a_while(self):
        for _ in range(5):
            self.comes_in(self.char2)
        self.assertEqual(len(self.mind.requests), 1)
        self.do(self.char2, "say Good evening!", wait=3)
        self.comes_in(self.char2, after=900)
        self.assertEqual(len(self.mind.requests), 3)

    def test_of_many_who_come_within_an_hour_so_many_are_greeted(self):
        self.patch(presence, "GREETINGS", 3)
        self.allows()
        for number in range(5):
            guest = create_object(AssistantCharacter, key=f"Guest {number}")
            guest.sessions.add(self.session2)
            guest.location = self.room1
            self.ticks()
            self.wait(60)
        self.assertEqual(len(self.mind.requests), 3)

    def test_greetings_take_no_other_line_of_hers_away(self):
        self.allows(OCCASIONS={"room": 1})
        self.comes_in(self.char2)
        self.assertEqual(len(self.mind.requests), 1)
        self.wait(20)
        self.assertTrue(
            occasions.begin(self.script_of_mara, self.mara, self.char2, reasons.QUIET, "")
        )

    def test_zero_greetings_is_none(self):
        self.patch(presence, "GREETINGS", 0)
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])

    def test_who_wants_quiet_is_not_greeted(self):
        self.do(self.char2, "remember/quiet Mara")
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])

    def test_who_is_hidden_from_her_is_not_greeted(self):
        self.char2.locks.add("view:false()")
        self.comes_in(self.char2)
        self.assertEqual(self.mind.requests, [])


class LimitTests(OccasionTestCase):
    def begins(self, npc=None, player=None):
        self.wait(20)
        return occasions.begin(
            self.script_of_mara, npc or self.mara, player or self.char2, reasons.QUIET, ""
        )

    def test_nobody_is_spoken_to_where_it_is_not(self):
        self.assertTrue(self.begins())
        self.char1.location = None
        self.assertFalse(self.begins(player=self.char1))

    def test_a_limit_above_sixty_is_a_limit(self):
        self.configure(OCCASIONS={"room": 70, "player": 1000, "pair": 0, "pause": 0})
        self.assertEqual(sum(self.begins() for _ in range(90)), 70)

    def test_what_is_over_is_forgotten(self):
        self.assertTrue(self.begins())
        self.wait(3700)
        self.assertTrue(self.begins(player=self.char1))
        self.assertEqual(len(rate_limits._state.done), 3)

    def test_zero_lines_in_a_room_is_none(self):
        self.configure(OCCASIONS={"room": 0})
        self.assertFalse(self.begins())

    def test_where_a_setting_is_no_number_ours_holds(self):
        for wrong in (None, {"room": None}, {"pause": "10"}):
            with self.subTest(wrong):
                volatile.forget(rate_limits._state)
                self.configure(OCCASIONS=wrong)
                self.assertTrue(self.begins())


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
        self.assertRegex(told[0], "well")
        self.assertRegex(told[1], "wolf")
        self.assertEqual(len(told), len(set(told)))
        self.assertEqual(len(told), 2)

    def test_the_first_who_is_there_does_not_stand_before_the_others(self):
        self.configure(OCCASIONS={"pair": 100_000})
        self.mind = minds.script_llm("I have a thing for you.", repeat=True)
        for _ in range(60):
            self.ticks(15)
        told = [request.messages[-1]["content"] for request in self.mind.requests]
        self.assertEqual(len(told), 2)
        self.assertIn("with Char2.", "".join(told))

    def test_who_did_something_lately_comes_before_who_did_not(self):
        self.session.cmd_last_visible = self.clock.seconds() - 5000
        for _ in range(25):
            self.session2.cmd_last_visible = self.clock.seconds()
            tick.run_tick(self.script_of_mara)
            self.wait(15)
        self.assertEqual(len(self.mind.requests), 1)
        self.assertIn("with Char2.", self.mind.requests[0].messages[-1]["content"])

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
