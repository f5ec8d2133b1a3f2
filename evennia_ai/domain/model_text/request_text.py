"""Requests to a model as text that a person reads: the messages whole, the tools, what is asked.

A request is the body that a server of the OpenAI kind is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

# What a structured answer is called → the job that asks for it.
JOBS = {
    "Ratings": "score",
    "Attributes": "consolidate",
    "Questions": "questions",
    "Insights": "insights",
    "Summary": "summarise",
    "Facts": "extract",
}
# The tools of the one job of the night that has tools.
NOTING = {"add_journal_entry", "noop"}
# A tool of one who thinks by itself, and tools of which one is offered to all who are among people.
ALONE, SEEN = "review_journal", {"emote", "look", "whisper"}
# Characters of what a tool is for, where tools are short.
DESCRIPTION = 160


def job_of(body: Mapping[str, Any]) -> str:
    """Return the job that the body of a request is for."""
    schema = schema_of(body)
    if schema is not None:
        title = str(schema.get("title") or "answer")
        return JOBS.get(title, title.lower())
    tools = set(tools_of(body))
    if ALONE in tools and not tools & SEEN:
        return "reflect"
    return "extract" if tools and tools <= NOTING else "reply"


def schema_of(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of a structured answer, None where words are asked for."""
    wanted = body.get("response_format") or {}
    return (wanted.get("json_schema") or {}).get("schema")


def tools_of(body: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the tools that are offered, by name."""
    offered = [tool.get("function") or {} for tool in body.get("tools") or ()]
    return {str(tool.get("name")): tool for tool in offered}


def text(body: Mapping[str, Any], *, short: bool = False) -> str:
    """Return messages and tools as text: the tools as they are sent, or `short` in a line each."""
    parts = []
    names: dict[str, str] = {}
    for message in body.get("messages") or ():
        parts.append(_message(message, names))
    tools = tools_of(body)
    if tools:
        shown = _short_tool if short else _whole_tool
        parts.append("\n".join(["=== tools", *map(shown, tools.values())]))
    return "\n\n".join(parts)


def form_of(schema: Mapping[str, Any], defs: Mapping[str, Any] | None = None) -> str:
    """Return what a schema asks for in one line, such as {"scores": [{"id": integer}]}."""
    defs = schema.get("$defs", {}) if defs is None else defs
    if "$ref" in schema:
        return form_of(defs.get(schema["$ref"].rpartition("/")[2], {}), defs)
    if "anyOf" in schema:
        return " or ".join(form_of(one, defs) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{form_of(schema.get('items', {}), defs)}, …]"
    if "properties" in schema:
        fields = (f'"{key}": {form_of(one, defs)}' for key, one in schema["properties"].items())
        return f"{{{', '.join(fields)}}}"
    return str(schema.get("type", "anything"))


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


def _whole_tool(tool: Mapping[str, Any]) -> str:
    schema = json.dumps(tool.get("parameters") or {}, ensure_ascii=False)
    return f"{tool.get('name')}: {tool.get('description') or ''}\n  {schema}"


def _short_tool(tool: Mapping[str, Any]) -> str:
    schema = tool.get("parameters") or {}
    needed = set(schema.get("required") or ())
    given = ", ".join(_arguments(schema, needed))
    words = " ".join(str(tool.get("description") or "").split())
    short = words if len(words) <= DESCRIPTION else f"{words[: DESCRIPTION - 1]}…"
    return f"{tool.get('name')}({given}): {short}"


def _arguments(schema: Mapping[str, Any], needed: set[str]) -> Iterable[str]:
    for name, one in (schema.get("properties") or {}).items():
        shown = f"{name}: {form_of(one, schema.get('$defs', {}))}"
        yield shown if name in needed else f"[{shown}]"
