"""A model server that does what a script says, over real HTTP: the faults of real ones, on demand.

In a test::

    with ModelServer([steps.status(429, retry_after="1"), "Good evening."]) as server:
        backend = OpenAIBackend(model="any", base_url=server.base_url)
"""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests import model_steps
from tests.model_steps import Step

# Requests that are remembered, so that a benchmark does not fill the memory.
REMEMBERED = 1000
# Connections that may wait to be accepted; 200 minds start to think at once.
BACKLOG = 4096
HOST = "127.0.0.1"
CHAT, MODELS = "/v1/chat/completions", "/v1/models"

Script = Iterable["Step | str"] | Callable[[dict[str, Any]], "Step | str"]


@dataclass
class Received:
    """One request as the server saw it; the names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any]


class ModelServer:
    """An OpenAI-compatible server on loopback.

    The script is a list of steps, used up in order by the requests for an answer, or a function
    from the body of a request to a step; text is short for an answer of these words. When a list is
    used up, the status is 500 and says so.

    `requests` are what came in, `disconnects` counts who went before the answer was complete.
    """

    def __init__(self, script: Script = (), *, port: int = 0) -> None:
        self.requests: deque[Received] = deque(maxlen=REMEMBERED)
        self.disconnects = 0
        self.port = port
        self.connections: set[asyncio.Transport] = set()
        self._script = script if callable(script) else deque(script)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """Where an OpenAI client finds it."""
        return f"http://{HOST}:{self.port}/v1"

    def __enter__(self) -> ModelServer:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        if not ready.wait(5):
            raise RuntimeError("the scripted model server did not start")
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def wait_for_disconnect(self, seconds: float = 1.0) -> bool:
        """Wait until a client went away; return whether one did."""
        until = time.monotonic() + seconds
        while not self.disconnects and time.monotonic() < until:
            time.sleep(0.005)
        return self.disconnects > 0

    async def listen(self) -> asyncio.Server:
        """Start to listen in the running loop; `port` is the real one afterwards."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: _Connection(self), HOST, self.port, backlog=BACKLOG
        )
        self.port = server.sockets[0].getsockname()[1]
        return server

    def step_for(self, received: Received) -> Step:
        """Return what to do with a request, and remember it."""
        self.requests.append(received)
        if received.path == MODELS:
            return model_steps.data({"object": "list", "data": [{"id": "scripted"}]})
        if received.path != CHAT:
            return model_steps.status(404, f"no such path: {received.path}")
        if callable(self._script):
            step = self._script(received.body)
        elif self._script:
            step = self._script.popleft()
        else:
            step = model_steps.status(500, "the script of the model server is used up")
        return model_steps.text(step) if isinstance(step, str) else step

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self.listen())
        self._loop.call_soon(ready.set)
        self._loop.run_forever()
        server.close()
        for transport in list(self.connections):
            transport.abort()
        # In these two passes connections close, and then tasks see that they were cancelled.
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()


class _Connection(asyncio.Protocol):
    """One client, one request after the other."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._received = b""
        self._transport: asyncio.Transport | None = None
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._server.connections.add(transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._start()

    def connection_lost(self, error: Exception | None) -> None:
        self._server.connections.discard(self._transport)
        if self._answering is not None:
            self._server.disconnects += 1
            self._answering.cancel()

    def _start(self) -> None:
        """Begin to answer when a whole request is there and no other is being answered."""
        if self._answering is not None:
            return
        head, separator, rest = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {key.strip().lower(): value.strip() for key, _, value in pairs}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self._received = rest[length:]
        method, path, _ = first.split(" ", 2)
        received = Received(method, path.partition("?")[0], headers, _decoded(rest[:length]))
        self._answering = asyncio.get_running_loop().create_task(self._answer(received))

    async def _answer(self, received: Received) -> None:
        step = self._server.step_for(received)
        if inspect.isawaitable(step):
            step = await step
        if step.latency:
            await asyncio.sleep(step.latency)
        if step.drop:
            self._answering = None
            self._transport.abort()
            return
        body = step.chat_body()
        lines = [f"HTTP/1.1 {step.status} Scripted", f"content-length: {len(body)}"]
        lines += [f"{key}: {value}" for key, value in step.headers]
        self._transport.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if step.interval:
            for byte in body:
                self._transport.write(bytes([byte]))
                await asyncio.sleep(step.interval)
        else:
            self._transport.write(body)
        self._answering = None
        if received.headers.get("connection", "").lower() == "close":
            self._transport.close()
        elif self._received:
            self._start()


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body) if body else {}
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"not an object": body.decode("latin-1")}
