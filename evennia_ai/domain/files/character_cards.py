"""Character cards, as many chat programs share them (V1, V2, V3), as persona and lore.

A card is JSON that strangers wrote: what it says of the character is taken over as description, and
what it says to a model is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

# Characters of one field of a persona, which each prompt holds; of one fact; of one line that is said.
FIELD_LENGTH = 2_000
FACT_LENGTH = 500
LINE_LENGTH = 240
# Facts and greetings of one card.
FACTS = 200
GREETINGS = 10
# What {{user}} stands for where nobody is spoken to.
VISITOR = "the visitor"

# What a card has that an NPC of a game has no use for, and how it is called when that is said.
LEFT_OUT = {
    "system_prompt": "its instructions to a model",
    "post_history_instructions": "its instructions to a model",
    "mes_example": "its examples of dialogue",
    "creator_notes": "the notes of its maker",
}

_CHAR = re.compile(r"\{\{char\}\}|<bot>", re.I)
_USER = re.compile(r"\{\{user\}\}|<user>", re.I)
# Other macros, such as {{random:a,b}}: nothing is there that could run them.
_MACRO = re.compile(r"\{\{[^{}]*\}\}")
# What goes into the text of a V3 entry for the program that reads it.
_DECORATOR = re.compile(r"^@@.*$", re.M)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_SPOKEN = re.compile(r"[\"“”„«»]([^\"“”„«»]{2,})[\"“”«»]")
_ACTION = re.compile(r"\*[^*]+\*")
_SENTENCE_END = re.compile(r".*[.!?…](?=\s)", re.S)


class Card(NamedTuple):
    """What a card says of a character; `left_out` tells what was not taken over, and why."""

    name: str
    persona: dict[str, Any]
    lore: list[str]
    left_out: list[str]


def is_card(content: Any) -> bool:
    """Return whether JSON that was read is a character card of any version."""
    fields = _fields(content)
    return "name" in fields and ("description" in fields or "first_mes" in fields)


def read(data: bytes) -> Any:
    """Return what JSON text says; ValueError if it is none."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON ({error}).") from None


def of(content: Any, *, name: str) -> Card:
    """Return a card as persona and lore of an NPC who is called `name`.

    Raises:
        ValueError: it is no character card.
    """
    if not is_card(content):
        raise ValueError("it is no character card.")
    reader = _Reader(_fields(content), name)
    persona = {
        "description": reader.field("description"),
        "background": reader.field("scenario"),
        "manner": reader.field("personality"),
        "greeting_lines": reader.greetings(),
    }
    lore = reader.lore()
    reader.note_left_out()
    written = {key: value for key, value in persona.items() if value}
    return Card(reader.own_name, written, lore, list(dict.fromkeys(reader.left_out)))


def _fields(content: Any) -> Mapping[str, Any]:
    # V1 has the fields themselves, later versions have them under "data".
    inner = content.get("data") if isinstance(content, Mapping) else None
    fields = inner if isinstance(inner, Mapping) else content
    return fields if isinstance(fields, Mapping) else {}


class _Reader:
    """Takes one card apart, and notes what is not taken over."""

    def __init__(self, fields: Mapping[str, Any], name: str) -> None:
        self.fields, self.name = fields, name
        self.own_name = self._text("name")[:80]
        self.left_out: list[str] = []

    def field(self, key: str) -> str:
        """Return a text of the card for a persona."""
        return self._cut(key, self._filled(self._text(key)), FIELD_LENGTH)

    def greetings(self) -> list[str]:
        """Return what it says first, as lines for whoever comes: the words that are spoken in it."""
        others = self.fields.get("alternate_greetings")
        texts = [self._text("first_mes"), *(others if isinstance(others, list) else [])]
        lines = [self._greeting(_printable(text)) for text in texts if isinstance(text, str)]
        return list(dict.fromkeys(line for line in lines if line))[:GREETINGS]

    def lore(self) -> list[str]:
        """Return the entries of its book that are switched on."""
        book = self.fields.get("character_book")
        entries = book.get("entries") if isinstance(book, Mapping) else None
        # Books of other programs number their entries: {"0": {…}}.
        listed = entries.values() if isinstance(entries, Mapping) else entries
        listed = listed if isinstance(listed, Iterable) else ()
        facts = [self._fact(entry) for entry in listed if isinstance(entry, Mapping)]
        known = list(dict.fromkeys(fact for fact in facts if fact))
        if len(known) > FACTS:
            self.left_out.append(f"{len(known) - FACTS} entries of its book beyond {FACTS}")
        return known[:FACTS]

    def note_left_out(self) -> None:
        """Note the fields that an NPC has no use for, and those that nobody here knows."""
        self.left_out += [what for key, what in LEFT_OUT.items() if self._text(key).strip()]

    def _fact(self, entry: Mapping[str, Any]) -> str:
        content = entry.get("content")
        if not isinstance(content, str) or not entry.get("enabled", True):
            return ""
        words = " ".join(_DECORATOR.sub("", self._filled(_printable(content))).split())
        keys = [key for key in _listed(entry.get("keys")) if isinstance(key, str) and key.strip()]
        # It is found by its words: what it is about has to be among them.
        if words and keys and not any(key.casefold() in words.casefold() for key in keys):
            words = f"{_printable(keys[0]).strip()}: {words}"
        return self._cut("an entry of its book", words, FACT_LENGTH)

    def _greeting(self, text: str) -> str:
        spoken = " ".join(_SPOKEN.findall(text)) or _ACTION.sub(" ", text)
        line = " ".join(self._filled(spoken, user="{name}").split())
        if len(line) <= LINE_LENGTH:
            return line
        whole = _SENTENCE_END.match(line[:LINE_LENGTH])
        return whole[0] if whole else f"{line[: LINE_LENGTH - 1]}…"

    def _filled(self, text: str, *, user: str = VISITOR) -> str:
        named = _CHAR.sub(lambda _: self.name, text)
        return _MACRO.sub("", _USER.sub(lambda _: user, named)).strip()

    def _text(self, key: str) -> str:
        value = self.fields.get(key)
        return _printable(value) if isinstance(value, str) else ""

    def _cut(self, what: str, text: str, length: int) -> str:
        if len(text) <= length:
            return text
        self.left_out.append(f"the end of {what}, beyond {length} characters")
        return f"{text[: length - 1]}…"


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("", text.replace("\r\n", "\n"))


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]
