"""Who decides in `tests.benchmarks.replay`, from nothing but two texts: no model, and no knowledge.

It knows neither the simulator nor a kind of situation nor an action by name: it reads the actions
from the situation, guesses, and lets experience speak against its guess, as the offline mind does.
"""

import re

from tests.benchmarks import few_shot_vote

_OPTIONS = re.compile(r"^You can: (.+)\.$", re.MULTILINE)


def decide(situation, few_shot, chance):
    """Return one of the actions that a situation names; `chance` gives numbers from 0 to below 1.

    The guess takes the first number, so that all who decide on the same situation make the same.
    """
    options = options_of(situation)
    guess = options[int(chance() * len(options))]
    return few_shot_vote.choose(options, few_shot, default=guess, chance=chance)


def options_of(situation):
    """Return the actions that a situation names."""
    return _OPTIONS.findall(situation)[-1].split(", ")
