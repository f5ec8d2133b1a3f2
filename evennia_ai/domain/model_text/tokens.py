"""An estimate of tokens without a tokenizer.

The divisors fit English, code and JSON within a quarter and err towards too many elsewhere
(measured against the vocabularies cl100k and o200k).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

ASCII_PER_TOKEN = 3.6
# Bytes of UTF-8, so that Chinese and Hindi are both nearly right.
OTHER_BYTES_PER_TOKEN = 2.4
# What the chat form adds around each message.
TOKENS_PER_MESSAGE = 4


def estimate(text: str) -> int:
    """Return about how many tokens `text` has."""
    size = len(text.encode("utf-8", "replace"))
    plain = sum(map(str.isascii, text)) if size != len(text) else size
    return math.ceil(plain / ASCII_PER_TOKEN + (size - plain) / OTHER_BYTES_PER_TOKEN)


def estimate_messages(
    messages: Iterable[dict[str, Any]], tools: Iterable[dict[str, Any]] = ()
) -> int:
    """Return about how many tokens a request has; tool schemas count as their JSON."""
    total = sum(estimate(_dumped(tool)) for tool in tools)
    for message in messages:
        total += TOKENS_PER_MESSAGE + estimate(message.get("content") or "")
        if message.get("tool_calls"):
            total += estimate(_dumped(message["tool_calls"]))
    return total


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
