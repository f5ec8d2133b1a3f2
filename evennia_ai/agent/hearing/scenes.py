"""Scenes: those who are there when something is said, worked out once for all who hear it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from evennia_ai import scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.core import volatile
from evennia_ai.domain import audience, classification
from evennia_ai.domain.memories import retrieval
from evennia_ai.memory import persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import readahead

_ARTICLE = re.compile(r"\A(?:an?|the|some|en|ett|den|det)\s+(?=\S)", re.I)


@dataclass
class Scene:
    """Who was there when something was said: the same for all who hear it in one pass.

    `minds` and `people` have what each is called, `talkative` how talkative each mind is.
    """

    location_id: int
    minds: dict[int, list[str]]
    talkative: dict[int, str]
    people: dict[int, list[str]]
    listening: list[Any]
    responders: dict[str, int | None] = field(default_factory=dict)
    asked: dict[str, bool] = field(default_factory=dict)
    _fits: dict[tuple[str, bool], dict[int, int]] = field(default_factory=dict)
    _called: dict[str, frozenset[int]] = field(default_factory=dict)
    _knowing: dict[str, dict[int, int]] = field(default_factory=dict)

    def fits(self, words: str, *, is_deed: bool = False) -> dict[int, int]:
        """Return how well words name each who is there, worked out once for all who hear them."""
        if (words, is_deed) not in self._fits:
            everybody = {**self.people, **self.minds}
            # A bed that is spoken of is not the one of that name, where somebody else is named.
            others = self.minds.keys() - (self._by_name(words) or self.minds.keys())
            called = self.called(words)
            self._fits[words, is_deed] = {
                who: (
                    0
                    if who in others
                    else max(
                        classification.name_fit(words, names, is_speech=not is_deed), who in called
                    )
                )
                for who, names in everybody.items()
            }
        return self._fits[words, is_deed]

    def _by_name(self, words: str) -> frozenset[int]:
        """Return which minds words name by a name of their own, rather than by what they are."""
        return frozenset(
            who
            for who, names in self.minds.items()
            if classification.name_fit(
                words, [one for one in names if not classification.is_noun(one)]
            )
        )

    def called(self, words: str) -> frozenset[int]:
        """Return whom words speak to by name, rather than of them; worked out once for all.

        Where the whole calls nobody, a question in it may: "Sixpence, then. Bob, why are you here?". What is told in
        it, as in "I know the thief. Bob did it.", speaks of somebody.
        """
        if words not in self._called:
            asked = (one for one in retrieval.sentences(words) if one.endswith("?"))
            named = self._called_by_name(words) or frozenset[int]().union(
                *map(self._called_by_name, asked)
            )
            self._called[words] = named or self._by_trade(words)
        return self._called[words]

    def _called_by_name(self, words: str) -> frozenset[int]:
        everybody = {**self.people, **self.minds}.items()
        return frozenset(who for who, names in everybody if classification.is_called(words, names))

    def is_answered(self, words: str) -> bool:
        """Return whether one of those who hear these words answers them."""
        return any(who for key, who in self.responders.items() if key.partition(":")[2] == words)

    def knowing(self, words: str) -> dict[int, int]:
        """Return whose lore has something of what words ask for, and how many of their words."""
        if words not in self._knowing:
            wanted = {term for term in retrieval.terms(words) if not retrieval.is_weak(term)}
            minds = [
                one for one in self.listening if self.talkative.get(one.id, "never") != "never"
            ]
            known = {one.id: len(wanted & _lore_terms(one)) for one in minds}
            self._knowing[words] = {who: count for who, count in known.items() if count}
        return self._knowing[words]

    def _by_trade(self, words: str) -> frozenset[int]:
        """Return which minds words speak to as what they are: "Smith, how much is a sword?"."""
        if not classification.may_call_by_trade(words):
            return frozenset()
        minds = (one for one in self.listening if one.id in self.minds)
        written = {one.id: persona.load_persona(one)["description"] for one in minds}
        return frozenset(
            who
            for who, text in written.items()
            if classification.called_by_trade(words, classification.trades(str(text)))
        )


def _lore_terms(npc: Any) -> frozenset[str]:
    """Return the stems of what an NPC tells anybody of what its builder wrote."""
    told = (one.text for one in persona.load_lore(npc) if one.audience == audience.PUBLIC)
    return _terms_of(tuple(told))


@lru_cache(maxsize=500)
def _terms_of(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for text in texts for term in retrieval.terms(text))


@dataclass
class _State:
    # location id → when somebody spoke there last, or since when we listen
    spoken: dict[int, float] = field(default_factory=dict)
    # (speaker id, location id) → scene, for the current pass of the reactor
    scenes: dict[tuple[int, int], Scene] = field(default_factory=dict)


_state = volatile.keep(_State)


def of(npc: Any, speaker: Any) -> Scene:
    """Return the scene in which somebody speaks before `npc`, the same for one pass of the reactor."""
    location = npc.location
    key = (speaker.id, location.id if location else 0)
    if key not in _state.scenes:
        if not _state.scenes:
            scheduling.clock().callLater(0, _state.scenes.clear)
        contents = location.contents if location else []
        listening = [obj for obj in contents if presence.can_hear(obj)]
        minds = [obj for obj in listening if presence.is_mind(obj)]
        others = [obj for obj in (*listening, speaker) if obj not in minds]
        readahead.read_scene(minds, others, location)
        _state.scenes[key] = Scene(
            location_id=key[1],
            minds={obj.id: names_of(obj, speaker) for obj in minds},
            talkative={obj.id: npc_settings.talkative(obj) for obj in minds},
            people={obj.id: names_of(obj, npc) for obj in listening if not presence.is_mind(obj)},
            listening=listening,
        )
    return _state.scenes[key]


def note_spoken(location_id: int) -> None:
    """Note that somebody spoke in a room just now."""
    _state.spoken[location_id] = scheduling.clock().seconds()


def silence(location_id: int) -> float:
    """Return for how many seconds nobody spoke in a room, as far back as we listen."""
    now = scheduling.clock().seconds()
    return now - _state.spoken.setdefault(location_id, now)


def names_of(obj: Any, looker: Any) -> list[str]:
    """Return what somebody may be called: name, aliases, and the telling words of a long name.

    Neither "the" nor "old" tells anybody that the Old Guard is meant.
    """
    names = [obj.key, speech.name_of(obj, looker), *obj.aliases.all()]
    # "A tall guard" is also called "tall guard"; capitals tell enough on their own.
    names += [bare for name in names if (bare := _ARTICLE.sub("", name)).islower()]
    words = [word for name in names for word in name.split() if len(word) > 2]
    telling = [
        word
        for word in words
        if word[0].isupper() and any(not retrieval.is_weak(term) for term in retrieval.terms(word))
    ]
    return [*dict.fromkeys(name for name in (*names, *telling) if name)]
