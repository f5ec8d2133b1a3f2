"""Who talks when, played without a model: who is spoken to, how long, and who keeps quiet."""

from django.test import override_settings
from evennia.objects.objects import DefaultExit
from evennia.utils.create import create_object

from evennia_ai import tick
from evennia_ai.agent.hearing import perception
from evennia_ai.core import words as core_words
from evennia_ai.memory import journal
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, words


class OfflineTestCase(MindTestCase):
    lore = ("A plain sword costs forty silvers.",)

    def answers(self, line, character=None, *, wait=2.0):
        """Return what assistants say in answer to a line, as "name: words"."""
        self.ann.clear()
        character = character or self.char1
        self.do(character, line if line.startswith(("pose", "say")) else f"say {line}", wait=wait)
        said = [text for text in words(self.ann) if " says, " in text and "|n" not in text]
        return [
            text.replace(' says, "', ": ").removesuffix('"')
            for text in said
            if not text.startswith((self.char1.key, self.char2.key))
        ]

    def names(self, line, character=None):
        """Return who answers a line."""
        return [answer.partition(":")[0] for answer in self.answers(line, character)]


class SpokenToTests(OfflineTestCase):
    def test_a_title_in_a_name_does_not_catch_my_brother(self):
        minds.make_assistant("Brother Odo", location=self.room1)
        minds.make_assistant("Sergeant Holt", location=self.room1)
        self.assertEqual(self.names("my brother Jory is a smith", self.char2), [])
        self.assertEqual(self.names("the sergeant at the gate is rude", self.char2), [])
        self.assertEqual(self.names("Brother, who are you?", self.char2), ["Brother Odo"])
        self.assertEqual(self.names("Sergeant, hello", self.char2), ["Sergeant Holt"])

    def test_a_deed_is_done_to_whom_it_names_also_with_an_article(self):
        minds.make_assistant("Sergeant Holt", location=self.room1)
        self.do(self.char1, "pose waves to the sergeant.", wait=2)
        self.assertIn("Sergeant Holt waves back at Char.", str(self.ann))

    def test_a_word_of_a_description_is_a_name_to_speak_to(self):
        minds.make_assistant("a bald monk", location=self.room1)
        self.assertEqual(self.names("monk, who are you?"), ["a bald monk"])
        self.assertEqual(self.names("I want to be a monk", self.char2), [])

    def test_who_is_a_smith_may_be_called_so(self):
        lore = ("A plain sword costs forty silvers.",)
        is_smith = "You are Bob, the gruff blacksmith of Ravensford, who drinks."
        minds.make_assistant("Bob", location=self.room1, persona=is_smith, lore=lore)
        for line in (
            "Smith, how much is a sword?",
            "Hey smith!",
            "blacksmith, how much is a sword?",
            "How much is a sword, smith?",
            "Good evening, smith.",
            "Tell me, smith, what does a sword cost?",
        ):
            with self.subTest(line):
                self.assertEqual(self.names(line), ["Bob"])
                self.wait(400)
        self.assertIn("forty silvers", "".join(self.answers("Smith, how much is a sword?")))

    def test_a_call_by_an_alias_is_no_part_of_what_is_asked(self):
        greta = minds.make_assistant("Greta", location=self.room1, persona="Greta rows.")
        greta.aliases.add("ferrywoman")
        greta.locks.add("lead:all()")
        for line in ("Ferrywoman, follow me!", "Follow me, ferrywoman."):
            with self.subTest(line):
                self.answers(line)
                self.assertEqual(assistant.following(scripts.find(greta)), self.char1.id)
                assistant.follow(scripts.find(greta), None)

    def test_nobody_is_called_by_what_they_are_in_secret(self):
        persona = "You are Ilka, a weaver and secretly a spy."
        minds.make_assistant("Ilka", location=self.room1, persona=persona)
        self.assertEqual(self.names("Spy, how are you?"), [])
        self.assertEqual(self.names("Weaver, how are you?"), ["Ilka"])

    def test_who_speaks_of_a_smith_calls_nobody(self):
        minds.make_assistant("Bob", location=self.room1, persona="You are Bob, an old smith.")
        minds.make_assistant("Jon", location=self.room1, persona="You are Jon, a good friend.")
        for line in (
            "the smith is a thief",
            "Ask the smith, he knows.",
            "I want to be a smith.",
            "smith and farrier, that is what I am",
            "my brother is a smith",
            "Friend, what brings you here?",
            "good, what now",
        ):
            with self.subTest(line):
                self.assertEqual(self.names(line), [])

    def test_of_two_smiths_one_answers_and_of_a_smith_and_one_called_so_the_latter(self):
        for name in ("Bob", "Odo"):
            persona = f"You are {name}, a smith."
            minds.make_assistant(name, location=self.room1, persona=persona)
        for last in ("Bob", "Odo"):
            self.names(f"{last}, hello")
            self.assertEqual(self.names("Smith, who are you?"), [last])
        minds.make_assistant("Smith", location=self.room1)
        self.assertEqual(self.names("Smith, who are you?", self.char2), ["Smith"])

    def test_a_lone_one_answers_a_greeting_whatever_it_is_called(self):
        self.char2.location = self.room2
        self.assertEqual(self.names("Good day, sergeant"), ["Mara"])

    def test_among_players_such_a_greeting_may_be_for_another(self):
        self.assertEqual(self.names("Good day, sergeant"), [])


class SpokenToInOtherLanguagesTests(OfflineTestCase):
    def speak(self, code):
        spoken = override_settings(LANGUAGE_CODE=code)
        spoken.enable()
        self.addCleanup(spoken.disable)
        self.addCleanup(core_words.Game.speaks, core_words.Game.language)
        core_words.Game.speaks(code)

    def test_in_swedish(self):
        self.speak("sv")
        persona = {"description": "Du är Bob, den gamle hovsmeden i Korpfors.", "language": "sv"}
        minds.make_assistant("Bob", location=self.room1, persona=persona)
        self.assertEqual(self.names("Smed, vad kostar ett svärd?"), ["Bob"])
        self.wait(400)
        self.assertEqual(self.names("Hej smeden!"), ["Bob"])
        self.wait(400)
        self.assertEqual(self.names("smeden är en tjuv"), [])

    def test_in_german(self):
        self.speak("de")
        persona = {"description": "Du bist Bob, der Hufschmied von Rabenfurt.", "language": "de"}
        minds.make_assistant("Bob", location=self.room1, persona=persona)
        self.assertEqual(self.names("Schmied, was kostet ein Schwert?"), ["Bob"])
        self.wait(400)
        self.assertEqual(self.names("He Schmied!"), ["Bob"])
        self.wait(400)
        self.assertEqual(self.names("Der Schmied ist ein Dieb."), [])


class ConversationTests(OfflineTestCase):
    def test_it_survives_a_pause_where_no_other_player_is(self):
        self.char2.location = self.room2
        self.answers("Mara, what does a sword cost?")
        self.wait(300)
        self.assertEqual(self.names("I live in Oakhaven."), ["Mara"])
        self.wait(1000)
        self.assertEqual(self.names("I live in Oakhaven."), [])

    def test_it_ends_when_the_speaker_turns_to_another_player(self):
        self.assertEqual(self.names("Mara, what does a sword cost?"), ["Mara"])
        self.assertEqual(self.names("Char2, how are you?"), [])
        self.assertEqual(self.names("I am fine too"), [])
        self.assertEqual(self.names("what a day"), [])
        self.assertEqual(self.names("Well, Mara: what does a sword cost?"), ["Mara"])
        self.assertEqual(self.names("and what does a nail cost?"), ["Mara"])


class AmongPlayersTests(OfflineTestCase):
    """Char and Char2 stand beside Mara, and Char2 speaks with her first."""

    lore = ("The old mill stands by the river Wend.", "A plain sword costs forty silvers.")

    def talk(self, *lines):
        """Let the two say lines in turn, Char2 first; return those that Mara answered."""
        speakers = (self.char2, self.char1)
        return [
            line
            for number, line in enumerate(lines)
            if self.answers(line, speakers[number % 2], wait=3)
        ]

    def test_two_players_who_talk_with_each_other_are_not_interrupted(self):
        self.assertEqual(self.names("Mara, where is the old mill?", self.char2), ["Mara"])
        answered = self.talk(
            "want to go there?",
            "is it far?",
            "no, just along the river",
            "ok. have you been there before?",
            "yeah. you should visit",
            "what is it like?",
            "old and full of mice",
            "haha, mice. do you still have the sword?",
            "sold it. got forty silvers for it",
            "nice, who bought it?",
            "some farmer with a hat. ready?",
            "sure, let's go",
        )
        self.assertEqual(answered, [])

    def test_a_statement_after_an_answer_is_left_to_the_other_player(self):
        self.assertEqual(self.names("Mara, where is the old mill?", self.char2), ["Mara"])
        self.assertEqual(self.names("yeah. you should visit", self.char2), [])

    def test_a_question_that_goes_on_from_an_answer_is_answered(self):
        for line in ("and where is that?", "what about the sword?", "but is it old?"):
            with self.subTest(line):
                self.assertEqual(self.names("Mara, where is the old mill?", self.char2), ["Mara"])
                self.assertEqual(self.names(line, self.char2), ["Mara"])

    def test_once_the_players_talk_such_a_question_is_theirs(self):
        self.assertEqual(self.names("Mara, where is the old mill?", self.char2), ["Mara"])
        self.assertEqual(self.names("I know that mill", self.char1), [])
        self.assertEqual(self.names("and where is that?", self.char2), [])

    def test_whom_she_asked_something_may_answer_without_her_name(self):
        minds.script_llm("By the river. What do you want there?", "Good luck.")
        self.assertEqual(self.names("Mara, where is the old mill?", self.char2), ["Mara"])
        self.assertEqual(self.names("I look for my goat", self.char2), ["Mara"])

    def test_her_question_is_no_longer_open_once_the_other_player_spoke(self):
        minds.script_llm("By the river. What do you want there?", "Good luck.")
        self.assertEqual(self.names("Mara, where is the old mill?", self.char2), ["Mara"])
        self.assertEqual(self.names("come on, it is late", self.char1), [])
        self.assertEqual(self.names("I look for my goat", self.char2), [])

    def test_alone_with_her_a_player_needs_no_name(self):
        self.char2.location = self.room2
        self.assertEqual(self.names("Mara, where is the old mill?"), ["Mara"])
        for line in ("is it far?", "I have a goat.", "what does a sword cost?", "thanks"):
            with self.subTest(line):
                self.assertEqual(self.names(line), ["Mara"])


class BabbleTests(OfflineTestCase):
    def setUp(self):
        super().setUp()
        self.odo = minds.make_assistant("Odo", location=self.room1)
        for session in self.char1.sessions.all():
            session.cmd_last_visible = self.clock.seconds()

    def test_without_a_model_no_assistant_answers_another(self):
        self.odo.at_say("Mara, what does a sword cost?")
        self.mara.at_say("Odo, my mother died in the attack, it is a secret!")
        self.odo.at_say("Hello everybody")
        self.wait(5)
        self.assertEqual([text for text in words(self.ann) if "silvers" in text], [])
        self.assertEqual(len(words(self.ann)), 3)

    def test_what_they_say_to_each_other_is_not_important(self):
        self.mara.at_say("Odo, my mother died in the attack, it is a secret!")
        self.wait(5)
        self.assertEqual([entry.importance for entry in journal.entries(self.odo)], [1])


class ChattyTests(OfflineTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose(self.mara, talkative="chatty")
        perception.notice_presence(self.mara)

    def comes_in_again(self):
        """Return what is said as Char2 comes in again."""
        self.char2.move_to(self.room2)
        self.wait(2)
        self.ann.clear()
        self.char2.move_to(self.room1)
        self.wait(2)
        return words(self.ann)

    def test_who_does_not_answer_is_greeted_once(self):
        self.assertEqual(len(self.comes_in_again()), 1)
        self.assertEqual(self.comes_in_again(), [])
        self.assertEqual(self.comes_in_again(), [])
        self.answers("Mara, hello", self.char2)
        self.assertEqual(self.comes_in_again(), [])
        self.wait(900)
        [greeting] = self.comes_in_again()
        self.assertRegex(greeting, "again|back")


class LeadTests(OfflineTestCase):
    """Mara is led away, and goes home; Char2 is no builder."""

    def setUp(self):
        super().setUp()
        self.back = create_object(
            DefaultExit, key="back", location=self.room2, destination=self.room1
        )
        tick.run_tick(self.script_of_mara)

    def leads_away(self):
        self.mara.locks.add("lead:all()")
        self.do(self.char2, "say Mara, follow me", wait=2)
        self.exit.at_traverse(self.char2, self.room2)
        self.wait(2)
        self.assertIs(self.mara.location, self.room2)

    def ticks_after(self, seconds):
        self.wait(seconds)
        tick.run_tick(self.script_of_mara)
        self.wait(1)
        return self.mara.location

    def test_a_stranger_leads_nobody_away(self):
        for line in ("follow me", "go out", "come here"):
            self.do(self.char2, f"say Mara, {line}", wait=2)
        self.assertIs(self.mara.location, self.room1)
        self.assertIsNone(assistant.following(self.script_of_mara))

    def test_she_stays_with_who_leads_her_and_goes_home_when_left_alone(self):
        self.leads_away()
        self.wait(690)
        # As each command of a player notes it.
        self.session2.cmd_last_visible = self.clock.seconds()
        self.assertIs(self.ticks_after(10), self.room2)
        self.char2.location = None
        self.assertIs(self.ticks_after(5), self.room2)
        self.assertIs(self.ticks_after(600), self.room1)
        self.assertIsNone(assistant.post(self.script_of_mara))

    def test_a_leader_who_does_nothing_any_more_leads_nobody(self):
        self.leads_away()
        self.session2.cmd_last_visible = self.clock.seconds()
        self.assertIs(self.ticks_after(590), self.room2)
        self.assertIs(self.ticks_after(20), self.room1)

    def test_who_was_told_to_stay_goes_home_after_a_while(self):
        self.leads_away()
        self.do(self.char2, "say Mara, stay here", wait=2)
        self.assertIs(self.ticks_after(100), self.room2)
        self.assertIs(self.ticks_after(600), self.room1)

    def test_told_to_go_home_she_goes_at_once(self):
        self.leads_away()
        self.do(self.char2, "say Mara, go home", wait=2)
        self.assertIs(self.mara.location, self.room1)
        self.assertIsNone(assistant.following(self.script_of_mara))
        self.do(self.char1, "say Mara, go home", wait=2)
        self.assertIs(self.mara.location, self.room1)

    def test_a_locked_door_keeps_her_where_she_is(self):
        self.leads_away()
        self.back.locks.add("traverse:false()")
        self.char2.location = None
        self.ticks_after(5)
        self.assertIs(self.ticks_after(700), self.room2)

    def test_who_was_never_led_away_stays_where_the_builder_put_her(self):
        self.mara.location = self.room2
        self.assertIs(self.ticks_after(700), self.room2)


class TradeTests(OfflineTestCase):
    lore = ("A plain sword costs forty silvers.", "Mara sells swords and nails.")

    def test_by_default_a_wish_to_trade_has_a_line(self):
        for line, expected in (
            ("I'd like to buy a sword", "A plain sword costs forty silvers."),
            ("I want to buy a horse", "I have nothing of the kind to sell, Char."),
            ("can I buy something?", "Mara sells swords and nails."),
            ("I want to sell my axe", "I am not buying, Char.|find another buyer, Char."),
        ):
            with self.subTest(line):
                self.assertRegex(str(self.answers(f"Mara, {line}")), expected)
