"""What an assistant knows of whom it speaks with reaches what it says."""

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent import sections
from evennia_ai.agent.prompting import recall_sources
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.llm import base
from evennia_ai.llm.base import ToolCall
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, kinds
from evennia_ai.memory import persona as personas
from evennia_ai.memory import repository, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.sleep import compaction
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
            (0.1, "You have talked before."),
            (0.2, "You know them a little, and trust them in small things."),
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
        self.assertIn("You have only just met.", self.asked())
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
        self.assertIn('- "I love old maps."', self.asked())
        known = entity_profiles.find_profile(self.mara, self.first)
        slept = [structs.replace(one, consolidated=True) for one in known.observations]
        changed = structs.replace(known, observations=slept)
        repository.save(self.mara, kinds.PROFILES, changed, self.first)
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
        self.assertLessEqual({"say", "look", "recall_memories", "update_relationship"}, offered)
        self.assertFalse({"add_journal_entry", "start_entity_conversation"} & offered)

    def test_a_setting_offers_everything(self):
        self.configure(ALL_TOOLS=True)
        self.assertLessEqual({"add_journal_entry", "start_entity_conversation"}, self.offered())


class ShownToolsTests(MindTestCase):
    """What a model is shown of its tools: what it may need now, and first what each turn has."""

    always = ["note_promise_or_liking", "escalate_to_staff"]

    def setUp(self):
        super().setUp()
        self.obj1.location = self.obj2.location = None
        self.room1.db.desc = "A low room."

    def shown(self, command="say Mara, how are you?"):
        mind = minds.script_llm("Well.", repeat=True)
        self.do(self.char2, command, wait=2)
        return [tool["name"] for tool in mind.requests[0].tools]

    def test_in_a_bare_room_there_is_little_to_do(self):
        self.assertEqual(self.shown(), self.always)
        self.assertEqual(self.shown("whisper Mara = How are you?"), self.always)

    def test_where_more_is_to_be_seen_than_stands_in_the_prompt_it_may_look(self):
        self.obj1.location = self.room1
        self.assertEqual(self.shown(), [*self.always, "look"])
        self.obj1.location = None
        self.char1.db.desc = "A stout man " + "with a long story written all over him " * 3
        self.assertEqual(self.shown(), [*self.always, "look"])

    def test_how_a_thing_looks_that_it_carries_stands_in_the_prompt(self):
        self.obj1.location, self.obj1.db.desc = self.mara, "A dented thing."
        mind = minds.script_llm("Well.", repeat=True)
        self.do(self.char2, "say Mara, how are you?", wait=2)
        self.assertIn('You carry: "Obj" ("A dented thing.").', f"{mind.requests[0].messages}")
        self.assertEqual([tool["name"] for tool in mind.requests[0].tools], [*self.always, "give"])

    def test_with_a_guest_beside_it_nothing_is_shown_that_keeps(self):
        self.assertTrue(accounts.opt_out(self.char2))
        self.assertEqual(self.shown(), self.always[1:])

    def test_whoever_is_given_something_is_not_asked_to_be_silent(self):
        self.obj1.location = self.char2
        self.assertEqual(self.shown("give Obj to Mara"), [*self.always, "give"])


class NoteTests(MindTestCase):
    """One tool notes what is promised, what is done and how somebody is liked."""

    def note(self, **arguments):
        mind = minds.script_llm(
            ToolCall("1", "note_promise_or_liking", arguments), "Well, well.", repeat=True
        )
        self.do(self.char1, "say Mara, a seat, please!", wait=2)
        return mind.requests[1].messages[-1]["content"]

    def test_a_promise_and_a_liking_are_noted_of_who_speaks(self):
        self.assertEqual(
            self.note(promise="save the seat", minutes=30, liking=0.1),
            'You keep in mind, for "Char": "save the seat". You will be reminded in 30 minutes.\n'
            'You like "Char" a little more now.',
        )
        self.assertEqual(
            self.note(done="Save the seat."), 'You no longer have that to do: "Save the seat.".'
        )

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

    def test_what_they_promised_is_settled_before_what_it_means_to_do_in_like_words(self):
        self.note(promise="pay Char for five sacks of flour tomorrow")
        minds.script_llm("I see.", repeat=True)
        self.do(self.char1, "say Mara, I will bring you five sacks of flour tomorrow.", wait=2)
        self.assertEqual(
            self.note(done="five sacks of flour tomorrow"),
            'You no longer wait for that: "five sacks of flour tomorrow".',
        )
        kept = working_memory.get_conversation_context(self.mara, self.first)
        self.assertEqual(
            [one.action for one in kept.pending_actions],
            ["pay Char for five sacks of flour tomorrow"],
        )

    def test_what_cannot_be_done_does_not_undo_the_rest(self):
        self.assertEqual(
            self.note(done="dance", liking=0.5, promise="wake them"),
            'You keep in mind, for "Char": "wake them".\n'
            'Error: You did not mean to do "dance" for whom you speak with.\n'
            "Error: delta must be between -0.1 and 0.1, not 0.5.",
        )

    def test_nothing_to_note_is_an_error(self):
        self.assertEqual(
            self.note(), "Error: Say what you promise, what is done, or how you like them."
        )


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
        self.assertEqual(shown, "")

    def test_it_is_over_after_a_while(self):
        self.promise()
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, 'What you mean to do for "Char":\n- "save the window seat"')
        self.clock.advance(15 * 86_400)
        self.assertEqual(sections.intentions(self.turn_of(self.char1)), "")

    def test_what_was_promised_in_words_comes_to_mind_when_it_is_asked_for(self):
        """Also after a night, in a prompt and without a model; and that its time was over."""
        self.asked("I'll mend your pot by Friday, Char.", command="say Mara, my pot leaks.")
        self.clock.advance(2 * 86_400)
        compaction.clear_stale_conversations(self.mara)
        seen = self.asked(command="say Mara, have you mended my pot?")
        self.assertIn('What you mean to do for "Char":', seen)
        base.install("default", OfflineMind())
        for question in ("what did you promise me?", "have you mended my pot?"):
            self.ann.clear()
            self.do(self.char1, f"say Mara, {question}", wait=2)
            self.assertIn("mend your pot by Friday", words(self.ann)[-1])
        self.clock.advance(15 * 86_400)
        self.ann.clear()
        self.do(self.char1, "say Mara, what did you promise me?", wait=2)
        self.assertIn("did not do it in time", words(self.ann)[-1])
        self.clock.advance(2 * 86_400)
        self.assertEqual(len(compaction.clear_stale_conversations(self.mara)["removed"]), 1)
        seen = self.asked(command="say Mara, what did you promise me?")
        self.assertIn("Mara promised Char something, and did not do it in time: I", seen)

    def test_a_reminder_is_a_promise_to_whoever_asked_for_it(self):
        base.install("default", OfflineMind())
        self.do(self.char1, "say Mara, remind me to buy rope in ten minutes.", wait=2)
        self.ann.clear()
        self.do(self.char1, "say Mara, what did you promise me?", wait=2)
        self.assertEqual(
            words(self.ann)[-1], 'Mara says, "Char, you asked me to remind you: buy rope"'
        )
        seen = self.asked(command="say Mara, what did you promise me?")
        self.assertIn('you promised "Char" a reminder: "buy rope"', seen)
        base.install("default", OfflineMind())
        self.ann.clear()
        self.do(self.char2, "say Mara, what did you promise me?", wait=2)
        self.assertNotIn("rope", words(self.ann)[-1])

    def test_of_what_is_given_up_it_is_not_reminded_and_of_what_is_promised_to_another_it_is(self):
        for command in ("say Mara, a seat, please!", "say Mara, one for me, too!"):
            mind = minds.script_llm(
                call("note_promise_or_liking", promise="save a seat", minutes=60), "Aye."
            )
            self.do(self.char1 if "a seat" in command else self.char2, command, wait=2)
            self.assertEqual(len(mind.requests), 2)
        given_up = call("note_promise_or_liking", given_up="save a seat")
        self.asked(given_up, command="say Mara, never mind the seat.")
        left = assistant.reminders(self.script_of_mara)
        self.assertEqual([(one.actor_name, one.text) for one in left], [("Char2", "save a seat")])

    def struck(self, **how):
        """Strike the promise out; return what a model is shown, and what is said without one, if it is asked for."""
        self.promise()
        done = ToolCall("2", "finish_pending_action", {"action": "save the window seat", **how})
        self.asked(done, command="say Mara, thanks for the place!")
        question = "say Mara, what did you promise me?"
        seen = self.asked(command=question)
        base.install("default", OfflineMind())
        self.ann.clear()
        self.do(self.char1, question, wait=2)
        return seen, words(self.ann)[-1]

    def test_what_is_kept_can_be_asked_for(self):
        seen, told = self.struck()
        self.assertIn("Mara promised Char, and did: save the window seat", seen)
        self.assertIn("I promised you, and did: save the window seat", told)

    def test_what_is_given_up_says_so_when_it_is_asked_for(self):
        seen, told = self.struck(given_up=True)
        self.assertIn("Mara promised Char, and gave up: save the window seat", seen)
        self.assertIn("I promised you, and gave up: save the window seat", told)

    def test_what_became_of_a_promise_is_noted_in_the_language_of_who_made_it(self):
        personas.save_persona(self.mara, {"language": "sv"})
        seen, told = self.struck()
        self.assertIn("Mara lovade Char, och gjorde: save the window seat", seen)
        self.assertIn("save the window seat", told)

    def test_what_is_asked_or_noted_already_is_no_further_promise(self):
        self.promise()
        self.asked("I will save you the window seat. Shall I mend your pot?")
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, 'What you mean to do for "Char":\n- "save the window seat"')

    def test_a_name_within_another_is_no_name(self):
        self.promise()
        done = ToolCall("2", "finish_pending_action", {"action": "save the window seat"})
        self.asked(done, command="say Mara, thanks for the place!")
        self.assertEqual(recall_sources.all_promised_to(self.mara, "nobody", "Cha"), [])
        self.assertEqual(recall_sources.all_promised_to(self.mara, "nobody", ""), [])
        self.assertEqual(len(recall_sources.all_promised_to(self.mara, "nobody", "Char")), 1)

    def test_what_it_passes_on_of_another_is_no_promise_of_its_own(self):
        self.asked('Ann says: "I\'ll mend your pot by Friday."')
        self.assertEqual(sections.intentions(self.turn_of(self.char1)), "")

    def test_three_promises_in_words_are_kept_in_mind_and_push_out_none_that_was_noted(self):
        self.promise()
        for deed in ("mend your pot", "sweep your yard", "guard your cart", "write your letter"):
            self.asked(f"I'll {deed}.", command="say Mara, and this?")
        self.assertEqual(
            sections.intentions(self.turn_of(self.char1)),
            'What you mean to do for "Char":\n- "save the window seat"\n'
            '- "I\'ll sweep your yard."\n- "I\'ll guard your cart."\n- "I\'ll write your letter."',
        )

    def test_what_somebody_else_was_promised_comes_to_mind_of_who_may_know(self):
        self.promise()
        mind = minds.script_llm("Well.", repeat=True)
        self.do(self.char2, "say Mara, who gets the window seat?", wait=2)
        self.assertIn(
            'you promised "Char": "save the window seat"', seen_by(mind).replace("\\", "")
        )

    def test_what_they_talk_about_stands_there(self):
        topic = "the price of ale"
        working_memory.start_conversation(self.mara, self.char1, topic, audience="public")
        shown = sections.intentions(self.turn_of(self.char1))
        self.assertEqual(shown, 'Your talk with "Char" is about "the price of ale".')

    def turn_of(self, obj):
        who = identity.identity_of(obj)
        fields = {"said_by": who, "actor_id": obj.id, "actor_name": obj.key}
        event = records.new_event("say", "Hm", event_id="1", now=scheduling.now(), **fields)
        return Turn(self.script_of_mara, [event])
