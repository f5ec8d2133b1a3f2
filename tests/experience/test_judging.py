"""What experience expects of each action, by what came of it in situations that are alike."""

from evennia_ai.semantic.embedders.words import WordsEmbedder
from tests.experience.cases import ExperienceTestCase

ANGRY = "An insult, say by a player, angry, in the Tavern"
MERRY = "An insult, say by a player, merry, in the Tavern"


class JudgingTests(ExperienceTestCase):
    embedder_class = WordsEmbedder

    def speaks_for(self, title, **options):
        """Return the actions of the examples that are shown, the first first."""
        found = self.memory.lessons(title, **options).precedents
        return [one.decision.action_type for one in found]

    def went(self, title, action, *rewards, **given):
        return [self.decide(title, action, reward=reward, **given) for reward in rewards]

    def test_what_went_well_on_the_whole_is_shown_and_not_the_one_stroke_of_luck(self):
        self.went(ANGRY, "warn", 0.9, -0.8, -0.7, -0.9)
        self.went(ANGRY, "soothe", 0.3, 0.4, 0.2)
        self.assertEqual(self.speaks_for(ANGRY), ["soothe", "soothe", "soothe"])
        self.assertEqual(self.similar(ANGRY, n=1), ["warn"])

    def test_two_of_the_best_action_come_before_one_of_the_next_best(self):
        self.went(ANGRY, "soothe", 0.8, 0.8, 0.8)
        self.went(ANGRY, "distract", 0.4, 0.4)
        self.assertEqual(self.speaks_for(ANGRY), ["soothe", "soothe", "distract"])

    def test_it_learns_which_words_make_the_difference(self):
        """The places are many and tell nothing; one word of the mood tells all."""
        for place in ("Tavern", "Market", "Mill", "Gate", "Harbour", "Temple"):
            angry = f"An insult, say by a player, angry, in the {place}"
            merry = f"An insult, say by a player, merry, in the {place}"
            self.went(angry, "warn", -0.6)
            self.went(angry, "soothe", 0.5)
            self.went(merry, "warn", 0.6)
            self.went(merry, "soothe", -0.5)
        [found, *_] = self.memory.lessons(
            "An insult, say by a player, angry, in the Orchard"
        ).precedents
        self.assertEqual(
            (found.decision.action_type, "angry" in found.decision.conflict_title), ("soothe", True)
        )
        self.assertGreater(found.likeness, 0.85)

    def test_what_went_well_once_and_fails_now_is_given_up(self):
        self.went(ANGRY, "warn", *[0.5] * 40)
        self.assertEqual(self.speaks_for(ANGRY, n=1), ["warn"])
        self.went(ANGRY, "warn", *[-0.5] * 20)
        self.assertEqual(self.speaks_for(ANGRY, n=1), [])

    def test_a_rating_counts_twice_what_the_assistant_believes(self):
        self.went(ANGRY, "warn", 0.5, episode_id="e1")
        self.rate("e1", 2, "It hurt him.")
        self.assertEqual(self.speaks_for(ANGRY), [])
        self.rate("e1", 9, "Peace at last.")
        self.assertEqual(self.speaks_for(ANGRY), ["warn"])

    def test_a_rating_of_one_carries_over_to_what_is_tried_in_others_like_it(self):
        self.went(ANGRY, "warn", 0.3, episode_id="e1")
        self.went(ANGRY, "soothe", 0.2, episode_id="e2")
        self.assertEqual(self.speaks_for(MERRY, n=1), ["warn"])
        self.rate("e2", 10, "")
        self.assertEqual(self.speaks_for(MERRY, n=1), ["soothe"])

    def test_what_only_some_may_know_says_nothing_to_others(self):
        self.went(ANGRY, "warn", 0.2)
        self.went(ANGRY, "warn", *[-0.9] * 5, audience=["ann"])
        self.assertEqual(self.speaks_for(ANGRY), ["warn"])
        self.assertEqual(self.speaks_for(ANGRY, hearers=["ann"]), [])
        self.assertEqual(self.speaks_for(ANGRY, hearers=["ann", "bob"]), ["warn"])

    def test_what_was_said_in_confidence_of_a_decision_says_nothing_to_others(self):
        self.went(ANGRY, "warn", 0.5, episode_id="e1")
        self.rate("e1", 0, "It hurt me.", audience=["ann"])
        self.assertEqual(self.speaks_for(ANGRY, hearers=["bob"]), ["warn"])
        self.assertEqual(self.memory.lessons(ANGRY, hearers=["bob"]).setbacks, [])

    def test_nor_does_a_rating_of_an_episode_of_which_they_may_not_know_all(self):
        self.went(ANGRY, "warn", 0.5, episode_id="e1")
        self.went(ANGRY, "betray", 0.5, episode_id="e1", audience=["ann"])
        self.rate("e1", 0)
        self.assertEqual(self.speaks_for(ANGRY), ["warn"])
        self.assertEqual(self.memory.lessons(ANGRY).setbacks, [])

    def test_nor_when_what_they_may_not_know_of_the_episode_comes_after_it(self):
        self.went(ANGRY, "warn", 0.5, episode_id="e1")
        self.rate("e1", 0)
        self.assertEqual(self.speaks_for(ANGRY), [])
        self.went(ANGRY, "betray", 0.5, episode_id="e1", audience=["ann"])
        self.assertEqual(self.speaks_for(ANGRY), ["warn"])

    def test_it_says_nothing_to_them_either_when_the_decision_is_rewarded_later(self):
        [kept] = self.went(ANGRY, "warn", 0.5, episode_id="e1")
        self.rate("e1", 0, audience=["ann"])
        self.speaks_for(ANGRY)
        self.memory.set_reward(kept, 0.4)
        self.assertEqual(self.speaks_for(ANGRY), ["warn"])

    def test_a_rating_that_all_who_know_the_decision_may_know_counts(self):
        self.went(ANGRY, "warn", 0.5, episode_id="e1", audience=["ann", "bob"])
        self.rate("e1", 0, audience=["bob", "ann", "eve"])
        self.assertEqual(self.speaks_for(ANGRY, hearers=["ann"]), [])

    def test_what_came_of_it_with_another_sort_of_person_counts_less(self):
        self.went(ANGRY, "warn", 0.5, 0.5, personality_type="brawler")
        self.went(ANGRY, "soothe", 0.3, personality_type="mourner")
        self.went(ANGRY, "warn", -0.5, personality_type="mourner")
        self.assertEqual(self.speaks_for(ANGRY, personality_type="mourner"), ["soothe"])
        self.assertEqual(self.speaks_for(ANGRY, n=1, personality_type="brawler"), ["warn"])

    def test_an_outcome_that_is_not_known_yet_says_nothing(self):
        self.went(ANGRY, "warn", None)
        self.assertEqual(self.speaks_for(ANGRY), [])

    def test_outcomes_that_are_all_the_same_tell_no_word_from_another(self):
        """Three times 0.1 is not 0.3 to a machine: what rounding leaves is no difference."""
        self.went(ANGRY, "warn", *[0.1] * 3)
        self.went(MERRY, "warn", *[0.1] * 3)
        [found, *_] = self.memory.lessons("An insult, angry").precedents
        self.assertAlmostEqual(found.likeness, 0.794, places=3)

    def test_free_words_find_what_was_said_before_and_not_what_has_only_the_place_in_common(self):
        news = "News that somebody tells, say by a player, stranger, in the Tavern"
        self.went(news, "send for the watch", 0.8, words="A dragon attacked the mill!")
        self.went(news, "fetch water", 0.8, words="My horse limps and is thirsty.")
        for words, expected in (
            ("Help, the dragon is at the mill again!", ["send for the watch"]),
            ("I have a horse that limps.", ["fetch water"]),
        ):
            with self.subTest(words):
                self.assertEqual(self.speaks_for(news, words=words, background=news), expected)
        self.went("A gift, give by a player, friend, in the Tavern", "thank them", 0.9)
        stolen = "Somebody stole the crown of the king!"
        self.assertEqual(self.speaks_for(news, words=stolen, background=news), [])

    def test_of_one_decision_nothing_is_an_example_that_has_only_the_occasion_in_common(self):
        """D1: nothing was learned of any word yet; the same room and sort of talk make no likeness."""
        news = "News that somebody tells, say by a player, stranger, in the Tavern"
        self.went(news, "fetch water", 0.8, words="My horse limps.")
        for words, expected in (
            ("A dragon attacked the mill!", []),
            ("My other horse limps too.", ["fetch water"]),
        ):
            with self.subTest(words):
                self.assertEqual(self.speaks_for(news, words=words, background=news), expected)

    def test_an_occasion_that_was_found_to_matter_counts(self):
        """What goes well in the tavern goes wrong in the temple, whatever it is about."""
        news = "News that somebody tells, say by a player, in the"
        for number, thing in enumerate("horse key ship wolf well cow cart coin".split()):
            place, reward = ("Temple", -0.6) if number % 2 else ("Tavern", 0.6)
            self.went(f"{news} {place}", "shout", reward, words=f"A {thing} is gone")
        for place, well, wrong in (("Tavern", ["shout"] * 3, []), ("Temple", [], ["shout"] * 3)):
            title = f"{news} {place}"
            found = self.memory.lessons(title, words="A ring was stolen", background=title)
            with self.subTest(place):
                self.assertEqual([one.decision.action_type for one in found.precedents], well)
                self.assertEqual([one.decision.action_type for one in found.setbacks], wrong)

    def test_where_much_fails_that_was_expected_to_go_well_what_was_learned_before_is_given_up(
        self,
    ):
        """The world has changed: after failures in five moods nothing is tried in a sixth for having gone well."""
        moods = [f"An insult, {mood}" for mood in "angry merry tired proud drunk shy".split()]
        for mood in moods:
            self.went(mood, "warn", *[0.6] * 4)
        self.went(moods[0], "warn", -0.6)
        self.assertEqual(self.speaks_for(moods[5], n=1), ["warn"])
        for mood in moods[1:5]:
            self.went(mood, "warn", -0.6)
        self.assertEqual(self.speaks_for(moods[5], n=1), [])

    def test_failures_that_were_to_be_expected_change_nothing_elsewhere(self):
        moods = [f"An insult, {mood}" for mood in "angry merry tired proud drunk shy".split()]
        for mood in moods[:5]:
            self.went(mood, "warn", *[-0.6] * 4)
        self.went(moods[5], "warn", *[0.6] * 4)
        for mood in moods[:5]:
            self.went(mood, "warn", -0.6)
        self.assertEqual(self.speaks_for(moods[5], n=1), ["warn"])
