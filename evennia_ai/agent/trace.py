"""The trace of decisions for staff: the last turns of each mind, and the lines that it ignored.

A turn is kept as it is, with what it noted on its way; nothing is worked out before somebody asks.
It is in memory only, since it holds what players said: a restart forgets it.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evennia.accounts.models import AccountDB

from evennia_ai import scheduling
from evennia_ai.core import volatile
from evennia_ai.core.records import Event, Source
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.llm.base import Request

# Turns that are kept of one mind, and of all of them. Each holds its prompt, and each full garbage
# collection walks over all of it.
TURNS_OF_ONE = 50
TURNS = 200
# Lines that one mind did not answer.
LINES = 5
# Lines that one NPC said, and NPCs of whom they are kept.
SAID = 20
SPEAKERS = 500


@dataclass
class Recalled:
    """What came to mind for `query`, and what of it did not get into the prompt.

    `withheld` is how many memories the one who asks may not know, `unfit_for_others` how many that
    fit are not for everybody in earshot, `left_out` how many fit less than those of the prompt.
    """

    query: str
    items: list[Remembered]
    considered: int = 0
    withheld: int = 0
    unfit_for_others: int = 0
    left_out: int = 0


@dataclass
class Record:
    """What a turn notes for those who ask why.

    `sections` are the lines of the prompt by what wrote them; `messages` is what went to the mind and what it answered, `request` the last request as a whole and
    `requests` how many there were; `said` lists (kind, words, id of whom
    they were for), `refused` what MAY_SAY did not let it say, and why not.
    """

    sections: dict[str, list[str]] = field(default_factory=dict)
    tool_names: list[str] = field(default_factory=list)
    tool_tokens: int = 0
    messages: list[dict[str, Any]] = field(default_factory=list)
    # How many of these it was asked with at first: what it said before is among them.
    begun: int = 0
    request: Request | None = None
    requests: int = 0
    recalled: Recalled | None = None
    said: list[tuple[str, str, int]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    ended: float | None = None


class Uttered(NamedTuple):
    """What an NPC said in whatever way, when, in which turn ("" for none), and who heard it."""

    at: float
    kind: str
    words: str
    turn_id: str
    hearers: frozenset[str]
    sources: tuple[Source, ...] = ()

    @property
    def moment(self) -> str:
        """What tells it from all other lines of this NPC."""
        return f"{self.at:.6f}"


@dataclass
class _State:
    # npc id → what it said last, the newest last; whoever spoke longest ago comes first
    uttered: OrderedDict[int, deque[Uttered]] = field(default_factory=OrderedDict)
    # npc id → its last turns, the newest last; whoever has thought longest ago comes first
    turns: OrderedDict[int, deque[Any]] = field(default_factory=OrderedDict)
    # npc id → (event, why it was not answered), the newest last
    ignored: defaultdict[int, deque[tuple[Event, str]]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=LINES))
    )


_state = volatile.keep(_State)


def keep(turn: Any) -> None:
    """Keep a turn that begins; the oldest one of whoever has thought longest ago is let go."""
    _state.turns.setdefault(turn.character_id, deque(maxlen=TURNS_OF_ONE)).append(turn)
    _state.turns.move_to_end(turn.character_id)
    if sum(map(len, _state.turns.values())) > TURNS:
        npc_id, oldest = next(iter(_state.turns.items()))
        oldest.popleft()
        if not oldest:
            del _state.turns[npc_id]


def end(turn: Any) -> None:
    """Note that a turn has ended."""
    turn.record.ended = scheduling.clock().seconds()


def turns(npc_id: int) -> list[Any]:
    """Return the turns that are kept of one NPC, the newest first."""
    return list(reversed(_state.turns.get(npc_id, ())))


def thinkers() -> list[int]:
    """Return the ids of the NPCs of whom turns are kept, whoever thought last first."""
    return list(reversed(_state.turns))


def note_uttered(
    npc_id: int,
    kind: str,
    words: str,
    hearers: Iterable[Any],
    *,
    turn_id: str = "",
    sources: Iterable[Source] = (),
) -> None:
    """Keep a line that an NPC said, for whoever heard it and reports it."""
    heard_by = frozenset(hearer_key(one) for one in hearers)
    now = scheduling.clock().seconds()
    line = Uttered(now, kind, words, turn_id, heard_by, tuple(sources))
    _state.uttered.setdefault(npc_id, deque(maxlen=SAID)).append(line)
    _state.uttered.move_to_end(npc_id)
    if len(_state.uttered) > SPEAKERS:
        _state.uttered.popitem(last=False)


def uttered(npc_id: int, hearers: Iterable[Any]) -> list[Uttered]:
    """Return what one of these objects and accounts heard an NPC say, the newest last."""
    keys = frozenset(hearer_key(one) for one in hearers)
    return [line for line in _state.uttered.get(npc_id, ()) if line.hearers & keys]


def speakers() -> list[int]:
    """Return the ids of the NPCs of whom lines are kept, whoever spoke last first."""
    return list(reversed(_state.uttered))


def hearer_key(hearer: Any) -> str:
    """Return what tells an object from an account of the same number."""
    return f"{'account' if isinstance(hearer, AccountDB) else 'object'}:{hearer.id}"


def forget_uttered(npc_id: int, is_gone: Callable[[Iterable[Source]], bool]) -> None:
    """Forget the lines of an NPC that were made of what goes."""
    kept = [line for line in _state.uttered.pop(npc_id, ()) if not is_gone(line.sources)]
    if kept:
        _state.uttered[npc_id] = deque(kept, maxlen=SAID)


def note_ignored(npc_id: int, event: Event, reason: str) -> None:
    """Note that something was heard and not answered; without a reason nobody asks for it."""
    if reason:
        _state.ignored[npc_id].append((event, reason))


def passed(npc_id: int) -> list[tuple[Event, str]]:
    """Return what an NPC heard and did not answer, and why, the newest first."""
    return list(reversed(_state.ignored.get(npc_id, ())))


def forget(npc_id: int) -> None:
    """Forget the turns of one NPC, and what it did not answer."""
    _state.turns.pop(npc_id, None)
    _state.ignored.pop(npc_id, None)
