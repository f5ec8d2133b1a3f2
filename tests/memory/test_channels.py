"""Tests of which assistants follow which channel."""

from evennia.comms.models import ChannelDB
from evennia.scripts.scripts import DefaultScript
from evennia.utils.create import create_script

from evennia_ai.core import volatile
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.state import assistant, channels
from evennia_ai.testing import AITestCase


class FollowTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.first = create_script(DefaultScript, key="mind", obj=self.char1)
        self.second = create_script(DefaultScript, key="mind", obj=self.char2)

    def test_nobody_follows_anything_at_first(self):
        self.assertEqual(assistant.followed_channels(self.first), {})
        self.assertEqual((channels.followed(), channels.followers("public")), (set(), {}))

    def test_each_mind_keeps_its_own_list_and_all_are_found_by_channel(self):
        channels.follow(self.first, "public", "named")
        channels.follow(self.second, "public", "listen")
        channels.follow(self.second, "trade", "answer")
        self.assertEqual(assistant.followed_channels(self.first), {"public": "named"})
        self.assertEqual(
            assistant.followed_channels(self.second), {"public": "listen", "trade": "answer"}
        )
        self.assertEqual(
            channels.followers("public"), {self.char1.id: "named", self.char2.id: "listen"}
        )
        self.assertEqual(channels.followed(), {"public", "trade"})

    def test_another_manner_takes_the_place_of_the_first(self):
        channels.follow(self.first, "public", "named")
        channels.follow(self.first, "public", "answer")
        self.assertEqual(channels.followers("public"), {self.char1.id: "answer"})

    def test_what_is_followed_no_more_leaves_nothing(self):
        channels.follow(self.first, "public", "named")
        channels.follow(self.first, "public", None)
        channels.follow(self.first, "trade", None)
        self.assertEqual(channels.followed(), set())
        self.assertIsNone(repository.load(self.first, kinds.CHANNELS))

    def test_all_can_be_left_at_once(self):
        channels.follow(self.first, "public", "named")
        channels.follow(self.first, "trade", "named")
        self.assertTrue(channels.unfollow_all(self.first))
        self.assertFalse(channels.unfollow_all(self.first))
        self.assertEqual(channels.followed(), set())

    def test_a_line_on_a_channel_costs_no_question_to_the_database(self):
        channels.follow(self.first, "public", "named")
        channels.followers("public")
        with self.assertNumQueries(0):
            channels.followers("public")
            channels.followers("trade")

    def test_it_is_read_again_after_a_restart(self):
        channels.follow(self.first, "public", "named")
        volatile.forget_all()
        self.assertEqual(channels.followers("public"), {self.char1.id: "named"})

    def test_a_channel_is_found_by_its_key_in_lower_case_only(self):
        made = ChannelDB.objects.create(db_key=" Öppet ")
        made.aliases.add("open")
        self.assertEqual(channels.key_of(made), "öppet")
        self.assertEqual(channels.find("öppet"), made)
        for key in ("open", "", "other"):
            with self.subTest(key):
                self.assertIsNone(channels.find(key))
