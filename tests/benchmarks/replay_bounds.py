"""How much there is to be won, for `tests.benchmarks.replay`: by a better reading of words, and by better knowledge of outcomes.

Both know what no assistant can: which wordings there are of each trait, and how all went in truth.
"""

from evennia_ai.semantic.embedders.builtin import BuiltinEmbedder
from tests.benchmarks.replay_world.episode import NOTHING
from tests.benchmarks.replay_world.signs import SEEN_BEFORE, SIGNS, STATES


class Reader:
    """Somebody who knows the wordings of the training by heart, and whom each other one reminds of the nearest.

    What is near, the embedder says that knows the senses of words.
    """

    def __init__(self, families):
        self._embedder, self._known = BuiltinEmbedder(), {}
        for family in families:
            signs = [
                (STATES[trait][much], sign)
                for trait in family.traits
                for much, wordings in SIGNS[trait].items()
                for sign in wordings[SEEN_BEFORE]
            ]
            rows = self._embedder.embed([sign for _, sign in signs])
            self._known[family.name] = [state for state, _ in signs], rows

    def read(self, episode):
        """Return an episode with the game's own words for what its free words mean, as far as they are understood."""
        states, rows = self._known[episode.family.name]
        signs = [] if episode.signs == NOTHING else episode.signs.split("; ")
        meant = [states[int((rows @ self._embedder.embed_query(sign)).argmax())] for sign in signs]
        event, place = episode.title.split(", at the ")
        return episode._replace(title=", ".join([event, *meant, f"at the {place}"]), words="")


def without_error(decision):
    """Return a decision of which the assistant knows how it went."""
    outcome = decision.outcome
    return decision._replace(outcome=outcome._replace(seen=outcome.value))
