"""The mind of an assistant: a persistent script on its body, at most one for each."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from evennia.scripts.manager import ScriptDBManager
from evennia.scripts.scripts import DefaultScript
from evennia.utils import logger

from evennia_ai import tick
from evennia_ai.agent import ingest, turns, warming
from evennia_ai.agent.hearing import channel_talk, perception, presence
from evennia_ai.core.records import Audience, Event
from evennia_ai.experience import turn_decisions
from evennia_ai.life import triggers
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import identity, links, lookup, persona
from evennia_ai.memory.state import (
    active_assistants,
    assistant,
    channels,
    reflection_state,
    sleep_state,
)
from evennia_ai.memory.storage import pages
from evennia_ai.sleep import falling_asleep, sleep_cycle, waking
from evennia_ai.typeclasses import db_views, instance_hooks, listener

KEY = "assistant"
# Evennia's `scripts` asks no lock, so a mind takes no orders as a script.
REFUSED = "Script #{id} is the mind of {npc}: use `@assistant/{switch} {npc}`, or {code} in code."
# By this Evennia gives the copy of an object its scripts.
COPYING = ScriptDBManager.copy_script.__code__


class AssistantScript(DefaultScript):
    """What an NPC's mind keeps, and the ways to switch it on and off.

    `start`, `stop` and `delete`, which Evennia's `scripts` calls for any builder, raise PermissionDenied.
    """

    # By this the lower rooms know it.
    is_mind_of_assistant = True
    # Whether `detach` asked for the deletion; never stored, so that nobody can write it.
    is_detached = False
    db = db_views.db

    def at_script_creation(self) -> None:
        """Begin switched off, with an empty head."""
        self.key = KEY
        self.desc = "The mind of an NPC"
        self.persistent = True

    def at_first_save(self, **kwargs: Any) -> None:
        """Start as other scripts do: `create_script(…, obj=npc)` gives an NPC a mind that is on."""
        super().at_first_save(**kwargs)
        if waiting.frame_of(COPYING):
            # A copy of an NPC waits for somebody to switch it on, and anybody may have written its Attributes.
            assistant.enable(self, enabled=False)
        elif getattr(self, "_createdict", {}).get("autostart"):
            self.start()

    def enable(self) -> None:
        """Perceive and answer from now on; a second mind on one body stays off."""
        if not self._is_mind():
            self._say_why_off(find(self.obj) if self.obj else None)
            return
        if waiting.is_waiting(self.obj):
            waiting.keep_for_later(self.obj, was_on=True)
            return
        assistant.enable(self)
        self.db_is_active = True
        self.save(update_fields=["db_is_active"])
        self._resume()

    def disable(self) -> None:
        """Perceive and answer nothing; what is remembered stays."""
        assistant.enable(self, enabled=False)
        self.db_is_active = False
        self.save(update_fields=["db_is_active"])
        self._withdraw()

    def start(self, **kwargs: Any) -> None:
        """Switch a new mind on, as `attach` does; of one that is off already its own commands decide."""
        if self._is_mind() and assistant.is_new(self):
            # Evennia's `scripts` asks no lock, so a waiting mind does not come into the body this way.
            _begin(self.obj, self)
        elif self._is_mind() and not assistant.is_enabled(self):
            raise self._refusal("start", "enable()")
        self.enable()

    def stop(self, **kwargs: Any) -> None:
        """Refuse for the mind of an NPC, since Evennia does not tell who asks."""
        if self._is_mind():
            raise self._refusal("stop", "disable()")
        self.disable()

    def at_server_start(self) -> None:
        """Take up again what was going on before a reload, a restart or a crash."""
        if assistant.is_enabled(self) and self.obj:
            self._resume()

    def at_script_delete(self) -> bool:
        """Leave the body as it was before it had a mind; with a key it outlives a body that dies."""
        body = self.obj
        is_mind = self._is_mind()
        is_dying = is_mind and waiting.is_dying(body)
        if is_dying and waiting.outlives(body):
            was_on = self.enabled
            self.disable()
            waiting.lay_down(self, body, was_on=was_on)
            return False
        if is_mind and not is_dying and not self.is_detached:
            # An exception, since Evennia's `scripts` says "deleted" if this returns False.
            raise self._refusal("detach", "evennia_ai.api.detach")
        self._withdraw()
        listener.unfollow_all(self)
        return True

    def at_tick(self) -> None:
        """Make sure that the body is still listened to, and ticked as often as it should be."""
        instance_hooks.attach(self.obj)
        self.keep_pulse()

    def keep_pulse(self) -> None:
        """Be ticked as often as its mode and its settings say from now on."""
        if active_assistants.rate_of(self) != sleep_cycle.tick_rate(self):
            tick.join(self, sleep_cycle.tick_rate(self))

    def at_event(self, event: Event) -> None:
        """Take up what wants an answer: in a turn, or asleep by waking or sleeping on."""
        falling_asleep.note_event(self, event)
        if sleep_state.is_asleep(self):
            waking.spoken_to(self, event)
        else:
            turns.event_waits(self, event)

    def at_happening(self, kind: str, actor_id: int, known: Audience) -> None:
        """Do what its builder wrote for an event of this kind, whether or not it answers it."""
        triggers.fire(self, kind, actor_id, known)
        if kind == "arrive":
            warming.warm(self, actor_id)

    @property
    def enabled(self) -> bool:
        """Whether the mind is switched on."""
        return assistant.is_enabled(self)

    @property
    def operating_mode(self) -> str:
        """Whether it is "awake" or in "sleep"."""
        return sleep_state.mode(self)

    @property
    def assistant_key(self) -> str:
        """The identity under which its long-term memory is kept; "" without a body."""
        return assistant.key_of(self)

    @property
    def reflection_state(self) -> dict[str, Any]:
        """What has happened since it last reflected, as plain data."""
        return pages.plain(reflection_state.reflection_state(self))

    @property
    def memory_links(self) -> dict[str, Any]:
        """The links between its memories: {id: {"linked_to": [{"id", "score"}], "processed_at"}}.

        A link that is not for everybody has its `audience`, too.
        """
        plain: dict[str, Any] = pages.plain(links.memory_links(self))
        return plain

    def perceive(self, kind: str, text: str, actor: Any = None, **fields: Any) -> None:
        """Tell the assistant of something that no message tells: a quest done, an attack.

        Args:
            kind: A word of the game's own, such as "attacked".
            text: What happened, as one sentence without the actor.
            actor: Who did it, if anybody.
            **fields: Fields of `core.records.Event`, such as `priority` or `urgent`; with
                `addressed=False` it is remembered but not answered.
        """
        perception.perceive(self.obj, kind, text, actor, **fields)

    def reward(self, amount: float, reason: str = "") -> bool:
        """Say that the last decision of the assistant was worth it, or not: the game's own word.

        Args:
            amount: From -1 to 1; it is added to what REWARDS make of it.
            reason: For the log of the server.

        Returns:
            False if it has decided nothing yet.
        """
        return turn_decisions.reward(self, amount, reason=reason)

    def _is_mind(self) -> bool:
        return self.obj is not None and find(self.obj) == self

    def _refusal(self, switch: str, code: str) -> PermissionDenied:
        return PermissionDenied(REFUSED.format(id=self.id, npc=self.obj, switch=switch, code=code))

    def _say_why_off(self, mind: AssistantScript | None) -> None:
        why = "it has no body"
        if mind is not None:
            why = f"{self.obj.key}(#{self.obj.id}) has a mind already, script #{mind.id}"
        logger.log_warn(f"evennia_ai: script #{self.id} stays off: {why}.")
        # Whom the call of `create_script` names for errors.
        caller = getattr(self, "_createdict", {}).get("report_to")
        if caller is not None:
            caller.msg(f"Script #{self.id} stays off: {why}.")

    def _resume(self) -> None:
        instance_hooks.attach(self.obj)
        tick.join(self, sleep_cycle.tick_rate(self))
        # The first look finds no change: it must come before anybody arrives or leaves.
        presence.look_around(self.obj)
        # It may have slept too long: the server was down, or it was switched off.
        waking.wake_if_due(self)
        if assistant.pending_events(self):
            turns.request(self.id)

    def _withdraw(self) -> None:
        tick.leave(self)
        # A second mind on one body listened to nothing.
        if self._is_mind():
            instance_hooks.detach(self.obj)
            ingest.forget_guests(self.obj, self)


def find(npc: Any) -> AssistantScript | None:
    """Return the mind of an NPC, on or off, or None."""
    return lookup.mind_of(npc)


def perceive(npc: Any, kind: str, text: str = "", *, by: Any = None, **fields: Any) -> None:
    """Tell whatever has a mind that something happened to it: `perceive(npc, "attacked", by=character)`.

    What has no mind, or one that is off, notices nothing.

    Args:
        npc: Any object.
        kind: A word of the game's own, such as "attacked".
        text: What happened, as one sentence without the actor; the kind, if there is none.
        by: Who did it, if anybody.
        **fields: As for `AssistantScript.perceive`.
    """
    perception.perceive(npc, kind, text or kind.replace("_", " "), by, **fields)


def attach(npc: Any, *, mind_key: str | None = None) -> AssistantScript:
    """Give an NPC of any typeclass a mind and switch it on; one that has a mind keeps it.

    Args:
        npc: Any object.
        mind_key: The key under which its mind outlives it. If a mind waits under that key, it is
            this one's from now on. By default the one that its typeclass has, if any.

    """
    from evennia.utils.create import create_script

    npc.attributes.remove(waiting.SEED)
    script, is_on = find(npc), True
    if script is None:
        key = waiting.named_by(npc, seed=False) if mind_key is None else mind_key.strip().lower()
        script, is_on = _waiting_for(npc, key) or (None, True)
        script = script or create_script(AssistantScript, key=KEY, obj=npc, autostart=False)
        _begin(npc, script)
    elif assistant.is_new(script):
        _begin(npc, script)
    if is_on:
        script.enable()
    return script


def _begin(npc: Any, script: AssistantScript) -> None:
    """Let a body whose mind was never on be who its builder says, and known as one that had a mind."""
    # Later such an Attribute may be anybody's.
    persona.take_up(npc)
    identity.identity_of(npc)
    for obj in (npc, script):
        if shadowed := db_views.shadowed(obj):
            logger.log_info(f"evennia_ai: {obj.key}(#{obj.id}): {shadowed}")


def _waiting_for(npc: Any, key: str) -> tuple[AssistantScript | None, bool] | None:
    """Return the mind that waits for an NPC under a key, and whether it was on."""
    if not key or waiting.key_of(npc):
        return None
    found = waiting.take_up(npc, key)
    if found is None:
        try:
            waiting.give_key(npc, key)
        except ValueError as error:
            logger.log_warn(f"evennia_ai: {npc.key}(#{npc.id}) gets no mind_key: {error}")
    return found


def detach(npc: Any) -> bool:
    """Take the mind from an NPC, leaving what its body remembers; False if it had none."""
    script = find(npc)
    if script is None:
        return False
    script.is_detached = True
    script.delete()
    return True


def follow_channel(npc: Any, channel: Any, *, manner: str = "named") -> None:
    """Let an assistant hear what is said on a channel of the game.

    Args:
        npc: Who has a mind.
        channel: The channel, or its key.
        manner: "listen" remembers what is said, "named" also answers to its name, "answer" also
            answers what names nobody.

    Raises:
        ValueError: There is no such channel or manner, the NPC has no mind, or the channel's locks
            keep it out.
    """
    script, found = _mind_of(npc), _channel(channel)
    if manner not in channels.MANNERS:
        raise ValueError(f"{manner!r} is no way to follow: {', '.join(channels.MANNERS)} are.")
    if not channel_talk.may_listen(npc, found):
        raise ValueError(f"{npc.key} may not listen to {found.key}: its locks or bans say so.")
    if manner != "listen" and not channel_talk.may_speak(npc, found):
        raise ValueError(f"{npc.key} may not speak on {found.key}: its locks or bans say so.")
    channels.follow(script, channels.key_of(found), manner)
    listener.refresh()


def unfollow_channel(npc: Any, channel: Any) -> bool:
    """Let an assistant hear a channel (or its key) no more; False if it did not follow it."""
    script = _mind_of(npc)
    key = channel.strip().lower() if isinstance(channel, str) else channels.key_of(channel)
    if npc.id not in channels.followers(key):
        return False
    channels.follow(script, key, None)
    listener.refresh()
    return True


def _channel(channel: Any) -> Any:
    found = channels.find(channel.strip().lower()) if isinstance(channel, str) else channel
    if found is None or not found.pk:
        raise ValueError(f"There is no channel {str(channel)!r}.")
    return found


def _mind_of(npc: Any) -> AssistantScript:
    script = find(npc)
    if script is None:
        raise ValueError(f"{npc.key} has no mind.")
    return script
