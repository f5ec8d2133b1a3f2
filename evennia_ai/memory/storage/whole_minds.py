"""Everything that is stored of a body and its mind: read, compared and written as a whole.

In Postgres what became of a copy is written by one statement: whoever waits for it holds the game, and the database
compares, changes, makes and deletes by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from typing import NamedTuple

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.storage import own_attributes, pages
from evennia_ai.memory.storage.attribute_queries import TYPE, Place

Texts = dict[Place, str]

# The rows of both; what tells whether one was written since is `version`.
_KEPT = """SELECT owned.sort, one.id, {version} AS version, one.db_category AS category, one.db_key AS key{text}
  FROM (SELECT '{objects.sort}' AS sort, attribute_id FROM {objects.links} WHERE {objects.owner} = %s
        UNION ALL
        SELECT '{scripts.sort}', attribute_id FROM {scripts.links} WHERE {scripts.owner} = %s) owned
  CROSS JOIN {attributes} one WHERE one.id = owned.attribute_id AND one.db_attrtype = '{type}'"""
# As `_digest` has it. Of a row that was written, Postgres knows by which transaction: no text is to be read for it.
_DIGEST = (
    "md5(coalesce(string_agg(sort || '/' || id || '/' || version, ',' ORDER BY sort, id), ''))"
)
_VERSION = "one.xmin::text"
_TAKE = """WITH kept AS MATERIALIZED ({kept}),
changed AS MATERIALIZED (
  SELECT one.* FROM jsonb_to_recordset(%s::jsonb) one(sort text, category text, key text, text text)
  WHERE (SELECT {digest} FROM kept) = %s),
stood AS MATERIALIZED (
  SELECT kept.id, changed.* FROM changed JOIN kept USING (sort, category, key)),
updated AS (
  UPDATE {attributes} SET db_strvalue = stood.text FROM stood
  WHERE {attributes}.id = stood.id AND stood.text IS NOT NULL),
gone AS (
  DELETE FROM {attributes} USING stood WHERE {attributes}.id = stood.id AND stood.text IS NULL),
gone_of_objects AS (
  DELETE FROM {objects.links} USING stood
  WHERE attribute_id = stood.id AND stood.text IS NULL AND stood.sort = '{objects.sort}'),
gone_of_scripts AS (
  DELETE FROM {scripts.links} USING stood
  WHERE attribute_id = stood.id AND stood.text IS NULL AND stood.sort = '{scripts.sort}'),
made AS (
  INSERT INTO {attributes}
    (db_key, db_category, db_attrtype, db_model, db_lock_storage, db_strvalue, db_date_created)
  SELECT changed.key, changed.category, '{type}', changed.sort, '{locks}', changed.text, now()
  FROM changed LEFT JOIN stood USING (sort, category, key)
  WHERE stood.id IS NULL AND changed.text IS NOT NULL
  RETURNING id, db_model),
made_of_objects AS (
  INSERT INTO {objects.links} ({objects.owner}, attribute_id)
  SELECT %s, id FROM made WHERE db_model = '{objects.sort}'),
made_of_scripts AS (
  INSERT INTO {scripts.links} ({scripts.owner}, attribute_id)
  SELECT %s, id FROM made WHERE db_model = '{scripts.sort}')
SELECT changed.sort, changed.category, changed.key, stood.id
FROM changed LEFT JOIN stood USING (sort, category, key)"""


class _Sort(NamedTuple):
    """Where a sort of object has Attributes."""

    sort: str
    links: str
    owner: str


def read(body_id: int, mind_id: int) -> tuple[Texts, Texts, str]:
    """Return all that is kept of a body, and of a mind, and the fingerprint of both."""
    statement = _kept(_version(), with_text=True)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} ORDER BY 1, 2", [body_id, mind_id])
        rows = cursor.fetchall()
    texts: dict[str, Texts] = {sort.sort: {} for sort in _sorts()}
    for sort, _, _, category, key, text in rows:
        texts[sort][category or "", key] = text or ""
    of_body, of_mind = texts.values()
    return of_body, of_mind, _digest(row[:3] for row in rows)


def fingerprint(body_id: int, mind_id: int) -> str:
    """Return the fingerprint of what is stored of a body and its mind just now."""
    if not _is_postgres():
        return read(body_id, mind_id)[2]
    with connection.cursor() as cursor:
        kept = _kept(_VERSION, with_text=False)
        cursor.execute(f"SELECT {_DIGEST} FROM ({kept}) kept", [body_id, mind_id])
        return str(cursor.fetchone()[0])


def take(body: TypedObject, mind: TypedObject, changes: str, *, seen: str) -> bool:
    """Write what became of the copies of a body and its mind (`detached.changes`): all of it, or nothing.

    Return False if they are not any more what the copies were made of.
    """
    owners = {own_attributes.sort_of(obj): obj for obj in (body, mind)}
    taken = json.loads(changes)
    if not taken:
        return fingerprint(body.pk, mind.pk) == seen
    if not _is_postgres():
        return _take_one_by_one(owners, taken, seen)
    with ExitStack() as undoing:
        for obj in owners.values():
            # If it fails nobody knows whether it was written.
            undoing.callback(own_attributes.drop_cached, obj)
        with connection.cursor() as cursor:
            ids = [body.pk, mind.pk]
            cursor.execute(_take(), [*ids, changes, seen, *ids])
            rows = {tuple(place): row for *place, row in cursor.fetchall()}
        undoing.pop_all()
    for one in taken if rows else ():
        place, obj = (one["category"], one["key"]), owners[one["sort"]]
        own_attributes.note_written(obj, place, one["text"], pk=rows[one["sort"], *place])
    return bool(rows)


def warm_up(on: BaseDatabaseWrapper) -> None:
    """Let a connection learn what `take` needs: in a new one Postgres reads all of that at the first statement."""
    if on.vendor == "postgresql":
        with on.cursor() as cursor:
            # Of nobody, and nothing.
            cursor.execute(_take(), [0, 0, "[]", "", 0, 0])


def _take_one_by_one(
    owners: dict[str, TypedObject], taken: list[dict[str, str]], seen: str
) -> bool:
    body, mind = owners.values()
    if fingerprint(body.pk, mind.pk) != seen:
        return False
    known = {(kind.on, kind.name): kind for kind in kinds.all_kinds()}
    with repository.together(body, mind):
        for one in taken:
            obj, text = owners[one["sort"]], one["text"]
            kind = known[kinds.BODY if obj is body else kinds.MIND, one["category"]]
            key = one["key"] if kind.keyed else ""
            if text is None:
                repository.remove(obj, kind, key)
            else:
                repository.save(obj, kind, pages.read(kind, text).value, key)
    return True


def _digest(rows: Iterable[tuple[object, ...]]) -> str:
    text = ",".join("/".join(map(str, row)) for row in rows)
    return hashlib.md5(text.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()


def _is_postgres() -> bool:
    return bool(connection.vendor == "postgresql")


def _version() -> str:
    return _VERSION if _is_postgres() else "one.db_strvalue"


@cache
def _sorts() -> tuple[_Sort, _Sort]:
    return _sort(ObjectDB), _sort(ScriptDB)


def _sort(model: type[TypedObject]) -> _Sort:
    links = model.db_attributes
    return _Sort(
        model.__name__.lower(), links.through._meta.db_table, links.field.m2m_column_name()
    )


def _kept(version: str, *, with_text: bool) -> str:
    return _filled(_KEPT, version=version, text=", one.db_strvalue" if with_text else "")


@cache
def _take() -> str:
    kept = _kept(_VERSION, with_text=False)
    return _filled(_TAKE, kept=kept, digest=_DIGEST, locks=own_attributes.LOCKS)


def _filled(statement: str, **values: str) -> str:
    objects, scripts = _sorts()
    tables = {"objects": objects, "scripts": scripts, "attributes": Attribute._meta.db_table}
    return statement.format(**values, **tables, type=TYPE)
