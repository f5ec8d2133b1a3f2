"""Measurements of a model by a few short requests: its speed, the server's prompt cache, and a verdict.

The verdict is kept by address and name: "good", or "weak" where it has no valid JSON, or answers a question about
a text wrongly. Whoever writes down what a model says asks `verdict_of` first.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred

from evennia_ai import scheduling
from evennia_ai.domain.model_text import json_reply, tokens
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm import base, ledger, model_facts
from evennia_ai.llm.base import Backend, Completion, Request
from evennia_ai.llm.wrappers.budget import Budget

GOOD, WEAK = model_facts.GOOD, model_facts.WEAK
# Timeout of one call in seconds; the server may have to load the model first.
SECONDS = 120.0
# Token limits: for a one-word answer, with room for thinking, and for the answer to all questions.
ONE_WORD, ANSWER = 16, 120
# A second reading hits the cache if it saves so many seconds and takes at most this share of the first.
SAVED, SHARE = 0.2, 0.6
# About 300 tokens. The number differs each time, so that no server has it cached.
HEAD = (
    "You are {name}, number {number}. You keep the Stone Ferry, a tavern at the river, and you answer in few words. "
    "Old Tam brews the ale in the cellar and lets nobody watch him; a mug of it is two coppers. A bed costs five "
    "coppers a night, and breakfast is one more. The roof leaks over the stairs since the storm in spring. The "
    "ferryman comes at noon and again before dark, but never while the river is high. On Monday evening Ann, who is "
    'a carpenter, told you: "I have hidden my silver key under the mill." Nobody else was there. On Tuesday Joan the '
    "miller asked you for that key, and you gave her nothing. On Wednesday Ann paid for three mugs, and Joan paid "
    "for none, since she had lost her purse at the market. A soldier from the north slept in the small room, broke "
    "a chair, and was gone before breakfast. The cat is called Ash and sleeps in the bread basket. On Thursday it "
    "rained all day, nobody came but the ferryman, and you mended the chair yourself."
)
# Questions, each with a pattern of the right answer.
QUESTIONS = {
    "who_hid_the_key": "ann",
    "who_paid_for_nothing_on_wednesday": "joan",
    "what_joan_was_given_on_tuesday": "nothing|none|no",
    "what_three_mugs_of_ale_cost_in_coppers": "6|six",
}
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in QUESTIONS},
    "required": list(QUESTIONS),
}


@dataclass(frozen=True)
class Measured:
    """Results for one model; `window` and `slots` are None if the server does not tell.

    `reads` and `writes` are tokens a second. `keeps`: the beginning of a prompt is not read anew in the next turn, and
    `keeps_beside`: neither when another NPC had a turn meanwhile. `right` is how many answers were, None without JSON.
    """

    reads: float
    writes: float
    keeps: bool
    keeps_beside: bool
    right: int | None
    window: int | None = None
    slots: int | None = None
    server: str = ""

    @property
    def verdict(self) -> str:
        """Return GOOD or WEAK."""
        return GOOD if self.right == len(QUESTIONS) else WEAK

    def seconds(self, *, new: int, written: int) -> float:
        """Seconds of a turn that reads `new` and writes `written` tokens."""
        return new / self.reads + written / self.writes


@dataclass(frozen=True)
class _Asked:
    answer: Completion
    took: float
    read: int

    def is_quicker(self, first: _Asked) -> bool:
        """True if the server took the prompt from its cache."""
        known = getattr(self.answer, "cached_tokens", None) or 0
        saved = first.took - self.took
        return known > self.read / 2 or (saved > SAVED and self.took < SHARE * first.took)


@inlineCallbacks
def measure(backend: Backend) -> Generator[Deferred[Any], Any, Measured]:
    """Measure a model and keep the verdict; fails with the error of the first request that fails."""
    number = uuid.uuid4().hex[:8]
    mine, other = (HEAD.format(name=name, number=number) for name in ("Mara", "Bertil"))
    first = yield _ask(backend, mine)
    again = yield _ask(backend, mine)
    yield _ask(backend, other)
    back = yield _ask(backend, mine)
    asked = yield _ask(backend, mine, schema=SCHEMA)
    keeps = again.is_quicker(first)
    # With a cache, the second request only wrote.
    reads = first.read / max(
        first.took - again.took if keeps else first.took, first.took / 10, 0.001
    )
    new = max(asked.read - first.read, 0) if keeps else asked.read
    written = asked.answer.completion_tokens or tokens.estimate(asked.answer.text)
    found = Measured(
        reads=reads,
        writes=max(written, 1) / max(asked.took - new / reads, asked.took / 10, 0.001),
        keeps=keeps,
        keeps_beside=back.is_quicker(first),
        right=_right(asked.answer.text),
        **(yield maybeDeferred(getattr(base.bare(backend), "about", dict))),
    )
    facts = {"verdict": found.verdict, "server": found.server, "reads": round(found.reads, 1)}
    model_facts.keep(base.bare(backend), **facts)
    return found


def verdict_of(backend: Backend) -> str:
    """Return GOOD or WEAK, or "" where it was never measured."""
    return str(model_facts.kept(base.bare(backend)).get("verdict", ""))


@inlineCallbacks
def judge(backend: Backend, alias: str) -> Generator[Deferred[Any], Any, None]:
    """Keep the verdict on a model that was found to use no tools, by the questions alone; nothing if it does not answer."""
    known = model_facts.kept(base.bare(backend))
    if "verdict" in known or known.get("tools") is not False:
        return
    counted = Budget(ledger.Ledger(base.bare(backend), alias=alias), alias=alias)
    head = HEAD.format(name="Mara", number=uuid.uuid4().hex[:8])
    try:
        asked = yield _ask(counted, head, schema=SCHEMA)
    except (BudgetExceeded, LLMUnavailable):
        return
    is_good = _right(asked.answer.text) == len(QUESTIONS)
    model_facts.keep(base.bare(backend), verdict=GOOD if is_good else WEAK)


@inlineCallbacks
def _ask(
    backend: Backend, head: str, *, schema: dict[str, Any] | None = None
) -> Generator[Deferred[Any], Any, _Asked]:
    wanted = "Answer with the one word: ready"
    if schema:
        wanted = f"Answer: {', '.join(QUESTIONS).replace('_', ' ')}?"
    messages = [{"role": "system", "content": head}, {"role": "user", "content": wanted}]
    most = ANSWER if schema else ONE_WORD
    request = Request(model_facts.JOB, messages, schema=schema, max_tokens=most, deadline=SECONDS)
    started = request.watch.seconds()
    answer = yield backend.complete(request).addTimeout(2 * SECONDS, scheduling.clock())
    read = answer.prompt_tokens or tokens.estimate_messages(messages)
    return _Asked(answer, request.watch.seconds() - started, read)


def _right(text: str) -> int | None:
    """Number of right answers, None without valid JSON."""
    try:
        given = json_reply.find_json(text, dict)
    except ValueError:
        return None
    if given.keys() != QUESTIONS.keys():
        return None
    return sum(
        bool(re.search(rf"\b({right})\b", str(given[name]).casefold()))
        for name, right in QUESTIONS.items()
    )
