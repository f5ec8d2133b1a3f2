"""The body of a request to a model: its job, its schema, its tools, and the text that a person reads to answer it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evennia_ai.domain.model_text import request_text
from evennia_ai.domain.model_text.request_text import tools_of

# The title of a structured answer → the job that asks for it.
JOBS = {
    "Rating": "score",
    "Attributes": "consolidate",
    "Questions": "questions",
    "Insights": "insights",
    "Summary": "summarise",
    "Facts": "extract",
}
# The tools of the one job of the night that has tools.
NOTING = {"add_journal_entry", "noop"}
# A tool of an NPC that thinks by itself, and tools of which each NPC among people has one.
ALONE, SEEN = "review_journal", {"look"}
# Characters that a description of a tool keeps.
DESCRIPTION = 160


def job_of(body: Mapping[str, Any]) -> str:
    """The job that a request is for."""
    schema = schema_of(body)
    if schema is not None:
        title = str(schema.get("title") or "answer")
        return JOBS.get(title, title.lower())
    tools = set(tools_of(body))
    if ALONE in tools and not tools & SEEN:
        return "reflect"
    return "extract" if tools and tools <= NOTING else "reply"


def schema_of(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema of a structured answer, None where words are asked for."""
    wanted = body.get("response_format") or {}
    return (wanted.get("json_schema") or {}).get("schema")


def text_of(body: Mapping[str, Any]) -> str:
    """Messages whole, tools in a line each."""
    text = request_text.text({**body, "tools": []})
    tools = map(_tool, tools_of(body).values())
    return "\n".join([text, "", "=== tools", *tools]) if tools_of(body) else text


def form_of(schema: Mapping[str, Any], defs: Mapping[str, Any] | None = None) -> str:
    """What a schema asks for in one line, such as {"worth": string}."""
    defs = schema.get("$defs", {}) if defs is None else defs
    if "$ref" in schema:
        return form_of(defs.get(schema["$ref"].rpartition("/")[2], {}), defs)
    if "anyOf" in schema:
        return " or ".join(form_of(choice, defs) for choice in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{form_of(schema.get('items', {}), defs)}, …]"
    if "properties" in schema:
        fields = (f'"{key}": {form_of(one, defs)}' for key, one in schema["properties"].items())
        return f"{{{', '.join(fields)}}}"
    return str(schema.get("type", "anything"))


def _tool(tool: Mapping[str, Any]) -> str:
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
