"""From a Request to the body that servers of the OpenAI kind take, and what a 400 teaches about it.

Few fields are sent, in the form that the strictest chat templates accept. What a server refuses all
the same is learnt from its refusal instead of from lists of model names, which rot.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from evennia_ai import prompts
from evennia_ai.llm.base import Request

# Without these there is no request, so a refusal of them cannot be cured by leaving them out;
# the last two have cures of their own.
_INDISPENSABLE = {"model", "messages", "tools", "response_format"}
_LENGTH_KEYS = ("max_tokens", "max_completion_tokens")
# Words of a refusal of all tools, as against one of this call's tools or messages.
_NO_TOOLS = re.compile(
    r"tool.{0,60}(not support|unsupported|not allowed|not permitted|not enabled|--jinja)"
    r"|support.{0,20}tool|enable-auto-tool-choice"
    r"|(unknown|unsupported|unrecognized|unexpected|extra).{0,60}\btools\b",
    re.DOTALL,
)
_NO_SYSTEM = re.compile(r"system role.{0,20}not supported|not support.{0,20}system")


# What is asked in words alone, without tools: small models ramble at what their servers use by themselves.
TEMPERATURE = 0.4


@dataclass
class Learnt:
    """What one model at one endpoint refused so far; only the loop thread changes it."""

    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    forced: dict[str, Any] = field(default_factory=dict)
    no_tools: bool = False
    no_system: bool = False

    def learn(self, refusal: str, body: dict[str, Any], *, param: str | None) -> bool:
        """Take in a refusal; return whether the request may now succeed.

        `param` is what the server itself blames.
        """
        low = refusal.lower()
        cures = (self._cure_reasoning, self._cure_length, self._cure_format, self._cure_system)
        if any(cure(low, body) for cure in cures):
            return True
        for key in body.keys() - _INDISPENSABLE - set(_LENGTH_KEYS) - self.forced.keys():
            if param == key or re.search(rf"\b{re.escape(key.lower())}\b", low):
                self.dropped.add(key)
                return True
        if "tools" in body and _NO_TOOLS.search(low):
            self.no_tools = True
            return True
        return False

    def _cure_reasoning(self, low: str, body: dict[str, Any]) -> bool:
        # "Function tools with reasoning_effort are not supported … set reasoning_effort to 'none'"
        key = "reasoning_effort"
        if key not in low or "'none'" not in low or "tool" not in low or "tools" not in body:
            return False
        if body.get(key) == "none":
            return False
        self.forced[key] = "none"
        self.dropped.discard(key)
        return True

    def _cure_length(self, low: str, body: dict[str, Any]) -> bool:
        for key, other in (_LENGTH_KEYS, _LENGTH_KEYS[::-1]):
            if key in body and other in low:
                self.renamed = {key: other} if key == "max_tokens" else {}
                return True
        return False

    def _cure_format(self, low: str, body: dict[str, Any]) -> bool:
        named = any(word in low for word in ("response_format", "json_schema", "grammar"))
        if named and "response_format" in body:
            self.dropped.add("response_format")
            return True
        return False

    def _cure_system(self, low: str, body: dict[str, Any]) -> bool:
        if body["messages"][0]["role"] == "system" and _NO_SYSTEM.search(low):
            self.no_system = True
            return True
        return False


def build_body(
    request: Request, *, model: str, options: dict[str, Any], learnt: Learnt
) -> dict[str, Any]:
    """Return the body of the request, without what the server refused before."""
    # A server that holds the model to a schema need not have it in the prompt, too.
    is_held = _is_object(request) and "response_format" not in learnt.dropped
    shown = replace(request, schema=None) if is_held else request
    body: dict[str, Any] = {
        "model": model,
        "messages": tidy_messages(shown, no_system=learnt.no_system),
        "max_tokens": request.max_tokens,
    }
    if request.tools and not learnt.no_tools:
        body["tools"] = [{"type": "function", "function": tool} for tool in request.tools]
    if _is_object(request):
        answer = {"name": "answer", "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": answer}
    if not request.tools:
        body["temperature"] = TEMPERATURE
    asked = {} if request.temperature is None else {"temperature": request.temperature}
    body.update({**options, **asked})
    body = {
        learnt.renamed.get(key, key): value
        for key, value in body.items()
        if value is not None and key not in learnt.dropped
    }
    return body | learnt.forced


def _is_object(request: Request) -> bool:
    return bool(request.schema) and request.schema.get("type") == "object"


def tidy_messages(request: Request, *, no_system: bool = False) -> list[dict[str, Any]]:
    """Return the messages with one leading system message and roles that alternate.

    Two people who speak in one room make two user messages in a row, which the templates of
    Mistral and Gemma refuse.
    """
    system = [message["content"] for message in request.messages if message["role"] == "system"]
    if request.schema:
        system.append(prompts.json_answer(schema=request.schema))
    tidy: list[dict[str, Any]] = []
    for message in request.messages:
        if message["role"] == "system":
            continue
        shown = _native(message)
        if tidy and _mergeable(tidy[-1], shown):
            tidy[-1]["content"] += "\n" + shown["content"]
        else:
            tidy.append(shown)
    if not tidy or tidy[0]["role"] != "user":
        # Some templates begin with the user or not at all.
        tidy.insert(0, {"role": "user", "content": "…"})
    instructions = _clean("\n\n".join(part for part in system if part))
    if instructions and no_system:
        tidy[0]["content"] = f"{instructions}\n\n{tidy[0]['content']}"
    elif instructions:
        tidy.insert(0, {"role": "system", "content": instructions})
    return tidy


def _native(message: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"role": message["role"], "content": _clean(message.get("content"))}
    if message["role"] == "tool":
        shown["tool_call_id"] = message["tool_call_id"]
    if message.get("tool_calls"):
        shown["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": _dumped(call["arguments"])},
            }
            for call in message["tool_calls"]
        ]
    return shown


def _mergeable(before: dict[str, Any], after: dict[str, Any]) -> bool:
    if before["role"] != after["role"] or before["role"] not in ("user", "assistant"):
        return False
    return "tool_calls" not in before and "tool_calls" not in after


def _dumped(value: Any) -> str:
    return _clean(json.dumps(value, ensure_ascii=False, default=str))


def _clean(text: str | None) -> str:
    """Return text that can be sent: half a surrogate pair cannot be encoded."""
    return (text or "").encode("utf-8", "replace").decode("utf-8")
