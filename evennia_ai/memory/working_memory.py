"""Working memory: recent conversations, one Attribute per person, so that a crowd costs no more than one.

A conversation is a `core.Conversation`; what is returned is detached. Where no audience is
said, only the two who talk may know. A line of kind "summary" stands for older ones:
nobody said it in these words, and it is kept however many lines are added.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core import volatile
from evennia_ai.core.records import GAME, Audience, Entry, Source, age_seconds, format_time, united
from evennia_ai.core.talk import Conversation, LeftOpen, Line, PendingAction
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import confidence
from evennia_ai.domain.memories import conversation as talk
from evennia_ai.domain.sleeping import compaction_rules
from evennia_ai.memory import identity, kinds, repository

# Lines of one conversation that are kept word for word.
CONVERSATION_LINES = 60
# Days after which an assistant no longer means to do what it meant to do for somebody.
PENDING_DAYS = 14
# An object, a dbref such as "#123" or an identity.
Entity: TypeAlias = "TypedObject | str"

ROLES = ("user", "assistant")

# Pending actions for one person; beyond it the least pressing of the oldest is let go.
PENDING_LIMIT = 20
# From here on what it means to do for a stranger keeps them in mind, when it must make way for others.
PRESSING = 3


# With whom it talked since `take_grown` was last asked; after a restart the next line tells.
_grown = volatile.of_assistants(set[str])


def add_line(npc: TypedObject, entity: Entity, line: Line) -> bool:
    """Remember one line that `entity` said, or that the assistant said to them.

    Return whether nothing was kept of them before.
    """
    key = _key(npc, entity)
    kept = _begun(npc, key, line.timestamp)
    line = structs.replace(line, secret=line.secret or confidence.is_asked(line.text))
    messages = talk.newest_lines([*kept.messages, line], CONVERSATION_LINES)
    _save(npc, key, structs.replace(kept, messages=messages, last_message=line.timestamp))
    _grown.setdefault(npc.id, set()).add(key)
    return len(messages) == 1


def own_line(
    npc: TypedObject,
    kind: str,
    text: str,
    *,
    name: str,
    audience: Audience,
    sources: Iterable[Source],
    by_rules: bool = False,
) -> Line:
    """Return what the assistant itself says now as a line of conversation, and what it made that of."""
    return Line(
        said_by=identity.identity_of(npc),
        audience=audience,
        role="assistant",
        text=text,
        name=name,
        kind=kind,
        timestamp=_text(None),
        event_id="",
        by_rules=by_rules,
        sources=united(sources),
    )


def start_conversation(
    character: TypedObject,
    entity_id: Entity,
    topic: str,
    *,
    audience: Audience | None = None,
    sources: Iterable[Source] = (),
    now: datetime | None = None,
) -> Conversation:
    """Begin a conversation with somebody, or take it up again, about `topic`; return it.

    An empty topic leaves that of a conversation which is taken up again.
    """
    key, moment = _key(character, entity_id), _text(now)
    kept = structs.replace(_begun(character, key, moment), last_message=moment)
    if topic:
        known = _known_to(character, key, audience)
        kept = structs.replace(
            kept, topic=topic, topic_audience=known, topic_sources=united(sources)
        )
    _save(character, key, kept)
    return kept


def add_conversation_message(
    character: TypedObject,
    entity_id: Entity,
    content: str,
    role: str,
    *,
    audience: Audience | None = None,
    name: str = "",
    now: datetime | None = None,
) -> None:
    """Remember what was said in a conversation: by the other ("user") or by the assistant."""
    if role not in ROLES:
        raise ValueError(f"A role is one of {', '.join(ROLES)}, not {role!r}.")
    key, mine = _key(character, entity_id), role == "assistant"
    line = Line(
        said_by=identity.identity_of(character) if mine else key,
        audience=_known_to(character, key, audience),
        role=role,
        text=content,
        name=name or (character.key if mine else _name_in(character, key)),
        kind="say",
        timestamp=_text(now),
        event_id="",
        sources=[Source(GAME)] if mine else [],
    )
    add_line(character, key, line)


def add_pending_action(
    character: TypedObject,
    entity_id: Entity,
    action: str,
    priority: int,
    *,
    audience: Audience | None = None,
    sources: Iterable[Source] = (),
    now: datetime | None = None,
) -> PendingAction:
    """Keep in mind something to do for somebody, and return it; a higher priority presses more.

    Without `sources` it is the game's own.
    """
    key, moment = _key(character, entity_id), _text(now)
    known = _known_to(character, key, audience)
    pending = PendingAction(
        action=action,
        priority=priority,
        created=moment,
        audience=known,
        sources=united(sources) or [Source(GAME, "", known)],
    )
    kept = _begun(character, key, moment)
    actions = [*kept.pending_actions, pending]
    while len(actions) > PENDING_LIMIT:
        actions.remove(min(actions, key=lambda one: one.priority))
    _save(character, key, structs.replace(kept, pending_actions=actions))
    return pending


def finish_pending_action(
    character: TypedObject, entity_id: Entity, action: str
) -> list[PendingAction]:
    """Let go of what was to be done for somebody, by its words, and return it; [] if it is not there."""
    kept = get_conversation_context(character, entity_id)
    wanted = _folded(action)
    found = [one for one in kept.pending_actions if _folded(one.action) == wanted] if kept else []
    if kept is None or not found:
        return []
    left = [one for one in kept.pending_actions if one not in found]
    _save(character, _key(character, entity_id), structs.replace(kept, pending_actions=left))
    return found


def still_pending(kept: Conversation) -> list[PendingAction]:
    """Return what there is to do in a conversation, what presses most first; after PENDING_DAYS it is over."""
    seconds = PENDING_DAYS * 86_400
    fresh = [
        one
        for one in kept.pending_actions
        if age_seconds(one.created, now=scheduling.now()) <= seconds
    ]
    return sorted(fresh, key=lambda one: -one.priority)


def remove_conversation(character: TypedObject, entity_id: Entity) -> None:
    """Forget the conversation with somebody."""
    repository.remove(character, kinds.CONVERSATIONS, _key(character, entity_id))


def replace_lines(npc: TypedObject, entity: Entity, compacted: list[Line], summary: Line) -> bool:
    """Put a summary in the place of messages; False if none of them is there any more.

    What was added since they were read stays.
    """
    kept = get_conversation_context(npc, entity)
    messages = kept and compaction_rules.replaced(kept.messages, compacted, summary)
    if not kept or not messages:
        return False
    _save(npc, _key(npc, entity), structs.replace(kept, messages=messages))
    return True


def mark_extracted(npc: TypedObject, entity: Entity, messages: list[Line]) -> bool:
    """Note that the journal has what these messages tell; False if none of them is there any more."""
    kept = get_conversation_context(npc, entity)
    done = set(map(compaction_rules.key_of, messages))
    if kept is None or done.isdisjoint(map(compaction_rules.key_of, kept.messages)):
        return False
    marked = [
        structs.replace(line, extracted=True) if compaction_rules.key_of(line) in done else line
        for line in kept.messages
    ]
    _save(npc, _key(npc, entity), structs.replace(kept, messages=marked))
    return True


def reword(npc: TypedObject, entity: Entity, *, old: str, new: str, known: Audience) -> list[str]:
    """Let lines of somebody, and promises, say `new`, `known` to some, for `old`; return what the lines were."""
    key = _key(npc, entity)
    kept = get_conversation_context(npc, key)
    if kept is None:
        return []
    changed = talk.reworded(kept, old=old, new=new, known=known)
    if changed == kept:
        return []
    _save(npc, key, changed)
    pairs = zip(kept.messages, changed.messages, strict=True)
    return [one.text for one, right in pairs if one is not right]


def take_grown(npc: TypedObject) -> set[str]:
    """Return with whom the assistant talked since it was last asked, and begin anew."""
    return _grown.pop(npc.id, set())


def conversations(npc: TypedObject) -> dict[str, Conversation]:
    """Return all conversations by the identity of the other, in one query."""
    return repository.load_all(npc, kinds.CONVERSATIONS)


def get_conversation_context(npc: TypedObject, entity: Entity) -> Conversation | None:
    """Return the whole conversation with somebody, or None if there is none."""
    key = _key(npc, entity)
    return repository.load(npc, kinds.CONVERSATIONS, key) if key else None


def tellable_context(
    character: TypedObject, entity_id: Entity, *, hearers: Iterable[str], limit: int | None = None
) -> tuple[Conversation, Audience] | None:
    """Return what of a conversation all these hearers may know, or None if there is none.

    Of its lines, the last `limit`. With it comes who may know all of what is returned.
    """
    kept = get_conversation_context(character, entity_id)
    if kept is None:
        return None
    listening = set(hearers)
    messages = audiences.select_tellable(kept.messages, listening)
    told = structs.replace(
        kept,
        topic=kept.topic if audiences.may_know(kept.topic_audience, listening) else "",
        messages=messages if limit is None else talk.newest_lines(messages, limit),
        pending_actions=audiences.select_tellable(still_pending(kept), listening),
        context=LeftOpen(),
    )
    parts = (*told.messages, *told.pending_actions)
    left = [one.audience for one in parts]
    if told.topic:
        left.append(told.topic_audience)
    return told, audiences.intersection(left)


def lines_with(npc: TypedObject, entity: Entity) -> list[Line]:
    """Return the lines exchanged with somebody, oldest first."""
    kept = get_conversation_context(npc, entity)
    return kept.messages if kept else []


def answered_question(npc: TypedObject, entry: Entry, *, among: Iterable[str] = ()) -> Line | None:
    """Return the question that an entry of the journal answers, while the conversation is kept.

    It was asked by the assistant, or by one of those who spoke (`among`, by identity, read only if the line of
    the entry is kept). Whoever may know the entry may know it.
    """
    if not (entry.event_id and entry.said_by):
        return None
    own = lines_with(npc, entry.said_by)
    if all(line.event_id != entry.event_id for line in own):
        return None
    talks = (lines_with(npc, who) for who in sorted({*among, entry.said_by}))
    return talk.question_before(talk.merged(talks), entry.event_id, audience=entry.audience)


def all_lines(npc: TypedObject) -> list[Line]:
    """Return the lines exchanged with everybody, oldest first."""
    lines = [line for kept in conversations(npc).values() for line in kept.messages]
    return sorted(lines, key=lambda line: line.timestamp)


def _begun(npc: TypedObject, key: str, now: str) -> Conversation:
    if not key:
        raise ValueError("Whoever has no identity cannot be remembered.")
    return get_conversation_context(npc, key) or Conversation(
        topic="",
        started=now,
        last_message=now,
        messages=[],
        pending_actions=[],
        context=LeftOpen(),
    )


def _save(npc: TypedObject, key: str, kept: Conversation) -> None:
    repository.save(npc, kinds.CONVERSATIONS, kept, key)


def _key(npc: TypedObject, entity: Entity) -> str:
    return identity.known_as(npc, entity)


def _known_to(npc: TypedObject, entity: Entity, audience: Audience | None) -> Audience:
    return sorted({_key(npc, entity), identity.identity_of(npc)}) if audience is None else audience


def _name_in(npc: TypedObject, entity: Entity) -> str:
    names = [line.name for line in lines_with(npc, entity) if not line.mine]
    return names[-1] if names else "Somebody"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")


def _text(now: datetime | None) -> str:
    return format_time(now or scheduling.now())
