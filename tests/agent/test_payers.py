"""On whose account an assistant thinks: of whoever caused it; and that nobody is asked for nobody."""

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_account, create_object
from twisted.internet.defer import Deferred

from evennia_ai import tick
from evennia_ai.agent import answer, trace
from evennia_ai.agent.hearing import perception
from evennia_ai.core.records import GUESTS
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, words
from tests.agent.test_channels import ChannelTestCase


def payers(mind):
    """Return the accounts on which a mind was asked, in order."""
    return [request.caller.player_id for request in mind.requests]


class Slow:
    """A model that takes a while, during which somebody does something."""

    name, is_model = "slow", True

    def __init__(self, clock, *, seconds, meanwhile):
        self.clock, self.seconds, self.meanwhile = clock, seconds, meanwhile
        self.requests = []

    def complete(self, request):
        self.requests.append(request)
        answer = Deferred()
        text = f"This is answer {len(self.requests)} to {request.context['event']['actor_name']}."
        self.clock.callLater(self.seconds / 2, self.meanwhile, len(self.requests))
        self.clock.callLater(self.seconds, answer.callback, Completion(text))
        return answer


class OthersTests(MindTestCase):
    """Char asks; Char2 talks on and on."""

    def setUp(self):
        super().setUp()
        self.patch(answer, "SIMILARITY", 2)

    def heckle(self, command, *, seconds):
        """Let the model take `seconds`, and Char2 type a command meanwhile, each time."""
        mind = Slow(
            self.clock,
            seconds=seconds,
            meanwhile=lambda number: self.char2.execute_cmd(command.format(number=number)),
        )
        base.install("default", mind)
        return mind

    def test_who_talks_meanwhile_takes_no_answer_away_and_pays_for_their_own(self):
        mind = self.heckle("say Mara, la {number}", seconds=0.5)
        self.do(self.char1, "say Mara, what does a bed cost?", wait=5)
        self.assertIn('Mara says, "This is answer 1 to Char."', words(self.ann))
        self.assertEqual(payers(mind)[0], self.account.id)
        self.assertEqual(set(payers(mind)[1:]), {self.account2.id})
        self.assertNotIn("la 1", f"{mind.requests[0].messages}")

    def test_who_spoke_in_the_same_breath_pays_for_their_own_too(self):
        mind = minds.script_llm("To you.", "And to you.")
        self.char1.execute_cmd("say Mara, what does a bed cost?")
        self.do(self.char2, "say Mara, what does an ale cost?", wait=3)
        self.assertEqual(payers(mind), [self.account.id, self.account2.id])
        self.assertEqual(words(self.ann)[2:], ['Mara says, "To you."', 'Mara says, "And to you."'])

    def test_who_is_more_pressing_does_not_keep_others_waiting_for_ever(self):
        # Each answer to Char2 takes as long as a turn may.
        mind = minds.script_llm(Deferred(), Deferred(), "Three coppers.", "What is it?")
        self.do(self.char2, "whisper Mara = help me!")
        self.do(self.char1, "say Mara, what does a bed cost?", wait=10)
        perception.told(self.mara, "help me, I say!", self.char2)
        self.wait(30)
        self.do(self.char2, "whisper Mara = will you not help me?", wait=25)
        self.assertEqual(
            payers(mind),
            [self.account2.id, self.account2.id, self.account.id, self.account2.id],
        )
        self.assertIn('Mara says, "Three coppers."', words(self.ann))


class NobodyTests(MindTestCase):
    """Where nobody can hear an answer no model is asked, and what was said counts as dealt with."""

    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm("Three coppers.", repeat=True)

    def assert_nobody_was_asked(self, reason):
        self.wait(3)
        self.assertEqual((self.mind.requests, self.pending()), ([], []))
        self.assertEqual(trace.turns(self.mara.id)[0].notes, [f"asked no mind: {reason}"])

    def test_the_speaker_quit_before_the_turn(self):
        self.do(self.char1, "say Mara, what does a bed cost?", wait=0.1)
        self.account.unpuppet_object(self.session)
        self.assertIsNone(self.char1.location)
        self.assert_nobody_was_asked("Char had left")

    def test_the_speaker_quit_and_the_game_leaves_the_body_there(self):
        self.do(self.char1, "say Mara, what does a bed cost?", wait=0.1)
        self.account.unpuppet_object(self.session)
        self.char1.location = self.room1
        self.assert_nobody_was_asked("Char had left")

    def test_the_speaker_told_it_from_afar_and_quit(self):
        perception.told(self.mara, "what does a bed cost?", self.char1)
        self.account.unpuppet_object(self.session)
        self.assert_nobody_was_asked("Char had left")

    def test_the_speaker_quit_while_a_tool_was_used(self):
        self.mind = minds.script_llm(
            lambda request: self.account.unpuppet_object(self.session) or call("look"),
            "It is late.",
        )
        self.do(self.char1, "say Mara, how late is it?", wait=3)
        self.assertEqual((len(self.mind.requests), self.pending()), (1, []))

    def test_the_game_tells_it_something_in_an_empty_room(self):
        for character in (self.char1, self.char2):
            character.location = self.room2
        perception.perceive(self.mara, "bell", "the bell of the tower rings")
        self.assert_nobody_was_asked("nobody was there to hear it")

    def test_with_a_player_there_the_game_has_its_answer(self):
        perception.perceive(self.mara, "bell", "the bell of the tower rings")
        self.wait(3)
        self.assertEqual(words(self.ann), ['Mara says, "Three coppers."'])
        self.assertEqual(payers(self.mind), [0])

    def test_a_scripted_character_is_answered(self):
        robot = create_object(DefaultCharacter, key="Robot", location=self.room1)
        self.do(robot, "say Mara, what does a bed cost?", wait=3)
        self.assertEqual(payers(self.mind), [0])

    def test_all_players_left_two_assistants_who_talk(self):
        for session in (self.session, self.session2):
            session.cmd_last_visible = self.clock.seconds()
        tom = minds.make_assistant("Tom", location=self.room1)
        self.mind = minds.script_llm("Tom, what do you say?", "Nothing.")
        self.do(self.char1, "say Mara, hello", wait=0.5)
        for character in (self.char1, self.char2):
            character.location = self.room2
        self.wait(3)
        self.assertEqual(len(self.mind.requests), 1)
        notes = trace.turns(tom.id)[0].notes
        self.assertEqual(notes, ["asked no mind: nobody was there to hear it"])


class AccountTests(MindTestCase):
    def setUp(self):
        super().setUp()
        for session in (self.session, self.session2):
            session.cmd_last_visible = self.clock.seconds()

    def test_the_account_stands_in_the_event_when_it_is_perceived(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello", wait=0.1)
        self.assertEqual(self.last_event().payer, self.account.id)

    def test_whoever_quits_before_it_is_taken_in_has_said_it(self):
        self.char1.execute_cmd("say Mara, hello")
        self.account.unpuppet_object(self.session)
        self.char1.location = self.room1
        self.wait(0.1)
        self.assertEqual(self.last_event().payer, self.account.id)

    def test_all_guests_are_on_one_account(self):
        mind = minds.script_llm("Welcome.", "And you.")
        for account in (self.account, self.account2):
            self.patch(account, "is_typeclass", lambda path, exact=False: True)
        self.do(self.char1, "say Mara, hello", wait=2)
        self.do(self.char2, "say Mara, hello", wait=2)
        self.assertEqual(payers(mind), [GUESTS, GUESTS])

    def test_a_guest_by_permission_is_one(self):
        account = create_account("Visitor", email=None, password="secret-enough")
        self.assertEqual(accounts.payer_of(account), account.id)
        account.permissions.clear()
        account.permissions.add("Guests")
        self.assertEqual(accounts.payer_of(account), GUESTS)

    def test_a_reminder_counts_for_whom_it_was_promised(self):
        mind = minds.script_llm(
            call("set_reminder", minutes=1, text="the bread"), "I will.", "The bread, Char!"
        )
        self.do(self.char1, "say Mara, remind me of the bread", wait=2)
        self.wait(70)
        perceived = trace.turns(self.mara.id)[0].event
        self.assertEqual((perceived.kind, perceived.payer), ("say", self.account.id))
        tick.run_tick(self.script_of_mara)
        self.wait(2)
        self.assertEqual(payers(mind), [self.account.id] * 3)

    def test_one_whose_reminder_is_due_while_they_are_away_costs_nothing(self):
        mind = minds.script_llm(call("set_reminder", minutes=1, text="the bread"), "I will.")
        self.do(self.char1, "say Mara, remind me of the bread", wait=2)
        self.account.unpuppet_object(self.session)
        self.char1.location = self.room1
        self.wait(70)
        tick.run_tick(self.script_of_mara)
        self.wait(2)
        self.assertEqual(len(mind.requests), 2)


class AssistantsTests(MindTestCase):
    """What an assistant says because of a player's words, another answers on that player's account."""

    def setUp(self):
        super().setUp()
        for session in (self.session, self.session2):
            session.cmd_last_visible = self.clock.seconds()
        self.tom = minds.make_assistant("Tom", location=self.room1)

    def test_the_whole_chain_counts_for_who_began_it(self):
        mind = minds.script_llm(
            "Tom, what do you say?", "Mara, no.", "Tom, no?", "No.", "No, then."
        )
        self.do(self.char2, "say Mara, ask Tom", wait=4)
        asked = [request.context["npc"]["name"] for request in mind.requests]
        self.assertEqual(asked[:3], ["Mara", "Tom", "Mara"])
        self.assertEqual(set(payers(mind)), {self.account2.id})

    def test_so_does_what_it_says_by_a_command_of_the_game(self):
        self.configure(ALLOWED_COMMANDS=["say"])
        npc_settings.grant(self.mara, allowed_commands=["say"])
        mind = minds.script_llm(
            call("execute_command", command="say Tom, what do you say?"), "There.", "No."
        )
        self.do(self.char2, "say Mara, ask Tom by a command", wait=4)
        self.assertIn("Tom", [request.context["npc"]["name"] for request in mind.requests])
        self.assertEqual(set(payers(mind)), {self.account2.id})
        self.assertEqual(trace.turns(self.tom.id)[0].event.hops, 1)

    def test_what_staff_let_it_say_counts_for_them(self):
        mind = minds.script_llm("I say no.")
        self.char1.execute_cmd("@assistant/say Mara = Tom, what do you say?")
        self.wait(3)
        self.assertEqual(payers(mind), [self.account.id])

    def test_without_a_player_it_counts_for_who_answers(self):
        mind = minds.script_llm("Tom, the bell!", "I hear it.")
        perception.perceive(self.mara, "bell", "the bell of the tower rings")
        self.wait(3)
        self.assertEqual(payers(mind), [0, 0])
        keys = [request.caller.assistant_key for request in mind.requests]
        self.assertEqual(keys, [self.script_of_mara.assistant_key, trace.turns(self.tom.id)[0].key])


class OnChannelsTests(ChannelTestCase):
    def test_who_plays_no_character_pays_all_the_same(self):
        mind = minds.script_llm("Hello.")
        self.account.unpuppet_object(self.session)
        self.say("Mara, hello")
        self.assertEqual(payers(mind), [self.account.id])

    def test_with_nobody_left_to_read_it_no_model_is_asked(self):
        mind = minds.script_llm("Hello.")
        self.public.msg("Mara, hello", senders=[self.account])
        self.wait(0.1)
        for account in (self.account, self.account2):
            self.public.subscriptions.remove(account)
        self.wait(2)
        self.assertEqual((mind.requests, self.pending()), ([], []))
        notes = trace.turns(self.mara.id)[0].notes
        self.assertEqual(notes, ["asked no mind: nobody is left on the channel 'public'"])
