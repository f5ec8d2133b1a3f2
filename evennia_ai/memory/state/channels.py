"""Channels of the game that assistants follow.

Each mind keeps its own list; all of them are mirrored in memory, because every line on a followed
channel asks for it. A channel is known by its key in lower case.
"""

from __future__ import annotations

from evennia.comms.models import ChannelDB
from evennia.scripts.models import ScriptDB

from evennia_ai.core import volatile
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.state import assistant

# How an assistant follows a channel, from the quietest: it only hears what is said, it answers to
# its name, it answers to everything.
MANNERS = ("listen", "named", "answer")


def read_again() -> None:
    """Read anew who follows what: it was changed in the database."""
    _loaded.clear()


def key_of(channel: ChannelDB) -> str:
    """Return under what an assistant keeps a channel."""
    key: str = channel.key
    return key.strip().lower()


def follow(script: ScriptDB, key: str, manner: str | None) -> None:
    """Let a mind follow a channel from now on; in no manner (None): no more."""
    followed = assistant.followed_channels(script)
    followed.pop(key, None)
    assistant.save_followed_channels(script, {**followed, key: manner} if manner else followed)
    read_again()


def unfollow_all(script: ScriptDB) -> bool:
    """Let a mind follow no channel any more; False if it followed none."""
    if not assistant.followed_channels(script):
        return False
    assistant.save_followed_channels(script, {})
    read_again()
    return True


def followers(key: str) -> dict[int, str]:
    """Return who follows a channel and how: {npc id: manner}; their minds may be off."""
    return _loaded().get(key, {})


def followed() -> set[str]:
    """Return the keys of all channels that somebody follows, also of those that are gone."""
    return set(_loaded())


def find(key: str) -> ChannelDB | None:
    """Return the channel of that key (not alias), or None if there is none any more."""
    # Not by the database: SQLite takes "Ö" and "ö" for two letters.
    return next((one for one in all_channels() if key and key_of(one) == key), None)


def all_channels() -> list[ChannelDB]:
    """Return every channel of the game, oldest first."""
    return list(ChannelDB.objects.order_by("id"))


@volatile.once
def _loaded() -> dict[str, dict[int, str]]:
    """Return who follows which channel and how: {channel key: {npc id: manner}}."""
    found: dict[str, dict[int, str]] = {}
    keeping = ScriptDB.objects.filter(id__in=repository.owners(ScriptDB, kinds.CHANNELS))
    for script in keeping.exclude(db_obj=None).order_by("id"):
        for key, manner in assistant.followed_channels(script).items():
            found.setdefault(key, {}).setdefault(script.db_obj_id, manner)
    return found
