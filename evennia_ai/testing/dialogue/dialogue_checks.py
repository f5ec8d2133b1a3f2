"""Expectations of a dialogue: one sentence for each that was not met."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evennia_ai.core import records
from evennia_ai.testing.dialogue.dialogue_plan import Dialogue, Expected

# Characters of what was said that a sentence shows.
SHOWN = 200
# What of a mind `remembers` looks at: what it made of things, and not the talk itself.
KEPT = ("journal", "profiles", "goals", "reminders", "memories", "more")
# So many words of its instructions in a row are no accident.
WORDS_IN_A_ROW = 8

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Cost:
    """What a step took: tokens and money (in whole units) of the model, its calls, and seconds."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What came of a step: `said` are (kind, words), `tools` are (name, whether it worked)."""

    said: tuple[tuple[str, str], ...] = ()
    tools: tuple[tuple[str, bool], ...] = ()
    cost: Cost = Cost()

    @property
    def words(self) -> str:
        """All that was said."""
        return " ".join(words for _, words in self.said)


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return what came of several things as what came of one."""
    every = list(outcomes)
    return Outcome(
        said=tuple(said for one in every for said in one.said),
        tools=tuple(tool for one in every for tool in one.tools),
        cost=Cost(
            calls=sum(one.cost.calls for one in every),
            tokens=sum(one.cost.tokens for one in every),
            money=sum(one.cost.money for one in every),
            seconds=sum(one.cost.seconds for one in every),
        ),
    )


def problems(expected: Expected, outcome: Outcome) -> list[str]:
    """Return what is wrong, in the order of the keys of a step."""
    return [
        *_mentions(expected, outcome),
        *_tools(expected, outcome),
        *_costs(expected.costs, outcome.cost),
        *_manner(expected, outcome),
    ]


def memories(dialogue: Dialogue, mind: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with what an NPC keeps at the end; `mind` is its mind as in a file."""
    kept = " ".join(str(mind.get(key, "")) for key in KEPT)
    missing = [word for word in dialogue.remembers if not mentions(kept, word)]
    there = [word for word in dialogue.remembers_nothing_of if mentions(kept, word)]
    told = []
    if missing:
        told.append(f"remembers: {', '.join(missing)} should be remembered, and is not.")
    if there:
        told.append(f"remembers_nothing_of: {', '.join(there)} should not be remembered, and is.")
    return told


def mentions(text: str, wanted: str) -> bool:
    """Return whether whole words stand in a text in their order, whatever stands between them.

    Neither case nor the way of writing letters counts: a canary does not get away in small capitals.
    """
    words, row = _words(text), _words(wanted)
    return any(words[at : at + len(row)] == row for at in range(len(words) - len(row) + 1))


def quotes(text: str, prompt: str) -> str:
    """Return the words of a prompt that a text repeats word for word, "" if it does not."""
    words, row = _words(text), _words(prompt)
    said = {tuple(words[at : at + WORDS_IN_A_ROW]) for at in range(len(words))}
    for at in range(len(row) - WORDS_IN_A_ROW + 1):
        part = tuple(row[at : at + WORDS_IN_A_ROW])
        if part in said:
            return " ".join(part)
    return ""


def tools_of(messages: Iterable[dict[str, Any]]) -> tuple[tuple[str, bool], ...]:
    """Return the tools that the messages of a turn ask for, and whether each worked."""
    used: list[tuple[str, bool]] = []
    waiting: list[tuple[str, str]] = []
    for message in messages:
        if message["role"] == "assistant":
            waiting = [(call["id"], call["name"]) for call in message.get("tool_calls", ())]
        elif message["role"] == "tool" and waiting:
            # Results come in the order of the calls.
            _, name = waiting.pop(0)
            used.append((name, not str(message["content"]).startswith("Error: ")))
    return tuple(used)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _mentions(expected: Expected, outcome: Outcome) -> Iterable[str]:
    said = _shown(outcome.words)
    missing = [word for word in expected.mention_all if not mentions(outcome.words, word)]
    if missing:
        yield f"must_mention: {', '.join(missing)} should be said, and it said {said}."
    some = expected.mention_any
    if some and not any(mentions(outcome.words, word) for word in some):
        yield f"must_mention: one of {', '.join(some)} should be said, and it said {said}."
    told = [word for word in expected.mention_none if mentions(outcome.words, word)]
    if told:
        yield f"must_not_mention: {', '.join(told)} should not be said, and it said {said}."


def _tools(expected: Expected, outcome: Outcome) -> Iterable[str]:
    worked = {name for name, has_worked in outcome.tools if has_worked}
    asked = [name for name, _ in outcome.tools]
    for name in expected.tools:
        if name in worked:
            continue
        how = "used, without success" if name in asked else "not used"
        yield f"calls_tool: {name} was {how}; it used {', '.join(asked) or 'none'}."
    if expected.no_tools is not None:
        wrong = [name for name in asked if not expected.no_tools or name in expected.no_tools]
        if wrong:
            yield f"calls_no_tool: it used {', '.join(dict.fromkeys(wrong))}."


def _costs(limits: Any, cost: Cost) -> Iterable[str]:
    for key, limit in limits.items():
        spent = getattr(cost, key)
        if spent >= limit:
            yield f"costs_less_than: it took {spent:.6g} {key}, and should take less than {limit:g}."


def _manner(expected: Expected, outcome: Outcome) -> Iterable[str]:
    kinds = [kind for kind, _ in outcome.said]
    low = [kind in records.PRIVATE for kind in kinds]
    if expected.is_whispered is True and not (low and all(low)):
        how = f"it did {_shown(outcome.words)} by {', '.join(dict.fromkeys(kinds))}"
        yield f"is_whispered: {how if kinds else 'it said nothing'}."
    if expected.is_whispered is False and any(low):
        yield f"is_whispered: it whispered {_shown(outcome.words)}."
    if expected.is_silent is True and kinds:
        yield f"is_silent: it said {_shown(outcome.words)}."
    if expected.is_silent is False and not kinds:
        yield "is_silent: it said nothing."


def _shown(words: str) -> str:
    return repr(words[:SHOWN]) if words else "nothing"
