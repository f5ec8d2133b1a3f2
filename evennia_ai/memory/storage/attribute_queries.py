"""Questions to the database about our own Attributes.

Most are composed here once: Django composes its own anew each time, which takes longer than to ask.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Q
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject

TYPE = "evennia_ai"

# Category and key.
Place = tuple[str, str]
# A place of one object or script: which of both it is, and its id.
Owned = tuple[type[TypedObject], int, str, str]


class _Tables(NamedTuple):
    """Where a sort of object has Attributes: the column of the owner, and what is joined."""

    owner: str
    # SQLite goes through what was joined so in this order, and without statistics through all that is ours in any
    # other. To other databases it is the same.
    owner_first: str


@functools.cache
def _tables(model: type[TypedObject]) -> _Tables:
    quoted, links = connection.ops.quote_name, model.db_attributes
    linked = f"{quoted(links.through._meta.db_table)} AS linked"
    kept, same = f"{quoted(Attribute._meta.db_table)} AS kept", "kept.id = linked.attribute_id"
    return _Tables(
        quoted(links.field.m2m_column_name()),
        f"{linked} CROSS JOIN {kept} WHERE {same}",
    )


def read(wanted: Iterable[tuple[TypedObject, list[Place]]]) -> dict[Owned, Attribute]:
    """Return what is kept of objects and scripts in some places; by one question."""
    # Of many the same is asked.
    owners: dict[type[TypedObject], dict[tuple[Place, ...], list[int]]] = {}
    for obj, places in wanted:
        owners.setdefault(obj.__dbclass__, {}).setdefault(tuple(places), []).append(obj.pk)
    parts, values = [], []
    for sort, (model, by_places) in enumerate(owners.items()):
        tables, named = _tables(model), list[str]()  # type: ignore[arg-type]
        for some, ids in by_places.items():
            asked, given = _in_places(some)
            named.append(f"linked.{tables.owner} IN ({_holes(ids)}) AND ({asked})")
            values += [*ids, *given]
        parts.append(
            f"SELECT kept.*, linked.{tables.owner} AS owner_id, {sort} AS owner_sort"
            f" FROM {tables.owner_first} AND kept.db_attrtype = '{TYPE}' AND ({' OR '.join(named)})"
        )
    found = Attribute.objects.raw(" UNION ALL ".join(parts), values)
    models = list(owners)
    return {
        (models[one.owner_sort], one.owner_id, one.db_category, one.db_key): one for one in found
    }


def _in_places(places: Iterable[Place]) -> tuple[str, list[object]]:
    """Return the condition that something is kept in one of some places, and what goes into its holes."""
    asked: list[str] = []
    given: list[object] = []
    for category, some in itertools.groupby(sorted(places), key=lambda place: place[0]):
        keys = [key for _, key in some]
        asked.append(f"kept.db_category = %s AND kept.db_key IN ({_holes(keys)})")
        given += [category, *keys]
    return " OR ".join(asked), given


def keys_of(obj: TypedObject, category: str) -> list[str]:
    return [key for [key] in _of_object(obj, "kept.db_key", [category])]


def texts_of(
    obj: TypedObject, categories: Iterable[str], keys: Iterable[str] | None = None
) -> list[tuple[str, str]]:
    """Return key and text of what an object keeps in some categories, or of that with such a key."""
    some = None if keys is None else list(keys)
    found = _of_object(obj, "kept.db_key, kept.db_strvalue", list(categories), some)
    return [(key, text) for key, text in found]


def owners_naming(
    model: type[TypedObject], words: Iterable[str], *, keyed: Iterable[str], written: Iterable[str]
) -> set[int]:
    """Return the ids of those that have one of some words as a key of the categories `keyed`, or in the
    text of the categories `written`; by one question, in any thread."""
    through = model.db_attributes.through
    owner = model.db_attributes.field.m2m_column_name()
    named = Q(attribute__db_category__in=list(keyed), attribute__db_key__in=list(words))
    for word in words:
        in_text = Q(attribute__db_strvalue__contains=word)
        named |= Q(attribute__db_category__in=list(written)) & in_text
    found = through.objects.filter(named, attribute__db_attrtype=TYPE)
    return set(found.values_list(owner, flat=True))


def counts(model: type[TypedObject], category: str) -> dict[int, int]:
    """Return how many Attributes of a category each one has that has any, by its id; in any thread."""
    through, owner = model.db_attributes.through, model.db_attributes.field.m2m_column_name()
    found = through.objects.filter(attribute__db_attrtype=TYPE, attribute__db_category=category)
    return dict(found.values_list(owner).annotate(Count("id")))


def _of_object(
    obj: TypedObject, columns: str, categories: list[str], keys: list[str] | None = None
) -> list[tuple[str, ...]]:
    tables, values = _tables(obj.__dbclass__), [obj.pk, *categories]
    where = (
        f"linked.{tables.owner} = %s AND kept.db_attrtype = '{TYPE}'"
        f" AND kept.db_category IN ({_holes(categories)})"
    )
    if keys is not None:
        # Of no key at all there is nothing.
        where += f" AND kept.db_key IN ({_holes(keys) or 'NULL'})"
        values += keys
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {tables.owner_first} AND {where}", values)
        return list(cursor.fetchall())


def _holes(values: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(values))
