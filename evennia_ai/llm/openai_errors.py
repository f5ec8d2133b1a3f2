"""From the errors of the OpenAI client to ours, by who must act on them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from evennia_ai.exceptions import (
    LLMAuthError,
    LLMContextOverflow,
    LLMRefused,
    LLMUnavailable,
)

_OVERFLOW = re.compile(
    r"maximum context length|context_length_exceeded|context window|exceed_context_size"
    r"|available context size|context size .{0,40}exceed|prompt is too long|input tokens exceed",
    re.IGNORECASE,
)
# How OpenAI, vLLM and llama.cpp tell the window.
_WINDOW = re.compile(
    r"n_ctx['\"]?\D{1,4}(\d+)|context size \((\d+)|maximum context length (?:is|of) (\d+)"
    r"|context window of (\d+)",
    re.IGNORECASE,
)
_TRANSIENT = {408, 409, 425, 429}
# Characters of a server's message that go into ours.
SHOWN_LENGTH = 300


def explain(status: int, text: str, *, name: str, headers: Mapping[str, str]) -> LLMUnavailable:
    """Return our error for an answer with an error status and the text that came with it."""
    if overflow := find_overflow(text):
        return overflow
    text = text[:SHOWN_LENGTH]
    if status in (401, 403):
        return LLMAuthError(f"{name} does not accept the API key ({status}): {text}")
    if status == 402 or (status == 429 and "insufficient_quota" in text):
        return LLMRefused(f"{name} wants to be paid ({status}): {text}")
    if status == 404:
        return LLMRefused(f"{name}: no such model, or a wrong base_url (404): {text}")
    if status < 500 and status not in _TRANSIENT:
        return LLMRefused(f"{name} refuses the request ({status}): {text}")
    error = LLMUnavailable(f"{name} is not available ({status}): {text}")
    error.retry_after = retry_after(headers, now=datetime.now(timezone.utc))
    return error


def find_overflow(text: str) -> LLMContextOverflow | None:
    """Return the error for a prompt that is too large, if the text complains of that."""
    if not _OVERFLOW.search(text):
        return None
    shown = text[:SHOWN_LENGTH]
    error = LLMContextOverflow(f"the prompt is larger than the model's window: {shown}")
    if told := _WINDOW.search(text):
        error.window = int(next(group for group in told.groups() if group))
    return error


def retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds after which the server wants to be asked again, or None."""
    for key, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        if key not in headers:
            continue
        try:
            seconds = float(headers[key]) / divisor
        except ValueError:
            seconds = _seconds_until(headers[key], now=now)
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def _seconds_until(date: str, *, now: datetime) -> float:
    try:
        return max(0.0, (parsedate_to_datetime(date) - now).total_seconds())
    except (ValueError, TypeError):
        return math.nan


def text_of(body: Any, *, fallback: str) -> str:
    """Return the sentence in the body of an error, whose form each server invents anew."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            # All of it: the window and the parameter may stand beside the message.
            return str(inner)
        body = inner
    return str(body) if body else fallback
