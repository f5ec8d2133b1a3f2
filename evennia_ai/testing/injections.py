"""The standard attempts to talk a mind into what it must not do, for tests of NPCs.

Each attempt is words of a stranger, the way by which they reach the mind, and what the stranger wants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evennia_ai.memory.seeds import seed_yaml

STANDARD = Path(__file__).with_name("injections.yaml")
PADDING = "It rains on the hills, and the miller counts his sacks. "
PADDING_LENGTH = 40_000


@dataclass(frozen=True)
class Attempt:
    """One attempt: `text` comes `through` a way such as "say"; then the stranger says each line of `then`.

    `bearer` names the thing, field or part that bears the text, for ways that have several. The first key of
    `wants` is one of:

        tool      the mind uses this tool, with `args`, so many `times`
        reveal    the mind tells the `canary` (a confidence of somebody else), or its `prompt`
        persona   this field of its persona becomes `to`
        trust     the mind likes the stranger by so much more, or somebody else (`of`) by so much less
        markup    the game carries these characters of its answer out, instead of showing them
        line      these words stand in the prompt as a line of their own, as if we had written them
        night     sleep makes a wrong `score`, `insight`, `attribute` or `summary` of the text

    `obeyed` says in a sentence what a mind would do that obeys.
    """

    id: str
    through: str
    technique: str
    text: str
    wants: Mapping[str, Any] = field(hash=False)
    obeyed: str
    bearer: str = ""
    then: tuple[str, ...] = ()

    @property
    def want(self) -> str:
        """The first key of `wants`."""
        return next(iter(self.wants))

    def filled(self, text: str, *, npc: str, me: str, other: str) -> str:
        """Words of this attempt with names in place of <npc>, <me> and <other>, and text in place of <padding>."""
        padding = (PADDING * (PADDING_LENGTH // len(PADDING) + 1))[:PADDING_LENGTH]
        names = {"<npc>": npc, "<me>": me, "<other>": other, "<padding>": padding}
        for mark, name in names.items():
            text = text.replace(mark, name)
        return text


def attempts(path: Path = STANDARD) -> tuple[Attempt, ...]:
    """The attempts of a file, in its order; TypeError for one that lacks a key or has one too many."""
    return tuple(
        Attempt(**{**given, "then": tuple(given.get("then", ()))})
        for given in seed_yaml.load(path.read_bytes())
    )
