"""The scene of one turn as plain data, and how the mind without a model picks and fills a line."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from evennia_ai.core import languages
from evennia_ai.domain import classification
from evennia_ai.domain.memories import relationship, retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import reading

# Characters of one reply, of one quotation in it, and of a name.
REPLY_LENGTH = 300
QUOTE_LENGTH = 170
NAME_LENGTH = 40
# Characters of a speech that are read: a wish stands at its end.
READ_LENGTH = 600
# Seconds after a line in which talk goes on.
TALKING = 120
# Own lines that are not said again while there is another.
REMEMBERED_LINES = 4

# The article of a name that only tells how somebody looks.
ARTICLE = re.compile(r"\A(?:an?|the|some|en|ett|den|det|eine?|der|die|das)\s+(?=\S)", re.I)
# Phrases for a deed of the NPC.
DEEDS = ("pose", "do_")

_ENDED = re.compile(r"[.!?]\s+(?=\S)")
_SLOT = re.compile(r"\{(name|npc|text|by)\}")


@dataclass(frozen=True)
class Scene:
    """The plain data of one turn, as the context sections left it; missing parts are empty."""

    context: Mapping[str, Any]

    @cached_property
    def npc(self) -> dict[str, Any]:
        return self.context.get("npc") or {}

    @cached_property
    def event(self) -> dict[str, Any]:
        return self.context.get("event") or {}

    @cached_property
    def language(self) -> str:
        return languages.spoken(str(self.npc.get("language") or "")) or languages.DEFAULT

    @cached_property
    def own_name(self) -> str:
        return reply.printable(str(self.npc.get("name") or ""), max_length=NAME_LENGTH)

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """The NPC's name, the name that the speaker uses, and parts of these."""
        called = reply.printable(str(self.npc.get("called") or ""), max_length=NAME_LENGTH)
        whole = [name for name in (self.own_name, called) if name]
        parts = [part for name in whole for part in name.split() if retrieval.terms(part)]
        return tuple(dict.fromkeys([*whole, *parts]))

    @cached_property
    def called(self) -> tuple[str, ...]:
        """All that the NPC may be called by: names, aliases, and its trade where it is spoken to as that."""
        trades = classification.trades(str(self.npc.get("persona") or ""))
        called = (classification.called_by_trade(said, trades) for said in self.heard)
        aliases = map(str, self.npc.get("aliases") or ())
        return tuple(dict.fromkeys([*self.own_names, *aliases, *filter(None, called)]))

    @cached_property
    def name(self) -> str:
        """The speaker's name as the NPC sees it; a friendly word where there is none."""
        speaker = self.context.get("speaker") or {}
        name = speaker.get("name") or self.event.get("actor_name") or ""
        return reply.printable(str(name), max_length=NAME_LENGTH) or self.table("friend")[0]

    @cached_property
    def addressed(self) -> str:
        """The name to the speaker's face: nobody says "Hello, an old man"."""
        return self.table("friend")[0] if ARTICLE.match(self.name) else self.name

    @cached_property
    def place(self) -> str:
        """The name of the place, from `context["place"]`: a text, or {"name"}; "" if not given."""
        place = self.context.get("place") or ""
        name = place.get("name") if isinstance(place, dict) else place
        return reply.printable(str(name or ""), max_length=80)

    @cached_property
    def heard(self) -> list[str]:
        """The ends of the lines of this turn, with those that the speaker said in the same breath."""
        return [_end_of(said) for said in self._spoken]

    @cached_property
    def _spoken(self) -> list[str]:
        actor = _who(self.event)
        said = [
            str(event.get("text") or "")
            for event in self.context.get("events") or ()
            if event.get("kind") == self.event.get("kind") and _who(event) == actor
        ]
        own = str(self.event.get("text") or "")
        return said[-3:] if own in said else [own]

    @cached_property
    def text(self) -> str:
        return "\n".join(self.heard)

    @cached_property
    def uncalled(self) -> str:
        """The text without the NPC's name before it."""
        return reading.without_call(self.text, names=self.called)

    @cached_property
    def conversation(self) -> list[dict[str, Any]]:
        """The lines before this turn, oldest first."""
        lines = list(self.context.get("conversation") or ())
        while lines and not lines[-1].get("mine") and lines[-1].get("text") in self._spoken:
            lines.pop()
        return lines

    @cached_property
    def own_lines(self) -> list[str]:
        return [str(line.get("text") or "") for line in self.conversation if line.get("mine")]

    @cached_property
    def said_by_speaker(self) -> list[str]:
        """The speaker's lines before this turn, oldest first."""
        return [
            str(line.get("text") or "")
            for line in self.conversation
            if not line.get("mine") and is_same(line.get("name"), self.name)
        ]

    @property
    def before(self) -> str:
        """The line that the speaker said before, "" if none is remembered."""
        return next(iter(self.said_by_speaker[-1:]), "")

    @cached_property
    def is_talking(self) -> bool:
        """True if the NPC spoke a moment ago: nobody is welcomed in the midst of talk."""
        last = self.conversation[-1:]
        now, then = (
            str(one or "") for one in (self.context.get("now"), last and last[0].get("timestamp"))
        )
        if not (self.own_lines and self.said_by_speaker and now and then):
            return False
        passed = datetime.fromisoformat(now) - datetime.fromisoformat(then)
        return passed.total_seconds() <= TALKING

    @property
    def _regard(self) -> str:
        return (self.context.get("speaker") or {}).get("state") or relationship.STRANGER

    @cached_property
    def is_friend(self) -> bool:
        """True if the NPC regards the speaker as a friend, or as more."""
        return relationship.of(self._regard).is_close

    @cached_property
    def is_known(self) -> bool:
        """True if the NPC has talked with the speaker before."""
        return self._regard != relationship.STRANGER or bool(self.said_by_speaker)

    @cached_property
    def people_here(self) -> list[str]:
        """The names of the others who are here, without the NPC and the speaker."""
        names = [
            reply.printable(str(being.get("name") or ""), max_length=NAME_LENGTH)
            for being in self.context.get("present") or ()
            if being.get("kind") in ("player", "npc")
        ]
        return [name for name in names if name and name not in (self.name, self.own_name)]

    def table(self, key: str) -> tuple[str, ...]:
        """The lines of a phrase in the NPC's language."""
        return languages.phrase(self.language, key)

    def line(self, key: str, *, own: str = "", **slots: str) -> str:
        """One of the lines for a phrase, filled; `own` names the NPC's own lines, which come before ours."""
        given = self.npc.get(own) if own else None
        lines = [str(line) for line in given if str(line).strip()] if _is_list(given) else []
        if key.startswith(DEEDS):
            slots.setdefault("name", self.name)
        return self._pick(key, [self.fill(line, **slots) for line in lines or self.table(key)])

    def _pick(self, key: str, lines: Sequence[str]) -> str:
        """One of the lines by the text and the length of the talk, and no recent one."""
        seed = f"{self.own_name}|{key}|{self.text}|{len(self.conversation)}"
        start = zlib.crc32(seed.encode("utf-8", "replace")) % len(lines)
        turned = [*lines[start:], *lines[:start]]
        recent = [self.tidy(line) for line in self.own_lines[-REMEMBERED_LINES:]]
        fresh = (line for line in turned if self.tidy(line) not in recent)
        other = (line for line in turned if self.tidy(line) not in recent[-1:])
        return next(fresh, None) or next(other, None) or turned[0]

    def fill(self, line: str, **slots: str) -> str:
        """A line with its slots filled in one pass: slots in what fills them stay as they are."""
        values = {"name": self.addressed, "npc": self.own_name, **slots}
        filled = _SLOT.sub(lambda match: values.get(match[1], ""), line)
        # "somebody told me" begins a sentence here.
        return filled[:1].upper() + filled[1:] if line.startswith("{") else filled

    def has_said(self, words: str) -> bool:
        """True if the NPC used these words in one of its last lines."""
        wanted = self.tidy(words)
        return any(wanted in self.tidy(line) for line in self.own_lines[-REMEMBERED_LINES:])

    def listed(self, names: Iterable[str]) -> str:
        """Names as a list that can be spoken: "Ann, Bob and Carl"."""
        *first, last = names
        return f"{', '.join(first)} {self.table('and')[0]} {last}" if first else last

    @staticmethod
    def tidy(text: str) -> str:
        """Text as it is spoken: one printable line of a bounded length."""
        return reply.printable(text, max_length=REPLY_LENGTH)


def is_same(one: Any, other: Any) -> bool:
    """True if two names are of the same person, as people say them."""
    first, second = (str(name or "").casefold().strip() for name in (one, other))
    return bool(first and second) and (first == second or first in second.split())


def quoted(text: str) -> str:
    """Somebody's words as they can stand between quotation marks, without deeds between stars."""
    said = reading.without_deeds(text).strip(' "“”')
    return reply.printable(said, max_length=QUOTE_LENGTH).replace('"', "'")


def _end_of(said: str) -> str:
    """The last sentences of a speech, as many as are read."""
    if len(said) <= READ_LENGTH:
        return said
    end = said[-READ_LENGTH:]
    begun = _ENDED.search(end)
    return end[begun.end() :] if begun else end.partition(" ")[2] or end


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _who(event: Mapping[str, Any]) -> Any:
    """The actor of an event: an identity or, of an account without a character, a name."""
    return event.get("actor") or event.get("called") or event.get("actor_name")
