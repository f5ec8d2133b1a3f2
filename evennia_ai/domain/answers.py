"""Answers from what an NPC remembers: quoted, with whom it has it from, or honestly none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from evennia_ai.domain import reply, retrieval, utterances
from evennia_ai.domain.utterances import Utterance
from evennia_ai.domain.voice import QUOTE_LENGTH, REPLY_LENGTH, Scene, is_same, quoted

# Memories that one answer quotes, and how much worse than the first the second may be.
QUOTES = 2
SECOND_SHARE = 0.75
# Memories that are looked at for one answer.
CANDIDATES = 12
# Characters that "because" takes at most, and words that it makes small.
BECAUSE_LENGTH = 15
_AFTER_BECAUSE = ("You", "Du", "Jag")
# Characters of a persona's first sentence that an NPC says of itself.
SELF_LENGTH = 140

_YOU = frozenset("you yourself du dig".split())
_ANYBODY = frozenset(
    "anyone anybody someone somebody people they he she någon folk de han hon".split()
)
# A sentence that goes on about "you" or "she" would be nonsense after "I am", and what is secret is
# not said to everybody who asks.
_NOT_OF_ONESELF = re.compile(
    r"\b(?:you|your|he|she|his|her|they|their|du|din|ditt|hans|hennes|han|hon"
    r"|secret\w*|hemlig\w*)\b",
    re.I,
)
# What people call the place where they stand.
_THIS_PLACE = re.compile(
    r"\b(?:this|the|your|det här|den här) (?:inn|tavern|pub|place|house|building|room|town|village"
    r"|värdshuset|krogen|stället|huset|byn)\b|\bvärdshuset\b|\bkrogen\b",
    re.I,
)
# "I am looking for my brother" asks, and tells something too.
_SEEKS = re.compile(r"(?:i(?:'m| am) (?:looking|searching)|jag (?:letar|söker))\b[^?]*\Z", re.I)
_ARTICLE = re.compile(r"\A(?:an?|the|en|ett|den|det|my|your|min|din)\s+", re.I)


def answer(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC says to a question."""
    special = _SPECIAL.get(asked.topic)
    said = special(scene, asked) if special else ""
    if said or retrieval.terms(asked.text):
        return said or from_memory(scene, asked.text)
    # "Where is it?" is about what was talked of before.
    return _untold(scene) or scene.line("vague")


def from_memory(scene: Scene, query: str) -> str:
    """Return the memories that answer a query, or that there are none."""
    memories = scene.context.get("memories") or ()
    told = quotes(scene, query, memories)
    if not told and scene.place:
        # "This inn" is a thing that lore knows by its name.
        told = quotes(scene, _THIS_PLACE.sub(lambda match: scene.place, query), memories)
    return told or scene.line("unknown", own="unknown_lines")


def quotes(scene: Scene, query: str, memories: Sequence[dict[str, Any]]) -> str:
    """Return at most two memories that fit the query, worded by where they are from; "" if none."""
    # "What did Bob see?" is also answered by what Bob said of himself.
    texts = [
        f"{memory.get('by') or ''} {_text(memory)}" if _is_said(memory) else _text(memory)
        for memory in memories
    ]
    names = (scene.name, *scene.own_names)
    picked: list[tuple[dict[str, Any], str]] = []
    enough = 0.0
    for index, score in retrieval.rank(query, texts, limit=CANDIDATES, names=names):
        if score < enough or len(picked) == QUOTES:
            break
        passage = retrieval.best_passage(_text(memories[index]), query, max_length=QUOTE_LENGTH)
        sentence = _quoted(scene, memories[index], passage)
        if _is_worth_quoting(scene, memories[index], sentence, [text for _, text in picked]):
            picked.append((memories[index], sentence))
            # Measured by what is told, not by a question that fits itself best.
            enough = enough or score * SECOND_SHARE
    return worded(scene, picked)


def worded(scene: Scene, picked: Sequence[tuple[dict[str, Any], str]]) -> str:
    """Return memories as the NPC tells them, as many as fit into one reply."""
    is_repeated = bool(picked) and scene.has_said(picked[0][1])
    said = ""
    for memory, sentence in picked:
        key, slots = told_as(scene, memory, sentence)
        # The second of two, and what is said once more, goes without "Listen, Ann".
        is_plain = bool(said) or is_repeated
        plain = "{text}" if key == "insight" else scene.table(key)[0]
        line = scene.fill(plain, **slots) if is_plain else scene.line(key, **slots)
        if not said or len(said) + 1 + len(line) <= REPLY_LENGTH:
            said = f"{said} {line}".strip()
    return scene.line("again", text=said) if is_repeated else said


def told_as(scene: Scene, memory: dict[str, Any], sentence: str) -> tuple[str, dict[str, str]]:
    """Return phrase and slots for one memory: lore as own knowledge, hearsay with its source."""
    by = str(memory.get("by") or "")
    if not _is_said(memory):
        kind = memory.get("kind")
        key = {"journal": "journal", "note": "journal", "insight": "insight"}.get(str(kind), "lore")
        return key, {"text": _stopped(sentence)}
    heard = memory.get("heard")
    if by and is_same(by, scene.name):
        return "overheard_self" if heard == "overheard" else "told_self", {"text": sentence}
    by = reply.printable(by, max_length=40) or scene.table("somebody")[0]
    return heard or "told", {"text": sentence, "by": by}


def _is_worth_quoting(
    scene: Scene, memory: dict[str, Any], sentence: str, picked: Sequence[str]
) -> bool:
    """Return whether a sentence tells something: not a question, a greeting, or said twice."""
    if not sentence or sentence in scene.text or any(_is_part(sentence, one) for one in picked):
        return False
    if not _is_said(memory):
        return True
    kind = utterances.classify(sentence, names=scene.own_names).kind
    return kind in ("statement", "introduction") or bool(_SEEKS.match(sentence))


def _is_said(memory: dict[str, Any]) -> bool:
    """Return whether a memory is somebody's words; without a kind its source decides."""
    kind = memory.get("kind") or ("said" if memory.get("by") else "lore")
    return kind in ("said", "claim")


def _text(memory: dict[str, Any]) -> str:
    return str(memory.get("text") or "")


def _quoted(scene: Scene, memory: dict[str, Any], words: str) -> str:
    """Return words of a memory to be quoted, without the call by which somebody began them."""
    sentence = quoted(words)
    if _is_said(memory):
        return utterances.without_call(sentence, names=scene.own_names)
    return sentence


def _is_part(one: str, other: str) -> bool:
    """Return whether one of two sentences holds the other, as a summary holds what was said."""
    shorter, longer = sorted((one, other), key=len)
    return shorter.rstrip(".!…") in longer


def _stopped(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…", "'")) else f"{sentence}."


def _latest(memories: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(memories, key=lambda memory: str(memory.get("timestamp") or ""), reverse=True)


def _newest_quotes(scene: Scene, memories: Iterable[dict[str, Any]], *, limit: int = QUOTES) -> str:
    """Return the newest memories that the NPC has not just told."""
    picked: list[tuple[dict[str, Any], str]] = []
    for memory in memories:
        for part in retrieval.sentences(_text(memory)):
            sentence = _quoted(scene, memory, part)
            known = [text for _, text in picked]
            if _is_worth_quoting(scene, memory, sentence, known) and not scene.has_said(sentence):
                picked.append((memory, sentence))
                break
        if len(picked) == limit:
            break
    return worded(scene, picked)


def _name_of_npc(scene: Scene, asked: Utterance) -> str:
    return scene.line("self", text=self_description(scene))


def self_description(scene: Scene) -> str:
    """Return what stands after "I am": the first sentence of the persona, if it can be said so."""
    name = scene.own_name or scene.table("somebody")[0]
    persona = retrieval.sentences(str(scene.npc.get("persona") or ""))
    first = reply.printable(persona[0], max_length=SELF_LENGTH).rstrip(". ") if persona else ""
    start = (
        rf"\A(?:you are|you're|i am|i'm|{re.escape(name)} (?:is|är)|(?:she|he) is|du är|jag är)\s+"
    )
    rest = re.sub(start, "", first, flags=re.I)
    if not first or first.endswith("…") or _NOT_OF_ONESELF.search(rest):
        return name
    if rest == first and not re.match(
        r"(?:an?|the|en|ett) (?!.* (?:is|was|has|har|är) )", first, re.I
    ):
        return first if first.startswith(f"{name},") else name
    if rest == first:
        rest = rest[0].lower() + rest[1:]
    return rest if rest.startswith(name) else f"{name}, {rest}"


def _what_is_known_of_speaker(scene: Scene, asked: Utterance) -> str:
    name = re.compile(rf"\b{re.escape(scene.name)}\b", re.I)
    about = [
        memory
        for memory in scene.context.get("memories") or ()
        if is_same(memory.get("by"), scene.name) or name.search(_text(memory))
    ]
    return _newest_quotes(scene, _latest(about)) or scene.line("me_nothing")


def _place(scene: Scene, asked: Utterance) -> str:
    if not scene.place:
        return scene.line("place_unknown")
    lore = [
        memory for memory in scene.context.get("memories") or () if memory.get("kind") == "lore"
    ]
    told = quotes(scene, scene.place, lore)
    return f"{scene.line('place', text=scene.place)} {told}".strip()


def _people(scene: Scene) -> list[str]:
    names = [
        reply.printable(str(being.get("name") or ""), max_length=40)
        for being in scene.context.get("present") or ()
        if being.get("kind") in ("player", "npc")
    ]
    return [name for name in names if name and name not in (scene.name, scene.own_name)]


def _who_is_here(scene: Scene, asked: Utterance) -> str:
    people = _people(scene)[:6]
    return scene.line("here", text=scene.listed(people)) if people else scene.line("here_none")


def _somebody_or_something(scene: Scene, asked: Utterance) -> str:
    """Answer "who is X" and "where is X": from memory, else from who is present."""
    who = _ARTICLE.sub("", asked.slots.get("who", "")).casefold()
    if who in utterances.ONESELF:
        return scene.line("my_name")
    if who in _YOU or any(who == name.casefold() for name in scene.own_names):
        return _name_of_npc(scene, asked)
    # A thing is called as the speaker called it, with its article.
    present = [
        asked.slots["who"] if being.get("kind") == "object" else being["name"]
        for being in scene.context.get("present") or ()
        if is_same(who, being.get("name"))
    ]
    here = scene.line("right_here", text=quoted(present[0])) if present else ""
    if here and asked.topic == "where":
        return here
    told = quotes(scene, asked.text, scene.context.get("memories") or ())
    return told or here


def _said_by(scene: Scene, asked: Utterance) -> str:
    """Answer "what did X tell you about Y"."""
    who, about = asked.slots.get("who", "").casefold(), asked.slots.get("about", "")
    if who in _YOU and not about:
        last = scene.own_lines[-1:]
        return scene.line("own_said", text=quoted(last[0])) if last else scene.line("own_said_none")
    if who in utterances.ONESELF and not about:
        return _last_said(scene)
    if who in _ANYBODY or who in _YOU:
        return from_memory(scene, about or asked.text)
    by = scene.name if who in utterances.ONESELF else _ARTICLE.sub("", asked.slots.get("who", ""))
    from_them = [
        memory
        for memory in scene.context.get("memories") or ()
        if is_same(memory.get("by"), by) or is_same(by, memory.get("by"))
    ]
    told = quotes(scene, about, from_them) if about else _newest_quotes(scene, _latest(from_them))
    if told or who in utterances.ONESELF:
        return told or scene.line("just_said_none")
    return scene.line("unknown_by", by=reply.printable(by, max_length=40))


def _last_said(scene: Scene) -> str:
    theirs = [
        str(line.get("text") or "")
        for line in scene.conversation
        if not line.get("mine") and is_same(line.get("name"), scene.name)
    ]
    words = quoted(theirs[-1]) if theirs else ""
    return scene.line("just_said", text=words) if words else scene.line("just_said_none")


def _untold(scene: Scene) -> str:
    """Return what fits the last question and has not been told."""
    asked_before = [
        str(line.get("text") or "") for line in scene.conversation if not line.get("mine")
    ]
    unsaid = []
    for memory in scene.context.get("memories") or ():
        parts = retrieval.sentences(_text(memory))
        rest = " ".join(part for part in parts if not scene.has_said(quoted(part)))
        if rest:
            unsaid.append({**memory, "text": rest})
    return quotes(scene, asked_before[-1], unsaid) if asked_before else ""


def _news(scene: Scene, asked: Utterance) -> str:
    memories = [
        memory
        for memory in scene.context.get("memories") or ()
        if not is_same(memory.get("by"), scene.name)
    ]
    # One at a time: whoever wants more asks again.
    return _newest_quotes(scene, _latest(memories), limit=1) or scene.line("news_none")


def _opinion(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC has concluded; about a thing, what it knows will do as well."""
    memories = scene.context.get("memories") or ()
    thoughts = [memory for memory in memories if memory.get("kind") == "insight"]
    about = asked.slots.get("about", "")
    if about.casefold() in utterances.ONESELF:
        return _what_is_known_of_speaker(scene, asked)
    if about:
        about = f"about {about}"
        return quotes(scene, about, thoughts) or from_memory(scene, about)
    return _newest_quotes(scene, thoughts, limit=1)


def _why(scene: Scene, asked: Utterance) -> str:
    """Return what the NPC has it from that it told last, if that is what its memories are."""
    if not scene.context.get("asked_why"):
        return ""
    said = ""
    for memory in scene.context.get("memories") or ():
        key, slots = told_as(scene, memory, _quoted(scene, memory, _text(memory)))
        line = scene.fill(scene.table(key)[0], **slots)
        if not said or len(said) + len(line) < REPLY_LENGTH - BECAUSE_LENGTH:
            said = f"{said} {line}".strip()
    first = said.split(" ", 1)[0]
    said = f"{first.lower()}{said[len(first) :]}" if first in _AFTER_BECAUSE else said
    return scene.line("because", text=said) if said else ""


_SPECIAL: dict[str, Callable[[Scene, Utterance], str]] = {
    "how": lambda scene, asked: scene.line("how"),
    "self": _name_of_npc,
    "my_name": lambda scene, asked: scene.line("my_name"),
    "remember": lambda scene, asked: scene.line(
        "remember_yes" if scene.is_known else "remember_no"
    ),
    "me": _what_is_known_of_speaker,
    "place": _place,
    "here": _who_is_here,
    "who": _somebody_or_something,
    "where": _somebody_or_something,
    "said_by": _said_by,
    "opinion": _opinion,
    "why": _why,
    "more": lambda scene, asked: _untold(scene) or scene.line("more_none"),
    "news": _news,
}
