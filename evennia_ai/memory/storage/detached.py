"""Detached minds: a copy of what is kept of a body and its mind, for steps of a night in another process.

Nothing of the game is in it, and nothing is written: what became of the copy is told as changed texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from types import SimpleNamespace
from typing import NamedTuple

from django.db import connection
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds
from evennia_ai.memory.kinds import Kind
from evennia_ai.memory.storage import attribute_queries, own_attributes, pages
from evennia_ai.memory.storage.attribute_queries import Place

# What is kept of one object.
Texts = dict[Place, str]

# As `_written` writes it.
_ONE = "coalesce(db_category, '') || '/' || db_key || '=' || coalesce(db_strvalue, '')"


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
    of_body, of_mind = _stored(ObjectDB, body_id), _stored(ScriptDB, mind_id)
    body = Detached(ObjectDB, body_id, name, of_body)
    mind = Detached(ScriptDB, mind_id, f"the mind of {name}", of_mind)
    mind.obj, mind.is_mind_of_assistant = body, True
    body.scripts = SimpleNamespace(all=lambda: [mind])
    body.shown = shown
    body.sessions = SimpleNamespace(count=lambda: 0)
    return body, mind, _digest(of_body) + _digest(of_mind)


def fingerprint(body_id: int, mind_id: int) -> str:
    """Return the fingerprint of what is stored of a body and its mind just now."""
    owners = ((ObjectDB, body_id), (ScriptDB, mind_id))
    if connection.vendor != "postgresql":
        return "".join(_digest(_stored(model, id)) for model, id in owners)
    # The database has the texts; that many need not come here.
    asked = ", ".join(f"({_question(model)})" for model, _ in owners)
    values = [value for _, id in owners for value in (id, attribute_queries.TYPE)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {asked}", values)
        return "".join(cursor.fetchone())


def read_changes(
    place: str, changes: Iterable[Change]
) -> tuple[dict[tuple[Kind[object], str], object], list[tuple[Kind[object], str]]]:
    """Return the values to be kept on a body or a mind, and what is to go, by kind and key."""
    known = {kind.name: kind for kind in kinds.all_kinds() if kind.on == place}
    values: dict[tuple[Kind[object], str], object] = {}
    gone = []
    for category, key, text in changes:
        kind = known[category]
        where = (kind, key if kind.keyed else "")
        if text is None:
            gone.append(where)
        else:
            values[where] = pages.read(kind, text).value
    return values, gone


class _Everything(dict[str, Attribute | None]):
    """All that there is: of what is not in it nobody has to ask the database."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> None:
        return None


class _Copy(own_attributes.OwnAttributes):
    """The Attributes of a copy, which have no rows."""

    is_detached = True

    def __init__(self, texts: Texts) -> None:
        self.before = texts
        self.shown: dict[str, dict[str, object]] = {}
        self.is_broken = False
        self.empty = set()
        self._cache = _Everything()
        # Evennia has what it knows of the database in another object.
        self.backend = self
        for (category, key), text in texts.items():
            made = Attribute(db_key=key, db_category=category, db_strvalue=text)
            self._set_cache(key, category, made)

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

    def note_shown(self, key: str, value: dict[str, object]) -> None:
        self.shown[key] = value

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
        there = filter(None, self._cache.values())
        return {(one.db_category, one.db_key): one.db_strvalue for one in there}

    def _set_cache(self, key: str, category: str, attribute: Attribute) -> None:
        self._cache[f"{key}-{category}"] = attribute

    def _delete_cache(self, key: str, category: str) -> None:
        self._cache.pop(f"{key}-{category}", None)


def _stored(model: type[TypedObject], id: int) -> Texts:
    links = model.db_attributes.through.objects
    owner = model.db_attributes.field.m2m_column_name()
    kept = links.filter(**{owner: id}, attribute__db_attrtype=attribute_queries.TYPE)
    fields = ("attribute__db_category", "attribute__db_key", "attribute__db_strvalue")
    rows = kept.order_by("attribute_id").values_list(*fields)
    return {(category or "", key): text or "" for category, key, text in rows}


def _digest(texts: Texts) -> str:
    written = "\n".join(f"{category}/{key}={text}" for (category, key), text in texts.items())
    return hashlib.md5(written.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()


def _question(model: type[TypedObject]) -> str:
    """Return what asks Postgres for the digest of what is stored of one object."""
    links = model.db_attributes.through._meta.db_table
    owner = model.db_attributes.field.m2m_column_name()
    return (
        f"SELECT md5(coalesce(string_agg({_ONE}, chr(10) ORDER BY one.id), ''))"
        f" FROM {Attribute._meta.db_table} one JOIN {links} link ON link.attribute_id = one.id"
        f" WHERE link.{owner} = %s AND one.db_attrtype = %s"
    )
