"""The body of a mind that waits for its next one: an object that is nowhere."""

from __future__ import annotations

from evennia.objects.objects import DefaultObject


class WaitingBody(DefaultObject):
    """A place for one mind. Deleting it deletes the mind for good; its locks say who may."""

    def at_object_creation(self) -> None:
        """Be in nobody's way."""
        self.db.desc = "The place of a mind that waits for its next body."
