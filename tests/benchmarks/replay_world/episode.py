"""One situation and how it would end: drawn from a seed, the same for whoever plays it.

A family says which hidden traits there are, how well each action fits them, and in which words they
show. An episode draws the traits from 0..1, hides them behind words, and fixes the luck of every
action before anybody chooses one.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.benchmarks.replay_world import scenery
from tests.benchmarks.replay_world.actions import ACTIONS
from tests.benchmarks.replay_world.signs import (
    ALL_NEW,
    LITTLE,
    MIXED,
    MUCH,
    SEEN_BEFORE,
    SIGNS,
    STATES,
)

TRAIN, TEST = "train", "test"
# A trait shows in words only beyond this distance from its middle (-1..1), and those who look at it
# misjudge it by about so much.
UNREMARKABLE = 0.2
MISJUDGED = 0.15
NOTHING = "nothing remarkable"
# An outcome below it (-1..1) did harm; one above 0 went well.
HARM = -0.6


class Difficulty(NamedTuple):
    """What the world makes hard to learn.

    `luck` is how much of an outcome no one can foresee, `mistaken` by how much the assistant errs
    about how it went (standard deviations); `wordings` of each sign can be met after the training.
    `named`: whether the game has words of its own for how people are, as it has for what they do.
    """

    luck: float = 0.25
    mistaken: float = 0.25
    wordings: slice = MIXED
    named: bool = True


AS_WRITTEN = Difficulty()
# The same world, easier or harder: what a figure owes to the simulator.
VARIANTS = {
    "clear outcomes": Difficulty(luck=0.1, mistaken=0.1),
}
# Found by what is said in free words, of which half, or none, were met before.
FREE_WORDS = {
    "half of them met": Difficulty(named=False),
    "never met": Difficulty(named=False, wordings=ALL_NEW),
}


class Family(NamedTuple):
    """A kind of situation.

    `worth` takes the traits by name, from -1 (little) to 1 (much), and returns how well each action
    goes, from -1 to 1. `event` is what the game would call it. Of `train` and `test`, sentences with {who}, {name}, {thing}, {place} and
    {signs}, the first are seen while learning and the others afterwards.
    """

    name: str
    event: str
    domain: str
    traits: tuple[str, ...]
    worth: Callable[..., dict[str, float]]
    train: tuple[str, ...]
    test: tuple[str, ...]


class Outcome(NamedTuple):
    """How an action went: `value` is what came of it, `seen` what the assistant believes."""

    value: float
    seen: float

    @property
    def went_well(self):
        return self.value > 0

    @property
    def did_harm(self):
        return self.value < HARM


class Episode(NamedTuple):
    """A situation. `text` is for whoever decides; `title` and `metrics` are what it is found by.

    `title` is made as the assistants' own are: the event, who it is and how they are, and the place. Where the game
    has no words for how they are, `words` are what is said of it. `background` is what of the title would be there
    whatever happened, who and where.
    `traits`, `worth` and `outcomes` are hidden.
    """

    id: str
    family: Family
    name: str
    title: str
    words: str
    background: str
    scene: str
    signs: str
    options: tuple[str, ...]
    metrics: dict[str, float]
    traits: tuple[float, ...]
    worth: dict[str, float]
    outcomes: dict[str, Outcome]

    @property
    def text(self):
        """Everything that is said about it."""
        return f"{self.scene}\nYou can: {', '.join(self.options)}."

    @property
    def best(self):
        """The action that somebody would choose who knows the traits, though not the luck."""
        return max(self.options, key=self.worth.__getitem__)

    def play(self, option, tools):
        """Do it with the assistant's own tool, which checks the call; return how it goes."""
        action = ACTIONS[option]
        tools[action.tool].checked(action.call(self.name))
        return self.outcomes[option]

    def same(self):
        """Return it as it is."""
        return self

    def turned(self):
        """Return it in a world in which all goes well that went badly, and the other way round."""
        outcomes = {option: Outcome(-one.value, -one.seen) for option, one in self.outcomes.items()}
        worth = {option: -value for option, value in self.worth.items()}
        return self._replace(outcomes=outcomes, worth=worth)


def draw(family, split, key, difficulty=AS_WRITTEN):
    """Return the episode of a family that `key` stands for."""
    wordings = SEEN_BEFORE if split == TRAIN else difficulty.wordings
    chance = random.Random(f"{family.name}/{split}/{key}")
    traits = {trait: chance.uniform(-1.0, 1.0) for trait in family.traits}
    worth = {option: clipped(value) for option, value in family.worth(**traits).items()}
    options = list(worth)
    chance.shuffle(options)
    name, trade = chance.choice(scenery.NAMES[split]), chance.choice(scenery.TRADES)
    place, remarkable = chance.choice(scenery.PLACES), _remarkable(traits, chance)
    signs = "; ".join(chance.choice(SIGNS[trait][much][wordings]) for trait, much in remarkable)
    states = ", ".join(STATES[trait][much] for trait, much in remarkable)
    sentence = chance.choice(family.train if split == TRAIN else family.test).format(
        who=f"{name} the {trade}",
        name=name,
        thing=chance.choice(scenery.THINGS),
        place=place,
        signs=signs or NOTHING,
    )
    return Episode(
        id=f"{family.name}/{split}/{key}",
        family=family,
        name=name,
        title=", ".join(
            part
            for part in (
                f"{family.event} by a {trade}",
                states if difficulty.named else "",
                f"at the {place}",
            )
            if part
        ),
        words="" if difficulty.named else signs,
        background=f"{trade}, {place}",
        scene=f"{sentence} {chance.choice(scenery.WEATHER)}",
        signs=signs or NOTHING,
        options=tuple(options),
        metrics=_metrics(chance),
        traits=tuple(traits.values()),
        worth=worth,
        outcomes={option: _outcome(worth[option], difficulty, chance) for option in sorted(worth)},
    )


def clipped(value):
    """Return a value within -1..1."""
    return max(-1.0, min(1.0, value))


def _outcome(worth, difficulty, chance):
    value = clipped(worth + chance.gauss(0.0, difficulty.luck))
    return Outcome(value, clipped(value + chance.gauss(0.0, difficulty.mistaken)))


def _remarkable(traits, chance):
    """Return (trait, how much of it) in any order, as it looks; what is average is not seen."""
    seen = []
    for trait, value in traits.items():
        apparent = value + chance.gauss(0.0, MISJUDGED)
        if abs(apparent) > UNREMARKABLE:
            seen.append((trait, MUCH if apparent > 0 else LITTLE))
    chance.shuffle(seen)
    return seen


def _metrics(chance):
    """Return what the assistant knows in figures: nothing of the traits."""
    return {
        "favorability": chance.uniform(0.0, 100.0),
        "goal_progress": chance.uniform(0.0, 100.0),
        "health": chance.uniform(60.0, 100.0),
        "coins": chance.uniform(0.0, 100.0),
    }
