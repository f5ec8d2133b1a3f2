"""Measurements of the models of the settings for `@aiadmin/doctor`; their calls are in the books as any other."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import Any

from django.core import checks as levels
from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import CancelledError, Deferred, TimeoutError, inlineCallbacks

from evennia_ai import conf, scheduling
from evennia_ai.agent.speech import escaped
from evennia_ai.checks import Problem
from evennia_ai.exceptions import TurnEnded
from evennia_ai.llm import base, ledger, measure, model_facts, openai_about
from evennia_ai.llm.measure import Measured

# Characters of an error that are shown.
LENGTH = 200
# Tokens of a head of a prompt, of what is new in the next turn, and of an answer.
HEAD, NEW, ANSWER = 500, 45, 40
# Seconds of reading that somebody notices.
NOTICED = 2.0
KEEP_PROMPTS = {
    openai_about.LLAMA_CPP: "llama-server … --cache-ram 2048",
    openai_about.OLLAMA: "OLLAMA_NUM_PARALLEL=2 ollama serve",
}


def models() -> dict[str, base.Backend]:
    """Return the models of the settings, bare, by alias; the mind without a model is none."""
    found = {}
    for alias in conf.get("LLM"):
        try:
            backend = base.build_backend(alias)
        except (ImproperlyConfigured, ImportError, KeyError, TypeError):
            # What its settings lack is a problem of its own.
            continue
        if backend.is_model:
            found[alias] = backend
    return found


@inlineCallbacks
def measure_models() -> Generator[Deferred[Any], Any, tuple[list[str], list[Problem]]]:
    """Measure one model after the other; return a line about each, and what is to be changed."""
    lines, problems = [], []
    for alias, backend in models().items():
        started = scheduling.clock().seconds()
        try:
            yield model_facts.learn(backend, alias)
            found = yield measure.measure(ledger.Ledger(backend, alias=alias))
        except (TurnEnded, TimeoutError, CancelledError) as error:
            took = scheduling.clock().seconds() - started
            why = escaped(f"{type(error).__name__} {error}"[:LENGTH])
            lines.append(f"|rwrong|n  The model '{alias}' did not answer ({took:.1f} s): {why}")
            continue
        told = " ".join(_sentences(found, backend))
        lines.append(f"|gfine|n   The model '{alias}' ({escaped(backend.name)}) {told}")
        problems += [
            Problem(levels.WARNING, f"evennia_ai.{number}", sentence, line)
            for number, sentence, line in _unfit(alias, backend, found)
        ]
    return lines, problems


def _sentences(found: Measured, backend: Any) -> Iterator[str]:
    first, then = _turns(found)
    yield f"reads {found.reads:.0f} tokens a second and writes {found.writes:.0f}."
    yield f"A first answer takes about {first:.1f} s, each next one {then:.1f} s."
    if found.window:
        yield f"Its window is {found.window:,} tokens."
    yield "It uses tools." if model_facts.uses_tools(backend) else "It gets no tools."
    if "response_format" in getattr(getattr(backend, "learnt", None), "dropped", ()):
        yield "Its server takes no JSON schema."
    right = "gave no valid JSON" if found.right is None else f"answered {found.right} rightly"
    yield f"Of {len(measure.QUESTIONS)} questions about a text it {right}: {found.verdict}."


def _turns(found: Measured) -> tuple[float, float]:
    """Return the seconds of the first answer and of the next ones."""
    new = NEW if found.keeps else HEAD
    return found.seconds(new=HEAD, written=ANSWER), found.seconds(new=new, written=ANSWER)


def _unfit(alias: str, backend: Any, found: Measured) -> Iterator[tuple[str, str, str]]:
    """Yield (number, sentence, line to paste) for each setting that does not fit the model."""
    longest, deadline = max(_turns(found)), conf.get("TURN_DEADLINE")
    if longest > deadline:
        fitting = math.ceil(longest * 1.5 / 10) * 10
        yield (
            "W120",
            f"An answer of '{alias}' takes {longest:.0f} s, and TURN_DEADLINE is {deadline:g} s.",
            f'EVENNIA_AI["TURN_DEADLINE"] = {fitting}.0',
        )
    room = (found.window or math.inf) - conf.get("REPLY_TOKENS")
    if room < conf.get("CONTEXT_TOKENS"):
        yield (
            "W121",
            f"CONTEXT_TOKENS and REPLY_TOKENS together are more than the window of '{alias}'.",
            f'EVENNIA_AI["CONTEXT_TOKENS"] = {room}',
        )
    if found.verdict == measure.WEAK:
        yield ("W122", f"'{alias}' is too weak to sum up what happened.", "")
    if HEAD / found.reads > NOTICED and not found.keeps_beside:
        again = "an NPC speaks after another" if found.keeps else "anybody speaks"
        yield (
            "W123",
            f"The server of '{alias}' reads the whole prompt anew whenever {again}.",
            KEEP_PROMPTS.get(found.server, ""),
        )
    if found.slots and found.slots != getattr(backend, "concurrency", found.slots):
        yield (
            "W124",
            f"The server of '{alias}' answers {found.slots} at once, and is asked {backend.concurrency}.",
            f'EVENNIA_AI["LLM"]["{alias}"]["OPTIONS"]["concurrency"] = {found.slots}',
        )
