"""Runs inside the game of `hostile_builder`: gives Greta a mind that is worth stealing, and reads it.

The superuser types `py from world import hostile_mind`. What is read is what the package itself makes of
what is stored, so that it does not matter here how that is done.
"""

import json
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Permission
from evennia.accounts.models import AccountDB
from evennia.commands.default.cmdset_character import CharacterCmdSet
from evennia.objects.models import ObjectDB
from evennia.server.models import ServerConfig

from evennia_ai.commands.cmdsets import AssistantCmdSet
from evennia_ai.core.records import GAME, Link, Reminder, Source
from evennia_ai.domain import audience
from evennia_ai.experience import base
from evennia_ai.memory import identity, journal, links, persona, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import (
    active_assistants,
    assistant,
    channels,
    kept_goals,
    npc_settings,
    sleep_state,
)
from evennia_ai.typeclasses import scripts

# Where `read` writes.
FILE = Path(settings.GAME_DIR) / "server" / "mind.json"
# What ordinary Attributes there were.
KNOWN = FILE.with_name("known.json")
# Words that nobody says by chance: what nobody may be shown, by what they are.
WORDS = {
    "persona": "zqpersona1",
    "lore": "zqlore2",
    "whisper": "zqsecret3",
    "journal": "zqentry4",
    "profile": "zqprofile5",
    "reminder": "zqpromise6",
    "goal": "zqgoal7",
}
# Models that staff with every right of Django's may change.
APPS = ("objects", "scripts", "typeclasses")


class UnguardedCmdSet(CharacterCmdSet):
    """The commands of a game whose owner has not added our guards."""

    def at_cmdset_creation(self):
        """Add the commands of the assistants only."""
        super().at_cmdset_creation()
        self.add(AssistantCmdSet)


def fill(npc_name, person_name, staff_name):
    """Give an NPC something of each kind; the whispers come by whispering."""
    npc, person = _object(npc_name), _object(person_name)
    script, who = scripts.find(npc), identity.identity_of(person)
    known = [who, identity.identity_of(npc)]
    persona.save_persona(npc, {"description": f"Greta keeps the inn {WORDS['persona']}."})
    persona.save_lore(npc, [f"The old well is called {WORDS['lore']}."])
    journal.add_entry(npc, f"{person.key} fears {WORDS['journal']}.", audience=known, source_id=who)
    entity_profiles.add_entity_observation(
        npc, person, f"{person.key} hides {WORDS['profile']}.", audience=known
    )
    reminder = {"due": "2090-01-01T00:00:00.000Z", "text": f"Wake me for {WORDS['reminder']}."}
    actor = {"said_by": who, "actor_id": person.id, "actor_name": person.key}
    assistant.add_reminder(
        script, Reminder(sources=[Source(GAME)], **reminder, **actor, audience=known)
    )
    kept_goals.add_goal(script, f"Find {WORDS['goal']}", audience=audience.PUBLIC)
    links.save_links(script, {"a-memory": [Link(id="another", score=0.9)]})
    npc_settings.choose(npc, gossip="never")
    npc_settings.grant(npc, allowed_commands=["look"])
    staff = AccountDB.objects.get(username=staff_name)
    staff.is_staff = True
    staff.save()
    rights = Permission.objects.filter(content_type__app_label__in=APPS)
    staff.user_permissions.set(rights)


def tidy(npc_name, person_name):
    """Take away the ordinary Attributes that were not there at the first time."""
    objects = [_object(npc_name), _object(person_name)]
    found = {f"{obj.id}": [[a.key, a.category] for a in obj.attributes.all()] for obj in objects}
    if not KNOWN.exists():
        KNOWN.write_text(json.dumps(found), encoding="utf-8")
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    for obj in objects:
        for key, category in found[f"{obj.id}"]:
            if [key, category] not in known[f"{obj.id}"]:
                obj.attributes.remove(key, category=category)


def read(npc_name, person_name):
    """Write down everything that a mind keeps, and who is who."""
    npc, person = _object(npc_name), _object(person_name)
    mind = {**_body(npc), **_script(scripts.find(npc)), **_server()}
    mind["identities"] = [identity.identity_of(npc), identity.identity_of(person)]
    mind["account of the person"] = identity.account_of(person).id
    mind["minds of the NPC"] = active_assistants.script_id_of(npc.id)
    FILE.write_text(json.dumps(mind, default=str, indent=1, sort_keys=True), encoding="utf-8")


def _body(npc):
    return {
        "key": npc.key,
        "typeclass": npc.db_typeclass_path,
        "locks": str(npc.locks),
        "home and destination": [str(npc.home), str(npc.destination)],
        "persona": persona.load_persona(npc),
        "lore": persona.load_lore(npc),
        "allowed commands": npc_settings.allowed_commands(npc),
        "manners": [npc_settings.gossip(npc), npc_settings.talkative(npc), base.group_of(npc)],
        "journal": journal.journal(npc),
        "profiles": entity_profiles.all_profiles(npc),
        "conversations": working_memory.conversations(npc),
    }


def _script(script):
    return {
        "script": [script.id, script.key, script.db_typeclass_path, str(script.locks)],
        "enabled": script.enabled,
        "active": script.db_is_active,
        "mode": sleep_state.mode(script),
        "links": links.memory_links(script),
        "reminders": assistant.reminders(script),
        "pending": assistant.pending_events(script),
        "following": assistant.following(script),
        "goals": kept_goals.goals(script),
        "channels": assistant.followed_channels(script),
    }


def _server():
    kept = ServerConfig.objects.filter(db_key__startswith="evennia_ai")
    return {
        "server": {one.db_key: one.value for one in kept},
        "halted": active_assistants.is_halted(),
        "opted out": accounts._loaded(),
        "followed": {key: channels.followers(key) for key in channels.followed()},
    }


def _object(name):
    return ObjectDB.objects.filter(db_key=name).order_by("id")[0]
