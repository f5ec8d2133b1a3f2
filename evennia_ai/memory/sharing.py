"""Gossip that an NPC shares: its words, how much it shares, with whom, and that it did (for `gossip_tools` and `life/news`)."""

from __future__ import annotations

from django.utils.translation import gettext as _
from evennia.typeclasses.models import TypedObject

from evennia_ai import conf, scheduling
from evennia_ai.core import records
from evennia_ai.core.records import Entry
from evennia_ai.core.talk import is_claim
from evennia_ai.domain.memories import gossip, relationship
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings

# Characters of what is passed on in one breath.
SHARED_LENGTH = 400


class Shareable(Remembered, frozen=True, kw_only=True):
    """A memory that may be shared: how it was learned, from whom and through whom."""

    source_type: str
    source_id: str
    tags: list[str]
    chain: list[gossip.Teller]
    # Its entry of the journal, if it is one.
    entry_id: int


def of_entry(entry: Entry) -> Shareable:
    """Return an entry of the journal as what may be passed on."""
    return Shareable(
        text=entry.content,
        by=entry.source_entity if is_claim(entry.source_type, entry.tags) else "",
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
        origins=entry.origins,
    )


def hearsay(memory: Shareable) -> Hearsay:
    """Return what is passed on of a memory, with whom it came through, the last teller included."""
    is_theirs = memory.by or memory.source_type == "inference"
    teller = memory.source_id if is_theirs else ""
    chain = gossip.lengthened(memory.chain, identity=teller, name=memory.by)
    text = reply.printable(memory.text, max_length=SHARED_LENGTH)
    return Hearsay(text, memory.trust, tuple(chain), sources=tuple(memory.origins))


def worded(memory: Shareable, text: str) -> str:
    """Return the words in which something is passed on."""
    return _('{name} told me: "{words}"').format(name=memory.by, words=text) if memory.by else text


def level(character: TypedObject) -> str:
    """Return how much an assistant shares."""
    return gossip.level(npc_settings.gossip(character) or conf.get("GOSSIP"))


def regard(character: TypedObject, who: str) -> str:
    """Return the state of an assistant's relationship with somebody."""
    profile = entity_profiles.find_profile(character, who) if who else None
    return profile.relationship.state if profile else relationship.STRANGER


def note_told(
    character: TypedObject, listener: TypedObject, memory: Shareable, *, name: str
) -> Entry:
    """Note in the journal to whom, by `name`, it was told, and return the entry: they may know it from now on."""
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
        name=name,
        timestamp=records.format_time(scheduling.now()),
    )
    if changes["audience"] != entry.audience:
        # What long-term memory has of it is for fewer ears; if that stays so, sleep puts it right.
        changes["consolidated"] = False
    return journal.edit_entry(character, entry.id, **changes) or entry
