"""Assistants in a game with Evennia's `contrib.rpg.rpsystem`: short descriptions, masks, emotes.

In the settings:

    EVENNIA_AI["IDENTIFY"] = "evennia_ai.contrib.rpsystem.identify"
    EVENNIA_AI["PARSE_SPEECH"] = "evennia_ai.contrib.rpsystem.parse_speech"
    EVENNIA_AI["SPEAK"] = "evennia_ai.contrib.rpsystem.speak"
    EVENNIA_AI["TYPECLASS"] = "evennia_ai.contrib.rpcharacters.AssistantRPCharacter"

A typeclass of the game's own has `AssistantMixin` in front of `ContribRPCharacter`.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

from evennia_ai import markup
from evennia_ai.agent import speech
from evennia_ai.memory import identity

# How `at_pre_say` of ContribRPCharacter wraps words that then go through Evennia's own `whisper`,
# which knows nothing of such markers.
_WRAPPED = re.compile(r"\A\W?me\s+\w+,?\s+\"(.*)\"\Z", re.S | re.I)
_QUOTED = re.compile(r"\"([^\"]*)\"")
# What only says that somebody speaks, or to whom they turn.
_SPEAKS = re.compile(
    r"\b(?:says?|asks?|tells?|answers?|replies|whispers?|mutters?|murmurs?|shouts?|calls?|greets?|adds?"
    r"|looks?|turns?|glances?|nods?|leans?|tittar|vänder sig|säger|frågar|svarar|viskar|mumlar|ropar)\b(?:\s+(?:to|at|towards?|till|på|mot)\b)?",
    re.I,
)

# From this share of its letters on, an emote counts as speech.
SPEECH_SHARE = 0.5


def identify(npc: Any, obj: Any) -> str:
    """Return whom `npc` takes `obj` for: somebody who wears a mask is a stranger.

    The same mask is the same stranger, whom nobody can tell from their bare face.
    """
    own = identity.identify(npc, obj)
    if not obj.db.unmasked_sdesc or not hasattr(obj, "sdesc"):
        return own
    mask = markup.plain(obj.sdesc.get()).casefold()
    return str(uuid.uuid5(uuid.UUID(own), mask))


def parse_speech(npc: Any, text: str, kind: str, from_obj: Any) -> str:
    """Return the words in a line that rpsystem rendered; of an emote without speech, the line.

    Whom a reference outside of the words speaks to is named before them: "Odo, who am I?".
    """
    if kind != "pose":
        words = speech.parse_speech(npc, text, kind, from_obj)
        wrapped = _WRAPPED.match(words)
        return wrapped[1].strip() if wrapped else words
    line = markup.plain(text)
    spoken = " ".join(_QUOTED.findall(line)).strip()
    name = speech.name_of(from_obj, npc) if from_obj else ""
    told = re.sub(re.escape(name), "", line, count=1, flags=re.I) if name else line
    deed = _QUOTED.sub("", told)
    to = _whom(npc, deed, from_obj)
    done = _SPEAKS.sub("", deed.replace(to, "") if to else deed)
    letters = _letters(spoken)
    if not letters or letters < SPEECH_SHARE * (letters + _letters(done)):
        return line
    return f"{to}, {spoken}" if to and to.casefold() not in spoken.casefold() else spoken


def speak(npc: Any, kind: str, words: str, target: Any = None) -> None:
    """Let `npc` say, whisper, tell or pose, named as each listener knows it.

    It never goes through rpsystem's emotes: a "/" or "@" in the words would be looked up as a
    reference to somebody, and refused. Its name begins the sentence, so it begins with a capital.
    """
    text, name = speech.escaped(words), _Name(npc)
    if kind == "say":
        npc.at_say(text, mapping={"object": name})
    elif kind == "whisper":
        told = {"object": name.get_display_name(target)}
        npc.at_say(text, receivers=[target], whisper=True, mapping=told)
    elif kind == "pose":
        npc.location.msg_contents(
            text=("{npc} {action}", {"type": "pose"}),
            from_obj=npc,
            mapping={"npc": name, "action": text},
        )
    else:
        speech.speak(npc, kind, words, target)


class _Name:
    """What an NPC is called at the beginning of a sentence, by whoever looks."""

    def __init__(self, npc: Any) -> None:
        self.npc = npc

    def get_display_name(self, looker: Any = None, **kwargs: Any) -> str:
        # rpsystem's own mark for "begins with a capital"; other typeclasses take no notice of it.
        return self.npc.get_display_name(looker, ref="t")


def _whom(npc: Any, deed: str, from_obj: Any) -> str:
    """Return the name of the first in the room who is named in what somebody does, "" for nobody."""
    near = npc.location.contents if npc.location else ()
    names = [speech.name_of(obj, npc) for obj in near if obj is not from_obj]
    found = {deed.find(name): name for name in names if name in deed}
    return found[min(found)] if found else ""


def _letters(text: str) -> int:
    return sum(character.isalpha() for character in text)
