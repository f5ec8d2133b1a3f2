"""The adapter to everything that speaks OpenAI's Chat Completions: OpenAI itself, Ollama, LM
Studio, llama.cpp, vLLM, OpenRouter.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.python.failure import Failure

from evennia_ai import conf
from evennia_ai.core.records import EVENT_MAX_AGE
from evennia_ai.exceptions import (
    LLMAuthError,
    LLMBadReply,
    LLMContextOverflow,
    LLMRefused,
    LLMTimeout,
    LLMUnavailable,
)
from evennia_ai.llm import (
    loop_thread,
    model_facts,
    openai_about,
    openai_errors,
    openai_reply,
    openai_request,
    slots,
)
from evennia_ai.llm.base import Completion, Request
from evennia_ai.llm.openai_request import Learnt
from evennia_ai.llm.slots import Slots

# The largest answer that is read, in bytes; a larger or compressed one is refused as broken.
REPLY_BYTES = 1_000_000


if TYPE_CHECKING:
    import httpx2
    import openai

# Seconds to reach the server; how long it may then think is the deadline of the request.
CONNECT_SECONDS = 5.0
# Seconds in which the client is imported, even from a slow disk.
WARM_UP_SECONDS = 60.0
# Ollama forgets a model after 5 minutes, and to load it again takes as long as many answers.
KEEP_ALIVE = ("keep_alive", "30m")
# Statuses under which servers refuse a parameter (404: OpenRouter, where no provider has tools).
CURABLE = (400, 404, 422)
# Requests for one answer: each refusal that teaches something costs one.
MAX_REFUSALS = 6


@dataclass
class _Connection:
    """What belongs to one event loop and must not be used from another."""

    loop: asyncio.AbstractEventLoop
    client: openai.AsyncOpenAI
    slots: Slots


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
        concurrency: requests under way at once; 1 where the server is local, else 16.
        reasoning_effort: sent as it is; None sends nothing.
        extra: more fields of the request, such as {"temperature": 0.8}.
        name: what staff see; the model's name by default.
        http_client: an `httpx2.AsyncClient` to use instead of our own.
    """

    is_model = True
    # The PROFILE of its alias: whether tools are sent (see `model_facts`).
    profile = "auto"

    def __init__(
        self,
        *,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        api_key: str = "",
        api_key_env: str = "",
        concurrency: int | None = None,
        reasoning_effort: str | None = "none",
        extra: dict[str, Any] | None = None,
        name: str | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self.model = model
        self.base_url = base_url
        self._host = _checked_host(base_url)
        self.name = name or model
        self.learnt = Learnt()
        self._api_key = api_key
        self._api_key_env = api_key_env
        self.is_local = slots.is_local(self._host)
        self.concurrency = concurrency or (1 if self.is_local else 16)
        # What is local has one processor for all its models.
        self._server = base_url if self.is_local else f"{base_url} {model}"
        self._options = {"reasoning_effort": reasoning_effort, **(extra or {})}
        if urlsplit(base_url).port == openai_about.OLLAMA_PORT:
            self._options.setdefault(*KEEP_ALIVE)
        self._http_client = http_client
        self._connection: _Connection | None = None
        self._reads = 0.0

    @property
    def reading_speed(self) -> float:
        """Tokens of a prompt that are read in a second, as the server last told or the doctor measured; 0 if unknown."""
        return self._reads or float(model_facts.kept(self).get("reads", 0.0))

    def __repr__(self) -> str:
        return f"<OpenAIBackend {self.model} at {self._host}>"

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request` by asking the server; see `llm.base.Backend`."""
        if not conf.get("ALLOW_MODEL_REQUESTS"):
            return fail(LLMRefused("EVENNIA_AI['ALLOW_MODEL_REQUESTS'] is off"))
        if model_facts.kept(self).get("server") == openai_about.OLLAMA:
            self._options.setdefault(*KEEP_ALIVE)
        limit, patience = REPLY_BYTES, EVENT_MAX_AGE
        attempt = _Attempt()
        answering = loop_thread.get_runner().run(
            lambda: self._complete(request, attempt, limit=limit, patience=patience),
            timeout=patience + request.deadline,
            what=self.name,
        )
        return answering.addErrback(attempt.note_whether_billed)

    def warm_up(self) -> Deferred[None]:
        """Import the client and set it up, in its thread; nothing is sent."""
        limit = REPLY_BYTES

        async def connect() -> None:
            self._connected(limit=limit)

        return loop_thread.get_runner().run(connect, timeout=WARM_UP_SECONDS, what=self.name)

    def about(self) -> Deferred[dict[str, Any]]:
        """Ask the server what it tells of itself; see `openai_about.look`."""
        limit = REPLY_BYTES
        return loop_thread.get_runner().run(
            lambda: openai_about.look(
                self._connected(limit=limit).client, self.base_url, self.model
            ),
            timeout=openai_about.SECONDS,
            what=self.name,
        )

    async def _complete(
        self, request: Request, attempt: _Attempt, *, limit: int, patience: float
    ) -> Completion:
        connection = self._connected(limit=limit)
        async with connection.slots.taken(request, most=self.concurrency, patience=patience):
            attempt.is_sent = True
            return await loop_thread.bounded(
                lambda: self._answer(request, connection.client),
                timeout=request.deadline,
                what=self.name,
            )

    async def _answer(self, request: Request, client: openai.AsyncOpenAI) -> Completion:
        for _ in range(MAX_REFUSALS):
            body = openai_request.build_body(
                request,
                model=self.model,
                options=self._options,
                learnt=self.learnt,
            )
            answer = await self._ask(client, body)
            if answer is not None:
                self._reads = openai_reply.reading_speed(answer) or self._reads
                return openai_reply.normalise(answer, model=self.model)
        raise LLMRefused(f"{self.name} refuses the request in every form")

    async def _ask(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any | None:
        """Return the decoded answer, or None after a refusal that taught something."""
        import httpx2
        import openai

        try:
            response = await client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body=body,
                # Elsewhere is where no setting sends the words of players.
                options={"follow_redirects": False},
            )
        except openai.APIStatusError as error:
            text = str(error.body or error.response.text)
            explained = openai_errors.explain(
                error.status_code,
                self._without_key(text),
                name=self.name,
                headers=error.response.headers,
                kind=openai_errors.kind_of(error.body),
            )
            # A prompt that is too large is not cured by leaving out a parameter.
            curable = error.status_code in CURABLE and not isinstance(explained, LLMContextOverflow)
            if curable and self.learnt.learn(text, body, param=error.param):
                return None
        except openai.APIConnectionError as error:
            reason = error.__cause__ or error
            told = f"{self.name} cannot be reached: {type(reason).__name__}"
            is_refused = isinstance(reason, (httpx2.ConnectError, httpx2.ConnectTimeout))
            # Of a server that was reached, the text of the error quotes what it sent.
            explained = LLMUnavailable(f"{told} {reason}" if is_refused else told)
            explained.is_billed = not is_refused
        else:
            return _decoded(response)
        # Outside the handler: no traceback may show the client's error, which can hold the key.
        raise explained

    def _connected(self, *, limit: int) -> _Connection:
        loop = asyncio.get_running_loop()
        if self._connection is None or self._connection.loop is not loop:
            self._connection = _Connection(
                loop, self._new_client(limit=limit), slots.slots_of(self._server)
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
        with suppress(ImportError):
            # The client looks into it if it is there, even half imported by the thread of long-term memory.
            import httpx  # noqa: F401

        http_client = self._http_client or openai.DefaultAsyncHttpxClient()
        hooks = http_client.event_hooks
        http_client.event_hooks = {**hooks, "response": [*hooks["response"], _guard(limit)]}
        client = openai.AsyncOpenAI(
            api_key=self._key() or "none",
            base_url=self.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
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


def _decoded(response: httpx2.Response) -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        raise LLMBadReply.about(
            "the answer is not JSON; does base_url end in /v1?", response.text
        ) from None


def _guard(limit: int) -> Any:
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
                    raise LLMBadReply(f"the answer is larger than {limit} bytes")
                yield chunk

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def guard(response: httpx2.Response) -> None:
        # A few bytes of it may become a thousand times as many in one go.
        if response.headers.get("content-encoding", "identity") != "identity":
            raise LLMBadReply("the answer is compressed, though none such was asked for")
        response.stream = Guarded(response.stream)

    return guard
