"""`evennia ai_migrate`: while the server is down."""

import io
import shutil
import tempfile
from pathlib import Path

from django.core.management import CommandError, call_command
from django.test import override_settings
from evennia.server.models import ServerConfig

from evennia_ai.core import volatile
from evennia_ai.memory.storage import first_version_migration
from evennia_ai.testing import AITestCase


class MigrateCommandTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.game = Path(tempfile.mkdtemp(prefix="evennia-ai-game-"))
        self.addCleanup(shutil.rmtree, self.game, ignore_errors=True)
        (self.game / "server").mkdir()
        changed = override_settings(GAME_DIR=str(self.game))
        changed.enable()
        self.addCleanup(changed.disable)
        ServerConfig.objects.conf(first_version_migration.DONE, delete=True)
        volatile.forget_all()
        self.addCleanup(volatile.forget_all)

    def migrate(self):
        """Return what the command says."""
        out = io.StringIO()
        call_command("ai_migrate", stdout=out)
        return out.getvalue()

    def test_in_a_fresh_game_nothing_is_left(self):
        self.assertEqual(self.migrate(), "Nothing of version 0.1 was left.\n")
        self.assertEqual(self.migrate(), "Nothing of version 0.1 was left.\n")

    def test_what_is_left_is_moved(self):
        self.obj1.attributes.add("identity", {"uuid": "a-b"}, category="evennia_ai")
        self.assertEqual(
            self.migrate(), "1 Attributes of version 0.1 were moved to where minds are kept now.\n"
        )
        self.assertFalse(self.obj1.attributes.has("identity", category="evennia_ai"))

    def test_beside_a_running_server_it_does_nothing(self):
        (self.game / "server" / "server.pid").write_text("1")
        with self.assertRaisesRegex(CommandError, "^The server runs, and moves it by itself"):
            self.migrate()
        self.assertFalse(ServerConfig.objects.conf(first_version_migration.DONE))
