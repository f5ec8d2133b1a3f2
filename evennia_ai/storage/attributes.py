"""The only reader and writer of Evennia Attributes: plain data, detached, saved once.

Evennia wraps what `obj.db` returns in live containers that save at each change, which costs about a
hundred times more and can bring back what was deleted. Here `load` returns a copy and `edit` saves
the whole value once, raw.
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Iterable, Iterator

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from evennia.typeclasses.attributes import Attribute

# Evennia's Attributes are told apart by key and category; ours never meet a game's.
CATEGORY = "evennia_ai"

# Only developers may read what is remembered; builders have commands that show it properly.
LOCKS = "attrread:perm(Developer);attredit:perm(Developer)"


def load(obj: Any, key: str, *, category: str = CATEGORY, default: Any = None) -> Any:
    """Return a detached copy of what is stored, or `default` (called, if it can be)."""
    attribute = obj.attributes.get(key, category=category, return_obj=True)
    if attribute is None:
        return default() if callable(default) else default
    return deepcopy(attribute.db_value)


def save(obj: Any, key: str, value: Any, *, category: str = CATEGORY) -> None:
    """Store plain data (str, int, float, bool, None, list, dict)."""
    save_all(obj, {(key, category): value})


def save_all(
    obj: Any,
    values: dict[tuple[str, str | None], Any],
    *,
    removed: Iterable[tuple[str, str | None]] = (),
) -> None:
    """Store plain data by (key, category), and delete what else is named so: all of it or nothing.

    If the database refuses, what is held in memory may differ from what is stored.
    """
    changed, fresh = [], {}
    with transaction.atomic():
        gone = list(removed)
        warm(obj, [*gone, *values])
        _remove_all(obj, gone)
        for (key, category), value in values.items():
            attribute = obj.attributes.get(key, category=category, return_obj=True)
            if attribute is None:
                fresh[key, category] = deepcopy(value)
            else:
                attribute.db_value = deepcopy(value)
                changed.append(attribute)
        _create(obj, fresh)
        _update(changed)


def warm(obj: Any, wanted: Iterable[tuple[str, str | None]]) -> None:
    """Read what is named so, (key, category), and is not in memory yet, by one question.

    Each `load` of it costs nothing then; by itself it would ask the database twice.
    """
    if not settings.TYPECLASS_AGGRESSIVE_CACHE:
        return
    backend = obj.attributes.backend
    cold = {pair for pair in map(_normal, wanted) if "{}-{}".format(*pair) not in backend._cache}
    # For one alone Evennia asks as well as we do.
    if len(cold) < 2:
        return
    found = {(row.db_key, row.db_category): row for row in _rows(obj, cold)}
    for pair in cold:
        # As Evennia itself does, it is also kept that there is none.
        backend._cache["{}-{}".format(*pair)] = found.get(pair)


@contextmanager
def edit(obj: Any, key: str, *, category: str = CATEGORY, default: Any = dict) -> Iterator[Any]:
    """Change a stored list or dict in place; it is saved once, if the block ends without error.

    Never `yield` to the reactor inside: whoever writes meanwhile would be overwritten.
    """
    value = load(obj, key, category=category, default=default)
    yield value
    save(obj, key, value, category=category)


@contextmanager
def together(*objs: Any) -> Iterator[None]:
    """Write all that is written inside, to these objects, or nothing of it.

    Never `yield` to the reactor inside. If it fails, what is held in memory is read anew.
    """
    is_written = False
    try:
        with transaction.atomic():
            yield
        is_written = True
    finally:
        if not is_written:
            for obj in objs:
                _drop_cached(obj)


def remove(obj: Any, key: str, *, category: str = CATEGORY) -> None:
    """Delete what is stored, if anything is."""
    obj.attributes.remove(key, category=category)


def keys(obj: Any, *, category: str) -> list[str]:
    """Return the keys of a category, sorted."""
    return sorted(_of(obj, category).values_list("db_key", flat=True))


def load_all(obj: Any, *, category: str, only: Iterable[str] | None = None) -> dict[str, Any]:
    """Return everything of a category by key, or `only` these keys; in one query, detached."""
    stored = _of(obj, category)
    if only is not None:
        stored = stored.filter(db_key__in=list(only))
    return dict(stored.values_list("db_key", "db_value"))


def clear(obj: Any, *, category: str) -> None:
    """Delete everything of a category, by the same statements for all of it."""
    pairs = [(key, category) for key in keys(obj, category=category)]
    with transaction.atomic():
        warm(obj, pairs)
        _remove_all(obj, pairs)


def _normal(pair: tuple[str, str | None]) -> tuple[str, str | None]:
    # Evennia strips and lower-cases both.
    key, category = pair
    return key.strip().lower(), None if category is None else category.strip().lower()


def _rows(obj: Any, pairs: Iterable[tuple[str, str | None]]) -> QuerySet:
    by_category: dict[str | None, list[str]] = {}
    for key, category in pairs:
        by_category.setdefault(category, []).append(key)
    named = Q()
    for category, keys_of_it in by_category.items():
        # In SQL nothing equals NULL.
        is_in = Q(db_category=category) if category else Q(db_category__isnull=True)
        named |= is_in & Q(db_key__in=keys_of_it)
    return obj.db_attributes.filter(named, db_attrtype=None)


def _create(obj: Any, values: dict[tuple[str, str | None], Any]) -> None:
    """Write values that have no row yet; Evennia would take four statements for each."""
    if len(values) < 2 or not connection.features.can_return_rows_from_bulk_insert:
        for (key, category), value in values.items():
            obj.attributes.add(key, value, category=category, lockstring=LOCKS)
        return
    model = obj.__dbclass__.__name__.lower()
    rows = [
        Attribute(
            db_key=key,
            db_category=category,
            db_value=value,
            db_model=model,
            db_lock_storage=LOCKS,
        )
        for (key, category), value in ((_normal(pair), value) for pair, value in values.items())
    ]
    obj.db_attributes.add(*Attribute.objects.bulk_create(rows))
    for row in rows:
        Attribute.cache_instance(row)
        obj.attributes.backend._set_cache(row.db_key, row.db_category, row)


def _remove_all(obj: Any, pairs: Iterable[tuple[str, str | None]]) -> None:
    """Delete rows, all by the same statements."""
    kept = [obj.attributes.get(key, category=category, return_obj=True) for key, category in pairs]
    rows = [row for row in kept if row is not None]
    if len(rows) < 2:
        for row in rows:
            remove(obj, row.db_key, category=row.db_category)
        return
    pks = [row.pk for row in rows]
    Attribute.objects.filter(pk__in=pks).delete()
    for row in rows:
        row.flush_from_cache(force=True)
        obj.attributes.backend._delete_cache(row.db_key, row.db_category)


def _of(obj: Any, category: str) -> QuerySet:
    return obj.db_attributes.filter(db_category=category, db_attrtype=None)


def _drop_cached(obj: Any) -> None:
    for attribute in obj.attributes.all():
        attribute.flush_from_cache(force=True)
    obj.attributes.reset_cache()


def _update(changed: list[Attribute]) -> None:
    # Django composes its statement anew at each save, which takes five times as long as the write.
    table, field = Attribute._meta.db_table, Attribute._meta.get_field("db_value")
    names = [connection.ops.quote_name(name) for name in (table, field.column, "id")]
    statement = "UPDATE {} SET {} = %s WHERE {} = %s".format(*names)
    with connection.cursor() as cursor:
        for attribute in changed:
            value = field.get_db_prep_save(attribute.db_value, connection)
            cursor.execute(statement, [value, attribute.pk])
            if not cursor.rowcount:
                # Somebody has deleted the row past Evennia, which writes it anew.
                attribute.save(update_fields=["db_value"])
