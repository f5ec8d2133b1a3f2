"""The account that hears channels for all assistants: when it is made, where it listens, who sees it."""

from evennia.accounts.accounts import DefaultAccount
from evennia.accounts.models import AccountDB
from evennia.commands.default.comms import CmdChannel
from evennia.scripts.models import ScriptDB
from evennia.utils import logger
from evennia.utils.create import create_account, create_channel
from evennia.utils.idmapper.models import flush_cache

from evennia_ai import hooks
from evennia_ai.memory import kinds, repository, working_memory
from evennia_ai.memory.state import assistant, channels
from evennia_ai.testing import minds
from evennia_ai.typeclasses import listener, scripts
from evennia_ai.typeclasses.listener import ChannelListener
from tests.agent.cases import MindTestCase


class ListenerTestCase(MindTestCase):
    def setUp(self):
        super().setUp()
        for write in ("log_file", "rotate_log_file"):
            self.patch(logger, write, lambda *args, **kwargs: None)
        self.public = create_channel("Public")
        self.trade = create_channel("Trade talk", aliases=["tt"])
        self.session.cmd_last_visible = self.clock.seconds()

    def heard_on(self):
        """Return the keys of the channels that the listener is subscribed to."""
        ears = listener.find()
        every = channels.all_channels()
        return [channel.key for channel in every if channel.subscriptions.has(ears)]

    def followed(self):
        return assistant.followed_channels(self.script_of_mara)

    def remembered_lines(self):
        return [line.text for line in working_memory.all_lines(self.mara)]


class AccountTests(ListenerTestCase):
    def setUp(self):
        super().setUp()
        self.assertIsNone(listener.find())
        scripts.follow_channel(self.mara, self.public)
        self.ears = listener.find()

    def test_it_is_made_when_the_first_assistant_follows_a_channel_and_only_then(self):
        scripts.follow_channel(self.mara, self.trade)
        other = minds.make_assistant("Tom", location=self.room1)
        scripts.follow_channel(other, self.public)
        self.assertEqual(list(ChannelListener.objects.all()), [self.ears])
        self.assertEqual(self.ears.key, "evennia_ai_listener")
        self.assertIsInstance(self.ears, ChannelListener)

    def test_nobody_can_log_in_with_it(self):
        fresh = AccountDB.objects.get(pk=self.ears.pk)
        self.assertFalse(fresh.has_usable_password())
        for password in ("", "None", "!"):
            account, errors = DefaultAccount.authenticate("evennia_ai_listener", password)
            self.assertIsNone(account)
            self.assertTrue(errors)
        self.assertFalse(self.ears.is_superuser)
        self.assertEqual(self.ears.permissions.all(), ["player"])

    def test_it_counts_as_connected_whatever_a_shutdown_sets(self):
        self.assertTrue(self.ears.is_connected)
        # As the server does it when it shuts down.
        object.__setattr__(self.ears, "is_connected", False)
        self.ears.unpuppet_all()
        self.ears.at_server_shutdown()
        self.ears.at_server_reload()
        self.assertTrue(self.ears.is_connected)
        self.assertIn(self.ears, self.public.subscriptions.online())

    def test_who_reads_a_channel_is_shown_as_what_it_is(self):
        command = CmdChannel()
        command.caller = self.char1.account
        self.assertEqual(command.channel_list_who(self.public), ["NPCs who listen"])

    def test_nobody_counts_it_among_the_players(self):
        self.assertNotIn(self.ears, AccountDB.objects.get_connected_accounts())
        self.assertTrue(self.ears.is_bot)
        self.ann.clear()
        self.char1.execute_cmd("who")
        self.assertNotIn("evennia_ai_listener", str(self.ann))

    def test_nobody_can_page_it(self):
        self.assertFalse(self.ears.access(self.char2, "msg"))
        self.assertFalse(self.ears.access(self.account2, "examine"))

    def test_a_player_who_has_its_name_keeps_it(self):
        self.ears.delete()
        player = create_account("Evennia_AI_Listener", email=None, password="testpassword")
        listener.refresh()
        self.assertEqual(listener.find().key, "evennia_ai_listener_2")
        self.assertNotEqual(listener.find().id, player.id)
        self.assertEqual(self.heard_on(), ["Public"])

    def test_deleted_it_is_made_anew_at_the_next_start(self):
        self.ears.delete()
        hooks._listen()
        self.assertEqual(self.heard_on(), ["Public"])

    def test_the_lines_of_others_come_unchanged_to_other_readers(self):
        self.public.subscriptions.add(self.account2)
        read = minds.listen(self.account2)
        self.public.msg("A fine day.", senders=[self.account])
        self.public.msg("Back soon.", senders=[self.account], no_prefix=True)
        self.assertEqual(
            [text for _, text in read],
            ["[Public] |cTestAccount|n: A fine day.", "|cTestAccount|n: Back soon."],
        )


class SubscriptionTests(ListenerTestCase):
    def test_it_listens_to_exactly_what_somebody_follows(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        scripts.follow_channel(self.mara, self.public)
        scripts.follow_channel(tom, self.public, manner="listen")
        scripts.follow_channel(tom, self.trade, manner="answer")
        self.assertEqual(self.heard_on(), ["Public", "Trade talk"])
        self.assertEqual(channels.followers("public"), {self.mara.id: "named", tom.id: "listen"})
        scripts.unfollow_channel(tom, self.trade)
        self.assertEqual(self.heard_on(), ["Public"])
        self.assertTrue(scripts.unfollow_channel(self.mara, "PUBLIC"))
        self.assertEqual(self.heard_on(), ["Public"])
        scripts.unfollow_channel(tom, self.public)
        self.assertEqual(self.heard_on(), [])
        self.assertFalse(scripts.unfollow_channel(tom, self.public))

    def test_a_channel_can_be_named_by_its_key_in_any_case(self):
        scripts.follow_channel(self.mara, " trade TALK ", manner="answer")
        self.assertEqual(self.followed(), {"trade talk": "answer"})
        scripts.follow_channel(self.mara, self.trade, manner="listen")
        self.assertEqual(self.followed(), {"trade talk": "listen"})

    def test_letters_beyond_english_count_as_one_in_both_cases(self):
        opened = create_channel("ÖPPET")
        scripts.follow_channel(self.mara, "öppet")
        self.assertEqual(channels.find("öppet"), opened)
        self.assertEqual(self.heard_on(), ["ÖPPET"])

    def test_what_cannot_be_is_refused_with_one_sentence(self):
        barred = create_channel("Staff", locks="listen:perm(Admin)")
        mute = create_channel("News", locks="send:perm(Admin)")
        for npc, channel, manner, sentence in (
            (self.mara, "Nowhere", "named", "There is no channel 'Nowhere'."),
            (self.mara, "", "named", "There is no channel ''."),
            (self.mara, self.public, "loud", "'loud' is no way to follow: listen, named, answer"),
            (self.char1, self.public, "named", "Char has no mind."),
            (self.mara, barred, "listen", "Mara may not listen to Staff"),
            (self.mara, mute, "named", "Mara may not speak on News"),
        ):
            with self.subTest(sentence), self.assertRaises(ValueError) as caught:
                scripts.follow_channel(npc, channel, manner=manner)
            self.assertIn(sentence, str(caught.exception))
        scripts.follow_channel(self.mara, mute, manner="listen")
        self.assertEqual(self.followed(), {"news": "listen"})

    def test_a_deleted_channel_cannot_be_followed(self):
        self.public.delete()
        with self.assertRaises(ValueError):
            scripts.follow_channel(self.mara, self.public)

    def test_a_mind_that_is_off_still_follows_and_hears_nothing(self):
        self.script_of_mara.disable()
        scripts.follow_channel(self.mara, self.public, manner="listen")
        self.public.msg("One.", senders=[self.account])
        self.wait(0.1)
        self.script_of_mara.enable()
        self.public.msg("Two.", senders=[self.account])
        self.wait(0.1)
        self.assertEqual(self.remembered_lines(), ["Two."])

    def test_with_the_mind_or_the_body_goes_what_it_followed(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        scripts.follow_channel(self.mara, self.public)
        scripts.follow_channel(tom, self.trade)
        scripts.detach(self.mara)
        self.assertEqual(self.heard_on(), ["Trade talk"])
        tom.delete()
        self.assertEqual(self.heard_on(), [])
        self.assertEqual(channels.followed(), set())

    def test_a_renamed_channel_is_left_when_the_next_line_comes(self):
        scripts.follow_channel(self.mara, self.public, manner="listen")
        self.public.key = "Town"
        self.assertEqual(self.heard_on(), ["Town"])
        self.public.msg("Hello.", senders=[self.account])
        self.wait(0.1)
        self.assertEqual((self.heard_on(), self.remembered_lines()), ([], []))

    def test_without_any_follower_nothing_is_made(self):
        listener.at_server_start()
        self.assertIsNone(listener.find())


class RestartTests(ListenerTestCase):
    def restart(self):
        """Forget all that is in memory only, as the end of the process does."""
        minds.forget_all()
        flush_cache()
        script = ScriptDB.objects.get(pk=self.script_of_mara.pk)
        script.at_server_start()
        return script

    def test_after_a_restart_it_listens_without_being_asked_to(self):
        scripts.follow_channel(self.mara, self.public, manner="listen")
        script = self.restart()
        public = channels.find("public")
        self.assertTrue(listener.find().is_connected)
        public.msg("Good morning.", senders=[self.account])
        self.wait(0.1)
        self.assertEqual(channels.followers("public"), {self.mara.id: "listen"})
        [line] = working_memory.all_lines(script.obj)
        self.assertEqual((line.text, line.kind), ("Good morning.", "channel"))

    def test_what_changed_meanwhile_is_put_right(self):
        scripts.follow_channel(self.mara, self.public)
        scripts.follow_channel(self.mara, self.trade)
        # Somebody wrote into the database, with no hook of ours called.
        repository.save(self.script_of_mara, kinds.CHANNELS, {"trade talk": "named"})
        self.trade.subscriptions.remove(listener.find())
        self.restart()
        listener.at_server_start()
        self.assertEqual(self.heard_on(), ["Trade talk"])
        self.assertEqual(self.log, [])

    def test_staff_read_which_channel_is_gone(self):
        scripts.follow_channel(self.mara, self.public)
        self.public.delete()
        self.restart()
        listener.at_server_start()
        self.assertEqual(
            self.log,
            [
                "evennia_ai: an assistant follows the channel 'public', but there is no channel of "
                "that name."
            ],
        )

    def test_the_start_of_the_server_sees_to_it(self):
        scripts.follow_channel(self.mara, self.public)
        self.public.subscriptions.clear()
        hooks.at_server_start()
        self.assertEqual(self.heard_on(), [])
        self.wait(1.5)
        self.assertEqual(self.heard_on(), ["Public"])
