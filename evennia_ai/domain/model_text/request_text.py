"""Requests to a model as text that a person reads: the messages and the tools, word for word.

A request is the body that a server of the OpenAI kind is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def tools_of(body: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tools that a request offers, by name."""
    offered = [tool.get("function") or {} for tool in body.get("tools") or ()]
    return {str(tool.get("name")): tool for tool in offered}


def text(body: Mapping[str, Any]) -> str:
    """The messages of a request and its tools."""
    names: dict[str, str] = {}
    parts = [_message(message, names) for message in body.get("messages") or ()]
    tools = tools_of(body)
    if tools:
        parts.append("\n".join(["=== tools", *map(_tool, tools.values())]))
    return "\n\n".join(parts)


def _message(message: Mapping[str, Any], names: dict[str, str]) -> str:
    role, content = str(message.get("role")), str(message.get("content") or "")
    title = role
    if role == "tool":
        title = f"tool: {names.get(str(message.get('tool_call_id')), 'unknown')} gave"
    lines = [f"=== {title}", *([content] if content else [])]
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        names[str(call.get("id"))] = str(function.get("name"))
        lines.append(f"uses {function.get('name')} {function.get('arguments')}")
    return "\n".join(lines)


def _tool(tool: Mapping[str, Any]) -> str:
    schema = json.dumps(tool.get("parameters") or {}, ensure_ascii=False)
    return f"{tool.get('name')}: {tool.get('description') or ''}\n  {schema}"
