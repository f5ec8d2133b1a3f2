"""Addressing: for whom a line is that is said where NPCs hear it.

A line is for the NPC that it names ("Mara, an ale!", "Good evening, smith"), and a whisper, a gift or a pose for the
NPC that it goes to. A player who is alone with NPCs goes on with the last one for ENGAGED_ALONE_SECONDS. Among
players, each speaker has a talk in each room, which is over after ENGAGED_SECONDS:

    stage       begins when                                    a question is for   another line is for
    ----------  ---------------------------------------------  ------------------  --------------------------
    NONE        nothing was said, or the talk is over          nobody              nobody
    TALKING     they speak to an NPC by name, or it to them    the NPC             the NPC
    DISTRACTED  somebody else speaks or comes in; the NPC      the NPC             the NPC if it asked
                answers while a player's question is open;                         something, else nobody
                they spoke with the NPC in whispers
    APART       they speak to a player, or a player to them    nobody              nobody

"Nobody" means that the line is left to the players: NPCs remember it and are silent, but for a greeting of all and,
while no players talk with each other, for chatty NPCs. They are silent in TALKING and DISTRACTED, too, when the form of a line is for a player ("shall we go?", or "yeah, you should visit" where the NPC asked
nothing); the speaker is then DISTRACTED. A name leads from each stage to TALKING.

A line of one player that is not for an NPC is for another player: the one that it names; else the one whose
last line waits for this speaker's answer; else the speaker of the line before. That player is APART then, and
whoever else was TALKING is DISTRACTED.

All of it is kept in memory only: after a restart, a player names an NPC once more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evennia_ai import rate_limits, scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.core import volatile
from evennia_ai.domain import classification
from evennia_ai.domain.classification import (
    CHATTED,
    GREETED,
    NAMED,
    OTHER,
    ROOM_TALK,
    TALKED_ON,
)
from evennia_ai.domain.memories import retrieval
from evennia_ai.memory import persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import readahead
from evennia_ai.rate_limits import Limit

# Seconds for which a player among others need not name an NPC after they spoke, and where no other player is.
ENGAGED_SECONDS = 60
ENGAGED_ALONE_SECONDS = 900
# Exchanges between assistants: lines in a row, and seconds of rest for the pair after it.
HOPS = 4
REST_SECONDS = 60
NEVER = float("-inf")
NONE, TALKING, DISTRACTED, APART = "none", "talking", "distracted", "apart"

_ARTICLE = re.compile(r"\A(?:an?|the|some|en|ett|den|det)\s+(?=\S)", re.I)


class Addressee(NamedTuple):
    """The NPC that a line is for (0: none), and how it came to it: a key of `classification.ADDRESSED`."""

    npc_id: int = 0
    how: str = ROOM_TALK


@dataclass
class Scene:
    """The people around a speaker: the same for all NPCs that hear one line.

    `minds` and `people` (the players) map ids to names, `talkative` how talkative each mind is.
    """

    location_id: int
    minds: dict[int, list[str]]
    talkative: dict[int, str]
    people: dict[int, list[str]]
    listening: list[Any]
    addressees: dict[tuple[str, str], Addressee] = field(default_factory=dict)

    def called(self, words: str) -> set[int]:
        """Return the ids of the people whom words speak to by name, rather than of them.

        Where the whole calls nobody, a question in it may: "Sixpence, then. Bob, why are you here?". A sentence that
        tells something, as in "I know the thief. Bob did it.", speaks of somebody.
        """
        everybody = {**self.people, **self.minds}.items()
        for text in (words, *(one for one in retrieval.sentences(words) if one.endswith("?"))):
            if found := {who for who, names in everybody if classification.is_called(text, names)}:
                return found
        if not classification.vocatives(words):
            return set()
        minds = (npc for npc in self.listening if npc.id in self.minds)
        trades = {npc.id: str(persona.load_persona(npc)["description"]) for npc in minds}
        return {
            npc_id
            for npc_id, text in trades.items()
            if classification.called_by_trade(words, classification.trades(text))
        }


@dataclass
class _Talk:
    """A speaker in a room: the talk with an NPC since `at`, and the last line that they said to anybody."""

    stage: str = NONE
    at: float = NEVER
    npc_id: int = 0
    npc_asked: bool = False
    # The players who were there.
    present: frozenset[int] = frozenset()
    listener_id: int = 0
    said_at: float = NEVER
    is_question: bool = False
    to_player_at: float = NEVER

    def enter(self, stage: str) -> None:
        self.stage, self.at = stage, scheduling.clock().seconds()


@dataclass
class _Floor:
    """The talks in one room, by the ids of the speakers."""

    talks: dict[int, _Talk] = field(default_factory=dict)

    def talk(self, speaker_id: int) -> _Talk:
        """Return the talk of a speaker; its stage is NONE when it is over."""
        talk = self.talks.setdefault(speaker_id, _Talk())
        if not _is_fresh(talk.at):
            talk.stage = NONE
        return talk

    def unanswered(self, speaker_id: int) -> dict[int, _Talk]:
        """Return the talks of players whose last line was for a speaker who has said nothing to a player since."""
        since = self.talk(speaker_id).to_player_at
        return {
            player_id: talk
            for player_id, talk in self.talks.items()
            if talk.listener_id == speaker_id and talk.said_at > since and _is_fresh(talk.said_at)
        }

    def owes_answer(self, speaker_id: int) -> bool:
        return any(talk.is_question for talk in self.unanswered(speaker_id).values())

    def listener(self, speaker_id: int, others: set[int]) -> int:
        """Return the player for whom a line is that names nobody, 0 where that is not clear."""
        if len(others) == 1:
            return min(others)
        spoke = {who: at for who in others if _is_fresh(at := self.talk(who).said_at)}
        known = spoke if self.talk(speaker_id).said_at > NEVER else ()
        waiting = spoke.keys() & self.unanswered(speaker_id).keys()
        return max(waiting or known, key=spoke.__getitem__, default=0)

    def is_quiet(self, speaker_id: int, scene: Scene) -> bool:
        """True when no players talk with each other, so that a line without a name may be for anybody."""
        others = (self.talk(who) for who in scene.people if who != speaker_id)
        return self.talk(speaker_id).stage != APART and not any(
            _is_fresh(talk.said_at) and talk.listener_id not in scene.minds for talk in others
        )

    def speak_to_npc(self, speaker_id: int, npc_id: int, scene: Scene) -> None:
        talk = self.talk(speaker_id)
        talk.enter(DISTRACTED if self.owes_answer(speaker_id) else TALKING)
        talk.npc_id, talk.npc_asked, talk.present = npc_id, False, frozenset(scene.people)
        talk.listener_id, talk.said_at = npc_id, talk.at
        _state.last[speaker_id, 0] = (npc_id, talk.at)
        self._distract(speaker_id)

    def speak_to_player(
        self, speaker_id: int, listener_id: int, words: str, *, by_name: bool = True
    ) -> None:
        """Note that a line is for another player, 0 where it is not clear for which."""
        talk = self.talk(speaker_id)
        if talk.stage == TALKING and not by_name:
            talk.stage = DISTRACTED
        elif talk.stage != NONE or by_name or self.unanswered(speaker_id):
            talk.enter(APART)
        talk.listener_id, talk.is_question = listener_id, classification.is_question(words)
        talk.said_at = talk.to_player_at = scheduling.clock().seconds()
        if listener_id:
            self.talk(listener_id).enter(APART)
        self._distract(speaker_id)

    def _distract(self, speaker_id: int) -> None:
        for player_id, talk in self.talks.items():
            if player_id != speaker_id and talk.stage == TALKING:
                talk.stage = DISTRACTED


def _is_fresh(at: float) -> bool:
    return scheduling.clock().seconds() - at <= ENGAGED_SECONDS


@dataclass
class _State:
    # location id → floor
    floors: dict[int, _Floor] = field(default_factory=lambda: defaultdict(_Floor))
    # (speaker id, channel id, 0 for a room) → the NPC that they spoke with last there, and when
    last: dict[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
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


def names_of(obj: Any, looker: Any) -> list[str]:
    """Return the names of somebody: name, aliases, and the telling words of a long name.

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


def answered(
    npc: Any, speaker_id: int, *, channel_id: int = 0, asks: bool = False, aloud: bool = True
) -> None:
    """Note that `npc` spoke to a speaker, and whether it `asks` something, or spoke first, and so awaits an answer."""
    _state.last[speaker_id, channel_id] = (npc.id, scheduling.clock().seconds())
    if channel_id or npc.location is None:
        return
    floor = _state.floors[npc.location.id]
    talk = floor.talk(speaker_id)
    if talk.stage == APART and talk.npc_id != npc.id:
        # It speaks up unasked: the player is still with the others.
        return
    is_free = aloud and talk.stage != APART and not floor.owes_answer(speaker_id)
    talk.npc_id, talk.npc_asked = npc.id, asks
    talk.enter(TALKING if is_free else DISTRACTED)


def choose(fits: dict[int, int], speaker_id: int, *, channel_id: int = 0) -> int:
    """Return the NPC that the speaker spoke with last there, else the one whose name fits best; 0 of none."""
    last, _ = _state.last.get((speaker_id, channel_id), (0, 0.0))
    return min(fits, key=lambda npc_id: (npc_id != last, -fits[npc_id], npc_id), default=0)


def addressee(scene: Scene, kind: str, words: str, speaker: Any) -> Addressee:
    """Return the NPC that a line is for; worked out once for all NPCs that hear it."""
    if (kind, words) not in scene.addressees:
        if presence.is_mind(speaker):
            called = (scene.called(words) - {speaker.id}) & scene.minds.keys()
            found = _chosen(scene, called, NAMED, speaker.id, words)
        else:
            found = _READERS[kind](scene, words, speaker.id) if kind in _READERS else Addressee()
        scene.addressees[kind, words] = found
    return scene.addressees[kind, words]


def _of_pose(scene: Scene, words: str, speaker_id: int) -> Addressee:
    """Return the NPC to whom something is done; a pose that names nobody changes nothing."""
    everybody = {**scene.people, **scene.minds}.items()
    named = {who for who, names in everybody if classification.name_fit(words, names)}
    named.discard(speaker_id)
    if npc_ids := named & scene.minds.keys():
        return _chosen(scene, npc_ids, NAMED, speaker_id, words)
    for player_id in named:
        _state.floors[scene.location_id].speak_to_player(speaker_id, player_id, words)
    return Addressee(how=OTHER) if named else Addressee()


def _of_say(scene: Scene, words: str, speaker_id: int) -> Addressee:
    floor, others = _state.floors[scene.location_id], scene.people.keys() - {speaker_id}
    called = scene.called(words) - {speaker_id}
    if npc_ids := called & scene.minds.keys():
        found = _chosen(scene, npc_ids, NAMED, speaker_id, words)
    elif called:
        found = Addressee(how=OTHER)
    elif others:
        found = _among_players(scene, floor, words, speaker_id)
    else:
        found = _alone(scene, words, speaker_id)
    if found.npc_id:
        floor.speak_to_npc(speaker_id, found.npc_id, scene)
    elif others:
        listener_id = min(called) if called else floor.listener(speaker_id, others)
        floor.speak_to_player(speaker_id, listener_id, words, by_name=bool(called))
    return found


_READERS = {"say": _of_say, "pose": _of_pose}


def _alone(scene: Scene, words: str, speaker_id: int) -> Addressee:
    last_id, at = _state.last.get((speaker_id, 0), (0, NEVER))
    is_recent = scheduling.clock().seconds() - at <= ENGAGED_ALONE_SECONDS
    if is_recent and last_id in scene.minds:
        return Addressee(last_id, TALKED_ON)
    if named := {who for who, names in scene.minds.items() if _fit(words, names)}:
        return _chosen(scene, named, NAMED, speaker_id, words)
    return _of_room(scene, words, speaker_id, is_alone=True)


def _among_players(scene: Scene, floor: _Floor, words: str, speaker_id: int) -> Addressee:
    talk = floor.talk(speaker_id)
    if talk.stage == TALKING and scene.people.keys() - talk.present:
        talk.stage = DISTRACTED
    if talk.npc_id in scene.minds and _goes_on(talk, words, scene.minds[talk.npc_id]):
        return Addressee(talk.npc_id, TALKED_ON)
    return _of_room(scene, words, speaker_id, is_quiet=floor.is_quiet(speaker_id, scene))


def _goes_on(talk: _Talk, words: str, names: list[str]) -> bool:
    """True when a line that calls nobody is for the NPC of a talk, as the table above has it."""
    if talk.stage not in (TALKING, DISTRACTED):
        return False
    if talk.npc_asked:
        return talk.stage == TALKING or not classification.is_joint(words)
    if classification.is_for_player(words, names):
        return False
    return talk.stage == TALKING or classification.is_question(words)


def _of_room(
    scene: Scene, words: str, speaker_id: int, *, is_alone: bool = False, is_quiet: bool = True
) -> Addressee:
    """Return the NPC that takes up a line for anybody; where players talk, only a greeting of all is one."""
    talkative = {npc_id for npc_id, how in scene.talkative.items() if how != "never"}
    cooldown = presence.GREETING_SECONDS
    greeting = Limit(("greeting to all", scene.location_id), seconds=cooldown)
    is_for_all = classification.is_for_everybody(words, only_minds=is_alone, is_quiet=is_quiet)
    if is_for_all and rate_limits.take(greeting):
        return _chosen(scene, talkative, GREETED, speaker_id)
    chatty = {npc_id for npc_id in talkative if is_quiet and scene.talkative[npc_id] == "chatty"}
    return _chosen(scene, chatty, CHATTED, speaker_id)


def _chosen(
    scene: Scene, npc_ids: Collection[int], how: str, speaker_id: int, words: str = ""
) -> Addressee:
    """Return the one of several NPCs that a speaker means."""
    chosen = choose({npc_id: _fit(words, scene.minds[npc_id]) for npc_id in npc_ids}, speaker_id)
    return Addressee(chosen, how) if chosen else Addressee()


def _fit(words: str, names: list[str]) -> int:
    return classification.name_fit(words, names, is_speech=True)


def may_exchange(npc: Any, other: Any, *, hops: int, watched: bool) -> bool:
    """Return whether two assistants may go on talking: not too long, and not to empty chairs."""
    pair = frozenset((npc.id, other.id))
    rest = Limit(("exchange", pair), seconds=REST_SECONDS)
    if hops > HOPS:
        rate_limits.count(rest)
        return False
    return watched and rate_limits.allows(rest)
