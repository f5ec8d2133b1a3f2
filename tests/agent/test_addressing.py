"""Who answers: one assistant an utterance, whoever was meant, and assistants among themselves."""

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai.agent import answer
from evennia_ai.agent.hearing import perception
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.memory import persona, working_memory
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, call, words


def by_name(request):
    """Reply with the name of whoever was asked."""
    return f"{request.context['npc']['name']} here ({len(request.messages)})."


class ResponderTests(MindTestCase):
    """Mara, Tom and the Old Guard hear the same words."""

    def setUp(self):
        super().setUp()
        self.patch(answer, "SIMILARITY", 2)
        minds.script_llm(by_name, repeat=True)

    def create_cast(self):
        super().create_cast()
        self.tom = minds.make_assistant("Tom Brewer", location=self.room1)
        self.guard = minds.make_assistant("The Old Guard", location=self.room1)

    def answered_by(self, line, character=None, *, seconds=2):
        """Return the names of those who answer a line."""
        self.ann.clear()
        self.do(character or self.char1, f"say {line}", wait=seconds)
        answers = [text for text in words(self.ann) if " here (" in text]
        return [text.partition(" says")[0] for text in answers]

    def test_to_speak_of_somebody_is_not_to_speak_to_them(self):
        self.assertEqual(self.answered_by("Mara, what do you know about Tom?"), ["Mara"])
        self.assertEqual(self.answered_by("and what did Tom say?"), ["Mara"])
        self.assertEqual(self.answered_by("and have you seen Char2?"), ["Mara"])
        self.assertEqual(self.answered_by("Char2, is Mara here?"), [])

    def test_who_is_hidden_from_it_is_not_there_to_be_spoken_to(self):
        self.char2.locks.add("view:false()")
        self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
        self.assertEqual(self.answered_by("Char2, are you there?"), ["Mara"])
        self.wait(100)
        self.assertEqual(self.answered_by("I bought a goat."), ["Mara"])

    def test_the_one_that_is_named_answers(self):
        self.assertEqual(self.answered_by("Tom, an ale!"), ["Tom Brewer"])
        self.assertEqual(self.answered_by("Mara, an ale!"), ["Mara"])
        self.assertEqual(self.answered_by("GUARD! Help!"), ["The Old Guard"])

    def test_whom_the_second_sentence_calls_answers(self):
        for line in ("Sixpence it is. Tom, why is it so cold?", "Ha! Tom, will you sing?"):
            with self.subTest(line):
                self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
                self.assertEqual(self.answered_by(line), ["Tom Brewer"])

    def test_whom_a_later_sentence_tells_of_takes_no_conversation_over(self):
        for line in (
            "I know who stole your ring. Tom did it.",
            "Mind the cellar. Tom can be careless.",
            "Who told me? Tom.",
            "I met a smith. Tom, the miller's son, said so.",
        ):
            with self.subTest(line):
                self.char2.location = self.room1
                self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
                self.assertNotIn("Tom Brewer", self.answered_by(line))
                self.char2.location = self.room2
                self.assertEqual(self.answered_by(line), ["Mara"])

    def test_a_bystander_called_you_takes_no_conversation_over(self):
        self.char2.key = "You"
        self.assertEqual(self.answered_by("Mara, what does a bed cost?"), ["Mara"])
        self.assertEqual(self.answered_by("and do you have soup?"), ["Mara"])

    def test_who_is_called_as_a_thing_is_takes_no_line_over(self):
        self.char2.key = "a bed"
        self.assertEqual(self.answered_by("Mara, good evening."), ["Mara"])
        self.assertEqual(self.answered_by("and is there a bed?"), ["Mara"])
        self.char2.location = self.room2
        self.assertEqual(self.answered_by("a bed, please"), ["Mara"])
        self.tom.key = "a soft bed"
        self.guard.key = "monk"
        self.assertEqual(self.answered_by("does Mara have a soft bed?"), ["Mara"])
        self.assertEqual(self.answered_by("is that monk of yours asleep?"), ["Mara"])
        self.assertEqual(self.answered_by("monk, are you asleep?"), ["monk"])

    def test_a_name_counts_as_a_whole_word_only(self):
        self.assertEqual(self.answered_by("Tomorrow the Maras of this world come."), [])

    def test_an_article_or_an_adjective_of_a_name_is_no_name(self):
        self.assertEqual(self.answered_by("The old mill burnt down."), [])

    def test_an_alias_is_a_name(self):
        self.guard.aliases.add("sentry")
        self.assertEqual(self.answered_by("Say, sentry, who goes there?"), ["The Old Guard"])

    def test_a_player_alone_with_them_who_speaks_of_two_is_answered_by_the_best_fit(self):
        self.assertEqual(self.answered_by("Tom Brewer is better than Mara."), [])
        self.char2.location = self.room2
        self.assertEqual(self.answered_by("Tom Brewer is better than Mara."), ["Tom Brewer"])

    def test_of_two_with_one_name_the_last_addressed_answers(self):
        other = minds.make_assistant("Tom Miller", location=self.room1)
        self.assertEqual(self.answered_by("Miller, hello"), ["Tom Miller"])
        self.assertEqual(self.answered_by("Tom, how are you?"), ["Tom Miller"])
        self.assertEqual(self.answered_by("Brewer, hello"), ["Tom Brewer"])
        self.assertEqual(self.answered_by("Tom, how are you?"), ["Tom Brewer"])
        self.assertEqual(assistant.pending_events(scripts.find(other)), [])

    def test_among_players_somebody_may_ask_on_without_its_name_for_a_minute(self):
        self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
        self.assertEqual(self.answered_by("And how is the ale?", seconds=58), ["Mara"])
        self.assertEqual(self.answered_by("And the bread?", seconds=70), ["Mara"])
        self.assertEqual(self.answered_by("And the cheese?"), [])

    def test_the_conversation_of_one_player_is_not_that_of_another(self):
        self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
        self.assertEqual(self.answered_by("What a rain.", self.char2), [])

    def test_who_names_another_assistant_talks_with_that_one(self):
        self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
        self.assertEqual(self.answered_by("Tom, hello"), ["Tom Brewer"])
        self.assertEqual(self.answered_by("And how is the ale?"), ["Tom Brewer"])

    def test_a_deed_is_answered_by_whom_it_is_done_to_whoever_is_talked_with(self):
        self.assertEqual(self.answered_by("Tom, hello"), ["Tom Brewer"])
        self.ann.clear()
        self.do(self.char1, "pose smiles at Mara.", wait=2)
        self.assertRegex(str(words(self.ann)), r"Mara[^\[\]]* here \(")

    def test_who_names_another_player_does_not_talk_with_the_assistant(self):
        self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
        self.assertEqual(self.answered_by("Char2, how was your day?"), [])
        self.assertEqual(self.answered_by("And what is new?"), [])
        self.assertEqual(self.answered_by("Well, Mara, what is new?"), ["Mara"])

    def test_a_greeting_to_all_has_one_answer_and_the_room_is_quiet_for_a_while(self):
        self.assertEqual(len(self.answered_by("Hello all!", seconds=10)), 1)
        self.assertEqual(self.answered_by("Hello everybody", self.char2, seconds=9), [])
        self.wait(2)
        self.assertEqual(len(self.answered_by("Good evening, folks!", self.char2)), 1)

    def test_a_greeting_goes_to_whom_the_speaker_talked_with_last(self):
        self.answered_by("Guard, move along", seconds=80)
        self.assertEqual(self.answered_by("Hello all"), ["The Old Guard"])

    def test_a_greeting_is_not_left_to_one_that_never_talks(self):
        for npc in (self.mara, self.tom):
            npc_settings.choose(npc, talkative="never")
        self.assertEqual(self.answered_by("Hello all"), ["The Old Guard"])

    def test_one_that_never_talks_only_remembers(self):
        npc_settings.choose(self.mara, talkative="never")
        self.assertEqual(self.answered_by("Mara, hello"), [])
        self.do(self.char1, "whisper Mara = psst")
        create_object(DefaultObject, key="rose", location=self.char1)
        self.do(self.char1, "give rose to Mara")
        self.assertEqual(self.pending(), [])
        expected = ["Mara, hello", "psst", "gives you a rose"]
        self.assertEqual([text for _, text in self.remembered()], expected)

    def test_a_chatty_one_takes_up_what_is_said_to_nobody(self):
        npc_settings.choose(self.tom, talkative="chatty")
        self.assertEqual(self.answered_by("What a rain."), ["Tom Brewer"])
        self.assertEqual(self.answered_by("Mara, hello"), ["Mara"])
        self.assertEqual(self.answered_by("And how is the ale?"), ["Mara"])

    def test_a_chatty_answer_does_not_use_up_the_greeting_of_the_room(self):
        npc_settings.choose(self.tom, talkative="chatty")
        self.assertEqual(self.answered_by("What a rain."), ["Tom Brewer"])
        self.assertEqual(len(self.answered_by("Hello all", self.char2)), 1)

    def test_a_chatty_one_greets_who_comes_in(self):
        npc_settings.choose(self.mara, talkative="chatty")
        perception.notice_presence(self.mara)
        self.char2.move_to(self.room2)
        self.wait(2)
        self.ann.clear()
        self.char2.move_to(self.room1)
        self.wait(2)
        self.assertEqual(len(words(self.ann)), 1)
        self.assertIn("Mara says", words(self.ann)[0])

    def test_one_that_is_played_leaves_the_answer_to_its_player(self):
        self.puppet(self.tom, self.account2, self.session2)
        self.assertEqual(self.answered_by("Tom, an ale!"), [])
        [greeter] = self.answered_by("Hello all")
        self.assertIn(greeter, ("Mara", "The Old Guard"))
        self.assertEqual(assistant.pending_events(scripts.find(self.tom)), [])
        lines = working_memory.lines_with(self.tom, self.first)
        self.assertEqual(lines[0].text, "Tom, an ale!")


class CrossTalkTests(MindTestCase):
    """Mara and Tom answer each other, each time by name."""

    def setUp(self):
        super().setUp()
        self.patch(answer, "SIMILARITY", 2)
        self.active(self.char1)
        self.active(self.char2)

    def create_cast(self):
        super().create_cast()
        self.tom = minds.make_assistant("Tom", location=self.room1)

    def active(self, character, *, ago=0.0):
        """Let the player of a character have typed something so many seconds ago."""
        for session in character.sessions.all():
            session.cmd_last_visible = self.clock.seconds() - ago

    def other(self, request):
        """Reply by calling the other assistant by its name."""
        return "Tom, what now?" if request.context["npc"]["name"] == "Mara" else "Mara, what now?"

    def test_two_assistants_stop_after_four_hops(self):
        mind = minds.script_llm(self.other, repeat=True)
        self.do(self.char1, "say Mara, talk to Tom", wait=30)
        speakers = [text[:4] for text in words(self.ann)[1:]]
        self.assertEqual(speakers, ["Mara", "Tom ", "Mara", "Tom ", "Mara"])
        self.assertEqual(len(mind.requests), 5)

    def test_they_show_each_other_no_beat(self):
        persona.save_persona(self.tom, {"beats": ["looks up."]})
        seen = minds.listen(self.mara)
        minds.script_llm("Tom, what now?", "Ale.")
        self.do(self.char1, "say Mara, talk to Tom", wait=5)
        self.assertEqual(words(seen)[-1], 'Tom says, "Ale."')
        self.assertEqual(words(seen, "pose"), [])

    def test_what_one_answers_a_player_the_other_need_not_answer(self):
        mind = minds.script_llm("Tom, good day.", [call("noop")], "Twopence.", repeat=True)
        self.do(self.char1, "say Mara, greet Tom", wait=3)
        self.do(self.char1, "say Mara, what is the ale?", wait=5)
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Twopence."')
        self.assertEqual(len(mind.requests), 3)

    def test_the_pair_rests_for_a_minute_and_then_may_talk_again(self):
        mind = minds.script_llm(self.other, repeat=True)
        self.do(self.char1, "say Mara, talk to Tom", wait=30)
        self.do(self.char1, "say Mara, go on", wait=10)
        self.assertEqual(len(mind.requests), 6)
        self.wait(60)
        self.active(self.char1)
        self.do(self.char1, "say Mara, go on", wait=30)
        self.assertEqual(len(mind.requests), 11)

    def test_with_nobody_to_see_it_they_do_not_talk(self):
        mind = minds.script_llm(self.other, repeat=True)
        for character in (self.char1, self.char2):
            self.active(character, ago=700)
        self.mara.at_say("Tom, are we alone?")
        self.wait(5)
        self.assertEqual(mind.requests, [])
        self.active(self.char2, ago=500)
        self.mara.at_say("Tom, are we alone?")
        self.wait(2)
        self.assertGreater(len(mind.requests), 0)

    def test_what_two_say_to_each_other_does_not_tire_a_third(self):
        cat = minds.make_assistant("Kat", location=self.room1)
        minds.script_llm(self.other, repeat=True)
        self.do(self.char1, "say Mara, talk to Tom", wait=30)
        mind = minds.script_llm("Meow.", self.other, repeat=True)
        self.do(self.char1, "say Kat, say meow", wait=5)
        self.assertEqual(len(mind.requests), 1)
        self.mara.at_say("Kat, come here")
        self.wait(2)
        self.assertEqual(mind.requests[1].context["npc"]["name"], "Kat")
        self.assertEqual(scripts.find(cat).obj, cat)

    def test_no_answer_to_an_assistant_is_silence_and_not_an_excuse(self):
        minds.script_llm("Tom, hello", LLMUnavailable("connection refused"))
        self.do(self.char1, "say Mara, greet Tom", wait=3)
        self.assertEqual(words(self.ann)[1:], ['Mara says, "Tom, hello"'])
        [line] = self.log
        self.assertIn("Tom(", line)
        self.assertIn("connection refused", line)

    def test_a_gift_between_assistants_needs_no_thanks(self):
        mind = minds.script_llm("Thanks!", repeat=True)
        rose = create_object(DefaultObject, key="rose", location=self.mara)
        rose.move_to(self.tom, move_type="give")
        self.wait(2)
        self.assertEqual(mind.requests, [])

    def test_a_chatty_assistant_does_not_greet_another(self):
        mind = minds.script_llm("Welcome!", repeat=True)
        npc_settings.choose(self.mara, talkative="chatty")
        perception.notice_presence(self.mara)
        self.tom.location = self.room2
        perception.notice_presence(self.mara)
        self.tom.move_to(self.room1)
        self.wait(2)
        self.assertEqual(mind.requests, [])

    def test_an_assistant_hears_anothers_words_without_parsing_them(self):
        self.configure(PARSE_SPEECH="tests.agent.test_addressing.mumble")
        mind = minds.script_llm('Tom, he said "no" and left.', "So be it.")
        self.do(self.char1, "say hello", wait=5)
        self.assertEqual(mind.requests[1].context["event"]["text"], 'Tom, he said "no" and left.')
        self.assertEqual(mind.requests[1].context["event"]["hops"], 1)

    def test_what_a_bystander_sees_of_a_whisper_does_not_carry_the_words(self):
        self.configure(SPEAK="tests.agent.test_addressing.whisper_visibly")
        minds.script_llm("The key is under the oak.")
        self.do(self.char1, "whisper Mara = where is the key?", wait=5)
        texts = [line.text for line in working_memory.all_lines(self.tom)]
        self.assertEqual(texts, ["Mara whispers to Char."])


def mumble(npc, text, kind, from_obj):
    """Stand behind the door PARSE_SPEECH."""
    return "Mara, mumble"


def whisper_visibly(npc, kind, words, target):
    """Stand behind the door SPEAK: a whisper is seen by all, and heard by one."""
    npc.location.msg_contents(
        (f"{npc.key} whispers to {target.key}.", {"type": "pose"}), from_obj=npc
    )
