"""Who talks when, played without a model: who is spoken to, how long, and who keeps quiet."""

from evennia_ai.agent import perception
from evennia_ai.memory import journal, npc_settings
from evennia_ai.testing import minds
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
            text.replace(' says, "', ": ").rstrip('"')
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

    def test_a_lone_one_answers_a_greeting_whatever_it_is_called(self):
        self.char2.location = self.room2
        self.assertEqual(self.names("Good day, sergeant"), ["Mara"])

    def test_among_players_such_a_greeting_may_be_for_another(self):
        self.assertEqual(self.names("Good day, sergeant"), [])


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
        self.assertEqual(self.names("Well, back to you: what does a sword cost?"), ["Mara"])
        self.assertEqual(self.names("what a day"), ["Mara"])


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
        [greeting] = self.comes_in_again()
        self.assertRegex(greeting, "again|back")
