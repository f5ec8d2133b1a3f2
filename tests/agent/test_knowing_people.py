"""What an assistant knows of whom it speaks with reaches what it says."""

import json

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent import sections
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.domain.model_text import tokens
from evennia_ai.llm.base import ToolCall
from evennia_ai.memory import identity, journal, kinds
from evennia_ai.memory import persona as personas
from evennia_ai.memory import repository, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from tests.agent.cases import MindTestCase, call, seen_by, words


class ProfileTests(MindTestCase):
    def befriend(self, favorability):
        """Let Mara regard Char so, without waiting for the days that it takes."""
        self.configure(FAVORABILITY={"call": 1.0, "day": 1.0})
        entity_profiles.update_relationship(self.mara, self.char1, favorability, "helped")

    def asked(self, command="say Mara, what do you think?"):
        """Let Char ask something and return all that the model was shown."""
        mind = minds.script_llm("Well.", "Well, well.", repeat=True)
        self.do(self.char1, command, wait=2)
        return seen_by(mind)

    def test_the_manner_of_each_state_reaches_the_prompt(self):
        """E10 E11 E12 E13 E14: it is told what somebody is to it."""
        for favorability, manner in [
            (0.3, "You know them a little, and trust them in small things."),
            (0.3, "They are a friend: you trust them, and help them gladly."),
            (0.3, "They are an ally: they come first, and you trust nobody more."),
        ]:
            with self.subTest(manner):
                self.befriend(favorability)
                self.assertIn(manner, self.asked())

    def test_an_ally_is_answered_first(self):
        """E13: priority attention, as the events in a queue have it."""
        minds.script_llm("Well.", repeat=True)
        priorities = []
        answer = self.script_of_mara.at_event

        def at_event(event):
            priorities.append(event.priority)
            answer(event)

        self.patch(self.script_of_mara, "at_event", at_event)
        self.do(self.char1, "say Mara, good day.", wait=2)
        self.befriend(0.8)
        self.do(self.char1, "say Mara, good day again.", wait=2)
        self.assertEqual(priorities, [8, 9])

    def test_a_first_meeting_has_its_manner(self):
        """E10: also the one that the builder wrote."""
        self.assertIn("You have not spoken with Char before.", self.asked())
        personas.save_persona(self.mara, {"manner": {"stranger": "Call them traveller."}})
        self.assertIn("Call them traveller.", self.read(self.char2))

    def test_a_builder_can_write_a_manner_of_its_own_for_a_state(self):
        personas.save_persona(self.mara, {"manner": {"stranger": "Call them traveller."}})
        self.befriend(0.1)
        shown = self.read(self.char1)
        self.assertIn("Call them traveller.", shown)
        self.assertNotIn("a stranger", shown)

    def read(self, who):
        """Let somebody ask something and return the prompt, without what a mind has beside it: its persona."""
        mind = minds.script_llm("Well.", repeat=True)
        self.do(who, "say Mara, what do you think?", wait=2)
        return f"{mind.requests[0].messages}"

    def test_what_was_noticed_about_them_is_known(self):
        entity_profiles.add_entity_observation(
            self.mara, self.char1, "Char limps.", audience="public"
        )
        self.assertIn("Char limps.", self.asked())

    def test_what_was_noticed_stands_in_their_words_until_it_is_slept_on(self):
        entity_profiles.add_entity_observation(
            self.mara, self.char1, "Says: I love old maps.", audience="public", told_by=self.first
        )
        self.assertIn("(Char says of themselves: I love old maps.)", self.asked())
        known = entity_profiles.find_profile(self.mara, self.first)
        slept = [structs.replace(one, consolidated=True) for one in known.observations]
        changed = structs.replace(known, observations=slept)
        repository.save(self.mara, kinds.PROFILES, changed, self.first)
        minds.forget_all()
        self.assertNotIn("old maps", self.asked("say Mara, and what else?"))

    def test_what_only_the_two_know_is_not_shown_before_others(self):
        entity_profiles.add_entity_observation(
            self.mara, self.char1, "Char is a spy.", audience=[self.first]
        )
        self.assertNotIn("Char is a spy.", self.asked())
        self.assertIn("Char is a spy.", self.asked("whisper Mara = What do you think of me?"))

    def test_of_a_stranger_there_is_nothing_to_say(self):
        event = records.new_event("say", "Hello", event_id="1", now=scheduling.now())
        turn = Turn(self.script_of_mara, [event])
        self.assertIsNone(sections.profile(turn))


class GreetingTests(MindTestCase):
    def greeting(self, character):
        heard = self.ann if character is self.char1 else self.bob
        heard.clear()
        self.do(character, "say Hello, Mara!", wait=2)
        return words(heard)[-1]

    def test_a_friend_is_greeted_otherwise_than_a_stranger(self):
        self.configure(FAVORABILITY={"call": 1.0, "day": 1.0})
        entity_profiles.update_relationship(self.mara, self.char1, 0.6, "helped")
        friend, stranger = self.greeting(self.char1), self.greeting(self.char2)
        self.assertNotEqual(friend.replace("Char", "X"), stranger.replace("Char2", "X"))

    def test_who_comes_back_is_greeted_otherwise_than_the_first_time(self):
        first, second = self.greeting(self.char1), self.greeting(self.char1)
        self.assertNotEqual(first, second)


class ToolOfferTests(MindTestCase):
    def offered(self):
        event = records.new_event("say", "Hello", event_id="1", now=scheduling.now())
        return {tool.name for tool in registry.offered(Turn(self.script_of_mara, [event]))}

    def test_what_is_done_for_it_anyway_is_not_offered_while_it_answers(self):
        offered = self.offered()
        self.assertLessEqual({"say", "look", "add_journal_entry", "search_journal"}, offered)
        self.assertFalse({"review_journal", "start_entity_conversation"} & offered)

    def test_a_setting_offers_everything(self):
        self.configure(ALL_TOOLS=True)
        self.assertLessEqual({"review_journal", "start_entity_conversation"}, self.offered())


class ShownToolsTests(MindTestCase):
    """A model is shown the same tools in each turn; what cannot be done now is refused when it is tried."""

    ALWAYS = [
        *("look", "move", "follow", "give", "add_journal_entry", "search_journal"),
        *("recall_entity_profile", "update_relationship", "add_pending_action"),
        *("finish_pending_action", "recall_memories", "share", "update_goal", "noop"),
        *("escalate_to_staff", "take_errand"),
    ]

    def test_the_tools_are_the_same_bytes_whoever_speaks_and_whatever_there_is(self):
        mind = minds.script_llm("Well.", repeat=True)
        lines = ["say Mara, how are you?", "whisper Mara = How are you?", "say What a day!"]
        for number in range(20):
            speaker = (self.char1, self.char2)[number % 2]
            if number == 6:
                self.obj1.location = self.mara
            if number == 12:
                self.assertTrue(accounts.opt_out(self.char2))
            self.do(speaker, lines[number % 3], wait=2)
        self.do(self.char1, "give Obj2 to Mara", wait=2)
        sent = {json.dumps(request.tools) for request in mind.requests}
        self.assertGreaterEqual(len(mind.requests), 20)
        self.assertEqual(len(sent), 1)
        self.assertEqual([tool["name"] for tool in json.loads(*sent)], self.ALWAYS)

    def test_they_are_short(self):
        mind = minds.script_llm("Well.", repeat=True)
        self.do(self.char1, "say Mara, how are you?", wait=2)
        tools = tokens.estimate_messages((), mind.requests[0].tools)
        self.assertLess(tools, 1_200)

    def test_what_cannot_be_used_now_is_refused_with_one_sentence(self):
        mind = minds.script_llm(call("take_errand", thing="letter", to="Bertil"), "No.")
        self.do(self.char1, "say Mara, take the letter!", wait=2)
        told = mind.requests[1].messages[-1]["content"]
        self.assertEqual(told, "Error: You cannot use take_errand now.")


class NoteTests(MindTestCase):
    def note(self, promise="", done="", minutes=0):
        kept = {"entity_id": "Char", "action": promise, "minutes": minutes}
        used = ToolCall("1", "add_pending_action", kept)
        if done:
            used = ToolCall("1", "finish_pending_action", {"action": done})
        mind = minds.script_llm(used, "Well, well.", repeat=True)
        self.do(self.char1, "say Mara, a seat, please!", wait=2)
        return mind.requests[1].messages[-1]["content"]

    def test_what_is_done_is_known_in_fewer_words_where_one_promise_alone_is_meant(self):
        self.note(promise="bring Char fever tea to the well tomorrow at noon")
        self.note(promise="mend the left boot by Friday")
        self.note(promise="mend the right boot by Friday")
        self.assertEqual(
            self.note(done="bring the fever tea"),
            'You no longer have that to do: "bring the fever tea".',
        )
        for vague in ("mend the boot", "mend the boot by Friday", "bring tea"):
            self.assertIn("You did not mean to do", self.note(done=vague))


class PromiseTests(MindTestCase):
    """E21 E24 E38: what she means to do for somebody stands in the prompt until it is done or over."""

    def asked(self, *replies, command="say Mara, how are you?"):
        mind = minds.script_llm(*replies, "Well, well.", repeat=True)
        self.do(self.char1, command, wait=2)
        return f"{mind.requests[0].messages}"

    def promise(self):
        arguments = {"entity_id": "Char", "action": "save the window seat"}
        self.asked(
            ToolCall("1", "add_pending_action", arguments), command="say Mara, a seat, please!"
        )

    def test_a_promise_stands_in_the_prompt_until_it_is_kept(self):
        self.promise()
        self.assertIn("save the window seat", self.asked())
        done = ToolCall("2", "finish_pending_action", {"action": "save the window seat"})
        self.asked(done, command="say Mara, thanks for the place!")
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, [])

    def test_it_is_over_after_a_while(self):
        self.promise()
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, ["You mean to do for Char: save the window seat"])
        self.clock.advance(15 * 86_400)
        self.assertEqual(sections.intentions(self.turn_of(self.char1)), [])

    def test_of_what_is_given_up_it_is_not_reminded_and_of_what_is_promised_to_another_it_is(self):
        for command in ("say Mara, a seat, please!", "say Mara, one for me, too!"):
            speaker = self.char1 if "a seat" in command else self.char2
            kept = {"entity_id": speaker.key, "action": "save a seat", "minutes": 60}
            mind = minds.script_llm(ToolCall("1", "add_pending_action", kept), "Aye.")
            self.do(speaker, command, wait=2)
            self.assertEqual(len(mind.requests), 2)
        given_up = call("finish_pending_action", action="save a seat", given_up=True)
        self.asked(given_up, command="say Mara, never mind the seat.")
        left = assistant.reminders(self.script_of_mara)
        self.assertEqual([(one.actor_name, one.text) for one in left], [("Char2", "save a seat")])

    def test_what_became_of_a_promise_is_noted_in_the_language_of_who_made_it(self):
        for language, noted in (
            ("en", "Mara promised Char, and did: save the window seat"),
            ("sv", "Mara lovade Char, och gjorde: save the window seat"),
        ):
            personas.save_persona(self.mara, {"language": language})
            self.promise()
            done = ToolCall("2", "finish_pending_action", {"action": "save the window seat"})
            self.asked(done, command="say Mara, thanks for the place!")
            self.assertIn(noted, [one.content for one in journal.entries(self.mara)])

    def test_what_is_asked_or_noted_already_is_no_further_promise(self):
        self.promise()
        self.asked("I will save you the window seat. Shall I mend your pot?")
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, ["You mean to do for Char: save the window seat"])

    def test_what_it_passes_on_of_another_is_no_promise_of_its_own(self):
        self.asked('Ann says: "I\'ll mend your pot by Friday."')
        self.assertEqual(sections.intentions(self.turn_of(self.char1)), [])

    def test_what_somebody_else_was_promised_comes_to_mind_of_who_may_know(self):
        self.promise()
        mind = minds.script_llm("Well.", repeat=True)
        self.do(self.char2, "say Mara, who gets the window seat?", wait=2)
        self.assertIn("(You promised Char just now: save the window seat)", seen_by(mind))

    def test_what_they_talk_about_stands_there(self):
        topic = "the price of ale"
        working_memory.start_conversation(self.mara, self.char1, topic, audience="public")
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, ["Your talk with Char is about the price of ale"])

    def turn_of(self, obj):
        who = identity.identity_of(obj)
        fields = {"said_by": who, "actor_id": obj.id, "actor_name": obj.key}
        event = records.new_event("say", "Hm", event_id="1", now=scheduling.now(), **fields)
        return Turn(self.script_of_mara, [event])
