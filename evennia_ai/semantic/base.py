"""The port to semantic memory: what assistants know for good, found by meaning.

Callers name a memory by its alias in the settings and never learn which library stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any, Protocol

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import Deferred, fail, inlineCallbacks, maybeDeferred, succeed

from evennia_ai import conf
from evennia_ai.core import volatile
from evennia_ai.core.records import Audience
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.memory_thread import MemoryUnavailable

OFF_SENTENCE = "Semantic memory is switched off in the settings."


class SemanticMemory(Protocol):
    """What every semantic memory can do."""

    enabled: bool
    describe: Callable[[], str]
    # What the likenesses of this memory mean: from which on a text is `relevant` to a question, and two
    # lines are `alike`, where they were measured.
    scale: dict[str, float]

    def add(
        self,
        text: str,
        *,
        assistant_key: str,
        audience: Audience,
        metadata: dict[str, Any] | None = None,
    ) -> Deferred[str]:
        """Keep a text; fires with its id, which is that of the same text where it is known."""

    def put(
        self,
        text: str,
        *,
        assistant_key: str,
        audience: Audience,
        metadata: dict[str, Any] | None = None,
    ) -> Deferred[Any]:
        """Keep a text; fires with (id, event), the event is "added" or "duplicate"."""

    def add_all(self, texts: Iterable[NewMemory], *, assistant_key: str) -> Deferred[list[Any]]:
        """Keep many texts; fires with a list of what `put` gives for each."""

    def search(
        self,
        query: str,
        *,
        assistant_key: str,
        hearers: Iterable[str],
        limit: int = 10,
        min_trust: float = 0.0,
        names: Iterable[str] = (),
        filters: dict[str, Any] | None = None,
        also: Iterable[NewMemory] = (),
    ) -> Deferred[list[Memory]]:
        """Find what all `hearers` may know, best first, with `score` and `cosine` from 0 to 1.

        `also` are texts that are not kept here and are ranked along. They come back with the id "". The
        caller has seen to it who may know them.
        """

    def get(self, id: str, *, assistant_key: str) -> Deferred[Memory | None]:
        """Fetch one memory."""

    def get_all(
        self, *, assistant_key: str, limit: int = 100, offset: int = 0
    ) -> Deferred[list[Memory]]:
        """Fetch the memories of an assistant, newest first, whoever may know them.

        The first `offset` of them are left out.
        """

    def update(
        self, id: str, text: str, *, assistant_key: str, metadata: dict[str, Any] | None = None
    ) -> Deferred[bool]:
        """Let a text supersede another, which stays in metadata["history"]; False: not there."""

    def delete(self, id: str, *, assistant_key: str) -> Deferred[bool]:
        """Forget one memory; False if it is not there."""

    def delete_scope(
        self, *, assistant_key: str | None = None, source_id: str | None = None
    ) -> Deferred[int]:
        """Forget all of an assistant, all from a source, or what the one has from the other."""

    def warm_up(self) -> Deferred[None]:
        """Load what is needed, so that nobody has to wait for it who only wants to talk."""

    def close(self) -> None:
        """Close files."""


def _gives(nothing: Callable[[], Any]) -> Callable[..., Deferred[Any]]:
    """Return a method that finds nothing."""
    return lambda *args, **kwargs: succeed(nothing())


class Off:
    """No semantic memory: keeps nothing and finds nothing, and the game plays on."""

    enabled = False
    scale: dict[str, float] = {}

    def __init__(self, reason: str = OFF_SENTENCE) -> None:
        self.reason = reason

    def add(self, text: str, **kwargs: Any) -> Deferred[str]:
        """Fail: who stores must know that it was not kept."""
        return fail(MemoryUnavailable(self.reason))

    put = add

    def add_all(self, texts: Iterable[NewMemory], **kwargs: Any) -> Deferred[list[Any]]:
        """Fail, as `add` does."""
        return fail(MemoryUnavailable(self.reason))

    def describe(self) -> str:
        """Return why there is none."""
        return self.reason

    search = get_all = _gives(list)
    get = warm_up = _gives(lambda: None)
    update = delete = _gives(bool)
    delete_scope = _gives(int)

    def close(self) -> None:
        """There is nothing to close."""


def get_memory(alias: str = "default") -> SemanticMemory:
    """Return the memory that the settings call `alias`, built once.

    Raises:
        ImproperlyConfigured: the settings name no such memory.
    """
    return _built(alias)


@inlineCallbacks
def created(memory: SemanticMemory, ids: Iterable[str], *, assistant_key: str):
    """Find which of these memories are there; fires with when each was noted, by its id.

    A memory that has a `created` of its own is asked once, any other for each.
    """
    find = getattr(memory, "created", None)
    if find is not None:
        times = yield find(sorted(set(ids)), assistant_key=assistant_key)
        return times
    times = {}
    for one in sorted(set(ids)):
        found = yield memory.get(one, assistant_key=assistant_key)
        if found is not None:
            times[one] = found.created
    return times


def alike(
    memory: SemanticMemory,
    text: str,
    *,
    assistant_key: str,
    hearers: Iterable[str],
    limit: int,
    names: Iterable[str],
) -> Deferred[list[Memory]]:
    """Find what is like a text, the most alike first, as `SemanticMemory.search` returns it.

    A memory that has an `alike` of its own is asked for that: it need not look at words.
    """
    find = getattr(memory, "alike", memory.search)
    found: Deferred[list[Memory]] = find(
        text, assistant_key=assistant_key, hearers=hearers, limit=limit, names=names
    )
    return found


def install(alias: str, memory: SemanticMemory) -> None:
    """Use `memory` for an alias from now on."""
    _built.put(memory, alias)


def reset() -> None:
    """Close and forget the memories that were built, so that changed settings count."""
    _built.clear()


def close() -> None:
    """Finish what waits and close the files; for the end of the server."""
    memory_thread.stop()
    reset()


def describe(alias: str = "default") -> str:
    """Return one sentence about where assistants keep what they know, for the log and the status."""
    return get_memory(alias).describe()


def warm_up(alias: str = "default") -> Deferred[None]:
    """Load what the memory needs; fails as its first use would."""
    return maybeDeferred(lambda: get_memory(alias).warm_up())


def _build(alias: str) -> SemanticMemory:
    try:
        described = conf.get("SEMANTIC")[alias]
    except KeyError:
        raise ImproperlyConfigured(f"EVENNIA_AI['SEMANTIC'] has no {alias!r}.") from None
    if described is None:
        return Off()
    backend = conf.load(described["BACKEND"])
    for package, line in getattr(backend, "needs", {}).items():
        if find_spec(package) is None:
            return Off(
                f"Semantic memory is off: {package} is not installed. Install it with: {line}"
            )
    return backend(**described.get("OPTIONS", {}))


_built = volatile.once_from_settings(_build, end=lambda memory: memory.close())
