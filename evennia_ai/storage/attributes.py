"""The only reader and writer of Evennia Attributes: plain data, detached, saved once.

Evennia wraps what `obj.db` returns in live containers that save at each change, which costs about a
hundred times more and can bring back what was deleted. Here `load` returns a copy and `edit` saves
the whole value once, raw.
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Iterable, Iterator

from django.db import connection, transaction
from django.db.models import QuerySet
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
    changed = []
    with transaction.atomic():
        for key, category in removed:
            remove(obj, key, category=category)
        for (key, category), value in values.items():
            attribute = obj.attributes.get(key, category=category, return_obj=True)
            if attribute is None:
                obj.attributes.add(key, deepcopy(value), category=category, lockstring=LOCKS)
            else:
                attribute.db_value = deepcopy(value)
                changed.append(attribute)
        _update(changed)


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
    """Delete everything of a category."""
    obj.attributes.clear(category=category)


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
