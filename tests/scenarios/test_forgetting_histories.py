"""Whole histories, after which one person is forgotten: nothing of what they confided is left.

The mind tells and notes all that it is shown, in whatever way it can, so that the words of each secret
are carried into every kind of memory that there is.
"""

import random

from django.test import tag
from evennia.typeclasses.attributes import Attribute

from evennia_ai.agent.revising import forgetting
from evennia_ai.llm import base as base_of_minds
from evennia_ai.semantic import base
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase
from tests.scenarios import cast
from tests.scenarios.histories import History
from tests.synced import sync

SEEDS = ("a", "b", "c")
# Ways in which one person alone tells something.
CONFIDED = ("whisper", "tell")


@tag("scenario")
class HistoryTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.configure(ALL_TOOLS=True, CONTEXT_TOKENS=8000)
        sync(self)
        for obj in (self.mara, self.char1, self.char2):
            obj.location = None
        self.room1.tags.add("private")

    def played(self, seed):
        chance = random.Random(f"forgetting {seed}")
        base_of_minds.install("default", cast.Parrot(chance))
        people = cast.make_people(4, location=self.room2)
        history = History(
            chance=chance,
            people=people,
            room=self.room1,
            elsewhere=self.room2,
            clock=self.clock,
            closed=True,
        ).play(steps=12)
        self.wait(5)
        return history

    def places(self, token):
        """Return where a token stands."""
        rows = Attribute.objects.exclude(db_category="lore")
        found = {
            f"{row.db_category}" for row in rows if token in repr((row.db_value, row.db_strvalue))
        }
        memories = base.get_memory().facts.values()
        return found | {"memory" for fact in memories if token in f"{fact}"}

    def confided_by(self, history, person):
        """Return the tokens that one person alone has told."""
        return [
            secret.token
            for secret in history.secrets.values()
            if secret.way in CONFIDED and person.who in secret.audience
            # Whom it was told on to has heard it from the NPC.
        ]

    def forget(self, history, person):
        mind = scripts.find(history.npc)
        done = forgetting.forget(history.npc, mind, forgetting.person(history.npc, person))
        self.wait(10)
        return self.successResultOf(done)

    def test_nothing_of_what_they_confided_is_left(self):
        kinds = set()
        for seed in SEEDS:
            with self.subTest(seed):
                history = self.played(seed)
                owners = {
                    person: self.confided_by(history, person)
                    for person in history.people
                    if self.confided_by(history, person)
                }
                for person, tokens in owners.items():
                    own = [one for one in tokens if len(history.secrets[one].audience) == 1]
                    for token in own:
                        kinds |= self.places(token)
                    self.forget(history, person)
                    left = {token: self.places(token) for token in own if self.places(token)}
                    self.assertEqual(left, {})
                history.close()
        # The same search found them before.
        self.assertLessEqual({"journal", "conversations", "memory"}, kinds)

    def test_what_others_confided_is_still_there(self):
        history = self.played("others")
        person, other = history.people[:2]
        words = "I keep bees behind the smithy, and nobody knows."
        other.location = self.room1
        other.at_say(words, receivers=[history.npc], whisper=True)
        self.wait(3)
        self.forget(history, person)
        self.assertIn("conversations", self.places("behind the smithy"))
        self.assertIn("journal", self.places("behind the smithy"))
        history.close()
