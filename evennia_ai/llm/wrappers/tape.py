"""Record what models answer, and play it back: the same answers without a key, a network or money.

It is the first of LLM_WRAPPERS, next to the model, while `ai_test --record` runs, so that what is played back counts in the
ledger as it did when it was paid. A tape is a file of JSON lines, one for each answer, in the order
in which they came; it holds prompts, and what people said in them.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from weakref import WeakValueDictionary

from django.conf import settings
from twisted.internet.defer import Deferred, fail, succeed

from evennia_ai.domain.model_text import request_fingerprint
from evennia_ai.exceptions import LLMRefused
from evennia_ai.llm.base import Backend, Completion, Request, completion_of

NAME = "tape"
# Where a tape records that was given no file; "" is nowhere.
recorded_on: str | Path = ""


class Tape:
    """Answers from a tape, or records on it what the model that it holds answers.

    Without a file it records on `recorded_on`, or where that is not set only passes on. `inner` is not
    needed where nothing is recorded.
    """

    def __init__(
        self,
        inner: Backend | None = None,
        *,
        alias: str = "default",
        file: str | Path | None = None,
        is_recording: bool = False,
    ) -> None:
        file, is_recording = (file, is_recording) if file else (recorded_on, True)
        self.inner, self.alias = inner, alias
        self.name = inner.name if inner else NAME
        self.is_model = inner.is_model if inner else True
        self._is_recording = is_recording
        self._reel = _reel_of(Path(settings.GAME_DIR) / file) if file else None

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request`; LLMRefused says what changed where the tape has no answer for it."""
        if self._reel is None:
            return self.inner.complete(request)
        asked = request_fingerprint.normal(
            request.job, request.messages, request.tools, request.schema
        )
        if self._is_recording:
            return self.inner.complete(request).addCallback(self._record, asked)
        try:
            return succeed(self._reel.answer(asked))
        except LLMRefused as error:
            return fail(error)

    def _record(self, completion: Completion, asked: request_fingerprint.Plain) -> Completion:
        self._reel.add(asked, completion)
        return completion


class Reel:
    """One file, for all aliases that use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._requests: dict[str, request_fingerprint.Plain] = {}
        self._answers: dict[str, list[Completion]] = {}
        # How often each was asked for.
        self._asked: dict[str, int] = {}
        self._is_read = False

    def answer(self, asked: request_fingerprint.Plain) -> Completion:
        """Return what was answered; to the same request again the next answer, at last the last.

        Raises:
            LLMRefused: the tape has none, or cannot be read.
        """
        self._read_once()
        key = request_fingerprint.key(asked)
        answers = self._answers.get(key)
        if not answers:
            changed = request_fingerprint.difference(asked, self._requests.values())
            raise LLMRefused(
                f"the tape {self.path.name} does not fit any more: {changed} Record it anew."
            )
        number = self._asked.get(key, 0)
        self._asked[key] = number + 1
        return answers[min(number, len(answers) - 1)]

    def add(self, asked: request_fingerprint.Plain, completion: Completion) -> None:
        """Write down an answer."""
        fields = asdict(completion)
        line = {"key": request_fingerprint.key(asked), "request": asked, "answer": fields}
        text = json.dumps(line, ensure_ascii=False, sort_keys=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n")

    def _read_once(self) -> None:
        if self._is_read:
            return
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise LLMRefused(f"the tape {self.path} cannot be read: {error.strerror}.") from None
        for number, line in enumerate(lines, 1):
            try:
                written = json.loads(line)
                completion = completion_of(written["answer"])
                key = written["key"]
                self._requests[key] = written["request"]
            except (ValueError, KeyError, TypeError):
                raise LLMRefused(
                    f"the tape {self.path.name} is damaged in line {number}. Record it anew."
                ) from None
            self._answers.setdefault(key, []).append(completion)
        self._is_read = True


# By path. Weak: it is rewound when the stacks that used it are gone.
_reels: WeakValueDictionary[str, Reel] = WeakValueDictionary()


def _reel_of(path: Path) -> Reel:
    return _reels.setdefault(str(path), Reel(path))
