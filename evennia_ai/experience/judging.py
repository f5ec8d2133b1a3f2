"""Expected outcomes of actions: kernel regression over similar situations.

Each outcome counts by how like its situation is (Nadaraya and Watson 1964). Likeness is learned: what makes a
difference to how the same action goes counts more ("drunk"), and what makes none less (where it was).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
# What each number of a vector counts before anything was learned.
UNLEARNED = 1.0
# A variance that is rounding and no difference.
ROUNDING = 1e-9


class Outcomes(NamedTuple):
    """What is known, an array of each, oldest first: the action, how it went (-1 to 1), and its vector's place."""

    actions: numpy.ndarray
    worths: numpy.ndarray
    places: numpy.ndarray
    is_other_sort: numpy.ndarray


def likenesses(vectors: numpy.ndarray, query: numpy.ndarray, known: Outcomes) -> numpy.ndarray:
    """Return how like each vector is to `query`, -1 to 1, by what was learned to matter."""
    import numpy as np

    scale = _relevance(vectors, known)
    scaled, asked = vectors * scale, query * scale
    lengths = np.linalg.norm(scaled, axis=1) * np.linalg.norm(asked)
    return np.divide(scaled @ asked, lengths, out=np.zeros(len(vectors)), where=lengths > 0)


def expected(likeness: numpy.ndarray, known: Outcomes) -> dict[int, float]:
    """Return how well each action is expected to go, -1 to 1, given the likeness of each outcome's situation."""
    import numpy as np

    weights = np.clip(likeness, 0.0, None) ** SHARPNESS
    weights = np.where(known.is_other_sort, OTHER_SORT, 1.0) * weights
    weights /= weights.max(initial=0.0) or 1.0
    found = {}
    for action in np.unique(known.actions):
        own = known.actions == action
        newer = np.cumsum(weights[own][::-1])[::-1] - weights[own]
        counted = weights[own] * 0.5 ** (newer / FADING)
        found[int(action)] = float(counted @ known.worths[own] / (counted.sum() + DOUBT))
    return found


def _relevance(vectors: numpy.ndarray, known: Outcomes) -> numpy.ndarray:
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
    with_it = often @ present
    without_it = tried[:, None] - with_it
    is_told = (with_it > 1) & (without_it > 1)
    share = 1 / np.maximum(with_it, 1) + 1 / np.maximum(without_it, 1)
    z_squared = (surplus @ present) ** 2 * share / np.where(spread > ROUNDING, spread, 1.0)[:, None]
    told = np.where(is_told, z_squared - 1, 0.0).sum(axis=0) / np.maximum(is_told.sum(axis=0), 1)
    return np.sqrt(UNLEARNED + np.clip(told, 0.0, None)).astype(np.float32)
