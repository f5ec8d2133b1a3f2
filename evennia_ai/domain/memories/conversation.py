"""Conversations: what is kept of them, and what of them goes into a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import dropwhile, groupby, pairwise, takewhile
from typing import TypeVar

from msgspec import structs

from evennia_ai.core import languages, name_patterns, records, words
from evennia_ai.core.records import Audience, Event
from evennia_ai.core.talk import Conversation, Line
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import reading

Kept = TypeVar("Kept")

# Seconds after which an answer is none to the question before it.
ANSWER_SECONDS = 120
# Seconds in which whoever says the same again has said nothing new, nor who is rude once more.
LATELY = 3600
# Words of a question that tell something, from which on it is noted as well; fewer where whoever asks speaks of
# themselves ("Is it odd that I collect spoons?"), or of what is theirs ("Do you remember my cat Luna?").
ASKED_WORDS, ASKED_OF_ME, ASKED_OF_MINE = 4, 3, 2
# Sentences of one line that are looked at.
SENTENCES = 40
# Kinds of what players say in words of their own.
_FREE_WORDS = (*records.SPOKEN, "pose")
# Seconds of the game's time between two lines that are told.
PAUSE = 3 * 3600.0
# Words by which a short sentence tells of somebody: "I'm vegan", "She left me".
_ONESELF, _OTHERS = languages.Words("ranking.oneself"), languages.Words("classification.of_others")
_MINE = languages.Words("subjects.own")
# What asks without a question mark, at the beginning or after a name.
_WANTS_TO_HEAR = languages.Pattern("conversation.wants_to_hear")
_MOVES = ("arrive", "leave")
# The kind of a line that stands for older ones. Nobody said it.
SUMMARY = "summary"


def pause(before: Line, after: Line | Event, *, speed: float) -> float:
    """Return for how many seconds of the game's time nothing was said between two lines, 0 where that is not worth telling.

    That time passes `speed` times as fast as ours. Lines that others hand over may have no time.
    """
    if not (before.timestamp and after.timestamp):
        return 0.0
    moment = records.parse_time(after.timestamp)
    passed = speed * records.age_seconds(before.timestamp, now=moment)
    return passed if passed >= PAUSE else 0.0


def select_recent(lines: Iterable[Line], *, hearers: Iterable[str], limit: int) -> list[Line]:
    """Return the summaries and the last lines that everybody in earshot may know, oldest first.

    They do not begin with its own answer to a line that is left out.
    """
    known = audiences.select_tellable(lines, hearers)
    recent = newest_lines(known, limit)
    if len(recent) == len(known):
        return recent
    summaries = [line for line in recent if is_summary(line)]
    spoken = (line for line in recent if not is_summary(line))
    return merged([summaries, [*dropwhile(lambda line: line.mine, spoken)]])


def reworded(kept: Conversation, *, old: str, new: str, known: Audience) -> Conversation:
    """Return a conversation in which the other says `new` for `old`.

    Only where all who may know what was said may know what is new, which is `known` to some.
    """
    lines = [
        (
            structs.replace(one, text=one.text.replace(old, new))
            if not one.mine and old in one.text and audiences.is_open_to(known, one.audience)
            else one
        )
        for one in kept.messages
    ]
    return structs.replace(kept, messages=lines)


def without_detours(lines: Iterable[Line]) -> list[Line]:
    """Return lines without what coming and going came to nothing: between two lines each came, or left, once at most."""
    told: list[Line] = []
    for are_moves, run in groupby(lines, lambda line: line.kind in _MOVES):
        found = list(run)
        told += _settled(found) if are_moves else found
    return told


def _settled(run: list[Line]) -> list[Line]:
    """Return of people who came and left how it ended for those with whom it ended otherwise than it began."""
    first = {line.said_by: line.kind for line in reversed(run)}
    last = {line.said_by: line for line in run}
    ended = [line for who, line in last.items() if line.kind == first[who]]
    return [line for line in run if any(line is one for one in ended)]


def was_ignored(lines: Sequence[Line]) -> bool:
    """Return whether somebody said nothing to the greeting that they last had as they came in."""
    greeted = False
    for line in reversed(lines):
        if line.mine:
            greeted = True
        elif line.kind == "arrive" and greeted:
            return True
        elif line.kind not in ("arrive", "leave"):
            return False
    return False


def merged(talks: Iterable[Sequence[Line]]) -> list[Line]:
    """Return several talks of the same place as one, oldest first: each answer after what it answers.

    Each talk is with one person, oldest first. Two who speak at once are answered one after the other.
    """
    placed: list[tuple[str, int, int, Line]] = []
    for number, lines in enumerate(talks):
        head, before = "", None
        for place, line in enumerate(lines):
            head = head if before and _answers(line, before) else line.timestamp
            before = line
            placed.append((head, number, place, line))
    return [line for *_, line in sorted(placed, key=lambda one: one[:3])]


def _answers(line: Line, before: Line) -> bool:
    # What is whispered to one who spoke aloud may be something of its own.
    as_openly = line.kind not in records.PRIVATE or before.kind in records.PRIVATE
    is_soon = _gap(before.timestamp, line.timestamp) <= ANSWER_SECONDS
    return line.mine and as_openly and is_soon


def newest_lines(lines: list[Line], limit: int) -> list[Line]:
    """Return the summaries and, beside them, the last `limit` lines, in their order."""
    spoken = newest([index for index, line in enumerate(lines) if not is_summary(line)], limit)
    kept = set(spoken)
    return [line for index, line in enumerate(lines) if index in kept or is_summary(line)]


def is_summary(line: Line) -> bool:
    """Return whether a line stands for older ones."""
    return line.kind == SUMMARY


def newest(lines: list[Kept], limit: int) -> list[Kept]:
    """Return the last `limit` lines; none if it is 0."""
    return lines[-limit:] if limit > 0 else []


def is_worth_keeping(
    event: Event, *, names: Iterable[str] = (), asked: Callable[[], str] = str
) -> bool:
    """Return whether an event belongs into the journal: it tells something, and does not only ask in a few words.

    `names` are those of the one who heard it, by which it was perhaps greeted, `asked` gives what others asked
    just before. Coming and going is told by who is there, and small talk by how well one knows each other.
    """
    if event.kind in ("arrive", "leave", "reminder"):
        return False
    if event.kind not in _FREE_WORDS:
        return True
    sentences, called = retrieval.sentences(event.text)[:SENTENCES], tuple(names)
    if any(_tells_by_asking(one, called) for one in sentences):
        # "How was the race in Saltmere with your sister?" tells of a race, too.
        return True
    is_short = len(event.text) <= reading.MAX_LENGTH
    told = [
        one
        for one in sentences
        if not (asks(one) or is_short and reading.is_greeting(one, names=called))
    ]
    if len(_telling(" ".join(told))) >= retrieval.TELLING_WORDS:
        return True
    if event.kind not in records.SPOKEN:
        return False
    stated = [one for one in told if reading.classify(one, names=called).kind == "statement"]
    telling = _telling(" ".join(stated))
    is_of_somebody = any(_has(one, _ONESELF) or _has(one, _OTHERS) for one in stated)
    if is_of_somebody and not all(map(retrieval.is_weak, telling)):
        return True
    # "Rex." tells something where somebody asked after the dog, and so does "We did, yes."
    question = asked() if stated else ""
    return bool(question) and bool(telling or _telling(question))


def _tells_by_asking(sentence: str, called: Iterable[str]) -> bool:
    """Return whether a sentence has many words that tell something, even if it asks."""
    telling = _telling(sentence)
    if len(telling) >= ASKED_WORDS or not sentence.endswith("?"):
        return len(telling) >= ASKED_WORDS
    if (
        _WANTS_TO_HEAR.search(sentence)
        or reading.classify(sentence, names=called).kind == "request"
    ):
        return False
    count = len(telling.difference(*map(_telling, called)))
    is_mine, is_of_me = _has(sentence, _MINE), _has(sentence, _ONESELF)
    return is_mine and count >= ASKED_OF_MINE or is_of_me and count >= ASKED_OF_ME


def _has(text: str, known: Container[str]) -> bool:
    return any(words.bare(word) in known for word in words.words(text))


def _telling(text: str) -> set[str]:
    return set(retrieval.terms(text))


def said_lately(event: Event, lines: Iterable[Line]) -> list[Line]:
    """Return what whoever speaks said to the same ears shortly before, oldest first."""
    moment = records.parse_time(event.timestamp)
    return [
        line
        for line in lines
        if not line.mine
        and line.said_by == event.said_by
        and line.audience == event.audience
        and records.age_seconds(line.timestamp, now=moment) < LATELY
    ]


def repeated(event: Event, before: Iterable[Line]) -> list[Line]:
    """Return those of these lines that say the same; what happens twice has happened twice."""
    wanted = event.text.casefold().split()
    is_said = event.kind in _FREE_WORDS
    return [
        line
        for line in before
        if is_said and line.kind in _FREE_WORDS and line.text.casefold().split() == wanted
    ]


def question_before(lines: Sequence[Line], event_id: str, *, audience: Audience) -> Line | None:
    """Return the question that a line answers, if it does: the words without which it says little.

    `lines` are those of one talk, of as many people as there are, oldest first. What not everybody in
    `audience` may know is not gone into.
    """
    before = questions_before(lines).get(event_id)
    return before if before and audiences.select_open_to([before], audience) else None


def questions_before(lines: Sequence[Line]) -> dict[str, Line]:
    """Return the questions that lines answer, asked just before by another voice, by the id of what answers."""
    return {
        line.event_id: before
        for before, line in pairwise(lines)
        if line.event_id
        and _voice(before) != _voice(line)
        and not is_summary(before)
        and asks(before.text)
        and _gap(before.timestamp, line.timestamp) <= ANSWER_SECONDS
    }


def _voice(line: Line) -> str:
    return "" if line.mine else line.said_by or line.role


def asked_before(lines: Sequence[Line], event: Event) -> str:
    """Return what others and the assistant asked since somebody spoke last, as far as they know of it, or "".

    `lines` are those of one talk, of as many people as there are, oldest first.
    """
    known = audiences.select_tellable(lines, [event.said_by])
    of_others = takewhile(lambda line: line.mine or line.said_by != event.said_by, reversed(known))
    lately = takewhile(
        lambda line: _gap(line.timestamp, event.timestamp) <= ANSWER_SECONDS, of_others
    )
    return " ".join(line.text for line in lately if not is_summary(line) and asks(line.text))


def narrated(event: Event) -> str:
    """Return an event as the journal keeps it: words as they were said, deeds with their doer."""
    if event.kind in (*records.SPOKEN, "channel") or not event.actor_name:
        return event.text
    named = rf"(?<!\w){re.escape(event.actor_name)}(?!\w)"
    if event.kind == "pose" and re.search(named, event.text, re.I):
        return event.text
    return f"{name_patterns.called(event.actor_name)} {event.text}"


def _gap(before: str, after: str) -> float:
    return records.age_seconds(before, now=records.parse_time(after))


def asks(text: str) -> bool:
    """Return whether somebody wants to hear something."""
    return bool(_WANTS_TO_HEAR.search(text)) or text.rstrip(' "”»').endswith("?")
