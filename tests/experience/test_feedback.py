"""Tests of what people say about an episode."""

from datetime import datetime, timezone

from evennia_ai import scheduling
from evennia_ai.experience import decision_records
from evennia_ai.experience.decision_records import OutcomeFeedback
from tests.experience.cases import ExperienceTestCase

SUBMITTED = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc)


class OutcomeFeedbackTests(ExperienceTestCase):
    def test_it_has_the_fields_of_the_sources(self):
        """D36: five of ten, nothing better, nothing worse, nothing to add, no time."""
        given = OutcomeFeedback("ep_12345")
        self.assertEqual(
            (
                given.overall_effectiveness,
                given.domains_improved,
                given.domains_worsened,
                given.unexpected_effects,
                given.resolution_time_hours,
            ),
            (5, [], [], "", 0.0),
        )
        self.assertLess(abs((scheduling.now() - given.submitted_at).total_seconds()), 60)

    def test_two_do_not_share_their_lists(self):
        OutcomeFeedback("a").domains_improved.append("health")
        self.assertEqual(OutcomeFeedback("b").domains_improved, [])

    def test_effectiveness_is_from_0_to_10(self):
        """D36."""
        for effectiveness in (-1, 11):
            with self.subTest(effectiveness), self.assertRaisesRegex(ValueError, "from 0 to 10"):
                OutcomeFeedback("a", overall_effectiveness=effectiveness)
        self.assertEqual(OutcomeFeedback("a", overall_effectiveness=0).overall_effectiveness, 0)
        with self.assertRaisesRegex(ValueError, "id of an episode"):
            OutcomeFeedback("")


class StoredFeedbackTests(ExperienceTestCase):
    def give(self, effectiveness, **options):
        return self.memory.store_feedback(
            OutcomeFeedback("ep_12345", SUBMITTED, overall_effectiveness=effectiveness, **options)
        )

    def test_it_is_stored_under_the_id_of_its_episode(self):
        """D37."""
        self.assertEqual(self.give(8), "fb_ep_12345")

    def test_it_comes_back_as_it_was_given(self):
        """D38: lists are lists; None where nobody said anything."""
        self.assertIsNone(self.memory.retrieve_feedback("ep_12345"))
        self.give(
            8,
            domains_improved=["relationships", "mental_wellbeing"],
            unexpected_effects="Partner called back.",
            resolution_time_hours=2.5,
        )
        self.assertEqual(
            self.memory.retrieve_feedback("ep_12345"),
            {
                "episode_id": "ep_12345",
                "submitted_at": "2026-03-01T12:00:00.000Z",
                "overall_effectiveness": 8,
                "domains_improved": ["relationships", "mental_wellbeing"],
                "domains_worsened": [],
                "unexpected_effects": "Partner called back.",
                "resolution_time_hours": 2.5,
                "audience": None,
                "history": [],
            },
        )

    def test_a_second_opinion_takes_the_place_of_the_first(self):
        """D37, as C-36 settles it: an upsert, and the former ones stay in `history`."""
        for effectiveness in (2, 5, 9):
            self.give(effectiveness)
        found = self.memory.retrieve_feedback("ep_12345")
        self.assertEqual(found["overall_effectiveness"], 9)
        self.assertEqual([one["overall_effectiveness"] for one in found["history"]], [2, 5])
        self.assertNotIn("history", found["history"][0])
        [[rows]] = self.memory.file.connection.execute("SELECT count(*) FROM feedback")
        self.assertEqual(rows, 1)

    def test_the_history_is_bounded(self):
        for number in range(15):
            self.give(number % 10)
        history = self.memory.retrieve_feedback("ep_12345")["history"]
        self.assertEqual(len(history), decision_records.HISTORY_LIMIT)
        self.assertEqual(history[-1]["overall_effectiveness"], 3)


class AudienceTests(ExperienceTestCase):
    """What is said of an episode is for those who may know the episode."""

    def rated(self, *audiences, **options):
        for number, audience in enumerate(audiences):
            self.decide(action=f"way {number}", episode_id="e", audience=audience)
        self.rate("e", 9, "He told me of the crown.", **options)

    def shown(self, *hearers):
        return self.prompt(hearers=list(hearers))

    def test_who_may_know_the_decision_may_know_what_was_said_of_it(self):
        self.rated(["ann", "mara"])
        self.assertIn("the crown", self.shown("ann"))
        self.assertEqual(self.shown("bob"), "")

    def test_a_public_decision_does_not_make_a_private_one_of_its_episode_public(self):
        self.rated("public", ["ann", "mara"])
        self.assertIn("the crown", self.shown("ann"))
        self.assertIn('["WAY 0"]', self.shown("bob"))
        self.assertNotIn("Rated ", self.shown("bob"))
        self.assertNotIn("Rated ", self.prompt())

    def test_it_may_be_for_fewer_than_the_decision(self):
        self.rated("public", audience=["ann"])
        self.assertIn("the crown", self.shown("ann"))
        self.assertNotIn("Rated ", self.shown("bob"))

    def test_it_is_never_for_more(self):
        self.rated(["ann"], audience="public")
        self.assertEqual(self.shown("bob"), "")

    def test_who_may_know_both_is_said(self):
        self.rated(["ann", "bob"], audience=["ann", "zoe"])
        [found] = self.memory.lessons("A drunkard", hearers=["ann"]).precedents
        self.assertEqual(found.audience, ["ann"])
        [found] = self.memory.lessons("A drunkard", hearers=["bob"]).precedents
        self.assertEqual((found.audience, found.feedback), (["ann", "bob"], None))
