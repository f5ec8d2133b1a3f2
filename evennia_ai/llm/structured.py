"""Answers that a program reads: JSON out of whatever the model wrote, repaired where it is broken, checked by pydantic."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import prompts
from evennia_ai.domain.model_text import json_reply
from evennia_ai.exceptions import LLMBadReply
from evennia_ai.llm import loop_thread
from evennia_ai.llm.base import Backend, Completion, Request

# Characters of a bad answer, and of what was wrong with it, that the model is shown again.
SHOWN_REPLY = 2000
SHOWN_ERROR = 400
# Shapes whose schemas are kept.
SCHEMAS = 64
# Seconds for the repair of one answer.
REPAIR_SECONDS = 5.0
# Characters that are looked at; the repair of 20,000 was seen to take half a second.
REPAIR_LIMIT = 20_000


@inlineCallbacks
def complete_structured(llm: Backend, request: Request, model: Any) -> Any:
    """Ask for an answer of the shape `model` and return it as an instance.

    `model` is a pydantic model. A wrong answer is shown to the mind once, with what is wrong; both
    requests share the deadline.

    Raises:
        LLMBadReply: the second answer is wrong, too.
    """
    started = request.watch.seconds()
    request = replace(request, schema=request.schema or _schema_of(model))
    completion = yield llm.complete(request)
    try:
        return (yield _read(completion, model))
    except LLMBadReply as error:
        wrong = error
    left = request.deadline - (request.watch.seconds() - started)
    if left <= 0:
        raise _without_answer("no valid answer, and no time to ask again", wrong)
    shown = {"role": "assistant", "content": completion.text[:SHOWN_REPLY]}
    asked_again = {
        "role": "user",
        "content": prompts.json_again(
            error=(wrong.words or str(wrong))[:SHOWN_ERROR], schema=request.schema
        ),
    }
    completion = yield llm.complete(
        replace(request, messages=[*request.messages, shown, asked_again], deadline=left)
    )
    try:
        return (yield _read(completion, model))
    except LLMBadReply as error:
        raise _without_answer("no valid answer after 2 attempts", error) from error


def read_json(text: str, want: type | tuple[type, ...] = (dict, list)) -> Any:
    """Return the only JSON value in `text`, one of the types `want`, repaired where it is broken.

    Raises:
        LLMBadReply: Nothing of the kind can be made out. An empty value that only the repair found
            counts as nothing.
    """
    try:
        return json_reply.find_json(text, want)
    except ValueError as error:
        value, problem = repaired(json_reply.unfenced(text)), str(error)
    if not value or not isinstance(value, want):
        raise LLMBadReply(problem)
    return value


def repaired(text: str) -> Any:
    """Return the value that a text is nothing but broken JSON of, else None."""
    # Of words the repair would make a value.
    if not text.startswith(("[", "{")):
        return None
    try:
        from json_repair import repair_json
    except ImportError as error:
        raise LLMBadReply(f"broken JSON cannot be repaired: {error}") from None
    try:
        # Strict: more than one value, or words after it, are an error.
        return repair_json(
            text[:REPAIR_LIMIT], return_objects=True, skip_json_loads=True, strict=True
        )
    except (ValueError, RecursionError):
        return None


@inlineCallbacks
def _read(completion: Completion, model: Any) -> Any:
    from pydantic import ValidationError

    text, thinking = json_reply.split_thinking(completion.text)
    # Some servers file the whole answer under reasoning.
    text = text or thinking or completion.thinking
    want = list if _schema_of(model).get("type") == "array" else dict
    try:
        data = json_reply.find_json(text, want)
    except ValueError:
        data = yield _repaired(text, want)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise LLMBadReply.about("the answer has another form", _sentence(error)) from None


@lru_cache(SCHEMAS)
def _schema_of(model: Any) -> dict[str, Any]:
    """Return the schema of a shape; to make it takes milliseconds."""
    schema: dict[str, Any] = model.model_json_schema()
    return schema


def _repaired(text: str, want: type) -> Deferred[Any]:
    """Repair in the loop thread: the worst reply takes half a second."""

    async def work() -> Any:
        return read_json(text, want)

    return loop_thread.get_runner().run(work, timeout=REPAIR_SECONDS, what="The repair of a reply")


def _without_answer(problem: str, error: LLMBadReply) -> LLMBadReply:
    last = LLMBadReply(f"{problem}: {error}")
    last.words = error.words
    return last


def _sentence(error: Any) -> str:
    """Return what pydantic found, without its links and without repeating the input."""
    return "; ".join(
        f"{'.'.join(map(str, item['loc'])) or 'answer'}: {item['msg']}"
        for item in error.errors(include_url=False, include_input=False)
    )
