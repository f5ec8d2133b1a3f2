"""The people of a dialogue: characters of the game's own class whom nobody plays."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from evennia.utils.utils import class_from_module


class Heard(NamedTuple):
    """One line that reached somebody: of what type, as the game sent it, and from whom (an id)."""

    kind: str
    text: str
    from_id: int


class Seat:
    """Stands for the session of somebody who is in the game."""

    def count(self) -> int:
        """There is one."""
        return 1

    def all(self) -> list[Any]:
        """It is nothing that anything could be sent to."""
        return []

    get = all


class DialoguePerson(class_from_module(settings.BASE_CHARACTER_TYPECLASS)):
    """Somebody whom a player seems to play; what reaches them is kept instead of sent."""

    sessions = Seat()

    def msg(self, text: Any = None, from_obj: Any = None, **kwargs: Any) -> None:
        """Keep what is said here."""
        if text is None:
            return
        message, options = (text[0], text[-1]) if isinstance(text, tuple) else (text, {})
        kind = options.get("type", "") if isinstance(options, dict) else ""
        senders = from_obj if isinstance(from_obj, (list, tuple)) else [from_obj]
        from_id = next((one.id for one in senders if one is not None), 0)
        self.heard.append(Heard(kind, str(message), from_id))

    @property
    def heard(self) -> list[Heard]:
        """The lines that have reached this person, the newest last."""
        if self.ndb.evennia_ai_heard is None:
            self.ndb.evennia_ai_heard = []
        return self.ndb.evennia_ai_heard
