"""A proxy between the game and a model's server, which notes what was really sent and answered."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tests.model_server import CHAT, ModelServer
from tests.model_steps import Step

# The headers that matter to a server of models.
KEPT = ("authorization", "content-type")
# After so many seconds a model has hung.
PATIENCE = 600


@dataclass
class Call:
    """One request: its body, when it began and ended, and its answer; a status of 0 is of one that was cut."""

    body: dict
    began: float
    ended: float = 0.0
    status: int = 0
    answer: dict = field(default_factory=dict)

    def tokens(self):
        """Return how long the prompt was, and how much of it the server read anew."""
        usage = self.answer.get("usage") or {}
        prompt, details = usage.get("prompt_tokens") or 0, usage.get("prompt_tokens_details") or {}
        new = prompt - (details.get("cached_tokens") or 0)
        return prompt, (self.answer.get("timings") or {}).get("prompt_n", new)


class Proxy(ModelServer):
    """Answers as the server at `target` does, on loopback; `calls` are what it was asked to say, in their order."""

    def __init__(self, target):
        super().__init__()
        self.calls, self._target = [], urlsplit(target)

    def ask(self, body):
        """Send a request of our own; return the call."""
        sent, kind = json.dumps(body).encode(), {"Content-Type": "application/json"}
        urlopen(Request(f"{self.base_url}/chat/completions", sent, kind), timeout=PATIENCE).read()
        return self.calls[-1]

    async def step_for(self, received):
        """Ask the server behind; who hangs up meanwhile cancels this, and with it the line to the server."""
        call, body = Call(received.body, time.monotonic()), json.dumps(received.body).encode()
        if received.path == CHAT:
            self.calls.append(call)
        host, path = self._target.netloc, self._target.path + received.path.removeprefix("/v1")
        lines = [f"{received.method} {path} HTTP/1.0", f"Host: {host}", "Connection: close"]
        lines += [f"{name}: {received.headers[name]}" for name in KEPT if name in received.headers]
        lines += [f"Content-Length: {len(body)}", "", ""]
        writer = None
        try:
            reader, writer = await asyncio.open_connection(host.split(":")[0], self._target.port)
            writer.write("\r\n".join(lines).encode() + body)
            head, _, content = (await reader.read()).partition(b"\r\n\r\n")
            call.status = int(head.split()[1])
            with suppress(ValueError):
                call.answer = json.loads(content)
            return Step(body=content, status=call.status)
        except (OSError, IndexError):
            return Step(drop=True)
        finally:
            call.ended = time.monotonic()
            if writer is not None:
                writer.close()
