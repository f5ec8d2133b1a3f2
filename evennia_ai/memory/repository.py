"""The one way in and out for what minds keep.

A value is read, changed and written whole, by its kind (`memory.kinds`) and, where a kind has many,
by its key. What is read is detached. What `together` encloses is written by a few statements in one
transaction, at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import msgspec
from django.conf import settings
from django.db import transaction
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject
from evennia.utils import logger

from evennia_ai.core import volatile
from evennia_ai.exceptions import NewerData
from evennia_ai.memory import kinds
from evennia_ai.memory.kinds import Kind
from evennia_ai.memory.storage import attribute_queries, own_attributes, pages
from evennia_ai.memory.storage.batch import Batch

T = TypeVar("T")

# A kind and a key, "" where it has none.
Place = tuple[Kind[object], str]

# What of a value nobody can change, if it holds no lists.
FIXED = (msgspec.Struct, str, int, float)

# Beside an Attribute lies what was read of it: (text, value).
_READ = "_evennia_ai_read"


class _Open(threading.local):
    """What this thread writes together: the pages for admins delete in threads of their own."""

    writing: Batch | None = None


_open = _Open()


def load(obj: TypedObject, kind: Kind[T], key: str = "") -> T | None:
    """Return what is kept, or None."""
    attribute = own_attributes.find(obj, kind.name, kind.key(key))
    return None if attribute is None else _value(obj, kind, attribute)


def save(obj: TypedObject, kind: Kind[T], value: T, key: str = "") -> None:
    """Keep a value in the place of what was kept.

    Raises:
        NewerData: A later version of us wrote what stands there.
    """
    save_all(obj, {(kind, key): value})


def save_all(
    obj: TypedObject, values: Mapping[Place, object], *, removed: Iterable[Place] = ()
) -> None:
    """Keep values, and delete what else is named: all of it or nothing."""
    with together(obj):
        gone = list(removed)
        own_attributes.warm([(obj, _written_as([*gone, *values]))])
        for kind, key in values:
            _refuse_newer(obj, kind, kind.key(key))
        for kind, key in gone:
            _remove(obj, kind, kind.key(key))
        for (kind, key), value in values.items():
            _put(obj, kind, kind.key(key), value)


def remove(obj: TypedObject, kind: Kind[T], key: str = "") -> None:
    """Delete what is kept, if anything is."""
    save_all(obj, {}, removed=[(kind, key)])


@contextmanager
def edit(
    obj: TypedObject, kind: Kind[T], key: str = "", *, default: Callable[[], T]
) -> Iterator[T]:
    """Change a list or dict in place; it is written once, if the block ends without error.

    Never `yield` to the reactor inside: whoever writes meanwhile would be overwritten.
    """
    kept = load(obj, kind, key)
    value = default() if kept is None else kept
    yield value
    save(obj, kind, value, key)


@contextmanager
def together(*objs: TypedObject) -> Iterator[None]:
    """Write all that is written inside, or nothing of it.

    Never `yield` to the reactor inside. If it fails, what is held in memory of what was written, and
    of `objs`, is read anew.
    """
    if _open.writing is not None:
        _open.writing.objs += objs
        yield
        return
    writing = _open.writing = Batch()
    writing.objs += objs
    is_written = False
    try:
        with writing.transaction:
            yield
            writing.write()
        is_written = True
    finally:
        _open.writing = None
        if not is_written:
            writing.take_back()


def warm(obj: TypedObject, places: Iterable[Place]) -> None:
    """Read by one question what is not in memory yet."""
    warm_all([(obj, places)])


def warm_all(wanted: Iterable[tuple[TypedObject, Iterable[Place]]]) -> None:
    """Read by few questions what is not in memory yet of several objects and scripts."""
    asked = []
    for obj, places in wanted:
        asked.append((obj, _written_as(places)))
    own_attributes.warm(asked)


def keys(obj: TypedObject, kind: Kind[T]) -> list[str]:
    if own_attributes.is_empty(obj, kind.name):
        return []
    if _open.writing is not None and _open.writing.has(obj, kind.name):
        _write_what_waits()
    return own_attributes.keys(obj, kind.name)


def load_all(obj: TypedObject, kind: Kind[T], *, only: Iterable[str] | None = None) -> dict[str, T]:
    """Return everything of a kind by key, or `only` these keys; by one question to the database."""
    _write_what_waits()
    named = None if only is None else [kind.key(key) for key in only]
    values = {}
    for key, text in own_attributes.of(obj).texts_of([kind.name], named):
        value = _read(obj, kind, key, text)
        if value is not None:
            values[key] = value
    return values


def clear(obj: TypedObject, kind: Kind[T]) -> None:
    gone = keys(obj, kind) if kind.keyed else [""]
    save_all(obj, {}, removed=[(kind, key) for key in gone])


def has_any(obj: TypedObject, wanted: Iterable[Kind[object]]) -> bool:
    """Return whether anything but an empty list is kept of these kinds."""
    _write_what_waits()
    kept = own_attributes.rows(obj).filter(db_category__in=[kind.name for kind in wanted])
    return bool(kept.exclude(db_strvalue=pages.NOTHING).exists())


def move_all(origin: TypedObject, target: TypedObject) -> None:
    """Let everything that is kept of one object be kept of another, which has nothing of the kind."""
    with together(origin, target), transaction.atomic():
        _write_what_waits()
        own_attributes.hand_over(origin, target)


def delete_all(obj: TypedObject) -> None:
    """Delete everything that is kept of an object."""
    with together(obj), transaction.atomic():
        _write_what_waits()
        own_attributes.delete_all_of(obj)


def load_of_all(model: type[TypedObject], kind: Kind[T]) -> dict[int, T]:
    """Return what all objects or scripts keep of a kind without keys, by their id; by one question."""
    _write_what_waits()
    stored = model.objects.filter(
        db_attributes__db_attrtype=attribute_queries.TYPE, db_attributes__db_category=kind.name
    )
    found = {}
    for owner, text in stored.values_list("id", "db_attributes__db_strvalue"):
        value = pages.read(kind, text).value
        if value is not None:
            found[owner] = value
    return found  # type: ignore[return-value]


def owners(model: type[TypedObject], kind: Kind[T]) -> list[int]:
    """Return the ids of all objects or scripts of which something of a kind is kept, sorted."""
    _write_what_waits()
    found = model.objects.filter(
        db_attributes__db_attrtype=attribute_queries.TYPE, db_attributes__db_category=kind.name
    )
    return sorted(set(found.values_list("id", flat=True)))


def _written_as(places: Iterable[Place]) -> list[attribute_queries.Place]:
    """Return under which category and key each is kept."""
    return [(kind.name, kind.key(key)) for kind, key in places]


def _write_what_waits() -> None:
    """Write what `together` has collected so far, before the database is asked past the memory."""
    if _open.writing is not None:
        _open.writing.write()


def _value(obj: TypedObject, kind: Kind[T], attribute: Attribute) -> T | None:
    text = attribute.db_strvalue
    kept = attribute.__dict__.get(_READ)
    if kept is not None and kept[0] is text:
        was_read: T = list(kept[1]) if isinstance(kept[1], tuple) else kept[1]  # type: ignore[assignment]
        return was_read
    value = _read(obj, kind, attribute.db_key, text)
    _note_read(attribute, text, value)
    return value


def _read(obj: TypedObject, kind: Kind[T], key: str, text: str) -> T | None:
    page = pages.read(kind, text)
    if page.bad and not pages.is_newer(text):
        _set_aside(obj, kind, key, page)
    return page.value  # type: ignore[return-value]


def _put(obj: TypedObject, kind: Kind[T], key: str, value: T) -> None:
    assert _open.writing is not None
    _open.writing.objs.append(obj)
    text = pages.written(kind, value)
    attribute = own_attributes.find(obj, kind.name, key)
    if attribute is None:
        attribute = own_attributes.new(obj, kind.name, key, text)
        _open.writing.made.append((obj, attribute))
    elif attribute.db_strvalue != text:
        attribute.db_strvalue = text
        if attribute.pk:
            _open.writing.changed[attribute.pk] = (obj, attribute)
    _open.writing.touched.append(attribute)
    _note_read(attribute, attribute.db_strvalue, value)
    if not settings.TYPECLASS_AGGRESSIVE_CACHE:
        _open.writing.write()


def _refuse_newer(obj: TypedObject, kind: Kind[T], key: str) -> None:
    attribute = own_attributes.find(obj, kind.name, key)
    if attribute is not None and pages.is_newer(attribute.db_strvalue):
        raise NewerData(
            f"{obj}(#{obj.id}): a later version of evennia_ai wrote {kind.name}/{key}; "
            "it is read, and not changed."
        )


def _remove(obj: TypedObject, kind: Kind[T], key: str) -> None:
    assert _open.writing is not None
    attribute = own_attributes.find(obj, kind.name, key)
    if attribute is None:
        return
    _open.writing.objs.append(obj)
    _open.writing.touched.append(attribute)
    if attribute.pk:
        _open.writing.changed.pop(attribute.pk, None)
        _open.writing.gone.append((obj, attribute))
    else:
        _open.writing.made = [pair for pair in _open.writing.made if pair[1] is not attribute]
    own_attributes.note_gone(obj, attribute)
    if not settings.TYPECLASS_AGGRESSIVE_CACHE:
        _open.writing.write()


def _note_read(attribute: Attribute, text: str, value: object) -> None:
    """Keep what was read beside its text, where nobody can change it."""
    kept = tuple(value) if isinstance(value, list) else (value,)
    if all(isinstance(one, FIXED) for one in kept) and _is_fixed(kept):
        attribute.__dict__[_READ] = (text, kept if isinstance(value, list) else value)
    else:
        attribute.__dict__.pop(_READ, None)


def _is_fixed(value: object) -> bool:
    """Return whether nobody can change a value: a frozen record may still hold lists."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _set_aside(obj: TypedObject, kind: Kind[T], key: str, page: pages.Page) -> None:
    """Keep the lines that cannot be read, so that nothing is lost, and write the page without them."""
    aside = kinds.SET_ASIDE if kind.on == kinds.BODY else kinds.SET_ASIDE_OF_MIND
    name = f"{kind.name}/{key}"
    place: Place = (kind, key if kind.keyed else "")
    before = load(obj, aside, name) or []
    values: dict[Place, object] = {place: page.value} if page.value is not None else {}
    save_all(
        obj,
        {**values, (aside, name): [*before, *page.bad]},
        removed=[] if values else [place],
    )
    logger.log_err(
        f"evennia_ai: {len(page.bad)} line(s) of {kind.name}/{key} of {obj}(#{obj.id}) cannot be "
        "read; they were set aside, and the rest is used."
    )


_rewrites = volatile.of_assistants(int)


def rewrites(npc_id: int) -> int:
    """How often something that an NPC keeps was put right or forgotten: what was made of it then begins anew."""
    return _rewrites.get(npc_id, 0)


def note_rewrite(npc_id: int) -> None:
    """Count one more."""
    _rewrites[npc_id] = rewrites(npc_id) + 1
