"""Seeds from a shell, while the server is down."""

import io
import shutil
import tempfile
from pathlib import Path

from django.core.management import CommandError, call_command
from django.test import override_settings

from evennia_ai.memory import persona
from evennia_ai.testing import AITestCase, minds


class SeedCommandTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.game = Path(tempfile.mkdtemp(prefix="evennia-ai-game-"))
        self.addCleanup(shutil.rmtree, self.game, ignore_errors=True)
        (self.game / "world" / "minds").mkdir(parents=True)
        (self.game / "server").mkdir()
        changed = override_settings(GAME_DIR=str(self.game))
        changed.enable()
        self.addCleanup(changed.disable)
        self.npc = minds.make_assistant("Mara", location=self.room1)
        self.write("name: Mara\nlore:\n  - The well is deep.\n")

    def write(self, text):
        (self.game / "world" / "minds" / "mara.yaml").write_text(text)

    def seed(self, *options):
        out = io.StringIO()
        call_command("ai_seed", "mara", *options, stdout=out)
        return out.getvalue()

    def lore(self):
        return [fact.text for fact in persona.load_lore(self.npc)]

    def test_a_dry_run_only_shows_what_would_change(self):
        shown = f"Mara(#{self.npc.id})\n  + lore: The well is deep.\n"
        self.assertEqual(self.seed("--dry-run"), shown)
        self.assertEqual(self.lore(), [])

    def test_otherwise_it_is_written(self):
        self.assertIn("mara.yaml is written.", self.seed())
        self.assertEqual(self.lore(), ["The well is deep."])
        self.assertEqual(self.seed(), "mara.yaml: nothing to change.\n")

    def test_beside_a_running_server_nothing_is_written(self):
        (self.game / "server" / "server.pid").write_text("1")
        with self.assertRaisesRegex(CommandError, "^The server runs: use @aimemory/seed"):
            self.seed()
        self.assertIn("The well is deep.", self.seed("--dry-run"))
        self.assertEqual(self.lore(), [])

    def test_what_is_wrong_ends_it_with_one_sentence(self):
        self.write("name: Nobody")
        with self.assertRaisesRegex(
            CommandError, "^mara.yaml: there is no assistant called Nobody"
        ):
            self.seed()

    def test_who_was_tagged_since_is_let_in_on_demand_only(self):
        """Any builder can tag an NPC of theirs."""
        self.write("npcs: []\nlore:\n  - {scope: inn, facts: [The well is deep.]}\n")
        self.npc.tags.add("inn")
        self.seed()
        rat = minds.make_assistant("Rat", location=self.room1)
        rat.tags.add("inn")
        self.assertIn(f"Rat(#{rat.id})", self.seed("--dry-run"))
        with self.assertRaisesRegex(
            CommandError, rf"^Rat\(#{rat.id}\) is tagged inn and was not in mara.yaml before"
        ):
            self.seed()
        self.assertEqual(persona.load_lore(rat), [])
        self.seed("--join")
        self.assertEqual([fact.text for fact in persona.load_lore(rat)], ["The well is deep."])
        self.assertEqual(self.seed(), "mara.yaml: nothing to change.\n")
