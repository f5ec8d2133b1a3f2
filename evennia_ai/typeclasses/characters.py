"""The body of an assistant: what any object needs to perceive for its mind."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from evennia.objects.objects import DefaultCharacter

from evennia_ai.agent.hearing import perception
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import identity, journal, persona
from evennia_ai.memory.people import plain_profiles
from evennia_ai.memory.state import active_assistants
from evennia_ai.memory.storage import copying
from evennia_ai.typeclasses import db_views, scripts


class AssistantMixin:
    """Lets any object typeclass have a mind: put it in front of the typeclass's other parents.

    Without a mind, or with one that is stopped, the object is what it would be without the mixin.
    """

    # A mind listens to other bodies by instance hooks.
    listens_for_its_mind = True
    db = db_views.db

    @property
    def assistant(self) -> Any:
        """The mind of this body while it is on, else None."""
        return active_assistants.script_of(self)

    @property
    def journal(self) -> dict[str, Any]:
        """The whole journal (`entries`, `entry_count`, …) as a copy that may be changed freely."""
        return journal.journal(self)

    @property
    def entity_profiles(self) -> plain_profiles.EntityProfiles:
        """What this body's mind knows of whom: identity → profile, to be read only."""
        return plain_profiles.EntityProfiles(self)

    def at_msg_receive(self, text: Any = None, from_obj: Any = None, **kwargs: Any) -> bool:
        """Let the mind hear what reaches the body."""
        received = super().at_msg_receive(text=text, from_obj=from_obj, **kwargs)
        # What the body refuses (it is deaf, or under a spell) does not reach the mind either.
        if received is not False:
            perception.hear(self, text, from_obj)
        return received

    def at_object_receive(
        self, moved_obj: Any, source_location: Any, move_type: str = "move", **kwargs: Any
    ) -> None:
        """Let the mind notice what it is given."""
        super().at_object_receive(moved_obj, source_location, move_type=move_type, **kwargs)
        perception.receive(self, moved_obj, source_location, move_type=move_type)

    def at_mode_change(self, mode: str, reason: str) -> None:
        """Called when the mind has fallen asleep ("sleep") or woken ("awake"); made to be overridden."""

    def at_object_post_spawn(self, prototype: dict[str, Any] | None = None) -> None:
        """Get a mind, if it never had one and the prototype or typeclass says who this is."""
        super().at_object_post_spawn(prototype=prototype)
        if identity.has_own(self):
            return
        asks = any(self.attributes.has(key) for key in (*persona.SEEDS, waiting.SEED))
        key = waiting.named_at_spawn(self, is_new=prototype is None)
        if asks or key:
            scripts.attach(self, mind_key=key)

    def at_object_post_copy(self, new_obj: Any, **kwargs: Any) -> None:
        """Let a copy be who this is; it remembers nothing."""
        super().at_object_post_copy(new_obj, **kwargs)
        copying.carry(self, new_obj)

    def at_post_unpuppet(self, account: Any = None, session: Any = None, **kwargs: Any) -> None:
        """Stay where it is: Evennia would take the body of a player out of the world."""
        place = self.location
        super().at_post_unpuppet(account=account, session=session, **kwargs)
        if self.location is None and active_assistants.script_id_of(self.id) is not None:
            self.location = place


class AssistantCharacter(AssistantMixin, DefaultCharacter):
    """A character with a place in the world of its own, with or without a mind.

    Whoever plays it for a while neither brings it into the game nor takes it out again, so nothing
    of that kind is announced.
    """

    def at_post_puppet(self, **kwargs: Any) -> None:
        """Show the player whom and where they play."""
        self.msg(_("\nYou become |c{name}|n.\n").format(name=self.key))
        self.msg((self.at_look(self.location), {"type": "look"}), options=None)

    def at_post_unpuppet(self, account: Any = None, session: Any = None, **kwargs: Any) -> None:
        """Stay where it is."""
