"""A model server whose answers are written by hand, by a person or whoever else plays the model.

Each request is a pair of files in a folder: `0001.request.txt`, to be read, and
`0001.request.json`, as it came. The answer is the file `0001.answer.txt` or `0001.answer.json`, which
is taken as soon as it is written. Neither Django nor Evennia is needed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evennia_ai.domain.model_text import request_fingerprint
from tests import model_steps
from tests.by_hand import answers as by_hand_answers
from tests.by_hand import requests
from tests.by_hand.answers import BadAnswer
from tests.model_server import CHAT, ModelServer, Received
from tests.model_steps import Step

# Seconds between two looks for an answer; a file that did not change between two is whole.
LOOK = 0.1
# Characters of a token, about.
TOKEN = 4

WORDS = """\
Write {number}.answer.txt with the words that are said, or {number}.answer.json to use tools:
{{"content": "", "tool_calls": [{{"name": "…", "arguments": {{}}}}]}}"""
STRUCTURED = "Write {number}.answer.json with JSON of this form:\n{form}"

# Called with the number of a request, its body, and the answer as `by_hand_answers.read` returns it.
OnAnswer = Callable[[int, dict[str, Any], dict[str, Any]], None]


class ByHandServer(ModelServer):
    """Puts each request into a folder, and answers with what is written there.

    An answer that is there already is taken if it was written to the same request. A `timeout` of 0 is none.
    What `known` returns for the body of a request is the answer, and nobody is asked.
    """

    def __init__(
        self,
        folder: Path,
        *,
        timeout: float = 0.0,
        known: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None,
        tell: Callable[[str], None] = print,
        on_answer: OnAnswer | None = None,
    ) -> None:
        super().__init__()
        self.folder = folder
        self._timeout = timeout
        self._known = known
        self._tell = tell
        self._on_answer = on_answer
        folder.mkdir(parents=True, exist_ok=True)
        self._last = 0

    def step_for(self, received: Received) -> Any:
        """Return what to do with a request, or for an answer by hand what to await."""
        if received.path != CHAT:
            return super().step_for(received)
        self.requests.append(received)
        self._last += 1
        return self._answered(Sheet(self.folder, self._last), received.body)

    async def _answered(self, sheet: Sheet, body: dict[str, Any]) -> Step:
        answer = self._known(body) if self._known else None
        if answer is not None:
            sheet.put(body, answer)
            self._tell(f"{sheet.name} was answered before.")
            return self._given(sheet, body, answer)
        sheet.ask(body)
        self._tell(f"{sheet.name} asks: {requests.job_of(body)} ({sheet.text})")
        try:
            async with asyncio.timeout(self._timeout or None):
                answer = await self._wait_for(sheet, body)
        except TimeoutError:
            sheet.note(f"Nobody answered within {self._timeout:g} seconds.")
            self._tell(f"{sheet.name} was not answered within {self._timeout:g} seconds.")
            return model_steps.status(504, "nobody wrote an answer in time")
        except asyncio.CancelledError:
            sheet.note("Nobody waits for this answer any more.")
            self._tell(f"{sheet.name} is not waited for any more.")
            raise
        self._tell(f"{sheet.name} is answered.")
        return self._given(sheet, body, answer)

    def _given(self, sheet: Sheet, body: dict[str, Any], answer: dict[str, Any]) -> Step:
        if self._on_answer is not None:
            self._on_answer(sheet.number, body, answer)
        return step_of(answer, body, number=sheet.number)

    async def _wait_for(self, sheet: Sheet, body: dict[str, Any]) -> dict[str, Any]:
        seen = refused = None
        while True:
            found = sheet.answer()
            if found is not None and found == seen and found != refused:
                try:
                    path = found[0]
                    text = path.read_text(encoding="utf-8-sig")
                    answer = by_hand_answers.read(text, body, is_json=path.suffix == ".json")
                except BadAnswer as error:
                    self._refuse(sheet, f"{path.name}: {error}")
                except (OSError, UnicodeDecodeError) as error:
                    self._refuse(sheet, f"{path.name} cannot be read: {error}.")
                else:
                    sheet.note("")
                    return answer
                refused = found
            seen = found
            await asyncio.sleep(LOOK)

    def _refuse(self, sheet: Sheet, problem: str) -> None:
        sheet.note(f"{problem} Write it anew.")
        self._tell(f"{problem} Write it anew.")


class Sheet:
    """The files of one request."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
        self.name = f"{number:04}"
        self.text = folder / f"{self.name}.request.txt"
        self.raw = folder / f"{self.name}.request.json"
        self.problem = folder / f"{self.name}.problem.txt"
        self.answers = tuple(folder / f"{self.name}.answer.{kind}" for kind in ("json", "txt"))

    def ask(self, body: dict[str, Any]) -> None:
        """Write the request down; an answer to another request is put aside."""
        if any(path.exists() for path in self.answers) and not self._is_same(body):
            for path in self.answers:
                if path.exists():
                    path.replace(path.with_name(f"{path.name}.old"))
        self.note("")
        # The text comes last: whoever sees it has all there is.
        _write(self.raw, json.dumps(body, indent=1, ensure_ascii=False))
        _write(self.text, shown(self.name, body))

    def put(self, body: dict[str, Any], answer: dict[str, Any]) -> None:
        """Write down a request together with its answer."""
        is_json = requests.schema_of(body) is not None
        text = answer["content"] if is_json else json.dumps(answer, indent=1, ensure_ascii=False)
        _write(self.answers[0], text)
        _write(self.raw, json.dumps(body, indent=1, ensure_ascii=False))
        _write(self.text, shown(self.name, body))

    def answer(self) -> tuple[Path, int, int] | None:
        """Return the file of the answer with its moment and size, None as long as there is none."""
        for path in self.answers:
            try:
                found = path.stat()
            except OSError:
                continue
            return path, found.st_mtime_ns, found.st_size
        return None

    def note(self, problem: str) -> None:
        """Say beside the request what is wrong; "" takes it back."""
        if problem:
            _write(self.problem, f"{problem}\n")
        else:
            self.problem.unlink(missing_ok=True)

    def _is_same(self, body: dict[str, Any]) -> bool:
        try:
            before = json.loads(self.raw.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            # Answers that were there before anything was asked are meant for what comes.
            return True
        return digest(before) == digest(body)


def shown(number: str, body: dict[str, Any]) -> str:
    """Return a request as whoever answers it reads it."""
    schema = requests.schema_of(body)
    form = requests.form_of(schema) if schema else ""
    asked = (STRUCTURED if schema else WORDS).format(number=number, form=form)
    head = f"Request {number}: {requests.job_of(body)}"
    return f"{head}\n\n{requests.text_of(body)}\n\n=== asked\n{asked}\n"


def step_of(answer: dict[str, Any], body: dict[str, Any], *, number: int) -> Step:
    """Return an answer as what a server does; how many tokens it took is estimated."""
    message = by_hand_answers.message_of(answer, number=number)
    data = model_steps.completion(message)
    asked = len(json.dumps(body, ensure_ascii=False)) // TOKEN
    said = len(json.dumps(message, ensure_ascii=False)) // TOKEN
    used = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return model_steps.data({**data, "model": "by hand", "usage": used})


def digest(body: dict[str, Any]) -> str:
    """Return by what two requests of the same words are known, whatever the time and the ids."""
    tools = requests.tools_of(body).values()
    schema = requests.schema_of(body)
    messages = [
        {**one, "tool_calls": [_flat(call) for call in one.get("tool_calls") or ()]}
        for one in body["messages"]
    ]
    return request_fingerprint.key(
        request_fingerprint.normal(requests.job_of(body), messages, tools, schema)
    )


def _flat(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": call.get("id"), **(call.get("function") or {})}


def _write(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
