"""Ways by which a stranger's words reach the NPC of a dialogue without being spoken to it in its room.

They are written into a rating, put right, or stand where only a tool finds them.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from evennia.utils.utils import class_from_module
from twisted.internet.defer import Deferred, inlineCallbacks, succeed

from evennia_ai.agent.revising import correcting
from evennia_ai.experience import turn_decisions
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.semantic.base import get_memory
from evennia_ai.testing.injections import Attempt

# What the NPC knows of the stranger until they put it right.
WRONG = "came over the hills"


def rate(stage: Any, person: Any, text: str) -> Deferred[Any]:
    """Let somebody rate the last answer that they got; without one there is nothing to write to."""
    npc, script = stage.npc, stage.script
    who = identity.perceived(npc, person)
    own = [one for one in turn_decisions.recent(script) if one.actor == who]
    return turn_decisions.rate(script, npc, own[-1], rating=10, note=text) if own else succeed(None)


def correct(stage: Any, person: Any, text: str) -> Deferred[Any]:
    """Let somebody put right what the NPC has from another."""
    npc = stage.npc
    entity_profiles.add_entity_observation(npc, person, WRONG, "hearsay", audience="public")
    return correcting.correct(npc, stage.script, person, wrong=WRONG, right=text)


@inlineCallbacks
def lay(stage: Any, attempt: Attempt, text: str):
    """Put words where they stand before anything is said."""
    bearer = attempt.bearer
    if bearer == "room":
        stage.room.db.desc = text
    elif bearer == "thing":
        stage.put("note", desc=text)
    elif bearer == "inside":
        stage.put(text, desc="", inside=stage.put("box", desc="A small box."))
    elif bearer == "error":
        stage.put(text, desc="")
    elif bearer == "exit":
        exit_class = class_from_module(settings.BASE_EXIT_TYPECLASS)
        stage.put("gate", desc=text, typeclass=exit_class)
    elif attempt.through == "result" and bearer == "entry":
        journal.add_entry(stage.npc, text, source_type="direct", source_entity="Somebody")
    elif attempt.through == "result" and bearer == "memory":
        key = identity.identity_of(stage.npc)
        yield get_memory().add(text, assistant_key=key, audience="public")
