"""What holds for any decisions: who may know them, how they went, and that none is lost."""

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.domain import audience as audiences
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.semantic.embedders.adler32 import Adler32Embedder
from tests.experience.cases import ExperienceTestCase

PEOPLE = ("ann", "bob", "zoe")
TITLES = ("A drunkard shouts", "A merchant haggles", "A drunk merchant shouts")

audience = some.just("public") | some.lists(some.sampled_from(PEOPLE), unique=True)
hearers = some.none() | some.lists(some.sampled_from(PEOPLE), unique=True)
decision = some.fixed_dictionaries(
    {
        "title": some.sampled_from(TITLES),
        "reward": some.none() | some.floats(-1, 1),
        "audience": audience,
        "episode_id": some.sampled_from([None, "", "e1", "e2"]),
        "personality_type": some.sampled_from([None, "stern", "gentle"]),
    }
)
verdict = some.tuples(some.sampled_from(["e1", "e2"]), some.integers(0, 10), some.none() | audience)


class PropertyTests(ExperienceTestCase):
    def filled(self, decisions, verdicts=()):
        """Return a memory with these decisions, and their ids."""
        memory = ExperienceMemory(":memory:", embedder=Adler32Embedder())
        ids = {}
        for number, one in enumerate(decisions):
            rest = {key: one[key] for key in ("audience", "episode_id", "personality_type")}
            id = memory.store_decision(
                one["title"],
                f"way {number}",
                "order",
                one["reward"],
                {},
                f"secret {number}",
                **rest,
            )
            ids[id] = one
        for episode, effectiveness, known in verdicts:
            memory.store_feedback(
                OutcomeFeedback(
                    episode,
                    overall_effectiveness=effectiveness,
                    unexpected_effects=f"said of {episode}",
                    audience=known,
                )
            )
        return memory, ids

    @given(
        some.lists(decision, max_size=12),
        hearers,
        some.integers(1, 12),
        some.sampled_from(TITLES),
        some.sampled_from([None, "stern"]),
    )
    def test_what_is_found_may_be_known_and_went_well(self, decisions, hearers, n, title, kind):
        """D19: 0.05, for any decisions; and just as many as there are to find."""
        memory, ids = self.filled(decisions)
        found = memory.retrieve_similar(title, {}, n, hearers=hearers, personality_type=kind)
        fit = [
            id
            for id, one in ids.items()
            if (one["reward"] or 0) >= 0.05
            and (
                one["audience"] == "public"
                or hearers is not None
                and set(hearers) <= set(one["audience"])
            )
        ]
        self.assertEqual(len(found), min(n, len(fit)))
        self.assertEqual(len({one["id"] for one in found}), len(found))
        self.assertLessEqual({one["id"] for one in found}, set(fit))
        strange = [kind is not None and one["personality_type"] != kind for one in found]
        self.assertEqual(strange, sorted(strange))
        for group in (True, False):
            scores = [
                one["similarity_score"]
                for one, other in zip(found, strange, strict=True)
                if other is group
            ]
            self.assertEqual(scores, sorted(scores, reverse=True))

    @given(some.lists(decision, max_size=8), some.lists(verdict, max_size=4), hearers)
    def test_the_prompt_holds_nothing_that_a_hearer_may_not_know(
        self, decisions, verdicts, hearers
    ):
        memory, ids = self.filled(decisions, verdicts)
        shown = memory.build_few_shot_prompt(TITLES[0], {}, n=10, hearers=hearers)
        listening = set(PEOPLE) | {"stranger"} if hearers is None else set(hearers)
        for number, one in enumerate(ids.values()):
            if not audiences.may_know(one["audience"], listening):
                self.assertNotIn(f"secret {number}", shown)
        last = {episode: known for episode, _, known in verdicts}
        for episode, known in last.items():
            of_it = [one["audience"] for one in decisions if one["episode_id"] == episode]
            bound = audiences.intersection([*of_it, *([known] if known is not None else [])])
            if not audiences.may_know(bound, listening):
                self.assertNotIn(f"said of {episode}", shown)

    @given(some.lists(verdict, max_size=8))
    def test_there_is_one_verdict_an_episode_and_none_is_lost(self, verdicts):
        """D37."""
        memory, _ = self.filled([], verdicts)
        for episode in ("e1", "e2"):
            given_to_it = [rating for name, rating, _ in verdicts if name == episode]
            found = memory.retrieve_feedback(episode)
            kept = (
                [one["overall_effectiveness"] for one in (*found["history"], found)]
                if found
                else []
            )
            self.assertEqual(kept, given_to_it)
