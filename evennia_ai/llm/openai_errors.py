"""From the errors of the OpenAI client to ours, by who must act on them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
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
# Kinds of errors that servers name, and parameters: whatever else they name may be words of players.
_KINDS = frozenset(map(str, range(400, 600))) | frozenset("""
    api_error authentication_error bad_request billing_hard_limit_reached billing_not_active
    content_filter content_policy_violation context_length_exceeded exceed_context_size_error
    insufficient_quota internal_error internal_server_error invalid_api_key invalid_prompt
    invalid_request_error invalid_type invalid_value missing_required_parameter model_not_found
    model_overloaded not_found not_found_error not_supported_error overloaded_error
    permission_error rate_limit_error rate_limit_exceeded request_too_large requests server_error
    service_unavailable timeout tokens unavailable_error unknown_parameter unsupported_model
    unsupported_parameter unsupported_value
    BadRequestError InternalServerError NotFoundError NotImplementedError UnprocessableEntityError
    frequency_penalty max_completion_tokens max_tokens messages model presence_penalty
    reasoning_effort response_format seed stop temperature tool_choice tools top_p
""".split())


def explain(
    status: int, text: str, *, name: str, headers: Mapping[str, str], kind: str = ""
) -> LLMUnavailable:
    """Return our error for an answer with an error status and the text that came with it.

    `kind` is what `kind_of` says of its body.
    """
    if overflow := find_overflow(text):
        return overflow
    told = f"{status}{kind}"
    if 300 <= status < 400:
        return LLMRefused.about(
            f"{name} answers with {status}, a redirect, which is not followed: correct base_url, "
            "which must be where the redirect leads",
            headers.get("location", ""),
        )
    if status in (401, 403):
        return LLMAuthError.about(f"{name} does not accept the API key: {told}", text)
    if status == 402 or (status == 429 and "insufficient_quota" in text):
        return LLMRefused.about(f"{name} wants to be paid: {told}", text)
    if status == 404:
        return LLMRefused.about(f"{name}: no such model, or a wrong base_url: {told}", text)
    if status < 500 and status not in _TRANSIENT:
        return LLMRefused.about(f"{name} refuses the request: {told}", text)
    error = LLMUnavailable.about(f"{name} is not available: {told}", text)
    error.retry_after = retry_after(headers)
    return error


def kind_of(body: Any) -> str:
    """Return what the body of an error names as its kind, to be put behind a status; or ""."""
    given = [body.get(key) for key in ("type", "code", "param")] if isinstance(body, dict) else []
    named = [str(one) if str(one) in _KINDS else "unknown" for one in given if one]
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


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds after which the server wants to be asked again, or None."""
    for key, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(key, "nan")) / divisor
        except ValueError:
            continue
        if 0 <= seconds < math.inf:
            return seconds
    return None
