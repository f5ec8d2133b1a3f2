"""Context window and slots of a model server, from llama.cpp's, Ollama's or the general model list."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from evennia_ai.exceptions import LLMUnavailable

if TYPE_CHECKING:
    import openai

OLLAMA, LLAMA_CPP = "ollama", "llama.cpp"
OLLAMA_PORT = 11434
# Timeouts in seconds: for all requests, and for each of at most five.
SECONDS, EACH = 30.0, 5.0
# Elsewhere is where no setting sends anything.
OPTIONS = {"follow_redirects": False, "timeout": EACH}
# What the window is called in a list of models: by vLLM, OpenRouter and Ollama, LM Studio.
WINDOWS = ("max_model_len", "context_length", "max_context_length")


async def look(client: openai.AsyncOpenAI, base_url: str, model: str) -> dict[str, Any]:
    """Return {"window", "slots", "server"}: None or "" for what the server does not tell."""
    import httpx2
    import openai

    root = httpx2.URL(base_url).copy_with(path="/", query=None)

    async def ask(path: str, **body: str) -> Any:
        """Decoded answer of a path on the configured host, or None."""
        given: Any = {"cast_to": httpx2.Response, "options": OPTIONS}
        address = str(root.join(path))
        try:
            asking = (
                client.post(address, body=body, **given) if body else client.get(address, **given)
            )
            return json.loads((await asking).content)
        except (openai.OpenAIError, LLMUnavailable, ValueError, RecursionError):
            return None

    props = await ask("/props")
    if window := _count(props, "default_generation_settings", "n_ctx"):
        slots = _count(props, "total_slots")
        return {"window": window, "slots": slots, "server": LLAMA_CPP}
    if _at(await ask("/api/version"), "version"):
        # Of one that is loaded, as it is after some answers; else as its file says.
        names = (model, f"{model}:latest")
        window = _of_one(_at(await ask("/api/ps"), "models"), "name", names)
        parameters = str(_at(await ask("/api/show", model=model), "parameters"))
        told = re.search(r"\bnum_ctx\s+(\d{1,9})", parameters)
        window = window or (int(told[1]) if told else None)
        return {"window": window, "slots": None, "server": OLLAMA}
    listed = _at(await ask(f"{base_url.rstrip('/')}/models"), "data")
    return {"window": _of_one(listed, "id", (model,)), "slots": None, "server": ""}


def _of_one(listed: Any, key: str, names: tuple[str, ...]) -> int | None:
    """Context window of a model in a model list."""
    fitting = [one for one in listed if _at(one, key) in names] if isinstance(listed, list) else []
    told = (_count(one, name) for one in fitting for name in WINDOWS)
    return next(filter(None, told), None)


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _count(data: Any, *keys: str) -> int | None:
    value = _at(data, *keys)
    return value if type(value) is int and value > 0 else None
