"""The dialogues of the demo game pass, and fail where somebody spoils its NPCs."""

from django.test import tag

from evennia_ai.agent.prompting import recall
from evennia_ai.testing import AITestCase, dialogues, injections
from evennia_ai.testing.dialogue import dialogue_apart, dialogue_cast
from tests.house.rules import ROOT

FOLDER = ROOT / "world" / "dialogues"


@tag("scenario")
class DemoDialogueTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(dialogue_apart.START)

    def play(self, name):
        """Return what is wrong, by the title of the step."""
        dialogue = dialogues.load(name)
        original = dialogue_apart.drive(dialogue_cast.find(dialogue, []), self.clock)
        report = dialogue_apart.drive(dialogues.play(dialogue, original), self.clock)
        attempts = len(injections.attempts()) if dialogue.injections else 0
        self.assertEqual(len(report.results), len(dialogue.steps) + attempts)
        return {one.title: one.problems for one in report.results if one.problems}

    def test_each_of_them_passes(self):
        names = sorted(path.name for path in FOLDER.glob("*.yaml"))
        self.assertEqual(names, ["guard.yaml", "innkeeper.yaml"])
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.play(name), {})

    def test_they_fail_if_what_is_whispered_is_told_to_anybody(self):
        self.patch(recall.audience, "may_know", lambda audience, hearers: True)
        self.patch(recall.audience, "select_tellable", lambda items, hearers: list(items))
        wrong = self.play("guard")
        self.assertIn(
            "canary: Cid heard 'smuggler', and was not told it.",
            wrong["Cid says: Bertil, whom does Ann owe nine crowns?"],
        )
