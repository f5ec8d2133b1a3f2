"""What reaches an NPC becomes an event, or passes by."""

from evennia.objects.objects import DefaultCharacter, DefaultObject
from evennia.utils.create import create_object

from evennia_ai import markup
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import addressing, perception
from evennia_ai.memory import identity, working_memory
from evennia_ai.permission import Permit, Way
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, words


class PerceptionTests(MindTestCase):
    def event_of(self, command):
        """Return what waits after Char typed a command, before any turn begins."""
        self.do(self.char1, command, wait=0.2)
        return self.last_event()

    def test_a_say_that_names_it_is_an_event_with_the_bare_words(self):
        event = self.event_of("say Mara, is the |rred|n door open?")
        expected = {
            "kind": "say",
            "text": "Mara, is the red door open?",
            "said_by": self.first,
            "actor_id": self.char1.id,
            "actor_name": "Char",
            "addressed": True,
            "private": False,
            "audience": "public",
            "priority": 8,
            "hops": 0,
            "source_type": "direct",
            "source_trust": 0.9,
            "location_id": self.room1.id,
        }
        self.assertEqual({key: getattr(event, key) for key in expected}, expected)
        self.assertEqual(event.timestamp[:10], "2030-03-17")

    def test_a_whisper_is_for_the_two_of_them(self):
        event = self.event_of("whisper Mara = the key is gone")
        self.assertEqual((event.kind, event.text), ("whisper", "the key is gone"))
        self.assertEqual((event.private, event.priority), (True, 9))
        both = sorted([self.first, self.script_of_mara.assistant_key])
        self.assertEqual(event.audience, both)

    def test_what_another_mind_does_is_remembered_as_done(self):
        odo = minds.make_assistant("Odo", location=self.room1)
        speech.utter(Permit("sweeps the hearth."), Way(odo, "pose", None, [self.mara]), hops=1)
        self.wait(1)
        lines = working_memory.lines_with(self.mara, identity.identity_of(odo))
        self.assertEqual([(one.kind, one.text) for one in lines], [("pose", "sweeps the hearth.")])

    def test_a_pose_that_names_it_is_an_event_with_the_whole_line(self):
        event = self.event_of("pose bows to Mara.")
        self.assertEqual((event.kind, event.text), ("pose", "Char bows to Mara."))

    def test_a_tell_reaches_it_from_another_room(self):
        self.char1.location = self.room2
        perception.told(self.mara, "are you there?", self.char1)
        self.wait(0.2)
        event = self.last_event()
        self.assertEqual((event.kind, event.text), ("tell", "are you there?"))
        self.assertTrue(event.private)

    def test_a_gift_is_an_event_and_the_line_about_it_is_none(self):
        sword = create_object(DefaultObject, key="sword", location=self.char1)
        event = self.event_of("give sword to Mara")
        self.assertIs(sword.location, self.mara)
        self.assertEqual((event.kind, event.text), ("give", "gives you a sword"))
        self.assertEqual((event.actor_name, event.source_trust), ("Char", 0.8))
        self.assertEqual(self.pending(), ["gives you a sword"])

    def test_what_is_put_into_its_hands_otherwise_is_no_gift(self):
        create_object(DefaultObject, key="dust", location=self.room1).move_to(self.mara)
        self.wait(0.2)
        self.assertEqual(self.pending(), [])

    def test_the_game_may_tell_it_of_a_quest(self):
        self.script_of_mara.perceive("quest_done", "found the crown", self.char1, priority=7)
        event = self.last_event()
        self.assertEqual(
            (event.kind, event.text, event.said_by, event.priority, event.audience),
            ("quest_done", "found the crown", self.first, 7, "public"),
        )
        self.assertEqual(self.remembered(), [(False, "found the crown")])

    def test_what_the_game_tells_unaddressed_is_only_remembered(self):
        self.script_of_mara.perceive("attacked", "hits the dog", self.char1, addressed=False)
        self.assertEqual(self.pending(), [])
        self.assertEqual(self.remembered(), [(False, "hits the dog")])

    def test_a_misspelt_field_of_a_custom_event_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "an event has no urgency"):
            self.script_of_mara.perceive("attacked", "hits", self.char1, urgency=3)

    def test_room_talk_is_remembered_but_not_answered(self):
        self.do(self.char1, "say The bridge is broken.")
        self.assertEqual(self.pending(), [])
        self.assertEqual(self.remembered(), [(False, "The bridge is broken.")])
        [line] = working_memory.lines_with(self.mara, self.first)
        self.assertEqual((line.kind, line.audience), ("say", "public"))

    def test_untyped_lines_pass_by(self):
        self.room1.msg_contents("Mara, the thunder rolls.", from_obj=self.char1)
        self.wait()
        self.assertEqual((self.pending(), self.remembered()), ([], []))

    def test_only_the_listed_types_become_events(self):
        self.patch(perception, "PERCEIVE_TYPES", ("say", "sing"))
        self.mara.msg(('Char sings, "Mara, oh Mara"', {"type": "sing"}), from_obj=self.char1)
        self.do(self.char1, "whisper Mara = psst", wait=0.2)
        self.assertEqual(self.remembered(), [(False, "Mara, oh Mara")])

    def test_a_line_without_a_sender_passes_by(self):
        self.mara.msg(('Somebody says, "Mara!"', {"type": "say"}))
        self.assertEqual((self.pending(), self.remembered()), ([], []))

    def test_its_own_words_are_ignored(self):
        self.mara.execute_cmd("say Mara, Mara, Mara")
        self.wait()
        self.assertEqual((self.pending(), self.remembered()), ([], []))
        self.assertEqual(self.remembered(self.script_of_mara.assistant_key), [])

    def test_other_objects_of_the_room_hear_nothing(self):
        stone = create_object(DefaultCharacter, key="Stone", location=self.room1)
        self.do(self.char1, "say Stone, Mara, hello")
        self.assertEqual(working_memory.all_lines(stone), [])

    def test_a_mind_that_is_off_perceives_nothing(self):
        self.script_of_mara.disable()
        self.do(self.char1, "say Mara, hello")
        self.do(self.char1, "whisper Mara = hello")
        create_object(DefaultObject, key="sword", location=self.char1)
        self.do(self.char1, "give sword to Mara")
        self.assertEqual((self.pending(), self.remembered()), ([], []))
        self.assertEqual(words(self.bob, "say"), ['Char says, "Mara, hello"'])

    def test_the_hook_gives_the_words_where_the_game_speaks_otherwise(self):
        self.configure(PARSE_SPEECH="tests.agent.test_perception.shouted")
        event = self.event_of("say Mara")
        self.assertEqual(event.text, "Mara: say of Char")

    def test_a_line_is_cut_before_it_is_read_and_keeps_the_end_of_its_quotation(self):
        self.configure(PARSE_SPEECH="tests.agent.test_perception.measured")
        event = self.event_of(f"say Mara, {'hello ' * 4000}")
        longest = speech.LONGEST_LINE
        self.assertEqual(event.text[:17], "Mara, hello hello")
        self.assertLessEqual(len(event.text), longest)
        self.assertLessEqual(max(_measured), 3 * longest)

    def test_a_line_is_read_once_for_all_who_hear_it(self):
        for name in ("Tom", "Bree", "Finn", "Gus"):
            minds.make_assistant(name, location=self.room1)
        self.do(self.char1, "say Now their names are known.")
        before = markup.plain.cache_info().misses
        self.do(self.char1, "say The mill burnt down.")
        self.assertEqual(markup.plain.cache_info().misses - before, 1)

    def test_what_somebody_who_is_gone_said_is_let_go(self):
        ghost = create_object(DefaultCharacter, key="Ghost", location=self.room1)
        ghost.at_say("Mara, avenge me")
        ghost.delete()
        self.wait()
        self.assertEqual(self.pending(), [])

    def test_a_name_is_known_without_its_articles(self):
        guard = create_object(DefaultCharacter, key="The Old Guard", aliases=["sentry"])
        self.assertEqual(addressing.names_of(guard, self.char1)[:2], ["The Old Guard", "sentry"])
        self.assertEqual(addressing.names_of(guard, self.char1)[2:], ["Guard"])

    def test_two_minds_in_one_room_keep_their_own_memories(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        self.do(self.char1, "say The mill burnt down.")
        for npc in (self.mara, tom):
            [line] = working_memory.lines_with(npc, self.first)
            self.assertEqual(line.text, "The mill burnt down.")
        self.assertIsNot(scripts.find(tom), self.script_of_mara)


_measured = []


def measured(npc, text, kind, from_obj):
    """Stand behind the same door, and note how long the lines are."""
    _measured.append(len(text))
    return speech.parse_speech(npc, text, kind, from_obj)


def shouted(npc, text, kind, from_obj):
    """Stand behind the door PARSE_SPEECH."""
    return f"Mara: {kind} of {from_obj.key}"
