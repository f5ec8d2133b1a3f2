"""Means, paired differences and how sure one can be of them, for `tests.benchmarks.replay`.

An assistant's episodes share what it remembers, so they are not independent of each other: the
bootstrap draws whole assistants, with all of their episodes. Of an arm that is made by chance there
are several versions: the mean is that of all, and the bootstrap draws one of them for each assistant,
so that the interval is that of a single version.
"""

import random
import statistics
from collections import defaultdict
from typing import NamedTuple

DRAWS = 2000
# The bounds between which 95 of 100 draws lie.
BOUNDS = (0.025, 0.975)


class Result(NamedTuple):
    """Which share of the plays of one episode went well, and which did harm."""

    well: float
    harm: float

    @classmethod
    def of(cls, outcomes):
        """Return the result of some plays."""
        return cls(
            statistics.fmean(outcome.went_well for outcome in outcomes),
            statistics.fmean(outcome.did_harm for outcome in outcomes),
        )


class Played:
    """What became of the same episodes in each arm: rows of (assistant, family, {arm: results}).

    There is a Result for each version of an arm, mostly one.
    """

    def __init__(self, rows, seed):
        self.rows, self.seed = rows, seed

    def __len__(self):
        return len(self.rows)

    def of(self, family):
        """Return the part that belongs to one family."""
        return Played([row for row in self.rows if row[1] == family], self.seed)

    def mean(self, arm):
        """Return which share of the episodes went well."""
        return _mean(one.well for _, _, results in self.rows for one in results[arm])

    def harm_rate(self, arm):
        """Return which share of the episodes did harm."""
        return _mean(one.harm for _, _, results in self.rows for one in results[arm])

    def compared(self, arm, base="none"):
        """Return how much more often one arm went well than another one, and the interval."""
        drawn = [_mean_of(sums)[0] for sums in self._draws(arm, base)]
        return {
            "diff": rounded(self.mean(arm) - self.mean(base)),
            "ci95": _interval(drawn),
        }

    def relative_gain(self, arm, base="none"):
        """Return by which part of the base one arm is better, and the interval.

        Without an episode that went well in the base there is nothing to divide by: None.
        """
        if not self.mean(base):
            return {"relative_gain": None, "relative_gain_ci95": None}
        gains = [_gain(*_mean_of(sums)) for sums in self._draws(arm, base)]
        return {
            "relative_gain": _gain(self.mean(arm) - self.mean(base), self.mean(base)),
            "relative_gain_ci95": _interval([gain for gain in gains if gain is not None]),
        }

    def summary(self, arm):
        """Return all figures of an arm."""
        figures = {"mean": rounded(self.mean(arm)), **self.compared(arm)}
        return {**figures, "harm_rate": rounded(self.harm_rate(arm))}

    def _draws(self, arm, base):
        """Yield the sums of differences and of the base, and the number of episodes, per draw."""
        sums = defaultdict(list)
        for assistant, _, results in self.rows:
            versions = _versions(results[arm], results[base])
            known = sums[assistant] or [[0.0, 0.0, 0] for _ in versions]
            sums[assistant] = [_added(*both) for both in zip(known, versions, strict=True)]
        assistants, chance = list(sums.values()), random.Random(f"{self.seed}/{arm}/{base}")
        for _ in range(DRAWS):
            drawn = [chance.choice(one) for one in chance.choices(assistants, k=len(assistants))]
            yield [sum(column) for column in zip(*drawn, strict=True)]


def _versions(results, base):
    """Return (share that went well, that of the base) for each version."""
    count = max(len(results), len(base))
    return [(results[at % len(results)].well, base[at % len(base)].well) for at in range(count)]


def _added(sums, wells):
    difference, known, count = sums
    well, base = wells
    return [difference + well - base, known + base, count + 1]


def rounded(value):
    """Return a figure as it is printed."""
    return round(value, 4)


def _mean(values):
    return statistics.fmean([*values] or [0.0])


def _mean_of(sums):
    difference, base, count = sums
    return difference / count, base / count


def _gain(difference, base):
    return rounded(difference / base) if base else None


def _interval(drawn):
    ordered = sorted(drawn)
    return [rounded(ordered[int(bound * (len(ordered) - 1))]) for bound in BOUNDS]
