"""The registry of tools, the ones that a turn is offered, and results that may be used again."""

from __future__ import annotations

import difflib
import inspect
import json
from collections import OrderedDict
from importlib import import_module
from types import ModuleType
from typing import Any, Iterable, Iterator

from django.core.exceptions import ImproperlyConfigured

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile
from evennia_ai.core.records import intersection
from evennia_ai.domain import reasons
from evennia_ai.exceptions import ToolError
from evennia_ai.memory.state import sleep_state
from evennia_ai.tools.base import Shown, Tool, ToolCategory, quoted

# Results that are kept, for all assistants together.
CACHE_SIZE = 256
# Names that are suggested to a mind that asked for a tool which is not there.
SUGGESTIONS = 3


@volatile.once_from_settings
def all_tools() -> dict[str, Tool]:
    """Return every tool of TOOL_MODULES by its name, in the order of the settings.

    Raises:
        ImproperlyConfigured: A module cannot be imported, two tools share a name, or one of them
            has no name, no docstring, or a signature that no schema can be made of.
    """
    return _load(dict.fromkeys(conf.get("TOOL_MODULES")))


def get(name: str) -> Tool:
    """Return the tool of that name; raises ToolError with the names that are near."""
    return pick(name, all_tools().values())


def offered(turn: Any) -> list[Tool]:
    """Return the tools that the assistant may use in this turn, by its reason; none, if it sleeps."""
    if _sleeps(turn):
        return []
    return [tool for tool in all_tools().values() if not _why_not(tool, turn)]


def shown(turn: Any) -> list[Tool]:
    """Return the tools whose schemas a request has: the same in every turn of a kind, whoever speaks.

    A server keeps what begins as the request before, and most put the tools first. What cannot be used now
    is refused when it is tried; what is offered beside them may be used by whoever knows of it.
    """
    listed = (tool for tool in all_tools().values() if tool.shown or conf.get("ALL_TOOLS"))
    there = [tool for tool in listed if not tool.setting or conf.get(tool.setting)]
    return [tool for tool in there if not _why_never(tool, turn)]


def why_not_offered(tool: Tool, turn: Any) -> str:
    """Return why the assistant may not use a tool in this turn, for staff; "" if it may."""
    return "it sleeps" if _sleeps(turn) else _why_not(tool, turn)


def _sleeps(turn: Any) -> bool:
    return turn.script is not None and sleep_state.is_asleep(turn.script)


def _why_never(tool: Tool, turn: Any) -> str:
    """Return why a tool is nothing for turns of this kind; "" if it is."""
    if not turn.reason.speaks:
        return "" if _is_for_one_alone(tool) else "not while it thinks by itself"
    may_talk = tool.for_talk or conf.get("ALL_TOOLS")
    return "" if may_talk else "not while it answers (ALL_TOOLS)"


def _why_not(tool: Tool, turn: Any) -> str:
    if why := _why_never(tool, turn):
        return why
    if tool.allowed(turn):
        return ""
    return f"only if {tool.allowed_if}" if tool.allowed_if else "the tool itself says no"


def _is_for_one_alone(tool: Tool) -> bool:
    """Return whether a tool is of use to one who thinks by itself, and changes nothing around it."""
    if tool.category is ToolCategory.DANGEROUS or tool.name in reasons.NOT_ALONE:
        return False
    return not tool.for_talk or tool.name in reasons.ALSO_ALONE


def pick(name: str, tools: Iterable[Tool]) -> Tool:
    """Return the tool of that name among these; raises ToolError with the names that are near."""
    named = {tool.name: tool for tool in tools}
    if name in named:
        return named[name]
    near = difflib.get_close_matches(name, named, n=SUGGESTIONS, cutoff=0.5) or sorted(named)
    raise ToolError(f"There is no tool {quoted(name)}; there is {', '.join(near)}.")


def _load(paths: Iterable[str]) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    for path in paths:
        try:
            module = import_module(path)
        except ImportError as error:
            raise ImproperlyConfigured(f"TOOL_MODULES names {path!r}: {error}.") from error
        for tool in _tools_of(module):
            other = found.setdefault(tool.name, tool)
            if other is not tool:
                raise ImproperlyConfigured(
                    f"Two tools are called {tool.name!r}: {_path(other)} and {_path(tool)}."
                )
    return found


def _tools_of(module: ModuleType) -> Iterator[Tool]:
    """Yield the tools that a module defines, without what it imports and bases that do nothing."""
    for value in vars(module).values():
        if not (inspect.isclass(value) and issubclass(value, Tool)):
            continue
        if value.__module__ != module.__name__ or not hasattr(value, "execute"):
            continue
        tool = value()
        if not tool.name:
            raise ImproperlyConfigured(f"{_path(tool)} needs a name.")
        tool.schema()
        yield tool


def _path(tool: Tool) -> str:
    return f"{type(tool).__module__}.{type(tool).__qualname__}"


class ResultCache:
    """Results of cacheable tools, for as long as each tool says.

    A result is found again only by the same assistant and before the same hearers: what was looked
    up for one ear must not reach another by way of the cache. With it comes who may know of it: the
    reply to which it leads must not be taken for one that anybody may repeat.
    """

    def __init__(self, *, size: int = CACHE_SIZE) -> None:
        self._size = size
        # From key to (when it ends, result), the one that was used longest ago first.
        self._entries: OrderedDict[tuple[Any, ...], tuple[float, Any]] = OrderedDict()

    def get(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        *,
        assistant: str,
        hearers: Iterable[str],
        turn: Any = None,
    ) -> Any:
        """Return the result, or None if it has to be looked up.

        The `turn` notes who may know of the result. Without one, nothing is found or kept of a tool
        that has a `cache_key`.
        """
        if not _may_keep(tool, turn):
            return None
        key = _key(tool, arguments, assistant, hearers, turn)
        ends_at, result = self._entries.get(key, (0.0, None))
        if ends_at <= scheduling.clock().seconds():
            self._entries.pop(key, None)
            return None
        self._entries.move_to_end(key)
        if isinstance(result, Shown):
            if turn is None:
                return None
            turn.include(intersection(one.audience for one in result.sources), result.sources)
        return result

    def put(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        result: Any,
        *,
        assistant: str,
        hearers: Iterable[str],
        turn: Any = None,
    ) -> None:
        """Keep a result, if the tool allows that."""
        if not _may_keep(tool, turn) or (turn is None and isinstance(result, Shown)):
            return
        key = _key(tool, arguments, assistant, hearers, turn)
        self._entries[key] = (scheduling.clock().seconds() + tool.cache_ttl, result)
        self._entries.move_to_end(key)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)


def _may_keep(tool: Tool, turn: Any) -> bool:
    has_key = type(tool).cache_key is not Tool.cache_key
    return tool.cacheable and tool.cache_ttl > 0 and (turn is not None or not has_key)


def _key(
    tool: Tool, arguments: dict[str, Any], assistant: str, hearers: Iterable[str], turn: Any
) -> tuple[Any, ...]:
    own = tool.cache_key(turn)
    return assistant, tool.name, json.dumps(arguments, sort_keys=True), frozenset(hearers), own


results = volatile.once_from_settings(ResultCache)
