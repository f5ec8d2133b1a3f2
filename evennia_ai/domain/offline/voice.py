"""The scene as a mind without a model sees it, and how it picks and fills a line."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from evennia_ai.core import languages
from evennia_ai.domain import classification
from evennia_ai.domain.memories import relationship, retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import utterances

# Characters of one reply, of one quotation in it, and of a name.
REPLY_LENGTH = 300
QUOTE_LENGTH = 170
NAME_LENGTH = 40
# Characters of a speech that are read: what somebody wants stands at its end.
READ_LENGTH = 600
# Seconds after a line in which talk goes on.
TALKING = 120
# Own lines that are not said again while there is another.
REMEMBERED_LINES = 4

# What a name begins with that only tells how somebody looks.
ARTICLE = re.compile(r"\A(?:an?|the|some|en|ett|den|det|eine?|der|die|das)\s+(?=\S)", re.I)
# Lines in which the NPC does something, and speaks to nobody.
DEEDS = ("pose", "do_")

# Where a sentence ends, and another follows.
_ENDED = re.compile(r"[.!?]\s+(?=\S)")
_Asked, _Found = ParamSpec("_Asked"), TypeVar("_Found")
_SLOT = re.compile(r"\{(name|npc|text|by)\}")


@dataclass(frozen=True)
class Scene:
    """The plain data of one turn, as the context sections left it; what is missing is empty."""

    context: Mapping[str, Any]

    @cached_property
    def worked_out(self) -> dict[Hashable, Any]:
        """What was worked out of this scene, by what was asked of it (`once_of_scene`)."""
        return {}

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
        """The NPC's name, what whoever speaks calls it, and parts of these, by which it may be called."""
        called = reply.printable(str(self.npc.get("called") or ""), max_length=NAME_LENGTH)
        whole = [name for name in (self.own_name, called) if name]
        parts = [part for name in whole for part in name.split() if retrieval.terms(part)]
        return tuple(dict.fromkeys([*whole, *parts]))

    @cached_property
    def called(self) -> tuple[str, ...]:
        """By what the NPC may be called: also its aliases, and the word by which it is spoken to as what it is, "Smith"."""
        trades = classification.trades(str(self.npc.get("persona") or ""))
        called = (classification.called_by_trade(said, trades) for said in self.heard)
        aliases = map(str, self.npc.get("aliases") or ())
        return tuple(dict.fromkeys([*self.own_names, *aliases, *filter(None, called)]))

    @cached_property
    def name(self) -> str:
        """Whom the reply is for, as the NPC sees it; a friendly word where there is no name."""
        speaker = self.context.get("speaker") or {}
        name = speaker.get("name") or self.event.get("actor_name") or ""
        return reply.printable(str(name), max_length=NAME_LENGTH) or self.table("friend")[0]

    @cached_property
    def addressed(self) -> str:
        """What whom the reply is for is called to their face: nobody says "Hello, an old man"."""
        return self.table("friend")[0] if ARTICLE.match(self.name) else self.name

    @cached_property
    def place(self) -> str:
        """The name of the place, from `context["place"]`: a text, or {"name"}; "" if not given."""
        place = self.context.get("place") or ""
        name = place.get("name") if isinstance(place, dict) else place
        return reply.printable(str(name or ""), max_length=80)

    @cached_property
    def heard(self) -> list[str]:
        """The ends of what was said, with what the same speaker said just before in the same breath."""
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

    def beside(self, text: str) -> list[str]:
        """Return the sentences that were said in the same breath as one, in order."""
        breath = [one for said in self.heard for one in retrieval.sentences(said)]
        return [one for one in breath if text not in one]

    def told_beside(self, text: str) -> list[str]:
        """Return what was told, and not asked, in the same breath as a sentence."""
        return [one for one in self.beside(text) if "?" not in one]

    @cached_property
    def trade(self) -> frozenset[str]:
        """The stems of what the NPC is."""
        persona = str(self.npc.get("persona") or "")
        return frozenset(retrieval.terms(persona, language=self.language))

    @cached_property
    def uncalled(self) -> str:
        """What was said, without the NPC's name before it."""
        return utterances.without_call(self.text, names=self.called)

    @cached_property
    def conversation(self) -> list[dict[str, Any]]:
        """What was said before this turn, oldest first."""
        lines = list(self.context.get("conversation") or ())
        while lines and not lines[-1].get("mine") and lines[-1].get("text") in self._spoken:
            lines.pop()
        return lines

    @cached_property
    def own_lines(self) -> list[str]:
        """What the NPC said itself, oldest first."""
        return [str(line.get("text") or "") for line in self.conversation if line.get("mine")]

    @cached_property
    def said_by_speaker(self) -> list[str]:
        """What the speaker said before this turn, oldest first."""
        return [
            str(line.get("text") or "")
            for line in self.conversation
            if not line.get("mine") and is_same(line.get("name"), self.name)
        ]

    @cached_property
    def lines_to_speaker(self) -> list[str]:
        """Own lines that answered the speaker, and not somebody else in the same room."""
        lines, is_to_speaker = [], True
        for line in self.conversation:
            if not line.get("mine"):
                is_to_speaker = is_same(line.get("name"), self.name)
            elif is_to_speaker:
                lines.append(str(line.get("text") or ""))
        return lines

    @cached_property
    def is_talking(self) -> bool:
        """Whether the NPC answered the speaker last, a moment ago: nobody is welcomed in the midst of talk."""
        last = self.conversation[-1:]
        now, then = (
            str(one or "") for one in (self.context.get("now"), last and last[0].get("timestamp"))
        )
        if not (self.lines_to_speaker and now and then):
            return False
        passed = datetime.fromisoformat(now) - datetime.fromisoformat(then)
        return passed.total_seconds() <= TALKING

    @property
    def _regard(self) -> str:
        return (self.context.get("speaker") or {}).get("state") or relationship.STRANGER

    @cached_property
    def is_friend(self) -> bool:
        """Whether the NPC regards the speaker as a friend, or as more."""
        return relationship.of(self._regard).is_close

    @cached_property
    def is_known(self) -> bool:
        """Whether the NPC has talked with the speaker before."""
        return self._regard != relationship.STRANGER or any(
            is_same(line.get("name"), self.name)
            for line in self.conversation
            if not line.get("mine")
        )

    @cached_property
    def people_here(self) -> list[str]:
        """The names of those who are here, but for the NPC and whom it speaks with."""
        names = [
            reply.printable(str(being.get("name") or ""), max_length=NAME_LENGTH)
            for being in self.context.get("present") or ()
            if being.get("kind") in ("player", "npc")
        ]
        return [name for name in names if name and name not in (self.name, self.own_name)]

    def table(self, key: str) -> tuple[str, ...]:
        """Return the lines of a phrase in the NPC's language."""
        return languages.phrase(self.language, key)

    def line(self, key: str, *, own: str = "", **slots: str) -> str:
        """Return a line for a phrase; `own` names the NPC's own lines, which come before ours."""
        given = self.npc.get(own) if own else None
        lines = [str(line) for line in given if str(line).strip()] if _is_list(given) else []
        if key.startswith(DEEDS):
            slots.setdefault("name", self.name)
        return self.pick(key, [self.fill(line, **slots) for line in lines or self.table(key)])

    def pick(self, key: str, lines: Sequence[str]) -> str:
        """Return one of the lines by what was said and how far the talk is, and no recent one."""
        seed = f"{self.own_name}|{key}|{self.text}|{len(self.conversation)}"
        start = zlib.crc32(seed.encode("utf-8", "replace")) % len(lines)
        turned = [*lines[start:], *lines[:start]]
        recent = [self.tidy(line) for line in self.own_lines[-REMEMBERED_LINES:]]
        fresh = (line for line in turned if self.tidy(line) not in recent)
        other = (line for line in turned if self.tidy(line) not in recent[-1:])
        return next(fresh, None) or next(other, None) or turned[0]

    def fill(self, line: str, **slots: str) -> str:
        """Return a line with its slots filled in one pass; what fills them is not read again."""
        values = {"name": self.addressed, "npc": self.own_name, **slots}
        filled = _SLOT.sub(lambda match: values.get(match[1], ""), line)
        # "somebody told me" begins a sentence here.
        return filled[:1].upper() + filled[1:] if line.startswith("{") else filled

    def has_said(self, words: str) -> bool:
        """Return whether the NPC used these words in one of its last lines to the speaker."""
        wanted = self.tidy(words)
        return any(wanted in self.tidy(line) for line in self.lines_to_speaker[-REMEMBERED_LINES:])

    def times_said(self, words: str) -> int:
        """Return in how many of its last lines to the speaker the NPC used these words."""
        wanted = self.tidy(words)
        return sum(wanted in self.tidy(line) for line in self.lines_to_speaker[-REMEMBERED_LINES:])

    def listed(self, names: Iterable[str]) -> str:
        """Return names as a list that can be spoken: "Ann, Bob and Carl"."""
        *first, last = names
        return f"{', '.join(first)} {self.table('and')[0]} {last}" if first else last

    def has_just_said(self, words: str) -> bool:
        """Return whether the NPC used these words in its last line to the speaker."""
        wanted = self.tidy(words)
        return any(wanted in self.tidy(line) for line in self.lines_to_speaker[-1:])

    @staticmethod
    def tidy(text: str) -> str:
        """Return text as it is spoken: one printable line of a bounded length."""
        return reply.printable(text, max_length=REPLY_LENGTH)


def once_of_scene(
    work_out: Callable[Concatenate[Scene, _Asked], _Found],
) -> Callable[Concatenate[Scene, _Asked], _Found]:
    """Work something out once of a scene, whichever rules need it; nobody changes what is found."""

    @wraps(work_out)
    def known(scene: Scene, *asked: _Asked.args, **options: _Asked.kwargs) -> _Found:
        key = (work_out, *asked, *options.items())
        if key not in scene.worked_out:
            scene.worked_out[key] = work_out(scene, *asked, **options)
        return scene.worked_out[key]

    return known


def is_same(one: Any, other: Any) -> bool:
    """Return whether two names are of the same person, as people say them."""
    first, second = (str(name or "").casefold().strip() for name in (one, other))
    return bool(first and second) and (first == second or first in second.split())


def quoted(text: str) -> str:
    """Return words of somebody as they can stand between quotation marks, without what they did as they spoke."""
    said = utterances.without_deeds(text).strip(' "“”')
    return reply.printable(said, max_length=QUOTE_LENGTH).replace('"', "'")


def _end_of(said: str) -> str:
    """Return the last sentences of a speech, as many as are read."""
    if len(said) <= READ_LENGTH:
        return said
    end = said[-READ_LENGTH:]
    begun = _ENDED.search(end)
    return end[begun.end() :] if begun else end.partition(" ")[2] or end


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _who(event: Mapping[str, Any]) -> Any:
    """Return whom an event is from: an identity or, of an account without a character, a name."""
    return event.get("actor") or event.get("called") or event.get("actor_name")
