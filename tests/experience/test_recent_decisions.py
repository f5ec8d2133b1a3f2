"""The last decisions of a mind."""

from evennia_ai.experience import turn_decisions
from evennia_ai.testing import minds
from evennia_ai.testing.cases import AITestCase
from evennia_ai.typeclasses import scripts
from tests.domain.decided import decision


class DecisionTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.find(minds.make_assistant(location=self.room1))

    def test_they_are_kept_oldest_first_and_at_most_twenty(self):
        gone = [
            turn_decisions.keep_decision(self.mind, decision(id=f"{number}"))
            for number in range(22)
        ]
        self.assertEqual(gone[:20], [[]] * 20)
        self.assertEqual(gone[20:], [[decision(id="0")], [decision(id="1")]])
        self.assertEqual([one.id for one in turn_decisions.recent(self.mind)][::19], ["2", "21"])
        self.assertEqual(len(turn_decisions.recent(self.mind)), 20)

    def test_one_can_be_changed_as_long_as_it_is_kept(self):
        for one in "ab":
            turn_decisions.keep_decision(self.mind, decision(id=one))
        changed = decision(id="a", given=0.5)
        self.assertEqual(turn_decisions.change_decision(self.mind, "a", given=0.5), changed)
        self.assertEqual(turn_decisions.recent(self.mind), [changed, decision(id="b")])
        self.assertIsNone(turn_decisions.change_decision(self.mind, "c", given=0.5))

    def test_what_is_returned_is_detached(self):
        turn_decisions.keep_decision(self.mind, decision())
        turn_decisions.recent(self.mind).clear()
        self.assertEqual(turn_decisions.recent(self.mind), [decision()])
