"""The account that listens to the game's channels for all assistants.

It is in the database like any account, so that it is there again after a reload or a crash.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from evennia.accounts.accounts import DefaultAccount
from evennia.accounts.models import AccountDB
from evennia.utils import logger
from evennia.utils.create import create_account

from evennia_ai.agent.hearing import channel_talk
from evennia_ai.memory.state import channels

KEY = "evennia_ai_listener"
# Nobody can page it or play it, and only admins can look at it.
LOCKS = (
    "msg:false();noidletimeout:true();examine:perm(Admin);edit:perm(Admin);"
    "delete:perm(Admin);boot:perm(Admin)"
)


class ChannelListener(DefaultAccount):
    """An account that nobody can log in to, subscribed to the channels that assistants follow."""

    # Channels send to those who are connected; it always counts as that, whatever a shutdown sets.
    # The column in the database stays False, so that nobody counts it among the players.
    is_connected = property(lambda self: True, lambda self, value: None)

    def basetype_setup(self) -> None:
        """Let nobody do anything with it."""
        super().basetype_setup()
        self.locks.add(LOCKS)
        self.is_bot = True
        self.set_unusable_password()
        self.save(update_fields=["password"])

    def get_display_name(self, looker: Any, **kwargs: Any) -> str:
        """Return what `channel/who` shows, since a subscriber cannot be hidden: who listens in truth."""
        return _("NPCs who listen")

    def at_pre_channel_msg(
        self, message: str, channel: Any, senders: Any = None, **kwargs: Any
    ) -> str:
        """Return the line as it was typed, without the names that others see before it."""
        return message

    def channel_msg(self, message: str, channel: Any, senders: Any = None, **kwargs: Any) -> None:
        """Hand a line on to the assistants; a channel that nobody follows any more is left."""
        if channels.followers(channels.key_of(channel)):
            channel_talk.hear(channel, message, senders)
        else:
            refresh()


def find() -> ChannelListener | None:
    """Return the account that listens, or None if no assistant has ever followed a channel."""
    return ChannelListener.objects.all().order_by("id").first()


def refresh() -> None:
    """Subscribe the listener to the channels that some assistant follows, and to no others."""
    followed, listener = channels.followed(), find()
    if not followed and listener is None:
        return
    listener = listener or _create()
    for channel in channels.all_channels():
        wanted = channels.key_of(channel) in followed
        if wanted and not channel.subscriptions.has(listener):
            # Not `connect`: it asks for the locks of the listener, and announces who joins. What
            # counts are the locks of each NPC, which are asked at each line.
            channel.subscriptions.add(listener)
        elif not wanted and channel.subscriptions.has(listener):
            channel.subscriptions.remove(listener)


def at_server_start() -> None:
    """Put right what changed while the server was down, and say which channels are gone."""
    refresh()
    for key in sorted(channels.followed()):
        if channels.find(key) is None:
            logger.log_warn(
                f"evennia_ai: an assistant follows the channel {key!r}, but there is no channel of "
                "that name."
            )


def unfollow_all(script: Any) -> None:
    """Let a mind that is about to go follow no channel any more."""
    if channels.unfollow_all(script):
        refresh()


def _create() -> ChannelListener:
    key, number = KEY, 1
    while AccountDB.objects.filter(username__iexact=key).exists():
        # A player took the name.
        number += 1
        key = f"{KEY}_{number}"
    return create_account(key, email=None, password=None, typeclass=ChannelListener)
