"""Facts about models that outlive a restart, such as the tool profile, which three short requests find out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError
from evennia.server.models import ServerConfig
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core import volatile
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm import ledger
from evennia_ai.llm.base import Backend, Completion, Request, bare
from evennia_ai.llm.wrappers.budget import Budget

# Key of Evennia's ServerConfig for these facts.
KEY = "evennia_ai_models"
# The job of probes and measurements in the ledger.
JOB = "probe"
# Verdicts of `measure`.
GOOD, WEAK = "good", "weak"
# Seconds until the next probe: after a result, and after no answer.
VALID_SECONDS, RETRY_SECONDS = 30 * 86400.0, 600.0
# Seconds and tokens that one answer may take.
DEADLINE, TOKENS = 60.0, 100
ASKED = "You are in a text game. Use a tool to do what is asked."


def _tool(name: str, description: str, *parameters: str) -> dict[str, Any]:
    properties = dict.fromkeys(parameters, {"type": "string"})
    described = {"type": "object", "properties": properties, "required": list(parameters)}
    return {"name": name, "description": description, "parameters": described}


_FOLLOW = _tool("follow", "Go along with somebody.", "target")
_GIVE = _tool("give", "Hand something over to somebody.", "item", "target")
_TIME = _tool("get_time", "Tell the time of day.")
# Probes: a wish, the tools on offer, and the name and arguments of the right call.
PROBES: tuple[tuple[str, tuple[dict[str, Any], ...], str, dict[str, str]], ...] = (
    ("Follow Ann.", (_FOLLOW,), "follow", {"target": "ann"}),
    ("Give the mug to Bob.", (_FOLLOW, _GIVE), "give", {"item": "mug", "target": "bob"}),
    ("What time of day is it?", (_GIVE, _TIME), "get_time", {}),
)


@dataclass
class _State:
    # When each model was asked last, by its key.
    asked: dict[str, float] = field(default_factory=dict)


_state = volatile.keep(_State)


def kept(bare: Any) -> dict[str, Any]:
    """Facts about a model that `keep` was given, {} if none."""
    return _found().get(key_of(bare), {})


def keep(bare: Any, **facts: Any) -> None:
    """Keep facts about a model across restarts."""
    _found()[key_of(bare)] = {**kept(bare), **facts}
    ServerConfig.objects.conf(KEY, dict(_found()))


@volatile.once
def _found() -> dict[str, dict[str, Any]]:
    try:
        return dict(ServerConfig.objects.conf(KEY, default=dict))
    except DatabaseError:
        # There is no table before the first migration.
        return {}


def key_of(bare: Any) -> str:
    """Key of a model at an address: a hash, since an address may hold a password."""
    named = f"{getattr(bare, 'base_url', '')} {getattr(bare, 'model', bare.name)}"
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def uses_tools(backend: Backend) -> bool:
    """True if tools are sent to a backend. Backends without a profile, such as the offline mind, take them."""
    model = bare(backend)
    if not _is_auto(model):
        return bool(getattr(model, "profile", "tools") == "tools")
    return bool(kept(model).get("tools")) and not model.learnt.no_tools


def is_weak(backend: Backend) -> bool:
    """True for a model without tools that was measured as weak; False where it was never measured."""
    verdict = kept(bare(backend)).get("verdict")
    return backend.is_model and verdict == WEAK and not uses_tools(backend)


def is_due(backend: Backend) -> bool:
    """True if a model must be probed, for the first time or again."""
    now, model = scheduling.clock().seconds(), bare(backend)
    is_old = now - kept(model).get("tools_at", -VALID_SECONDS) >= VALID_SECONDS
    asked = _state.asked.get(key_of(model), -RETRY_SECONDS)
    return _is_auto(model) and is_old and now - asked >= RETRY_SECONDS


@inlineCallbacks
def learn(
    backend: Backend, alias: str, *, is_busy: Callable[[], Any] = bool
) -> Generator[Deferred[Any], Any, None]:
    """Probe a model for tool use, and keep the result; keep nothing if it does not answer.

    The calls are in the ledger, on no player's account. `is_busy` is asked before each: True ends the probe.
    """
    model: Any = bare(backend)
    if not _is_auto(model):
        return
    counted = Budget(ledger.Ledger(model, alias=alias), alias=alias)
    is_right = True
    for wish, tools, name, arguments in PROBES:
        if is_busy():
            return
        _state.asked[key_of(model)] = scheduling.clock().seconds()
        said = [{"role": "system", "content": ASKED}, {"role": "user", "content": wish}]
        request = Request(JOB, said, tools, max_tokens=TOKENS, deadline=DEADLINE)
        try:
            completion = yield counted.complete(request)
        except (BudgetExceeded, LLMUnavailable):
            return
        is_right = _is_answered(completion, name, arguments)
        if not is_right:
            break
    keep(model, tools=is_right, tools_at=scheduling.clock().seconds())


def _is_answered(completion: Completion, name: str, expected: dict[str, str]) -> bool:
    """True if the answer is exactly the expected call."""
    if [(call.name, call.error) for call in completion.tool_calls] != [(name, None)]:
        return False
    given = completion.tool_calls[0].arguments
    is_same = given.keys() == expected.keys()
    return is_same and all(word in str(given[key]).casefold() for key, word in expected.items())


def _is_auto(model: Any) -> bool:
    return getattr(model, "profile", "") == "auto"
