"""One last look at words that will be forgotten: what of them belongs into the journal.

A model notes by the loop and the tools of a turn, but it only gathers: what it noted is written
together with the mark on the lines, so that being killed neither loses nor doubles a fact.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Annotated, Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import TimeoutError, inlineCallbacks

from evennia_ai import conf, prompts, prompts_asleep, scheduling
from evennia_ai.agent.loop import run_agent
from evennia_ai.core.records import Audience
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories import conversation, self_reference
from evennia_ai.domain.memories.gossip import SECRET_TAG
from evennia_ai.domain.sleeping import compaction_rules, summary
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable, StepLimitExceeded, ToolError
from evennia_ai.llm.base import Backend, Request
from evennia_ai.memory import journal, lookup, repository, routine, working_memory
from evennia_ai.memory.state import assistant, reflection_state
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import sleep_llm
from evennia_ai.tools import registry
from evennia_ai.tools.base import Tool, ToolCategory

# What the loop is for, where a turn would answer somebody.
CONTEXT_TYPE = "pre_compaction"
MAX_STEPS = 5
MAX_TOKENS = 500
# What a fact is marked with; it is told second-hand, in other words than its speaker's.
TAG = CONTEXT_TYPE
SOURCE_TYPE = "inference"


class Talk(NamedTuple):
    """Old messages with one person that the same people may know, as plain data."""

    script_id: int
    character_id: int
    who: str
    person: str
    npc: str
    audience: Audience
    messages: list[Line]

    def lines(self) -> list[dict[str, Any]]:
        """Return the messages as the mind without a model reads them."""
        return [
            {
                "name": message.name,
                "text": message.text,
                "kind": message.kind,
                "mine": message.mine,
            }
            for message in self.messages
        ]

    def is_with_guest(self) -> bool:
        """Return whether it is remembered for a visit only, and nothing of it is noted."""
        script = lookup.script_by_id(self.script_id)
        return script is None or self.who in assistant.guests(script)


def shown(line: Line) -> str:
    """Return a line as a model is shown it."""
    return prompts.conversation_line(
        name=line.name,
        text=line.text,
        kind=line.kind,
        mine=line.mine,
        overheard=line.overheard,
    )


def shown_talk(messages: list[Line]) -> list[str]:
    """Return messages as a model is shown them, with each the pause that follows it, where that was long."""
    told = []
    for line, after in itertools.zip_longest(messages, messages[1:]):
        passed = conversation.pause(line, after, speed=routine.speed()) if after else 0.0
        later = f"\n{prompts.later(passed)}" if passed else ""
        told.append(f"{shown(line)}{later}")
    return told


def events_noted(character: Any, *, since: str) -> dict[str, bool]:
    """Return the events that the journal has from a time on, and whether each is secret."""
    recent = itertools.takewhile(
        lambda entry: entry.timestamp >= since, journal.newest_first(character)
    )
    return {entry.event_id: SECRET_TAG in entry.tags for entry in recent if entry.event_id}


def unsafe(talk: Talk, *, noted: set[str] | None = None) -> list[Line]:
    """Return the messages with which something would be lost that the journal does not have.

    `noted` are the events that it has, for who asks of many talks.
    """
    character = lookup.object_by_id(talk.character_id)
    if character is None or not talk.messages or talk.is_with_guest():
        return []
    if noted is None:
        since = min(message.timestamp for message in talk.messages)
        noted = set(events_noted(character, since=since))
    return [one for one in talk.messages if not compaction_rules.is_safe(one, noted=noted)]


@inlineCallbacks
def extract(talk: Talk, *, emergency: bool = False):
    """Note what the old messages tell and the journal does not have; return how many facts.

    In an emergency, rules do it where no model answers.

    Raises:
        BudgetExceeded: The tokens of this night or day are spent.
        LLMUnavailable: No answer came, and it is no emergency.
    """
    fresh = yield _not_kept(talk, unsafe(talk))
    if not fresh:
        return 0
    try:
        notes = yield _notes(talk, fresh)
    except (BudgetExceeded, LLMUnavailable):
        if not emergency:
            raise
        notes = _by_rules(talk._replace(messages=fresh))
    return _write(talk, fresh, notes)


@inlineCallbacks
def _not_kept(talk: Talk, fresh: list[Line]):
    """Return the messages that long-term memory does not have either; the others are marked.

    The journal has let go of what they told, after it was kept for good.
    """
    script = lookup.script_by_id(talk.script_id)
    if script is None:
        return fresh
    events, key = {one.event_id: one.text for one in fresh}, assistant.key_of(script)
    try:
        search = journal_sync.find_events(get_memory(), events, assistant_key=key)
        kept = yield search.addTimeout(conf.get("RECALL_SECONDS"), scheduling.clock())
    except (MemoryUnavailable, ImproperlyConfigured, TimeoutError):
        kept = set()
    known = [one for one in fresh if one.event_id in kept]
    character = lookup.object_by_id(talk.character_id)
    if known and character is not None:
        working_memory.mark_extracted(character, talk.who, known)
    return [one for one in fresh if one.event_id not in kept]


@inlineCallbacks
def _notes(talk: Talk, fresh: list[Line]):
    """Return what the mind wants to note: [{"content", "tags", "importance"}]."""
    llm = sleep_llm.mind_for(talk.script_id, "extract")
    if llm.is_model:
        turn = Noting(talk, llm)
        try:
            yield run_agent(turn, _messages(talk, fresh), max_steps=MAX_STEPS)
        except StepLimitExceeded:
            # What it has noted by then is what it found.
            turn.finish()
        return turn.facts
    return (yield _asked(talk._replace(messages=fresh)))


@cache
def _answer_shape() -> Any:
    from pydantic import BaseModel

    class Facts(BaseModel):
        facts: list[str]

    return Facts


@inlineCallbacks
def _asked(talk: Talk):
    answer = yield sleep_llm.ask(
        talk.script_id,
        "extract",
        messages=[],
        context={"lines": talk.lines(), "npc": talk.npc},
        answer=_answer_shape(),
    )
    return list(map(_plain_note, answer.facts))


def _by_rules(talk: Talk) -> list[dict[str, Any]]:
    return list(map(_plain_note, summary.facts(talk.lines(), npc=talk.npc)))


def _plain_note(content: str) -> dict[str, Any]:
    return {"content": content, "tags": [], "importance": None}


def _messages(talk: Talk, fresh: list[Line]) -> list[dict[str, Any]]:
    new = set(map(compaction_rules.key_of, fresh))
    lines = []
    for message, line in zip(talk.messages, shown_talk(talk.messages), strict=True):
        is_new = compaction_rules.key_of(message) in new
        lines.append(line if is_new else prompts_asleep.noted_line(line=line))
    asked = prompts_asleep.pre_compaction(name=talk.npc, person=talk.person, lines=lines)
    rules = prompts.ASSISTANT_FACT_EXTRACTION_PROMPT.partition("\nThe text is what")[0]
    return [{"role": "system", "content": rules.strip()}, {"role": "user", "content": asked}]


def _write(talk: Talk, fresh: list[Line], notes: list[dict[str, Any]]) -> int:
    """Write the facts, and that the messages may go: both or neither."""
    script, character = (
        lookup.script_by_id(talk.script_id),
        lookup.object_by_id(talk.character_id),
    )
    if script is None or character is None or talk.is_with_guest():
        return 0
    with repository.together(character, script):
        if not working_memory.mark_extracted(character, talk.who, fresh):
            # Whoever was talked with has been forgotten meanwhile.
            return 0
        secret = [SECRET_TAG] if any(message.secret for message in fresh) else []
        for note in notes:
            entry = journal.add_entry(
                character,
                note["content"],
                tags=[TAG, *note["tags"], *secret],
                source_type=SOURCE_TYPE,
                source_entity=talk.person,
                source_id=talk.who,
                importance=note["importance"],
                audience=talk.audience,
            )
            reflection_state.note_entry(script, entry)
    return len(notes)


class Noting:
    """What the loop needs to know of a turn in which an assistant only writes into its journal."""

    dangerous_used = False

    def __init__(self, talk: Talk, llm: Backend) -> None:
        self.talk = talk
        self.llm = llm
        self.key = ""
        self.hearers: frozenset[str] = frozenset()
        self.is_over = False
        self.notes: list[str] = []
        self.used: list[tuple[str, str]] = []
        self.facts: list[dict[str, Any]] = []
        self._tools = (NoteFact(), registry.get("noop"))

    def request(self, messages: list[dict[str, Any]]) -> Request:
        """Return the next request to the model."""
        return Request(
            job="extract",
            messages=list(messages),
            tools=tuple(tool.schema() for tool in self._tools),
            context={"type": CONTEXT_TYPE},
            max_tokens=MAX_TOKENS,
            deadline=conf.get("SLEEP_DEADLINE"),
            caller=sleep_llm.caller_of(self.talk.script_id),
        )

    def is_in_vain(self) -> bool:
        """What is noted is for nobody but itself."""
        return False

    def take_new_events(self) -> list[Any]:
        """Nobody is answered here: what happens meanwhile waits for a turn."""
        return []

    def tool(self, name: str) -> Tool:
        """Return a tool of the journal; ToolError for any other."""
        return registry.pick(name, self._tools)

    def finish(self) -> None:
        """There is nothing left to note."""
        self.is_over = True


class NoteFact(Tool):
    """Write down a fact worth remembering: about the world, or what you learned about somebody."""

    name = "add_journal_entry"
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        content: Annotated[str, "What to remember, in full sentences, with names."],
        tags: Annotated[list[str], "A few words to find it by."] = (),
        importance: Annotated[int | None, "1 (routine) to 10 (life-changing)."] = None,
    ):
        plain = " ".join(content.split())
        if not plain:
            raise ToolError("content must say what to remember.")
        if self_reference.is_about(plain, names=[turn.talk.npc], addressed=True):
            raise ToolError("This is about yourself; note only the world and others.")
        if importance is not None and not 1 <= importance <= 10:
            raise ToolError("importance must be between 1 and 10.")
        if len(turn.facts) >= summary.MAX_FACTS:
            raise ToolError("You have noted enough of this conversation.")
        turn.facts.append({"content": plain, "tags": list(tags), "importance": importance})
        return "Noted."
