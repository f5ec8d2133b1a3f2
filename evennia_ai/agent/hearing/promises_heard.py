"""Promises of players, as they make them and as they keep them; `memory/people/promised` does the rest."""

from __future__ import annotations

from typing import Any

from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.core import languages, records
from evennia_ai.core.records import Event
from evennia_ai.core.talk import Expected
from evennia_ai.domain.memories import promises
from evennia_ai.domain.offline import utterances
from evennia_ai.experience import rewarding
from evennia_ai.memory import identity, lookup, routine, working_memory
from evennia_ai.memory.people import accounts, promised


def note(npc: Any, event: Event) -> None:
    """Note what somebody promises an NPC in words that are meant for it; what they let slip is broken by now."""
    if event.kind not in records.SPOKEN or not event.addressed or event.channel:
        return
    actor = lookup.object_by_id(event.actor_id)
    if actor is None or presence.is_mind(actor) or accounts.is_passing(actor):
        return
    for one in promised.break_overdue(npc, event.said_by, event.actor_name):
        rewarding.reward_promise(lookup.mind_of(npc), npc, one, event.said_by, is_kept=False)
    with languages.reading(promised.language(npc)):
        words = utterances.without_call(event.text, names=[npc.key, *npc.key.split()])
        for action in promises.made_to(words):
            days = promises.days_until(action)
            working_memory.add_expected(
                npc,
                event.said_by,
                Expected(
                    action=action,
                    created=event.timestamp,
                    due_day=routine.now()[0] + days if days is not None else None,
                    is_brought=promises.is_brought(action),
                    audience=event.audience,
                ),
            )


def receive(npc: Any, giver: Any, called: str) -> None:
    """Take what somebody gives an NPC for what they promised to bring, if it is called so."""
    if not npc.pk or not giver.pk or accounts.is_passing(giver):
        return
    who = identity.perceived(npc, giver)
    with languages.reading(promised.language(npc)):
        brought = [one for one in promised.expected(npc, who) if promises.names(one.action, called)]
    if brought:
        promised.settle(npc, who, speech.name_of(giver, npc), brought[0], is_kept=True)
        rewarding.reward_promise(lookup.mind_of(npc), npc, brought[0], who, is_kept=True)
