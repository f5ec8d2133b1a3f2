"""Decisions: the situation in words, the action, and how it went.

A turn is read as its event and the plain data that the sections of its prompt leave behind. What was said has a place
of its own (`heard`, `reasoning`), so all the rest may be shown where the words may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evennia_ai.core import languages
from evennia_ai.core.records import PRIVATE, SPOKEN, Event
from evennia_ai.domain import sentiment
from evennia_ai.domain.memories import relationship
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import reading

# Characters of the reasoning: as many as the text of a decision takes in.
REASONING_LENGTH = 100
# Characters of what was said by which a situation is told: a long speech would take milliseconds.
HEARD_LENGTH = 240
# Characters of a place's name.
PLACE_LENGTH = 60
# How far a reward goes to either side.
WORST, BEST = -1.0, 1.0
# A decision with this reward or less went wrong; from `replay.REWARD_FLOOR` on it is an example.
SETBACK = -0.05
# The rating that is neither praise nor blame, and what one of 10 is worth as a reward.
NEUTRAL_RATING, BEST_RATED = 5, 0.5

# Sorts of words that say what is going on, by kind or topic.
_SAID = {
    "greeting": "A greeting",
    "farewell": "A farewell",
    "thanks": "Thanks",
    "sorry": "An apology",
    "introduction": "An introduction",
    "insult": "An insult",
    "praise": "Praise",
}
# Sorts of words that may be about anything, by kind.
_ABOUT_ANYTHING = {
    "question": "A question",
    "request": "A request",
    "statement": "News that somebody tells",
    "nonsense": "Strange words",
}
_HAPPENED = {
    "give": "A gift",
    "arrive": "Somebody arrives",
    "leave": "Somebody leaves",
    "pose": "A gesture",
    "reminder": "A promise is due",
}
_DOMAINS = {"question": "information", "statement": "information", "request": "quest"}
# How strong a tone is that is named, and the one part of the day that is.
_MOOD = 0.5
_NIGHT = "night"
_DRUNK = languages.Pattern("moods.drunk")
# Letters that a line must have to be shouted, and the share of them that is in capitals.
SHOUTED_LETTERS, SHOUTED_SHARE = 8, 0.7


def title(context: Mapping[str, Any], *, event: Event) -> str:
    """Return the situation of a turn in words: what, from whom, in what state, where.

    Of states only those are named that are remarkable: what is always so tells no two apart.
    """
    what, _ = _what(context, event)
    manner = _manner(context, event) if event.kind in SPOKEN else []
    return ", ".join([what, *_who(context, event), *manner, *_around(context, event)])


def background(context: Mapping[str, Any], *, event: Event) -> str:
    """Return the words of a situation that would be there whatever else happened: who it is, where, and when.

    Of talk that may be about anything its sort is one of them, of other talk the words in which it was said.
    """
    what, says_it_all = _what(context, event)
    said = heard(event) if says_it_all else what
    return ", ".join([said, *_who(context, event), *_around(context, event), *_names(context)])


def heard(event: Event) -> str:
    """Return what was said in an event as far as a situation is found by it, "" if nothing was."""
    said = event.text if event.kind in SPOKEN else ""
    return reply.printable(said, max_length=HEARD_LENGTH).strip()


def standing(context: Mapping[str, Any]) -> str:
    """Return how whoever is spoken with is regarded: the state of the relationship."""
    return str((context.get("speaker") or {}).get("state") or relationship.STRANGER)


def target_domain(context: Mapping[str, Any], *, event: Event, tools: Iterable[str] = ()) -> str:
    """Return what a decision was about: goal, trade, quest, information or relationship."""
    if any(tool.partition("_")[2].startswith("goal") for tool in tools):
        return "goal"
    if event.kind == "give":
        return "trade"
    if event.kind not in SPOKEN:
        return "relationship"
    said = _classified(context, event)
    return _DOMAINS.get(said.kind, "relationship")


def reasoning(said: Sequence[str]) -> str:
    """Return as one short line what the assistant answered, the reason of a mind that gives none."""
    words = reply.printable(" ".join(said), max_length=REASONING_LENGTH).replace('"', "'")
    return f'I said "{reply.shorten(words, REASONING_LENGTH - 9)}"' if words else ""


def clamped(reward: float) -> float:
    """Return a reward within its bounds, to two digits."""
    return round(min(BEST, max(WORST, reward)), 2)


def rated(reward: float, rating: int | None) -> float:
    """Return a reward after somebody rated the exchange from 0 to 10.

    A good rating makes an example of a decision whatever else came of it, and a bad one a setback of
    one that nothing came of. One that went well stays an example, beside which the rating stands.
    """
    if rating is None or rating == NEUTRAL_RATING:
        return reward
    worth = clamped(BEST_RATED * (rating - NEUTRAL_RATING) / NEUTRAL_RATING)
    if rating > NEUTRAL_RATING:
        return max(reward, worth)
    return reward if reward > 0 else min(reward, worth)


def worth(reward: float | None, rating: float | None) -> float | None:
    """Return how well a decision went, -1 to 1: people's word counts twice what the assistant believes."""
    if rating is None:
        return reward
    said = by_rating(rating)
    return said if reward is None else (2 * said + reward) / 3


def by_rating(rating: float) -> float:
    """Return how well an exchange went that somebody rated from 0 to 10: -1 to 1."""
    return clamped((rating - NEUTRAL_RATING) / NEUTRAL_RATING)


def _classified(context: Mapping[str, Any], event: Event) -> reading.Utterance:
    return reading.classify(event.text[:HEARD_LENGTH], names=_names(context))


def _what(context: Mapping[str, Any], event: Event) -> tuple[str, bool]:
    """Return what happens, and whether that says it all; if not, it may be about anything."""
    if event.kind not in SPOKEN:
        return _HAPPENED.get(event.kind, reply.printable(event.kind, max_length=40)), True
    said = _classified(context, event)
    told = _SAID.get(said.topic) or _SAID.get(said.kind)
    what = told or _ABOUT_ANYTHING.get(said.kind, "Small talk")
    topic = f" ({said.topic})" if said.topic and said.topic not in _SAID else ""
    return what + topic, told is not None


def _who(context: Mapping[str, Any], event: Event) -> list[str]:
    """Return how it was done, by which sort of being, and how they are regarded."""
    if not event.said_by:
        return []
    return [f"{event.kind} by {_class_of(context, event)}", standing(context)]


def _around(context: Mapping[str, Any], event: Event) -> list[str]:
    """Return who else is there, when it is, and where, as far as it matters."""
    states = []
    others = [one for one in context.get("present") or () if one.get("kind") == "player"]
    if (
        event.said_by
        and event.kind not in PRIVATE
        and any(one["identity"] != event.said_by for one in others)
    ):
        states.append("before others")
    if str(context.get("time") or "").startswith(_NIGHT):
        states.append("at night")
    place = reply.printable(str(context.get("place") or ""), max_length=PLACE_LENGTH)
    return [*states, f"in {place}"] if place else states


def _manner(context: Mapping[str, Any], event: Event) -> list[str]:
    """Return how something is said."""
    line = event.text[:HEARD_LENGTH]
    felt = sentiment.of_words(line, names=_names(context))
    manners = {
        "drunk": bool(_DRUNK.search(line)),
        "shouting": is_shouted(line),
        "angry": felt <= -_MOOD,
        "glad": felt >= _MOOD,
    }
    return [manner for manner, shows in manners.items() if shows]


def is_shouted(line: str) -> bool:
    """Return whether a line is shouted: mostly capitals, or more than one exclamation mark."""
    letters = [letter for letter in line if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    loud = len(letters) >= SHOUTED_LETTERS and capitals >= SHOUTED_SHARE * len(letters)
    return loud or "!!" in line


def _class_of(context: Mapping[str, Any], event: Event) -> str:
    """Return whether a player or an NPC acted, as far as the assistant sees them."""
    for being in context.get("present") or ():
        if being.get("identity") == event.said_by:
            return "an NPC" if being.get("kind") == "npc" else "a player"
    return "somebody"


def _names(context: Mapping[str, Any]) -> list[str]:
    return [str((context.get("npc") or {}).get("name") or "")]
