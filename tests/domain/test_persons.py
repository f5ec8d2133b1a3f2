"""What the mind without a model takes for a question after somebody."""

from django.test import SimpleTestCase

from evennia_ai.domain.offline import persons

ASKED = (
    "What do you think of him?",
    "where is Joe",
    "Seen Joe around?",
    "Tell me, is Joe here?",
    "Who was here today?",
)
# Each would have an innkeeper look through everybody who ever talked with her.
NOT_ASKED = ("I gave her my old coat.", "The bread is good.", "He paid me.", "We sell ale.")


class WhoWasHereTests(SimpleTestCase):
    def test_everybody_is_looked_through_only_if_somebody_is_asked_for(self):
        self.assertEqual([one for one in ASKED if not persons.asks_who_was_here(one)], [])
        self.assertEqual([one for one in NOT_ASKED if persons.asks_who_was_here(one)], [])
