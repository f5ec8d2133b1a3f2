"""Addressing: who is there when a line is said, who is meant by it, which conversations go on, and their limits.

It is kept in memory only: after a restart whoever goes on talking says a name once more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from evennia_ai import conf, rate_limits, scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.core import languages, volatile
from evennia_ai.domain import audience, classification
from evennia_ai.domain.memories import retrieval
from evennia_ai.memory import identity, lookup, persona
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.memory.storage import readahead
from evennia_ai.rate_limits import Limit

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
    engaged: dict[str, int | None] = field(default_factory=dict)
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
class _Last:
    """Whom somebody spoke to last, when, whether it awaits words of theirs, or they turned to somebody else."""

    npc_id: int
    at: float
    awaits: bool = False
    turned_away: bool = False


@dataclass
class _State:
    # (speaker id, channel id, 0 for a room) → whom they spoke to last there
    last: dict[tuple[int, int], _Last] = field(default_factory=dict)
    # location id → which player spoke to other players there last (0: to one by name), and when
    among_players: dict[int, tuple[int, float]] = field(default_factory=dict)
    # location id → when somebody spoke there last, or since when we listen
    spoken: dict[int, float] = field(default_factory=dict)
    # (speaker id, location id) → scene, for the current pass of the reactor
    scenes: dict[tuple[int, int], Scene] = field(default_factory=dict)


_state = volatile.keep(_State)


def scene_of(npc: Any, speaker: Any) -> Scene:
    """Return the scene in which somebody speaks before `npc`, the same for one pass of the reactor."""
    location = npc.location
    key = (speaker.id, location.id if location else 0)
    if key not in _state.scenes:
        if not _state.scenes:
            scheduling.clock().callLater(0, _state.scenes.clear)
        contents = location.contents if location else []
        listening = [obj for obj in contents if presence.can_hear(obj)]
        minds = [obj for obj in listening if presence.is_mind(obj)]
        players = [obj for obj in listening if obj not in minds]
        readahead.read_scene(minds, {*players, speaker}.difference(minds), location)
        _state.scenes[key] = Scene(
            location_id=key[1],
            minds={obj.id: names_of(obj, speaker) for obj in minds},
            talkative={obj.id: npc_settings.talkative(obj) for obj in minds},
            people={one.id: names_of(one, npc) for one in players if presence.sees(npc, one)},
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


def unprompted_limits() -> dict[str, float]:
    """Return OCCASIONS; ours hold where a game wrote what is no number, which `evennia check` names."""
    given, ours = conf.get("OCCASIONS"), conf.DEFAULTS["OCCASIONS"]
    return {key: given[key] if isinstance(given[key], (int, float)) else ours[key] for key in ours}


def answered(npc: Any, speaker_id: int, *, channel_id: int = 0, awaits: bool = False) -> None:
    """Note that `npc` and somebody spoke, and whether it `awaits` an answer: it asked something, or spoke first."""
    _state.last[speaker_id, channel_id] = _Last(npc.id, scheduling.clock().seconds(), awaits)


def last_addressed(speaker_id: int, *, channel_id: int = 0) -> str | None:
    """Return the id, as text, of the NPC that somebody spoke to last there."""
    last = _state.last.get((speaker_id, channel_id))
    return str(last.npc_id) if last else None


def turned_away(speaker_id: int) -> None:
    """Note that somebody speaks to another player now: what they say next is for that one."""
    if (speaker_id, 0) in _state.last:
        _state.last[speaker_id, 0].turned_away = True


def note_unanswered(scene: Scene, words: str, speaker_id: int, *, to_player: bool) -> None:
    """Note that a player spoke to another player, or to nobody: the next may answer them."""
    if not scene.is_answered(words):
        who = 0 if to_player else speaker_id
        _state.among_players[scene.location_id] = (who, scheduling.clock().seconds())


def greeted(location_id: int) -> None:
    """Note that everybody in a room was greeted, and somebody answers."""
    rate_limits.count(_greeting_all(location_id))


def welcomes(npc: Any, player: Any) -> bool:
    """Return whether a chatty one greets somebody who comes in, and note that it does.

    One of those who are there does, who sees them, and so often as ROOM_GREETINGS and OCCASIONS allow: who walks
    in and out, as whomever, takes from others no greeting of theirs.
    """
    if not presence.sees(npc, player) or assistant.is_quiet_for(npc, player):
        return False
    room, who, pair = npc.location.id, identity.perceived(npc, player), unprompted_limits()["pair"]
    whose = player.account.id if player.account is not None else who
    return rate_limits.take(
        Limit(("welcomed", room, player.id), seconds=conf.get("ROOM_GREETING_COOLDOWN")),
        Limit(("greeted", npc.id, who), seconds=pair),
        Limit(("greeted in", room, whose), seconds=pair),
        Limit(("greetings", room), conf.get("ROOM_GREETINGS")),
    )


def engaged_with(scene: Scene, words: str, speaker_id: int) -> int | None:
    """Return the id of the assistant that somebody is in conversation with as they say these words.

    Worked out once for all who hear them.
    """
    if words not in scene.engaged:
        last = _state.last.get((speaker_id, 0))
        is_for_it = last is not None and _is_for_it(last, scene, words, speaker_id)
        scene.engaged[words] = last.npc_id if last and is_for_it else None
    return scene.engaged[words]


def _talks_with(speaker_id: int) -> int | None:
    """Return whom somebody spoke to within ENGAGED_SECONDS, though not all that they say is for it."""
    last = _state.last.get((speaker_id, 0))
    since = scheduling.clock().seconds() - conf.get("ENGAGED_SECONDS")
    return last.npc_id if last and not last.turned_away and last.at >= since else None


def _is_for_it(last: _Last, scene: Scene, words: str, speaker_id: int) -> bool:
    """Whether words that name nobody go on with an assistant.

    Where no other player is, nobody else can be meant. Among players, it still thinks of what they
    said, has just asked them something, or they ask on from its answer. In doubt they talk with each other.
    """
    paused = scheduling.clock().seconds() - last.at
    is_alone = scene.people.keys() <= {speaker_id} and not last.turned_away
    if is_alone or classification.resumes(words):
        return paused <= conf.get("ENGAGED_ALONE_SECONDS")
    if _talks_with(speaker_id) not in scene.minds:
        return False
    script = lookup.mind_of(lookup.object_by_id(last.npc_id))
    pending = assistant.pending_events(script) if script else []
    if any(event.actor_id == speaker_id for event in pending):
        # It owes them an answer, and takes this along.
        return True
    _, apart = _state.among_players.get(scene.location_id, (0, 0.0))
    return apart <= last.at and (last.awaits or classification.asks_on(words))


def responder(scene: Scene, how: str, words: str, speaker_id: int) -> int | None:
    """Return who answers these words; worked out once for all who hear them.

    `how` it came to that: one is "named" or "posed at", all are "greeted", the room is "asked" what one
    of them knows, the "chatty" take up any word.
    """
    key = f"{how}:{words}"
    if key not in scene.responders:
        minds = scene.minds.keys() - {speaker_id}
        is_deed = how == "posed at"
        named = scene.fits(words, is_deed=is_deed)
        fits = {str(who): fit for who, fit in named.items() if who in minds}
        talkative, engaged = scene.talkative, engaged_with(scene, words, speaker_id)
        if how in ("named", "posed at"):
            called, talks_with = scene.called(words), _talks_with(speaker_id)
            # Who speaks with one may speak of others; a deed is done to whom it names.
            aside = called or talks_with in minds and not fits.get(str(talks_with))
            fits = {
                who: fit
                for who, fit in fits.items()
                if fit and (is_deed or not aside or int(who) in called)
            }
        elif engaged in minds:
            fits = {str(engaged): 0}
        elif how == "greeted":
            fits = {who: fit for who, fit in fits.items() if talkative[int(who)] != "never"}
        elif how == "asked":
            knowing = scene.knowing(classification.asked_of_anybody(words))
            fits = {who: knowing[int(who)] for who in fits if int(who) in knowing}
        else:
            fits = {who: fit for who, fit in fits.items() if talkative[int(who)] == "chatty"}
        last = last_addressed(speaker_id)
        chosen = classification.choose_responder(fits, last_addressed=last)
        scene.responders[key] = int(chosen) if chosen else None
    return scene.responders[key]


def greets_everybody(scene: Scene, words: str, speaker_id: int) -> bool:
    """Return whether words are for whoever is there, and the room was not greeted just now."""
    known = {key: languages.listed("to_all", key) for key in ("greetings", "everybody")}
    alone = scene.people.keys() <= {speaker_id}
    is_meant = classification.is_for_everybody(words, only_minds=alone, **known)
    return is_meant and rate_limits.allows(_greeting_all(scene.location_id))


def asks_the_room(scene: Scene, words: str, speaker_id: int) -> bool:
    """Return whether a question is for whoever knows: it names nobody, and players do not talk with each other.

    It is worked out once for all who hear it, before it counts itself as talk of players.
    """
    if words not in scene.asked:
        by, since = _state.among_players.get(scene.location_id, (speaker_id, 0.0))
        is_talk = scheduling.clock().seconds() - since <= conf.get("ENGAGED_SECONDS")
        last = _state.last.get((speaker_id, 0))
        is_apart = by != speaker_id and is_talk or last is not None and last.turned_away
        asked = "" if is_apart else classification.asked_of_anybody(words)
        scene.asked[words] = bool(scene.knowing(asked))
    return scene.asked[words]


def may_exchange(npc: Any, other: Any, *, hops: int, watched: bool) -> bool:
    """Return whether two assistants may go on talking: not too long, and not to empty chairs."""
    pair = frozenset((npc.id, other.id))
    rest = Limit(("exchange", pair), seconds=conf.get("CROSS_TALK_COOLDOWN"))
    if hops > conf.get("CROSS_TALK_HOPS"):
        rate_limits.count(rest)
        return False
    return watched and rate_limits.allows(rest)


def _greeting_all(location_id: int) -> Limit:
    return Limit(("greeting to all", location_id), seconds=conf.get("ROOM_GREETING_COOLDOWN"))
