"""Sharing gossip: how an assistant passes on what it remembers, as far as its builder lets it.

The words are those of the memory and not of a model, and they are whispered: however a mind is
talked into it, nothing else of what it knows gets out, and to nobody else. Whoever was told may know
it from then on, of the journal and of long-term memory alike.
"""

from __future__ import annotations

from typing import Annotated, Any, Iterable, Iterator

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core import records
from evennia_ai.core.records import SOURCE_TRUST
from evennia_ai.core.talk import OVERHEARD, is_claim
from evennia_ai.domain.memories import gossip, long_term, memory_ranking, retrieval
from evennia_ai.domain.sleeping import reflection_rules
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import identity, journal, lookup, sharing, working_memory
from evennia_ai.memory.people import accounts
from evennia_ai.memory.sharing import Shareable
from evennia_ai.memory.state import assistant
from evennia_ai.prompts import quote
from evennia_ai.semantic import facts, journal_sync, memory_thread
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.tools import world
from evennia_ai.tools.base import Tool, ToolCategory

# Memories that are asked of long-term memory, and that are looked at in the end.
LIMIT = 12


class Share(Tool):
    """Whisper to one person what you know or were told about something."""

    name = "share"
    brief = True
    category = ToolCategory.TERMINAL
    needs_place = True

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
        hearsay = sharing.hearsay(memory)
        words = sharing.worded(memory, hearsay.text)
        told = yield turn.tell_on(words, listener, hearsay=hearsay)
        if not told:
            return "You did not get to say that."
        character, listener = world.body_of(turn), lookup.object_by_id(listener.id)
        answer = f"You whispered to {quote(turn.name_of(listener))} what you know about that."
        if accounts.is_passing(listener):
            # To whom it was told is kept no longer than they are.
            return answer
        name = turn.name_of(listener)
        entry = sharing.note_told(character, listener, memory, name=name)
        yield journal_sync.widen_copy(
            str(character), entry, assistant_key=identity.identity_of(character)
        )
        return answer


def _listener(turn: Any, name: str) -> Any:
    somebody = turn.find(name) if name.strip() else turn.speaker
    if somebody is None:
        raise ToolError("target must name somebody: nobody speaks with you.")
    if somebody == turn.character:
        raise ToolError("You cannot tell yourself what you know.")
    return somebody


def _best(known: Iterable[Shareable], about: str) -> Shareable | None:
    """Return the memory that fits best, of those that say the same one that the journal has."""
    found = memory_ranking.rank(known, about, now=scheduling.now(), limit=LIMIT)
    same = [memory for memory in found if _gist(memory) == _gist(found[0])]
    # Of what the journal has, too, it can be noted there that it was passed on.
    return next((memory for memory in same if memory.entry_id), same[0] if same else None)


def _gist(memory: Shareable) -> tuple[str, str]:
    return memory.by, " ".join(memory.text.casefold().split())


def _tellable(character: Any, listener: Any, memories: list[Shareable]) -> list[Shareable]:
    """Return what an assistant would tell somebody."""
    who = identity.perceived(character, listener)
    rules = {
        "listener": who,
        "regard": sharing.regard(character, who),
        "gossip": sharing.level(character),
    }
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


def _noted(turn: Any, entries: list[records.Entry]) -> Iterator[Shareable]:
    """Yield what the journal has, newest first, without this moment."""
    now = {event.id for event in turn.events}
    for entry in entries:
        # What it concluded itself is hearsay of nobody's.
        if entry.event_id not in now and reflection_rules.may_be_told(entry):
            yield sharing.of_entry(entry)


def _said(turn: Any, character: Any, entries: list[records.Entry]) -> Iterator[Shareable]:
    """Yield what was said and not noted, newest first; what guests say goes when they go."""
    skipped = {one.id for one in turn.events} | {entry.event_id for entry in entries} - {""}
    guests = assistant.guests(turn.script)
    for line in reversed(working_memory.all_lines(character)):
        asked = line.text.rstrip().endswith("?")
        heard = line.kind in records.SPOKEN and not line.mine and line.said_by not in guests
        if heard and not asked and line.event_id not in skipped:
            source = "direct" if line.kind in records.PRIVATE else OVERHEARD
            yield Shareable(
                text=line.text,
                by=line.name,
                timestamp=line.timestamp,
                trust=SOURCE_TRUST[source],
                tags=[line.kind, *([gossip.SECRET_TAG] if line.secret else [])],
                audience=line.audience,
                source_type=source,
                source_id=line.said_by,
                event_id=line.event_id,
                chain=[],
                entry_id=0,
                origins=line.origins,
            )


@inlineCallbacks
def _long_term(turn: Any, about: str, listener: Any):
    """Return what long-term memory has that somebody may be told, as far as its audience says."""
    who = identity.perceived(turn.character, listener)
    regard = sharing.regard(turn.character, who)
    tells_on = gossip.tells_on(sharing.level(turn.character), regard=regard)
    try:
        memory = get_memory()
        found = yield memory.search(
            about,
            assistant_key=identity.identity_of(turn.character),
            # Before nobody everything may be said.
            hearers=frozenset() if tells_on else frozenset({who}),
            limit=LIMIT,
            names=[turn.name_of(turn.character)],
        )
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        memory_thread.warn(f"{turn.character} could not search its memory", error)
        return []
    relevant = memory.scale.get("relevant", 0.0)
    return [_remembered(item, is_like=item.cosine >= relevant) for item in found]


def _remembered(item: long_term.Memory, *, is_like: bool) -> Shareable:
    source = item.source_type or ("direct" if item.speaker else "inference")
    return Shareable(
        text=item.text,
        by=item.speaker if is_claim(source, item.tags) else "",
        timestamp=item.timestamp,
        trust=SOURCE_TRUST["inference"] if item.trust is None else item.trust,
        importance=item.metadata.get("importance") or facts.UNKNOWN_IMPORTANCE,
        tags=item.tags,
        audience=item.audience,
        source_type=source if source in SOURCE_TRUST else "inference",
        source_id=item.source_id,
        event_id=item.metadata.get("event_id") or "",
        chain=item.chain,
        entry_id=item.entry_id,
        origins=item.origins,
        likeness=item.score if is_like else 0.0,
    )
