"""What staff are shown who ask why: the last turns of each mind, and the lines that it let pass.

A turn is kept as it is, with what it noted on its way; nothing is worked out before somebody asks.
It is in memory only, since it holds what players said: a restart forgets it.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from evennia_ai import pace
from evennia_ai.core.records import Event
from evennia_ai.domain.prompt_budget import Section

# Turns that are kept of one mind, and of all of them. Each holds its prompt, and each full garbage
# collection walks over all of it.
TURNS_OF_ONE = 20
TURNS = 200
# Lines that one mind did not answer.
LINES = 5


@dataclass
class Recalled:
    """What came to mind for `query`, and what of it did not get into the prompt.

    `withheld` is how many memories the one who asks may not know, `unfit_for_others` how many that
    fit are not for everybody in earshot, `left_out` how many fit less than those of the prompt.
    """

    query: str
    items: list[dict[str, Any]]
    considered: int = 0
    withheld: int = 0
    unfit_for_others: int = 0
    left_out: int = 0


@dataclass
class Record:
    """What a turn notes for those who ask why.

    `sections` is the prompt as it was written and `fitted` what the budget of tokens left of it;
    `messages` is what went to the mind and what it answered, `said` lists (kind, words, id of whom
    they were for), `refused` what MAY_SAY did not let it say, and why not.
    """

    sections: dict[str, Section] = field(default_factory=dict)
    fitted: dict[str, Section] = field(default_factory=dict)
    tool_names: list[str] = field(default_factory=list)
    tool_tokens: int = 0
    messages: list[dict[str, Any]] = field(default_factory=list)
    recalled: Recalled | None = None
    said: list[tuple[str, str, int]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    ended: float | None = None


# npc id → its last turns, the newest last; whoever has thought longest ago comes first
_turns: OrderedDict[int, deque[Any]] = OrderedDict()
# npc id → (event, why it was not answered), the newest last
_let_pass: defaultdict[int, deque[tuple[Event, str]]] = defaultdict(lambda: deque(maxlen=LINES))


def keep(turn: Any) -> None:
    """Keep a turn that begins; the oldest one of whoever has thought longest ago is let go."""
    _turns.setdefault(turn.character_id, deque(maxlen=TURNS_OF_ONE)).append(turn)
    _turns.move_to_end(turn.character_id)
    if sum(map(len, _turns.values())) > TURNS:
        npc_id, oldest = next(iter(_turns.items()))
        oldest.popleft()
        if not oldest:
            del _turns[npc_id]


def end(turn: Any) -> None:
    """Note that a turn has ended."""
    turn.record.ended = pace.clock().seconds()


def turns(npc_id: int) -> list[Any]:
    """Return the turns that are kept of one NPC, the newest first."""
    return list(reversed(_turns.get(npc_id, ())))


def thinkers() -> list[int]:
    """Return the ids of the NPCs of whom turns are kept, whoever thought last first."""
    return list(reversed(_turns))


def let_pass(npc_id: int, event: Event, reason: str) -> None:
    """Note that something was heard and not answered; without a reason nobody asks for it."""
    if reason:
        _let_pass[npc_id].append((event, reason))


def passed(npc_id: int) -> list[tuple[Event, str]]:
    """Return what an NPC heard and did not answer, and why, the newest first."""
    return list(reversed(_let_pass.get(npc_id, ())))


def forget(npc_id: int | None = None) -> None:
    """Forget what is kept of one NPC, or of all, as a restart does."""
    if npc_id is None:
        _turns.clear()
        _let_pass.clear()
    else:
        _turns.pop(npc_id, None)
        _let_pass.pop(npc_id, None)
