"""What tests of dialogues share: a game with folders, files in them, and a look at what is left."""

import shutil
import tempfile
from pathlib import Path

from django.test import override_settings
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB

from evennia_ai.commands.base import all_minds
from evennia_ai.semantic import base as semantic
from evennia_ai.testing import AITestCase, dialogues, minds
from evennia_ai.testing.dialogue import dialogue_apart, dialogue_cast

SEED = """\
name: Mara
aliases: [innkeeper]
desc: A broad woman.
persona: {description: Mara keeps the inn.}
lore:
  - The ale is brewed by old Tam, in the mill.
"""
HEAD = "seed: mara\npeople: {Ann: {}, Bob: {}}\n"


class DialogueTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        self.game = Path(tempfile.mkdtemp(prefix="evennia-ai-game-"))
        self.addCleanup(shutil.rmtree, self.game, ignore_errors=True)
        for folder in ("world/minds", "world/dialogues", "server/minds"):
            (self.game / folder).mkdir(parents=True)
        changed = override_settings(GAME_DIR=str(self.game))
        changed.enable()
        self.addCleanup(changed.disable)
        self.clock.advance(dialogue_apart.START)
        self.write("world/minds/mara.yaml", SEED)
        self.reports = []

    def write(self, path, text):
        (self.game / path).write_text(text, encoding="utf-8")

    def drive(self, deferred):
        return dialogue_apart.drive(deferred, self.clock)

    def play(self, text, *, on_result=None):
        """Play what a file says; return the report."""
        self.write("world/dialogues/mara.yaml", text)
        dialogue = dialogues.load("mara")
        npcs = [mind.obj for mind in all_minds()]
        original = self.drive(dialogue_cast.find(dialogue, npcs))
        return self.drive(dialogues.play(dialogue, original, on_result=on_result))

    def play_steps(self, steps, **kwargs):
        return self.play(f"{HEAD}dialogue:\n{steps}", **kwargs)

    def problems(self, report):
        """Return what is wrong, by line."""
        return {one.line: list(one.problems) for one in report.results if one.problems}

    def mind(self, *replies, **kwargs):
        return minds.script_llm(*replies, **kwargs)

    def left(self):
        """Return how much there is in the game, and in long-term memory."""
        memory = semantic.get_memory()
        return (
            ObjectDB.objects.count(),
            ScriptDB.objects.count(),
            len(getattr(memory, "facts", ())),
        )
