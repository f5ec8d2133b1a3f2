"""Writes of Attributes that are collected, and made by a few statements in one transaction."""

from __future__ import annotations

from contextlib import ExitStack

from django.db import transaction
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject

from evennia_ai.memory.storage import own_attributes


class Batch:
    """What is to be written by the end of `together`."""

    def __init__(self) -> None:
        self.objs: list[TypedObject] = []
        # What was written is undone with all of it.
        self.transaction = ExitStack()
        self.is_open = False
        self.changed: dict[int, tuple[TypedObject, Attribute]] = {}
        self.made: list[tuple[TypedObject, Attribute]] = []
        self.gone: list[tuple[TypedObject, Attribute]] = []
        # All that memory holds otherwise than the database, should the writing fail.
        self.touched: list[Attribute] = []

    def write(self) -> None:
        """Write it; what comes after is collected anew."""
        if not self.is_open and (self.gone or self.changed or self.made):
            self.transaction.enter_context(transaction.atomic())
            self.is_open = True
        gone, changed, made = self.gone, self.changed, self.made
        self.gone, self.changed, self.made = [], {}, []
        if gone:
            own_attributes.delete(gone)
        if changed and own_attributes.update([attribute for _, attribute in changed.values()]):
            own_attributes.link(list(changed.values()))
        if made:
            own_attributes.insert(made)

    def has(self, obj: TypedObject, category: str) -> bool:
        """Return whether rows of a category wait to be made or deleted."""
        waiting = [*self.made, *self.gone]
        return any(owner is obj and one.db_category == category for owner, one in waiting)

    def take_back(self) -> None:
        """Let memory know nothing of what failed."""
        for attribute in self.touched:
            attribute.flush_from_cache()
        for obj in self.objs:
            own_attributes.drop_cached(obj)
