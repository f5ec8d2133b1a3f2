"""One call of each model, to see whether it answers; it is in the books as any other."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import Deferred, gatherResults, maybeDeferred
from twisted.python.failure import Failure

from evennia_ai import conf, scheduling
from evennia_ai.agent.speech import escaped
from evennia_ai.llm import base, ledger

# Seconds that a model has, and tokens of its answer; a slow one may have to be loaded first.
SECONDS = 20.0
TOKENS = 50
# Characters of an answer or an error that are shown.
LENGTH = 200
MESSAGES = [{"role": "user", "content": "Answer with the one word: ready"}]


def ask_models() -> dict[str, Deferred[str]]:
    """Ask each model of the settings; return for each alias what will be said of it, as one line."""
    found = models()
    return {
        alias: _ask(alias, ledger.Ledger(backend, alias=alias)) for alias, backend in found.items()
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


def together(asked: dict[str, Deferred[str]]) -> Deferred[list[str]]:
    """Return the lines of all."""
    return gatherResults(list(asked.values()), consumeErrors=True)


def _ask(alias: str, backend: base.Backend) -> Deferred[str]:
    clock = scheduling.clock()
    started = clock.seconds()
    request = base.Request("reply", MESSAGES, max_tokens=TOKENS, deadline=SECONDS)
    asking = maybeDeferred(backend.complete, request).addTimeout(SECONDS, clock)

    def told(result: Any) -> str:
        took = f"{clock.seconds() - started:.1f} s"
        if isinstance(result, Failure):
            why = f"{result.type.__name__} {result.getErrorMessage()}"[:LENGTH]
            return f"|rwrong|n  The model '{alias}' did not answer ({took}): {escaped(why)}"
        words = " ".join(result.text.split())[:LENGTH]
        said = f'"{escaped(words)}"' if words else "nothing"
        return f"|gfine|n   The model '{alias}' ({escaped(backend.name)}) said {said} after {took}."

    return asking.addBoth(told)
