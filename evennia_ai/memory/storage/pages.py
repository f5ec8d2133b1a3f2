"""Pages of text: a line with the version, then JSON, one line for each record."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeVar, get_args

import msgspec

from evennia_ai.memory.kinds import Kind

T = TypeVar("T")

# To be raised once a released version could misread what is written.
VERSION = 1
_HEADER = f"{VERSION}\n"
# The text of an empty list.
NOTHING = _HEADER

_encoder = msgspec.json.Encoder()


class Page(NamedTuple):
    """What was read of a text: its value, and the lines that could not be read."""

    value: object
    bad: list[str]


def written(kind: Kind[T], value: T) -> str:
    """Return the text of a value."""
    lines = value if isinstance(value, list) and kind.is_list else [value]
    return _HEADER + _encoder.encode_lines(lines).decode()


def read(kind: Kind[T], text: str) -> Page:
    """Return what a text says; a line that does not fit is left out and named.

    The value of a page without a single good line is an empty list, or None.
    """
    version, _, body = text.partition("\n")
    if not version.isdecimal():
        body = text
    bad: list[str] = []
    try:
        values = _decoder(kind).decode_lines(body)
    except msgspec.MsgspecError:
        values, bad = _line_by_line(kind, body)
    if kind.is_list:
        return Page(values, bad)
    return Page(values[-1] if values else None, bad)


def is_newer(text: str) -> bool:
    """Return whether a text was written by a version of us that knows more than this one."""
    if text.startswith(_HEADER):
        return False
    version = text.partition("\n")[0]
    return version.isdecimal() and int(version) > VERSION


def plain(value: object) -> object:
    """Return a value as JSON has it."""
    plain_value: object = msgspec.json.decode(_encoder.encode(value))
    return plain_value


def shaped(kind: Kind[T], value: object) -> T:
    """Return plain data as a value of a kind.

    Raises:
        ValueError: It does not fit; the text says where.
    """
    try:
        shaped_value: T = msgspec.convert(value, kind.value, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    return shaped_value


@lru_cache(maxsize=256)
def _decoder(kind: Kind[T]) -> msgspec.json.Decoder[object]:
    of_a_line = get_args(kind.value)[0] if kind.is_list else kind.value
    return msgspec.json.Decoder(of_a_line)


def _line_by_line(kind: Kind[T], body: str) -> tuple[list[object], list[str]]:
    values: list[object] = []
    bad: list[str] = []
    for line in filter(None, body.split("\n")):
        try:
            values.append(_decoder(kind).decode(line))
        except msgspec.MsgspecError:
            try:
                values.append(_former_line(kind, line))
            except msgspec.MsgspecError:
                bad.append(line)
    return values, bad


def _former_line(kind: Kind[T], line: str) -> object:
    """Return a line that was written before records named their sources: what was made then rests on nothing."""
    whole = _with_sources(msgspec.json.decode(line))
    return _decoder(kind).decode(_encoder.encode(whole))


def _with_sources(value: object) -> object:
    if isinstance(value, list):
        return [*map(_with_sources, value)]
    if not isinstance(value, dict):
        return value
    named = value.get("sources") or []
    is_named = all(isinstance(one, list) for one in named)
    more = {"sources": named if is_named else []} if "audience" in value else {}
    return {**{key: _with_sources(one) for key, one in value.items()}, **more}
