"""A folder, an inline worker and short ways to keep decisions, for tests of experience."""

import json

from evennia_ai.experience import base
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.semantic.embedders.adler32 import Adler32Embedder
from tests.semantic.cases import SemanticTestCase


class ExperienceTestCase(SemanticTestCase):
    """Whatever runs, runs at once; `memory` lies in a folder that is gone afterwards."""

    embedder_class = Adler32Embedder

    def setUp(self):
        super().setUp()
        self.addCleanup(base.reset)
        self.memory = self.open()

    def open(self, path=None, **options):
        """Return a memory in the folder, with the embedder of the case."""
        options = {"embedder": self.embedder_class(), **options}
        memory = ExperienceMemory(path or self.path, **options)
        self.addCleanup(memory.close)
        return memory

    def decide(
        self,
        title="A drunkard shouts in the tavern",
        action="warn",
        *,
        memory=None,
        domain="relationship",
        reward=0.5,
        metrics=(),
        reasoning="He was loud.",
        **options,
    ):
        """Keep a decision; return its id."""
        return (memory or self.memory).store_decision(
            title, action, domain, reward, dict(metrics), reasoning, **options
        )

    def similar(self, title="A drunkard shouts in the tavern", metrics=(), n=3, **options):
        """Return the actions of similar decisions, the best first."""
        found = self.memory.retrieve_similar(title, dict(metrics), n, **options)
        return [decision["action_type"] for decision in found]

    def prompt(self, title="A drunkard shouts in the tavern", **options):
        """Return the part of a prompt for a situation without metrics."""
        return self.memory.build_few_shot_prompt(title, {}, **options)

    def rate(self, episode_id, effectiveness, notes="", **options):
        """Say how an episode went."""
        self.memory.store_feedback(
            OutcomeFeedback(
                episode_id,
                overall_effectiveness=effectiveness,
                unexpected_effects=notes,
                **options,
            )
        )

    def write_seeds(self, name, content):
        """Write a file that fills an empty memory."""
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text, "utf-8")
        return str(self.folder / "*.json")
