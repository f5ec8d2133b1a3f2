"""Tools for people: recall them, note things, like them more or less.

Somebody is named as the assistant sees them, or as it knows them from before. What is shown has
been cut down to what everybody in earshot may know, and what is noted may be known to no more
people than what it was drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import structs

from evennia_ai import conf, prompts
from evennia_ai.core.records import (
    SPOKEN,
    EntityAttribute,
    Observation,
    Profile,
    audience_from,
    united,
)
from evennia_ai.core.talk import POSE
from evennia_ai.domain import audience
from evennia_ai.domain.memories import profile, promises
from evennia_ai.domain.model_text.quotation import quote, word
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import identity, journal, persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, reflection_state
from evennia_ai.tools import self_tools, world
from evennia_ai.tools.base import Tool, ToolCategory, quoted

# Observations and lines of conversation that one result shows, the newest.
SHOWN = 10
# Priorities of pending actions, as those of events.
LOWEST, HIGHEST = 1, 10
# From here down, what was observed is shown as hearsay.
DOUBTFUL = profile.HEARSAY_TRUST

WHO = "Who or what, by the name that you know."


@dataclass(frozen=True)
class Entity:
    """Whom a name means: `reference` is the object, if it is there, else the identity."""

    identity: str
    name: str
    reference: Any


def entity_named(turn: Any, name: str) -> Entity:
    """Return whom the assistant means by a name; raises ToolError if that is nobody or several.

    Whoever it speaks with goes first, then who bears exactly this name, then who is seen by a
    part of it.
    """
    npc, event = world.body_of(turn), turn.event
    wanted = _folded(name)
    if not wanted:
        raise ToolError("Say who is meant.")
    if event.said_by and wanted == _folded(event.name):
        return Entity(event.said_by, event.actor_name, turn.speaker or event.said_by)
    try:
        seen = turn.find(name)
    except ToolError:
        known = _known(npc, name)
        if known is None:
            raise
        return known
    if _folded(turn.name_of(seen)) != wanted and (known := _known(npc, name)):
        return known
    return Entity(identity.perceived(npc, seen), turn.name_of(seen), seen)


def _known(npc: Any, name: str) -> Entity | None:
    found = entity_profiles.find_by_name(npc, name)
    if len(found) > 1:
        raise ToolError(
            f"You know {len(found)} who are called {quoted(name)}; none of them is here."
        )
    if not found:
        return None
    known = entity_profiles.find_profile(npc, found[0])
    return Entity(found[0], known.name if known else name, found[0])


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


class RecallEntityProfile(Tool):
    """Recall what you know of somebody."""

    name = "recall_entity_profile"
    brief = True
    category = ToolCategory.SAFE_CHAIN

    def execute(self, turn, entity_id: Annotated[str, WHO]):
        entity = entity_named(turn, entity_id)
        known = entity_profiles.find_profile(turn.character, entity.identity)
        if known is None:
            return f"You know nothing of {quote(entity.name)}."
        told = profile.select_tellable(known, turn.hearers)
        told = structs.replace(told, observations=told.observations[-SHOWN:])
        for one in (*told.attributes, *told.observations):
            turn.include(one)
        lines = [f"{quote(entity.name)} ({word(told.entity_type)}): to you, {_regard(told)}."]
        lines += [
            f"- {word(fact.type)}{_claimed(fact, entity)}: {quote(fact.value)}"
            for fact in told.attributes
        ]
        lines += [_noticed(one, entity) for one in reversed(told.observations)]
        return "\n".join(lines)


def _regard(known: Profile) -> str:
    state = known.relationship.state
    return f"{'an' if state[:1] in 'aeiou' else 'a'} {word(state)}"


def _claimed(known: EntityAttribute | Observation, entity: Entity) -> str:
    return " (as they say)" if profile.is_claim(known, entity.identity) else ""


def _noticed(noticed: Observation, entity: Entity) -> str:
    doubt = " (not certain)" if noticed.source_trust <= DOUBTFUL else ""
    mark = doubt or _claimed(noticed, entity)
    return f"- {noticed.timestamp[:10]}{mark}: {quote(noticed.content)}"


class UpdateEntityObservation(Tool):
    """Note something about somebody or something, such as what they like or what they did."""

    name = "update_entity_observation"
    shown = False
    keeps = True
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        entity_id: Annotated[str, WHO],
        content: Annotated[str, "What you noticed, in one sentence."],
        source: Annotated[
            Literal["direct", "inferred", "told"],
            "direct: seen or heard from themselves; inferred: you conclude it; told: by others.",
        ] = "direct",
    ):
        if not content.strip():
            raise ToolError("content must say what you noticed.")
        entity, event = entity_named(turn, entity_id), turn.event
        teller = event.said_by if event.kind in (*SPOKEN, POSE) else ""
        if source == "told" and not teller:
            # Whoever told it is not to be seen any more.
            source = "hearsay"
        entity_profiles.add_entity_observation(
            turn.character,
            entity.reference,
            content,
            source,
            audience=audience.PUBLIC,
            told_by=teller,
            event_id=event.id,
            sources=turn.origins(),
        )
        return f"Noted about {quote(entity.name)}."


class UpdateRelationship(Tool):
    """Like somebody more or less: delta is from -0.1 to 0.1."""

    name = "update_relationship"
    brief = True
    keeps = True
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        entity_id: Annotated[str, WHO],
        delta: Annotated[float, "From -0.1 (worse) to 0.1 (better)."],
        reason: Annotated[str, "Why, in a few words."] = "",
    ):
        limit = conf.get("FAVORABILITY")["call"]
        if not -limit <= delta <= limit:
            raise ToolError(f"delta must be between -{limit} and {limit}, not {delta}.")
        entity = entity_named(turn, entity_id)
        known = entity_profiles.find_profile(turn.character, entity.reference)
        before = known.relationship.favorability if known else 0.0
        change = entity_profiles.update_relationship(
            turn.character,
            entity.reference,
            delta,
            reason.strip() or None,
            sources=turn.origins(),
        )
        name = quote(entity.name)
        if change["state_changed"]:
            return f"You now regard {name} as: {change['new_state']}."
        if change["favorability"] == before:
            return f"You like {name} as before: feelings do not change further in one day."
        more = change["favorability"] > before
        return f"You like {name} a little {'more' if more else 'less'} now."


class StartEntityConversation(Tool):
    """Begin a conversation with somebody, or take it up again, and keep its topic in mind."""

    name = "start_entity_conversation"
    keeps = True
    category = ToolCategory.SAFE_CHAIN
    for_talk = False

    def execute(
        self,
        turn,
        entity_id: Annotated[str, WHO],
        topic: Annotated[str, "What it is about, in a few words."] = "",
    ):
        entity = entity_named(turn, entity_id)
        before = working_memory.get_conversation_context(turn.character, entity.identity)
        working_memory.start_conversation(
            turn.character,
            entity.identity,
            topic.strip(),
            audience=audience_from(turn.origins()),
            sources=turn.origins(),
        )
        begun = "take up your conversation" if before else "begin a conversation"
        about = f" about {quoted(topic)}" if topic.strip() else ""
        return f"You {begun} with {quote(entity.name)}{about}."


class RecallConversationContext(Tool):
    """Recall your conversation with somebody: its topic, the last words, what you meant to do."""

    name = "recall_conversation_context"
    category = ToolCategory.SAFE_CHAIN
    for_talk = False

    def execute(self, turn, entity_id: Annotated[str, WHO]):
        entity = entity_named(turn, entity_id)
        # The newest lines are chosen among those that may be told, not the other way about.
        told = working_memory.tellable_context(
            turn.character, entity.identity, hearers=turn.hearers, limit=SHOWN
        )
        if told is None:
            return f"You are in no conversation with {quote(entity.name)}."
        kept, known = told
        told_parts = (*kept.messages, *kept.pending_actions)
        turn.include(known, (source for one in told_parts for source in one.origins))
        lines = [f"Topic: {quote(kept.topic)}."] if kept.topic else []
        lines += [
            prompts.conversation_line(
                name=line.name,
                text=line.text,
                kind=line.kind,
                mine=line.mine,
                overheard=line.overheard,
                is_quoted=True,
            )
            for line in kept.messages
        ]
        lines += [
            f"You meant to: {quote(pending.action)} (priority {pending.priority})."
            for pending in sorted(kept.pending_actions, key=lambda one: -one.priority)
        ]
        return "\n".join([f"Your conversation with {quote(entity.name)}:", *lines])


class AddPendingAction(Tool):
    """Keep in mind what you promise somebody, to be reminded in some minutes."""

    name = "add_pending_action"
    brief = True
    left_out = ("priority",)
    keeps = True
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        entity_id: Annotated[str, WHO],
        action: Annotated[str, "What you mean to do."],
        minutes: Annotated[int, "In how many minutes to be reminded; 0 is never."] = 0,
        priority: Annotated[int, "From 1 (some time) to 10 (at once)."] = 5,
    ):
        if not action.strip():
            raise ToolError("action must say what you mean to do.")
        if not LOWEST <= priority <= HIGHEST:
            raise ToolError(f"priority must be between {LOWEST} and {HIGHEST}, not {priority}.")
        entity = entity_named(turn, entity_id)
        kept = working_memory.get_conversation_context(turn.character, entity.identity)
        is_full = kept is not None and len(kept.pending_actions) >= working_memory.PENDING_LIMIT
        if is_full and entity.identity != turn.event.said_by:
            # What presses least would go: nobody pushes out what was promised to somebody else.
            raise ToolError(f"You already mean to do enough for {quote(entity.name)}.")
        if minutes:
            self_tools.remind(turn, minutes, action)
        working_memory.add_pending_action(
            turn.character,
            entity.identity,
            action.strip(),
            priority,
            audience=audience.PUBLIC,
            sources=turn.origins(),
        )
        when = f" You will be reminded in {minutes} minutes." if minutes else ""
        return f"You keep in mind, for {quote(entity.name)}: {quoted(action)}.{when}"


class FinishPendingAction(Tool):
    """Strike out a promise of yours, or of theirs: it is done, or given up."""

    name = "finish_pending_action"
    brief = True
    keeps = True
    category = ToolCategory.SAFE_CHAIN
    allowed_if = "it means to do something for whom it speaks with"

    def allowed(self, turn):
        kept = self._kept(turn)
        meant = working_memory.still_pending(kept) if kept else []
        return bool(audience.select_tellable(meant, turn.hearers)) or conf.get("ALL_TOOLS")

    def execute(
        self,
        turn,
        action: Annotated[str, "What you meant to do for whom you speak with, as shown."],
        given_up: Annotated[bool, "You have not done it, and will not."] = False,
    ):
        # Nobody strikes out what was promised to somebody else.
        done = working_memory.finish_pending_action(turn.character, turn.event.said_by, action)
        if not done and (meant := self._shortened(turn, action)):
            done = working_memory.finish_pending_action(turn.character, turn.event.said_by, meant)
        if not done:
            raise ToolError(f"You did not mean to do {quoted(action)} for whom you speak with.")
        assistant.drop_reminders(turn.script, turn.event.said_by, done[0].action)
        if turn.may_keep():
            text = promises.note(
                promises.GIVEN_UP if given_up else promises.KEPT,
                npc=turn.name,
                name=turn.event.actor_name,
                action=done[0].action,
                language=persona.language_of(persona.load_persona(turn.character)["language"])[0],
            )
            made_of = united(*(one.origins for one in done))
            entry = journal.add_entry(turn.character, text, tags=[promises.TAG], sources=made_of)
            reflection_state.note_entry(turn.script, entry)
        return f"You no longer have that to do: {quoted(action)}."

    def _shortened(self, turn, action):
        """Return what alone it still means to do that these words say in fewer; "" if that is nothing or several."""
        kept = self._kept(turn)
        meant = working_memory.still_pending(kept) if kept else []
        tellable = audience.select_tellable(meant, turn.hearers)
        like = [one.action for one in tellable if promises.is_shorter(action, one.action)]
        return like[0] if len(like) == 1 else ""

    @staticmethod
    def _kept(turn):
        who = turn.event.said_by
        return working_memory.get_conversation_context(turn.character, who) if who else None
