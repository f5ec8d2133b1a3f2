"""Speech in and out: the defaults of the hooks PARSE_SPEECH, SPEAK and CAN_ACT.

What comes in is prose that the game rendered; what goes out is data, never markup or code.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterable, Iterator

from django.conf import settings
from django.utils.translation import gettext as _
from evennia.utils import logger
from evennia.utils.ansi import raw

from evennia_ai import conf, markup
from evennia_ai.agent import trace
from evennia_ai.core.records import Source
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.model_text import reply
from evennia_ai.memory.people import accounts
from evennia_ai.permission import Permit, Way

# Characters of one perceived line; the rest is cut.
LONGEST_LINE = 2000
# Characters of a name; Evennia allows as many.
NAME_LENGTH = 255

# A line with its markup may be so many times as long as its words; characters of its end.
MARKUP, END = 3, 20

_OPENING = re.compile(r"[\"“”„«»]")
CLOSING = '"“”«»'


@dataclass
class Utterance:
    """What an assistant is saying at this moment, for those assistants who hear it.

    They need not parse their own kind's words out of prose; "" where a command of the game says them.
    `hops` counts how often assistants have answered each other in a row; `hearsay` is what it has from
    others and passes on; `payer` is the account on which answers to it count. Those of the ids `known_to`
    have it already. `to` is the id of whom it is said to, 0 where only the words tell.
    `sources` are what it made the words of.
    """

    npc_id: int
    words: str
    hops: int
    heard: bool = False
    hearsay: Hearsay | None = None
    payer: int = 0
    known_to: frozenset[int] = frozenset()
    to: int = 0
    sources: Iterable[Source] = ()


@dataclass
class _State:
    current: Utterance | None = None


_state = _State()


def name_of(obj: Any, npc: Any) -> str:
    """Return what `npc` calls somebody: on one line, never a dbref, never markup."""
    shown = reply.printable(markup.plain(obj.get_display_name(looker=npc)), max_length=NAME_LENGTH)
    return shown or reply.printable(obj.key, max_length=NAME_LENGTH)


def current(speaker: Any) -> Utterance | None:
    """Return what an assistant is saying just now, if `speaker` is that assistant."""
    return (
        _state.current
        if _state.current and speaker and _state.current.npc_id == speaker.id
        else None
    )


def uttered_by(speaker: Any) -> Utterance:
    """Return what an assistant is saying just now; of anybody else, on whose account they speak."""
    return current(speaker) or Utterance(speaker.id, "", 0, payer=accounts.payer_of(speaker))


def parse_speech(npc: Any, text: str, kind: str, from_obj: Any) -> str:
    """Return the words in `text` as `npc` reads it: the outermost quotation of what was spoken.

    It goes to the last quotation mark: what is quoted may hold quotation marks itself. Without a quotation, the line less the speaker's name; of a pose, the whole line.
    """
    line = markup.plain(text)
    if kind == "pose":
        return line
    begin, end = _OPENING.search(line), max(map(line.rfind, CLOSING))
    if begin and end >= begin.end():
        return line[begin.end() : end].strip()
    name = name_of(from_obj, npc) if from_obj else ""
    return line[len(name) :].strip(" ,:") if name and line.startswith(name) else line


def bounded(text: str) -> str:
    """Return so much of a line as is looked at, with its end: there a quotation ends, too."""
    longest = LONGEST_LINE * MARKUP
    return text if len(text) <= longest else text[: longest - END] + text[-END:]


def escaped(words: str) -> str:
    """Return words so that the game shows them as they are: no colours, links or $functions."""
    text = raw(reply.unlinked(words))
    return text.replace("$", "\\$") if settings.FUNCPARSER_PARSE_OUTGOING_MESSAGES_ENABLED else text


def speak(npc: Any, kind: str, words: str, target: Any = None) -> None:
    """Let `npc` say, whisper, tell, pose or speak on a channel; `words` come out as they are.

    `target` is whom a whisper or tell is for, or the channel; on a channel, words that begin with
    ":" are a pose.
    """
    text = escaped(words)
    if kind == "say":
        # As Evennia's own command does: a game can stop or change speech in `at_pre_say`.
        text = npc.at_pre_say(text)
        if text:
            npc.at_say(text)
    elif kind == "whisper":
        text = npc.at_pre_say(text, whisper=True, receivers=[target])
        if text:
            npc.at_say(text, receivers=[target], whisper=True)
    elif kind == "tell":
        told = _('{name} tells you: "{words}"').format(
            name=markup.capital(npc.get_display_name(target)), words=text
        )
        target.msg(text=(told, {"type": "tell"}), from_obj=npc)
    elif kind == "pose":
        # The text goes in by mapping: braces and $functions in it would be carried out otherwise.
        npc.location.msg_contents(
            text=("{npc} {action}", {"type": "pose"}),
            from_obj=npc,
            mapping={"npc": npc, "action": text},
        )
    elif kind == "channel":
        target.msg(text, senders=[npc])
    else:
        raise ValueError(
            f"an assistant cannot {kind!r}: it can say, whisper, tell, pose, or speak on a channel."
        )


def can_act(npc: Any) -> bool:
    """Return whether an NPC may act; a game with combat or death has a hook of its own."""
    return npc.location is not None


@contextmanager
def uttering(npc: Any, words: str, *, hops: int, **said: Any) -> Iterator[Utterance]:
    """Tell the assistants in earshot, while the block runs, what exactly is being said.

    `said` are further fields of an `Utterance`.
    """
    before, _state.current = _state.current, Utterance(npc.id, words, hops, **said)
    try:
        yield _state.current
    finally:
        _state.current = before


def utter(
    permit: Permit,
    way: Way,
    *,
    hops: int = 0,
    turn_id: str = "",
    **said: Any,
) -> None:
    """Speak by the hook of the game; say in the log if it did not come out.

    `said` are further fields of an `Utterance`.
    """
    npc, kind, words = way.npc, way.kind, f"{way.mark}{permit.words}"
    with uttering(npc, words, hops=hops, **said) as utterance:
        conf.hook("SPEAK")(npc, kind, words, way.target)
    made_of = utterance.sources
    trace.note_uttered(npc.id, kind, permit.words, way.hearers, turn_id=turn_id, sources=made_of)
    if kind in ("say", "pose", "channel") and not utterance.heard:
        where = "channel" if kind == "channel" else "room"
        logger.log_warn(
            f"evennia_ai: {npc} spoke, but the reply was not heard: "
            f"the game's SPEAK sent nothing to the {where}."
        )
