"""Channels of the game: who of those who follow one remembers a line, who answers it, and with what."""

from evennia.comms.comms import DefaultChannel
from evennia.utils import logger
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_account, create_channel
from twisted.internet.defer import Deferred

from evennia_ai.agent import answer, speech
from evennia_ai.agent.hearing import channel_talk, presence
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm.base import Completion
from evennia_ai.memory import identity, journal, persona, working_memory
from evennia_ai.memory.state import assistant, channels, npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses import listener, scripts
from tests.agent.cases import MindTestCase, call, seen_by


class ChannelTestCase(MindTestCase):
    """Both players read the channel Public; Mara answers there to her name. She is far from both."""

    manner = "named"

    cast_from = (*MindTestCase.cast_from, "manner")

    def setUp(self):
        for write in ("log_file", "rotate_log_file"):
            self.patch(logger, write, lambda *args, **kwargs: None)
        super().setUp()
        self.public = DefaultChannel.objects.get(db_key="Public")
        for session in (self.session, self.session2):
            session.cmd_last_visible = self.clock.seconds()
        self.read = minds.listen(self.account2)

    def create_cast(self):
        super().create_cast()
        public = self.open_channel("Public")
        self.mara.location = self.room2
        if self.manner:
            scripts.follow_channel(self.mara, public, manner=self.manner)

    def open_channel(self, key, **options):
        """Return a new channel that both players read."""
        channel = create_channel(key, **options)
        channel.subscriptions.add([self.account, self.account2])
        return channel

    def say(self, text, *, by=None, channel=None, wait=1.0):
        """Let somebody (the first player) say something there; return what others then read."""
        self.read.clear()
        (channel or self.public).msg(text, senders=[by or self.account])
        self.wait(wait)
        return [line for _, line in self.read[1:]]

    def events(self, npc=None):
        """Return what somebody (Mara) remembers of Char, as (kind, name on the channel, text)."""
        lines = working_memory.lines_with(npc or self.mara, self.first)
        return [(line.kind, line.called or line.name, line.text) for line in lines]


class AnswerTests(ChannelTestCase):
    def test_named_on_the_channel_it_answers_on_the_channel(self):
        mind = minds.script_llm("Good evening.")
        self.read.clear()
        self.char1.execute_cmd("channel Public = Hello Mara!")
        self.wait()
        self.assertEqual(
            [text for _, text in self.read],
            ["[Public] |cTestAccount|n: Hello Mara!", "[Public] Mara: Good evening."],
        )
        self.assertEqual((self.ann, self.bob), ([], []))
        self.assertEqual(len(mind.requests), 1)
        self.assertEqual(self.pending(), [])
        self.assertEqual(self.log, [])

    def test_the_offline_mind_answers_there_as_well(self):
        persona.save_persona(self.mara, {"greeting_lines": ["Come in, come in!"]})
        self.assertEqual(self.say("Hello Mara!"), ["[Public] Mara: Come in, come in!"])

    def test_the_event_tells_whose_character_spoke_under_which_name(self):
        minds.script_llm(Deferred())
        self.say("Mara, hello!")
        event = self.last_event()
        self.assertEqual(
            {
                name: getattr(event, name)
                for name in ("kind", "text", "said_by", "actor_id", "actor_name")
            },
            {
                "kind": "channel",
                "text": "Mara, hello!",
                "said_by": self.first,
                "actor_id": self.char1.id,
                "actor_name": "",
            },
        )
        self.assertEqual((event.called, event.name), ("TestAccount", "TestAccount"))
        self.assertEqual(
            (event.channel, event.private, event.audience, event.rule),
            ("public", False, "public", "named"),
        )
        self.assertEqual((event.priority, event.hops), (8, 0))

    def test_a_character_may_speak_there_itself(self):
        minds.script_llm("Hello.")
        self.assertEqual(self.say("Hi Mara", by=self.char1), ["[Public] Mara: Hello."])
        self.assertEqual(self.events()[0], ("channel", "Char", "Hi Mara"))

    def test_an_account_that_plays_nobody_is_answered_and_has_only_a_name(self):
        mind = minds.script_llm("Hello.")
        self.account.unpuppet_object(self.session)
        self.assertEqual(self.say("Hi Mara"), ["[Public] Mara: Hello."])
        self.assertEqual(mind.requests[0].context["speaker"]["identity"], "")
        self.assertEqual(mind.requests[0].context["speaker"]["name"], "TestAccount")
        self.assertEqual(working_memory.all_lines(self.mara), [])

    def test_of_what_such_a_one_says_nothing_is_kept(self):
        """It has no identity by which it could be forgotten."""
        self.configure(ALL_TOOLS=True)
        noted = call("add_journal_entry", content="The bridge fell in the flood.")
        mind = minds.script_llm(Completion(tool_calls=(noted,)), "I see.")
        self.account.unpuppet_object(self.session)
        self.say("The bridge to the north fell in the flood.")
        self.assertEqual(self.say("Mara, the bridge fell in the flood."), ["[Public] Mara: I see."])
        self.assertIn("You keep nothing of this", str(mind.requests[-1].messages))
        self.assertEqual(journal.entries(self.mara), [])

    def test_a_notice_that_nobody_said_is_nothing(self):
        mind = minds.script_llm("Hello.")
        self.public.msg("Mara has connected.")
        self.wait()
        self.assertEqual((mind.requests, working_memory.all_lines(self.mara)), ([], []))

    def test_what_does_not_name_it_is_only_remembered(self):
        mind = minds.script_llm("Hello.")
        self.assertEqual(self.say("Selling a |rred|n sword."), [])
        self.assertEqual(mind.requests, [])
        self.assertEqual(self.events(), [("channel", "TestAccount", "Selling a red sword.")])

    def test_a_pose_is_remembered_as_one(self):
        self.say(":waves to all.")
        self.assertEqual(self.events(), [("channel", "TestAccount", "*waves to all.*")])

    def test_a_line_on_another_channel_is_not_heard(self):
        mind = minds.script_llm("Hello.")
        self.say("Hello Mara!", channel=self.open_channel("Other"))
        self.assertEqual((mind.requests, self.events()), ([], []))

    def test_words_are_data_and_cannot_pose_as_a_pose(self):
        minds.script_llm(";takes $You() {all} |rgold|n")
        self.assertEqual(
            [strip_ansi(line) for line in self.say("Mara, what do you do?")],
            ["[Public] Mara: takes $You() {all} |rgold|n"],
        )

    def test_an_action_is_shown_as_the_channel_shows_poses(self):
        minds.script_llm("*nods slowly*")
        self.assertEqual(self.say("Mara, agreed?"), ["[Public] Mara nods slowly"])

    def test_speaking_by_a_tool_goes_to_the_channel(self):
        mind = minds.script_llm(call("say", words="Aloud."))
        self.assertEqual(self.say("Mara, psst"), ["[Public] Mara: Aloud."])
        offered = [tool["name"] for tool in mind.requests[0].tools]
        self.assertIn("escalate_to_staff", offered)
        for name in ("look", "move", "give", "follow"):
            self.assertNotIn(name, offered)

    def test_what_is_for_one_alone_is_not_read_there(self):
        minds.script_llm("Aye. (To Char alone:) Psst.")
        self.assertEqual(self.say("Mara, psst"), ["[Public] Mara: Aye."])

    def test_nobody_beside_the_channel_sees_a_beat_or_a_thinking_line(self):
        persona.save_persona(self.mara, {"beats": ["looks up"], "thinking_lines": ["Hm."]})
        minds.script_llm(Deferred())
        self.say("Mara?", wait=10)
        self.assertEqual((self.ann, self.bob), ([], []))

    def test_what_it_said_there_does_not_make_the_next_word_in_a_room_one_for_it(self):
        mind = minds.script_llm("Hello.")
        self.say("Hello Mara!")
        self.mara.location = self.room1
        self.do(self.char1, "say What a day")
        self.assertEqual(len(mind.requests), 1)

    def test_another_channel_waits_for_a_turn_of_its_own(self):
        other = self.open_channel("Other")
        scripts.follow_channel(self.mara, other)
        thinking = Deferred()
        minds.script_llm(thinking, "There.")
        self.say("Mara, one?")
        self.say("Mara, two?", channel=other)
        self.read.clear()
        thinking.callback("Here.")
        self.wait(2)
        self.assertEqual(
            [text for _, text in self.read], ["[Public] Mara: Here.", "[Other] Mara: There."]
        )

    def test_no_answer_is_an_excuse_for_whoever_asked_by_name(self):
        self.patch(answer, "EXCUSES", {"fallback_lines": ["I lost the thread."]})
        minds.script_llm(LLMUnavailable("down"))
        self.assertEqual(self.say("Mara?"), ["[Public] Mara: I lost the thread."])


class MannerTests(ChannelTestCase):
    manner = None

    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm("Yes?", repeat=True)
        self.patch(answer, "SIMILARITY", 2)
        self.mind = minds.script_llm("Yes?", repeat=True)

    def follow(self, manner, *, key="Mara"):
        npc = self.mara if key == "Mara" else minds.make_assistant(key, location=self.room1)
        scripts.follow_channel(npc, self.public, manner=manner)
        return npc

    def test_whoever_only_listens_does_not_answer_to_its_name(self):
        self.follow("listen")
        self.assertEqual(self.say("Mara, are you there?"), [])
        self.assertEqual(self.events(), [("channel", "TestAccount", "Mara, are you there?")])

    def test_whoever_answers_everything_needs_no_name(self):
        self.follow("answer")
        self.assertEqual(self.say("Is anybody there?"), ["[Public] Mara: Yes?"])
        self.assertEqual(self.say("Mara?"), ["[Public] Mara: Yes?"])

    def test_one_of_those_who_answer_everything_does(self):
        self.follow("answer")
        self.follow("answer", key="Tom")
        self.assertEqual(self.say("Is anybody there?"), ["[Public] Mara: Yes?"])
        # Whom somebody spoke to last goes on with them.
        self.assertEqual(self.say("And you, Tom?"), ["[Public] Tom: Yes?"])
        self.assertEqual(self.say("How so?"), ["[Public] Tom: Yes?"])
        self.assertEqual(self.say("I?", by=self.account2), ["[Public] Mara: Yes?"])

    def test_a_name_reaches_the_one_who_has_it(self):
        self.follow("answer")
        tom = self.follow("named", key="Tom")
        self.assertEqual(self.say("Tom?"), ["[Public] Tom: Yes?"])
        self.assertEqual(self.events(tom)[0], ("channel", "TestAccount", "Tom?"))
        self.assertEqual(self.events()[0], ("channel", "TestAccount", "Tom?"))

    def test_words_to_somebody_who_reads_there_are_not_for_it(self):
        self.follow("answer")
        self.assertEqual(self.say("Char2, are you there?"), [])
        self.assertEqual(self.say("TestAccount2, are you there?"), [])

    def test_one_that_never_talks_or_is_played_leaves_it_to_another(self):
        tom = self.follow("answer", key="Tom")
        self.follow("answer")
        npc_settings.choose(self.mara, talkative="never")
        self.assertEqual(self.say("Hello"), ["[Public] Tom: Yes?"])
        self.puppet(tom, self.account2, self.session2)
        self.assertEqual(self.say("Hello"), [])

    def test_one_whose_mind_is_off_hears_nothing(self):
        self.follow("answer")
        self.script_of_mara.disable()
        self.assertEqual(self.say("Mara?"), [])
        self.assertEqual(self.events(), [])

    def test_no_excuse_goes_to_a_channel_that_asked_for_nothing(self):
        self.follow("answer")
        minds.script_llm(LLMUnavailable("down"))
        self.assertEqual(self.say("What a day."), [])
        self.assertEqual(self.pending(), [])

    def test_with_nobody_there_to_read_it_nothing_is_answered(self):
        self.follow("answer")
        for session in (self.session, self.session2):
            session.cmd_last_visible = self.clock.seconds() - 700
        self.assertEqual(self.say("Mara?"), [])
        self.assertEqual(len(self.events()), 1)
        self.session2.cmd_last_visible = self.clock.seconds()
        self.assertEqual(self.say("Mara?"), ["[Public] Mara: Yes?"])

    def test_who_reads_another_channel_does_not_count(self):
        self.follow("answer")
        self.public.subscriptions.remove(self.account2)
        self.session.cmd_last_visible = 0
        self.say("Mara?")
        self.assertEqual(self.mind.requests, [])


class ExchangeTests(ChannelTestCase):
    """Mara and Tom follow the channel, and each calls the other by name when it speaks."""

    manner = "answer"

    def setUp(self):
        super().setUp()
        self.tom = minds.make_assistant("Tom", location=self.room1)
        scripts.follow_channel(self.tom, self.public, manner="answer")
        self.patch(answer, "SIMILARITY", 2)
        self.mind = minds.script_llm(self.other, repeat=True)

    def other(self, request):
        """Reply by calling the other assistant by its name."""
        return "Tom, what now?" if request.context["npc"]["name"] == "Mara" else "Mara, what now?"

    def speakers(self, lines):
        return [line.removeprefix("[Public] ").partition(":")[0] for line in lines]

    def test_two_assistants_stop_after_four_hops(self):
        said = self.say("Mara, tell Tom a tale", wait=30)
        self.assertEqual(self.speakers(said), ["Mara", "Tom", "Mara", "Tom", "Mara"])

    def test_the_pair_rests_for_a_minute(self):
        self.say("Mara, tell a tale", wait=30)
        self.assertEqual(self.speakers(self.say("Mara, go on", wait=10)), ["Mara"])
        self.wait(60)
        self.assertEqual(len(self.say("Mara, go on", wait=30)), 5)

    def test_what_an_assistant_says_to_nobody_is_answered_by_none(self):
        minds.script_llm("A fine day.", repeat=True)
        self.assertEqual(self.speakers(self.say("Hello", wait=30)), ["Mara"])

    def test_own_words_are_no_reason_to_speak(self):
        scripts.unfollow_channel(self.tom, self.public)
        self.assertEqual(self.speakers(self.say("Hello", wait=30)), ["Mara"])

    def test_their_words_are_read_as_they_were_said(self):
        minds.script_llm("It costs $5 {each}, 'so'.")
        self.say("Mara, what does it cost?")
        [line] = working_memory.lines_with(self.tom, identity.identity_of(self.mara))
        self.assertEqual((line.text, line.mine), ("It costs $5 {each}, 'so'.", False))


class KnowledgeTests(ChannelTestCase):
    lore = (
        {"text": "The harbour treasure is a legend.", "audience": "public"},
        {"text": "The treasure lies under the harbour.", "audience": ["somebody-else"]},
    )

    def test_only_what_is_public_is_told_there(self):
        self.mara.location = self.room1
        self.do(self.char1, "whisper Mara = The harbour treasure is mine, tell nobody.")
        mind = minds.script_llm("Closed.")
        self.say("Mara, what about the harbour treasure?")
        shown = seen_by(mind)
        self.assertIn("The harbour treasure is a legend.", shown)
        self.assertNotIn("under the harbour", shown)
        self.assertNotIn("is mine", shown)

    def test_what_the_asker_may_know_is_not_whispered_to_them_either(self):
        persona.save_lore(
            self.mara, [{"text": "Char owes the harbour gold.", "audience": [self.first]}]
        )
        mind = minds.script_llm("I cannot say.")
        self.assertEqual(self.say("Mara, harbour gold?"), ["[Public] Mara: I cannot say."])
        self.assertNotIn("owes", seen_by(mind))
        self.assertEqual(self.ann, [])

    def test_nobody_learns_there_who_is_in_the_room_with_it(self):
        self.char2.move_to(self.room2)
        mind = minds.script_llm("I am busy.")
        self.say("Mara, who is with you?")
        self.assertNotIn("Char2", seen_by(mind))
        self.assertIn("You speak on the channel public", seen_by(mind))

    def test_a_reply_that_draws_on_a_secret_is_kept(self):
        self.configure(CONTEXT_SECTIONS=["tests.agent.test_channels.leaking", ...])
        minds.script_llm("The secret!")
        self.assertEqual(self.say("Mara?"), [])
        thought = self.events()[-1]
        self.assertEqual(thought[0], "thought")
        self.assertIn("not for everybody there: The secret!", thought[2])

    def test_what_was_said_there_is_known_in_a_room(self):
        self.say("The bridge to the north is broken.")
        self.mara.location = self.room1
        mind = minds.script_llm("It is broken.")
        self.do(self.char2, "say Mara, what of the bridge?")
        self.assertIn("The bridge to the north is broken.", seen_by(mind))

    def test_talk_of_the_room_is_no_conversation_there(self):
        self.mara.location = self.room1
        mind = minds.script_llm("Aye.", "Hello.", "Fine.")
        self.do(self.char1, "say Mara, a beer please")
        self.say("Hello Mara")
        self.assertEqual(mind.requests[1].context["conversation"], [])
        self.say("Mara, how are you?")
        self.assertEqual(
            [line["text"] for line in mind.requests[2].context["conversation"]],
            ["Hello Mara", "Hello."],
        )

    def test_a_closed_channel_stays_among_its_readers(self):
        closed = self.open_channel("Council", locks="listen:perm(Builder);send:all()")
        self.mara.permissions.add("Builder")
        scripts.follow_channel(self.mara, closed)
        minds.script_llm("Understood.")
        self.say("Mara, the bridge will be blown up.", channel=closed)
        self.mara.location = self.room1
        mind = minds.script_llm("No idea.", "On Monday.", "I know of nothing.")
        self.do(self.char2, "say Mara, what of the bridge?")
        self.assertNotIn("blown up", seen_by(mind))
        self.say("Mara, the bridge, again?", channel=closed)
        self.assertIn("blown up", str(mind.requests[1].messages))
        self.say("Mara, the bridge?")
        self.assertNotIn("blown up", str(mind.requests[2].messages))


def leaking(turn):
    """Be a section that forgets to ask who hears the reply, but says who may know."""
    turn.include(["somebody-else"])
    return "A secret."


class ChangeTests(ChannelTestCase):
    """What becomes of an answer when the channel changes while the mind thinks."""

    def setUp(self):
        super().setUp()
        self.thinking = Deferred()
        minds.script_llm(self.thinking)
        self.say("Mara, are you there?")
        self.read.clear()

    def answer(self):
        """Let the mind answer; return what is read then."""
        self.thinking.callback("Here.")
        self.wait(2)
        self.assertEqual(self.pending(), [])
        return [text for _, text in self.read]

    def thought(self):
        return self.events()[-1][2]

    def test_the_speaker_need_not_be_there_any_more(self):
        self.account.unpuppet_object(self.session)
        self.assertEqual(self.answer(), ["[Public] Mara: Here."])

    def test_it_may_have_walked_on(self):
        self.mara.location = self.room1
        self.assertEqual(self.answer(), ["[Public] Mara: Here."])

    def test_the_channel_was_deleted(self):
        self.public.delete()
        self.assertEqual(self.answer(), [])
        self.assertIn("because there is no channel 'public' any more: Here.", self.thought())

    def test_the_channel_was_renamed(self):
        self.public.key = "Town"
        self.assertEqual(self.answer(), [])
        self.assertIn("there is no channel 'public' any more", self.thought())
        self.assertEqual(self.say("Mara?"), [])

    def test_it_follows_the_channel_no_more(self):
        scripts.unfollow_channel(self.mara, self.public)
        self.assertEqual(self.answer(), [])
        self.assertIn("does not answer on the channel 'public' any more", self.thought())

    def test_it_was_banned(self):
        self.public.ban(self.mara)
        self.assertEqual(self.answer(), [])
        self.assertIn("it may not speak on the channel 'public'", self.thought())
        self.say("Mara, I tell you nothing.")
        self.assertNotIn("nothing", str(self.events()))

    def test_it_was_locked_out(self):
        self.public.locks.add("send:perm(Admin)")
        self.assertEqual(self.answer(), [])
        self.assertIn("it may not speak on the channel 'public'", self.thought())

    def test_a_line_that_the_channel_refused_is_told_to_staff(self):
        self.patch(DefaultChannel, "at_pre_msg", lambda channel, message, **kwargs: None)
        self.assertEqual(self.answer(), [])
        [line] = self.log
        self.assertIn("SPEAK sent nothing to the channel", line)

    def test_after_a_reload_it_is_still_answered_and_heard(self):
        minds.forget_all()
        minds.script_llm("Here again.", "Still here.")
        self.script_of_mara.at_server_start()
        listener.at_server_start()
        self.wait(2)
        self.assertEqual([text for _, text in self.read], ["[Public] Mara: Here again."])
        self.assertEqual(self.say("Mara, still?"), ["[Public] Mara: Still here."])

    def test_the_account_was_deleted_before_the_line_was_taken_in(self):
        guest = create_account("Guest", email=None, password=None)
        self.public.msg("Mara, bye", senders=[guest])
        guest.delete()
        self.wait()
        self.assertEqual(len(self.events()), 1)


class SliceTests(ChannelTestCase):
    def test_a_crowd_that_listens_is_served_in_slices(self):
        crowd = [minds.make_assistant(f"Npc{number}", location=self.room2) for number in range(5)]
        for npc in crowd:
            channels.follow(scripts.find(npc), "public", "listen")
        listener.refresh()
        self.public.msg("Good news for all.", senders=[self.account])
        self.assertEqual([self.events(npc) for npc in crowd], [[]] * 5)
        self.wait()
        for npc in crowd:
            self.assertEqual(self.events(npc), [("channel", "TestAccount", "Good news for all.")])

    def test_long_lines_are_cut(self):
        self.say("x" * 5000)
        self.assertLessEqual(len(self.events()[0][2]), speech.LONGEST_LINE)

    def test_the_first_account_that_speaks_is_not_taken_for_an_npc_of_the_same_number(self):
        self.assertIsNone(channel_talk._actor_of(self.script_of_mara))
        self.assertEqual(channel_talk._actor_of(self.account), self.char1)
        self.assertTrue(presence.is_mind(self.mara))
        self.assertEqual(assistant.followed_channels(self.script_of_mara), {"public": "named"})


class AccountNameTests(ChannelTestCase):
    """What an account is called is for the channel: elsewhere nobody need know whose it is."""

    manner = "listen"

    def setUp(self):
        super().setUp()
        self.say("I am the smith of the upper mill, by the way.")
        self.mara.location = self.room1
        self.wait(1)

    def test_no_mind_is_shown_it_in_a_room(self):
        mind = minds.script_llm("I see.", repeat=True)
        self.do(self.char1, "say Mara, good day, who is the smith of the upper mill?", wait=3)
        self.do(self.char2, "say Mara, who is the smith of the upper mill?", wait=3)
        shown = seen_by(mind)
        self.assertIn("I am the smith of the upper mill", shown)
        self.assertNotIn("TestAccount", shown)

    def test_nor_is_it_said_aloud(self):
        for asked in ("what do you know about me?", "who is the smith of the upper mill?"):
            self.do(self.char1, f"say Mara, {asked}", wait=3)
            self.do(self.char2, f"say Mara, {asked}", wait=3)
        self.assertIn("smith", str(self.bob))
        self.assertNotIn("TestAccount", str(self.bob) + str(self.ann))

    def test_it_is_kept_with_no_memory(self):
        [entry] = journal.entries(self.mara)
        self.assertEqual((entry.source_entity, entry.said_by), ("", self.first))

    def test_on_the_channel_it_is_what_they_are_called(self):
        scripts.follow_channel(self.mara, self.public, manner="answer")
        mind = minds.script_llm("I see.", repeat=True)
        self.say("Is it cold up there, Mara?")
        self.say("Is it warm, Mara?", by=self.account2)
        shown = str(mind.requests[-1].messages)
        self.assertIn("TestAccount: Is it cold up there, Mara?", shown)
        self.assertIn("TestAccount2: Is it warm, Mara?", shown)
        self.assertNotIn("Char", shown)


class LockTests(ChannelTestCase):
    manner = ""

    def test_only_a_channel_that_is_open_to_all_is_public(self):
        self.mara.permissions.add("Admin")
        for lock, is_public in (
            ("all()", True),
            (" all( )", True),
            ("all() and perm(Admin)", False),
            ("perm(Admin) or all()", False),
            ("not all() or perm(Admin)", False),
        ):
            with self.subTest(lock):
                channel = self.open_channel(f"Club {lock}", locks=f"listen:{lock};send:all()")
                scripts.follow_channel(self.mara, channel, manner="listen")
                self.say("The raid begins at noon tonight.", channel=channel)
                entry = next(journal.newest_first(self.mara))
                expected = "public" if is_public else [f"channel:{channel.id}"]
                self.assertEqual(entry.audience, expected)
