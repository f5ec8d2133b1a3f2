"""Evennia Attributes of a type of our own, which stock commands neither show nor change.

`cpattr`, `mvattr`, `set`, `wipe`, `copy`, `olc` and the REST API go through `obj.attributes`, which
knows Attributes of no type only. Nicks are kept apart in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db import connection
from django.db.models import CharField, Field, Model, QuerySet, TextField
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject

from evennia_ai.memory.storage import attribute_queries
from evennia_ai.memory.storage.attribute_queries import TYPE, Place

# Only developers may read one that is named to `examine`; builders have commands that show it well.
LOCKS = "attrread:perm(Developer);attredit:perm(Developer)"

# Under this name `OwnAttributes` lie on an object, and go when Evennia flushes the object from its cache.
_NAME = "_evennia_ai_attributes"

# Objects of which one question asks: databases take only so many values.
PAGE = 200


class OwnAttributes:
    """The Attributes of one object that are ours, as far as memory holds them."""

    # Whether they are a copy that is never written (`storage.detached`).
    is_detached = False

    def __init__(self, obj: TypedObject) -> None:
        self.obj = obj
        # None: the database has no such Attribute.
        self.held: dict[Place, Attribute | None] = {}
        # Categories of which the database was asked, and had nothing.
        self.empty: set[str] = set()

    def keys_of(self, category: str) -> list[str]:
        return attribute_queries.keys_of(self.obj, category)

    def texts_of(
        self, categories: Iterable[str], keys: Iterable[str] | None = None
    ) -> list[tuple[str, str]]:
        """Return key and text of each Attribute of some categories, or of those with such a key."""
        return attribute_queries.texts_of(self.obj, categories, keys)

    def note_broken(self) -> None:
        """Note that what memory holds may be half of something that failed."""


def of(obj: TypedObject) -> OwnAttributes:
    """Return the Attributes of an object that are ours."""
    own: OwnAttributes | None = obj.__dict__.get(_NAME)
    if own is None:
        own = obj.__dict__[_NAME] = OwnAttributes(obj)
    return own


def is_known(obj: TypedObject) -> bool:
    """Return whether the Attributes of an object were asked for since it was loaded."""
    return _NAME in obj.__dict__


def find(obj: TypedObject, category: str, key: str) -> Attribute | None:
    """Return an Attribute, from memory if it was read before."""
    own, place = of(obj), (category, key)
    # A copy knows all that there is, and must not find the row of what it is a copy of.
    if not (settings.TYPECLASS_AGGRESSIVE_CACHE or own.is_detached):
        found = attribute_queries.read([(obj, [place])])
        return found.get((obj.__dbclass__, obj.pk, category, key))
    if place not in own.held:
        if category in own.empty:
            return None
        warm([(obj, [place])])
    return own.held[place]


def is_empty(obj: TypedObject, category: str) -> bool:
    """Return whether it is in memory that nothing of a category is kept."""
    return category in of(obj).empty


def keys(obj: TypedObject, category: str) -> list[str]:
    """Return the keys of a category, sorted; that there are none is kept in memory until there is one."""
    found = sorted(of(obj).keys_of(category))
    if not found and settings.TYPECLASS_AGGRESSIVE_CACHE:
        of(obj).empty.add(category)
    return found


def warm(wanted: Iterable[tuple[TypedObject, Iterable[Place]]]) -> None:
    """Read by one question for each PAGE what is not in memory yet of objects and scripts.

    Each `find` of it costs nothing then.
    """
    if not settings.TYPECLASS_AGGRESSIVE_CACHE:
        return
    cold = [(obj, missing) for obj, places in wanted if (missing := _missing(obj, places))]
    for start in range(0, len(cold), PAGE):
        some = cold[start : start + PAGE]
        found = attribute_queries.read(some)
        for obj, places in some:
            held = of(obj).held
            for place in places:
                # As Evennia itself does, it is also kept that there is none.
                held[place] = found.get((obj.__dbclass__, obj.pk, *place))


def _missing(obj: TypedObject, places: Iterable[Place]) -> list[Place]:
    """Return those of some places of which memory knows nothing."""
    own = of(obj)
    return [place for place in places if place[0] not in own.empty and place not in own.held]


def rows(obj: TypedObject) -> QuerySet[Attribute]:
    return obj.db_attributes.filter(db_attrtype=TYPE)


def new(obj: TypedObject, category: str, key: str, text: str) -> Attribute:
    """Return an Attribute that has no row yet, and is found from now on; `insert` writes it."""
    made = Attribute(
        db_key=key,
        db_category=category,
        db_attrtype=TYPE,
        db_model=sort_of(obj),
        db_lock_storage=LOCKS,
        db_strvalue=text,
    )
    of(obj).held[category, key] = made
    of(obj).empty.discard(category)
    return made


def insert(made: list[tuple[TypedObject, Attribute]]) -> None:
    """Write Attributes that have no row yet: two statements, or two for each sort of object."""
    made = [(obj, attribute) for obj, attribute in made if not of(obj).is_detached]
    if not made:
        return
    if not connection.features.can_return_rows_from_bulk_insert:
        for obj, attribute in made:
            attribute.save()
            obj.db_attributes.add(attribute)
        return
    for start in range(0, len(made), PAGE):
        _insert_some(made[start : start + PAGE])


def _insert_some(made: list[tuple[TypedObject, Attribute]]) -> None:
    _, *fields = Attribute._meta.local_concrete_fields
    values = [[_prepared(field, one) for field in fields] for _, one in made]
    ids = _insert_rows(Attribute, [field.column for field in fields], values, returning=True)
    by_sort: dict[type[Model], list[list[object]]] = {}
    for (obj, attribute), pk in zip(made, ids, strict=True):
        attribute.pk, attribute._state.adding, attribute._state.db = pk, False, connection.alias
        Attribute.cache_instance(attribute)
        by_sort.setdefault(obj.db_attributes.through, []).append([obj.pk, pk])
    for through, pairs in by_sort.items():
        _, owner, attribute_id = through._meta.local_concrete_fields
        _insert_rows(through, [owner.column, attribute_id.column], pairs)


def _prepared(field: Field, attribute: Attribute) -> object:
    """Return what is written of a field; Django looks a text over anew for each, which ours need not be."""
    value = field.pre_save(attribute, add=True)
    is_text = type(value) is str and isinstance(field, (CharField, TextField))
    return value if is_text else field.get_db_prep_save(value, connection)


def _insert_rows(
    model: type[Model], columns: list[str], rows: list[list[object]], *, returning: bool = False
) -> list[int]:
    """Insert rows by one statement; return their ids, if they are to be known."""
    # What `bulk_create` composes anew each time takes several times as long as the write.
    quoted = connection.ops.quote_name
    names = ", ".join(map(quoted, columns))
    marks = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * len(rows))
    end = f" RETURNING {quoted('id')}" if returning else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quoted(model._meta.db_table)} ({names}) VALUES {marks}{end}",
            [value for row in rows for value in row],
        )
        return [pk for [pk] in cursor.fetchall()] if returning else []


def update(changed: list[Attribute]) -> bool:
    """Write the values of Attributes by one prepared statement; return whether rows were missing."""
    # Django composes its statement anew at each save, which takes five times as long as the write.
    quoted, field = connection.ops.quote_name, Attribute._meta.get_field("db_value")
    table = quoted(Attribute._meta.db_table)
    named = f"{quoted('db_strvalue')} = %s, {quoted(field.column)} = %s"
    statement = f"UPDATE {table} SET {named} WHERE {quoted('id')} = %s"
    values = []
    for one in changed:
        # Evennia copies deeply what it pickles; of ours there is nothing to pickle.
        value = one.db_value
        pickled = None if value is None else field.get_db_prep_save(value, connection)
        values.append((one.db_strvalue, pickled, one.pk))
    with connection.cursor() as cursor:
        cursor.executemany(statement, values)
        missing = bool(cursor.rowcount < len(values))
    for attribute in changed if missing else ():
        # Somebody has deleted the row past Evennia, which writes it anew.
        attribute.save(update_fields=["db_strvalue", "db_value"])
    return missing


def link(owned: list[tuple[TypedObject, Attribute]]) -> None:
    """Let Attributes be those of their objects again, where somebody has deleted that as well."""
    for obj, attribute in owned:
        obj.db_attributes.add(attribute)
        of(obj).empty.discard(attribute.db_category)


def delete(gone: list[tuple[TypedObject, Attribute]]) -> None:
    by_sort: dict[type[Model], list[int]] = {}
    for obj, attribute in gone:
        by_sort.setdefault(obj.db_attributes.through, []).append(attribute.pk)
        attribute.flush_from_cache()
    for through, pks in by_sort.items():
        _delete_rows(through.objects.filter(attribute_id__in=pks))
        _delete_rows(Attribute.objects.filter(pk__in=pks))


def delete_all_of(obj: TypedObject) -> None:
    """Delete every Attribute of an object that is about to go: Evennia clears its own only."""
    kept = [(obj, attribute) for attribute in rows(obj)]
    if kept:
        delete(kept)
    obj.__dict__.pop(_NAME, None)


def hand_over(origin: TypedObject, target: TypedObject) -> None:
    """Let the Attributes of one object be those of another of the same sort."""
    links = origin.db_attributes.through.objects
    owner = origin.db_attributes.source_field_name
    links.filter(
        **{f"{owner}_id": origin.pk, "attribute_id__in": rows(origin).values_list("pk", flat=True)}
    ).update(**{f"{owner}_id": target.pk})
    for obj in (origin, target):
        obj.__dict__.pop(_NAME, None)


def sort_of(obj: TypedObject) -> str:
    """Return whether it is an object or a script, by the word that stands with its Attributes."""
    return str(obj.__dbclass__.__name__.lower())


def note_written(obj: TypedObject, place: Place, text: str | None, *, pk: int | None) -> None:
    """Let memory know what was written past it: the text of the row `pk`, of a new one, or that it is gone (None)."""
    held = [] if pk is None else [Attribute.get_cached_instance(pk)]
    if is_known(obj):
        of(obj).empty.discard(place[0])
        held.append(of(obj).held.pop(place, None))
    for attribute in filter(None, held):
        if text is None:
            note_gone(obj, attribute)
            attribute.flush_from_cache()
        else:
            attribute.db_strvalue = text
            of(obj).held[place] = attribute


def note_gone(obj: TypedObject, attribute: Attribute) -> None:
    """Keep in memory that there is no such Attribute any more."""
    of(obj).held[attribute.db_category, attribute.db_key] = None


def drop_cached(obj: TypedObject) -> None:
    """Let everything of an object be read anew: what memory holds may not be what is stored."""
    if is_known(obj) and of(obj).is_detached:
        of(obj).note_broken()
    elif is_known(obj):
        for attribute in of(obj).held.values():
            if attribute is not None and attribute.pk:
                attribute.flush_from_cache()
        obj.__dict__.pop(_NAME, None)


def _delete_rows(found: QuerySet[Attribute]) -> None:
    # Nothing else hangs on these rows: Django need not ask what would.
    found._raw_delete(found.db)
