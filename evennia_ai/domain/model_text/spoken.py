"""Parser of model answers: words to say, gestures, words for one listener, tool calls, or a reason to say nothing.

It is read once, here; nothing that is broken is said or kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from evennia_ai.core import name_patterns
from evennia_ai.domain.model_text import doubt, json_reply, reply

# Characters of an answer that are parsed; it may have megabytes.
READ = 20_000
# An echo has at least so many words, and begins like the player's line or shares this part of its words.
ECHOED, ALIKE = 4, 0.8
# Words of the persona in a row that count as reading it out.
PERSONA_RECITED = 16

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
# Colours, and commands to the terminal up to their end, as far as they have one.
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
# Markdown marks that a text game would print as they are.
_MARKS = re.compile(r"\*\*|__|^#{1,6}\s+|^```\w*$|`", re.M)
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]*)[\"”“»]")
# Who speaks, before the words: "Mara:", or with a verb, alone or with more where a quotation follows.
_LABEL = (
    rf"\A[\"“*\[(]?{name_patterns.NAME}[\"”*\])]?(\s*\([^()]{{0,40}}\))?\s*"
    r"(:|(says?|asks?|answers?|replies|whispers?)"
    r"(\s*[,:]|[^\"“„«:]{0,40}[,:]\s*(?=[\"“„«])))\s*"
)
# What is done beside speaking, in a line that also has words: "*nods* Hello."
_ASIDE = re.compile(r"\*(?! )[^*\n]{1,80}(?<! )\*")
# Who does it is said by the name that goes before it.
_DOER = re.compile(r"\A(?:he|she|it|hon|han) (?=\w)", re.I)
# What comes before words for one person alone, as our prompts show it, "(To Ann alone:)", and as
# models write it: in other brackets, in none, with the words inside, in another language.
_ALONE = r"to\b[^\n]{1,80}?\balone\b(?!\s*[\"”]|[^\n:)\]}]{0,80}\balone\s*[:)\]}])"
_APART = re.compile(
    rf"(?:[*_]{{0,3}}[(\[{{{{]|[*_]{{1,3}})[*_]{{0,3}}({_ALONE}(?:[^()\[\]{{}}\n:]{{0,20}}:)?)"
    rf"|^[*_]{{0,3}}({_ALONE})(?=[*_]{{0,3}}:)"
    r"|[(\[{]([^()\[\]{}*_\n:]{1,80}):",
    re.I | re.M,
)
_FOR_WHOM = re.compile(r"to\b(.{1,80})\balone\b", re.I)
_AFTER_MARK = re.compile(r"[\s:]{0,3}[)\]}]{0,2}[*_]{0,3}[\s:]{0,3}")
_BRACKETS = str.maketrans("[{]}", "(())")
# What tells that brackets hold data, such as the call of a tool that a model wrote as text.
_DATA = re.compile(r"[\"{:]")
# Phrases of chat assistants that no character says.
_OUT_OF_CHARACTER = re.compile(
    r"\bI (?:can ?not|can['’]t|(?:do not|don['’]t) know how to) (?:assist|comply|respond|fulfil)"
    r"|\bI can ?(?:not|['’]t) help (?:you )?with that(?=[.!,]|$)"
    r"|\bI(?: am|['’]m) (?:unable|not able) to (?:assist|comply|respond|fulfil)"
    r"|\bas an? (?:AI|artificial|language|virtual)\b|\blanguage model\b|\bhow (?:can|may) I assist\b"
    r"|\bsystem prompt\b|\bI can(?:not|['’]t) continue this\b|\bprovide more context\b",
    re.I,
)
_STAGE = re.compile(r"\A[*_(\[]([^*_()\[\]]+)[*_)\]]\Z")


class Scene(NamedTuple):
    """Speaker and listeners of an answer, the lines that it answers, prompt text that must not be read out, and length limits.

    `is_doubted`: the model is weak, so its words are checked (see `doubt`). `recalled` is what recall found for a question.
    """

    name: str
    listeners: Sequence[str] = ()
    asked: Sequence[str] = ()
    instructions: str = ""
    persona: str = ""
    is_channel: bool = False
    max_lines: int = 3
    max_length: int = 500
    is_doubted: bool = False
    recalled: Sequence[str] = ()


# What one listener alone hears, all with None, or with "" somebody who is not there; and what is done beside it.
Part = tuple[str | None, str, list[str]]


class Said(NamedTuple):
    """A parsed answer: parts to say, calls as (name, arguments), or the reason why it is `broken`."""

    text: str = ""
    parts: Sequence[Part] = ()
    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    broken: str = ""


def read(
    text: str, scene: Scene | None, *, shown: str = "", tools: bool = False, is_model: bool = True
) -> Said:
    """Parse an answer; without a scene nobody hears it.

    A text that is a call counts as one where `tools` are offered, unless it stands in what the model was `shown`.
    What rules say is taken as it is.
    """
    text = json_reply.split_thinking(COLOURS.sub("", text))[0]
    is_data = json_reply.is_data(text)
    calls = json_reply.calls_in(text) if is_model and is_data else []
    bare = text[text.find("{") : text.rfind("}")]
    if calls and tools and not reply.recites(bare, shown, run=0):
        return Said(calls=calls)
    words = json_reply.words_of(text, scene.name) if scene and is_data else text
    parts = list(_parts(words, scene)) if scene else []
    broken = "it is a tool call or other data" if calls or json_reply.is_data(words) else ""
    if scene and not broken:
        broken = _why_unsaid(" ".join(" ".join([said, *done]) for _, said, done in parts), scene)
    if scene and not broken and scene.is_doubted:
        said = " ".join(one for _, one, _ in parts)
        broken = doubt.why(said, name=scene.name, known=shown, recalled=scene.recalled)
    if is_model and broken:
        return Said(broken=broken)
    return Said(text, parts)


def _parts(text: str, scene: Scene) -> Iterator[Part]:
    """Yield the parts of an answer, up to a line that the model wrote for another speaker."""
    heard = by_ears(text, name=scene.name, listeners=scene.listeners)
    for number, (whom, written) in enumerate(heard, 1):
        goes_on = number < len(heard)
        own = own_part(written, name=scene.name, others=scene.listeners, goes_on=goes_on)
        lines = clean(own, scene)
        said = " ".join(line for line in lines if not stage_direction(line))
        done = gestures(own, max_length=scene.max_length)
        done = done or [found for line in lines if (found := stage_direction(line))]
        done = done[: scene.max_lines] if whom is None else []
        if (said or done) and not (scene.is_channel and whom is not None):
            yield whom, said, done
        if own != written:
            return


def _why_unsaid(words: str, scene: Scene) -> str:
    """Reason why words must not be said, "" if they may be."""
    if not words.strip():
        return "it has nothing to say to anybody who is there"
    said = re.findall(r"\w+", words.casefold())
    for line in scene.asked:
        heard = re.findall(r"\w+", line.casefold())
        # An answer may use the words of its question, and a greeting may be returned.
        asks = [one.rstrip(" \"'").endswith("?") for one in (line, words)]
        is_alike = len(set(asks)) == 1 and reply.similarity(words, line) >= ALIKE
        if len(heard) >= ECHOED and (is_alike or said[: len(heard)] == heard):
            return "it repeats what was said to it"
    if _OUT_OF_CHARACTER.search(words):
        return "it speaks as no character does"
    if reply.recites(words, scene.persona, run=PERSONA_RECITED):
        return "it recites its persona"
    return "it recites its instructions" if reply.recites(words, scene.instructions) else ""


def own_part(text: str, *, name: str, others: Iterable[str], goes_on: bool = False) -> str:
    """Return what a model wrote for an assistant, without the lines that speak for one of `others`: "Ann: And me?".

    Such a line and all after it is nobody's; where one begins, the assistant's own line is what comes behind its own
    label. `goes_on`: another part follows. A namesake's label is the assistant's own.
    """
    strangers = [other for other in others if other != name]
    lines = text.splitlines()
    own: list[str] = []
    is_own, has_words = True, False
    for number, line in enumerate(lines):
        bare = reply.one_line(_MARKS.sub("", _TAG.sub("", line)))
        # What is for somebody alone stands behind a name, without which nothing is left of its label.
        is_name = goes_on and number == len(lines) - 1 and bare.strip(" :") in strangers
        if is_name or any(name_patterns.is_in(_LABEL, one, bare) for one in strangers):
            if has_words:
                break
            own, is_own = [], False
        elif is_own or name_patterns.is_in(_LABEL, name, bare):
            is_own, has_words = True, has_words or bool(bare)
            own.append(line)
    return text if len(own) == len(lines) else "\n".join(own)


def clean(text: str, scene: Scene) -> list[str]:
    """Return the lines to speak: no labels, markup, quotes or control characters.

    The assistant's own label, "Bob:" or 'Bob says, "…"', is taken off. What is beyond the limits of
    the scene is cut, at a sentence if there is one.
    """
    text = _MARKS.sub("", _TAG.sub("", text))
    written = (line.strip() for line in text.splitlines())
    # Far beyond the cut nothing is looked at: a reply may have megabytes.
    read = (reply.one_line(line[: scene.max_length * 4]) for line in written if line)
    spoken = (_without_asides(_unlabelled(line, scene.name)) for line in read)
    # Small models say a line twice.
    lines = islice(dict.fromkeys(filter(None, spoken)), scene.max_lines)
    return [reply.shorten(line, scene.max_length) for line in lines]


def stage_direction(line: str) -> str | None:
    """Return what stands in *asterisks* or (brackets) around a whole line, else None."""
    match = _STAGE.match(line)
    if not match or (line.startswith("[") and _DATA.search(match[1])):
        return None
    return match[1].strip()


def gestures(text: str, *, max_length: int) -> list[str]:
    """Return what a reply has in *asterisks*: done before, between or after its words."""
    marked = (line for line in text.splitlines() if "*" in line)
    lines = [reply.one_line(line[: max_length * 4]) for line in marked]
    found = (one for line in lines for one in _ASIDE.finditer(_MARKS.sub("", line)))
    done = (_DOER.sub("", one[0].strip("*").strip()) for one in found if not _is_stressed(one))
    return [reply.shorten(one, max_length) for one in done if one]


def by_ears(text: str, *, name: str, listeners: Sequence[str]) -> list[tuple[str | None, str]]:
    """Return what a reply says in turn, each with the listener who alone hears it.

    What is for all comes first, with None, though nothing may be; "" is somebody who is not there.
    `name` is the speaker's.
    """
    text = "\n".join(reply.one_line(line) for line in text[:READ].splitlines())
    found = ((mark, _for_whom(mark, listeners)) for mark in _APART.finditer(text))
    marks = [(mark, whom) for mark, whom in found if whom is not None]
    starts = [*(mark.start() for mark, _ in marks), len(text)]
    aloud = text[: starts[0]]
    if marks:
        aloud = re.sub(rf"^\W{{0,3}}{re.escape(name)}[^\w\n]{{0,3}}\Z", "", aloud, flags=re.M)
    ends = zip(marks, starts[1:], strict=True)
    return [
        (None, aloud),
        *((whom, _inside(mark[0], text[mark.end() : end])) for (mark, whom), end in ends),
    ]


def _for_whom(mark: re.Match[str], listeners: Sequence[str]) -> str | None:
    """Return the listener whom a mark names, "" for another, or None if it is no mark."""
    alone = mark[1] or mark[2]
    named = _FOR_WHOM.match(alone) if alone else None
    written = (named[1].strip(' "“”') if named else mark[3] or "").casefold()
    for exact in listeners:
        if exact.casefold() == written:
            return exact
    whole = r"(?<!\w){}(?!\w)"
    found = [
        one for one in listeners if re.search(whole.format(re.escape(one.casefold())), written)
    ]
    return found[0] if len(found) == 1 else "" if alone or found else None


def _inside(mark: str, words: str) -> str:
    """Return the words behind a mark, without the bracket that ends them if they stand in it."""
    gap = _AFTER_MARK.match(words)
    bare = words[gap.end() :] if gap else words
    depth = (mark + words[: len(words) - len(bare)]).translate(_BRACKETS)
    if depth.count("(") > depth.count(")"):
        bare = re.sub(r"\A([^()\[\]{}]*)[)\]}][*_]{0,3}", r"\1 ", bare)
    return bare


def _without_asides(line: str) -> str:
    """Return the words of a line; one that is nothing but an aside stays for `stage_direction`."""
    words = _ASIDE.sub(lambda one: one[0].strip("*") if _is_stressed(one) else " ", line)
    words = " ".join(words.split())
    return words if re.search(r"\w", words) else line


def _is_stressed(aside: re.Match[str]) -> bool:
    """Return whether asterisks only stress a word in the middle of a sentence."""
    before, after = aside.string[: aside.start()].rstrip(), aside.string[aside.end() :].lstrip()
    is_within = before[-1:].isalnum() and (after[:1].isalnum() or after[:1] in tuple(".,!?;:"))
    return is_within and " " not in aside[0]


def _unlabelled(line: str, name: str) -> str:
    line = name_patterns.sub(_LABEL, name, "", line)
    quoted = _QUOTED.fullmatch(line)
    if quoted:
        return quoted[1].strip()
    # One mark of a pair whose other stands in another line.
    return line.strip('"').strip() if line.count('"') == 1 else line
