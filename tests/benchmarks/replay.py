"""Whether assistants do better with experience: `python -m tests.benchmarks.replay --n 200 --seed S`.

Assistants meet situations of several families. Each acts by the same guess, and lets whatever it is
shown of its training change its mind: nothing (`none`), its experience (`replay`), that with what
people said of it (`feedback`), and texts that must not help. One JSON line.

A mean is the share of episodes that went well, so that 0 means never and a relative gain means
something. docs/evaluation.md says how it is made and what it does not show.
"""

import argparse
import itertools
import os
import random
import sys
from functools import partial
from pathlib import Path

from tests.benchmarks.link import progress, run
from tests.benchmarks.replay_arms import ARMS, VERSIONS, Assistant, practise
from tests.benchmarks.replay_figures import Played, Result, rounded
from tests.benchmarks.replay_policy import decide
from tests.benchmarks.replay_world.episode import (
    AS_WRITTEN,
    FREE_WORDS,
    TEST,
    TRAIN,
    VARIANTS,
    Episode,
    draw,
)
from tests.benchmarks.replay_world.families import FAMILIES
from tests.benchmarks.replay_world.held_out import HELD_OUT

# Assistants among which the episodes are divided, each with a training of its own.
ASSISTANTS = 20
# Decisions of each family that an assistant remembers.
SIZES = (0, 1, 3, 10, 30, 100)
CURVE = tuple(f"curve {size}" for size in SIZES)
EMBEDDERS = {
    "adler32": "evennia_ai.semantic.embedders.adler32.Adler32Embedder",
    "words": "evennia_ai.semantic.embedders.words.WordsEmbedder",
    "sentences": "evennia_ai.semantic.embedders.sentences.SentenceEmbedder",
    "minilm": "evennia_ai.semantic.embedders.onnx.OnnxEmbedder",
}
DEFAULT_EMBEDDER = "words"
# Decisions after the world has changed when it is looked how the assistants do.
CHANGED = (0, 6, 30, 90)
CONTRASTS = (
    ("replay", "nearest"),
    ("replay", "random"),
    ("replay", "placebo"),
    ("feedback", "replay"),
)


def measure(n=200, seed=1, *, minilm=""):
    """Return all figures."""
    main = World(FAMILIES, n, seed)
    played = main.play("of the arms")
    apart = World(HELD_OUT, max(1, n * len(HELD_OUT) // len(FAMILIES)), seed)
    held_out = apart.play("of families that were written later")
    return {
        **_run_of(n, seed),
        **figures(played, ARMS),
        "contrasts": {f"{a} - {b}": played.compared(a, b) for a, b in CONTRASTS},
        "held_out": {"n": len(held_out), **figures(held_out, ARMS)},
        "curve": {
            str(size): {"decisions": size * len(FAMILIES), **played.summary(f"curve {size}")}
            for size in SIZES
        },
        "embedders": embedders(main, played, minilm),
        **{name: part(main, played) for name, part in PARTS.items()},
    }


def measure_part(name, n, seed):
    """Return one of PARTS, with the same figures as `measure` has of it."""
    main = World(FAMILIES, n, seed)
    played = main.play("of the arms", arms=("none", "replay", "ideal"))
    return {**_run_of(n, seed), name: PARTS[name](main, played)}


def _run_of(n, seed):
    return {"benchmark": "replay", "n": n, "seed": seed}


def figures(played, arms):
    """Return arm by arm, and family by family, how it went."""
    families = sorted({family for _, family, _ in played.rows})
    return {
        "arms": {arm: played.summary(arm) for arm in arms},
        **played.relative_gain("replay"),
        "families": {
            family: {
                "episodes": len(played.of(family)),
                **{arm: rounded(played.of(family).mean(arm)) for arm in arms},
                **played.of(family).compared("replay"),
            }
            for family in families
        },
    }


def embedders(world, played, minilm):
    """Return how well the assistants do if likeness is what another embedder says."""
    options = {name: {} for name in EMBEDDERS if name != "minilm"}
    if minilm:
        options["minilm"] = {"folder": str(Path(minilm).resolve())}
    compared = {}
    for name, given in options.items():
        if name != DEFAULT_EMBEDDER:
            embedder = embedder_of(name, given)
            by_it = world.play(f"with {name}", embedder=embedder, arms=("none", "replay"))
        else:
            by_it = played
        compared[name] = {**by_it.summary("replay"), **by_it.relative_gain("replay")}
    return compared


def variants(world, played, difficulties=VARIANTS):
    """Return how well the same assistants do if the simulator is easier or harder."""
    compared = {"as written": _gains(played)}
    for name, difficulty in difficulties.items():
        other = World(world.families, len(played), world.seed, difficulty)
        compared[name] = _gains(other.play(name, arms=("none", "replay", "ideal")))
    return compared


def changed_world(world, last, *, is_changed=True):
    """Return how the assistants do after all their training turned false, the more they meet of it.

    With `is_changed` false they go on in the world as it was, in which they must not unlearn.
    """
    turned = Episode.turned if is_changed else Episode.same
    rows = []
    for number, key in enumerate(world.keys, start=1):
        progress(f"replay: assistant {number} of {len(world.keys)} in a changed world")
        assistant = Assistant(world.families, world.trainings[key], key, embedder_of("words"))
        assistant.grow(SIZES[-1])
        keys = [f"{key}/changed/{number}" for number in range(-(-last // len(world.families)))]
        later = [turned(draw(family, TRAIN, one)) for one in keys for family in world.families]
        tests = [turned(episode) for episode in world.episodes[key]]
        results = {episode.id: {"none": [world.played(episode, "")]} for episode in tests}
        met = 0
        for count in CHANGED:
            assistant.go_on(later[met:count], decide, world.tools)
            met = count
            for episode in tests:
                shown = world.played(episode, assistant.replay(episode))
                results[episode.id][str(count)] = [shown]
        assistant.close()
        rows += [(key, episode.family.name, results[episode.id]) for episode in tests]
    played = Played(rows, world.seed)
    return {arm: played.summary(arm) for arm in ("none", *map(str, CHANGED))}


def _gains(played):
    return {
        arm: {"mean": rounded(played.mean(arm)), **played.relative_gain(arm)}
        for arm in ("replay", "ideal", "oracle")
    }


class World:
    """Assistants with their training, and the episodes that each of them meets afterwards."""

    def __init__(self, families, n, seed, difficulty=AS_WRITTEN):
        from evennia_ai.tools import registry

        self.families, self.seed, self.tools = families, seed, registry.all_tools()
        self.keys = [f"{seed}/{number}" for number in range(min(ASSISTANTS, n))]
        self.episodes = {key: [] for key in self.keys}
        for number in range(n):
            turn, at = divmod(number, len(self.keys))
            family = families[(turn + at) % len(families)]
            episode = draw(family, TEST, f"{self.keys[at]}/{turn}", difficulty)
            self.episodes[self.keys[at]].append(episode)
        self.trainings = {
            key: practise(families, key, SIZES[-1], decide, self.tools, difficulty)
            for key in self.keys
        }

    def play(self, what, *, embedder=None, arms=None):
        """Return how the episodes went in each arm."""
        embedder, arms = embedder or embedder_of(DEFAULT_EMBEDDER), arms or (*ARMS, *CURVE)
        rows = []
        for number, key in enumerate(self.keys, start=1):
            progress(f"replay: assistant {number} of {len(self.keys)} {what}")
            assistant = Assistant(self.families, self.trainings[key], key, embedder)
            shown = shown_to(assistant, self.episodes[key], arms)
            assistant.close()
            for episode in self.episodes[key]:
                texts = shown[episode.id].items()
                results = {
                    arm: [self.played(episode, few_shot) for few_shot in few_shots]
                    for arm, few_shots in texts
                }
                results["oracle"] = [Result.of([episode.play(episode.best, self.tools)])]
                rows.append((key, episode.family.name, results))
        return Played(rows, self.seed)

    def played(self, episode, few_shot):
        """Return how an episode goes on average over all guesses that one can begin with.

        To guess once would add the luck of the guess to every figure, and tell nothing.
        """
        count = len(episode.options)
        chosen = [
            decide(episode.text, few_shot, guessing((number + 0.5) / count, episode.id))
            for number in range(count)
        ]
        return Result.of([episode.play(option, self.tools) for option in chosen])


def guessing(first, key):
    """Return chances of which the first, by which a decider guesses, is given."""
    chances = itertools.chain([first], iter(random.Random(f"{key}/decide").random, None))
    return lambda: next(chances)


def shown_to(assistant, episodes, arms):
    """Return what an assistant is shown for each episode: {arm: texts}, a text for each version."""
    shown = {episode.id: {"none": [""]} for episode in episodes}

    def show(arm, *few_shots):
        if arm in arms:
            for episode in episodes:
                shown[episode.id][arm] = [few_shot(episode) for few_shot in few_shots]

    def versions(arm, few_shot):
        show(arm, *(partial(few_shot, version=version) for version in range(VERSIONS[arm])))

    for size, arm in zip(SIZES, CURVE, strict=True):
        if arm in arms or size == SIZES[-1]:
            assistant.grow(size)
            show(arm, assistant.replay)
    show("replay", assistant.replay)
    show("nearest", assistant.nearest)
    if "shuffled" in arms:
        assistant.learn_arms()
    versions("shuffled", assistant.shuffled)
    versions("random", assistant.random)
    versions(
        "placebo",
        lambda episode, version: assistant.placebo(
            episode, shown[episode.id]["replay"][0], version
        ),
    )
    show("worst", assistant.worst)
    show("ideal", assistant.ideal)
    # What people say is found from now on: the last of all.
    if "feedback" in arms:
        assistant.learn_feedback()
        show("feedback", assistant.replay)
    return shown


# Figures that can be had alone.
PARTS = {
    "difficulty": variants,
    "free_words": partial(variants, difficulties=FREE_WORDS),
    "changed_world": lambda world, _: changed_world(world, max(CHANGED)),
    "same_world": lambda world, _: changed_world(world, max(CHANGED), is_changed=False),
}


def embedder_of(name, options=None):
    from evennia_ai import conf

    return conf.load(EMBEDDERS[name])(**(options or {}))


def set_up():
    """Make settings and tools usable here, without a server or a database."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.test_settings"
    import django
    from django.conf import settings

    django.setup()
    settings.EVENNIA_AI = {}
    from evennia_ai.tools import registry

    registry.all_tools()


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=200, help="episodes in each arm")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--minilm", default="", help="folder of model.onnx and tokenizer.json")
    given = parser.parse_args(arguments)
    if given.n < 1:
        parser.error("--n must be at least 1")

    def measured():
        set_up()
        if given.only:
            return measure_part(given.only, given.n, given.seed)
        return measure(given.n, given.seed, minilm=given.minilm)

    return run(measured)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
