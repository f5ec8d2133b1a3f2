"""Builds the prompt of a turn: a stable head, the thread of the scene, and what is new."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import inlineCallbacks, maybeDeferred

from evennia_ai import conf, prompts, scheduling
from evennia_ai.agent import sections
from evennia_ai.agent.prompting import thread as threads
from evennia_ai.agent.prompting.thread import Item, Note
from evennia_ai.core.records import united
from evennia_ai.domain import audience
from evennia_ai.domain.model_text import prompt_budget, tokens
from evennia_ai.memory import repository

# Sections of the system message, which changes only with the builder's text or the room. All others are notes.
HEAD = ("instructions", "persona", "lore", "place")


@inlineCallbacks
def build(turn, *, is_again=False):
    """Chat messages for a turn, [] if the NPC is gone. Fires later when a section returns a Deferred.

    Sections run in order, because recalling a secret makes the turn private for the sections after it.
    """
    written, rewritten = {}, repository.rewrites(turn.character_id)
    for path in conf.get("CONTEXT_SECTIONS"):
        if turn.character is None:
            return []
        name = path.rpartition(".")[2]
        if not turn.reason.has_section(name):
            continue
        before = len(turn.included)
        part = yield maybeDeferred(conf.load(path), turn)
        if part:
            # A game's section may have the name of another: both stand in the prompt.
            known = audience.intersection(turn.included[before:])
            # A game's section may be meant for this speaker only, so it does not stay in the thread.
            passes = not path.startswith("evennia_ai.")
            written[path if name in written else name] = _noted(part, known, passes=passes)
        # Each of them is work of milliseconds, and many turns may begin together.
        yield scheduling.yield_to_reactor(first=True)
    if turn.character is not None:
        sections.note_talk(turn)
        if turn.is_coached() or not turn.llm.is_model:
            yield sections.note_likeness(turn)
    if turn.character is None:
        return []
    if repository.rewrites(turn.character_id) != rewritten and not is_again:
        # A source was corrected or forgotten while sections waited.
        return (yield build(turn, is_again=True))
    return _messages(turn, written)


def _noted(part: Any, known: Any, *, passes: bool) -> list[Note]:
    """Notes from a section's text or lines; plain text gets the audience of the section's sources."""
    lines = [part] if isinstance(part, str) else part
    return [
        line if isinstance(line, Note) else Note(line, audience=known, passes=passes)
        for line in lines
    ]


def _messages(turn: Any, written: dict[str, list[Note]]) -> list[dict[str, Any]]:
    if turn.counted_tools is None:
        turn.counted_tools = turn.shown_tools()
    schemas = [tool.schema() for tool in turn.counted_tools]
    head = "\n".join(note.text for name in HEAD for note in written.get(name, ()))
    room = conf.get("CONTEXT_TOKENS") - tokens.estimate_messages(
        [{"content": head}, *({"content": event.text} for event in turn.events)], schemas
    )
    coaching = threads.examples() if turn.is_coached() else []
    room -= sum(tokens.estimate(item.text) for item in coaching)
    notes = {name: part for name, part in written.items() if name not in HEAD}
    if turn.reason.speaks:
        # Half of a small prompt is for what comes to mind.
        few = threads.FEW if coaching else threads.TOKENS
        usual = prompt_budget.grown(few, context_tokens=conf.get("CONTEXT_TOKENS"))
        thread = threads.of_scene(turn, limit=min(usual, room // 2))
        alone = threads.said_alone(thread, turn)
        said = [*thread.lines(), *(item.line for item in alone if item.line)]
        notes["memories"] = sections.memory_notes(turn, said)
        room -= sum(tokens.estimate(item.text) for item in [*thread.items, *alone])
        fresh = [note for part in notes.values() for note in part if thread.needs(note)]
        told = _fitting(fresh, room)
        told += [Note(prompts.within(text), audience=turn.audience) for text in turn.happened]
        items = threads.add(thread, told, turn.events, alone)
        # What stays in the thread is shown in later turns, too: as far as all in the room may know it.
        stays = (one for one in turn.sources if audience.is_open_to(one.audience, thread.audience))
        thread.sources = united(thread.sources, stays)
        opening = " ".join(thread.opening.values())
        if coaching:
            # It changes more often than the examples, so it stands behind them.
            coaching.append(Item("user", prompts.note(f"{prompts.AFTER_EXAMPLES} {opening}")))
        else:
            head = "\n".join(filter(None, [head, opening]))
    else:
        told = _fitting([*sum(notes.values(), []), *sections.noted_lately(turn)], room)
        items = threads.add(threads.Thread(), told, turn.events)
    record = turn.record
    record.sections = {name: [note.text for note in part] for name, part in written.items() if part}
    record.sections["memories"] = [note.text for note in notes.get("memories", ())]
    record.sections["talk"] = [item.text for item in items if not item.notes]
    record.tool_names = [tool.name for tool in turn.counted_tools]
    record.tool_tokens = tokens.estimate_messages((), schemas)
    return [{"role": "system", "content": head}, *threads.messages([*coaching, *items])]


def _fitting(notes: list[Note], room: int) -> list[Note]:
    """The first notes that fit into `room` tokens, each text once."""
    told = []
    for note in {note.text: note for note in notes}.values():
        room -= tokens.estimate(prompts.note(note.text))
        if room < 0:
            break
        told.append(note)
    return told
