"""How a model calls what it did: in other words each time, for `tests.benchmarks.replay`.

The words are those of somebody who answers in character, written without a look at how they are compared.
"""

import random
from itertools import combinations

from evennia_ai.domain.choices import approaches
from evennia_ai.domain.model_text.quotation import word

LABELS = {
    "say_firmly": ("be firm", "stand firm", "firm words", "put my foot down", "speak firmly"),
    "say_kindly": ("kind words", "speak kindly", "be kind", "gentle words", "comfort them"),
    "say_plainly": ("tell all", "say it plainly", "plain answer", "full answer", "explain it"),
    "say_doubtfully": ("admit doubt", "doubtful answer", "say I am unsure", "express doubt"),
    "whisper_kindly": ("whisper kindly", "quiet kindness", "a kind whisper", "speak softly aside"),
    "whisper_warning": ("warn quietly", "whisper a warning", "quiet warning", "warn them"),
    "whisper_hint": ("drop a hint", "whisper a hint", "quiet hint", "give a clue"),
    "give_something": ("give something", "hand over a gift", "offer a gift", "make a gift"),
    "emote_laughing": ("laugh", "laugh it off", "make a joke", "laugh out loud"),
    "inspect_closely": ("look closely", "inspect closely", "take a close look", "examine it"),
    "follow_along": ("go along", "follow them", "come along", "go with them"),
    "noop_waiting": ("wait", "wait and see", "do nothing", "keep quiet and wait"),
    "escalate_to_staff": ("call for help", "call the watch", "get help", "fetch the guards"),
}
_MEANT = {label: option for option, labels in LABELS.items() for label in labels}


def confusions():
    """Return how many pairs of words for one action are taken for one, of how many, and so for pairs of two actions."""
    pairs = [*combinations(_MEANT, 2)]
    own = [pair for pair in pairs if _MEANT[pair[0]] == _MEANT[pair[1]]]
    other = [pair for pair in pairs if _MEANT[pair[0]] != _MEANT[pair[1]]]
    return {
        name: {"taken for one": sum(approaches.is_same(*pair) for pair in some), "of": len(some)}
        for name, some in (("one action", own), ("two actions", other))
    }


class Labels:
    """What one assistant calls what it does, and understands when it reads it again."""

    def __init__(self, key):
        self._chance, self._known = random.Random(f"{key}/labels"), []

    def called(self, decision):
        """Return what a decision is kept as: by the words of now, or by earlier ones that mean the same."""
        label = self._chance.choice(LABELS[decision.option])
        name = approaches.called(label, self._known)
        self._known = [name, *(one for one in self._known if one != name)]
        return name

    @staticmethod
    def understood(few_shot):
        """Return examples with the names of actions in place of the words that stand for them."""
        for label, option in _MEANT.items():
            shown = word(label.upper())
            few_shot = few_shot.replace(f"[{shown}]", f"[{option}]")
        return few_shot
