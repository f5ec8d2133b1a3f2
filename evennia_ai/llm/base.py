"""The port to language models: ask for a job, never for a provider.

A backend is any object with `complete(request)` → Deferred of `Completion`, `name` and
`is_model`. Wrappers have the same shape and hold the next one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import Deferred, maybeDeferred

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile
from evennia_ai.domain.model_text import json_reply

# What a request may ask for. A backend that cannot do a job raises LLMRefused.
JOBS = (
    "reply",
    "score",
    "consolidate",
    "questions",
    "insights",
    "summarise",
    "extract",
    "reflect",
    "moderate",
)

# Jobs that ask for little, and have another alias than the default where the settings give them none.
ELSE = {"reflect": "cheaper"}

# Tool calls of one answer that are taken; a model that asks for more is going round in circles.
MAX_CALLS = 16
# Characters of the name and the id of a tool call.
MAX_NAME = 200


@dataclass(frozen=True)
class Caller:
    """On whose account a call is made; plain ids, so that a row outlives its objects.

    `player_id` is the account of the player whose words or deeds caused it, GUESTS for all guests, or
    0 where no player did: then it counts for the assistant and the server alone.
    """

    assistant_id: int = 0
    assistant_key: str = ""
    player_id: int = 0
    turn_id: str = ""


@dataclass(frozen=True)
class ToolCall:
    """One use of a tool that the model asked for.

    `error` says in one sentence why the arguments could not be read; they are {} then, as they are
    where they are nested too deep or too long for anything to be done with them.
    """

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    error: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name[:MAX_NAME])
        problem = json_reply.why_unfit(self.arguments)
        if problem:
            object.__setattr__(self, "arguments", {})
            object.__setattr__(self, "error", problem)


@dataclass
class Stopwatch:
    """Seconds of the clock, but for those in which a request waits for others to be answered."""

    stood: float = 0.0
    since: float | None = None

    def seconds(self) -> float:
        """Return what it shows."""
        now = scheduling.clock().seconds() if self.since is None else self.since
        return float(now - self.stood)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let it stand still."""
        self.since = scheduling.clock().seconds()
        try:
            yield
        finally:
            self.stood += scheduling.clock().seconds() - self.since
            self.since = None


@dataclass(frozen=True)
class Request:
    """What to do, as messages for a model and as plain data for a mind that reads none.

    `messages` are {"role", "content"} of the chat form, with `tool_calls` and `tool_call_id` as
    `Completion.message` writes them; `tools` are {"name", "description", "parameters"} with JSON
    schema; `schema` is the JSON schema of a structured answer. `deadline` is in seconds by `watch`,
    which stands still while the request waits for others; without a
    `temperature` the model has that of its options.
    """

    job: str
    messages: list[dict[str, Any]]
    tools: tuple[dict[str, Any], ...] = ()
    schema: dict[str, Any] | None = None
    context: dict[str, Any] = field(default_factory=dict)
    max_tokens: int = 300
    deadline: float = 30.0
    temperature: float | None = None
    caller: Caller = field(default_factory=Caller)
    watch: Stopwatch = field(default_factory=Stopwatch, compare=False, repr=False)


@dataclass(frozen=True)
class Completion:
    """One answer: words, tool calls or both; token counts are None where the server gave none.

    `cached_tokens` are those of the prompt that the server had read before.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    is_model: bool = True

    def message(self) -> dict[str, Any]:
        """Return the answer as the message that stands for it in the next request."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.tool_calls:
            message["tool_calls"] = [
                {"id": call.id, "name": call.name, "arguments": call.arguments}
                for call in self.tool_calls
            ]
        return message


def new_call_id() -> str:
    """Return an id for a tool call that came without one."""
    return f"call_{uuid.uuid4().hex[:12]}"


def completion_of(fields: dict[str, Any]) -> Completion:
    """Return the answer that was written down as a dict of its fields."""
    calls = tuple(ToolCall(**call) for call in fields["tool_calls"])
    return Completion(**{**fields, "tool_calls": calls})


class Backend(Protocol):
    """What every language model, and every wrapper around one, can do."""

    name: str
    is_model: bool

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request`; fails with one of the LLM errors of `exceptions`."""


class Wrapper:
    """A backend that holds the next one of an alias; `complete` is that of its kind."""

    def __init__(self, inner: Backend, *, alias: str = "default", clock: Any = None) -> None:
        self.inner, self.alias, self._clock = inner, alias, clock
        self.name, self.is_model = inner.name, inner.is_model


def get_llm(job: str, *, alias: str = "") -> Backend:
    """Return the backend for a job, in its wrappers; a job without an alias gets the default.

    `alias` comes before that of the job.
    """
    if job not in JOBS:
        raise ValueError(f"no such job: {job!r}. The jobs are {', '.join(JOBS)}.")
    known = conf.get("LLM")
    fitting = (one for one in (alias, job, ELSE.get(job, "")) if one in known)
    return get_alias(next(fitting, "default"))


def aliases_for_one() -> list[str]:
    """Return the keys of LLM of which one may be chosen to sum up the talk of one NPC.

    Those are what is asked for that anyway, or costs less, and NPC_MODELS; what an admin gave another job
    may be dear.
    """
    usual = ("default", "cheaper", "summarise", *conf.get("NPC_MODELS"))
    return [alias for alias in conf.get("LLM") if alias in usual]


def install(alias: str, backend: Backend) -> None:
    """Let `backend` do the jobs of `alias` from now on, as it is, without wrappers."""
    get_alias.put(backend, alias)


def reading_speed(backend: Backend) -> float:
    """Return how many tokens of a prompt a model reads in a second, 0 where that is not known."""
    return float(getattr(bare(backend), "reading_speed", 0.0))


def describe() -> str:
    """Return one sentence about which mind thinks, for the log and the status."""
    backend = get_alias("default")
    if backend.is_model:
        return f"assistants think with {backend.name}."
    return (
        "no language model is configured. Assistants use the offline mind: it answers from memory "
        "and does not converse freely."
    )


def warm_up() -> Deferred[Any]:
    """Let the default backend load what it needs, if it has a `warm_up` for that.

    Fails as its first call would.
    """
    return maybeDeferred(getattr(bare(get_alias("default")), "warm_up", _nothing))


def bare(backend: Backend) -> Backend:
    """Return the backend itself out of its wrappers."""
    while getattr(backend, "inner", None) is not None:
        backend = backend.inner  # type: ignore[attr-defined]
    return backend


@volatile.once_from_settings
def get_alias(alias: str) -> Backend:
    """Return the backend that the settings call `alias`, built once, in its wrappers."""
    backend = build_backend(alias)
    if not backend.is_model:
        return backend
    for path in conf.get("LLM_WRAPPERS"):
        backend = conf.load(path)(backend, alias=alias)
    return backend


def build_backend(alias: str) -> Backend:
    """Return a new bare backend for `alias`, as the settings describe it."""
    try:
        described = conf.get("LLM")[alias]
    except KeyError:
        raise ImproperlyConfigured(f"EVENNIA_AI['LLM'] has no {alias!r}.") from None
    backend: Backend = conf.load(described["BACKEND"])(**described.get("OPTIONS", {}))
    if "PROFILE" in described:
        backend.profile = described["PROFILE"]  # type: ignore[attr-defined]
    return backend


def _nothing() -> None:
    """There is nothing to load."""
