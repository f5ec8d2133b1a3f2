"""The adapter to everything that speaks OpenAI's Chat Completions: OpenAI itself, Ollama, LM
Studio, llama.cpp, vLLM, OpenRouter.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.python.failure import Failure

from evennia_ai import conf
from evennia_ai.exceptions import (
    LLMAuthError,
    LLMBadReply,
    LLMContextOverflow,
    LLMRefused,
    LLMTimeout,
    LLMUnavailable,
)
from evennia_ai.llm import loop_thread, openai_errors, openai_reply, openai_request
from evennia_ai.llm.base import Completion, Request
from evennia_ai.llm.openai_request import Learnt

if TYPE_CHECKING:
    import httpx2
    import openai

# Seconds to reach the server; how long it may then think is the deadline of the request.
CONNECT_SECONDS = 5.0
# Seconds in which the client is imported, even from a slow disk.
WARM_UP_SECONDS = 60.0
# Statuses under which servers refuse a parameter (404: OpenRouter, where no provider has tools).
CURABLE = (400, 404, 422)
# Requests for one answer: each refusal that teaches something costs one.
MAX_REFUSALS = 6


@dataclass
class _Connection:
    """What belongs to one event loop and must not be used from another."""

    loop: asyncio.AbstractEventLoop
    client: openai.AsyncOpenAI
    slots: asyncio.Semaphore


@dataclass
class _Attempt:
    """Whether a request was sent, or still waited for others to be answered."""

    is_sent: bool = False

    def note_whether_billed(self, failure: Failure) -> Failure:
        """Say so of what ended it before there was an answer."""
        if failure.check(LLMTimeout, CancelledError):
            failure.value.is_billed = self.is_sent
        return failure


class OpenAIBackend:
    """One model at one endpoint.

    Args:
        model: its name, as the server knows it.
        base_url: where the server is, up to and with `/v1`.
        api_key: the key; or
        api_key_env: the environment variable that holds it. Local servers need neither.
        concurrency: requests under way at once; a server with one GPU wants 1 to 4.
        tools: "native" tool calls, "json" in the text, or "auto": native until refused.
        reasoning_effort: sent as it is; None sends nothing.
        extra: more fields of the request, such as {"temperature": 0.8}.
        name: what staff see; the model's name by default.
        http_client: an `httpx2.AsyncClient` to use instead of our own.
    """

    is_model = True

    def __init__(
        self,
        *,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        api_key: str = "",
        api_key_env: str = "",
        concurrency: int = 16,
        tools: str = "auto",
        reasoning_effort: str | None = "none",
        extra: dict[str, Any] | None = None,
        name: str | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        if tools not in ("auto", "native", "json"):
            raise ImproperlyConfigured(f"tools must be auto, native or json, not {tools!r}.")
        self.model = model
        self.base_url = base_url
        self._host = _checked_host(base_url)
        self.name = name or model
        self.learnt = Learnt(json_tools=tools == "json")
        self._api_key = api_key
        self._api_key_env = api_key_env
        self._concurrency = concurrency
        self._keep_tools = tools == "native"
        self._options = {"reasoning_effort": reasoning_effort, **(extra or {})}
        self._http_client = http_client
        self._connection: _Connection | None = None

    def __repr__(self) -> str:
        return f"<OpenAIBackend {self.model} at {self._host}>"

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request` by asking the server; see `llm.base.Backend`."""
        if not conf.get("ALLOW_MODEL_REQUESTS"):
            return fail(LLMRefused("EVENNIA_AI['ALLOW_MODEL_REQUESTS'] is off"))
        limit, attempt = conf.get("REPLY_BYTES"), _Attempt()
        answering = loop_thread.get_runner().run(
            lambda: self._complete(request, attempt, limit=limit),
            timeout=request.deadline,
            what=self.name,
        )
        return answering.addErrback(attempt.note_whether_billed)

    def warm_up(self) -> Deferred[None]:
        """Import the client and set it up, in its thread; nothing is sent."""
        limit = conf.get("REPLY_BYTES")

        async def connect() -> None:
            self._connected(limit=limit)

        return loop_thread.get_runner().run(connect, timeout=WARM_UP_SECONDS, what=self.name)

    async def _complete(self, request: Request, attempt: _Attempt, *, limit: int) -> Completion:
        connection = self._connected(limit=limit)
        async with connection.slots:
            for _ in range(MAX_REFUSALS):
                json_tools = self.learnt.json_tools
                body = openai_request.build_body(
                    request,
                    model=self.model,
                    options=self._options,
                    learnt=self.learnt,
                    json_tools=json_tools,
                )
                attempt.is_sent = True
                answer = await self._ask(connection.client, body, limit=limit)
                if answer is not None:
                    return openai_reply.normalise(
                        answer, model=self.model, json_tools=json_tools and bool(request.tools)
                    )
        raise LLMRefused(f"{self.name} refuses the request in every form")

    async def _ask(
        self, client: openai.AsyncOpenAI, body: dict[str, Any], *, limit: int
    ) -> Any | None:
        """Return the decoded answer, or None after a refusal that taught something."""
        import httpx2
        import openai

        try:
            response = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            text = openai_errors.text_of(error.body, fallback=error.response.text)
            explained = openai_errors.explain(
                error.status_code,
                self._without_key(text),
                name=self.name,
                headers=error.response.headers,
                kind=openai_errors.kind_of(error.body),
            )
            # A prompt that is too large is not cured by leaving out a parameter.
            curable = error.status_code in CURABLE and not isinstance(explained, LLMContextOverflow)
            if curable and self.learnt.learn(
                text, body, param=error.param, keep_tools=self._keep_tools
            ):
                return None
        except openai.APIConnectionError as error:
            reason = error.__cause__ or error
            explained = LLMUnavailable(
                f"{self.name} cannot be reached: {type(reason).__name__} {reason}"
            )
            explained.is_billed = not isinstance(
                reason, (httpx2.ConnectError, httpx2.ConnectTimeout)
            )
        else:
            return _decoded(response, limit=limit)
        # Outside the handler: no traceback may show the client's error, which can hold the key.
        raise explained

    def _connected(self, *, limit: int) -> _Connection:
        loop = asyncio.get_running_loop()
        if self._connection is None or self._connection.loop is not loop:
            self._connection = _Connection(
                loop, self._new_client(limit=limit), asyncio.Semaphore(self._concurrency)
            )
        return self._connection

    def _new_client(self, *, limit: int) -> openai.AsyncOpenAI:
        # The import takes 0.4 s, in which the reactor would stand still.
        try:
            import httpx2
            import openai
        except ImportError as error:
            # Games that use the offline mind alone need not have it.
            raise LLMRefused(f"the client of {self.name} is not installed: {error}") from None

        http_client = self._http_client or openai.DefaultAsyncHttpxClient()
        hooks = http_client.event_hooks
        http_client.event_hooks = {**hooks, "response": [*hooks["response"], _size_guard(limit)]}
        client = openai.AsyncOpenAI(
            api_key=self._key() or "none",
            base_url=self.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            # A compressed body would hide its size.
            default_headers={"Accept-Encoding": "identity"},
            http_client=http_client,
        )
        # Taken from the environment otherwise, and sent to whatever host base_url names.
        client.organization = client.project = client.admin_api_key = None
        return client

    def _key(self) -> str:
        if not self._api_key_env:
            return self._api_key
        key = os.environ.get(self._api_key_env, "")
        if not key:
            raise LLMAuthError(f"the environment variable {self._api_key_env} is not set")
        return key

    def _without_key(self, text: str) -> str:
        key = self._api_key or os.environ.get(self._api_key_env, "")
        return text.replace(key, "***") if key else text


def _checked_host(base_url: str) -> str:
    """Return the host in an address; the message of the error leaves out a password in it."""
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or " " in base_url:
        raise ImproperlyConfigured("base_url must be like http://localhost:11434/v1.")
    return parts.hostname


def _decoded(response: httpx2.Response, *, limit: int) -> Any:
    if len(response.content) > limit:
        raise _too_large(limit)
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        kind = response.headers.get("content-type", "no content type")
        raise LLMBadReply.about(
            f"the answer is not JSON but {kind}; does base_url end in /v1?", response.text
        ) from None


def _too_large(limit: int) -> LLMBadReply:
    return LLMBadReply(f"the answer is larger than {limit} bytes")


def _size_guard(limit: int) -> Any:
    """Return a hook that stops reading an answer, or an error, when it grows beyond `limit`."""
    import httpx2

    class Guarded(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        async def __aiter__(self) -> Any:
            read = 0
            async for chunk in self.stream:
                read += len(chunk)
                if read > limit:
                    raise _too_large(limit)
                yield chunk

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def guard(response: httpx2.Response) -> None:
        declared = response.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            raise _too_large(limit)
        response.stream = Guarded(response.stream)

    return guard
