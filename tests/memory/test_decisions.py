"""The last decisions of a mind."""

from evennia_ai.memory import decisions
from evennia_ai.testing import minds
from evennia_ai.testing.cases import AITestCase
from evennia_ai.typeclasses import scripts


class DecisionTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.find(minds.make_assistant(location=self.room1))

    def test_they_are_kept_oldest_first_and_at_most_twenty(self):
        gone = [decisions.add(self.mind, {"id": f"{number}"}) for number in range(22)]
        self.assertEqual(gone[:20], [[]] * 20)
        self.assertEqual(gone[20:], [[{"id": "0"}], [{"id": "1"}]])
        self.assertEqual([one["id"] for one in decisions.recent(self.mind)][::19], ["2", "21"])
        self.assertEqual(len(decisions.recent(self.mind)), 20)

    def test_one_can_be_changed_as_long_as_it_is_kept(self):
        decisions.add(self.mind, {"id": "a", "given": 0.0})
        self.assertEqual(decisions.change(self.mind, "a", given=0.5), {"id": "a", "given": 0.5})
        self.assertEqual(decisions.recent(self.mind), [{"id": "a", "given": 0.5}])
        self.assertIsNone(decisions.change(self.mind, "b", given=0.5))

    def test_what_is_returned_is_detached(self):
        decisions.add(self.mind, {"id": "a"})
        decisions.recent(self.mind)[0]["id"] = "b"
        self.assertEqual(decisions.recent(self.mind), [{"id": "a"}])
