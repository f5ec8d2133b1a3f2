"""A piece of work as plain JSON, and what came of it: all that goes between a server and its workers.

No object of the game is in it. What a mind says by rules reads `context`; a model has all in its messages.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from evennia_ai import __version__, exceptions
from evennia_ai.exceptions import LLMUnavailable, TurnEnded
from evennia_ai.llm.base import Caller, Completion, Request, completion_of

# Of this package, which says what is stored of a mind and how. Jobs of another version wait for a worker that has it.
VERSION = __version__
# The kind of work that is no call, but a slice of a mind's night (`sleep.night_jobs`).
NIGHT = "night"
# What of an error whoever asked has to know.
ERROR_FIELDS = ("retry_after", "transient", "is_billed", "words", "window")


@dataclass(frozen=True)
class Work:
    """What is asked for: `asked` is JSON, `key` the same for the same question and no other."""

    key: str
    kind: str
    alias: str
    assistant_id: int
    asked: str
    version: str = VERSION


def work_of(request: Request, *, alias: str, is_model: bool) -> Work:
    """Return a request to the mind `alias` as work."""
    fields = asdict(request)
    del fields["watch"]
    if is_model:
        del fields["context"]
    # How long one waits makes no other question of it.
    question = {name: value for name, value in fields.items() if name != "deadline"}
    caller = request.caller
    return Work(
        key=hashlib.sha256(_written([VERSION, alias, question]).encode()).hexdigest(),
        kind=request.job,
        alias=alias,
        assistant_id=caller.assistant_id,
        asked=_written(fields),
    )


def request_of(work: Work) -> Request:
    """Return the request that is asked for."""
    fields = json.loads(work.asked)
    fields["tools"] = tuple(fields["tools"])
    fields["caller"] = Caller(**fields["caller"])
    return Request(**fields)


def work_of_night(assistant_id: int, asked: dict[str, Any]) -> Work:
    """Return a slice of an assistant's night as work; `asked` says of which state of it."""
    written = _written(asked)
    key = hashlib.sha256(_written([VERSION, NIGHT, written]).encode()).hexdigest()
    return Work(key=key, kind=NIGHT, alias="", assistant_id=assistant_id, asked=written)


def answer_of(completion: Completion) -> str:
    return answer_with(asdict(completion))


def answer_with(fields: dict[str, Any]) -> str:
    """Return what came of some work as JSON."""
    return _written({"answer": fields})


def failure_of(error: Exception) -> str:
    """Return why nothing was answered as JSON; of what is no error of ours, the name alone."""
    if not isinstance(error, TurnEnded):
        return _written(
            {"error": "LLMUnavailable", "text": f"a worker failed: {type(error).__name__}"}
        )
    fields = {name: getattr(error, name) for name in ERROR_FIELDS if hasattr(error, name)}
    return _written({"error": type(error).__name__, "text": str(error), "fields": fields})


def read_answer(text: str) -> Completion:
    """Return what was answered, as `read_fields` does."""
    return completion_of(read_fields(text))


def read_fields(text: str) -> dict[str, Any]:
    """Return what came of some work.

    Raises:
        TurnEnded: the error that there was instead.
    """
    read = json.loads(text)
    if "answer" in read:
        fields: dict[str, Any] = read["answer"]
        return fields
    known = getattr(exceptions, read["error"], LLMUnavailable)
    error = known(read["text"])
    for name, value in read.get("fields", {}).items():
        setattr(error, name, value)
    raise error


def is_answer(text: str) -> bool:
    """Return whether that is an answer, and not why there is none."""
    return text.startswith('{"answer"')


def _written(value: Any) -> str:
    # In ASCII nothing is left that a database refuses.
    return json.dumps(value, sort_keys=True, default=str)
