"""`evennia ai_remove`: nothing of ours is left, and all that is the game's."""

import io
import shutil
import tempfile
from pathlib import Path

from django.core.management import CommandError, call_command
from django.test import override_settings
from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.server.models import ServerConfig
from evennia.typeclasses.attributes import Attribute
from evennia.utils.dbserialize import dbunserialize

from evennia_ai.lifecycle import removal, waiting
from evennia_ai.testing import minds
from evennia_ai.typeclasses import listener, scripts
from tests.lifecycle.cases import TYPECLASS, MindOfMaraTestCase


def others_ticker():
    """What the game lets be ticked."""


class RemoveCommandTests(MindOfMaraTestCase):
    def setUp(self):
        super().setUp()
        self.game = Path(tempfile.mkdtemp(prefix="evennia-ai-game-"))
        self.addCleanup(shutil.rmtree, self.game, ignore_errors=True)
        (self.game / "server" / "minds").mkdir(parents=True)
        for name in ("evennia_ai_memory.db3", "evennia_ai_memory.db3-wal", "evennia.db3"):
            (self.game / "server" / name).write_text("x")
        changed = override_settings(GAME_DIR=str(self.game))
        changed.enable()
        self.addCleanup(changed.disable)
        # A table cannot be dropped within the transaction of a test: the scenario does it.
        self.migrated = []
        self.patch(removal, "call_command", lambda *said, **_: self.migrated.append(said))

    def remove(self, *options):
        """Return what the command says."""
        out = io.StringIO()
        with self.settings_ai(EXPERIENCE={"PATH": ""}, SEMANTIC={"default": None}):
            call_command("ai_remove", *options, stdout=out)
        return out.getvalue()

    def files(self):
        return sorted(path.name for path in (self.game / "server").iterdir())

    def test_without_a_word_of_consent_it_says_what_there_is_and_does_nothing(self):
        said = self.remove()
        self.assertIn("2  scripts: minds, and what ticks them\n", said)
        self.assertIn("1  tickers\n", said)
        self.assertIn(f"{self.game.resolve()}/server/evennia_ai_memory.db3-wal\n", said)
        self.assertTrue(said.endswith("then: evennia ai_remove --confirm\n"), said)
        self.assertIsNotNone(scripts.find(self.mara))
        self.assertEqual(len(self.files()), 4)

    def test_everything_of_ours_goes_and_everything_else_stays(self):
        TICKER_HANDLER.add(7, others_ticker)
        self.char1.db.journal = {"of": "a player"}
        waiting.give_key(self.mara, "mara")
        tom = minds.make_assistant("Tom", location=self.room1)
        ObjectDB.objects.filter(pk=tom.pk).update(db_typeclass_path=TYPECLASS)
        self.mara.delete()
        self.place()
        listener._create()
        said = self.remove("--confirm")
        self.assertIn("1  bodies of deleted NPCs, in which minds wait\n", said)
        self.assertIn("All of that is gone.", said)
        # A game that still names us in one of these does not start without the package.
        for file in ("settings.py", "default_cmdsets.py", "web/urls.py"):
            self.assertIn(file, said)
        self.assertEqual(self.migrated, [("migrate", "evennia_ai", "zero")])
        for model in (ScriptDB, ObjectDB, AccountDB):
            ours = model.objects.filter(db_typeclass_path__startswith="evennia_ai")
            self.assertFalse(ours.exists())
        self.assertFalse(Attribute.objects.filter(db_attrtype="evennia_ai").exists())
        kept = Attribute.objects.filter(db_key__in=("journal", "entity_profiles"))
        self.assertEqual([one.value for one in kept], [{"of": "a player"}])
        self.assertFalse(ServerConfig.objects.filter(db_key__startswith="evennia_ai").exists())
        [key] = dbunserialize(ServerConfig.objects.conf("ticker_storage"))
        self.assertEqual(key[2:4], ("tests.management.test_ai_remove.others_ticker", 7))
        self.assertEqual(self.files(), ["evennia.db3"])
        found = ObjectDB.objects.filter(pk=tom.pk).values_list("db_key", "db_typeclass_path")
        self.assertEqual([*found], [("Tom", "evennia.objects.objects.DefaultCharacter")])

    def test_beside_a_running_server_it_does_nothing(self):
        (self.game / "server" / "server.pid").write_text("1")
        with self.assertRaisesRegex(CommandError, "^The server runs, and would write it anew"):
            self.remove("--confirm")
        self.assertIsNotNone(scripts.find(self.mara))
