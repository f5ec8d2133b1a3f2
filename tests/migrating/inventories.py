"""All that the minds of a game keep, and what is not theirs, as plain data: read in one place.

`python -m tests.migrating.inventories <file>`, in the directory of a game that is down, writes it as JSON.
Reading may change what is there (a flat journal becomes pages, a copy forgets): read a copy of it.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec

from tests.migrating.old_names import CATEGORIES, IDENTITY, ON_A_BODY, ON_A_MIND, OUR_TYPE, PULSE

ALL = 10**6


def open_game(moment):
    """Make Evennia usable on the game in the current directory, at that time of its day."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.settings"
    import django

    django.setup()
    import evennia

    evennia._init()
    from django.conf import settings
    from django.db import connection

    for pragma in settings.SQLITE3_PRAGMAS if connection.vendor == "sqlite" else ():
        connection.cursor().execute(pragma)
    stop_clock(moment)


def stop_clock(moment):
    """Let it be that moment, and all work be done where it is asked for."""
    from twisted.internet.task import Clock

    from evennia_ai import scheduling
    from evennia_ai.semantic import memory_thread

    clock = Clock()
    clock.rightNow = float(moment)
    scheduling.set_clock(clock)
    memory_thread.set_worker(memory_thread.InlineWorker())


def done(deferred):
    """Return what a Deferred fires with, once its slices are done."""
    from evennia_ai import scheduling

    found = []
    deferred.addBoth(found.append)
    while not found:
        scheduling.clock().advance(0)
    if hasattr(found[0], "raiseException"):
        found[0].raiseException()
    return found[0]


def read_inventory():
    """Return all of it; people and things are called by their numbers, as in "#12"."""
    from evennia.objects.models import ObjectDB

    from evennia_ai import scheduling
    from evennia_ai.typeclasses import scripts

    objects = list(ObjectDB.objects.order_by("id"))
    # Asked before anything is read: a copy becomes somebody of its own when it is first asked.
    identities = {obj: _identity(obj) for obj in objects}
    asked = {obj: whose for obj, whose in identities.items() if whose is not None}
    minds = {obj: mind for obj in objects if (mind := scripts.find(obj)) is not None}
    remembering = [obj for obj in objects if obj in minds or (obj in asked and _remembers(obj))]
    found = {
        "moment": scheduling.clock().seconds(),
        "identities": {f"#{obj.id}": whose for obj, whose in asked.items()},
        "bodies": {f"#{obj.id}": _body(obj, asked.get(obj)) for obj in remembering},
        "minds": {
            f"#{obj.id}": {**_mind(mind), **_known_for_good(obj, mind)}
            for obj, mind in minds.items()
        },
        "spare_minds": {f"#{mind.id}": _mind(mind) for mind in _all_minds() - {*minds.values()}},
        "server": _server(),
        "game": _game(objects, bodies=set(remembering)),
    }
    return plain(found)


def plain(value):
    """Return a value as JSON has it; what JSON has not, as Python writes it."""
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if isinstance(value, Mapping):
        return {one if isinstance(one, str) else repr(one): plain(value[one]) for one in value}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [plain(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


def _identity(obj):
    """Return the identity that was given to an object, or None."""
    from evennia_ai.memory import identity

    return identity.identity_of(obj) if identity.has_own(obj) else None


def _remembers(obj):
    from evennia_ai.memory import working_memory
    from evennia_ai.memory.people import entity_profiles

    return entity_profiles.known_identities(obj) or working_memory.conversations(obj)


def _body(npc, whose):
    """Return what lies on the body of an assistant."""
    from evennia_ai.domain.memories import page_counts
    from evennia_ai.memory import (
        journal,
        journal_pages,
        kinds,
        persona,
        repository,
        working_memory,
    )
    from evennia_ai.memory.people import entity_backlog, entity_profiles
    from evennia_ai.memory.state import npc_settings
    from evennia_ai.memory.storage import pages

    return {
        "key": npc.key,
        "identity": whose,
        "journal": journal.journal(npc),
        "journal_size": journal.size(npc),
        "journal_evicted": journal_pages.load_head(npc).evicted,
        "journal_kinds": {kind: journal.count(npc, kind) for kind in page_counts.KINDS},
        "profiles": pages.plain(entity_profiles.all_profiles(npc)),
        "names": entity_profiles.known_names(npc),
        "ripe": entity_backlog.ripe(npc),
        "noticed_until": entity_backlog.noticed_until(npc),
        "conversations": working_memory.conversations(npc),
        "persona": persona.load_persona(npc),
        "lore": persona.load_lore(npc),
        "seeded": repository.load(npc, kinds.SEEDED),
        "unfinished": repository.load(npc, kinds.UNFINISHED),
        "converted": repository.load(npc, kinds.CONVERTED),
        "settings": {
            "allowed_commands": npc_settings.allowed_commands(npc),
            "experience_scope": npc_settings.experience_scope(npc),
            **(repository.load(npc, kinds.SETTINGS) or {}),
        },
    }


def _all_minds():
    from evennia_ai.typeclasses.scripts import AssistantScript

    return set(AssistantScript.objects.all_family())


def _known_for_good(npc, script):
    """Return what does not lie in Attributes: it is found by what does."""
    from evennia_ai.experience.base import experience_of
    from evennia_ai.semantic.base import get_memory

    memories = get_memory().get_all(assistant_key=script.assistant_key, limit=ALL)
    return {
        "memories": msgspec.to_builtins(done(memories)),
        "experience": done(experience_of(script, npc).dump()),
    }


def _mind(script):
    """Return what a mind itself keeps."""
    from evennia_ai.experience import turn_decisions
    from evennia_ai.memory import kinds, links, repository
    from evennia_ai.memory.state import active_assistants, assistant, kept_goals, reflection_state
    from evennia_ai.memory.storage import pages
    from evennia_ai.sleep import sleep_cycle, summaries

    return {
        "id": script.id,
        "assistant_key": script.assistant_key,
        "enabled": script.enabled,
        "is_on_the_roster": script.id in active_assistants.all_ids(),
        "tick_rate": sleep_cycle.tick_rate(script),
        "pending_events": assistant.pending_events(script),
        "reminders": assistant.reminders(script),
        "following": assistant.following(script),
        "followed_channels": assistant.followed_channels(script),
        "counters": assistant.counters(script),
        "guests": assistant.guests(script),
        "goals": kept_goals.goals(script),
        "projects": kept_goals.projects(script),
        "recent_decisions": turn_decisions.recent(script),
        "links": pages.plain(links.memory_links(script)),
        "links_progress": pages.plain(repository.load(script, kinds.LINKS_PROGRESS)) or {},
        "reflection": reflection_state.reflection_state(script),
        "compacting": summaries.settings(script),
        "night": _night(script),
    }


def _night(script):
    from evennia_ai.core.records import parse_time
    from evennia_ai.memory.state import sleep_state

    asked = """mode last_transition phase is_degraded ticks done failed_ticks tokens depth reason
        is_nap wake_at requested is_schedule_suspended activity own_schedule
        cooldown_until""".split()
    found = {name: getattr(sleep_state, name)(script) for name in asked}
    kept = sleep_state.kept(script)
    found["started_at"] = parse_time(kept.started_at) if kept.started_at else None
    # How many ticks in a row kept nothing: nothing but the next such tick reads it.
    return {**found, "stalled": kept.stalled_ticks}


def _server():
    """Return what is kept for the whole game."""
    from evennia_ai import models
    from evennia_ai.llm import caps
    from evennia_ai.memory.people import accounts
    from evennia_ai.memory.state import active_assistants, channels
    from tests import ledger_rows

    return {
        "opted_out": accounts._loaded(),
        "followers": {key: channels.followers(key) for key in sorted(channels.followed())},
        "active_assistants": {
            rate: active_assistants.members(rate) for rate in sorted(active_assistants.rates())
        },
        "is_halted": active_assistants.is_halted(),
        "caps": caps.set_in_game(),
        "budgets": list(models.Budget.objects.order_by("id").values()),
        "ledger": ledger_rows.recent(limit=ALL),
    }


def _game(objects, *, bodies):
    """Return what belongs to the game: every other Attribute and Tag, as they are stored."""
    from evennia.accounts.models import AccountDB
    from evennia.comms.models import ChannelDB
    from evennia.scripts.models import ScriptDB

    from evennia_ai.typeclasses.scripts import AssistantScript

    found = {}
    for one in objects:
        found[f"object #{one.id} {one.key}"] = _others(one, _is_of_a_body, one in bodies)
    for one in ScriptDB.objects.order_by("id"):
        is_mind = isinstance(one, AssistantScript)
        found[f"script #{one.id} {one.key}"] = _others(one, _is_of_a_mind, is_mind)
    for one in [*AccountDB.objects.order_by("id"), *ChannelDB.objects.order_by("id")]:
        found[f"{type(one).__name__} #{one.id} {one.key}"] = _others(one, _is_of_a_body, False)
    return found


def _others(holder, is_ours, is_of_a_mind):
    """Return the Attributes and Tags of something, without those that are ours."""
    rows = [
        [one.db_category, one.db_key, one.db_attrtype, one.db_value, one.db_strvalue, _lock(one)]
        for one in holder.db_attributes.all()
        if not is_ours(one, is_of_a_mind)
    ]
    tags = holder.db_tags.exclude(db_category=PULSE).exclude(db_tagtype__startswith=OUR_TYPE)
    return {
        "attributes": sorted(rows, key=lambda row: repr(row[:3])),
        "tags": sorted(
            map(list, tags.values_list("db_category", "db_key", "db_tagtype")), key=repr
        ),
    }


def _lock(attribute):
    return attribute.db_lock_storage


def _is_of_a_body(attribute, is_a_body):
    """Return whether an Attribute of an object is ours: that of its identity always is."""
    key, category = attribute.db_key, attribute.db_category
    if attribute.db_attrtype is not None:
        return _has_our_type(attribute)
    if is_a_body:
        return category in CATEGORIES or (category is None and key in ON_A_BODY)
    return (category, key) == IDENTITY


def _is_of_a_mind(attribute, is_a_mind):
    if attribute.db_attrtype is not None:
        return _has_our_type(attribute)
    category, is_named = attribute.db_category, attribute.db_key in ON_A_MIND
    return is_a_mind and (category in CATEGORIES or (category is None and is_named))


def _has_our_type(attribute):
    return attribute.db_attrtype.startswith(OUR_TYPE)


if __name__ == "__main__":
    from tests.migrating.first_version_game import inventory

    open_game(inventory()["moment"])
    Path(sys.argv[1]).write_text(json.dumps(read_inventory()), encoding="utf-8")
