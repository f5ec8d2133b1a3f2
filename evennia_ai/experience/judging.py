"""Expected outcomes of actions: kernel regression over similar situations.

Each outcome counts by how like its situation is (Nadaraya and Watson 1964). Likeness is learned: what makes a
difference to how the same action goes counts more ("drunk"), and what makes none less (where it was).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evennia_ai.semantic.stores.growable_arrays import products, sums

if TYPE_CHECKING:
    import numpy

# The power to which likeness is taken: of two outcomes the more similar one counts much more.
SHARPNESS = 12
# Outcomes of like situations after which an earlier one counts half: the world may have changed.
FADING = 10.0
# How far nothing is expected before anything was tried: the weight of an outcome of 0.
DOUBT = 0.1
# What an outcome counts with another sort of person than is dealt with.
OTHER_SORT = 0.25
# What a word counts before anything was learned of it, if it is in no situation; one that is in all, or would be
# there whatever happened, counts nothing.
UNLEARNED = 2.0
# How like a situation must be to be any example: below it are those that have little but a place in common.
LIKE = 0.25
# What is doubted of an expectation that is held against what came of it: as much as lets it be right on average.
DOUBT_OF_HOPE = 0.5
# The variance of outcomes, and how much of what was expected comes true the other way round in a world that changed.
NOISE, TURNED = 0.2, 0.25
# How much more likely (as a logarithm) a change must have made what came since for half of what was before to count.
SURE = 6.0
# A variance that is rounding and no difference.
ROUNDING = 1e-9


class Outcomes(NamedTuple):
    """What is known, an array of each, oldest first: the action, how it went (-1 to 1), its vector's place, and
    how well it was expected to go (NaN where that is not known)."""

    actions: numpy.ndarray
    worths: numpy.ndarray
    places: numpy.ndarray
    is_other_sort: numpy.ndarray
    hopes: numpy.ndarray


def likenesses(
    vectors: numpy.ndarray, query: numpy.ndarray, background: numpy.ndarray, known: Outcomes
) -> numpy.ndarray:
    """Return how like each vector is to `query`, -1 to 1, by what was learned to matter.

    What `background` has would be there whatever happened: it counts only where it was found to matter.
    """
    import numpy as np

    scale = _relevance(vectors, background, known)
    scaled, asked = vectors * scale, query * scale
    lengths = np.linalg.norm(scaled, axis=1) * np.linalg.norm(asked)
    return np.divide(
        products(scaled, asked), lengths, out=np.zeros(len(vectors)), where=lengths > 0
    )


def expected(likeness: numpy.ndarray, known: Outcomes, *, doubt: float = DOUBT) -> dict[int, float]:
    """Return how well each action is expected to go, -1 to 1, given the likeness of each outcome's situation."""
    import numpy as np

    weights = np.clip(likeness, 0.0, None) ** SHARPNESS
    weights = np.where(known.is_other_sort, OTHER_SORT, 1.0) * weights
    weights /= weights.max(initial=0.0) or 1.0
    weights *= trust(known)
    found = {}
    for action in np.unique(known.actions):
        own = known.actions == action
        newer = np.cumsum(weights[own][::-1])[::-1] - weights[own]
        counted = weights[own] * 0.5 ** (newer / FADING)
        found[int(action)] = float((counted * known.worths[own]).sum() / (counted.sum() + doubt))
    return found


def trust(known: Outcomes) -> numpy.ndarray:
    """Return what each outcome counts, 0 to 1, considering that the world may have changed since.

    What was expected is held against what came of it (a CUSUM of log likelihood ratios, Page 1954): where a run of
    outcomes is more likely after a change than in the world as it was known, what was learned before counts less.
    """
    import numpy as np

    hopes = np.nan_to_num(known.hopes)
    ratios = (known.worths - hopes) ** 2 - (known.worths + TURNED * hopes) ** 2
    summed = np.concatenate([[0.0], np.cumsum(ratios / (2 * NOISE))])
    # Of the runs that begin behind each outcome, and end anywhere, the one that speaks most for a change.
    highest = np.maximum.accumulate(summed[::-1])[::-1]
    evidence = np.maximum.accumulate((highest - summed)[::-1])[::-1][1:]
    return 1.0 / (1.0 + np.exp(evidence - SURE))


def _relevance(vectors: numpy.ndarray, background: numpy.ndarray, known: Outcomes) -> numpy.ndarray:
    """Return what each number of a vector counts.

    The outcomes of an action with and without it are compared (a squared z-score, 1 by chance); what all
    actions say of it is averaged.
    """
    import numpy as np

    present = (vectors > 0).astype(np.float32)
    actions, own = np.unique(known.actions, return_inverse=True)
    tried = np.bincount(own)
    means = np.bincount(own, weights=known.worths) / tried
    spread = np.bincount(own, weights=(known.worths - means[own]) ** 2) / tried
    # By action, of each vector: how often it was met, and by how much it went better than usual.
    often, surplus = (np.zeros((len(actions), len(vectors)), dtype=np.float32) for _ in range(2))
    np.add.at(often, (own, known.places), 1.0)
    np.add.at(surplus, (own, known.places), known.worths - means[own])
    with_it = sums(often, present)
    without_it = tried[:, None] - with_it
    is_told = (with_it > 1) & (without_it > 1)
    share = 1 / np.maximum(with_it, 1) + 1 / np.maximum(without_it, 1)
    z_squared = (
        sums(surplus, present) ** 2 * share / np.where(spread > ROUNDING, spread, 1.0)[:, None]
    )
    told = np.where(is_told, z_squared - 1, 0.0).sum(axis=0) / np.maximum(is_told.sum(axis=0), 1)
    rare = np.log((len(vectors) + 2) / (present.sum(axis=0) + 1)) / np.log(len(vectors) + 2)
    # Of a sentence model each number has to do with all words: with those of the background, too.
    is_beside = (background > 0) & bool((vectors >= 0).all())
    unlearned = np.where(is_beside, 0.0, UNLEARNED * rare)
    return np.sqrt(unlearned + np.clip(told, 0.0, None)).astype(np.float32)
