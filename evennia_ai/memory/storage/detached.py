"""Detached minds: a copy of what is kept of a body and its mind, for steps of a night in another process.

Nothing of the game is in it, and nothing is written: what became of the copy is told as changed texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from types import SimpleNamespace
from typing import NamedTuple

from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject

from evennia_ai.memory.storage import own_attributes, whole_minds
from evennia_ai.memory.storage.attribute_queries import Place
from evennia_ai.memory.storage.whole_minds import Texts


class Change(NamedTuple):
    """A text that is another than before; None: it is gone."""

    category: str
    key: str
    text: str | None


class Detached:
    """Stands for an object or a script, with its id, its name and what is kept of it."""

    # Of a mind, its body.
    obj: Detached | None = None
    is_mind_of_assistant = False
    # Asked by what looks for the mind of a body, whether somebody plays it, and how it is displayed.
    scripts: object = None
    sessions: object = None
    shown: str = ""

    def __init__(self, model: type[TypedObject], id: int, name: str, texts: Texts) -> None:
        self.__dbclass__ = model
        self.id = self.pk = id
        self.key = name
        self.kept = _Copy(texts)
        self.__dict__[own_attributes._NAME] = self.kept

    def __str__(self) -> str:
        return self.key

    def get_display_name(self, looker: object = None, **options: object) -> str:
        """Return how the name is displayed, whoever looks."""
        return self.shown


def detach(body_id: int, mind_id: int, *, name: str, shown: str) -> tuple[Detached, Detached, str]:
    """Return copies of a body and its mind as they are stored, and the fingerprint of both.

    `shown` is how the name of the body is displayed.
    """
    of_body, of_mind, seen = whole_minds.read(body_id, mind_id)
    body = Detached(ObjectDB, body_id, name, of_body)
    mind = Detached(ScriptDB, mind_id, f"the mind of {name}", of_mind)
    mind.obj, mind.is_mind_of_assistant = body, True
    body.scripts = SimpleNamespace(all=lambda: [mind])
    body.shown = shown
    body.sessions = SimpleNamespace(count=lambda: 0)
    return body, mind, seen


def changes(body: Detached, mind: Detached) -> str:
    """Return what became of copies of a body and its mind, as text."""
    return json.dumps(
        [
            {"sort": own_attributes.sort_of(copy), **change._asdict()}
            for copy in (body, mind)
            for change in copy.kept.changes()
        ]
    )


class _Everything(dict[Place, Attribute | None]):
    """All that there is: of what is not in it nobody has to ask the database."""

    def __contains__(self, place: object) -> bool:
        return True

    def __missing__(self, place: Place) -> None:
        return None


class _Copy(own_attributes.OwnAttributes):
    """The Attributes of a copy, which have no rows."""

    is_detached = True

    def __init__(self, texts: Texts) -> None:
        self.before = texts
        self.is_broken = False
        self.empty = set()
        self.held = _Everything()
        for (category, key), text in texts.items():
            made = Attribute(db_key=key, db_category=category, db_strvalue=text)
            self.held[category, key] = made

    def keys_of(self, category: str) -> list[str]:
        return [key for own, key in self._texts() if own == category]

    def texts_of(
        self, categories: Iterable[str], keys: Iterable[str] | None = None
    ) -> list[tuple[str, str]]:
        wanted, named = set(categories), None if keys is None else set(keys)
        return [
            (key, text)
            for (category, key), text in self._texts().items()
            if category in wanted and (named is None or key in named)
        ]

    def note_broken(self) -> None:
        self.is_broken = True

    def changes(self) -> list[Change]:
        """Return what became of it."""
        now = self._texts()
        changed = [Change(*place, text) for place, text in now.items() if self._was(place) != text]
        return changed + [Change(*place, None) for place in self.before if place not in now]

    def _was(self, place: Place) -> str | None:
        return self.before.get(place)

    def _texts(self) -> Texts:
        there = filter(None, self.held.values())
        return {(one.db_category, one.db_key): one.db_strvalue for one in there}
