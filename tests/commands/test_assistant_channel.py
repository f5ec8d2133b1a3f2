"""The command with which builders let an assistant hear channels of the game."""

from evennia.utils import logger
from evennia.utils.create import create_channel

from evennia_ai.memory.state import assistant
from evennia_ai.typeclasses import listener, scripts
from tests.commands.cases import CommandTestCase


class ChannelCommandTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        for write in ("log_file", "rotate_log_file"):
            self.patch(logger, write, lambda *args, **kwargs: None)
        self.public = create_channel("Public", aliases=["pub"])
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def followed(self):
        return assistant.followed_channels(scripts.find(self.npc))

    def test_it_follows_a_channel_in_the_manner_that_is_named_last(self):
        for typed, manner, does in (
            ("Public", "named", "answers to its name"),
            ("public listen", "listen", "listens"),
            ("PUBLIC  Answer", "answer", "answers everything"),
            ("pub named", "named", "answers to its name"),
        ):
            with self.subTest(typed):
                said = self.types(f"@assistant/channel Mara = {typed}")
                self.assertEqual(said, f"{self.name} {does} on Public now.")
                self.assertEqual(self.followed(), {"public": manner})
        self.assertTrue(self.public.subscriptions.has(listener.find()))

    def test_off_ends_it(self):
        self.types("@assistant/channel Mara = Public")
        said = self.types("@assistant/channel Mara = pub off")
        self.assertEqual(said, f"{self.name} does not hear pub any more.")
        self.assertEqual(self.followed(), {})
        said = self.types("@assistant/channel Mara = Public off")
        self.assertEqual(said, f"{self.name} does not follow 'Public'.")

    def test_a_name_of_several_words_may_end_like_a_manner(self):
        for key in ("Trade talk", "The answer", "Listen"):
            create_channel(key)
        for typed, key, manner in (
            ("trade talk answer", "trade talk", "answer"),
            ("the answer named", "the answer", "named"),
            ("listen", "listen", "named"),
        ):
            with self.subTest(typed):
                self.types(f"@assistant/channel Mara = {typed}")
                self.assertEqual(self.followed()[key], manner)

    def test_without_a_channel_it_shows_what_is_followed(self):
        self.assertEqual(self.types("@assistant/channel Mara"), f"{self.name} follows: none.")
        self.types("@assistant/channel Mara = Public answer")
        self.assertEqual(
            self.types("@assistant/channel Mara ="),
            f"{self.name} follows: Public (answers everything).",
        )
        self.assertIn("Public (answers everything)", self.types("@assistant Mara"))

    def test_a_channel_that_is_gone_is_one_sentence(self):
        self.types("@assistant/channel Mara = Public")
        for change in (lambda: setattr(self.public, "key", "Town"), self.public.delete):
            change()
            gone = "public (answers to its name; there is no channel of that name now)"
            self.assertIn(gone, " ".join(self.types("@assistant Mara").split()))
            self.assertEqual(
                self.types("@assistant/channel Mara = Public listen"),
                "There is no channel 'Public' that you may listen to.",
            )
        said = self.types("@assistant/channel Mara = public off")
        self.assertEqual(said, f"{self.name} does not hear public any more.")
        self.assertEqual(self.followed(), {})

    def test_a_renamed_channel_can_be_followed_anew(self):
        self.types("@assistant/channel Mara = Public")
        self.public.key = "Town"
        self.types("@assistant/channel Mara = Town")
        self.types("@assistant/channel Mara = public off")
        self.assertEqual(self.followed(), {"town": "named"})
        self.assertTrue(self.public.subscriptions.has(listener.find()))

    def test_builders_cannot_let_it_hear_what_they_may_not_hear(self):
        create_channel("Staff", locks="listen:perm(Admin)")
        builder = self.as_staff("Builder")
        self.npc.locks.add(f"edit:id({builder.id})")
        said = self.types("@assistant/channel Mara = Staff listen", by=builder)
        self.assertEqual(said, "There is no channel 'Staff' that you may listen to.")
        self.assertEqual(self.followed(), {})

    def test_the_channels_own_locks_hold_for_the_npc(self):
        create_channel("Staff", locks="listen:perm(Admin)")
        said = self.types("@assistant/channel Mara = Staff listen")
        self.assertEqual(said, "Mara may not listen to Staff: its locks or bans say so.")
        self.npc.permissions.add("Admin")
        self.types("@assistant/channel Mara = Staff listen")
        self.assertEqual(self.followed(), {"staff": "listen"})

    def test_it_wants_an_npc_with_a_mind_that_one_controls(self):
        usage = "Usage: @assistant/channel <npc> [= <channel> [listen/named/answer/off]]"
        self.assertEqual(self.types("@assistant/channel"), usage)
        self.assertIn("has no mind", self.types("@assistant/channel Char2 = Public"))
        self.npc.locks.add("control:false();edit:false()")
        said = self.types("@assistant/channel Mara = Public", by=self.as_staff("Builder"))
        self.assertIn("You may not change the mind of", said)
        self.assertEqual(self.followed(), {})

    def test_each_change_is_one_line_for_staff(self):
        whom = f"Mara(#{self.npc.id})"
        self.assertEqual(
            self.logged("@assistant/channel Mara = Public answer"),
            [f"evennia_ai: Char(#6) let the channel 'Public' be followed (answer) by {whom}."],
        )
        self.assertEqual(self.logged("@assistant/channel Mara"), [])
        self.assertEqual(
            self.logged("@assistant/channel Mara = Public off"),
            [f"evennia_ai: Char(#6) let the channel 'Public' be left by {whom}."],
        )

    def test_the_help_tells_of_it(self):
        told = self.types("help @assistant")
        self.assertIn("@assistant/channel <npc> [= <channel> [listen/named/answer/off]]", told)
