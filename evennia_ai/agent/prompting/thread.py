"""The append-only prompt of a scene: the conversation that an NPC's model has been shown, in the order heard.

Each request is the previous one plus what is new, so a server with a prompt cache reads few tokens anew. A thread
holds only what every listener in the room may know, and only in memory. It is built again from the stored lines
in another room, for another audience where ROOM_TALK is "heard", after sleep, and after anything was forgotten,
corrected or narrowed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import dropwhile, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai import prompts
from evennia_ai.agent.prompting import said_here
from evennia_ai.core import volatile
from evennia_ai.core.records import Audience, Event, Source
from evennia_ai.core.talk import Line, line_of
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import conversation as talk
from evennia_ai.domain.model_text import tokens
from evennia_ai.memory import repository, routine
from evennia_ai.memory.state import sleep_state

if TYPE_CHECKING:
    from evennia_ai.agent.turn import Turn

# Tokens of conversation in a prompt of the default size. Above it the older part is dropped at once and this share
# stays, because a server reads the rest anew after each drop. The last lines stay however long they are.
TOKENS, STAYS, LAST = 300, 0.35, 2
# Stored lines that a new thread begins with, and that one turn adds at most.
LINES = 10
# Tokens for a weak model, which is shown examples as well, and of the talk only what it answered itself.
FEW = 180
# Keys of notes that everybody in the room could make.
OF_THE_ROOM = ("time", "here", "things", "carried")
# Lines of an earlier conversation with a person who joins.
EARLIER = 4
# Lines of a private conversation that a whispered turn shows: four exchanges.
ALONE = 8


class Note(NamedTuple):
    """Something that the NPC knows, with its audience. Of notes with the same `key` the newest counts.

    A note that `passes` stands in one prompt only. One that `is_usual` ("You carry nothing.") is left out unless
    the prompt says something else under its key.
    """

    text: str
    key: str = ""
    audience: Audience = audiences.PUBLIC
    passes: bool = False
    is_usual: bool = False


class Item(NamedTuple):
    """One line of a prompt: a stored `line` of conversation, or `notes` as (key, text)."""

    role: str
    text: str
    line: Line | None = None
    notes: tuple[tuple[str, str], ...] = ()


@dataclass
class Thread:
    """The prompt of one scene: its `items`, and the keys of stored lines that it has `seen`, shown or not.

    `opening` holds the notes that were true when the conversation began; they end the system message.
    """

    place: int | str = 0
    audience: Audience = audiences.PUBLIC
    rewritten: tuple[int, str] = (0, "")
    opening: dict[str, str] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    people: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    last: Line | None = None
    sources: list[Source] = field(default_factory=list)

    def lines(self) -> list[Line]:
        """Stored lines that the prompt shows."""
        return [item.line for item in self.items if item.line is not None]

    def needs(self, note: Note) -> bool:
        """True unless the prompt already says this note."""
        shown = {**self.opening, **dict(pair for item in self.items for pair in item.notes)}
        last = shown.get(note.key or note.text)
        return last != note.text and not (note.is_usual and last is None)

    def trim(self, limit: int) -> None:
        """Drop the older items at once when all of them exceed `limit` tokens."""
        sizes = [tokens.estimate(f"{item.text}\n") for item in self.items]
        if sum(sizes) <= limit:
            return
        stays = 0.0
        for at in range(len(sizes) - 1, -1, -1):
            stays += sizes[at]
            if stays > limit * STAYS:
                left = self.items[min(at + 1, len(sizes) - LAST) :]
                self.items = [*dropwhile(lambda item: item.role == "assistant", left)]
                # The server reads everything behind the head anew, so the opening may change.
                self.opening = {}
                return


_threads = volatile.of_assistants(Thread)


def of_scene(turn: Turn, *, limit: int) -> Thread:
    """The thread of a turn's scene, with the lines heard since the last turn, cut to `limit` tokens."""
    scene = _audience(turn)
    # Corrections, forgetting and sleep make notes of the old thread wrong.
    rewritten = (repository.rewrites(turn.character_id), sleep_state.woke_at(turn.script))
    kept = _threads.get(turn.character_id)
    people = said_here.people(turn.character, turn.event)
    known = (people | kept.people) if kept else people
    lines = _lines(turn, known, scene)
    if kept is None or not _goes_on(kept, turn, scene, rewritten, lines):
        lines = _lines(turn, people, scene)
        kept = Thread(place=_place(turn), audience=scene, rewritten=rewritten)
        _threads[turn.character_id] = kept
    joined = people - kept.people
    kept.people |= people
    _take_up(kept, turn, lines, joined=joined)
    kept.trim(limit)
    if not kept.items:
        # Nobody has spoken yet, so nothing depends on the old opening.
        kept.opening = {}
    kept.people = people.union(*([line.said_by, *line.about] for line in kept.lines())) - {""}
    kept.names = {name: who for name, who in kept.names.items() if who in kept.people}
    kept.seen &= {said_here.key(line) for line in lines} | {event.id for event in turn.events}
    # What was noted in it for earlier turns is still shown.
    turn.include(kept.audience, kept.sources)
    for line in kept.lines():
        turn.include(line)
    return kept


def add(
    thread: Thread, notes: Iterable[Note], events: Iterable[Event], alone: Iterable[Item] = ()
) -> list[Item]:
    """Items of a whole prompt, ending with `notes` and the `events` to answer.

    Notes and events for the whole room are kept in the thread. Narrower ones, and the `alone` items of a private
    conversation, stand in this prompt only.
    """
    told, aside = list[Note](), list[Note]()
    is_whispered = any(not audiences.is_open_to(one.audience, thread.audience) for one in events)
    for note in notes:
        is_open = not note.passes and audiences.is_open_to(note.audience, thread.audience)
        # The room must not learn whom the NPC whispers with, or about what.
        is_open = is_open and (not is_whispered or note.key in OF_THE_ROOM)
        (told if is_open else aside).append(note)
    answered = [
        Item("user", prompts.event(event=one), line_of(one) if one.said_by else None)
        for one in events
    ]
    if not (thread.opening and thread.items):
        opening = [note for note in told if note.key]
        thread.opening.update((note.key, note.text) for note in opening)
        told = [note for note in told if not note.key]
    thread.items += _of_notes(told)
    if is_whispered:
        return [*thread.items, *alone, *_of_notes(aside), *answered]
    shown = [*thread.items, *_of_notes(aside), *answered]
    thread.items += answered
    thread.seen.update(event.id for event in events)
    thread.last = next((one.line for one in reversed(answered) if one.line), thread.last)
    return shown


def said_alone(thread: Thread, turn: Turn) -> list[Item]:
    """Recent private lines between the NPC and the speaker, for a whispered turn; else nothing."""
    if all(audiences.is_open_to(event.audience, thread.audience) for event in turn.events):
        return []
    lines = said_here.all_here(turn, [turn.event.said_by])
    told = audiences.select_tellable(lines, turn.hearers)
    waiting = said_here.waiting(turn)
    kept = [
        line
        for line in told
        if not audiences.is_open_to(line.audience, thread.audience)
        and line.event_id not in waiting
        and not (line.mine and line.by_rules)
    ]
    shown = talk.newest(kept, ALONE)
    for line in shown:
        turn.include(line)
    head = [Item("user", prompts.before_alone(name=turn.event.name))] if shown else []
    return [*head, *(Item("user", _shown(line, line.name), line) for line in shown)]


def meanwhile(turn: Turn, news: list[Event]) -> list[str]:
    """Prompt lines for `news` that arrived while the model was thinking, and for what others said since."""
    thread = _threads.get(turn.character_id)
    if turn.character is None or thread is None:
        return [prompts.event(event=event) for event in news]
    begun = len(thread.items)
    people = thread.people | said_here.people(turn.character, turn.event)
    lines = [line for line in _lines(turn, people, thread.audience) if not line.mine]
    _take_up(thread, turn, lines)
    told = [item.text for item in thread.items[begun:]]
    added = add(thread, (), news)[-len(news) :]
    return [*told, *(item.text for item in added)]


def messages(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Chat messages from items; neighbours of the same role share one."""
    runs = groupby(items, key=lambda item: item.role)
    return [{"role": role, "content": "\n".join(one.text for one in run)} for role, run in runs]


def examples() -> list[Item]:
    """Items that stand before the thread of a weak model, and show it what an answer is."""
    pairs = ((Item("user", line), Item("assistant", answer)) for line, answer in prompts.EXAMPLES)
    return list(itertools.chain(*pairs))


def forget(npc_id: int) -> None:
    """Drop the thread of an NPC; the next turn builds a new one."""
    _threads.pop(npc_id, None)
    repository.note_rewrite(npc_id)


def _place(turn: Turn) -> int | str:
    return turn.event.channel or turn.event.location_id


def _audience(turn: Turn) -> Audience:
    """Who may know words that are said aloud in the turn's scene: its room, its channel, or a talk from afar."""
    from evennia_ai.agent import delivery  # it needs `Turn`

    room = delivery.of_room(turn, turn.character)
    # A channel has its own audience, and whoever tells something from afar hears nothing of the room.
    is_here = not turn.event.channel and audiences.may_know(room, turn.hearers)
    return room if is_here else turn.event.audience


def _lines(turn: Turn, people: Iterable[str], scene: Audience) -> list[Line]:
    """Stored lines of these people that the whole `scene` audience may know, oldest first."""
    waiting = said_here.waiting(turn)
    known = audiences.select_open_to(said_here.all_here(turn, people), scene)
    return [line for line in known if line.event_id not in waiting]


def _goes_on(
    kept: Thread, turn: Turn, scene: Audience, rewritten: tuple[int, str], lines: Iterable[Line]
) -> bool:
    """True if a thread still matches the room, the audience, the stored lines and the speakers' names."""
    if (kept.place, kept.audience, kept.rewritten) != (_place(turn), scene, rewritten):
        return False
    if kept.names.get(_folded(turn.event.name), turn.event.said_by) != turn.event.said_by:
        return False
    answered = {event.id for event in turn.events}
    stored = {said_here.key(line): line.text for line in lines}
    return all(
        stored.get(said_here.key(line)) == line.text
        for line in kept.lines()
        if line.event_id not in answered
    )


def _take_up(
    thread: Thread, turn: Turn, lines: Iterable[Line], *, joined: Iterable[str] = ()
) -> None:
    """Add stored lines that the thread has not seen; older lines of people who `joined` are marked as old."""
    fresh = [line for line in lines if said_here.key(line) not in thread.seen]
    thread.seen.update(map(said_here.key, fresh))
    begun = thread.last.timestamp if thread.last else ""
    old = [
        line
        for line in fresh
        if line.timestamp < begun and not {line.said_by, *line.about}.isdisjoint(joined)
    ]
    # A weak model is confused by what it did not answer.
    fresh = [one for one in fresh if one not in old and (one.mine or not turn.is_coached())]
    # Lines by rules would teach the model to speak like them.
    shown = talk.newest_lines(
        talk.without_detours(line for line in fresh if not line.by_rules), LINES
    )
    woke = sleep_state.woke_at(turn.script)
    for line in shown if thread.items else dropwhile(lambda one: one.mine, shown):
        _note_time(thread, line, woke)
        thread.items.append(_of_line(turn, line))
        thread.last = line
        if not line.mine and line.name:
            thread.names[_folded(line.name)] = line.said_by
    if old:
        shown = talk.newest([line for line in old if not line.by_rules], EARLIER)
        thread.items += [Item("user", _shown(line, line.name), line) for line in shown]
        thread.items.append(Item("user", prompts.note("That was before; this is now.")))
    thread.names[_folded(turn.event.name)] = turn.event.said_by
    _note_time(thread, turn.event, woke)


def _note_time(thread: Thread, after: Line | Event, woke: str) -> None:
    before = thread.last
    if before is None:
        return
    passed = talk.pause(before, after, speed=routine.speed())
    slept = bool(woke) and before.timestamp < woke <= after.timestamp
    if passed or slept:
        thread.items.append(Item("user", prompts.later(passed, slept=slept)))
        thread.last = None


def _of_line(turn: Turn, line: Line) -> Item:
    if line.mine and line.kind != "thought":
        text = f"*{line.text}*" if line.kind == "pose" else line.text
        return Item("assistant", text, line)
    name = said_here.called(turn.event, "" if line.mine else line.said_by, line.name)
    if turn.event.channel:
        # Account names are shown on channels only.
        name = line.called or name
    return Item("user", _shown(line, name), line)


def _of_notes(notes: list[Note]) -> list[Item]:
    """Items for notes: those with keys share one line, each other note has its own."""
    keyed = [note for note in notes if note.key]
    together = Item(
        "user",
        prompts.note(" ".join(note.text for note in keyed)),
        notes=tuple((note.key, note.text) for note in keyed),
    )
    alone = [
        Item("user", prompts.note(note.text), notes=((note.text, note.text),))
        for note in notes
        if not note.key
    ]
    return [*([together] if keyed else []), *alone]


def _shown(line: Line, name: str) -> str:
    return prompts.conversation_line(
        name=name, text=line.text, kind=line.kind, mine=line.mine, overheard=line.overheard
    )


def _folded(name: str) -> str:
    return prompts.label(name).casefold()
