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
    r"n_ctx['\"]?\D{1,4}(\d{1,9})|context size \((\d{1,9})"
    r"|maximum context length (?:is|of) (\d{1,9})|context window of (\d{1,9})",
    re.IGNORECASE,
)
_TRANSIENT = {408, 409, 425, 429}
# What kind of error a server says that it is; a sentence does not look so.
_KIND = re.compile(r"[A-Za-z][\w.\[\]-]{0,59}")


def explain(
    status: int, text: str, *, name: str, headers: Mapping[str, str], kind: str = ""
) -> LLMUnavailable:
    """Return our error for an answer with an error status and the text that came with it.

    `kind` is what `kind_of` says of its body.
    """
    if overflow := find_overflow(text):
        return overflow
    told = f"{status}{kind}"
    if status in (401, 403):
        return LLMAuthError.about(f"{name} does not accept the API key: {told}", text)
    if status == 402 or (status == 429 and "insufficient_quota" in text):
        return LLMRefused.about(f"{name} wants to be paid: {told}", text)
    if status == 404:
        return LLMRefused.about(f"{name}: no such model, or a wrong base_url: {told}", text)
    if status < 500 and status not in _TRANSIENT:
        return LLMRefused.about(f"{name} refuses the request: {told}", text)
    error = LLMUnavailable.about(f"{name} is not available: {told}", text)
    error.retry_after = retry_after(headers, now=datetime.now(timezone.utc))
    return error


def kind_of(body: Any) -> str:
    """Return what the body of an error names as its kind, to be put behind a status; or ""."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    given = [inner.get(key) for key in ("type", "code", "param")] if isinstance(inner, dict) else []
    named = [
        one for one in given if type(one) is int or (isinstance(one, str) and _KIND.fullmatch(one))
    ]
    return "".join(f", {one}" for one in dict.fromkeys(named))


def find_overflow(text: str) -> LLMContextOverflow | None:
    """Return the error for a prompt that is too large, if the text complains of that."""
    if not _OVERFLOW.search(text):
        return None
    told = _WINDOW.search(text)
    window = int(next(group for group in told.groups() if group)) if told else None
    of = f" of {window} tokens" if window else ""
    error = LLMContextOverflow.about(f"the prompt is larger than the model's window{of}", text)
    error.window = window
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
