"""Telling on: how an assistant passes on what it remembers, as far as its builder lets it.

The words are those of the memory and not of a model, and they are whispered: however a mind is
talked into it, nothing else of what it knows gets out, and to nobody else. Whoever was told may know
it from then on, of the journal and of long-term memory alike.
"""

from __future__ import annotations

from typing import Annotated, Any, Iterable, Iterator

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, scheduling
from evennia_ai.core import records
from evennia_ai.domain.memories import gossip, memory_ranking, retrieval
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.sleeping import reflection_rules
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import identity, journal, lookup, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.prompts import quote
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.worker import MemoryUnavailable
from evennia_ai.tools import world
from evennia_ai.tools.base import Tool, ToolCategory

# Characters of what is passed on in one breath.
SHARED_LENGTH = 400
# Memories that are asked of long-term memory, and that are looked at in the end.
LIMIT = 12

# What somebody told, in the words of the journal; all else the assistant has from nobody.
_TOLD = ("direct", "environmental")


class Memory(Remembered, frozen=True, kw_only=True):
    """A memory that may be passed on: how it was learned, from whom and through whom."""

    source_type: str
    source_id: str
    tags: list[str]
    chain: list[gossip.Person]
    # Its entry of the journal, if it is one.
    entry_id: int


class Share(Tool):
    """Pass on to one person, in a whisper, what somebody told you or what you know about something."""

    name = "share"
    brief = True
    category = ToolCategory.TERMINAL
    needs_place = True

    def needed(self, turn):
        return turn.character is not None and _level(turn.character) != gossip.NEVER

    @inlineCallbacks
    def execute(
        self,
        turn,
        about: Annotated[str, "What it is about, in a few words."],
        target: Annotated[str, "To whom, by the name that you see; none is who spoke."] = "",
    ):
        if not retrieval.terms(about):
            raise ToolError("about must say what it is about.")
        world.body_of(turn)
        remembered = yield _long_term(turn, about, _listener(turn, target))
        # Looked up after the wait: memories may have been forgotten, and people may have gone.
        character, listener = world.body_of(turn), _listener(turn, target)
        noted = list(journal.newest_first(character))
        known = [*_noted(turn, noted), *_said(turn, character, noted), *remembered]
        # Asked before anything is ranked: what is kept back must not keep back anything else, or a no
        # would say that there is something.
        memory = _best(_tellable(character, listener, known), about)
        if memory is None:
            name = quote(turn.name_of(listener))
            raise ToolError(f"You know nothing about that which you would tell {name}.")
        text = reply.printable(memory.text, max_length=SHARED_LENGTH)
        hearsay = Hearsay(text, memory.trust, tuple(_chain(memory)))
        told = yield turn.tell_on(_worded(memory.by, text), listener, hearsay=hearsay)
        if not told:
            return "You did not get to say that."
        character, listener = world.body_of(turn), lookup.object_by_id(listener.id)
        answer = f"You whispered to {quote(turn.name_of(listener))} what you know about that."
        if accounts.is_passing(listener):
            # To whom it was told is kept no longer than they are.
            return answer
        entry = _note(turn, character, listener, memory)
        yield _widen_copy(str(character), entry, assistant_key=identity.identity_of(character))
        return answer


def _listener(turn: Any, name: str) -> Any:
    somebody = turn.find(name) if name.strip() else turn.speaker
    if somebody is None:
        raise ToolError("target must name somebody: nobody speaks with you.")
    if somebody == turn.character:
        raise ToolError("You cannot tell yourself what you know.")
    return somebody


def _best(known: Iterable[Memory], about: str) -> Memory | None:
    """Return the memory that fits best, of those that say the same one that the journal has."""
    found = memory_ranking.rank(
        known, about, now=scheduling.now(), tau_hours=conf.get("RECENCY_TAU_HOURS"), limit=LIMIT
    )
    same = [memory for memory in found if _gist(memory) == _gist(found[0])]
    # Of what the journal has, too, it can be noted there that it was passed on.
    return next((memory for memory in same if memory.entry_id), same[0] if same else None)


def _gist(memory: Memory) -> tuple[str, str]:
    return memory.by, " ".join(memory.text.casefold().split())


def _tellable(character: Any, listener: Any, memories: list[Memory]) -> list[Memory]:
    """Return what an assistant would tell somebody."""
    rules = {**_regard(character, listener), "gossip": _level(character)}
    # What was marked later is so in each copy of it.
    secrets = {_gist(memory) for memory in memories if gossip.is_secret(memory.tags)}
    return [
        memory
        for memory in memories
        if gossip.may_share(
            **rules,
            audience=memory.audience,
            # Whoever was only watched knows what they did.
            tellers=[memory.source_id, *(one["identity"] for one in memory.chain)],
            secret=_gist(memory) in secrets,
        )
    ]


def _level(character: Any) -> str:
    return gossip.level(npc_settings.gossip(character) or conf.get("GOSSIP"))


def _regard(character: Any, listener: Any) -> dict[str, str]:
    """Return whom an assistant takes a listener for, and how it regards them."""
    who = identity.perceived(character, listener)
    profile = entity_profiles.find_profile(character, who) if who else None
    return {"listener": who, "regard": profile.relationship.state if profile else "stranger"}


def _chain(memory: Memory) -> list[gossip.Person]:
    """Return whom a memory came through, the last teller included."""
    teller = memory.source_id if memory.by else ""
    return gossip.lengthened(memory.chain, identity=teller, name=memory.by)


def _worded(by: str, text: str) -> str:
    return _('{name} told me: "{words}"').format(name=by, words=text) if by else text


def _note(turn: Any, character: Any, listener: Any, memory: Memory) -> records.Entry:
    """Note in the journal to whom it was told, and return the entry: they may know it from now on."""
    entry = memory.entry_id and journal.get_entry(character, memory.entry_id)
    # A builder may have changed it since it was copied to long-term memory.
    if not entry or entry.content != memory.text:
        entry = journal.add_entry(
            character,
            memory.text,
            tags=memory.tags,
            source_type=memory.source_type,
            source_trust=memory.trust,
            source_entity=memory.by,
            source_id=memory.source_id,
            audience=memory.audience,
            event_id=memory.event_id,
            chain=memory.chain,
        )
    changes = gossip.shared_with(
        entry,
        identity=identity.perceived(character, listener),
        name=turn.name_of(listener),
        timestamp=records.format_time(scheduling.now()),
    )
    if changes["audience"] != entry.audience:
        # What long-term memory has of it is for fewer ears; if that stays so, sleep puts it right.
        changes["consolidated"] = False
    return journal.edit_entry(character, entry.id, **changes) or entry


@inlineCallbacks
def _widen_copy(name: str, entry: records.Entry, *, assistant_key: str):
    """Let whoever was told something know what long-term memory has of it, too."""
    try:
        memory = get_memory()
        copies = yield journal_sync.find_copies(memory, [entry], assistant_key=assistant_key)
        for found in copies.values():
            yield journal_sync.keep_entry(memory, entry, assistant_key=assistant_key, copies=found)
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        logger.log_warn(f"evennia_ai: {name} still keeps apart what it has told: {error}")


def _noted(turn: Any, entries: list[records.Entry]) -> Iterator[Memory]:
    """Yield what the journal has, newest first, without this moment."""
    now = {event.id for event in turn.events}
    for entry in entries:
        # What it concluded itself is hearsay of nobody's.
        if entry.event_id not in now and reflection_rules.may_be_told(entry):
            told = entry.source_type in _TOLD
            yield Memory(
                text=entry.content,
                by=entry.source_entity if told else "",
                timestamp=entry.timestamp,
                trust=entry.source_trust,
                importance=entry.importance,
                tags=entry.tags,
                audience=entry.audience,
                source_type=entry.source_type,
                source_id=entry.said_by,
                event_id=entry.event_id,
                chain=entry.chain,
                entry_id=entry.id,
            )


def _said(turn: Any, character: Any, entries: list[records.Entry]) -> Iterator[Memory]:
    """Yield what was said and not noted, newest first; what guests say goes when they go."""
    skipped = {one.id for one in turn.events} | {entry.event_id for entry in entries} - {""}
    guests = assistant.guests(turn.script)
    for line in reversed(working_memory.all_lines(character)):
        asked = line.text.rstrip().endswith("?")
        heard = line.kind in records.SPOKEN and not line.mine and line.said_by not in guests
        if heard and not asked and line.event_id not in skipped:
            source = "direct" if line.kind in records.PRIVATE else "environmental"
            yield Memory(
                text=line.text,
                by=line.name,
                timestamp=line.timestamp,
                trust=conf.get("TRUST")[source],
                tags=[line.kind, *([gossip.SECRET_TAG] if line.secret else [])],
                audience=line.audience,
                source_type=source,
                source_id=line.said_by,
                event_id=line.event_id,
                chain=[],
                entry_id=0,
            )


@inlineCallbacks
def _long_term(turn: Any, about: str, listener: Any):
    """Return what long-term memory has that somebody may be told, as far as its audience says."""
    regard = _regard(turn.character, listener)
    tells_on = gossip.tells_on(_level(turn.character), regard=regard["regard"])
    try:
        memory = get_memory()
        found = yield memory.search(
            about,
            assistant_key=identity.identity_of(turn.character),
            # Before nobody everything may be said.
            hearers=frozenset() if tells_on else frozenset({regard["listener"]}),
            limit=LIMIT,
            names=[turn.name_of(turn.character)],
        )
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        logger.log_warn(f"evennia_ai: {turn.character} could not search its memory: {error}")
        return []
    relevant = memory.scale.get("relevant", 0.0)
    return [_remembered(item, is_like=item["cosine"] >= relevant) for item in found]


def _remembered(item: dict[str, Any], *, is_like: bool) -> Memory:
    told, trust = item["metadata"], item["metadata"].get("source_trust")
    source = told.get("source_type") or ("direct" if told.get("speaker") else "inference")
    return Memory(
        text=item["text"],
        by=(told.get("speaker") or "") if source in _TOLD else "",
        timestamp=told.get("timestamp") or "",
        trust=conf.get("TRUST")["inference"] if trust is None else trust,
        importance=told.get("importance") or 5,
        tags=told.get("tags") or [],
        audience=item["audience"],
        source_type=source if source in conf.get("TRUST") else "inference",
        source_id=told.get("source_id") or "",
        event_id=told.get("event_id") or "",
        chain=told.get("chain") or [],
        entry_id=told.get("entry_id") or 0,
        likeness=item["score"] if is_like else 0.0,
    )
