"""Who may know what: whispers stay whispers, through memory, prompts, tools and time."""

import socket

from evennia.utils.create import create_object
from twisted.internet.defer import Deferred

from evennia_ai.agent.hearing import perception, presence
from evennia_ai.llm.base import Completion
from evennia_ai.memory import journal, persona, working_memory
from evennia_ai.memory.state import assistant
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, seen_by, words


class WhisperTests(MindTestCase):
    """Char trusts Mara with a secret; Char2 stands by."""

    def tell_secret(self):
        """Let Char whisper a secret to Mara; return the mind that heard it."""
        mind = minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        return mind

    def test_a_whisper_is_answered_in_a_whisper(self):
        self.tell_secret()
        self.assertEqual(words(self.ann, "whisper")[1:], ['Mara whispers: "|nI shall keep it.|n"'])
        self.assertEqual(self.bob, [])

    def test_a_secret_asked_for_aloud_is_whispered_where_another_listens(self):
        self.tell_secret()
        mind = minds.script_llm("The crown lies under the oak.")
        self.do(self.char1, "say Mara, where does the crown lie?")
        self.assertIn("under the oak", seen_by(mind))
        self.assertEqual(
            words(self.ann, "whisper")[-1], 'Mara whispers: "|nThe crown lies under the oak.|n"'
        )
        self.assertEqual(words(self.bob, "say"), ['Char says, "Mara, where does the crown lie?"'])

    def test_who_asks_for_silence_before_others_is_heard_in_confidence(self):
        mind = minds.script_llm("I shall keep it.", "I do not know.", "In the oak.")
        self.do(self.char1, "say Mara, I hid the crown in the oak. Tell nobody.")
        self.assertEqual(words(self.ann, "whisper")[-1], 'Mara whispers: "|nI shall keep it.|n"')
        self.do(self.char2, "say Mara, where did Char hide the crown?")
        self.assertNotIn("in the oak", f"{mind.requests[-1].messages}{mind.requests[-1].context}")
        self.do(self.char1, "whisper Mara = Where did I hide the crown?")
        self.assertIn("in the oak", f"{mind.requests[-1].messages}")

    def test_who_asks_whether_it_can_keep_a_secret_hides_nothing_said_before(self):
        minds.script_llm("Good.", "Sad.", "I see.", "Of course.", "I shall.", "At the well.")
        self.do(self.char1, "say Mara, I lost my red kite at the well.")
        self.do(self.char1, "say Mara, my brother broke his arm on Monday.")
        self.do(self.char1, "say Mara, I work for the old miller.")
        self.do(self.char1, "say Mara, can you keep a secret?")
        self.do(self.char1, "whisper Mara = I stole the crown.")
        said = working_memory.lines_with(self.mara, self.first)
        before = [line for line in said if not line.mine][:3]
        self.assertEqual([(line.audience, line.secret) for line in before], [("public", False)] * 3)
        for entry in journal.entries(self.mara):
            self.assertNotIn("secret", entry.tags)
        # Its own teller hears of it aloud, before others.
        self.do(self.char1, "say Mara, where did I lose my red kite?")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "At the well."')

    def test_what_does_not_touch_the_secret_is_said_aloud(self):
        self.tell_secret()
        mind = minds.script_llm("We have stew.")
        self.do(self.char1, "say Mara, what is there to eat?")
        self.assertNotIn("oak", seen_by(mind))
        self.assertEqual(words(self.bob, "say")[-1], 'Mara says, "We have stew."')

    def test_alone_with_its_owner_the_secret_may_be_said_aloud(self):
        self.tell_secret()
        self.char2.location = self.room2
        minds.script_llm("Under the oak.")
        self.do(self.char1, "say Mara, where does the crown lie?")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Under the oak."')

    def test_nothing_of_it_reaches_a_mind_that_another_asks(self):
        self.tell_secret()
        mind = minds.script_llm("I do not know.", "I do not know that.")
        self.do(self.char2, "say Mara, where does the crown lie?")
        self.do(self.char2, "whisper Mara = Did Char tell you of a crown under an oak?")
        self.assertEqual(len(mind.requests), 2)
        for request in mind.requests:
            shown = f"{request.messages} {request.context}"
            self.assertNotIn("The crown lies under", shown)
            self.assertNotIn("I shall keep it", shown)

    def test_a_mind_with_no_one_but_the_other_player_around_is_as_discreet(self):
        self.tell_secret()
        self.char1.location = self.room2
        mind = minds.script_llm("No idea.")
        self.do(self.char2, "say Mara, where does the crown lie?")
        self.assertNotIn("oak", seen_by(mind))

    def test_the_answer_to_a_secret_is_as_secret_as_the_question(self):
        self.tell_secret()
        lines = working_memory.lines_with(self.mara, self.first)
        both = sorted([self.first, self.script_of_mara.assistant_key])
        self.assertEqual([line.audience for line in lines], [both, both])

    def test_a_whispered_answer_from_memory_is_remembered_as_secret(self):
        self.tell_secret()
        minds.script_llm("Under the oak, friend.")
        self.do(self.char1, "say Mara, where does the crown lie?")
        line = working_memory.lines_with(self.mara, self.first)[-1]
        both = sorted([self.first, self.script_of_mara.assistant_key])
        self.assertEqual((line.text, line.audience), ("Under the oak, friend.", both))

    def test_a_tell_is_answered_by_a_tell(self):
        self.char1.location = self.room2
        minds.script_llm("At noon.")
        perception.told(self.mara, "When do you open?", self.char1)
        self.wait()
        self.assertEqual(words(self.ann, "tell"), ['Mara tells you: "At noon."'])
        self.assertEqual(self.bob, [])

    def test_public_lore_is_told_to_anybody(self):
        persona.save_lore(
            self.mara,
            ["The mill is haunted.", {"text": "The mill hides gold.", "audience": [self.first]}],
        )
        mind = minds.script_llm("Haunted!")
        self.do(self.char2, "say Mara, what about the mill?")
        self.assertIn("The mill is haunted.", seen_by(mind))
        self.assertNotIn("gold", seen_by(mind))
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Haunted!"')


class ToolTests(MindTestCase):
    """What a tool says is heard by no more ears than what it draws on."""

    def test_say_in_a_private_turn_is_whispered(self):
        minds.script_llm(call("say", words="The crown? Under the oak."))
        self.do(self.char1, "whisper Mara = Tell me of the crown.")
        self.assertEqual(
            words(self.ann, "whisper")[-1], 'Mara whispers: "|nThe crown? Under the oak.|n"'
        )
        self.assertEqual(self.bob, [])

    def test_a_stage_direction_in_a_private_turn_is_whispered(self):
        minds.script_llm("*points at the oak*")
        self.do(self.char1, "whisper Mara = Show me.")
        self.assertEqual(self.bob, [])

    def test_whispering_it_to_somebody_else_in_a_private_turn_reaches_the_speaker(self):
        minds.script_llm("(To Char2 alone:) Char hid a crown.")
        self.do(self.char1, "whisper Mara = I hid a crown.")
        self.assertEqual(self.bob, [])
        self.assertEqual(words(self.ann, "whisper")[-1], 'Mara whispers: "|nChar hid a crown.|n"')

    def test_whispering_to_somebody_else_in_an_open_turn_reaches_them(self):
        minds.script_llm("(To Char2 alone:) Char sends a greeting.")
        self.do(self.char1, "say Mara, greet Char2 from me")
        self.assertEqual(
            words(self.bob, "whisper"), ['Mara whispers: "|nChar sends a greeting.|n"']
        )
        self.assertEqual(words(self.ann, "whisper"), [])

    def test_a_reminder_is_for_no_more_ears_than_the_turn_it_was_made_in(self):
        minds.script_llm(call("set_reminder", minutes=5, text="dig under the oak"), "I will.")
        self.do(self.char1, "whisper Mara = Remind me in five minutes to dig.")
        [reminder] = assistant.reminders(self.script_of_mara)
        both = sorted([self.first, self.script_of_mara.assistant_key])
        self.assertEqual(reminder.audience, both)

    def test_a_reminder_made_of_a_secret_is_secret(self):
        minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        minds.script_llm(call("set_reminder", minutes=5, text="dig for the crown"), "I will.")
        self.do(self.char1, "say Mara, remind me where the crown lies")
        [reminder] = assistant.reminders(self.script_of_mara)
        both = sorted([self.first, self.script_of_mara.assistant_key])
        self.assertEqual(reminder.audience, both)


class RoomTalkTests(MindTestCase):
    """By default what is said aloud may be repeated; a builder can say otherwise."""

    def test_what_was_said_aloud_is_told_to_whoever_asks(self):
        self.char2.location = self.room2
        self.do(self.char1, "say The bridge is broken.")
        self.char2.location = self.room1
        mind = minds.script_llm("Char told me that the bridge is broken.")
        self.do(self.char2, "say Mara, how is the bridge?")
        self.assertIn("The bridge is broken.", seen_by(mind))

    def test_with_room_talk_heard_it_is_told_to_those_who_heard_it(self):
        self.configure(ROOM_TALK="heard")
        self.char2.location = self.room2
        self.do(self.char1, "say The bridge is broken.")
        self.char2.location = self.room1
        mind = minds.script_llm("I do not know.", "It is broken.")
        self.do(self.char2, "say Mara, how is the bridge?")
        self.assertNotIn("The bridge is broken.", seen_by(mind))
        self.do(self.char1, "say Mara, how is the bridge?")
        self.assertIn("The bridge is broken.", seen_by(mind))
        self.assertEqual(words(self.ann, "whisper"), ['Mara whispers: "|nIt is broken.|n"'])

    def test_those_who_were_there_may_hear_it_aloud(self):
        self.configure(ROOM_TALK="heard")
        self.do(self.char1, "say The bridge is broken.")
        minds.script_llm("It is broken, friends.")
        self.do(self.char2, "say Mara, how is the bridge?")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "It is broken, friends."')

    def test_a_private_room_keeps_its_talk_to_those_who_are_in_it(self):
        self.room1.tags.add("private")
        self.char2.location = self.room2
        self.do(self.char1, "say The bridge is broken.")
        [line] = working_memory.lines_with(self.mara, self.first)
        both = sorted([self.first, self.script_of_mara.assistant_key])
        self.assertEqual(line.audience, both)
        self.char2.location = self.room1
        mind = minds.script_llm("I could not say.")
        self.do(self.char2, "say Mara, how is the bridge?")
        self.assertNotIn("The bridge is broken.", seen_by(mind))

    def test_her_own_words_in_a_private_room_stay_there(self):
        self.room1.tags.add("private")
        minds.script_llm("The duke is ill.")
        self.do(self.char1, "say Mara, what is new?")
        line = working_memory.lines_with(self.mara, self.first)[-1]
        everybody = sorted([self.first, self.second, self.script_of_mara.assistant_key])
        self.assertEqual((line.text, line.audience), ("The duke is ill.", everybody))


class SeclusionTests(MindTestCase):
    """Who controls a room decides whether what is said there stays there; a Tag, which any builder
    can write, may close it and never open it."""

    def said(self, text="The bridge is broken."):
        """Return who may know what Char says aloud, while Char2 is elsewhere."""
        self.char2.location = self.room2
        self.do(self.char1, f"say {text}")
        return working_memory.lines_with(self.mara, self.first)[-1].audience

    def setUp(self):
        super().setUp()
        self.both = sorted([self.first, self.script_of_mara.assistant_key])

    def test_who_takes_the_tag_off_opens_nothing(self):
        self.room1.tags.add("private")
        self.assertEqual(self.said(), self.both)
        self.room1.tags.remove("private")
        self.assertEqual(self.said(), self.both)

    def test_a_choice_comes_before_a_tag(self):
        presence.seclude(self.room1, True)
        self.assertEqual(self.said(), self.both)
        presence.seclude(self.room1, False)
        self.room1.tags.add("private")
        self.assertEqual(self.said(), "public")
        presence.seclude(self.room1, None)
        self.assertEqual(self.said(), self.both)

    def test_in_what_stands_in_a_private_room_it_holds_until_that_is_elsewhere(self):
        cart = create_object(key="cart", location=self.room1)
        self.room1.tags.add("private")
        self.mara.location = self.char1.location = cart
        self.assertEqual(self.said(), self.both)
        self.room1.tags.remove("private")
        self.assertEqual(self.said("The mill is broken."), self.both)
        cart.location = self.room2
        self.assertEqual(self.said("The barn is broken."), "public")

    def test_what_was_said_before_a_tag_is_as_it_was(self):
        self.assertEqual(self.said(), "public")
        self.room1.tags.add("private")
        [first] = working_memory.lines_with(self.mara, self.first)
        self.assertEqual(first.audience, "public")
        minds.script_llm("I see.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.", wait=2)
        mind = minds.script_llm("I could not say.")
        self.char2.location = self.room1
        self.do(self.char2, "say Mara, where does the crown lie?", wait=2)
        self.assertNotIn("under the oak", seen_by(mind))


class NewcomerTests(MindTestCase):
    """Somebody comes in while the mind thinks about what they may not know."""

    def test_a_newcomer_turns_an_answer_from_a_secret_into_a_whisper(self):
        minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        self.char2.location = self.room2
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, where does the crown lie?")
        self.char2.move_to(self.room1)
        self.bob.clear()
        thinking.callback(Completion("Under the oak."))
        self.wait()
        self.assertEqual(words(self.ann, "whisper")[-1], 'Mara whispers: "|nUnder the oak.|n"')
        self.assertEqual(words(self.bob, "say"), [])

    def test_a_newcomer_does_not_hear_the_answer_to_what_was_said_in_private(self):
        self.room1.tags.add("private")
        self.char2.location = self.room2
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, my sister is ill")
        self.char2.move_to(self.room1)
        thinking.callback(Completion("Your sister is ill? How sad."))
        self.wait()
        self.assertEqual(words(self.bob, "say"), [])
        self.assertEqual(len(words(self.ann, "whisper")), 1)

    def test_a_newcomer_hears_what_may_be_known_by_all(self):
        self.char2.location = self.room2
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, what is there to eat?")
        self.char2.move_to(self.room1)
        thinking.callback(Completion("Stew."))
        self.wait()
        self.assertEqual(words(self.bob), ['Mara says, "Stew."'])

    def test_what_the_game_tells_for_few_ears_is_not_said_to_the_room(self):
        mind = minds.script_llm("The vault is open!")
        known = [self.first]
        self.script_of_mara.perceive("alarm", "the vault was opened", audience=known)
        self.wait()
        self.assertEqual(len(mind.requests), 1)
        self.assertEqual((words(self.ann), words(self.bob)), ([], []))

    def test_while_it_answers_in_secret_the_words_of_others_wait_their_turn(self):
        minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        mind = minds.script_llm("Under the oak.", "An ale is two coins.")
        self.char1.execute_cmd("say Mara, where does the crown lie?")
        self.do(self.char2, "say Mara, what is an ale?", wait=2)
        self.assertEqual(len(mind.requests), 2)
        self.assertNotIn("oak", f"{mind.requests[1].messages}")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "An ale is two coins."')


class NetworkTests(MindTestCase):
    def test_without_a_model_nothing_leaves_the_machine(self):
        reached = []
        for name in ("connect", "connect_ex", "sendto"):
            self.patch(socket.socket, name, lambda *args: reached.append(args))
        for line in (
            "say Mara, the ale here is brewed by old Tam.",
            "whisper Mara = I hid the silver key.",
            "say Mara, who brews the ale here?",
        ):
            self.do(self.char1, line, wait=3)
        self.assertIn("Tam", f"{self.ann}")
        self.assertEqual(reached, [])
