"""The benchmark of experience measures what it says: `tests/benchmarks/replay.py` and its simulator."""

import ast
import inspect
import random
import unittest
from unittest.mock import patch

from django.test import tag
from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object
from twisted.internet.defer import maybeDeferred

from evennia_ai.exceptions import ToolError
from evennia_ai.tools import registry
from tests.benchmarks import few_shot_vote, replay, replay_arms, replay_policy
from tests.benchmarks.replay_figures import Played, Result
from tests.benchmarks.replay_world.actions import ACTIONS
from tests.benchmarks.replay_world.episode import TEST, TRAIN, Difficulty, Outcome, draw
from tests.benchmarks.replay_world.families import FAMILIES
from tests.benchmarks.replay_world.held_out import HELD_OUT
from tests.benchmarks.replay_world.signs import ALL_NEW, LITTLE, MUCH, SIGNS, STATES
from tests.tools.doubles import ToolTestCase

EVERY_FAMILY = (*FAMILIES, *HELD_OUT)
SITUATION = "Ann shouts.\nYou can: wait, soothe, warn."
SPEAKS_FOR_WARN = (
    "--- PAST EXPERIENCE ---\n"
    "- Action Taken: [WARN] on PEACE\n"
    '  Agent\'s Initial Reasoning: "Bob shouted."'
)


def well(*shares):
    """Return the versions of an arm with these shares of success."""
    return [Result(share, 0.0) for share in shares]


class PolicyTests(unittest.TestCase):
    def test_it_imports_nothing_of_the_simulator(self):
        imported = {
            f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(ast.parse(inspect.getsource(replay_policy)))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        self.assertEqual(imported, {"re", "tests.benchmarks.few_shot_vote"})

    def test_it_names_no_family_no_action_and_no_sign(self):
        known = {family.name for family in EVERY_FAMILY} | set(ACTIONS) | set(SIGNS)
        for module in (replay_policy, few_shot_vote):
            words = set(inspect.getsource(module).split())
            self.assertEqual(words & known, set(), module.__name__)

    def test_without_experience_it_guesses(self):
        for chance, guess in ((0.0, "wait"), (0.5, "soothe"), (0.9, "warn")):
            self.assertEqual(
                replay_policy.decide(SITUATION, "", lambda chance=chance: chance), guess
            )

    def test_what_went_well_in_the_past_changes_its_mind(self):
        self.assertEqual(replay_policy.decide(SITUATION, SPEAKS_FOR_WARN, lambda: 0.0), "warn")

    def test_somebody_who_writes_a_list_of_actions_into_the_scene_changes_nothing(self):
        scene = f"You can: obey.\n{SITUATION}"
        self.assertEqual(replay_policy.options_of(scene), ["wait", "soothe", "warn"])


class SimulatorTests(unittest.TestCase):
    def test_there_are_six_families_and_two_that_were_held_out(self):
        names = [family.name for family in EVERY_FAMILY]
        self.assertEqual((len(FAMILIES), len(HELD_OUT), len(set(names))), (6, 2, 8))

    def test_an_episode_is_the_same_for_whoever_plays_it(self):
        for family in EVERY_FAMILY:
            self.assertEqual(draw(family, TEST, "1/0/3"), draw(family, TEST, "1/0/3"))
            self.assertNotEqual(draw(family, TEST, "1/0/3"), draw(family, TEST, "1/0/4"))

    def test_what_is_learned_from_is_told_in_other_sentences_than_what_is_tested(self):
        for family in EVERY_FAMILY:
            with self.subTest(family.name):
                self.assertEqual(set(family.train) & set(family.test), set())
                learned = {draw(family, TRAIN, f"1/{number}").scene for number in range(200)}
                tested = {draw(family, TEST, f"1/{number}").scene for number in range(200)}
                self.assertEqual(learned & tested, set())

    def test_traits_are_drawn_from_a_continuous_range(self):
        drawn = [draw(FAMILIES[0], TRAIN, str(number)).traits for number in range(300)]
        for values in zip(*drawn, strict=True):
            self.assertEqual(len(set(values)), 300)
            self.assertLess(min(values), -0.95)
            self.assertGreater(max(values), 0.95)

    def test_the_text_tells_no_figures(self):
        for family in EVERY_FAMILY:
            episode = draw(family, TEST, "7")
            self.assertNotRegex(episode.text + episode.title, r"\d")

    def test_every_trait_has_signs_and_states_for_both_ends(self):
        for trait in {trait for family in EVERY_FAMILY for trait in family.traits}:
            for much in (LITTLE, MUCH):
                self.assertEqual(len(set(SIGNS[trait][much])), 6)
                self.assertTrue(STATES[trait][much])

    def test_wordings_can_be_such_as_were_never_met(self):
        difficulty = Difficulty(named=False, wordings=ALL_NEW)
        learned = {
            sign
            for number in range(200)
            for sign in draw(FAMILIES[0], TRAIN, str(number), difficulty).signs.split("; ")
        }
        for number in range(50):
            for sign in draw(FAMILIES[0], TEST, str(number), difficulty).signs.split("; "):
                self.assertTrue(sign == "nothing remarkable" or sign not in learned, sign)

    def test_each_action_is_right_in_some_situation_of_each_family(self):
        for family in EVERY_FAMILY:
            best = {draw(family, TRAIN, str(number)).best for number in range(300)}
            self.assertEqual(best, set(family.worth(*(0.0,) * len(family.traits))), family.name)

    def test_what_is_done_is_a_call_that_the_tools_of_the_assistant_accept(self):
        tools = registry.all_tools()
        for family in EVERY_FAMILY:
            episode = draw(family, TEST, "1")
            for option in episode.options:
                self.assertEqual(episode.play(option, tools), episode.outcomes[option])

    def test_a_call_that_a_tool_refuses_is_seen(self):
        episode = draw(FAMILIES[0], TEST, "1")
        tools = dict.fromkeys(registry.all_tools(), registry.get("look"))
        with self.assertRaises(ToolError):
            episode.play("say_firmly", tools)


class ToolsTests(ToolTestCase):
    def test_each_action_can_be_done_in_a_game(self):
        create_object(DefaultObject, key="bundle", location=self.npc)
        done = {}
        for name, action in ACTIONS.items():
            tool = registry.get(action.tool)
            said = maybeDeferred(tool.execute, self.turn, **tool.checked(action.call("Char")))
            done[name] = self.successResultOf(said)
        self.assertEqual(done["say_firmly"], "Done.")
        self.assertEqual(done["give_something"], 'You gave "bundle" to "Char".')
        self.assertEqual(done["follow_along"], 'You follow "Char" from now on.')
        self.assertEqual(done["noop_waiting"], "You stay silent.")
        self.assertEqual(done["escalate_to_staff"], "Staff have been told.")


class FiguresTests(unittest.TestCase):
    def test_an_outcome_above_zero_went_well_and_one_far_below_did_harm(self):
        outcomes = [Outcome(0.1, 0.0), Outcome(0.0, 1.0), Outcome(-0.61, 0.0), Outcome(-0.6, 0.0)]
        self.assertEqual(Result.of(outcomes), Result(0.25, 0.25))

    def test_differences_are_of_the_same_episodes(self):
        rows = [
            ("a", "x", {"none": well(0.0), "replay": well(1.0)}),
            ("a", "y", {"none": well(0.5), "replay": well(0.5)}),
            ("b", "x", {"none": well(0.0), "replay": well(1.0)}),
            ("b", "y", {"none": well(0.5), "replay": well(0.5)}),
        ]
        played = Played(rows, seed=1)
        self.assertEqual(
            played.summary("replay"),
            {"mean": 0.75, "diff": 0.5, "ci95": [0.5, 0.5], "harm_rate": 0.0},
        )
        self.assertEqual(
            played.relative_gain("replay"), {"relative_gain": 2.0, "relative_gain_ci95": [2.0, 2.0]}
        )
        self.assertEqual(played.of("y").compared("replay"), {"diff": 0.0, "ci95": [0.0, 0.0]})

    def test_the_interval_is_as_wide_as_the_assistants_differ(self):
        rows = [
            (assistant, "x", {"none": well(0.0), "replay": well(share)})
            for assistant, share in (("a", 0.0), ("b", 1.0))
            for _ in range(50)
        ]
        self.assertEqual(Played(rows, seed=1).compared("replay"), {"diff": 0.5, "ci95": [0.0, 1.0]})

    def test_the_mean_is_of_all_versions_and_the_interval_of_one(self):
        rows = [("a", "x", {"none": well(0.5), "shuffled": well(0.0, 1.0)})]
        self.assertEqual(
            Played(rows, seed=1).compared("shuffled"), {"diff": 0.0, "ci95": [-0.5, 0.5]}
        )

    def test_nothing_is_divided_by_a_base_that_never_went_well(self):
        played = Played([("a", "x", {"none": well(0.0), "replay": well(1.0)})], seed=1)
        self.assertEqual(
            played.relative_gain("replay"), {"relative_gain": None, "relative_gain_ci95": None}
        )


class ArmsTests(unittest.TestCase):
    def assistant(self, rounds=12):
        """Return an assistant that has practised haggling and brawls."""
        families = FAMILIES[:2]
        decisions = replay_arms.practise(
            families, "test", rounds, replay_policy.decide, registry.all_tools()
        )
        self.practised = decisions
        made = replay_arms.Assistant(families, decisions, "test", replay.embedder_of("adler32"))
        self.addCleanup(made.close)
        made.grow(rounds)
        return made

    def test_a_placebo_speaks_of_other_families_at_the_same_length(self):
        assistant, episode = self.assistant(), draw(FAMILIES[0], TEST, "1")
        shown = assistant.replay(episode)
        for version in range(4):
            placebo = assistant.placebo(episode, shown, version)
            self.assertEqual(len(placebo), len(shown))
            self.assertIn("on RELATIONSHIP", placebo)
            self.assertNotIn("on TRADE", placebo)

    def test_a_text_of_a_length_keeps_its_actions(self):
        for length in (110, 150, 300):
            text = replay_arms.of_length(SPEAKS_FOR_WARN, length)
            self.assertEqual(len(text), length)
            self.assertIn("- Action Taken: [WARN] on PEACE\n", text)
        self.assertEqual(replay_arms.of_length("", 0), "")

    def test_shuffled_rewards_are_those_of_the_same_family_in_another_order(self):
        assistant = self.assistant()
        shuffled = assistant._permuted(0)
        own = [decision.outcome.seen for decision in self.practised]
        self.assertNotEqual(shuffled, own)
        for family in FAMILIES[:2]:
            places = [at for at, one in enumerate(self.practised) if one.episode.family == family]
            self.assertEqual(
                sorted(shuffled[at] for at in places), sorted(own[at] for at in places)
            )

    def test_the_worst_are_failures_shown_as_if_they_were_worth_doing_again(self):
        assistant = self.assistant()
        assistant.learn_arms()
        failed = {decision.option for decision in self.practised if decision.outcome.seen <= -0.05}
        episode = draw(FAMILIES[0], TEST, "1")
        votes = few_shot_vote.weigh(assistant.worst(episode))
        self.assertTrue(votes)
        self.assertLessEqual(set(votes), failed)

    def test_feedback_stands_beside_the_examples_once_it_is_given(self):
        assistant = self.assistant()
        episodes = [draw(FAMILIES[0], TEST, str(number)) for number in range(10)]
        self.assertNotIn("Rated ", "".join(map(assistant.replay, episodes)))
        assistant.learn_feedback()
        self.assertIn("Rated ", "".join(map(assistant.replay, episodes)))


class BenchmarkTests(unittest.TestCase):
    def measure(self, **options):
        with self.small():
            return replay.measure(4, 5, **options)

    def small(self):
        return patch.multiple(
            replay,
            SIZES=(0, 4),
            CURVE=("curve 0", "curve 4"),
            CHANGED=(0, 6),
            ASSISTANTS=2,
            progress=lambda _: 0,
        )

    @tag("scenario")
    def test_a_seed_and_a_part_alone_give_the_same_figures_each_time(self):
        measured = self.measure()
        self.assertEqual(self.measure(), measured)
        with self.small():
            for part in ("free_words",):
                with self.subTest(part):
                    self.assertEqual(replay.measure_part(part, 4, 5)[part], measured[part])

    @tag("scenario")
    def test_all_figures_are_there(self):
        """D42: what is compared is the same mind with and without its experience."""
        measured = self.measure()
        arms = ["none", "nearest", "replay", "feedback", "placebo", "shuffled", "worst", "random"]
        self.assertEqual(list(measured["arms"]), [*arms, "ideal", "oracle"])
        self.assertEqual(
            measured["arms"]["none"] | {"mean": 0, "harm_rate": 0},
            {"mean": 0, "diff": 0.0, "ci95": [0.0, 0.0], "harm_rate": 0},
        )
        self.assertEqual(list(measured["curve"]), ["0", "4"])
        self.assertEqual(measured["curve"]["0"]["diff"], 0.0)
        self.assertEqual(list(measured["held_out"]["families"]), ["inquiry"])
        self.assertEqual(list(measured["changed_world"]), ["none", "0", "6"])
        self.assertEqual(list(measured["embedders"]), ["adler32", "words", "sentences"])

    def test_whoever_begins_with_a_guess_is_given_it(self):
        chance = replay.guessing(0.9, "key")
        later = random.Random("key/decide").random()
        self.assertEqual([chance(), chance()], [0.9, later])
