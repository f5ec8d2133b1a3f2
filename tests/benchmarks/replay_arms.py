"""What an assistant is shown before it decides, in each arm of `tests.benchmarks.replay`.

An assistant practises first, with nothing to go by, on the episodes of its own training; what it
did and how it believes that it went are its decisions. The arms differ in what is shown of them.
"""

import math
import random
from typing import NamedTuple

from evennia_ai.core import decisions
from evennia_ai.domain.choices import replay
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.experience_port import ExperienceMemory
from tests.benchmarks.replay_world.episode import AS_WRITTEN, TRAIN, Outcome, draw
from tests.domain.lines import OF_THE_GAME

# How often what an arm shows is drawn by chance; one draw may suit the episodes by luck.
VERSIONS = {"shuffled": 4, "placebo": 4, "random": 4}
# Examples that are shown, as the prompt shows them by default.
SHOWN = 3
# How many of the episodes somebody rates afterwards, and by how much they misjudge (of 10).
RATED = 0.6
MISRATED = 1.0
NOTES = {True: "They left content.", False: "It came to nothing good later."}
# What a text is filled up with that says too little.
PADDING = " and so on"
REASONING = "  Agent's Initial Reasoning:"
ARMS = ("none", "nearest", "replay", "feedback", "placebo", "shuffled", "worst", "random") + (
    "ideal",
    "oracle",
)


class Decision(NamedTuple):
    """What was done in an episode of the training, and how it went."""

    episode: object
    option: str
    outcome: Outcome

    def example(self):
        """Return it in the form that `replay.few_shot` takes."""
        return _example(self.option, self.episode.family.domain, self.episode.signs)


def practise(families, key, rounds, decide, tools, difficulty=AS_WRITTEN):
    """Return the decisions of somebody who knows nothing yet, `rounds` times each family."""
    decisions = []
    for number in range(rounds):
        for family in families:
            episode = draw(family, TRAIN, f"{key}/{number}", difficulty)
            option = decide(episode.text, "", random.Random(f"{episode.id}/decide").random)
            decisions.append(Decision(episode, option, episode.play(option, tools)))
    return decisions


class Assistant:
    """One assistant and its memories: as they are, with wrong rewards, and of its failures.

    `grow` lets it remember more of its training; `few_shot` is what it is shown.
    """

    def __init__(self, families, decisions, key, embedder):
        self.families, self._decisions, self._key = families, decisions, key
        self._own = ExperienceMemory(":memory:", scope="own", embedder=embedder, silent=True)
        self._worst = self._own.scoped("worst")
        self._shuffled = [
            self._own.scoped(f"shuffled {version}") for version in range(VERSIONS["shuffled"])
        ]
        self._known = 0

    def grow(self, rounds):
        """Remember the first `rounds` decisions of each family."""
        until = rounds * len(self.families)
        new = self._decisions[self._known : until]
        _remember(self._own, new, [decision.outcome.seen for decision in new])
        self._known = until

    def learn_arms(self):
        """Build the memories of the arms that show something other than the truth."""
        for version, memory in enumerate(self._shuffled):
            _remember(memory, self._decisions, self._permuted(version))
        # What went worst is what is looked up as if it had gone best.
        turned = [-decision.outcome.seen for decision in self._decisions]
        _remember(self._worst, self._decisions, turned)

    def learn_feedback(self):
        """Note what those concerned say of the decisions, long after: it is nearer to the truth."""
        for decision in self._decisions[: self._known]:
            chance = random.Random(f"{decision.episode.id}/rate")
            if chance.random() < RATED:
                self._own.store_feedback(_verdict(decision, chance))

    def replay(self, episode):
        """Return the examples that the assistant itself would look up."""
        return _looked_up(self._own, episode)

    def nearest(self, episode):
        """Return what went well in the most similar situations, whatever else came of the same action."""
        found = self._own.retrieve_similar(
            episode.title, episode.metrics, SHOWN, words=episode.words
        )
        told = ("id", "conflict_title", "words", "reward")
        return replay.few_shot(
            _example(
                one["action_type"],
                one["target_domain"],
                one["reasoning"],
                **{name: one[name] for name in told},
            )
            for one in found
        )

    def go_on(self, episodes, decide, tools):
        """Meet more episodes, by what it learned, and remember what came of them."""
        for episode in episodes:
            chance = random.Random(f"{episode.id}/decide").random
            option = decide(episode.text, self.replay(episode), chance)
            outcome = episode.play(option, tools)
            self._own.store_decision(
                episode.title,
                option,
                episode.family.domain,
                outcome.seen,
                episode.metrics,
                episode.signs,
                episode_id=episode.id,
                words=episode.words,
                background=episode.background,
            )

    def shuffled(self, episode, version):
        """Return the examples of somebody whose rewards mean nothing."""
        return _looked_up(self._shuffled[version], episode)

    def worst(self, episode):
        """Return what went worst in situations like this one, as if it were worth doing again."""
        return _looked_up(self._worst, episode)

    def random(self, episode, version):
        """Return examples of the same family that went well, whatever the situation."""
        good = [one for one in self._good() if one.episode.family == episode.family]
        chance = random.Random(f"{episode.id}/random/{version}")
        return _shown(chance.sample(good, min(SHOWN, len(good))))

    def ideal(self, episode):
        """Return what went well in the situations that are most like it in truth."""
        good = [one for one in self._good() if one.episode.family == episode.family]
        return _shown(
            sorted(good, key=lambda one: math.dist(one.episode.traits, episode.traits))[:SHOWN]
        )

    def placebo(self, episode, replayed, version):
        """Return examples of other families, in the form and the length of what is `replayed`."""
        others = [one for one in self._good() if one.episode.family != episode.family]
        chance = random.Random(f"{episode.id}/placebo/{version}")
        return of_length(_shown(chance.sample(others, replayed.count(REASONING))), len(replayed))

    def _good(self):
        return [one for one in self._decisions if one.outcome.seen >= replay.REWARD_FLOOR]

    def close(self):
        self._own.close()

    def _permuted(self, version):
        """Return the rewards in another order, within each family."""
        places = {family: [] for family in self.families}
        for place, decision in enumerate(self._decisions):
            places[decision.episode.family].append(place)
        rewards = [decision.outcome.seen for decision in self._decisions]
        for family, at in places.items():
            drawn = at[:]
            random.Random(f"{self._key}/{family.name}/shuffle/{version}").shuffle(drawn)
            for place, source in zip(at, drawn, strict=True):
                rewards[place] = self._decisions[source].outcome.seen
        return rewards


def of_length(few_shot, length):
    """Return examples with their reasonings filled up or cut, the text `length` long.

    The lines that name actions are not touched: the text can become no shorter than they are.
    """
    lines = few_shot.split("\n") if few_shot else []
    for at in reversed([at for at, line in enumerate(lines) if line.startswith(REASONING)]):
        missing = length - len("\n".join(lines))
        if missing >= 0:
            filling = PADDING * (missing // len(PADDING) + 1)
            lines[at] += filling[:missing]
            break
        lines[at] = lines[at][: max(len(REASONING), len(lines[at]) + missing)]
    return "\n".join(lines)


def _looked_up(memory, episode):
    return memory.build_few_shot_prompt(
        episode.title,
        episode.metrics,
        n=SHOWN,
        words=episode.words,
        background=episode.background,
    )


def _example(action, domain, reasoning, **more):
    decision = decisions.Decision(
        sources=OF_THE_GAME,
        **{"id": "", "audience": "public", "reward": None, "conflict_title": "", **more},
        action_type=action,
        target_domain=domain,
        reasoning=reasoning,
    )
    return decisions.Example(decision=decision, audience="public")


def _shown(decisions):
    return replay.few_shot([decision.example() for decision in decisions])


def _remember(memory, decisions, rewards):
    """Keep what somebody did who went by nothing, so that nothing was expected of it."""
    records = [
        {"id": one.episode.id, "audience": "public", "data": _data(one, reward)}
        for one, reward in zip(decisions, rewards, strict=True)
    ]
    memory.restore({"decisions": records, "trajectories": [], "feedback": []})


def _data(decision, reward):
    episode = decision.episode
    return {
        "conflict_title": episode.title,
        "words": episode.words,
        "action_type": decision.option,
        "target_domain": episode.family.domain,
        "reward": reward,
        "reasoning": episode.signs,
        "metrics_snapshot": episode.metrics,
        "episode_id": episode.id,
        "personality_type": replay.UNKNOWN_PERSONALITY,
        "route_outcome": "",
        "timestamp": "",
        "sources": [["game"]],
    }


def _verdict(decision, chance):
    value = decision.outcome.value
    rating = round(5 + 5 * value + chance.gauss(0.0, MISRATED))
    return OutcomeFeedback(
        episode_id=decision.episode.id,
        overall_effectiveness=max(0, min(10, rating)),
        unexpected_effects=NOTES[value > 0],
    )
